"""The rows that a request is about: symbols, sections and items, or both.

A search that names no type is for symbols, because editors and agents expect definitions. A request
that names a type gets its rows: `directive`, `section`, `item` for all described files, `all` for
everything. The option `type`, `scope`, `kinds` or the query (`type:tool`) may name types.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Final

from symindex.errors import one_of
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import SymbolKind, parse_kind
from symindex.search.answer.items import types_of
from symindex.search.language.query import And, Or, Query, Term
from symindex.search.options.read import Options

ALL: Final = "all"
SYMBOL: Final = "symbol"
ITEM: Final = "item"
SECTION: Final = str(SymbolKind.SECTION)

_KINDS: Final = {str(kind).lower(): str(kind) for kind in SymbolKind}
_DESCRIBED: Final = frozenset({ITEM, SECTION})


class Universe(Enum):
    """The rows that a request is about."""

    SYMBOLS = "symbols"
    DOCUMENTS = "documents"
    EVERYTHING = "everything"

    @property
    def row(self) -> str:
        """The name of one row, for messages."""
        return _ROW[self]

    @property
    def rows(self) -> str:
        """The name of several rows, for messages."""
        return _ROWS[self]

    def of(self, snapshot: Snapshot) -> Snapshot:
        """Returns a snapshot of these rows only."""
        if self is Universe.SYMBOLS:
            return snapshot
        return snapshot.documents if self is Universe.DOCUMENTS else snapshot.everything


_ROW: Final = {
    Universe.SYMBOLS: "symbol",
    Universe.DOCUMENTS: "section or item",
    Universe.EVERYTHING: "symbol, section or item",
}
_ROWS: Final = {
    Universe.SYMBOLS: "symbols",
    Universe.DOCUMENTS: "sections and items",
    Universe.EVERYTHING: "symbols, sections and items",
}


def universe_of(kinds: Sequence[str], query: Query, options: Options) -> Universe:
    """Returns the rows that a request is about. kinds: the request's. A type that is not a kind of
    symbols counts as a type of items; `check_item_types` refuses unknown ones."""
    words = [
        *(scope.kind or SYMBOL for scope in options.scopes),
        *(type_name.lower() for type_name in options.types),
    ]
    words += [str(parse_kind(word)) for word in kinds]
    types_in_query = [*_types_in(query)]
    if not words and not types_in_query:
        return Universe.SYMBOLS
    if not words:  # the query names its types itself
        return (
            Universe.EVERYTHING
            if any(_is_described(word) or "*" in word or word == ALL for word in types_in_query)
            else Universe.SYMBOLS
        )
    if ALL in words:
        return Universe.EVERYTHING
    described = [_is_described(word) for word in words]
    return (
        Universe.DOCUMENTS
        if all(described)
        else Universe.EVERYTHING
        if any(described)
        else Universe.SYMBOLS
    )


def named_types(query: Query, options: Options) -> list[str]:
    """Returns the types that a request names."""
    types_in_query = [word for word in _types_in(query, ("type",)) if "*" not in word]
    return [*(scope.kind for scope in options.scopes), *options.types, *types_in_query]


def check_item_types(snapshot: Snapshot, words: Iterable[str]) -> None:
    """Raises RequestError for a type that is neither a kind, nor in the table of types, nor the
    type of an item in the snapshot."""
    item_types = [word for word in words if _is_described(word) and word.lower() not in _DESCRIBED]
    if not item_types:
        return
    from symindex.extract.items.types import (
        shipped_item_types,
    )  # imported here, because most requests name no type

    types = {*shipped_item_types().names, *_item_types_of(snapshot.documents.parts)}
    for word in item_types:
        if word not in types:
            raise one_of(
                "type", word, sorted({ALL, SYMBOL, ITEM, SECTION, *types, *map(str, SymbolKind)})
            )


def _item_types_of(parts: Iterable[Part]) -> set[str]:
    return {item_type for part in parts for item_type in types_of(part)}


def _is_described(word: str) -> bool:
    return word.lower() in _DESCRIBED or (
        word.lower() not in _KINDS and word.lower() not in (SYMBOL, ALL)
    )


def _types_in(query: Query, fields: tuple[str, ...] = ("type", "kind")) -> Iterator[str]:
    """Yields the types that a query requires."""
    if isinstance(query, Term):
        if query.field in fields:
            yield query.text.lower()
    elif isinstance(query, And | Or):
        for part in query.parts:
            yield from _types_in(part, fields)
