"""The rows of a workspace/symbol answer as JSON, without an object for each."""

from typing import Final

import msgspec

from symindex.serve.lsp.convert import SymbolCapabilities, uri_of
from symindex.serve.lsp.row_names import Naming
from symindex.session.editor_positions import Match
from symindex.session.followed_workspace import Matches


def encode_rows(found: Matches, capabilities: SymbolCapabilities, limit: int, first: int | None = None) -> list[bytes]:
    """An answer as JSON, at most `limit` rows; in two parts, `first` rows and the others, where that is given."""
    naming, encoder = Naming(found.query), RowEncoder(capabilities)
    rows: list[bytes] = []
    others: list[bytes] = []  # found without a separator or an accent that was typed
    for match in found.matches:
        hit = match.hit
        name, container = naming.name(hit.name, hit.container, hit.path)
        row = encoder.encode(name, container, match)
        (rows if naming.keeps(name) else others).append(row)
    rows = (rows or others)[:limit]
    parts = [rows] if first is None else [part for part in (rows[:first], rows[first:]) if part]
    return [b"[" + b",".join(part) + b"]" for part in parts]


class RowEncoder:
    """Makes JSON of rows: what they have in common is encoded once, and no object is made of a row. There are hundreds in an
    answer, and a letter is typed every tenth of a second."""

    def __init__(self, capabilities: SymbolCapabilities) -> None:
        self._capabilities = capabilities
        self._uris: dict[tuple[str, str], bytes] = {}
        self._ends: dict[tuple[str, int], bytes] = {}

    def encode(self, name: str, container: str, match: Match) -> bytes:
        """A row as ListedSymbol has it."""
        hit, line = match.hit, match.line
        file = (match.folder.name, hit.path)
        uri = self._uris.get(file)
        if uri is None:
            uri = self._uris[file] = _ENCODE(uri_of(match))
        end = self._ends.get((container, hit.flags))
        if end is None:
            end = self._ends[container, hit.flags] = self._end(container, hit.flags)
        return _ROW % (_ENCODE(name), self._capabilities.kinds[hit.kind], uri, line, match.start, line, match.end, end)

    def _end(self, container: str, flags: int) -> bytes:
        tags, is_deprecated = self._capabilities.marks(flags)
        end = b',"containerName":' + _ENCODE(container) if container else b""
        return end + (b',"tags":' + _ENCODE(tags) if tags else b"") + (b',"deprecated":true' if is_deprecated else b"")


_ROW: Final = (
    b'{"name":%b,"kind":%d,"location":{"uri":%b,"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}}%b}'
)

_ENCODE: Final = msgspec.json.Encoder().encode
