"""What the client can do, and what it is told that this server can."""

from lsprotocol import types

from symindex.places import SETTINGS_NAME
from symindex.serve.lsp.configuration import Configuration
from symindex.serve.lsp.convert import OLD_KINDS, Taste, kind_table
from symindex.source.languages import Languages

REINDEX: str = "symindex.reindex"
"""The command that reads every file again."""

SEARCH: str = "symindex/search"
OUTLINE: str = "symindex/outline"


def choose_encoding(capabilities: types.ClientCapabilities) -> types.PositionEncodingKind:
    """What columns count: what the client likes best of what there is, UTF-16 where it says nothing."""
    offered = (capabilities.general.position_encodings if capabilities.general else None) or []
    for encoding in offered:
        for known in types.PositionEncodingKind:
            if str(getattr(encoding, "value", encoding)) == known.value:
                return known
    return types.PositionEncodingKind.Utf16


def taste_of(capabilities: types.ClientCapabilities) -> Taste:
    """What the client can show of symbols."""
    symbol = capabilities.workspace.symbol if capabilities.workspace else None
    kinds = symbol.symbol_kind.value_set if symbol and symbol.symbol_kind else None
    known = frozenset(int(kind) for kind in kinds) if kinds else OLD_KINDS
    tags = symbol.tag_support.value_set if symbol and symbol.tag_support else []
    return Taste(kind_table(known), any(int(tag) == 1 for tag in tags))


def document_taste_of(capabilities: types.ClientCapabilities) -> Taste:
    """The same for the symbols of a document."""
    symbol = capabilities.text_document.document_symbol if capabilities.text_document else None
    kinds = symbol.symbol_kind.value_set if symbol and symbol.symbol_kind else None
    known = frozenset(int(kind) for kind in kinds) if kinds else OLD_KINDS
    tags = symbol.tag_support.value_set if symbol and symbol.tag_support else []
    return Taste(kind_table(known), any(int(tag) == 1 for tag in tags))


def is_hierarchical(capabilities: types.ClientCapabilities) -> bool:
    """Whether the client takes the symbols of a document as a tree."""
    symbol = capabilities.text_document.document_symbol if capabilities.text_document else None
    return bool(symbol and symbol.hierarchical_document_symbol_support)


def capabilities_of(
    client: types.ClientCapabilities, encoding: types.PositionEncodingKind, configuration: Configuration
) -> types.ServerCapabilities:
    """What this server can do for a client."""
    symbol = client.workspace.symbol if client.workspace else None
    every_file = types.FileOperationRegistrationOptions([types.FileOperationFilter(types.FileOperationPattern("**/*"), "file")])
    return types.ServerCapabilities(
        position_encoding=encoding,
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True, change=types.TextDocumentSyncKind.Incremental, save=types.SaveOptions(include_text=False)
        ),
        workspace_symbol_provider=types.WorkspaceSymbolOptions(resolve_provider=bool(symbol and symbol.resolve_support)),
        document_symbol_provider=types.DocumentSymbolOptions(label="symindex"),
        definition_provider=bool(configuration.definition) or None,
        hover_provider=bool(configuration.hover) or None,
        execute_command_provider=types.ExecuteCommandOptions([REINDEX]),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True),
            file_operations=types.FileOperationOptions(did_create=every_file, did_rename=every_file, did_delete=every_file),
        ),
        experimental={"symindex": {"search": SEARCH, "outline": OUTLINE}},
    )


def watched_globs(languages: Languages) -> list[str]:
    """The files whose changes a client is asked to tell of."""
    endings = ",".join(sorted(extension.removeprefix(".") for extension in languages.extensions if extension != "."))
    return [f"**/*.{{{endings}}}", "**/.gitignore", f"**/{SETTINGS_NAME}"]
