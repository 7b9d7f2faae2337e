"""Rows of an index as what they mean: the one reader for answers, listings and exports. Each column
is read when it is asked for."""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from symindex.extract.records import NAME_HERE, Symbol
from symindex.index.columns.arrays import I64, U32, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import last_up_to
from symindex.protocol.kinds import KIND_OF_CODE

if TYPE_CHECKING:
    from symindex.index.columns.details import PackedBlock, Places, Texts


class RowFacts(NamedTuple):
    """A row of an index. container: the qualified name of the enclosing symbol, empty at the top of
    a file. traits: kind + 256 * flags. file: the number of its file. path, language: of the file;
    the path is without the prefix of answers."""

    number: int
    name: str
    container: str
    traits: int
    file: int
    path: str
    language: str


class PlacedRow(NamedTuple):
    """A row of a known file. name, container, traits: as in RowFacts. line, first, last: the
    0-based lines of its name, its start and its end."""

    number: int
    name: str
    container: str
    traits: int
    line: int
    first: int
    last: int


class RowDetails(NamedTuple):
    """The details of a row. lines: its 0-based first and last line. What was not asked for is
    empty."""

    symbol_id: str = ""
    signature: str = ""
    doc: str = ""
    lines: tuple[int, int] = (0, 0)


class Rows:
    """Rows of an index, in any order. Every list is in that order."""

    def __init__(self, index: Index, numbers: I64) -> None:
        self.index = index
        self.numbers = numbers

    @property
    def names(self) -> list[str]:
        return self.index.names.take(self.index.name_of(self.numbers))

    @property
    def containers(self) -> list[str]:
        """The qualified names of the enclosing symbols, empty at the top of a file."""
        return self.index.containers.take(self.index.container_of(self.numbers))

    @property
    def paths(self) -> list[str]:
        return self.index.paths.take(self.index.file_of(self.numbers))

    @property
    def traits(self) -> list[int]:
        """Kind + 256 * flags of each row."""
        traits_of = self.index.columns.traits_of
        return [traits_of[number] for number in self.index.traits[self.numbers].tolist()]

    @property
    def name_rows(self) -> Numbers:
        """The 0-based lines of the names."""
        return self.index.name_rows_of(self.numbers)

    @property
    def lines(self) -> list[int]:
        return self.name_rows.tolist()  # type: ignore[no-any-return]

    @property
    def columns(self) -> list[int]:
        """The columns of the names, in bytes."""
        return self.index.name_columns_of(self.numbers).tolist()  # type: ignore[no-any-return]

    def fact_columns(self) -> tuple[list[Any], ...]:
        """Returns the columns of RowFacts."""
        files = self.index.file_of(self.numbers)
        return (
            self.numbers.tolist(),
            self.names,
            self.containers,
            self.traits,
            files.tolist(),
            self.index.paths.take(files),
            self.index.languages_of(files),
        )

    def facts(self) -> list[RowFacts]:
        """Returns what most answers need of each row."""
        return [*map(RowFacts, *self.fact_columns())]

    def details(self, wanted: Collection[str]) -> list[RowDetails]:
        """Returns the details of each row. wanted: some of `id`, `signature`, `doc`, `range`."""
        index, numbers = self.index, self.numbers.tolist()
        nothing = [""] * len(numbers)
        columns = (
            [*map(index.symbol_id, numbers)] if "id" in wanted else nothing,
            self._texts(lambda block: block.signatures) if "signature" in wanted else nothing,
            self._texts(lambda block: block.docs) if "doc" in wanted else nothing,
            [*map(index.lines, numbers)] if "range" in wanted else [(0, 0)] * len(numbers),
        )
        return [*map(RowDetails, *columns)]

    def _texts(self, read: "Callable[[PackedBlock], Texts]") -> list[str]:
        """Returns a text of each row. They are read by place, because those of neighbouring places
        are unpacked together."""
        places = self.index.place[self.numbers].astype(np.int64)
        order = np.argsort(places)
        names = self.index.names.take(self.index.name_of(self.numbers[order]))
        texts = _texts_at(self.index, places[order], names, read)
        return [texts[position] for position in np.argsort(order).tolist()]


def signatures_at(index: Index, places: I64) -> list[str]:
    """Returns the signatures at several places; faster than one by one."""
    return _texts_at(index, places, _names_at(index, places), lambda block: block.signatures)


def docs_at(index: Index, places: I64) -> list[str]:
    """Returns the docs at several places; faster than one by one."""
    return _texts_at(index, places, _names_at(index, places), lambda block: block.docs)


def _names_at(index: Index, places: I64) -> list[str]:
    return index.names.take(index.name_of(index.row_at[places].astype(np.int64)))


def _texts_at(
    index: Index, places: I64, names: list[str], read: "Callable[[PackedBlock], Texts]"
) -> list[str]:
    first = index.file_first[index.block_first]
    blocks = np.searchsorted(first, places.astype(np.uint32), side="right") - 1
    named_texts, last = [], -1
    for block, number, name in zip(
        blocks.tolist(), (places - first[blocks]).tolist(), names, strict=True
    ):
        if block != last:
            texts, last = read(index.block(block)), block
        named_texts.append(texts[number].replace(NAME_HERE, name))
    return named_texts


