"""From headings to sections: what each of them encloses, by their levels. A reader of a format only
finds headings.

What comes from a file is bounded here: how many sections it has, how long their titles are, how
deep they lie.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NamedTuple

from symindex.extract.documents.document import Document, Section
from symindex.extract.texts.source_text import fold_space

MOST_SECTIONS: Final = 10_000
"""Further headings of a file are text of the last section. The longest manuals have two thousand in
a file."""

MOST_LEVELS: Final = 64
"""Deeper levels count as this one, so that the path to a section stays short."""

TITLE_CHARACTERS: Final = 200
"""The longest title and the longest heading, the mark of the cut included."""

RAW_TITLE_BYTES: Final = 1500
"""So much of a heading is looked at for its title."""


class Heading(NamedTuple):
    """A heading in a file. level: 1 is the outermost. start_byte, end_byte: of all that belongs to
    it, underlines too. title_start, title_end: of the title with its markup. title: the title
    without. written: the heading on one line."""

    level: int
    start_byte: int
    end_byte: int
    title_start: int
    title_end: int
    title: str
    written: str


def with_line_feeds(data: bytes) -> bytes:
    """The text with a line feed at the end of each line, the last one too. All places stay."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"


def shorten_title(text: str) -> str:
    """A title on one line, cut where it is too long."""
    folded = fold_space(text[: TITLE_CHARACTERS * 20])
    return (
        folded if len(folded) <= TITLE_CHARACTERS else folded[: TITLE_CHARACTERS - 1].rstrip() + "…"
    )


def written(data: bytes, start: int, end: int) -> str:
    """A heading as it stands in the file, on one line."""
    return shorten_title(data[start : min(end, start + RAW_TITLE_BYTES)].decode("utf-8", "replace"))


def nest_lines(
    data: bytes, start: int, headings: Iterable[Heading], plain: Callable[[bytes], str]
) -> Document:
    """The document of a format in which a section's own text is what stands between two headings.
    plain: makes text of bytes."""
    kept = list(islice(headings, MOST_SECTIONS))
    bounds = [start, *(heading.start_byte for heading in kept), len(data)]
    begins = [start, *(heading.end_byte for heading in kept)]
    pieces = [
        data[begin : max(begin, end)].rstrip()
        for begin, end in zip(begins, bounds[1:], strict=True)
    ]
    ends = [begin + len(piece) for begin, piece in zip(begins, pieces, strict=True)]
    ends = [
        _end_of(data, each) if not piece else each for each, piece in zip(ends, pieces, strict=True)
    ]
    return nest(kept, [plain(piece) for piece in pieces], ends)


def _end_of(data: bytes, end: int) -> int:
    """Where a heading ends that nothing follows: without the line break."""
    while end and data[end - 1] in b" \t\r\n\f\v":
        end -= 1
    return end


def nest(headings: list[Heading], texts: list[str], ends: list[int]) -> Document:
    """The document of headings in the order of the file. texts: the opening's and each heading's
    own; ends: where each ends."""
    enclosing = _enclosing([heading.level for heading in headings])
    last = list(range(len(headings)))  # the last section inside each, or itself
    for at in range(len(headings) - 1, -1, -1):
        if enclosing[at] >= 0:
            last[enclosing[at]] = max(last[enclosing[at]], last[at])
    sections = [
        Section(
            heading.title,
            min(heading.level, MOST_LEVELS),
            heading.written,
            heading.start_byte,
            max(ends[last[at] + 1], heading.title_end),
            heading.title_start,
            heading.title_end,
            texts[at + 1],
        )
        for at, heading in enumerate(headings)
    ]
    return Document(sections, texts[0])


def enclosing_sections(sections: list[Section]) -> list[int]:
    """For each section the number of the one that directly encloses it, -1 for the outermost."""
    return _enclosing([section.level for section in sections])


def heading_paths(sections: list[Section]) -> list[tuple[str, ...]]:
    """For each section the titles of those that enclose it, the outermost first."""
    paths: list[tuple[str, ...]] = []
    for around in enclosing_sections(sections):
        paths.append((*paths[around], sections[around].title) if around >= 0 else ())
    return paths


def _enclosing(levels: list[int]) -> list[int]:
    around: list[int] = []
    opened: list[int] = []
    for at, level in enumerate(min(level, MOST_LEVELS) for level in levels):
        while opened and min(levels[opened[-1]], MOST_LEVELS) >= level:
            opened.pop()
        around.append(opened[-1] if opened else -1)
        opened.append(at)
    return around
