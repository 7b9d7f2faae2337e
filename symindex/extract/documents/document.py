"""What a reader of documents makes of bytes: sections and plain text."""

from typing import NamedTuple


class Section(NamedTuple):
    """A heading and what stands under it. Positions are bytes of the file.

    title: its plain text on one line. level: 1 is the outermost. heading: the heading as it is
    written, on one line. start_byte, end_byte: from the heading to the next one of the same or a
    higher level, without white space at the end. title_start, title_end: of the title in the file.
    text: its own plain text, without the heading and the sections inside.
    """

    title: str
    level: int
    heading: str
    start_byte: int
    end_byte: int
    title_start: int
    title_end: int
    text: str


class Document(NamedTuple):
    """sections: in the order of the file. opening: the plain text before the first heading, without
    front matter."""

    sections: list[Section]
    opening: str
