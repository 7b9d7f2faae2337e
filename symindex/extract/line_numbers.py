"""The ranges of definitions, and their lines."""

from collections.abc import Callable, Iterator
from operator import attrgetter

from symindex.extract.captures import Definition, Whole


def set_ranges(definitions: list[Definition], wholes: dict[tuple[int, int], Whole], data: bytes) -> None:
    """Gives definitions the ranges of the wholes around them, and removes a line break at the end, as a directive of C's
    preprocessor has one."""
    for definition in definitions:
        while wholes and (whole := wholes.get((definition.start_byte, definition.end_byte))) is not None:
            if whole.pattern.settings.header == "whole":
                definition.header_byte = whole.start_byte
            definition.start_byte, definition.end_byte = whole.start_byte, whole.end_byte
        end = definition.end_byte
        if data[end - 1 : end] == b"\n":
            while end > definition.name_end and data[end - 1] in b"\r\n":
                end -= 1
            definition.end_byte = end


def count_rows(definitions: list[Definition], data: bytes) -> None:
    """Fills in rows and columns. The lines are those of `data`, whatever the parser saw.

    Goes through the file once for each kind of place, however deep definitions are nested.
    """
    for definition, row in _with_rows(definitions, data, attrgetter("start_byte")):
        definition.start_row = row
    for definition, row in _with_rows(definitions, data, attrgetter("end_byte")):
        definition.end_row = row
    before = line = 0
    for definition, row in _with_rows(definitions, data, attrgetter("name_start")):
        start = definition.name_start
        line = data.rfind(b"\n", before, start) + 1 or line
        definition.name_row, definition.name_column = row, start - line
        before = start


def _with_rows(
    definitions: list[Definition], data: bytes, place: Callable[[Definition], int]
) -> Iterator[tuple[Definition, int]]:
    """The definitions in the order of one of their places, with its row."""
    before = row = 0
    for definition in sorted(definitions, key=place):
        at = place(definition)
        row += data.count(b"\n", before, at)
        yield definition, row
        before = at
