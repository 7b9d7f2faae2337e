"""Between the Language Server Protocol and symindex: URIs, kinds, and the rows of an answer."""

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
    from symindex.workspace.workspace import Seen

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
    """The file that a URI names; `None` if it names none (`untitled:Untitled-1`), or one of another
    machine.

    A file's URI has neither query nor fragment (RFC 8089): what looks like one is a part of the
    name that was not escaped.
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


@lru_cache(maxsize=64)
def _folder_uri(folder: Path) -> str:
    text = folder.as_posix()
    if PurePosixPath(text).is_absolute():
        return "file://" + quote(os.fsencode(text)).rstrip("/")
    return "file:///" + quote(text).rstrip("/")


_RANGE: Final = b'{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}'


def to_range(start: Place, end: Place) -> msgspec.Raw:
    """A range as JSON, 0-based, in the units of the client; `end` is exclusive. As dicts, an answer
    would take twice the time."""
    return msgspec.Raw(_RANGE % (*start, *end))


_DEPRECATED: Final = SymbolFlag.DEPRECATED.value


class SymbolCapabilities(msgspec.Struct, frozen=True):
    """What a client can show of symbols. kinds: see `kind_table`. has_tags: whether it knows the
    tag "deprecated"."""

    kinds: dict[int, int]
    has_tags: bool

    def more(self, container: str, flags: int) -> dict[str, Any]:
        """The fields of a symbol that may be absent."""
        more: dict[str, Any] = {"containerName": container} if container else {}
        if flags & _DEPRECATED:
            more |= {"tags": (1,)} if self.has_tags else {"deprecated": True}
        return more


def symbol_tree(seen: "Seen", capabilities: SymbolCapabilities) -> list[dict[str, Any]]:
    """The symbols of a document, or its headings, each with those in its range as children."""
    nodes: list[dict[str, Any]] = []
    rows = seen.outline
    for symbol, spot in rows:
        node = {
            "name": symbol.name,
            "kind": capabilities.kinds[KINDS[symbol.kind].code],
            # Some clients refuse the whole answer if a name stands outside of its definition.
            "range": to_range(min(spot.start, spot.name_start), max(spot.end, spot.name_end)),
            "selectionRange": to_range(spot.name_start, spot.name_end),
        }
        if (
            symbol.signature and symbol.kind is not SymbolKind.SECTION
        ):  # a heading's would say its name again
            node["detail"] = symbol.signature
        nodes.append(node | capabilities.more("", symbol.flags))
    roots: list[dict[str, Any]] = []
    for node, (_, spot) in zip(nodes, rows, strict=True):
        (nodes[spot.parent].setdefault("children", []) if spot.parent >= 0 else roots).append(node)
    return roots


def symbol_list(seen: "Seen", uri: str, capabilities: SymbolCapabilities) -> list[dict[str, Any]]:
    """The symbols of a document for a client that takes no tree."""
    return [
        {
            "name": symbol.name,
            "kind": capabilities.kinds[KINDS[symbol.kind].code],
            "location": {"uri": uri, "range": to_range(spot.name_start, spot.name_end)},
        }
        | capabilities.more(symbol.container, symbol.flags)
        for symbol, spot in seen.outline
    ]


def uri_of(match: "Match | NamePlace") -> str:
    """The file or open document that a match or a name is in."""
    if match.key is not None:
        return match.key
    path = match.path if _STANDS_AS_IT_IS(match.path) else quote(match.path)
    return f"{_folder_uri(match.folder.path)}/{path}"


_STANDS_AS_IT_IS: Final = re.compile(r"[A-Za-z0-9_.~/-]*").fullmatch
"""Whether nothing in a path is to be escaped, as in most: to ask costs a tenth of escaping."""


def encode_rows(
    rows: "Sequence[Row]", capabilities: SymbolCapabilities, first: int | None = None
) -> list[bytes]:
    """A workspace/symbol answer as JSON, with the fields of `symbol_list`; in two parts, `first`
    rows and the others, if that is given.

    There is no object for each row, and what rows share is encoded only once: an answer has
    hundreds of rows, and a user types a letter every tenth of a second.
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
            more = capabilities.more(container, match.flags)
            end = ends[container, match.flags] = b"," + to_json(more)[1:] if more else b"}"
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
