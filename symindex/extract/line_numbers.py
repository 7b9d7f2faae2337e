"""The ranges of definitions, and their lines."""

from bisect import bisect_right
from itertools import accumulate
from operator import attrgetter
from typing import Final

from symindex.extract.captures import Around, Definition, Whole

_ONE_MORE: Final = (1).__add__
"""For the line break."""


_BLANK: Final = b" \t\r\n"


def take_ranges(definitions: list[Definition], around: list[Around]) -> list[Definition]:
    """Gives definitions whose names stand in a part the range and the body of the whole, and leaves out those that are none
    elsewhere. Parts do not overlap; of equal ones the last in the query wins."""
    around = sorted(around, key=_PART)
    starts = [part.start_byte for part in around]
    kept = []
    for definition in definitions:
        at = bisect_right(starts, definition.name_start) - 1
        is_inside = at >= 0 and definition.name_start < around[at].end_byte
        if is_inside or definition.pattern.settings.place != "part":
            kept.append(definition)
        if not is_inside:
            continue
        part = around[at]
        definition.start_byte = definition.header_byte = part.whole_start
        definition.end_byte = part.whole_end
        definition.body_byte = definition.inside_byte = part.body_byte
        definition.body_end = definition.inside_end = part.body_end
    return kept


_PART: Final = attrgetter("start_byte", "pattern.number")


def set_ranges(definitions: list[Definition], wholes: dict[tuple[int, int], Whole], data: bytes) -> None:
    """Gives definitions the ranges of the wholes around them, and removes blanks at the end: a directive of C's
    preprocessor ends with a line break, and what grammars end by indentation with that of the next line."""
    for definition in definitions:
        while wholes and (whole := wholes.get((definition.start_byte, definition.end_byte))) is not None:
            if whole.pattern.settings.header == "whole":
                definition.header_byte = whole.start_byte
            definition.start_byte, definition.end_byte = whole.start_byte, whole.end_byte
        end = min(definition.end_byte, len(data))  # grammars that end blocks by indentation may go beyond the end of the file
        if data[end - 1] in _BLANK:
            while end > definition.name_end and data[end - 1] in _BLANK:
                end -= 1
            if end < definition.inside_end <= definition.end_byte:
                definition.inside_end = end
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
