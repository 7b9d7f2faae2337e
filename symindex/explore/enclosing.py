"""Which symbol places in a file stand in: by the index, or by the symbols of a file that has changed since."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from symindex.explore.mention_job import FreshSymbol
from symindex.extract.containment import OpenRanges
from symindex.index.columns import Index
from symindex.index.rows import FileRows


class Standing(NamedTuple):
    """container: the qualified name of the innermost symbol around a place, empty outside of all; at the name of a symbol, of
    what that symbol stands in. is_definition: it is the name of a symbol."""

    container: str
    is_definition: bool


class Ranges(NamedTuple):
    """The symbols of a file in the order of their names. starts, ends, name_starts, name_ends: bytes. container, qualified_name:
    of the symbol with a number."""

    starts: Sequence[int]
    ends: Sequence[int]
    name_starts: Sequence[int]
    name_ends: Sequence[int]
    container: Callable[[int], str]
    qualified_name: Callable[[int], str]


def ranges_in_index(index: Index, file: int) -> Ranges:
    """Those of a file as the index knows it. file: its number."""
    rows = FileRows(index, file, file + 1)
    start, end, name_start, name_end = (places.tolist() for places in rows.places)
    return Ranges(
        start,
        end,
        name_start,
        name_end,
        container=lambda at: rows.containers[at],
        qualified_name=lambda at: index.qualified_name(int(rows.numbers[at])),
    )


def ranges_of(symbols: Sequence[FreshSymbol]) -> Ranges:
    """Those of a file that was read anew."""
    return Ranges(
        [symbol.start_byte for symbol in symbols],
        [symbol.end_byte for symbol in symbols],
        [symbol.name_start for symbol in symbols],
        [symbol.name_end for symbol in symbols],
        container=lambda at: symbols[at].container,
        qualified_name=lambda at: symbols[at].qualified_name,
    )


def enclose(ranges: Ranges, places: Sequence[int]) -> list[Standing]:
    """Of each place, in their order, where it stands."""
    order = sorted(range(len(ranges.starts)), key=lambda at: (ranges.starts[at], -ranges.ends[at], -at))
    opened = OpenRanges(ranges.starts, ranges.ends, order)
    standing = []
    for place in places:
        around = opened.at(place)
        named = bisect_right(ranges.name_starts, place) - 1
        if named >= 0 and place < ranges.name_ends[named]:
            standing.append(Standing(ranges.container(named), True))
        else:
            standing.append(Standing(ranges.qualified_name(around[-1]) if around else "", False))
    return standing
