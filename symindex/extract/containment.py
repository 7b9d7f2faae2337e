"""Finds which range encloses which, and which symbol a container names.

Ranges are of bytes or lines: of definitions, symbols, or rows of an index. They may cross: of the
ranges around a place, the last to begin encloses it. Nothing here recurses, because generated code
is nested thousands deep.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from symindex.extract.records import Symbol
from symindex.protocol.kinds import KINDS


class OpenRanges:
    """The ranges that are open at a place, for a reader that goes from place to place.

    starts, ends: the bounds of each range, half-open. order: the numbers of the ranges in the order
    in which they open, outer ones first. around: for each opened range, the number of the range
    around its start, -1 for none.
    """

    def __init__(self, starts: Sequence[int], ends: Sequence[int], order: Iterable[int]) -> None:
        self._starts, self._ends = starts, ends
        self._waiting = [*order][::-1]
        self._open: list[int] = []
        self.around: list[int] = [-1] * len(starts)

    def at(self, place: int) -> list[int]:
        """Returns the numbers of the ranges around a place, innermost last. The list is valid until
        the next call, which must be for a later place."""
        waiting, opened, starts, ends = self._waiting, self._open, self._starts, self._ends
        while waiting and starts[waiting[-1]] <= place:
            number = waiting.pop()
            while opened and ends[opened[-1]] <= starts[number]:
                opened.pop()
            if opened:
                self.around[number] = opened[-1]
            opened.append(number)
        while opened and ends[opened[-1]] <= place:
            opened.pop()
        return opened


def ranges_around(
    starts: Sequence[int],
    ends: Sequence[int],
    order: Iterable[int],
    is_member: Callable[[int, int], bool] = lambda inner, outer: False,
) -> list[int]:
    """Returns for each range the number of the innermost other range around all of it, -1 for none.

    order: the numbers of the ranges in the order of their starts, outer ones first. is_member:
    whether the first of two equal ranges is inside the second; by default it is not.
    """
    around = [-1] * len(starts)
    opened: list[int] = []
    for number in order:
        start, end = starts[number], ends[number]
        while opened:
            outer = opened[-1]
            is_same = starts[outer] == start and ends[outer] == end
            if ends[outer] >= end and (not is_same or is_member(number, outer)):
                around[number] = outer
                break
            opened.pop()  # a range that begins and ends later encloses all that follows
        opened.append(number)
    return around


def find_parents(symbols: Sequence[Symbol]) -> list[int]:
    """Returns for each symbol the number of the innermost other symbol whose range contains it, -1
    for none. Symbols with the same range, such as the names of one declaration, are not inside each
    other unless a container says so."""
    return ranges_around(
        [symbol.start_byte for symbol in symbols],
        [symbol.end_byte for symbol in symbols],
        sorted(
            range(len(symbols)),
            key=lambda i: (symbols[i].start_byte, -symbols[i].end_byte, symbols[i].container),
        ),
        lambda inner, outer: symbols[inner].container == symbols[outer].qualified_name,
    )


def find_outer(symbols: Sequence[Symbol]) -> list[int]:
    """Returns for each symbol of a file the number of the symbol that its container names, -1 for
    none. Of several with that name, the symbol around it wins, else the one of the best kind among
    the first."""
    namesakes: dict[str, list[int]] = {
        symbol.container: [] for symbol in symbols if symbol.container
    }
    if not namesakes:
        return [-1] * len(symbols)
    for number, symbol in enumerate(symbols):
        alike = namesakes.get(
            f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
        )
        if alike is not None:
            alike.append(number)
    return [
        _outer_of(number, symbols, namesakes.get(symbol.container, ()))
        for number, symbol in enumerate(symbols)
    ]


def _outer_of(number: int, symbols: Sequence[Symbol], candidates: Sequence[int]) -> int:
    if len(candidates) <= 1:
        return candidates[0] if candidates else -1
    symbol = symbols[number]
    place = bisect_left(candidates, number)
    near = candidates[max(place - _LOOKED_AT, 0) : place + _LOOKED_AT]
    around = [
        i
        for i in near
        if symbols[i].start_byte <= symbol.name_start and symbol.name_end <= symbols[i].end_byte
    ]
    if around:
        return max(around, key=lambda i: (symbols[i].start_byte, -symbols[i].end_byte, -i))
    return min(candidates[:_LOOKED_AT], key=lambda i: (KINDS[symbols[i].kind].quality, i))


_LOOKED_AT: Final = 8
"""Most symbols of one name that are tried on either side; there may be thousands."""
