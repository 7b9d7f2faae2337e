"""Converts between the Language Server Protocol and symindex: URIs, kinds, and the rows of an
answer."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote_to_bytes, urlsplit

import msgspec

from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.serve.lsp.channel import to_json
from symindex.text.editing.edit_buffer import Place

if TYPE_CHECKING:
    from symindex.editor.editor_positions import Match
    from symindex.editor.editor_relations import NamePlace
    from symindex.editor.row_names import Row
    from symindex.workspace.workspace import ParsedDocument

OLD_KINDS: Final = frozenset(range(1, 19))
"""The kinds of the protocol's first version, for clients that do not list theirs."""

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
"""The kind that is sent to a client that does not support another."""


def kind_table(supported: frozenset[int]) -> dict[int, int]:
    """Returns the number of a kind that the client supports, by KindRow.code."""
    table = {}
    for row in KINDS.values():
        number = row.lsp
        if number not in supported:
            instead = INSTEAD.get(KIND_OF_CODE[number])
            number = KINDS[instead].lsp if instead is not None else number
        table[row.code] = number if number in supported else KINDS[SymbolKind.VARIABLE].lsp
    return table


def to_path(uri: str) -> Path | None:
    """Returns the file that a URI names, or `None` for a URI without one (`untitled:Untitled-1`) or
    of another machine.

    The URI of a file has neither query nor fragment (RFC 8089): what looks like one is an unescaped
    part of the name.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:  # brackets in the name of a machine
        return None
    if parts.scheme != "file" or (parts.netloc not in ("", "localhost") and os.name != "nt"):
        return None
    query, fragment = (
        f"?{parts.query}" if parts.query else "",
        f"#{parts.fragment}" if parts.fragment else "",
    )
    try:
        text = os.fsdecode(unquote_to_bytes(parts.path + query + fragment))
    except UnicodeError:  # an unpaired surrogate, which no URI has
        return None
    if "\0" in text:
        return None
    if _DRIVE.match(text):  # `/c:/folder`, which occurs only on Windows
        text = text[1:] if os.name == "nt" else text
    if parts.netloc and parts.netloc != "localhost":
        text = f"//{parts.netloc}{text}"
    return Path(os.path.normpath(text)) if text else None


def is_path(text: str) -> bool:
    """Whether a file can have this name: it has no NUL and no unpaired surrogate."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeError:
        return False


_DRIVE: Final = re.compile(r"/[A-Za-z]:")


@lru_cache(maxsize=64)
def _folder_uri(folder: Path) -> str:
    text = folder.as_posix()
    if PurePosixPath(text).is_absolute():
        return "file://" + quote(os.fsencode(text)).rstrip("/")
    return "file:///" + quote(text).rstrip("/")


_RANGE: Final = b'{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}'


def to_range(start: Place, end: Place) -> msgspec.Raw:
    """Returns a 0-based range as JSON, in the client's units; `end` is exclusive. Dicts would
    double the time of an answer."""
    return msgspec.Raw(_RANGE % (*start, *end))


_DEPRECATED: Final = SymbolFlag.DEPRECATED.value


class SymbolCapabilities(msgspec.Struct, frozen=True):
    """What a client can show about symbols.

    kinds: see `kind_table`. has_tags: whether it supports the tag "deprecated".
    """

    kinds: dict[int, int]
    has_tags: bool

    def more(self, container: str, flags: int) -> dict[str, Any]:
        """Returns the optional fields of a symbol."""
        fields: dict[str, Any] = {"containerName": container} if container else {}
        if flags & _DEPRECATED:
            fields |= {"tags": (1,)} if self.has_tags else {"deprecated": True}
        return fields


def symbol_tree(
    document: "ParsedDocument", capabilities: SymbolCapabilities
) -> list[dict[str, Any]]:
    """Returns the symbols of a document, or its headings, with those inside a symbol's range as its
    children."""
    nodes: list[dict[str, Any]] = []
    rows = document.outline
    for symbol, spot in rows:
        node = {
            "name": symbol.name,
            "kind": capabilities.kinds[KINDS[symbol.kind].code],
            # Some clients refuse the whole answer if a name is outside of its definition.
            "range": to_range(min(spot.start, spot.name_start), max(spot.end, spot.name_end)),
            "selectionRange": to_range(spot.name_start, spot.name_end),
        }
        if (
            symbol.signature and symbol.kind is not SymbolKind.SECTION
        ):  # for a heading it would repeat the name
            node["detail"] = symbol.signature
        nodes.append(node | capabilities.more("", symbol.flags))
    roots: list[dict[str, Any]] = []
    for node, (_, spot) in zip(nodes, rows, strict=True):
        (nodes[spot.parent].setdefault("children", []) if spot.parent >= 0 else roots).append(node)
    return roots


def symbol_list(
    document: "ParsedDocument", uri: str, capabilities: SymbolCapabilities
) -> list[dict[str, Any]]:
    """Returns the symbols of a document as a list, for clients that do not support trees."""
    return [
        {
            "name": symbol.name,
            "kind": capabilities.kinds[KINDS[symbol.kind].code],
            "location": {"uri": uri, "range": to_range(spot.name_start, spot.name_end)},
        }
        | capabilities.more(symbol.container, symbol.flags)
        for symbol, spot in document.outline
    ]


def uri_of(match: "Match | NamePlace") -> str:
    """Returns the URI of the file or open document of a match."""
    if match.key is not None:
        return match.key
    path = match.path if _STANDS_AS_IT_IS(match.path) else quote(match.path)
    return f"{_folder_uri(match.folder.path)}/{path}"


def location_of(place: "NamePlace") -> dict[str, Any]:
    """Returns a `Location` of the protocol."""
    return {"uri": uri_of(place), "range": to_range(place.start, place.end)}


_STANDS_AS_IT_IS: Final = re.compile(r"[A-Za-z0-9_.~/-]*").fullmatch
"""Whether no character of a path needs escaping, as is usual: checking takes a tenth of the time of
escaping."""


def encode_rows(
    rows: "Sequence[Row]", capabilities: SymbolCapabilities, first: int | None = None
) -> list[bytes]:
    """Returns a workspace/symbol answer as JSON, with the fields of `symbol_list`. If `first` is
    given, returns two parts: that many rows, and the rest.

    No object is made for a row, and parts that rows share are encoded once: an answer has hundreds
    of rows, and a user types a letter every tenth of a second.
    """
    uris: dict[tuple[str, str], bytes] = {}
    ends: dict[tuple[str, int], bytes] = {}
    encoded = []
    for name, container, match in rows:
        line, file = match.line, (match.folder.name, match.path)
        uri = uris.get(file)
        if uri is None:
            uri = uris[file] = to_json(uri_of(match))
        end = ends.get((container, match.flags))
        if end is None:
            fields = capabilities.more(container, match.flags)
            end = ends[container, match.flags] = b"," + to_json(fields)[1:] if fields else b"}"
        encoded.append(
            _ROW
            % (
                to_json(name),
                capabilities.kinds[match.kind],
                uri,
                line,
                match.start,
                line,
                match.end,
                end,
            )
        )
    parts = (
        [encoded]
        if first is None
        else [part for part in (encoded[:first], encoded[first:]) if part]
    )
    return [b"[" + b",".join(part) + b"]" for part in parts]


_ROW: Final = b'{"name":%b,"kind":%d,"location":{"uri":%b,"range":' + _RANGE + b"}%b"
