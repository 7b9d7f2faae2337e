"""Finds the symbol around each place in a file, and whether the place is the name of one."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from symindex.explore.references.mention_job import SymbolRange
from symindex.extract.containment import OpenRanges
from symindex.index.columns.rows import FileRows
from symindex.protocol.kinds import KIND_OF_CODE, SymbolFlag, SymbolKind
from symindex.resolve.reading.files import is_subject
from symindex.resolve.tree import IndexedFile

DEFINED: Final = "definition"
DECLARED: Final = "declaration"


class Scope(NamedTuple):
    """What is around a place.

    Attributes:
        qualified_name, kind: of the innermost symbol around it; empty outside all symbols.
        names: DEFINED or DECLARED if the place is the name of a symbol; the scope is then the
            container of that symbol.
    """

    qualified_name: str
    kind: str
    names: str = ""


class Ranges(NamedTuple):
    """The symbols of a file in the order of their names, with the byte offsets of each and of its
    name. scope: returns container, name, kind and flags of a symbol by its number, and its
    signature if it is a module of tests."""

    scope: Callable[[int], tuple[str, str, str, int, str]]
    starts: Sequence[int]
    ends: Sequence[int]
    name_starts: Sequence[int]
    name_ends: Sequence[int]


def ranges_in_index(file: IndexedFile) -> Ranges:
    """Returns the symbols that the index has for a file."""
    index, rows = file.part.index, FileRows(file.part.index, file.number, file.number + 1)

    def scope(number: int) -> tuple[str, str, str, int, str]:  # called for few symbols
        row = int(rows.numbers[number])
        container, name, traits = index.described(row)
        kind, flags = KIND_OF_CODE[traits & 255], traits >> 8
        is_of_tests = kind is SymbolKind.MODULE and flags & SymbolFlag.TEST
        return container, name, str(kind), flags, index.signature(row) if is_of_tests else ""

    return Ranges(scope, *(column.tolist() for column in rows.places))


def ranges_read(symbols: Sequence[SymbolRange]) -> Ranges:
    """Returns the symbols that a worker read from a file."""
    columns = [*zip(*map(msgspec.structs.astuple, symbols), strict=True)][:4] or [()] * 4
    return Ranges(lambda number: msgspec.structs.astuple(symbols[number])[4:], *columns)


def enclosing_scopes(ranges: Ranges, places: Sequence[int]) -> Iterator[Scope]:
    """Yields the scope of each place. places: byte offsets in ascending order."""
    starts, ends = ranges.starts, ranges.ends
    opened = OpenRanges(
        starts,
        ends,
        sorted(range(len(starts)), key=lambda number: (starts[number], -ends[number], -number)),
    )
    for place in places:
        around = opened.at(place)
        name_number = bisect_right(ranges.name_starts, place) - 1
        named = ("", "[", "", 0, "")
        if name_number >= 0 and place < ranges.name_ends[name_number]:
            named = ranges.scope(name_number)
        container, name, kind, flags, signature = named
        # Not a name that code in brackets tells, nor one of what tests are for.
        if name[:1] != "[" and not is_subject(kind, flags, name, signature):
            yield Scope(container, "", DECLARED if flags & SymbolFlag.DECLARATION else DEFINED)
        elif around:
            container, name, kind, *_ = ranges.scope(around[-1])
            yield Scope(f"{container}.{name}" if container else name, kind)
        else:
            yield Scope("", "")


def scopes_around(qualified_name: str) -> list[str]:
    """Returns the qualified names of a symbol and of everything around it, outermost first."""
    parts = qualified_name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def depth_of(containers: Iterable[str], scope: Scope) -> int:
    """Returns the number of names in the longest of these containers that is around a place."""
    around = f"{scope.qualified_name}."
    return max(
        (name.count(".") + 1 for name in containers if name and around.startswith(f"{name}.")),
        default=0,
    )
