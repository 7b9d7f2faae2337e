"""Turns headings into sections: finds what each encloses, by their levels. The reader of a format
only finds headings.

This module bounds what comes from a file: the number of sections, the length of titles, and the
depth of nesting.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NamedTuple

from symindex.extract.documents.document import Document, Section
from symindex.extract.texts.source_text import fold_space

MOST_SECTIONS: Final = 10_000
"""Most sections of a file; further headings are text of the last one. The longest manuals have two
thousand in a file."""

MOST_LEVELS: Final = 64
"""Deepest level; deeper ones count as this one, so that the path to a section stays short."""

TITLE_CHARACTERS: Final = 200
"""Longest title and longest heading, in characters, including the mark of a cut."""

RAW_TITLE_BYTES: Final = 1500
"""How many bytes of a heading to read for its title."""


class Heading(NamedTuple):
    """A heading in a file.

    level: 1 is the outermost. start_byte, end_byte: the range with everything that belongs to it,
    such as underlines. title_start, title_end: the title with its markup. title: the title without
    markup. written: the heading on one line.
    """

    level: int
    start_byte: int
    end_byte: int
    title_start: int
    title_end: int
    title: str
    written: str


def with_line_feeds(data: bytes) -> bytes:
    """Ends every line, including the last, with a line feed. Offsets do not change."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"


def shorten_title(text: str) -> str:
    """Puts a title on one line and cuts it if it is too long."""
    folded = fold_space(text[: TITLE_CHARACTERS * 20])
    return (
        folded if len(folded) <= TITLE_CHARACTERS else folded[: TITLE_CHARACTERS - 1].rstrip() + "…"
    )


def written(data: bytes, start: int, end: int) -> str:
    """Returns a heading as written in the file, on one line."""
    return shorten_title(data[start : min(end, start + RAW_TITLE_BYTES)].decode("utf-8", "replace"))


def nest_lines(
    data: bytes, start: int, headings: Iterable[Heading], plain: Callable[[bytes], str]
) -> Document:
    """Makes the document of a format in which a section's own text is everything between two
    headings. plain: converts bytes to text."""
    bounded = list(islice(headings, MOST_SECTIONS))
    bounds = [start, *(heading.start_byte for heading in bounded), len(data)]
    begins = [start, *(heading.end_byte for heading in bounded)]
    pieces = [
        data[begin : max(begin, end)].rstrip()
        for begin, end in zip(begins, bounds[1:], strict=True)
    ]
    ends = [begin + len(piece) for begin, piece in zip(begins, pieces, strict=True)]
    ends = [
        _end_of(data, piece_end) if not piece else piece_end
        for piece_end, piece in zip(ends, pieces, strict=True)
    ]
    return nest(bounded, [plain(piece) for piece in pieces], ends)


def _end_of(data: bytes, end: int) -> int:
    """Returns the end of a heading that nothing follows: without the line break."""
    while end and data[end - 1] in b" \t\r\n\f\v":
        end -= 1
    return end


def nest(headings: list[Heading], texts: list[str], ends: list[int]) -> Document:
    """Makes a document of headings in the order of the file.

    texts: the text of the opening, then the own text of each heading. ends: the end of each text.
    """
    enclosing = _enclosing([heading.level for heading in headings])
    last = list(range(len(headings)))  # the last section inside each, or itself
    for number in range(len(headings) - 1, -1, -1):
        if enclosing[number] >= 0:
            last[enclosing[number]] = max(last[enclosing[number]], last[number])
    sections = [
        Section(
            heading.title,
            min(heading.level, MOST_LEVELS),
            heading.written,
            heading.start_byte,
            max(ends[last[number] + 1], heading.title_end),
            heading.title_start,
            heading.title_end,
            texts[number + 1],
        )
        for number, heading in enumerate(headings)
    ]
    return Document(sections, texts[0])


def enclosing_sections(sections: list[Section]) -> list[int]:
    """Returns for each section the number of the one that directly encloses it; -1 for the
    outermost."""
    return _enclosing([section.level for section in sections])


def heading_paths(sections: list[Section]) -> list[tuple[str, ...]]:
    """Returns for each section the titles of the enclosing ones, outermost first."""
    paths: list[tuple[str, ...]] = []
    for around in enclosing_sections(sections):
        paths.append((*paths[around], sections[around].title) if around >= 0 else ())
    return paths


def _enclosing(levels: list[int]) -> list[int]:
    around: list[int] = []
    opened: list[int] = []
    for number, level in enumerate(min(level, MOST_LEVELS) for level in levels):
        while opened and min(levels[opened[-1]], MOST_LEVELS) >= level:
            opened.pop()
        around.append(opened[-1] if opened else -1)
        opened.append(number)
    return around
