"""Lists all symbols of an index with all their data, file by file, for exports.

Files are in the order of their paths. Memory contains the symbols of one file, and the block of
details that they are in. The outer symbol of a symbol is the one in its file that its container
names. If that one is in another file (a method apart from its type), its kind is given.
"""

import heapq
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from symindex.extract.containment import find_outer
from symindex.extract.records import FileSymbols, Symbol
from symindex.extract.texts.file_text import read_text_of
from symindex.index.columns.rows import symbols_of_files
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolKind
from symindex.search.answer.filters import Filter, PartFilter

_MOST_CANDIDATES: Final = 200
"""Most symbols of one name that are compared: a more common name hardly belongs to one type."""


class ListedFile(NamedTuple):
    """A file and its symbols.

    Attributes:
        path: as it is shown.
        known: its data in the index, with its language.
        symbols: all of them, in the order of their names in the file.
        wanted: the numbers of those that the request selects.
        outer: by symbol, the number of the one that its container names; -1 if none in this file.
        kinds_elsewhere: the kinds of containers that are in another file.
        text: the file as it was indexed, with its byte order mark; `None` if it has changed or
            cannot be read.
    """

    path: str
    known: FileSymbols
    symbols: list[Symbol]
    wanted: list[int]
    outer: list[int]
    kinds_elsewhere: dict[str, SymbolKind]
    text: bytes | None


def list_sources(root: Path, snapshot: Snapshot, chosen: Filter) -> Iterator[ListedFile]:
    """Lists the files of a tree with symbols that pass a filter. Raises RequestError at once for
    a glob that cannot be read."""
    return _list(root, snapshot, [PartFilter(part, chosen) for part in snapshot.parts])


def _list(root: Path, snapshot: Snapshot, filters: list[PartFilter]) -> Iterator[ListedFile]:
    @lru_cache(4_096)
    def kind_elsewhere(container: str, language: str, folder: str) -> SymbolKind | None:
        """Returns the kind of the best symbol with that qualified name: first by language, then by
        folder, then by kind."""
        candidates = [
            candidate
            for part in snapshot.parts
            for candidate in _candidates(part, container, language, folder)
        ]
        return KIND_OF_CODE[min(candidates)[-1]] if candidates else None

    for _, _, part, number, symbols, selected in heapq.merge(
        *(_files_of(order, chosen) for order, chosen in enumerate(filters))
    ):
        outer = find_outer(symbols)
        path = part.prefix + part.index.paths[number]
        record = part.index.file(number)
        folder = path.rpartition("/")[0]
        apart = {symbols[i].container for i in selected if outer[i] < 0} - {""}
        kinds = {
            container: kind
            for container in apart
            if (kind := kind_elsewhere(container, record.language, folder)) is not None
        }
        yield ListedFile(path, record, symbols, selected, outer, kinds, _read(root, record))


def _files_of(
    order: int, chosen: PartFilter
) -> Iterator[tuple[int, int, Part, int, list[Symbol], list[int]]]:
    """Yields the files of a part with selected symbols: the position among all files, the part's
    number, the part, the file's number, its symbols, and the numbers of the selected ones."""
    index, traits = chosen.index, chosen.traits
    has_symbols = np.diff(index.file_first) > 0
    numbers = np.flatnonzero(has_symbols if chosen.files is None else chosen.files & has_symbols)
    for number, symbols, selected in symbols_of_files(index, numbers.tolist(), traits):
        if selected:
            yield int(chosen.part.file_order[number]), order, chosen.part, number, symbols, selected


def _candidates(
    part: Part, container: str, language: str, folder: str
) -> Iterator[tuple[bool, bool, int, int]]:
    """Returns for each symbol of that qualified name whether it is in another language, whether it
    is in another folder, and the quality and code of its kind."""
    index = part.index
    outer, _, name = container.rpartition(".")
    name_numbers = [
        name_number for name_number in index.names_written(name) if index.names[name_number] == name
    ]
    number = index.containers.find(outer) if name_numbers else None
    if number is None:
        return
    rows = index.rows_of_names(np.array(name_numbers))
    rows = rows[index.container_of(rows) == number][:_MOST_CANDIDATES]
    for row, file in zip(rows.tolist(), index.file_of(rows).tolist(), strict=True):
        if part.counts(file):
            code = index.traits_at(row) & 255
            own_folder = (part.prefix + index.paths[file]).rpartition("/")[0]
            yield (
                index.language_of(file) != language,
                own_folder != folder,
                KINDS[KIND_OF_CODE[code]].quality,
                code,
            )


def _read(root: Path, record: FileSymbols) -> bytes | None:
    """Returns the text of a file as it was indexed; `None` if it has changed since or cannot be
    read."""
    try:
        text = read_text_of(root, record.path, record.size)
    except OSError:
        return None
    return text.marked if text.digest == record.digest else None
