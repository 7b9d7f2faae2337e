"""The rows of a workspace/symbol answer as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from symindex.serve.lsp.convert import SymbolCapabilities, uri_of

if TYPE_CHECKING:
    from symindex.workspace import Row


def encode_rows(rows: "Sequence[Row]", capabilities: SymbolCapabilities, first: int | None = None) -> list[bytes]:
    """An answer as JSON, with the fields of ListedSymbol; in two parts, `first` rows and the others, if that is given.

    There is no object for each row, and what rows share is encoded only once: an answer has hundreds of rows, and a user types a
    letter every tenth of a second.
    """
    uris: dict[tuple[str, str], bytes] = {}
    ends: dict[tuple[str, int], bytes] = {}
    encoded = []
    for name, container, match in rows:
        hit, line = match.hit, match.line
        file = (match.folder.name, hit.path)
        uri = uris.get(file)
        if uri is None:
            uri = uris[file] = _ENCODE(uri_of(match))
        end = ends.get((container, hit.flags))
        if end is None:
            end = ends[container, hit.flags] = _end(container, *capabilities.marks(hit.flags))
        encoded.append(_ROW % (_ENCODE(name), capabilities.kinds[hit.kind], uri, line, match.start, line, match.end, end))
    parts = [encoded] if first is None else [part for part in (encoded[:first], encoded[first:]) if part]
    return [b"[" + b",".join(part) + b"]" for part in parts]


def _end(container: str, tags: tuple[int, ...], is_deprecated: bool) -> bytes:
    end = b',"containerName":' + _ENCODE(container) if container else b""
    return end + (b',"tags":' + _ENCODE(tags) if tags else b"") + (b',"deprecated":true' if is_deprecated else b"")


_ROW: Final = (
    b'{"name":%b,"kind":%d,"location":{"uri":%b,"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}}%b}'
)

_ENCODE: Final = msgspec.json.Encoder().encode
