"""Nests the symbols of one file as the index has them.

A member belongs to the symbol of its file that its container names, even if it is written elsewhere
(a method of a Go type). If there is none, it belongs to the innermost symbol around it. Nothing
here recurses: generated code nests thousands deep.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from symindex.extract.containment import ranges_around
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.resolve.tree import IndexedFile, Row, rows_of


@dataclass(eq=False)
class Nested:
    """A symbol and its members.

    Attributes:
        name: qualified if its parent is not its container.
        n_below: symbols in it, at any depth, that `count_below` counted.
    """

    row: Row
    name: str
    parent: "Nested | None" = None
    members: "list[Nested]" = field(default_factory=list)
    n_below: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key if not all can be shown: public symbols first, then by the order of kinds in
        searches."""
        return int(bool(self.row.flags & SymbolFlag.PRIVATE)), KINDS[self.row.kind].quality


def nest_file(file: IndexedFile, with_locals: bool = False) -> list[Nested]:
    """Returns the outermost symbols of a file, in order, with the others as their members.

    with_locals: whether symbols inside functions are included.
    """
    rows = [row for row in rows_of(file) if with_locals or not row.flags & SymbolFlag.LOCAL]
    if any(
        row.kind is SymbolKind.SECTION for row in rows
    ):  # an item is usually the whole file, and its sections tell more
        rows = [row for row in rows if row.kind is SymbolKind.SECTION]
    items = [Nested(row, row.name) for row in rows]
    by_name: dict[str, Nested] = {}
    for nested in items:
        previous = by_name.setdefault(nested.row.qualified_name, nested)
        if (
            previous is not nested
            and KINDS[nested.row.kind].quality < KINDS[previous.row.kind].quality
        ):
            by_name[nested.row.qualified_name] = nested
    lines = [row.lines for row in rows]
    starts, ends = [start for start, _ in lines], [end for _, end in lines]
    order = sorted(range(len(rows)), key=lambda number: (starts[number], -ends[number], -number))
    around = ranges_around(starts, ends, order)
    for nested, outer in zip(items, around, strict=True):
        container = nested.row.container
        parent = by_name.get(container) if container else None
        if parent is None or _is_below(parent, nested):
            parent = items[outer] if outer >= 0 and not _is_below(items[outer], nested) else None
            if container:
                above = f"{parent.row.qualified_name}." if parent is not None else ""
                nested.name = nested.row.qualified_name.removeprefix(above)
        nested.parent = parent
        if parent is not None:
            parent.members.append(nested)
    return [nested for nested in items if nested.parent is None]


def _is_below(inner: Nested, outer: Nested) -> bool:
    """Whether a symbol is another one, or is already nested in it."""
    if not outer.members and inner is not outer:
        return False
    above: Nested | None = inner
    while above is not None and above is not outer:
        above = above.parent
    return above is outer


def all_below(items: Iterable[Nested]) -> list[Nested]:
    """Returns symbols and everything in them, outer ones first."""
    every = list(items)
    for item in every:  # the list grows during the loop
        every.extend(item.members)
    return every


def count_below(items: Iterable[Nested], kinds: frozenset[int] | None) -> None:
    """Sets `n_below` of symbols and of everything in them. kinds: KindRow.code of those that count;
    `None` for all."""
    for item in reversed(all_below(items)):
        if item.parent is not None:
            item.parent.n_below += item.n_below + (
                kinds is None or KINDS[item.row.kind].code in kinds
            )
