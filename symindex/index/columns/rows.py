"""Rows of an index as what they mean: the one reader for answers, listings and exports. Each column
is read when it is first used."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from symindex.extract.records import NAME_HERE, Symbol
from symindex.index.columns.arrays import I64, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import last_up_to
from symindex.protocol.kinds import KIND_OF_CODE, SymbolKind
from symindex.text.made_once import made_once

if TYPE_CHECKING:
    from symindex.index.columns.details import PackedBlock, Places


class Rows:
    """Rows of an index, in any order. Every list is in that order."""

    def __init__(self, index: Index, numbers: I64) -> None:
        self.index = index
        self.numbers = numbers

    @made_once
    def _name_numbers(self) -> I64:
        return self.index.name_of(self.numbers)

    @made_once
    def names(self) -> list[str]:
        return self.index.names.take(self._name_numbers)

    @made_once
    def containers(self) -> list[str]:
        """The qualified names of the enclosing symbols, empty at the top of a file."""
        return self.index.containers.take(self.index.container_of(self.numbers))

    @property
    def paths(self) -> list[str]:
        return self.index.paths.take(self.index.file_of(self.numbers))

    @made_once
    def traits(self) -> list[int]:
        """Kind + 256 * flags of each row."""
        traits_of = self.index.columns.traits_of
        return [traits_of[number] for number in self.index.traits[self.numbers].tolist()]

    @property
    def kinds(self) -> list[SymbolKind]:
        return [KIND_OF_CODE[traits & 255] for traits in self.traits]

    @property
    def flags(self) -> list[int]:
        """The SymbolFlag bits of each row."""
        return [traits >> 8 for traits in self.traits]

    @made_once
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


class FileRows(Rows):
    """The rows of adjacent files of one block, by place, with their details.

    file, end: the half-open range of the files' numbers.
    """

    def __init__(self, index: Index, file: int, end: int) -> None:
        self.low: int = int(index.file_first[file])
        self.high: int = int(index.file_first[end])
        self._files = file, end
        super().__init__(index, index.row_at[self.low : self.high].astype(np.int64))

    @made_once
    def _in_block(self) -> "tuple[PackedBlock, int, int]":
        """The block with their details, and their range in it."""
        block, start = self.index.block_of_file(self._files[0])
        return block, self.low - start, self.high - start

    @made_once
    def name_rows(self) -> I64:
        return self.index.name_rows_of_files(*self._files)

    @property
    def first_and_last_lines(self) -> tuple[list[int], list[int]]:
        """The 0-based first and last lines."""
        block, first, last = self._in_block
        begin, end = block.lines(first, last, self.name_rows)
        return begin.tolist(), end.tolist()

    @made_once
    def places(self) -> "Places":
        """The byte offsets of the symbols and their names."""
        block, first, last = self._in_block
        offset, names = self.index.names.offset, self._name_numbers
        return block.places(first, last, offset[names + 1] - offset[names] - np.uint32(1))

    def symbols(self) -> list[Symbol]:
        """Returns the symbols as they were extracted."""
        if self.low == self.high:
            return []
        block, first, last = self._in_block
        columns = zip(
            self.names,
            self.kinds,
            self.containers,
            self.flags,
            *(column.tolist() for column in self.places[:2]),
            *self.first_and_last_lines,
            *(column.tolist() for column in self.places[2:]),
            self.lines,
            self.columns,
            block.signatures.between(first, last),
            block.docs.between(first, last),
            strict=True,
        )
        return [
            Symbol(name, *fields, signature.replace(NAME_HERE, name), doc.replace(NAME_HERE, name))  # type: ignore[call-arg]  # as many
            for name, *fields, signature, doc in columns
        ]


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
