"""Computes the final ranges of definitions, and their lines."""

import re
from bisect import bisect_right
from functools import partial
from itertools import accumulate
from operator import attrgetter, sub
from typing import Final, TypeAlias

from symindex.extract.captures import Around, Definition, Whole
from symindex.extract.records import SymbolRow
from symindex.protocol.kinds import SymbolFlag

_ONE_MORE: Final = (1).__add__
"""Adds the line break to the length of a line."""


_BLANK: Final = b" \t\r\n"
_ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value


def take_ranges(definitions: list[Definition], around: list[Around]) -> list[Definition]:
    """Gives definitions whose names are in a part the range and body of its whole, and drops those
    that count only inside a part. Parts do not overlap; of equal parts, the last in the query
    wins."""
    around = sorted(around, key=_PART)
    starts = [part.start_byte for part in around]
    taken_definitions = []
    for definition in definitions:
        number = bisect_right(starts, definition.name_start) - 1
        is_inside = number >= 0 and definition.name_start < around[number].end_byte
        if is_inside or definition.pattern.settings.place != "part":
            taken_definitions.append(definition)
        if not is_inside:
            continue
        part = around[number]
        definition.start_byte = definition.header_byte = part.whole_start
        definition.end_byte = part.whole_end
        definition.body_byte = definition.inside_byte = part.body_byte
        definition.body_end = definition.inside_end = part.body_end
    return taken_definitions


_PART: Final = attrgetter("start_byte", "pattern.number")


def set_ranges(
    definitions: list[Definition], wholes: dict[tuple[int, int], Whole], data: bytes
) -> None:
    """Gives definitions the ranges of the wholes around them, and removes blanks at their ends: a
    directive of C's preprocessor ends with a line break, and grammars of indented languages include
    the next line's indentation."""
    size = len(data)
    for definition in definitions:
        while (
            wholes
            and (whole := wholes.get((definition.start_byte, definition.end_byte))) is not None
        ):
            if whole.pattern.settings.header == "whole":
                definition.header_byte = whole.start_byte
            definition.start_byte, definition.end_byte = whole.start_byte, whole.end_byte
        end = last = definition.end_byte
        if end > size:  # grammars of indented languages may go beyond the end of the file
            definition.end_byte = end = size
        if data[end - 1] in _BLANK:
            while end > definition.name_end and data[end - 1] in _BLANK:
                end -= 1
            if end < definition.inside_end <= last:
                definition.inside_end = end
            definition.end_byte = end


PlacedSymbol: TypeAlias = tuple[str, str, str, str, str, int, int, int, int, int]
"""A symbol before its lines are computed: the first fields of a SymbolRow, up to flags, and the
start and end of the symbol and of its name."""


def add_lines(symbols: list[PlacedSymbol], data: bytes) -> list[SymbolRow]:
    """Adds rows and columns to symbols. Lines are those of `data`, whatever the parser saw. Works
    on all symbols of a file at once, so that no Python code runs for each."""
    if not symbols:
        return []
    names, containers, signatures, docs, kinds, flags, starts, ends, name_starts, name_ends = zip(
        *symbols, strict=True
    )
    begins = [
        *accumulate(map(_ONE_MORE, map(len, data.split(b"\n"))), initial=0)
    ]  # a generator takes twice as long
    rows_of = partial(bisect_right, begins[1:])
    name_rows = [*map(rows_of, name_starts)]
    columns = map(sub, name_starts, map(begins.__getitem__, name_rows))
    places = (
        starts,
        ends,
        map(rows_of, starts),
        map(rows_of, ends),
        name_starts,
        name_ends,
        name_rows,
        columns,
    )
    return [*zip(names, containers, signatures, docs, kinds, flags, *places, strict=True)]


_FLAGS: Final = 5
_NAME_START: Final = 10
_COLUMN: Final = 13
"""Positions in a SymbolRow."""

_NON_ASCII: Final = re.compile(rb"[\x80-\xff][^\n]*")


def find_non_ascii(data: bytes) -> dict[int, int]:
    """Returns the place of the first byte beyond ASCII on each line, keyed by the start of the
    line."""
    places = (match.start() for match in _NON_ASCII.finditer(data))
    return {data.rfind(b"\n", 0, place) + 1: place for place in places}


def mark_behind_non_ascii(rows: list[SymbolRow], data: bytes) -> list[SymbolRow]:
    """Flags the symbols whose names come after a character beyond ASCII on their line."""
    first = find_non_ascii(data)
    marked = []
    for row in rows:
        start = row[_NAME_START]
        if first.get(start - row[_COLUMN], start) < start:
            row = (*row[:_FLAGS], row[_FLAGS] | _ODD_PLACE, *row[_FLAGS + 1 :])  # type: ignore[assignment]  # as many
        marked.append(row)
    return marked
