"""Reads the lines of a trace as frames: path, line and symbol, as far as each is given.

The forms are data (`frames.toml`): a trace depends on the language, the runtime and the compiler.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from symindex.errors import is_unicode

MOST_FRAMES: Final = 100
"""Most frames of a trace that are located, half from the beginning and half from the end: some
runtimes print the innermost first, others last. The others are counted."""

MOST_LINES: Final = 5_000
"""Most lines of a trace that are read: half from the beginning, half from the end, as both
matter."""

LONGEST_LINE: Final = 1_000
"""Longest line that may be a frame, in characters."""


class Frame(NamedTuple):
    """A frame. text: as in the trace. path, symbol: empty if not given. line: 0 if not given."""

    text: str
    path: str
    line: int
    symbol: str


def parse_frame(line: str) -> Frame | None:
    """Reads a line as a frame; returns `None` for any other line."""
    if len(line) > LONGEST_LINE or not is_unicode(line):
        return None
    plain = _bare(line)
    for pattern in _patterns("patterns"):
        match = pattern.search(plain)
        if match is not None:
            groups = match.groupdict()
            return Frame(
                line.strip(),
                _plain_path(groups.get("path") or ""),
                int(groups.get("line") or 0),
                groups.get("symbol") or "",
            )
    return None


class ParsedTrace(NamedTuple):
    """The frames of a trace, in order. n_unread: how many lines in the middle were not read."""

    frames: list[Frame]
    n_unread: int = 0

    def likely(self) -> list[tuple[int, Frame]]:
        """Returns the frames to locate, each with its number from 1: at most MOST_FRAMES."""
        numbered = [*enumerate(self.frames, start=1)]
        if len(numbered) <= MOST_FRAMES:
            return numbered
        n_last = MOST_FRAMES // 2
        return numbered[: MOST_FRAMES - n_last] + numbered[-n_last:]


def parse_trace(text: str) -> ParsedTrace:
    """Reads a trace. One frame may have its function and place in two lines, and one line may have
    several frames."""
    lines = _one_each(text).splitlines()
    if len(lines) <= MOST_LINES:
        return ParsedTrace(_frames_of(lines))
    n_last = MOST_LINES // 2
    first, last = lines[: MOST_LINES - n_last], lines[-n_last:]
    return ParsedTrace([*_frames_of(first), *_frames_of(last)], len(lines) - MOST_LINES)


def _frames_of(lines: list[str]) -> list[Frame]:
    """Returns the frames of successive lines."""
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
    return frames


def _below_heading(line: str, heading: str) -> tuple[str, Frame | None]:
    """Returns the path that following lines belong to, and the place in it that a line gives, which
    is not a frame by itself."""
    if len(line) > LONGEST_LINE or not is_unicode(line):
        return heading, None
    plain = _bare(line)
    for pattern in _patterns("headings"):
        if (frame := pattern.search(plain)) is not None:
            return _plain_path(frame["path"]), None
    for pattern in _patterns("under_headings") if heading else []:
        if (frame := pattern.search(plain)) is not None:
            return heading, Frame(line.strip(), heading, int(frame["line"]), "")
    return heading, None


def _bare(line: str) -> str:
    """Removes what logs, consoles and tables add around a line."""
    for pattern in _patterns("around"):
        line = pattern.sub("", line)
    return line


def _plain_path(path: str) -> str:
    """Removes what precedes the path in the address of a module."""
    path = re.sub(r"^[a-z][\w+.-]*://(?:[^/]*(?=/))?", "", path.strip()).split("?", 1)[0]
    return re.sub(r"[\\/]+", "/", path)


def _one_each(text: str) -> str:
    """Returns a trace with a line for each frame, where one line had several."""
    if len(text) > MOST_LINES * LONGEST_LINE or not is_unicode(text):
        return text
    for pattern in _patterns("several"):
        text = pattern.sub(lambda match: f"\n{' '.join(match[0].split())}\n", text)
    return text


@cache
def _patterns(key: str) -> list[Any]:
    import re2  # type: ignore[import-untyped]  # here, because few requests are traces; it never goes back, whatever the line

    return [re2.compile(pattern) for pattern in _table("frames.toml")[key]]


def sources_of(path: str) -> list[str]:
    """Returns possible paths of the sources that a compiled file was made from; none for a source
    file."""
    stem, _, ending = path.rpartition(".")
    return [f"{stem}.{source}" for source in _table("frames.toml")["built"].get(ending, [])]


def library_path(path: str) -> list[str]:
    """Returns the parts of a path below the folder of libraries that it is in, without versions;
    none if it is in no such folder."""
    ends = [found.end() for one in _libraries() for found in one.finditer(path)]
    parts = path[max(ends) :].split("/") if ends else []
    return [re.sub(r"(?<=.)(?:@v?|-)\d[\w.+-]*$", "", part) for part in parts[:-1]] + parts[-1:]


@cache
def _libraries() -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in _table("frames.toml")["libraries"]]


@cache
def _spellings() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(pattern), instead) for pattern, instead in _table("spellings.toml")["rules"]
    ]


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("symindex.explore.trace").joinpath(name).read_text("utf-8"))


def as_code_names(text: str) -> str:
    """Converts a name from a trace's notation to code's; returns others unchanged."""
    if len(text) > LONGEST_LINE:
        return text
    from symindex.explore.trace.demangle import demangle

    name = demangle(text.strip())
    for pattern, instead in _spellings():
        name = pattern.sub(instead, name)
    return name.strip(" .:'\"`")
