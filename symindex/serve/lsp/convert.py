"""Between the Language Server Protocol and symindex: URIs, kinds, and the rows of an answer."""

import os
import re
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote_to_bytes, urlsplit

import msgspec

from symindex.protocol import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.text.edit_buffer import Place

if TYPE_CHECKING:
    from symindex.workspace import Match, Seen, Symbol, SymbolPosition

OLD_KINDS: Final = frozenset(range(1, 19))
"""The kinds of the protocol's first version, for clients that name none."""

INSTEAD: Final = {
    SymbolKind.ENUM_MEMBER: SymbolKind.CONSTANT,
    SymbolKind.STRUCT: SymbolKind.CLASS,
    SymbolKind.EVENT: SymbolKind.FIELD,
    SymbolKind.OPERATOR: SymbolKind.METHOD,
    SymbolKind.TYPE_PARAMETER: SymbolKind.CLASS,
    SymbolKind.OBJECT: SymbolKind.VARIABLE,
    SymbolKind.KEY: SymbolKind.FIELD,
    SymbolKind.NULL: SymbolKind.VARIABLE,
}
"""The kind that is sent to a client which does not know another."""


def kind_table(known: frozenset[int]) -> dict[int, int]:
    """The number of a kind that the client knows, by KindRow.code."""
    table = {}
    for row in KINDS.values():
        number = row.lsp
        if number not in known:
            instead = INSTEAD.get(KIND_OF_CODE[number])
            number = KINDS[instead].lsp if instead is not None else number
        table[row.code] = number if number in known else KINDS[SymbolKind.VARIABLE].lsp
    return table


def to_path(uri: str) -> Path | None:
    """The file that a URI names; `None` if it names none (`untitled:Untitled-1`), or one of another machine.

    A file's URI has neither query nor fragment (RFC 8089): what looks like one is a part of the name that was not escaped.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:  # brackets in the name of a machine
        return None
    if parts.scheme != "file" or (parts.netloc not in ("", "localhost") and os.name != "nt"):
        return None
    query, fragment = f"?{parts.query}" if parts.query else "", f"#{parts.fragment}" if parts.fragment else ""
    try:
        text = os.fsdecode(unquote_to_bytes(parts.path + query + fragment))
    except UnicodeError:  # half a surrogate pair, which no URI has
        return None
    if "\0" in text:
        return None
    if _DRIVE.match(text):  # `/c:/folder`, which only Windows has
        text = text[1:] if os.name == "nt" else text
    if parts.netloc and parts.netloc != "localhost":
        text = f"//{parts.netloc}{text}"
    return Path(os.path.normpath(text)) if text else None


def is_path(text: str) -> bool:
    """Whether a file can have that name: not with a NUL, nor with half a surrogate pair."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeError:
        return False


_DRIVE: Final = re.compile(r"/[A-Za-z]:")


@lru_cache(maxsize=4096)
def to_uri(folder: Path, path: str) -> str:
    return f"{_folder_uri(folder)}/{quote(path)}" if path else _folder_uri(folder)


@lru_cache(maxsize=64)
def _folder_uri(folder: Path) -> str:
    text = folder.as_posix()
    if PurePosixPath(text).is_absolute():
        return "file://" + quote(os.fsencode(text)).rstrip("/")
    return "file:///" + quote(text).rstrip("/")


class Position(msgspec.Struct, frozen=True):
    """A position, 0-based, in the units of the client."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True):
    """A range; `end` is exclusive."""

    start: Position
    end: Position


class Location(msgspec.Struct, frozen=True):
    uri: str
    range: Range


class ListedSymbol(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One row of a workspace/symbol answer, or of a flat textDocument/documentSymbol answer."""

    name: str
    kind: int
    location: Location
    container_name: str = ""
    tags: tuple[int, ...] = ()
    deprecated: bool = False


class DocumentSymbol(msgspec.Struct, rename="camel", omit_defaults=True):
    """One node of a textDocument/documentSymbol answer."""

    name: str
    kind: int
    range: Range
    selection_range: Range
    detail: str = ""
    tags: tuple[int, ...] = ()
    deprecated: bool = False
    children: "list[DocumentSymbol]" = []


def to_range(start: Place, end: Place) -> Range:
    return Range(Position(*start), Position(*end))


_DEPRECATED: Final = SymbolFlag.DEPRECATED.value


class SymbolCapabilities(msgspec.Struct, frozen=True):
    """What a client can show of symbols. kinds: see `kind_table`. has_tags: whether it knows the tag "deprecated"."""

    kinds: dict[int, int]
    has_tags: bool

    def marks(self, flags: int) -> tuple[tuple[int, ...], bool]:
        """The fields `tags` and `deprecated` of a symbol."""
        if not flags & _DEPRECATED:
            return (), False
        return ((1,), False) if self.has_tags else ((), True)


def symbol_tree(seen: "Seen", capabilities: SymbolCapabilities) -> list[DocumentSymbol]:
    """The symbols of a document, each with those in its range as children."""
    nodes = [_node(symbol, spot, capabilities) for symbol, spot in zip(seen.file.symbols, seen.spots, strict=True)]
    roots: list[DocumentSymbol] = []
    for node, spot in zip(nodes, seen.spots, strict=True):
        (nodes[spot.parent].children if spot.parent >= 0 else roots).append(node)
    return roots


def _node(symbol: "Symbol", spot: "SymbolPosition", capabilities: SymbolCapabilities) -> DocumentSymbol:
    # Some clients refuse the whole answer if a name stands outside of its definition.
    start, end = min(spot.start, spot.name_start), max(spot.end, spot.name_end)
    return DocumentSymbol(
        symbol.name,
        capabilities.kinds[KINDS[symbol.kind].code],
        to_range(start, end),
        to_range(spot.name_start, spot.name_end),
        symbol.signature,
        *capabilities.marks(symbol.flags),
        children=[],
    )


def symbol_list(seen: "Seen", uri: str, capabilities: SymbolCapabilities) -> list[ListedSymbol]:
    return [
        ListedSymbol(
            symbol.name,
            capabilities.kinds[KINDS[symbol.kind].code],
            Location(uri, to_range(spot.name_start, spot.name_end)),
            symbol.container,
            *capabilities.marks(symbol.flags),
        )
        for symbol, spot in zip(seen.file.symbols, seen.spots, strict=True)
    ]


def uri_of(match: "Match") -> str:
    """The file or open document that a match is in."""
    return match.key if match.key is not None else to_uri(match.folder.path, match.hit.path)
