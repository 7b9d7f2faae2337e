"""The handshake: reads the client's capabilities, and answers with those of this server.

It needs only plain data, so `initialize` is answered before anything else is loaded. A part of the
params that does not fit the protocol is ignored
(`test_a_handshake_of_which_a_part_cannot_be_read_is_answered`).
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from symindex import __version__
from symindex.errors import SymindexError
from symindex.files.index_place import SETTINGS_NAME
from symindex.serve.lsp.channel import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    LOG,
    NOT_INITIALIZED,
    Channel,
    MessageError,
    fault_text,
    read_message,
)
from symindex.serve.lsp.configuration import Configuration, own_part, read_configuration
from symindex.serve.lsp.convert import OLD_KINDS, SymbolCapabilities, is_path, kind_table, to_path
from symindex.text.editing.edit_buffer import Encoding

REINDEX: Final = "symindex.reindex"
"""The command that reads every file again."""

SEARCH: Final = "symindex/search"
OUTLINE: Final = "symindex/outline"
FETCH: Final = "symindex/fetch"
"""The methods of our own requests."""


class ByName(NamedTuple):
    """A request that is answered by name, if the user switches it on.

    field: its field in Configuration. provider: the server's capability. capability: the client's,
    below `textDocument`.
    """

    field: str
    provider: str
    method: str
    capability: str


BY_NAME: Final = (
    ByName("definition", "definitionProvider", "textDocument/definition", "definition"),
    ByName("hover", "hoverProvider", "textDocument/hover", "hover"),
    ByName("references", "referencesProvider", "textDocument/references", "references"),
    ByName(
        "implementation", "implementationProvider", "textDocument/implementation", "implementation"
    ),
    ByName(
        "type_hierarchy",
        "typeHierarchyProvider",
        "textDocument/prepareTypeHierarchy",
        "typeHierarchy",
    ),
    ByName(
        "call_hierarchy",
        "callHierarchyProvider",
        "textDocument/prepareCallHierarchy",
        "callHierarchy",
    ),
)

_DYNAMIC: Final = {
    "workspace/didChangeWatchedFiles": "workspace/didChangeWatchedFiles",
    "workspace/didChangeConfiguration": "workspace/didChangeConfiguration",
    **{relation.method: f"textDocument/{relation.capability}" for relation in BY_NAME},
}
"""Methods that may be registered later if the client supports it, with the path to that in its
capabilities."""


class ClientInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The params of `initialize`.

    folders: paths and names of the initial folders. process_id: `None` if unknown. options: our
    part of the `initializationOptions`, without the token. encoding: the unit of columns. symbols,
    document_symbols: how the client shows symbols of the workspace and of a document. takes_trees:
    whether it supports trees of document symbols. resolves: whether it requests ranges later.
    shows_progress, tells_settings: whether it supports these. registers: the methods that may be
    registered later.
    """

    folders: tuple[tuple[Path, str], ...]
    process_id: int | None
    options: Any
    encoding: Encoding
    symbols: SymbolCapabilities
    document_symbols: SymbolCapabilities
    takes_trees: bool
    resolves: bool
    shows_progress: bool
    tells_settings: bool
    registers: frozenset[str]


async def run_handshake(channel: Channel, first: bytes | None = None) -> ClientInfo | None:
    """Answers `initialize`, and every earlier request with an error. Returns `None` if the client
    leaves before that.

    first: the first message, if it was read already.
    """
    body = await channel.read() if first is None else first
    while body is not None:
        try:
            message = read_message(body)
            method = message.get("method")
            if method == "exit":
                return None
            if method is None or "id" not in message:
                LOG.warning("ignored: %s: initialize must come first", method or "a response")
            elif method != "initialize":
                raise MessageError(
                    message["id"], NOT_INITIALIZED, f"{method}: initialize must come first"
                )
            else:
                return _greet(channel, message["id"], message.get("params"))
        except MessageError as error:
            channel.write(error.encoded())
        body = await channel.read()
    return None


def _greet(channel: Channel, request_id: Any, params: Any) -> ClientInfo:
    if not isinstance(params, dict):
        raise MessageError(request_id, INVALID_PARAMS, "initialize: the params must be an object")
    try:
        client = read_client_info(params)
        result = initialize_result(client, read_configuration(client.options)[0])
    except SymindexError as error:
        raise MessageError(request_id, INVALID_PARAMS, str(error)) from None
    except Exception as error:
        LOG.error("initialize failed", exc_info=error)
        raise MessageError(request_id, INTERNAL_ERROR, fault_text(error)) from None
    channel.write(msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, "result": result}))
    return client


