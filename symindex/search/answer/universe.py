"""Which rows a request is about: symbols, sections and items, or both.

A search without a word about it is for symbols, as editors and agents expect, whatever prose lies
beside the code. Whoever names a type gets what has it: `directive`, `section`, `item` for anything
described, `all` for everything. Types are named by the option `type`, by `scope`, by `kinds`, or in
the query (`type:tool`).
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
        """What one of the rows is called."""
        return _ROW[self]

    @property
    def rows(self) -> str:
        """What several are."""
        return _ROWS[self]

    def of(self, snapshot: Snapshot) -> Snapshot:
        """Those rows of a snapshot."""
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
    """The rows that a request is about. kinds: the request's. A type that is not a kind of symbols
    counts as a type of items; `check_item_types` refuses unknown ones."""
    words = [
        *(scope.kind or SYMBOL for scope in options.scopes),
        *(each.lower() for each in options.types),
    ]
    words += [str(parse_kind(word)) for word in kinds]
    named = [*_types_in(query)]
    if not words and not named:
        return Universe.SYMBOLS
    if not words:  # the query names its types itself
        return (
            Universe.EVERYTHING
            if any(_is_described(word) or "*" in word or word == ALL for word in named)
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
    """The types that a request names."""
    asked = [word for word in _types_in(query, ("type",)) if "*" not in word]
    return [*(scope.kind for scope in options.scopes), *options.types, *asked]


def check_item_types(snapshot: Snapshot, words: Iterable[str]) -> None:
    """Raises RequestError for a word that is no kind, and no type that the table of types or the
    snapshot knows."""
    others = [word for word in words if _is_described(word) and word.lower() not in _DESCRIBED]
    if not others:
        return
    from symindex.extract.items.types import (
        shipped_item_types,
    )  # here, because most requests name no type

    types = {*shipped_item_types().names, *_types_held(snapshot.documents.parts)}
    for word in others:
        if word not in types:
            raise one_of(
                "type", word, sorted({ALL, SYMBOL, ITEM, SECTION, *types, *map(str, SymbolKind)})
            )


def _types_held(parts: Iterable[Part]) -> set[str]:
    return {known for part in parts for known in types_of(part.index)}


def _is_described(word: str) -> bool:
    return word.lower() in _DESCRIBED or (
        word.lower() not in _KINDS and word.lower() not in (SYMBOL, ALL)
    )


def _types_in(query: Query, fields: tuple[str, ...] = ("type", "kind")) -> Iterator[str]:
    """The types that a query wants."""
    if isinstance(query, Term):
        if query.field in fields:
            yield query.text.lower()
    elif isinstance(query, And | Or):
        for part in query.parts:
            yield from _types_in(part, fields)
