"""The requests that a client makes, each answered from a thread; the event loop only hands them on."""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from lsprotocol import types

from symindex.errors import RequestError, shown
from symindex.protocol import KIND_OF_CODE, OutlineRequest, SearchRequest
from symindex.serve.lsp.channel import Channel
from symindex.serve.lsp.client_limits import Bounds
from symindex.serve.lsp.convert import Location, symbol_list, symbol_tree, to_path, to_range, uri_of
from symindex.serve.lsp.handshake import OUTLINE, REINDEX, SEARCH, ClientInfo
from symindex.serve.lsp.protocol import Encoded
from symindex.serve.lsp.server import Server
from symindex.text.decoding import decoder_of

if TYPE_CHECKING:
    from symindex.session.editor_positions import Match
    from symindex.session.watched_tree import WatchedTrees
    from symindex.workspace import Patience

MORE_ROWS: Final = 4
"""So many times as many rows are looked at where editors may drop some."""

FIRST_ROWS: Final = 64
"""What is sent first of an answer in parts."""


_T = TypeVar("_T")


def make_server(client: ClientInfo, channel: Channel, followings: "Callable[[], WatchedTrees]", bounds: Bounds) -> Server:
    """A server that knows its requests and notifications."""
    server = Server(client, channel, followings, bounds)
    requests = _Requests(server)

    def in_session(work: Callable[[Any], None]) -> Callable[[Any], None]:
        return lambda params: server.when_ready(lambda: work(params))

    handlers: dict[str, Callable[[Any], Any]] = {
        types.INITIALIZED: requests.initialized,
        types.SHUTDOWN: requests.shutdown,
        types.WORKSPACE_SYMBOL: requests.workspace_symbol,
        types.WORKSPACE_SYMBOL_RESOLVE: requests.resolve,
        types.WORKSPACE_EXECUTE_COMMAND: requests.execute_command,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: requests.document_symbol,
        types.TEXT_DOCUMENT_DEFINITION: requests.definition,
        types.TEXT_DOCUMENT_HOVER: requests.hover,
        types.TEXT_DOCUMENT_DID_OPEN: in_session(server.did_open),
        types.TEXT_DOCUMENT_DID_CHANGE: in_session(server.did_change),
        types.TEXT_DOCUMENT_DID_CLOSE: in_session(server.did_close),
        types.TEXT_DOCUMENT_DID_SAVE: requests.did_save,
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: in_session(server.did_change_folders),
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: requests.did_change_configuration,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: requests.did_change_watched_files,
        types.WORKSPACE_DID_CREATE_FILES: requests.did_create_files,
        types.WORKSPACE_DID_RENAME_FILES: requests.did_rename_files,
        types.WORKSPACE_DID_DELETE_FILES: requests.did_delete_files,
        SEARCH: requests.search,
        OUTLINE: requests.outline,
    }
    for method, handler in handlers.items():
        server.protocol.serve(method, handler)
    return server


