"""The symbols of one file as the index has them, and what stands in what.

A member belongs to the symbol of its file that its container names, even where it is written elsewhere (a method of a Go type);
where there is none, to the innermost one in whose range it stands. Nothing here recurses: generated code nests thousands deep.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from symindex.explore.tree import IndexedFile, Row, rows_of
from symindex.extract.containment import ranges_around
from symindex.protocol import KINDS, SymbolFlag, SymbolKind

_DEMOTED: Final = SymbolFlag.PRIVATE


@dataclass(eq=False)
class Nested:
    """A symbol and what stands in it.

    line, end_line: 1-based. name: qualified where the row above is not its container. n_below: how many of those that count
    stand in it, at any depth; `count_below` sets it.
    """

    row: Row
    name: str
    line: int
    end_line: int
    parent: "Nested | None" = None
    members: "list[Nested]" = field(default_factory=list)
    n_below: int = 0

    @property
    def kind(self) -> SymbolKind:
        """Its kind."""
        return self.row.kind

    @property
    def rank(self) -> tuple[int, int]:
        """What is shown first where not all can be: as searches order kinds, and what is private later."""
        return int(bool(self.row.flags & _DEMOTED)), KINDS[self.kind].quality


def nest_file(file: IndexedFile, with_locals: bool = False) -> list[Nested]:
    """The symbols of a file that stand in none, in their order there; the others are their members.

    with_locals: also what is defined inside functions.
    """
    found: list[Nested] = []
    by_name: dict[str, Nested] = {}
    for row in rows_of(file):
        if with_locals or not row.flags & SymbolFlag.LOCAL:
            first, last = row.lines
            nested = Nested(row, row.name, first, last)
            found.append(nested)
            known = by_name.setdefault(row.qualified_name, nested)
            if known is not nested and KINDS[nested.kind].quality < KINDS[known.kind].quality:
                by_name[row.qualified_name] = nested
    around = _innermost_around(found)
    for nested in found:
        container = nested.row.container
        parent = by_name.get(container) if container else None
        if parent is None or _is_below(parent, nested):
            parent = around.get(nested)
            if parent is not None and _is_below(parent, nested):
                parent = None
            if container:
                nested.name = nested.row.qualified_name
                if parent is not None:
                    nested.name = nested.name.removeprefix(parent.row.qualified_name + ".")
        nested.parent = parent
        if parent is not None:
            parent.members.append(nested)
    return [nested for nested in found if nested.parent is None]


def _is_below(inner: Nested, outer: Nested) -> bool:
    """Whether one is the other, or stands in it by now."""
    if not outer.members and inner is not outer:
        return False
    above: Nested | None = inner
    while above is not None:
        if above is outer:
            return True
        above = above.parent
    return False


def _innermost_around(found: list[Nested]) -> dict[Nested, Nested]:
    """Of each the innermost other one whose lines are around, and more than, its own, where there is one."""
    order = sorted(range(len(found)), key=lambda at: (found[at].line, -found[at].end_line, -at))
    around = ranges_around([each.line for each in found], [each.end_line for each in found], order)
    return {found[inner]: found[outer] for inner, outer in enumerate(around) if outer >= 0}


def all_below(items: Iterable[Nested]) -> list[Nested]:
    """All of some symbols and what stands in them, outer ones first."""
    every = list(items)
    for each in every:  # which grows meanwhile
        every.extend(each.members)
    return every


def count_below(items: Iterable[Nested], kinds: frozenset[int] | None) -> int:
    """Sets `n_below` of some symbols and of all in them, and returns how many count. kinds: KindRow.code; `None`: all."""
    total = 0
    for each in reversed(all_below(items)):
        counted = each.n_below + (kinds is None or KINDS[each.kind].code in kinds)
        if each.parent is not None:
            each.parent.n_below += counted
        else:
            total += counted
    return total
