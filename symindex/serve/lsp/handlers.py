"""Handles the requests of a client. Each runs in a thread; the event loop only dispatches."""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from lsprotocol import types
from msgspec import Raw

from symindex.errors import RequestError, shown
from symindex.protocol.kinds import KIND_OF_CODE
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.requests import read_request
from symindex.serve.lsp.channel import Channel, to_json
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.convert import (
    encode_rows,
    location_of,
    symbol_list,
    symbol_tree,
    to_path,
    to_range,
)
from symindex.serve.lsp.handshake import FETCH, OUTLINE, REINDEX, SEARCH, ClientInfo
from symindex.serve.lsp.relations import RelationRequests
from symindex.serve.lsp.server import Server
from symindex.text.decoding import decoder_of

if TYPE_CHECKING:
    from symindex.editor.editor_relations import Definitions
    from symindex.editor.followed_workspace import FollowedWorkspace
    from symindex.protocol.freshness import Freshness
    from symindex.text.editing.edit_buffer import Place
    from symindex.workspace.watched_tree import WatchedTrees

FIRST_ROWS: Final = 64
"""Rows in the first part of an answer that is sent in parts."""

_T = TypeVar("_T", bound=msgspec.Struct)


def make_server(
    client: ClientInfo, channel: Channel, shared_trees: "Callable[[], WatchedTrees]", bounds: Bounds
) -> Server:
    """Makes the server of a client, with its requests and notifications."""
    server = Server(client, channel, shared_trees, bounds)

    def in_session(work: "Callable[[FollowedWorkspace, Any], None]") -> Callable[[Any], None]:
        return lambda params: server.when_ready(lambda workspace: work(workspace, params))

    def files_changed(params: Any) -> None:
        """Handles files that were changed, created, deleted or renamed."""
        items = (
            params.changes
            if isinstance(params, types.DidChangeWatchedFilesParams)
            else params.files
        )
        names = "uri", "old_uri", "new_uri"
        server.files_changed(
            [getattr(item, name) for item in items for name in names if hasattr(item, name)]
        )

    async def close(*_: Any) -> None:
        await server.close()

    @server.command(REINDEX)
    def reindex(*_: Any) -> None:
        """Reads every file again."""
        server.when_ready(lambda workspace: workspace.folders.reindex())

    _register_requests(server, _Requests(server))
    server.feature(types.INITIALIZED)(server.initialized)
    server.feature(types.SHUTDOWN)(close)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(in_session(server.did_open))
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(in_session(server.did_change))
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(in_session(server.did_close))
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(
        in_session(server.did_save)
    )
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(server.did_change_folders)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(server.did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(files_changed)
    every_file = types.FileOperationRegistrationOptions(
        [types.FileOperationFilter(types.FileOperationPattern("**/*"), "file")]
    )
    for method in (
        types.WORKSPACE_DID_CREATE_FILES,
        types.WORKSPACE_DID_RENAME_FILES,
        types.WORKSPACE_DID_DELETE_FILES,
    ):
        server.feature(method, every_file)(files_changed)
    return server


def _register_requests(server: Server, requests: "_Requests") -> None:
    document_symbols = types.DocumentSymbolOptions("symindex")
    server.feature(types.WORKSPACE_SYMBOL)(requests.workspace_symbol)
    server.feature(types.WORKSPACE_SYMBOL_RESOLVE)(requests.resolve)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbols)(requests.document_symbol)
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(requests.definition)
    server.feature(types.TEXT_DOCUMENT_HOVER)(requests.hover)
    server.feature(SEARCH)(requests.search)
    server.feature(OUTLINE)(requests.outline)
    server.feature(FETCH)(requests.fetch)
    RelationRequests(server).register()