class FileRows(Rows):
    """The rows of adjacent files of one block, by place, with their details.

    file, end: the half-open range of the files' numbers.
    """

    def __init__(self, index: Index, file: int, end: int) -> None:
        self.low: int = int(index.file_first[file])
        self.high: int = int(index.file_first[end])
        self._files = file, end
        super().__init__(index, index.row_at[self.low : self.high].astype(np.int64))

    def _in_block(self) -> "tuple[PackedBlock, int, int]":
        """Returns the block with their details, and their range in it."""
        block, start = self.index.block_of_file(self._files[0])
        return block, self.low - start, self.high - start

    @property
    def name_rows(self) -> I64:
        return self.index.name_rows_of_files(*self._files)

    def placed(self) -> list[PlacedRow]:
        """Returns the rows with their lines."""
        block, start, end = self._in_block()
        lines = self.name_rows
        first, last = block.lines(start, end, lines)
        columns = (
            self.numbers.tolist(),
            self.names,
            self.containers,
            self.traits,
            lines.tolist(),
            first.tolist(),
            last.tolist(),
        )
        return [*map(PlacedRow, *columns)]

    @property
    def places(self) -> "Places":
        """The byte offsets of the symbols and their names."""
        return self._places(self.index.name_of(self.numbers))

    def _places(self, names: I64) -> "Places":
        block, first, last = self._in_block()
        offset = self.index.names.offset
        return block.places(first, last, offset[names + 1] - offset[names] - np.uint32(1))

    @property
    def first_lines(self) -> I64:
        """The 0-based first lines."""
        block, start, end = self._in_block()
        return block.lines(start, end, self.name_rows)[0]

    def symbols(self) -> list[Symbol]:
        """Returns the symbols as they were extracted."""
        if self.low == self.high:
            return []
        block, first, last = self._in_block()
        names, traits, lines = self.index.name_of(self.numbers), self.traits, self.name_rows
        places = self._places(names)
        columns = zip(
            self.index.names.take(names),
            [KIND_OF_CODE[kind_and_flags & 255] for kind_and_flags in traits],
            self.containers,
            [kind_and_flags >> 8 for kind_and_flags in traits],
            *(column.tolist() for column in places[:2]),
            *(column.tolist() for column in block.lines(first, last, lines)),
            *(column.tolist() for column in places[2:]),
            lines.tolist(),
            self.columns,
            block.signatures.between(first, last),
            block.docs.between(first, last),
            strict=True,
        )
        return [
            Symbol(name, *fields, signature.replace(NAME_HERE, name), doc.replace(NAME_HERE, name))  # type: ignore[call-arg]  # as many
            for name, *fields, signature, doc in columns
        ]


class Ranges(NamedTuple):
    """By place: the byte offsets of a symbol's start and end, and its 0-based first line."""

    starts: U32
    ends: U32
    first_lines: I64


def ranges_in(index: Index) -> Ranges:
    """Returns the ranges of all symbols; unpacks all blocks."""
    starts, ends = (np.zeros(index.n_symbols, dtype=np.uint32) for _ in range(2))
    lines = np.zeros(index.n_symbols, dtype=np.int64)
    for first, end in pairwise(index.block_first.tolist()):
        rows = FileRows(index, first, end)
        if rows.low < rows.high:
            places = rows.places
            starts[rows.low : rows.high] = places.start_byte
            ends[rows.low : rows.high] = places.end_byte
            lines[rows.low : rows.high] = rows.first_lines
    return Ranges(starts, ends, lines)


def facts_at(index: Index, row: int) -> RowFacts:
    """Returns the facts of one row; faster than as one of several."""
    container, name, traits = index.described(row)
    file = index.file_at(row)
    return RowFacts(row, name, container, traits, file, *index.path_and_language(file))


def placed_rows(index: Index, file: int) -> list[PlacedRow]:
    """Returns the rows of a file with their lines, in the order of their names in it."""
    return FileRows(index, file, file + 1).placed()


def symbols_of_files(
    index: Index, files: Iterable[int], traits: Mask | None = None
) -> Iterator[tuple[int, list[Symbol], list[int]]]:
    """Yields the files with symbols: the number of the file, its symbols, and the numbers of the
    selected ones among these. Files must come in order, because symbols are read block by block.
    traits: by number of traits, whether symbols with them are selected; `None` for all."""
    start = end = 0
    symbols: list[Symbol] = []
    is_wanted: list[bool] = []
    for number in files:
        low, high = index.file_first[number : number + 2].tolist()
        if low == high:
            continue
        if not start <= low < high <= end:
            block = last_up_to(index.block_first, number)
            rows = FileRows(index, *index.block_first[block : block + 2].tolist())
            start, end = rows.low, rows.high
            symbols = rows.symbols()
            is_wanted = (
                [True] * len(symbols)
                if traits is None
                else traits[index.traits[rows.numbers]].tolist()
            )
        selected = [
            position for position, flag in enumerate(is_wanted[low - start : high - start]) if flag
        ]
        yield number, symbols[low - start : high - start], selected
