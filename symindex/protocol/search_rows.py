"""The rows of a search: which items share one.

Overloads, the constructors of a container, and declarations of a symbol that already has a row
share a row in answers for people and models.
"""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import UNSET

from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag
from symindex.protocol.search import SearchItem

SHOWN_FLAGS: Final = ("flags",)
"""The fields that items must include for their rows to show declarations."""

DECLARATION: Final = str(SymbolFlag.DECLARATION.name).lower()
"""The flag of an item that only announces a definition elsewhere."""


class Row(msgspec.Struct):
    """An item, and how many others of its name share its row."""

    item: SearchItem
    count: int = 1


class Rows:
    """The rows of items, in order. Overloads, the constructors of a container, and declarations of
    a symbol that already has a row share one, if their name, container and file are equal."""

    def __init__(self, items: Iterable[SearchItem] = ()) -> None:
        self.rows: list[Row] = []
        self._known: dict[tuple[str, ...], Row] = {}
        for item in items:
            self.add(item)

    def row_of(self, item: SearchItem) -> Row | None:
        """Returns the row that an item would share; `None` if it needs its own."""
        place = item.file_path, item.container or "", item.name
        if is_declaration(item) and place in self._known:
            return self._known[place]
        return self._known.get((*place, item.kind)) if item.kind in CALLABLE_KINDS else None

    def add(self, item: SearchItem) -> None:
        row = self.row_of(item)
        if row is not None:
            row.count += 1
            return
        self.rows.append(row := Row(item))
        place = item.file_path, item.container or "", item.name
        self._known.setdefault(place, row)
        self._known.setdefault((*place, item.kind), row)


def row_beginnings(items: Iterable[SearchItem], most_rows: int | None = None) -> list[bool]:
    """Returns, for each item, whether it begins a row. most_rows: stops before the item that would
    begin another row."""
    rows, begins, n_rows = Rows(), [], 0
    for item in items:
        rows.add(item)
        if most_rows is not None and len(rows.rows) > most_rows:
            break
        begins.append(len(rows.rows) > n_rows)
        n_rows = len(rows.rows)
    return begins


def keep_declarations(items: Iterable[SearchItem]) -> None:
    """Drops the flags of the items that are no declarations."""
    for item in items:
        if not is_declaration(item):
            item.flags = UNSET


def is_declaration(item: SearchItem) -> bool:
    """Whether an item that includes its flags only announces a definition elsewhere."""
    return DECLARATION in (item.flags or ())
