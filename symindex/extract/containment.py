"""What stands in what, of the finished symbols of a file: by their ranges."""

from collections.abc import Sequence

from symindex.extract.records import Symbol


def find_parents(symbols: Sequence[Symbol]) -> list[int]:
    """By symbol: the number of the innermost other one in whose range it stands, -1 for none. Of those of one range, as the names
    of one declaration are, none stands in the other, unless its container says so."""
    order = sorted(range(len(symbols)), key=lambda i: (symbols[i].start_byte, -symbols[i].end_byte, symbols[i].container))
    parents = [-1] * len(symbols)
    open_ones: list[int] = []
    for number in order:
        symbol = symbols[number]
        while open_ones and not _holds(symbols[open_ones[-1]], symbol):
            open_ones.pop()
        parents[number] = open_ones[-1] if open_ones else -1
        open_ones.append(number)
    return parents


def _holds(outer: Symbol, inner: Symbol) -> bool:
    if inner.end_byte > outer.end_byte:
        return False
    is_same = (inner.start_byte, inner.end_byte) == (outer.start_byte, outer.end_byte)
    return not is_same or inner.container == outer.qualified_name
