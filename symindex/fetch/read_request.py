"""Reads fetch requests from clients' fields and checks them; turns a fetch by query into a
search."""

from typing import Any, Final

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError, one_of
from symindex.protocol.fetch import DESTINATIONS, QUERY_SOURCES, SOURCES, VERIFY, FetchRequest
from symindex.protocol.search import SearchRequest
from symindex.requests import check_texts, read_request

_OF_QUERY: Final = ("scope", "sort_by", "fields", "filters", "fuzzy", "proximity")
_OF_ID: Final = ("item_type", "destination", "version", "verify")


def read_fetch_request(fields: dict[str, Any]) -> FetchRequest:
    """Makes a request from its fields. Raises RequestError for an unknown field or a wrong type."""
    return read_request(fields, FetchRequest)


def check_fetch_request(request: FetchRequest) -> None:
    """Raises RequestError for a contradictory request: both an id and a query, neither, or fields
    that belong to the other kind of fetch."""
    fields = {
        name: value for name, value in msgspec.structs.asdict(request).items() if value is not None
    }
    read_request(fields, FetchRequest)
    check_texts((), *((name, value) for name, value in fields.items() if isinstance(value, str)))
    if (request.item_id is None) == (request.query is None):
        fault = "both are given" if request.query is not None else "neither is given"
        raise RequestError(
            f"fetch by item_id or by query: {fault}; an id gets one item, a query and a scope get a"
            " list"
        )
    by_id = request.item_id is not None
    for name in _OF_QUERY if by_id else _OF_ID:
        if getattr(request, name) is not None:
            raise RequestError(
                f"{name} belongs to a fetch by {'query' if by_id else 'item_id'}: leave it out"
            )
    if not by_id and request.scope is None:
        raise RequestError(
            'a fetch by query needs a scope: a type, as "directive" or "tool.rye.core.*"'
        )
    for name, value, legal in (
        ("source", request.source, SOURCES if by_id else QUERY_SOURCES),
        ("destination", request.destination, DESTINATIONS),
        ("verify", request.verify, VERIFY),
    ):
        if value is not None and value not in legal:
            raise one_of(name, value[:100], legal)


def as_search(request: FetchRequest) -> SearchRequest:
    """Returns the search that a fetch by query means."""
    assert request.query is not None and request.scope is not None
    fields: dict[str, Any] = {
        name: value for name in _OF_QUERY if (value := getattr(request, name)) is not None
    }
    space = (
        UNSET
        if request.source is None
        else request.source
        if request.source in ("project", "user", "system")
        else "all"
    )
    return SearchRequest(
        query=request.query, limit=request.limit, offset=request.offset, space=space, **fields
    )
