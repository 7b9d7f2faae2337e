"""The lines of a trace as frames: a path, a line and a symbol, as far as each of them is told.

The forms are data (`frames.toml`): what a trace looks like depends on the language, the runtime and the compiler.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from symindex.errors import is_unicode

MOST_FRAMES: Final = 100
"""Frames of a trace that are looked up; the others are counted."""

MOST_LINES: Final = 5_000
"""Lines of a trace that are read: the first and the last half, since both ends matter."""

LONGEST_LINE: Final = 1_000
"""Characters. A longer line is no frame."""


class Frame(NamedTuple):
    """text: as it stands in the trace. path, symbol: empty where they are not told; line: 0."""

    text: str
    path: str
    line: int
    symbol: str


def parse_frame(line: str) -> Frame | None:
    """The frame that a line is; `None` for any other line."""
    if len(line) > LONGEST_LINE or not is_unicode(line):
        return None
    for pattern in _patterns("patterns"):
        found = pattern.search(line)
        if found is not None:
            named = found.groupdict()
            return Frame(
                line.strip(), _plain_path(named.get("path") or ""), int(named.get("line") or 0), named.get("symbol") or ""
            )
    return None


def parse_trace(text: str) -> tuple[list[Frame], int]:
    """The frames of a trace in order, at most MOST_FRAMES, and how many there are in all. A frame's function and place may
    stand in two lines, and several frames in one."""
    lines = _one_each(text).splitlines()
    if len(lines) > MOST_LINES:
        lines = lines[: MOST_LINES // 2] + lines[-MOST_LINES // 2 :]
    frames: list[Frame] = []
    for line in lines:
        frame = parse_frame(line)
        if frame is None:
            continue
        last = frames[-1] if frames else None
        if last is not None and last.symbol and not last.path and frame.path and not frame.symbol:
            frames[-1] = Frame(f"{last.text} {frame.text}", frame.path, frame.line, last.symbol)
        else:
            frames.append(frame)
    return frames[:MOST_FRAMES], len(frames)


def _plain_path(path: str) -> str:
    """A path without what stands before it in the address of a module."""
    path = re.sub(r"^(?:file|webpack[\w-]*|https?)://(?:[^/]*(?=/))?", "", path.strip()).split("?", 1)[0]
    return re.sub(r"[\\/]+", "/", path)


def _one_each(text: str) -> str:
    """A trace in which each frame of those that may stand several in a line has a line for itself."""
    if len(text) > MOST_LINES * LONGEST_LINE or not is_unicode(text):
        return text
    for pattern in _patterns("several"):
        text = pattern.sub(lambda found: f"\n{' '.join(found[0].split())}\n", text)
    return text


@cache
def _patterns(key: str) -> list[Any]:
    import re2  # type: ignore[import-untyped]  # here, because few requests are traces; it never goes back, whatever the line

    table = tomllib.loads(files("symindex.explore.trace").joinpath("frames.toml").read_text("utf-8"))
    return [re2.compile(pattern) for pattern in table[key]]


@cache
def _spellings() -> list[tuple[re.Pattern[str], str]]:
    table = tomllib.loads(files("symindex.explore.trace").joinpath("spellings.toml").read_text("utf-8"))
    return [(re.compile(pattern), instead) for pattern, instead in table["rules"]]


def as_code_names(text: str) -> str:
    """A name as code writes it, from how a trace does; the same where it is no such name."""
    if len(text) > LONGEST_LINE:
        return text
    from symindex.explore.trace.demangle import demangle

    name = demangle(text.strip())
    for pattern, instead in _spellings():
        name = pattern.sub(instead, name)
    return name.strip(" .:'\"`")
