"""Answers from a service elsewhere. Front ends cannot tell them from other answers.

Only names and requests cross the wire: the client reads a query here, so a mistake in it costs no
request, and a page is the same as that of a workspace.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from symindex import __version__
from symindex.errors import RequestError, StorageError, SymindexError
from symindex.fetch.http_client import HttpAnswer, HttpClient
from symindex.protocol.explore import (
    OutlineRequest,
    OutlineResponse,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse
from symindex.protocol.freshness import CACHED, Freshness
from symindex.protocol.grep import GrepRequest, GrepResponse
from symindex.protocol.hierarchy import HierarchyRequest, HierarchyResponse
from symindex.protocol.overview import FolderRequest, FolderResponse, MapRequest, MapResponse
from symindex.protocol.recall import Related, TextHit, TextRequest, TextResponse
from symindex.protocol.search import SearchResponse
from symindex.protocol.trace import TraceRequest, TraceResponse
from symindex.requests import check_types
from symindex.serve.api.methods import (
    ANSWER_SECONDS,
    API,
    API_HEADER,
    METHODS,
    MOST_ANSWER,
    MOST_BODY,
    MOST_SECONDS,
    decode_response,
)
from symindex.serve.streams import FLEET_TOKEN, fleet_token
from symindex.text.escaping import shorten, show_controls
from symindex.workspace.answers import Answers
from symindex.workspace.planned_page import page_of
from symindex.workspace.remote_source import RemoteSource
from symindex.workspace.request_fields import make_request

if TYPE_CHECKING:
    from typing import Unpack

    from symindex.workspace.request_fields import (
        FetchFields,
        GrepFields,
        HierarchyFields,
        MapFields,
        OutlineFields,
        ReferencesFields,
        SymbolFields,
        TextFields,
        TraceFields,
    )
    from symindex.workspace.spaces.spaces import SpacePart
    from symindex.workspace.workspace import Plan, Progress

WAIT_SECONDS: Final = ANSWER_SECONDS + 15.0
"""How long an answer may take here, with the time that it waits for its turn there, in seconds."""

_MOST_ERROR: Final = 500
"""Longest error of a server that is shown, in characters."""


class _Described(msgspec.Struct):
    status: dict[str, Any] | None


class RemoteAnswers(Answers):
    """The answers of a service. Any thread may call its methods.

    Args:
        address: of the service, such as `https://code.example.org` or `http://127.0.0.1:7661`.
        token: what the service wants to know; by default SYMINDEX_FLEET_TOKEN.

    The methods raise RequestError for a request that has no answer, as those of `Answers` do, and
    StorageError, in one line, for a service that cannot be reached, refuses, is too slow or has
    another version. How fresh an answer is, the service decides.
    """

    def __init__(self, address: str, token: str | None = None) -> None:
        super().__init__(RemoteSource(self._is_folder))
        self.address = address
        given = fleet_token() if token is None else token
        self._client = HttpClient(address, given, MOST_ANSWER)

    def close(self) -> None:
        """Ends the connections."""
        self._client.close()

    def status(self) -> Any:
        """Returns what the service says of what it serves, as builtins; `None` if nothing."""
        answered = self._ask("GET", "status", b"", {})
        try:
            return msgspec.json.decode(answered.body, type=_Described).status
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise self._misread() from None

    def _search_plan(
        self,
        plan: "Plan",
        freshness: Freshness,
        progress: "Progress | None",
        extra: "Callable[[], tuple[SpacePart, list[str]]] | None",
    ) -> SearchResponse:
        page = msgspec.json.encode(page_of(plan)).decode()
        response: SearchResponse = self._call("search", plan.request, page=page)
        return response

    def _folder(self, request: FolderRequest, freshness: Freshness) -> FolderResponse:
        response: FolderResponse = self._call("folder", request)
        return response

    def _is_folder(self, path: str) -> bool:
        try:
            return bool(self._folder(FolderRequest(path=path), CACHED).entries)
        except RequestError:
            return False

    def symbol(
        self,
        symbol: str | SymbolRequest,
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[SymbolFields]",
    ) -> SymbolResponse:
        """See `Answers.symbol`."""
        response: SymbolResponse = self._call("symbol", make_request(SymbolRequest, symbol, fields))
        return response

    def outline(
        self,
        path: str | list[str] | OutlineRequest = "",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[OutlineFields]",
    ) -> OutlineResponse:
        """See `Answers.outline`."""
        request = make_request(OutlineRequest, path, fields)
        response: OutlineResponse = self._call("outline", request)
        return response

    def references(
        self,
        name: str | ReferencesRequest,
        *,
        seconds: float = 10.0,
        progress: "Progress | None" = None,
        freshness: Freshness = CACHED,
        **fields: "Unpack[ReferencesFields]",
    ) -> ReferencesResponse:
        """See `Answers.references`."""
        request = make_request(ReferencesRequest, name, fields)
        response: ReferencesResponse = self._call("references", request, seconds=seconds)
        return response

    def grep(
        self,
        pattern: str | GrepRequest,
        *,
        seconds: float = 10.0,
        progress: "Progress | None" = None,
        freshness: Freshness = CACHED,
        **fields: "Unpack[GrepFields]",
    ) -> GrepResponse:
        """See `Answers.grep`."""
        request = make_request(GrepRequest, pattern, fields)
        response: GrepResponse = self._call("grep", request, seconds=seconds)
        return response

    def trace(
        self,
        text: str | TraceRequest,
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[TraceFields]",
    ) -> TraceResponse:
        """See `Answers.trace`."""
        response: TraceResponse = self._call("trace", make_request(TraceRequest, text, fields))
        return response

    def map(
        self,
        path: str | list[str] | MapRequest = "",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[MapFields]",
    ) -> MapResponse:
        """See `Answers.map`."""
        response: MapResponse = self._call("map", make_request(MapRequest, path, fields))
        return response

    def hierarchy(
        self,
        symbol: str | HierarchyRequest,
        *,
        seconds: float = 10.0,
        freshness: Freshness = CACHED,
        **fields: "Unpack[HierarchyFields]",
    ) -> HierarchyResponse:
        """See `Answers.hierarchy`."""
        request = make_request(HierarchyRequest, symbol, fields)
        response: HierarchyResponse = self._call("hierarchy", request, seconds=seconds)
        return response

    def fetch(
        self,
        item_id: str | FetchRequest | None = None,
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[FetchFields]",
    ) -> FetchResponse | FetchFailure | SearchResponse:
        """See `Answers.fetch`."""
        request = make_request(FetchRequest, item_id, fields)
        response: FetchResponse | FetchFailure | SearchResponse = self._call("fetch", request)
        return response

    def recall(
        self,
        queries: str | Sequence[str] | TextRequest,
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[TextFields]",
    ) -> TextResponse:
        """See `Answers.recall`."""
        if not isinstance(queries, TextRequest):
            queries = [queries] if isinstance(queries, str) else [*queries]
        response: TextResponse = self._call("recall", make_request(TextRequest, queries, fields))
        return response

    def related(
        self, hit_id: str, *, freshness: Freshness = CACHED
    ) -> tuple[TextHit, list[Related]] | None:
        """Raises RequestError: a service does not answer this."""
        raise RequestError("related: a fleet does not answer this; ask in a clone")

    def _call(
        self, name: str, request: msgspec.Struct, seconds: float | None = None, page: str = ""
    ) -> Any:
        """Returns the response to a request."""
        if not isinstance(request, TextRequest):  # it checks itself, with its fields' other names
            check_types(request)
        parameters = {"page": page} if page else {}
        if seconds is not None:
            if not 0 < seconds <= MOST_SECONDS:
                raise RequestError(
                    f"seconds is {seconds:g}: a fleet takes a number up to {MOST_SECONDS:g}"
                )
            parameters["seconds"] = f"{seconds:g}"
        body = msgspec.json.encode(request)
        if len(body) > MOST_BODY:
            raise RequestError(
                f"the request has {len(body):,} bytes: a fleet takes at most {MOST_BODY:,}; give a"
                " part of it"
            )
        answered = self._ask("POST", name, body, parameters)
        try:
            return decode_response(METHODS[name], answered.body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise self._misread() from None

    def _ask(self, method: str, name: str, body: bytes, parameters: dict[str, str]) -> HttpAnswer:
        """Returns the answer to a call. Raises for one that is not the result."""
        path = f"/v{API}/{name}" + (f"?{urlencode(parameters)}" if parameters else "")
        answered = self._client.ask(method, path, body, WAIT_SECONDS)
        told = _error_in(answered)
        if answered.status == 401:
            raise self._wrong(f"wants a token: set {FLEET_TOKEN} to the one that it was given")
        spoken = answered.headers.get(API_HEADER)
        if spoken is not None and spoken != API:
            raise self._wrong(
                f"speaks version {spoken[:20]} of the interface, and this symindex {API}: install"
                " the same version here and there"
            )
        if answered.status == 200 and spoken is not None:
            return answered
        if answered.status == 400 and spoken is not None:
            raise RequestError(told)
        if answered.status in (429, 503):
            raise self._wrong(told or "is busy: try again in a moment")
        if told:
            raise self._wrong(f"refuses ({answered.status}): {told}")
        raise self._wrong(
            f"answers with {answered.status}, but not as a fleet of symindex does; check the"
            " address"
        )

    def _wrong(self, reason: str) -> SymindexError:
        return StorageError(f"{self.address}: {reason}")

    def _misread(self) -> SymindexError:
        return self._wrong(
            f"its answer cannot be read by symindex {__version__}: install the same version here"
            " and there"
        )


def _error_in(answered: HttpAnswer) -> str:
    """Returns the error in the body of an answer, in one line; empty if there is none."""
    if answered.status == 200:
        return ""
    try:
        error = msgspec.json.decode(answered.body, type=dict[str, str]).get("error", "")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    return shorten(show_controls(" ".join(error.split())), _MOST_ERROR)
