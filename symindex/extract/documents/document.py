"""The result of reading a document: sections and plain text."""

from typing import NamedTuple


class Section(NamedTuple):
    """A heading and the content below it. Positions are byte offsets in the file.

    title: its plain text on one line. level: 1 is the outermost. heading: the heading as written,
    on one line. start_byte, end_byte: from the heading to the next one of the same or a higher
    level, without trailing white space. title_start, title_end: the range of the title. text: the
    plain text of the section alone, without its heading and the sections inside it.
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
