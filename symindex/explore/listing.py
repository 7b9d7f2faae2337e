"""All symbols of an index, file by file, with all that is known of them: for who hands on the whole.

Files come in the order of their paths, and of each only its own symbols are in memory, with the block of details that they stand
in. What encloses a symbol is told, too: the symbol of its file that its container names, or, where that stands in another file (a
method apart from its type), at least its kind.
"""

import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from symindex.extract.containment import find_outer
from symindex.extract.file_text import read_text_of
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, Symbol
from symindex.index.columns import Index
from symindex.index.integer_columns import last_up_to
from symindex.index.rows import FileRows
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol import KIND_OF_CODE, KINDS, SearchRequest, SymbolKind, check_request
from symindex.search.filters import Filter, PartFilter


class ListedFile(NamedTuple):
    """A file and its symbols.

    path: as it is shown. known: what is known of it, its language among it.
    symbols: all of them, in the order of their names in the file. wanted: the numbers of those that were asked for.
    outer: by symbol, the number of the one that its container names, -1 where that is none of this file.
    kinds_elsewhere: the kinds of such containers, where the index has them in another file.
    text: what stands in it, so that the places of symbols are right, with a byte order mark that it begins with; `None` where it
        was not asked for, or is not any more as it was.
    """

    path: str
    known: FileSymbols
    symbols: list[Symbol]
    wanted: list[int]
    outer: list[int]
    kinds_elsewhere: dict[str, SymbolKind]
    text: bytes | None = None


def list_sources(root: Path, snapshot: Snapshot, languages: Languages, request: SearchRequest) -> Iterator[ListedFile]:
    """The files of a tree that hold symbols of the request's kinds, languages and paths, with their texts.

    Raises RequestError at once for a kind, a language or a glob that cannot be.
    """
    check_request(request)
    wanted = frozenset(languages.get(word).id for word in request.languages or ())
    files = list_files(snapshot, Filter(tuple(request.kinds or ()), wanted, tuple(request.paths or ())))
    return (file._replace(text=_read(root, file.known)) for file in files)


def list_files(snapshot: Snapshot, wanted: Filter) -> Iterator[ListedFile]:
    """The files of a snapshot that hold symbols that are wanted, without their texts. Raises RequestError at once."""
    return _list(snapshot, [PartFilter(part, wanted) for part in snapshot.parts])


def _list(snapshot: Snapshot, filters: list[PartFilter]) -> Iterator[ListedFile]:
    elsewhere = _Elsewhere(snapshot)
    for _, _, part, number in heapq.merge(*(_files_of(order, chosen) for order, chosen in enumerate(filters))):
        symbols, wanted = part.symbols(number)
        if not wanted:
            continue
        outer = find_outer(symbols)
        index = part.index
        path = part.part.prefix + index.paths[number]
        known = index.file(number)
        unknown = {symbols[i].container for i in wanted if outer[i] < 0} - {""}
        kinds = {
            container: kind for container in unknown if (kind := elsewhere.kind_of(container, known.language, path)) is not None
        }
        yield ListedFile(path, known, symbols, wanted, outer, kinds)


def _files_of(order: int, chosen: PartFilter) -> "Iterator[tuple[int, int, _PartSymbols, int]]":
    """The files of a part that may hold what is wanted: where each comes among all, the part's own number, and which it is."""
    symbols = _PartSymbols(chosen)
    counts = np.diff(chosen.index.file_first)
    kept = counts > 0 if chosen.files is None else chosen.files & (counts > 0)
    numbers = np.flatnonzero(kept)
    for place, number in zip(chosen.part.file_order[numbers].tolist(), numbers.tolist(), strict=True):
        yield place, order, symbols, number


class _PartSymbols:
    """The symbols of a part, whole again. What was last unpacked is kept, since files come in order."""

    def __init__(self, chosen: PartFilter) -> None:
        self.part: Part = chosen.part
        self.index: Index = chosen.index
        self._traits = chosen.traits
        self._first = self._end = 0
        self._symbols: list[Symbol] = []
        self._kept: list[bool] = []

    def symbols(self, number: int) -> tuple[list[Symbol], list[int]]:
        """All symbols of a file, and the numbers of those that the filter lets through."""
        low, high = self.index.file_first[number : number + 2].tolist()
        if not self._first <= low < high <= self._end:
            self._unpack(last_up_to(self.index.block_first, number))
        at, end = low - self._first, high - self._first
        return self._symbols[at:end], [i for i, kept in enumerate(self._kept[at:end]) if kept]

    def _unpack(self, block: int) -> None:
        rows = FileRows(self.index, *self.index.block_first[block : block + 2].tolist())
        self._first, self._end = rows.low, rows.high
        kept = np.ones(len(rows.numbers), dtype=bool) if self._traits is None else self._traits[self.index.traits[rows.numbers]]
        self._kept = kept.tolist()
        self._symbols = rows.symbols()


class _Elsewhere:
    """The kinds of containers that stand in other files than what they contain."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[tuple[str, str, str], SymbolKind | None] = {}

    def kind_of(self, container: str, language: str, path: str) -> SymbolKind | None:
        """Of those of that qualified name the one in the same language, if there is one, the same folder, and the best kind."""
        folder = path.rpartition("/")[0]
        key = (container, language, folder)
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = [each for part in self._snapshot.parts for each in _candidates(part, container, language, folder)]
            self._known[key] = KIND_OF_CODE[min(found)[-1]] if found else None
        return self._known[key]


_REMEMBERED: Final = 4_096
_MOST_CANDIDATES: Final = 200
"""Beyond so many of one name the first decide: a name that common is hardly one type's."""


def _candidates(part: Part, container: str, language: str, folder: str) -> list[tuple[bool, bool, int, int]]:
    """Symbols of that qualified name: whether in another language, in another folder, the quality and the code of its kind."""
    index = part.index
    outer, _, name = container.rpartition(".")
    named = [at for at in index.names_written(name) if index.names[at] == name]
    number = index.containers.find(outer) if named else None
    if number is None:
        return []
    rows = index.rows_of_names(np.array(named))
    rows = rows[index.container_of(rows) == number][:_MOST_CANDIDATES]
    files = index.file_of(rows)
    found = []
    for row, file in zip(rows.tolist(), files.tolist(), strict=True):
        if part.counts(file):
            kind = KINDS[KIND_OF_CODE[index.kind_code(row)]]
            other = index.language_of(file) != language
            apart = (part.prefix + index.paths[file]).rpartition("/")[0] != folder
            found.append((other, apart, kind.quality, kind.code))
    return found


def _read(root: Path, known: FileSymbols) -> bytes | None:
    """A file's text as its symbols were found in it; `None` if it has changed since, or cannot be read."""
    try:
        text = read_text_of(root, known.path, known.size)
    except OSError:
        return None
    return text.marked if text.digest == known.digest else None
