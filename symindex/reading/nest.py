"""The symbols of one file as the index has them, and what stands in what.

A member belongs to the symbol of its file that its container names, even where it is written elsewhere (a method of a Go type);
where there is none, to the innermost one in whose range it stands.
"""

from dataclasses import dataclass, field
from typing import Final

from symindex.protocol import KINDS, SymbolFlag, SymbolKind
from symindex.reading.tree import IndexedFile, Row, rows_of

_DEMOTED: Final = SymbolFlag.PRIVATE


@dataclass
class Nested:
    """A symbol and what stands in it. line, end_line: 1-based. name: qualified where the row above is not its container."""

    row: Row
    name: str
    line: int
    end_line: int
    parent: "Nested | None" = None
    members: "list[Nested]" = field(default_factory=list)

    @property
    def kind(self) -> SymbolKind:
        """Its kind."""
        return self.row.kind

    @property
    def rank(self) -> tuple[int, int]:
        """What is shown first where not all can be: as searches order kinds, and what is private later."""
        return KINDS[self.kind].quality, int(bool(self.row.flags & _DEMOTED))

    @property
    def n_below(self) -> int:
        """How many symbols stand in it, at any depth."""
        return sum(1 + member.n_below for member in self.members)


def nest_file(file: IndexedFile, with_locals: bool = False) -> list[Nested]:
    """The symbols of a file that stand in none, in their order there; the others are their members.

    with_locals: also what is defined inside functions.
    """
    found: list[Nested] = []
    for row in rows_of(file):
        if with_locals or not row.flags & SymbolFlag.LOCAL:
            first, last = row.lines
            found.append(Nested(row, row.name, first, last))
    by_name: dict[str, Nested] = {}
    for nested in found:
        known = by_name.setdefault(nested.row.qualified_name, nested)
        if known is not nested and KINDS[nested.kind].quality < KINDS[known.kind].quality:
            by_name[nested.row.qualified_name] = nested
    for nested in found:
        container = nested.row.container
        parent = by_name.get(container) if container else None
        if parent is None or parent is nested or _is_below(parent, nested):
            parent = _around(found, nested)
            if container:
                nested.name = nested.row.qualified_name
                if parent is not None:
                    nested.name = nested.name.removeprefix(parent.row.qualified_name + ".")
        nested.parent = parent
        if parent is not None:
            parent.members.append(nested)
    return [nested for nested in found if nested.parent is None]


def _is_below(inner: Nested, outer: Nested) -> bool:
    """Whether one already stands in the other."""
    above: Nested | None = inner
    while above is not None:
        if above is outer:
            return True
        above = above.parent
    return False


def _around(found: list[Nested], nested: Nested) -> Nested | None:
    """The innermost other one whose lines are around, and more than, its own."""
    lines = nested.end_line - nested.line
    around = [
        other
        for other in found
        if other.line <= nested.line
        and other.end_line >= nested.end_line
        and other.end_line - other.line > lines
        and not _is_below(other, nested)
    ]
    return min(around, key=lambda other: other.end_line - other.line, default=None)


def all_below(items: list[Nested]) -> list[Nested]:
    """All of some symbols and what stands in them, outer ones first."""
    return [each for item in items for each in (item, *all_below(item.members))]