class _Requests:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._newest: threading.Event | None = None
        self._has_said_part = False
        self._last_unread = ("", "")

    async def initialized(self, _: types.InitializedParams) -> None:
        await self._server.initialized()

    async def shutdown(self, _: Any) -> None:
        self._server.protocol.shut_down()
        await self._server.close()

    async def workspace_symbol(self, params: types.WorkspaceSymbolParams) -> Any:
        """Symbols by name. A newer query ends the older one."""
        server, began = self._server, time.perf_counter()
        older, given_up = self._newest, threading.Event()
        self._newest = given_up
        if older is not None:
            older.set()
        workspace = await server.client_workspace()
        configuration = server.configuration
        limit = configuration.limit or workspace.row_limit
        request = SearchRequest(
            query=params.query,
            max_items=limit * MORE_ROWS if may_be_dropped(params.query) else limit,
            languages=list(configuration.languages),
            paths=configuration.paths,
        )
        in_parts = params.partial_result_token is not None

        capabilities = server.client.symbols

        def work(given_up: threading.Event) -> tuple[list[bytes], bool]:
            from symindex.serve.lsp.row_encoding import (
                encode_rows,  # here, because it loads numpy, for which a handshake does not wait
            )

            found = workspace.symbols(request)
            return encode_rows(found, capabilities, limit, FIRST_ROWS if in_parts else None), found.complete

        parts, is_complete = await server.run(work, given_up)
        if not is_complete and not self._has_said_part:
            self._has_said_part = True
            server.log(types.MessageType.Info, "until there is an index, answers are what was found in the files so far")
        self._trace(f"workspace/symbol {params.query!r}: {sum(map(len, parts)):,} bytes", began)
        if not in_parts:
            return Encoded(parts[0])
        for part in parts:
            server.protocol.send_partial(params.partial_result_token, part)
        return []

    async def resolve(self, symbol: types.WorkspaceSymbol) -> Any:
        """The range of a symbol; ours have theirs from the beginning."""
        if isinstance(symbol.location, types.Location):
            return symbol
        workspace = await self._server.client_workspace()
        uri, name = symbol.location.uri, symbol.name
        seen = await self._server.run(lambda _: workspace.document_symbols(uri, to_path(uri)))
        for row in symbol_list(seen, uri, self._server.client.symbols):
            if row.name == name and row.container_name == (symbol.container_name or ""):
                symbol.location = types.Location(uri, _types_range(row.location))
                return symbol
        raise RequestError(f"{name}: is not in {uri.rpartition('/')[2]} any more")

    async def document_symbol(self, params: types.DocumentSymbolParams) -> Any:
        """The symbols of a document, from the text that the client has."""
        server, uri, began = self._server, params.text_document.uri, time.perf_counter()
        workspace = await server.client_workspace()
        capabilities = server.client.document_symbols

        def work(_: threading.Event) -> tuple[bytes, str]:
            seen = workspace.document_symbols(uri, to_path(uri))
            symbols = symbol_tree(seen, capabilities) if server.client.takes_trees else symbol_list(seen, uri, capabilities)
            return msgspec.json.encode(symbols), " ".join(filter(None, (seen.file.skip, seen.file.detail)))

        encoded, why = await server.run(work)
        if why and (uri, why) != self._last_unread:  # editors ask again and again
            self._last_unread = uri, why
            server.log(types.MessageType.Warning, f"{shown(uri)}: was not read, and has no outline: {why}")
        self._trace(f"textDocument/documentSymbol: {len(encoded):,} bytes", began)
        return Encoded(encoded)

    async def definition(self, params: types.DefinitionParams) -> Any:
        """Where what is named under the cursor is defined, by name."""
        if not self._is_chosen(self._server.configuration.definition, params.text_document.uri):
            return None
        _, matches = await self._named(params)
        return Encoded(msgspec.json.encode([_location(match) for match in matches])) if matches else None

    async def hover(self, params: types.HoverParams) -> Any:
        """Signature, doc and place of what is named under the cursor, by name."""
        if not self._is_chosen(self._server.configuration.hover, params.text_document.uri):
            return None
        word, matches = await self._named(params)
        if not matches:
            return None
        best, others = matches[0], len(matches) - 1
        detail = best.hit.part.index.detail(best.hit.row)
        place = f"{best.hit.path}:{best.hit.line + 1}"
        kind = KIND_OF_CODE[best.hit.kind]
        found = f"*found by name: {kind} in {place}" + (f", and {others} more of this name*" if others else "*")
        language = self._server.languages_of.get(params.text_document.uri, "")
        text = "\n\n".join(piece for piece in (_fenced(detail.signature, language), _escaped(detail.doc), found) if piece)
        place_of_word = types.Range(types.Position(*word.start), types.Position(*word.end))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place_of_word)

    async def _named(self, params: types.DefinitionParams | types.HoverParams) -> "tuple[Any, list[Match]]":
        workspace = await self._server.client_workspace()
        uri, position = params.text_document.uri, (params.position.line, params.position.character)
        return await self._server.run(lambda _: workspace.named_at(uri, position))

    def _is_chosen(self, choice: bool | tuple[str, ...], uri: str) -> bool:
        return choice if isinstance(choice, bool) else self._server.languages_of.get(uri, "") in choice

    async def search(self, params: Any) -> Any:
        """A search by the contract of all doors."""
        request = _request(SEARCH, params, SearchRequest)
        workspace = await self._server.client_workspace()
        response = await self._server.run(lambda _: workspace.search_for(request, _soon()))
        return Encoded(msgspec.json.encode(response))

    async def outline(self, params: Any) -> Any:
        """An outline by the contract of all doors; or, where a document is named, its symbols as the client has it."""
        if isinstance(params, dict) and "textDocument" in params:
            return await self._document_outline(params["textDocument"])
        if params is None:
            raise RequestError(f'{OUTLINE}: expected {{"path": "src"}}, or {{"textDocument": {{"uri": "file:///..."}}}}')
        request = _request(OUTLINE, params, OutlineRequest)
        workspace = await self._server.client_workspace()
        response = await self._server.run(lambda _: workspace.outline_for(request, _soon()))
        return Encoded(msgspec.json.encode(response))

    async def _document_outline(self, document: Any) -> Any:
        """The symbols of one document as a list, each with the number of the one that it stands in."""
        uri = document.get("uri") if isinstance(document, dict) else None
        if not isinstance(uri, str):
            raise RequestError(f'{OUTLINE}: expected {{"textDocument": {{"uri": "file:///..."}}}}')
        workspace = await self._server.client_workspace()

        def work(_: threading.Event) -> bytes:
            seen = workspace.document_symbols(uri, to_path(uri))
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
                for symbol, spot in zip(seen.file.symbols, seen.spots, strict=True)
            ]
            said = f"{seen.file.skip}: {seen.file.detail}" if seen.file.detail else seen.file.skip
            return msgspec.json.encode({"language": seen.file.language or None, "skipped": said or None, "items": rows})

        return Encoded(await self._server.run(work))

    async def execute_command(self, params: types.ExecuteCommandParams) -> None:
        """Reads every file again: the only command."""
        if params.command != REINDEX:
            raise RequestError(f"unknown command {params.command!r}: legal is {REINDEX}")
        workspace = await self._server.client_workspace()
        workspace.reindex()

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._server.when_ready(lambda: self._server.did_save(uri))

    async def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            await self._server.configure(params.settings)
        else:
            await self._server.pull_configuration()

    def did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        self._server.files_changed([change.uri for change in params.changes])

    def did_create_files(self, params: types.CreateFilesParams) -> None:
        self._server.files_changed([file.uri for file in params.files])

    def did_rename_files(self, params: types.RenameFilesParams) -> None:
        self._server.files_changed([uri for file in params.files for uri in (file.old_uri, file.new_uri)])

    def did_delete_files(self, params: types.DeleteFilesParams) -> None:
        self._server.files_changed([file.uri for file in params.files])

    def _trace(self, text: str, began: float) -> None:
        protocol = self._server.protocol
        if protocol.trace != types.TraceValue.Off:
            milliseconds = 1000 * (time.perf_counter() - began)
            protocol.notify(types.LOG_TRACE, types.LogTraceParams(f"{text} in {milliseconds:.1f} ms"))


def _request(method: str, params: Any, kind: type[_T]) -> _T:
    """The params of a request of our own. Raises RequestError where they are not as the contract has them."""
    decoder_of(kind)
    try:
        return msgspec.convert(params if params is not None else {}, kind)
    except msgspec.ValidationError as error:
        raise RequestError(f"{method}: {error}") from None


def _soon() -> "Patience":
    """For a client that asks again. In a thread, because it loads numpy, for which a handshake does not wait."""
    from symindex.workspace import SOON

    return SOON


def may_be_dropped(typed: str) -> bool:
    """Whether many of the rows that a query finds may not hold what was typed: a search takes no notice of `_`, `-`, accents."""
    return not (typed.isascii() and typed.isalnum())


def _location(match: "Match") -> Location:
    return Location(uri_of(match), to_range((match.line, match.start), (match.line, match.end)))


def _types_range(location: Location) -> types.Range:
    start, end = location.range.start, location.range.end
    return types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))


def _fenced(code: str, language: str) -> str:
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language if language.isalnum() else ''}\n{code}\n{fence}" if code else ""


def _escaped(doc: str) -> str:
    """A doc as text: what looks like Markup in it is none."""
    return "".join(f"\\{character}" if character in "\\`*_<>[]#|" else character for character in doc)