class _Requests:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._newest: threading.Event | None = None
        self._has_said_part = False
        self._last_unread = ("", "")

    async def workspace_symbol(self, params: types.WorkspaceSymbolParams) -> Any:
        """Finds symbols by name. A newer query cancels the older one."""
        server, began = self._server, time.perf_counter()
        older, given_up = self._newest, threading.Event()
        self._newest = given_up
        if older is not None:
            older.set()
        token = params.partial_result_token

        def work(workspace: "FollowedWorkspace") -> tuple[list[bytes], bool]:
            configuration = server.configuration
            request = SearchRequest(
                query=params.query,
                max_items=configuration.limit or workspace.folders.row_limit,
                languages=list(configuration.languages),
                paths=[*configuration.include, *(f"!{glob}" for glob in configuration.exclude)],
            )
            rows, is_complete = workspace.rows.find(request)
            return encode_rows(
                rows, server.client.symbols, FIRST_ROWS if token is not None else None
            ), is_complete

        parts, is_complete = await server.ask(work, given_up)
        if not is_complete and not self._has_said_part:
            self._has_said_part = True
            server.log(
                types.MessageType.Info,
                "the index is not ready yet; answers come from the files that were read so far",
            )
        self._trace(f"workspace/symbol {params.query!r}: {sum(map(len, parts)):,} bytes", began)
        if token is None:
            return Raw(parts[0])
        for part in parts:
            server.progress(types.ProgressParams(token, Raw(part)))
        return []

    async def resolve(self, symbol: types.WorkspaceSymbol) -> Any:
        """Fills in the range of a symbol. Our own rows already have it."""
        if isinstance(symbol.location, types.Location):
            return symbol
        uri = symbol.location.uri
        document = await self._server.ask(
            lambda workspace: workspace.document_symbols(uri, to_path(uri))
        )
        for row, spot in document.outline:
            if (row.name, row.container) == (symbol.name, symbol.container_name or ""):
                symbol.location = types.Location(uri, _range(spot.name_start, spot.name_end))
                return symbol
        raise RequestError(f"{symbol.name}: is no longer in {uri.rpartition('/')[2]}")

    async def document_symbol(self, params: types.DocumentSymbolParams) -> Any:
        server, uri, began = self._server, params.text_document.uri, time.perf_counter()
        capabilities = server.client.document_symbols

        def work(workspace: "FollowedWorkspace") -> tuple[bytes, str]:
            document = workspace.document_symbols(uri, to_path(uri))
            symbols = (
                symbol_tree(document, capabilities)
                if server.client.takes_trees
                else symbol_list(document, uri, capabilities)
            )
            return to_json(symbols), " ".join(
                filter(None, (document.file.skip, document.file.detail))
            )

        encoded, why = await server.ask(work)
        if why and (uri, why) != self._last_unread:  # editors repeat this request often
            self._last_unread = uri, why
            server.log(
                types.MessageType.Warning,
                f"{shown(uri)}: has no outline, because it was not read: {why}",
            )
        self._trace(f"textDocument/documentSymbol: {len(encoded):,} bytes", began)
        return Raw(encoded)

    async def definition(self, params: types.DefinitionParams) -> Any:
        if not self._server.is_chosen(
            self._server.configuration.definition, params.text_document.uri
        ):
            return None
        _, found = await self._named(params)
        places = [*found.places, *(match.place for match in found.matches)]
        locations = [*map(location_of, places)]
        return Raw(to_json(locations)) if locations else None

    async def hover(self, params: types.HoverParams) -> Any:
        """Shows the signature, doc and place of the most likely definition of the name under the
        cursor."""
        if not self._server.is_chosen(self._server.configuration.hover, params.text_document.uri):
            return None
        word, found = await self._named(params)
        if not found.matches:
            return None
        best, n_others = found.matches[0], len(found.matches) - 1
        how = "" if found.is_bound else "found by name: "
        others = f", and {n_others} more with this name" if n_others else ""
        kind = KIND_OF_CODE[best.kind]
        origin = f"*{how}{kind} in {best.path}:{best.line + 1}{others}*"
        language = self._server.languages_of.get(params.text_document.uri, "")
        text = "\n\n".join(
            piece
            for piece in (_fenced(best.signature, language), _escaped(best.doc), origin)
            if piece
        )
        return types.Hover(
            types.MarkupContent(types.MarkupKind.Markdown, text), _range(word.start, word.end)
        )

    async def _named(
        self, params: types.DefinitionParams | types.HoverParams
    ) -> "tuple[Any, Definitions]":
        uri, position = params.text_document.uri, (params.position.line, params.position.character)
        return await self._server.ask(lambda workspace: workspace.definitions(uri, position))

    async def search(self, params: Any) -> Any:
        request = _request(SEARCH, params, SearchRequest)
        return Raw(
            await self._server.ask(
                lambda workspace: to_json(workspace.search(request, freshness=_soon()))
            )
        )

    async def fetch(self, params: Any) -> Any:
        """Returns an item by its id, or a list of items in the form of rye_search, by the contract
        of `fetch`. Writes nothing: a client that edits files writes the content itself."""
        from symindex.dialects.rye_page import as_rye
        from symindex.protocol.fetch import (
            FetchRequest,
        )  # deferred, because most clients only request symbols

        request = _request(FETCH, params, FetchRequest)
        if request.destination is not None:
            raise RequestError(
                f"{FETCH}: a destination is supported only on the command line: "
                "symindex fetch ID --to project"
            )

        def work(workspace: "FollowedWorkspace") -> bytes:
            answer = workspace.fetch(request, freshness=_soon())
            return to_json(as_rye(answer) if isinstance(answer, SearchResponse) else answer)

        return Raw(await self._server.ask(work))

    async def outline(self, params: Any) -> Any:
        """Returns an outline by the contract that all front ends share; for a document, its symbols
        as the client has edited it."""
        if isinstance(params, dict) and "textDocument" in params:
            return await self._document_outline(params["textDocument"])
        if params is None:
            raise RequestError(
                f'{OUTLINE}: expected {{"path": "src"}}, or {{"textDocument": {{"uri": "file:///..."}}}}'
            )
        from symindex.protocol.explore import OutlineRequest  # deferred as well

        request = _request(OUTLINE, params, OutlineRequest)
        return Raw(
            await self._server.ask(
                lambda workspace: to_json(workspace.outline(request, freshness=_soon()))
            )
        )

    async def _document_outline(self, document: Any) -> Any:
        """Returns the symbols of one document as a list. `parent` is the index of the enclosing
        symbol."""
        uri = document.get("uri") if isinstance(document, dict) else None
        if not isinstance(uri, str):
            raise RequestError(f'{OUTLINE}: expected {{"textDocument": {{"uri": "file:///..."}}}}')

        def work(workspace: "FollowedWorkspace") -> bytes:
            view = workspace.document_symbols(uri, to_path(uri))
            rows = [
                {
                    "name": symbol.name,
                    "kind": symbol.kind,
                    "container": symbol.container or None,
                    "signature": symbol.signature,
                    "doc": symbol.doc,
                    "range": to_range(spot.start, spot.end),
                    "selectionRange": to_range(spot.name_start, spot.name_end),
                    "parent": spot.parent if spot.parent >= 0 else None,
                }
                for symbol, spot in view.outline
            ]
            reason = f"{view.file.skip}: {view.file.detail}" if view.file.detail else view.file.skip
            return to_json(
                {"language": view.file.language or None, "skipped": reason or None, "items": rows}
            )

        return Raw(await self._server.ask(work))

    def _trace(self, text: str, began: float) -> None:
        protocol = self._server.protocol
        if protocol.trace != types.TraceValue.Off:
            milliseconds = 1000 * (time.perf_counter() - began)
            self._server.log_trace(types.LogTraceParams(f"{text} in {milliseconds:.1f} ms"))


def _request(method: str, params: Any, kind: type[_T]) -> _T:
    """Reads the params of one of our own requests. Raises RequestError if they do not fit the
    contract."""
    decoder_of(kind)
    try:
        return read_request(params if params is not None else {}, kind)
    except RequestError as error:
        raise RequestError(f"{method}: {error}") from None


def _soon() -> "Freshness":
    """Returns the freshness of our own requests. Called in a thread, because the import loads
    numpy."""
    from symindex.protocol.freshness import SOON

    return SOON


def _range(start: "Place", end: "Place") -> types.Range:
    return types.Range(types.Position(*start), types.Position(*end))


def _fenced(code: str, language: str) -> str:
    from symindex.render.markdown import fence  # deferred as well

    marks = fence(code, least=3)
    return f"{marks}{language if language.isalnum() else ''}\n{code}\n{marks}" if code else ""


def _escaped(doc: str) -> str:
    """Escapes a doc, so that Markdown shows it as plain text."""
    return "".join(
        f"\\{character}" if character in "\\`*_<>[]#|" else character for character in doc
    )
