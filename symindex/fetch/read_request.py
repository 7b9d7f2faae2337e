"""Requests of fetch: read from what a client gives, and checked; a fetch by query is a search."""

from typing import Any, Final

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError, one_of
from symindex.protocol.fetch import DESTINATIONS, QUERY_SOURCES, SOURCES, VERIFY, FetchRequest
from symindex.protocol.search import SearchRequest
from symindex.requests import check_texts, read_request

_OF_QUERY: Final = ("scope", "sort_by", "fields", "filters", "fuzzy", "proximity")
_OF_ID: Final = ("item_type", "destination", "version", "verify")


def read_fetch_request(given: dict[str, Any]) -> FetchRequest:
    """A request from its fields. Raises RequestError for a field that there is not, or that has a
    wrong type."""
    return read_request(given, FetchRequest)


def check_fetch_request(request: FetchRequest) -> None:
    """Raises RequestError for what cannot be meant: both ways of asking, neither, or fields of the
    other one."""
    given = {
        name: value for name, value in msgspec.structs.asdict(request).items() if value is not None
    }
    read_request(given, FetchRequest)
    check_texts((), *((name, value) for name, value in given.items() if isinstance(value, str)))
    if (request.item_id is None) == (request.query is None):
        told = "both are given" if request.query is not None else "neither is given"
        raise RequestError(
            f"fetch by item_id or by query: {told}; an id gets one item, a query and a scope get a"
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
    for name, value, known in (
        ("source", request.source, SOURCES if by_id else QUERY_SOURCES),
        ("destination", request.destination, DESTINATIONS),
        ("verify", request.verify, VERIFY),
    ):
        if value is not None and value not in known:
            raise one_of(name, value[:100], known)


def as_search(request: FetchRequest) -> SearchRequest:
    """The search that a fetch by query is."""
    assert request.query is not None and request.scope is not None
    given: dict[str, Any] = {
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
        query=request.query, limit=request.limit, offset=request.offset, space=space, **given
    )
