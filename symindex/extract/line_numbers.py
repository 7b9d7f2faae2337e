"""The ranges of definitions, and their lines."""

from bisect import bisect_right
from itertools import accumulate
from typing import Final

from symindex.extract.captures import Definition, Whole

_ONE_MORE: Final = (1).__add__
"""For the line break."""


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
    """Fills in rows and columns. The lines are those of `data`, whatever the parser saw."""
    lengths = map(len, data.split(b"\n"))
    starts = [*accumulate(map(_ONE_MORE, lengths), initial=0)]  # a generator takes twice as long
    for definition in definitions:
        definition.start_row = bisect_right(starts, definition.start_byte) - 1
        definition.end_row = bisect_right(starts, definition.end_byte) - 1
        definition.name_row = bisect_right(starts, definition.name_start) - 1
        definition.name_column = definition.name_start - starts[definition.name_row]