def read_client_info(params: dict[str, Any]) -> ClientInfo:
    """Reads the params of `initialize`. A capability that is missing or has the wrong type counts
    as not supported."""
    client = params.get("capabilities")
    symbols = _at(client, "workspace", "symbol")
    document_symbols = _at(client, "textDocument", "documentSymbol")
    process_id = params.get("processId")
    options = own_part(params.get("initializationOptions"))
    return ClientInfo(
        folders=tuple(_folders(params)),
        process_id=process_id if isinstance(process_id, int) else None,
        options={key: value for key, value in options.items() if key != "token"}
        if isinstance(options, dict)
        else options,
        encoding=_encoding(_at(client, "general", "positionEncodings")),
        symbols=_symbol_capabilities(symbols),
        document_symbols=_symbol_capabilities(document_symbols),
        takes_trees=bool(_at(document_symbols, "hierarchicalDocumentSymbolSupport")),
        resolves=isinstance(_at(symbols, "resolveSupport"), dict),
        shows_progress=bool(_at(client, "window", "workDoneProgress")),
        tells_settings=bool(_at(client, "workspace", "configuration")),
        registers=frozenset(
            method
            for method, capability in _DYNAMIC.items()
            if _at(client, *capability.split("/"), "dynamicRegistration")
        ),
    )


def _at(value: Any, *keys: str) -> Any:
    """Follows keys into nested objects. Returns `None` if one is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _encoding(offered: Any) -> Encoding:
    """Returns the first supported encoding that the client offers; UTF-16 by default, as in the
    protocol."""
    supported: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
    return next(
        (encoding for word in _list(offered) for encoding in supported if word == encoding),
        "utf-16",
    )


def _symbol_capabilities(capability: Any) -> SymbolCapabilities:
    kinds = frozenset(
        kind for kind in _list(_at(capability, "symbolKind", "valueSet")) if isinstance(kind, int)
    )
    return SymbolCapabilities(
        kind_table(kinds or OLD_KINDS), 1 in _list(_at(capability, "tagSupport", "valueSet"))
    )


def _folders(params: dict[str, Any]) -> list[tuple[Path, str]]:
    folders = [
        folder
        for folder in _list(params.get("workspaceFolders"))
        if isinstance(_at(folder, "uri"), str)
    ]
    if not folders and isinstance(params.get("rootUri"), str):
        folders = [{"uri": params["rootUri"]}]
    if folders:
        paths = [(to_path(folder["uri"]), folder.get("name")) for folder in folders]
        return [
            (path, name if isinstance(name, str) else path.name)
            for path, name in paths
            if path is not None
        ]
    root = params.get("rootPath")
    if not isinstance(root, str) or not root or not is_path(root):
        return []
    return [(Path(os.path.abspath(root)), os.path.basename(root))]


def initialize_result(client: ClientInfo, configuration: Configuration) -> dict[str, Any]:
    """Returns the result of `initialize`: the capabilities of this server."""
    every_file = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
    capabilities: dict[str, Any] = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {
            "openClose": True,
            "change": _INCREMENTAL,
            "save": {"includeText": False},
        },
        "workspaceSymbolProvider": {"resolveProvider": client.resolves},
        "documentSymbolProvider": {"label": "symindex"},
        "executeCommandProvider": {"commands": [REINDEX]},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "fileOperations": {
                "didCreate": every_file,
                "didRename": every_file,
                "didDelete": every_file,
            },
        },
        "experimental": {"symindex": {"search": SEARCH, "outline": OUTLINE, "fetch": FETCH}},
    }
    capabilities.update(
        (relation.provider, True) for relation in BY_NAME if getattr(configuration, relation.field)
    )
    return {
        "capabilities": capabilities,
        "serverInfo": {"name": "symindex", "version": __version__},
    }


_INCREMENTAL: Final = 2
"""The TextDocumentSyncKind for edits rather than whole texts."""


def watched_globs(extensions: Iterable[str]) -> list[str]:
    """Returns globs of the files whose changes the client shall report."""
    endings = ",".join(
        sorted(extension.removeprefix(".") for extension in extensions if extension != ".")
    )
    return [
        f"**/*.{{{endings}}}",
        "**/.gitignore",
        "**/.ignore",
        "**/.rgignore",
        f"**/{SETTINGS_NAME}",
    ]
