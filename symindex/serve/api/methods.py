"""The methods of the service, in one table: from it come the routes of the server and the client.

Each takes a request of `protocol` as JSON and returns its response, both with the very types that
Python has. The version in `API` changes when a client of an older one could misread an answer.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from symindex.errors import RequestError
from symindex.protocol.explore import (
    OutlineRequest,
    OutlineResponse,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse
from symindex.protocol.grep import GrepRequest, GrepResponse
from symindex.protocol.hierarchy import HierarchyRequest, HierarchyResponse
from symindex.protocol.overview import FolderRequest, FolderResponse, MapRequest, MapResponse
from symindex.protocol.recall import TextHit, TextRequest, TextResponse
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.protocol.trace import TraceRequest, TraceResponse
from symindex.requests import read_request

API: Final = "1"
"""The version of the interface, in its addresses as `/v1`."""

API_HEADER: Final = "x-symindex-api"
"""The header of each answer with this version: without it, another program has answered."""

MOST_BODY: Final = 1 << 20
"""Longest request, in bytes."""

MOST_ANSWER: Final = 64 << 20
"""Longest answer, in bytes."""

MOST_ROWS: Final = 10_000
"""Most rows of an answer: those after it are on the next page."""

MOST_TOKENS: Final = 200_000
"""Most tokens of an outline or a map: their largest parts are collapsed."""

MOST_SECONDS: Final = 30.0
"""Longest time that a client may set for one pass over the files, in seconds."""

ANSWER_SECONDS: Final = 60.0
"""Longest time for an answer, in seconds."""

Lane = Literal["search", "page", "slow"]


class Method(NamedTuple):
    """A method of `Answers`.

    request: its request. responses: what it returns; if there are several, `status` tells them
    apart. lane: with which others it waits for a place. has_seconds: whether it takes the time of
    one pass over the files. most: the most that a field of the request may ask for; absent or
    `None` means that much.
    """

    request: type[msgspec.Struct]
    responses: tuple[type[msgspec.Struct], ...]
    lane: Lane = "page"
    has_seconds: bool = False
    most: Mapping[str, int] = {}


METHODS: Final[Mapping[str, Method]] = {
    "search": Method(SearchRequest, (SearchResponse,), "search"),
    "symbol": Method(SymbolRequest, (SymbolResponse,)),
    "outline": Method(OutlineRequest, (OutlineResponse,), most={"max_tokens": MOST_TOKENS}),
    "references": Method(
        ReferencesRequest, (ReferencesResponse,), "slow", True, {"max_items": MOST_ROWS}
    ),
    "grep": Method(GrepRequest, (GrepResponse,), "slow", True, {"max_items": MOST_ROWS}),
    "trace": Method(TraceRequest, (TraceResponse,)),
    "map": Method(MapRequest, (MapResponse,), most={"max_tokens": MOST_TOKENS}),
    "folder": Method(FolderRequest, (FolderResponse,)),
    "hierarchy": Method(
        HierarchyRequest, (HierarchyResponse,), "slow", True, {"max_items": MOST_ROWS}
    ),
    "fetch": Method(
        FetchRequest, (FetchResponse, FetchFailure, SearchResponse), most={"limit": MOST_ROWS}
    ),
    "recall": Method(TextRequest, (TextResponse,), "slow"),
}
"""The methods, by the name that they have in `Answers` and in addresses."""


def decode_request(method: Method, body: bytes) -> Any:
    """Returns the request in the body of a call. Raises RequestError for anything else."""
    try:
        fields = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        raise RequestError(f"the body is not valid JSON: {error}") from None
    if not isinstance(fields, dict):
        raise RequestError(
            f"the body is not an object: expected the fields of a {method.request.__name__}"
        )
    return read_request(fields, method.request)


def bounded(method: Method, request: Any) -> Any:
    """Returns a request that asks for no more than the service gives."""
    over = {
        name: most
        for name, most in method.most.items()
        if (asked := getattr(request, name)) is None or asked > most
    }
    return msgspec.structs.replace(request, **over) if over else request


class _Status(msgspec.Struct):
    status: str = ""


def decode_response(method: Method, body: bytes) -> Any:
    """Returns the response in the body of an answer. Raises msgspec.MsgspecError for anything
    else."""
    kind: type[msgspec.Struct] = method.responses[0]
    if len(method.responses) > 1:
        status = msgspec.json.decode(body, type=_Status).status
        kind = FetchResponse if status == "success" else SearchResponse
        kind = FetchFailure if status == "error" else kind
    response = msgspec.json.decode(body, type=kind)
    if isinstance(response, SearchResponse) and response.text:
        response.text = msgspec.convert(response.text, list[TextHit])
    return response
