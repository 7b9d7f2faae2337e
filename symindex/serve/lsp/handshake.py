"""The handshake: what a client says of itself, and what it is told that this server can.

All of it is plain data, so that it can be answered before pygls is there: to load that takes longer than a handshake should.
"""

import os
import re
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex import __version__
from symindex.errors import RequestError
from symindex.extract.languages.registry import Languages
from symindex.files.locations import SETTINGS_NAME
from symindex.serve.lsp.configuration import Configuration
from symindex.serve.lsp.convert import OLD_KINDS, Taste, is_path, kind_table, to_path
from symindex.text.edit_buffer import Encoding

REINDEX: Final = "symindex.reindex"
"""The command that reads every file again."""

SEARCH: Final = "symindex/search"
OUTLINE: Final = "symindex/outline"
"""Our own requests."""

_DYNAMIC: Final = {
    "workspace/didChangeWatchedFiles": ("workspace", "didChangeWatchedFiles"),
    "workspace/didChangeConfiguration": ("workspace", "didChangeConfiguration"),
    "textDocument/definition": ("textDocument", "definition"),
    "textDocument/hover": ("textDocument", "hover"),
}
"""What may be registered while the client runs, and where it says whether."""


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """What a client says of itself.

    folders: paths and names of those that it begins with. process_id: its own, `None` if it does not tell. options: its
    `initializationOptions`, but for a token, which nobody needs to know any more. encoding: what columns count. symbols,
    document_symbols: what it shows of the symbols of a workspace and of a document; takes_trees: whether it takes the latter as
    a tree. resolves: whether it asks for ranges later. shows_progress, tells_settings: whether it can be asked to. registers:
    the methods that it lets be registered.
    """

    folders: tuple[tuple[Path, str], ...]
    process_id: int | None
    options: Any
    encoding: Encoding
    symbols: Taste
    document_symbols: Taste
    takes_trees: bool
    resolves: bool
    shows_progress: bool
    tells_settings: bool
    registers: frozenset[str]


def is_id(value: Any) -> bool:
    """Whether a request may have it as its id: one that can be said again, which half a surrogate pair cannot."""
    if isinstance(value, str):
        return not _HALVES.search(value)
    return isinstance(value, int | float) and not isinstance(value, bool)


_HALVES: Final = re.compile("[\ud800-\udfff]")


def read_hello(params: Any) -> Hello:
    """What the params of `initialize` say. What is left out, or of another type, counts as not supported.

    Raises RequestError where they are no object.
    """
    if not isinstance(params, dict):
        raise RequestError("initialize: the params must be an object")
    client = params.get("capabilities")
    symbols = _at(client, "workspace", "symbol")
    document_symbols = _at(client, "textDocument", "documentSymbol")
    process_id = params.get("processId")
    return Hello(
        folders=tuple(_folders(params)),
        process_id=process_id if isinstance(process_id, int) else None,
        options=_without_token(params.get("initializationOptions")),
        encoding=_encoding(_at(client, "general", "positionEncodings")),
        symbols=_taste(symbols),
        document_symbols=_taste(document_symbols),
        takes_trees=bool(_at(document_symbols, "hierarchicalDocumentSymbolSupport")),
        resolves=isinstance(_at(symbols, "resolveSupport"), dict),
        shows_progress=bool(_at(client, "window", "workDoneProgress")),
        tells_settings=bool(_at(client, "workspace", "configuration")),
        registers=frozenset(method for method, path in _DYNAMIC.items() if _at(client, *path, "dynamicRegistration")),
    )


def _at(value: Any, *keys: str) -> Any:
    """What stands in an object under some keys; `None` where nothing does."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _without_token(options: Any) -> Any:
    if not isinstance(options, dict):
        return options
    below = options.get("symindex")
    kept = {**options, "symindex": _without_token(below)} if isinstance(below, dict) else options
    return {key: value for key, value in kept.items() if key != "token"}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _encoding(offered: Any) -> Encoding:
    """What the client likes best of what there is; UTF-16, as ever, where it says nothing."""
    known: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
    return next((encoding for word in _list(offered) for encoding in known if word == encoding), "utf-16")


def _taste(capability: Any) -> Taste:
    kinds = frozenset(kind for kind in _list(_at(capability, "symbolKind", "valueSet")) if isinstance(kind, int))
    return Taste(kind_table(kinds or OLD_KINDS), 1 in _list(_at(capability, "tagSupport", "valueSet")))


def _folders(params: dict[str, Any]) -> list[tuple[Path, str]]:
    """The folders that a client begins with: their paths and names."""
    named = [folder for folder in _list(params.get("workspaceFolders")) if isinstance(_at(folder, "uri"), str)]
    if not named and isinstance(params.get("rootUri"), str):
        named = [{"uri": params["rootUri"]}]
    if named:
        paths = [(to_path(folder["uri"]), folder.get("name")) for folder in named]
        return [(path, name if isinstance(name, str) else path.name) for path, name in paths if path is not None]
    root = params.get("rootPath")
    if not isinstance(root, str) or not root or not is_path(root):
        return []
    return [(Path(os.path.abspath(root)), os.path.basename(root))]


def answer_to(hello: Hello, configuration: Configuration) -> dict[str, Any]:
    """The result of `initialize`: what this server can do for a client."""
    every_file = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
    capabilities: dict[str, Any] = {
        "positionEncoding": hello.encoding,
        "textDocumentSync": {"openClose": True, "change": _INCREMENTAL, "save": {"includeText": False}},
        "workspaceSymbolProvider": {"resolveProvider": hello.resolves},
        "documentSymbolProvider": {"label": "symindex"},
        "executeCommandProvider": {"commands": [REINDEX]},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "fileOperations": {"didCreate": every_file, "didRename": every_file, "didDelete": every_file},
        },
        "experimental": {"symindex": {"search": SEARCH, "outline": OUTLINE}},
    }
    if configuration.definition:
        capabilities["definitionProvider"] = True
    if configuration.hover:
        capabilities["hoverProvider"] = True
    return {"capabilities": capabilities, "serverInfo": {"name": "symindex", "version": __version__}}


_INCREMENTAL: Final = 2
"""TextDocumentSyncKind: edits, not whole texts."""


def watched_globs(languages: Languages) -> list[str]:
    """The files whose changes a client is asked to tell of."""
    endings = ",".join(sorted(extension.removeprefix(".") for extension in languages.extensions if extension != "."))
    return [f"**/*.{{{endings}}}", "**/.gitignore", f"**/{SETTINGS_NAME}"]
