"""The contract of fetch, as rye_fetch has it: what is asked, and what is answered.

There are two ways to ask: by an id, for the content of one item, or by a query, for a list as of a search. What symindex adds is
optional.
"""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError, one_of
from symindex.fetch.integrity import VERIFY, Integrity
from symindex.protocol.search import SearchRequest
from symindex.requests import check_texts, read_request

SOURCES: Final = ("project", "user", "system", "registry")
QUERY_SOURCES: Final = ("project", "user", "system", "local", "registry", "all")
DESTINATIONS: Final = ("project", "user")

DEFAULT_LIMIT: Final = 10


class FetchRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Args:
    item_id: the id of an item, or its path. item_type: its type, where several have this id.
    source: by id, where to look: `project`, `user`, `system`, `registry`; default: the first three, in this order. By query
        also `local` (these three) and `all` (the default): these and the registries of the user's configuration.
    destination: `project` or `user`: copies the item there. force: replaces what is there.
    version: of a package, of an item in a registry, or a git revision of a file of the project.
    verify: `off`, `warn`, `intact` or `require`; default: as the user's configuration has it, else `intact`.
    query, scope, limit, offset, sort_by, fields, filters, fuzzy, proximity: as of a search.
    """

    item_id: str | None = None
    item_type: str | None = None
    source: str | None = None
    destination: str | None = None
    force: bool = False
    version: str | None = None
    verify: str | None = None
    query: str | None = None
    scope: str | list[str] | None = None
    limit: int | None = DEFAULT_LIMIT
    offset: int = 0
    sort_by: str | None = None
    fields: dict[str, Any] | None = None
    filters: dict[str, Any] | None = None
    fuzzy: bool | dict[str, Any] | None = None
    proximity: dict[str, Any] | None = None


class FetchResponse(msgspec.Struct, kw_only=True):
    """An item. content: its text. metadata: its `name`, `path`, `extension` and all its fields. path: on the disk, absolute; the
    address for one of a registry. source: the space, and the package. digest: SHA-256 of the bytes, as hexadecimal digits.
    copied_to, destination_path: where it was copied. notices: what to do next, and what to know."""

    item_type: str
    item_id: str
    content: str
    metadata: dict[str, Any]
    path: str
    source: str
    digest: str
    integrity: Integrity
    status: Literal["success"] = "success"
    package: str | UnsetType = UNSET
    shadows: list[dict[str, str]] | UnsetType = UNSET
    shadowed_by: str | UnsetType = UNSET
    copied_to: str | UnsetType = UNSET
    destination_path: str | UnsetType = UNSET
    notices: list[str] | UnsetType = UNSET


class FetchFailure(msgspec.Struct, kw_only=True):
    """What is answered where nothing could be fetched. error: one line: what is wrong, and what would be right."""

    status: Literal["error"] = "error"
    error: str
    item_type: str | None
    item_id: str | None


_OF_QUERY: Final = ("scope", "sort_by", "fields", "filters", "fuzzy", "proximity")
_OF_ID: Final = ("item_type", "destination", "version", "verify")


def read_fetch_request(given: dict[str, Any]) -> FetchRequest:
    """A request from its fields. Raises RequestError for a field that there is not, or that has a wrong type."""
    return read_request(given, FetchRequest)


def check_fetch_request(request: FetchRequest) -> None:
    """Raises RequestError for what cannot be meant: both ways of asking, neither, or fields of the other one."""
    given = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not None}
    read_request(given, FetchRequest)
    check_texts((), *((name, value) for name, value in given.items() if isinstance(value, str)))
    if (request.item_id is None) == (request.query is None):
        told = "both are given" if request.query is not None else "neither is given"
        raise RequestError(f"fetch by item_id or by query: {told}; an id gets one item, a query and a scope get a list")
    by_id = request.item_id is not None
    for name in _OF_QUERY if by_id else _OF_ID:
        if getattr(request, name) is not None:
            raise RequestError(f"{name} belongs to a fetch by {'query' if by_id else 'item_id'}: leave it out")
    if not by_id and request.scope is None:
        raise RequestError('a fetch by query needs a scope: a type, as "directive" or "tool.rye.core.*"')
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
    given: dict[str, Any] = {name: value for name in _OF_QUERY if (value := getattr(request, name)) is not None}
    space = UNSET if request.source is None else request.source if request.source in ("project", "user", "system") else "all"
    return SearchRequest(query=request.query, limit=request.limit, offset=request.offset, space=space, **given)
