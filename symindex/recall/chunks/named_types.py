"""Checks the types that a request names."""

from collections.abc import Sequence

from symindex.errors import one_of
from symindex.protocol.kinds import SymbolKind
from symindex.protocol.recall import ENTITY_TYPES, TextRequest
from symindex.recall.chunks.collection import Collection


def check_types(request: TextRequest, collections: Sequence[Collection]) -> None:
    """Raises RequestError for a type that no item has."""
    types = {
        *ENTITY_TYPES,
        "symbol",
        "note",
        *map(str.casefold, SymbolKind),
        *(word for collection in collections for word in collection.types()),
    }
    for word in request.types:
        if word.casefold() not in types:
            raise one_of("type", word[:100], [*ENTITY_TYPES, *sorted(types - {*ENTITY_TYPES})])
