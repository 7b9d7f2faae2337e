"""The rows of a search as people and models read them: what each cell says, and which items share a
row."""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import UNSET

from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag
from symindex.protocol.search import ITEM_EXTRAS, Range, SearchItem

SHOWN_FLAGS: Final = ("flags",)
"""What an item has to include for `kind_cell`."""

_DECLARATION: Final = str(SymbolFlag.DECLARATION.name).lower()


class Row(msgspec.Struct):
    """An item, and how many others of its name share its row."""

    item: SearchItem
    count: int = 1

    @property
    def times(self) -> str:
        """How often, as it stands behind the name; empty for once."""
        return f" ({self.count} times)" if self.count > 1 else ""


class Rows:
    """Rows of items in order. Overloads, the constructors of a container, and declarations of what
    has a row already share one, if their name, container and file are the same."""

    def __init__(self, items: Iterable[SearchItem] = ()) -> None:
        self.rows: list[Row] = []
        self._known: dict[tuple[str, ...], Row] = {}
        for item in items:
            self.add(item)

    def row_of(self, item: SearchItem) -> Row | None:
        """The row that an item would share; `None` if it needs one of its own."""
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


def is_declaration(item: SearchItem) -> bool:
    """Whether an item that includes its flags only announces what is defined elsewhere."""
    return _DECLARATION in (item.flags or ())


def kind_cell(item: SearchItem) -> str:
    """The kind, marked if it is that of a mere declaration, or of a guess (`SearchItem.match`)."""
    marks = [
        item.kind,
        *([_DECLARATION] if is_declaration(item) else []),
        *([item.match] if item.match else []),
    ]
    return ", ".join(marks)


def extras_of(include: Iterable[str]) -> list[str]:
    """The fields that a request includes, in the order of their columns."""
    asked = {*include}
    return [field for field in _COLUMNS if field in asked]


_COLUMNS: Final = (
    "score",
    "language",
    "signature",
    "doc",
    "id",
    "range",
    "flags",
    "metadata",
    "snippet",
)
assert {*_COLUMNS} == {*ITEM_EXTRAS}


def extra_cell(item: SearchItem, field: str) -> str:
    """An included field as one line of text."""
    value = getattr(item, field)
    if isinstance(value, dict):
        value = [f"{name}: {each}" for name, each in value.items()]
    if isinstance(value, Range):
        return f"{value.start_line}-{value.end_line}"
    return (
        ""
        if value is UNSET
        else " ".join((", ".join(value) if isinstance(value, list) else str(value)).split())
    )
