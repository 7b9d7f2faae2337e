"""Where definitions reach to, and on which lines they stand, counted in as few passes over the file as it takes."""

from operator import attrgetter
from typing import Final

from symindex.extract.captures import Definition, Whole


def widen(definition: Definition, wholes: dict[tuple[int, int], Whole]) -> None:
    """Gives a definition the range of what it is a part of, step by step."""
    while (whole := wholes.get((definition.start_byte, definition.end_byte))) is not None:
        if whole.in_signature:
            definition.header_byte = whole.start_byte
        definition.start_byte, definition.end_byte = whole.start_byte, whole.end_byte


def trim_ends(definitions: list[Definition], data: bytes) -> None:
    """Takes the line break off what ends with one, as a directive of C's preprocessor does: it is none of its lines."""
    for definition in definitions:
        end = definition.end_byte
        if data[end - 1 : end] == b"\n":
            while end > definition.name_end and data[end - 1] in b"\r\n":
                end -= 1
            definition.end_byte = end


def count_rows(definitions: list[Definition], data: bytes) -> None:
    """Fills in rows and columns of definitions in the order of their names. The lines are those of `data`, whatever was parsed.

    Goes through the file once for the names, and once for the ends, however deep definitions are nested.
    """
    count = data.count
    far: list[Definition] = []
    before = row = line = 0
    for definition in definitions:
        name, start = definition.name_start, definition.start_byte
        breaks = count(b"\n", before, name)
        if breaks:
            row += breaks
            line = data.rfind(b"\n", before, name) + 1
        definition.name_row = row
        definition.name_column = name - line
        if start >= line:
            definition.start_row = row
        elif start >= before:
            definition.start_row = row - count(b"\n", start, name)
        else:
            far.append(definition)
        before = name
    before = row = 0
    for definition in sorted(definitions, key=_END_BYTE):
        end = definition.end_byte
        row += count(b"\n", before, end)
        definition.end_row = row
        before = end
    before = row = 0
    for definition in sorted(far, key=_START_BYTE):
        row += count(b"\n", before, definition.start_byte)
        definition.start_row = row
        before = definition.start_byte


_START_BYTE: Final = attrgetter("start_byte")
_END_BYTE: Final = attrgetter("end_byte")
