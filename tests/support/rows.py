"""The content of a snapshot in a form that tests compare, and packed symbols."""

from collections.abc import Iterable

import msgspec

from symindex.extract.records import PackedSymbols, Symbol, pack_rows
from symindex.index.columns.layout import Columns
from symindex.index.snapshot import Snapshot
from symindex.workspace.workspace import Workspace


def ids_in_order(snapshot: Snapshot) -> list[str]:
    """Returns the ids of all symbols, by path, line and column."""
    keyed: list[tuple[int, int, str]] = []
    for part in snapshot.parts:
        rows = part.index.row_at.tolist()
        first = part.index.file_first.tolist()
        for number in part.live_files():
            key = int(part.file_order[number])
            places = range(first[number], first[number + 1])
            keyed.extend((key, place, part.index.symbol_id(rows[place])) for place in places)
    return [symbol_id for _, _, symbol_id in sorted(keyed)]


def pack_symbols(symbols: Iterable[Symbol]) -> PackedSymbols:
    """Packs symbols."""
    return pack_rows(
        [
            (s.name, s.container, s.signature, s.doc, s.kind.value, s.flags, s.start_byte, s.end_byte, s.start_row, s.end_row,
             s.name_start, s.name_end, s.name_row, s.name_column)
            for s in symbols
        ]
    )  # fmt: skip


def ids(workspace: Workspace) -> list[str]:
    return ids_in_order(workspace.source.indexed.snapshot)


def content(workspace: Workspace) -> bytes:
    """Returns the bytes of the base that merging the index would make."""
    return msgspec.msgpack.encode(merged(workspace))


def without_stamps(columns: Columns) -> bytes:
    """Returns the bytes of a base without the stamps that distinguish the files of one tree from
    another's."""
    return msgspec.msgpack.encode(_without_stamps(columns))


def _without_stamps(columns: Columns) -> Columns:
    documents = columns.documents and _without_stamps(columns.documents)
    return msgspec.structs.replace(columns, file_stamp=memoryview(b""), documents=documents)


def merged(workspace: Workspace) -> Columns:
    layers = workspace.source.indexed._updater.layers
    assert layers is not None
    return layers.merged(workspace.source.indexed.rules).columns
