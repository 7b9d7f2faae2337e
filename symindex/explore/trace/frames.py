"""The lines of a trace as frames: a path, a line and a symbol, as far as each of them is told.

The forms are data (`frames.toml`): what a trace looks like depends on the language, the runtime and
the compiler.
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
    plain = _bare(line)
    for pattern in _patterns("patterns"):
        found = pattern.search(plain)
        if found is not None:
            named = found.groupdict()
            return Frame(
                line.strip(),
                _plain_path(named.get("path") or ""),
                int(named.get("line") or 0),
                named.get("symbol") or "",
            )
    return None


def parse_trace(text: str) -> tuple[list[Frame], int]:
    """The frames of a trace in order, at most MOST_FRAMES, and how many there are in all. A frame's
    function and place may stand in two lines, and several frames in one."""
    lines = _one_each(text).splitlines()
    if len(lines) > MOST_LINES:
        lines = lines[: MOST_LINES // 2] + lines[-MOST_LINES // 2 :]
    frames: list[Frame] = []
    heading = ""
    for line in lines:
        frame = parse_frame(line)
        if frame is None:
            heading, below = _below_heading(line, heading)
            frames += filter(None, [below])
            continue
        last = frames[-1] if frames else None
        if last is not None and last.symbol and not last.path and frame.path and not frame.symbol:
            frames[-1] = Frame(f"{last.text} {frame.text}", frame.path, frame.line, last.symbol)
        else:
            frames.append(frame)
    return frames[:MOST_FRAMES], len(frames)


def _below_heading(line: str, heading: str) -> tuple[str, Frame | None]:
    """The path that the lines below belong to, and the place in it that a line tells, which is no
    frame by itself."""
    if len(line) > LONGEST_LINE or not is_unicode(line):
        return heading, None
    plain = _bare(line)
    for pattern in _patterns("headings"):
        if (found := pattern.search(plain)) is not None:
            return _plain_path(found["path"]), None
    for pattern in _patterns("under_headings") if heading else []:
        if (found := pattern.search(plain)) is not None:
            return heading, Frame(line.strip(), heading, int(found["line"]), "")
    return heading, None


def _bare(line: str) -> str:
    """A line without what logs, consoles and tables put around it."""
    for pattern in _patterns("around"):
        line = pattern.sub("", line)
    return line


def _plain_path(path: str) -> str:
    """A path without what stands before it in the address of a module."""
    path = re.sub(r"^[a-z][\w+.-]*://(?:[^/]*(?=/))?", "", path.strip()).split("?", 1)[0]
    return re.sub(r"[\\/]+", "/", path)


def _one_each(text: str) -> str:
    """A trace in which each frame of those that may stand several in a line has a line for
    itself."""
    if len(text) > MOST_LINES * LONGEST_LINE or not is_unicode(text):
        return text
    for pattern in _patterns("several"):
        text = pattern.sub(lambda found: f"\n{' '.join(found[0].split())}\n", text)
    return text


@cache
def _patterns(key: str) -> list[Any]:
    import re2  # type: ignore[import-untyped]  # here, because few requests are traces; it never goes back, whatever the line

    return [re2.compile(pattern) for pattern in _table("frames.toml")[key]]


def sources_of(path: str) -> list[str]:
    """The paths of the sources that a compiler may have written a file from; none for a file that
    people write."""
    stem, _, ending = path.rpartition(".")
    return [f"{stem}.{source}" for source in _table("frames.toml")["built"].get(ending, [])]


@cache
def _spellings() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(pattern), instead) for pattern, instead in _table("spellings.toml")["rules"]
    ]


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("symindex.explore.trace").joinpath(name).read_text("utf-8"))


def as_code_names(text: str) -> str:
    """A name as code writes it, from how a trace does; the same where it is no such name."""
    if len(text) > LONGEST_LINE:
        return text
    from symindex.explore.trace.demangle import demangle

    name = demangle(text.strip())
    for pattern, instead in _spellings():
        name = pattern.sub(instead, name)
    return name.strip(" .:'\"`")
