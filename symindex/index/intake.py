"""Files that were read, taken in as they come: the part of a build that need not wait for the last file.

While workers parse, the process that waits for them has little to do. So it numbers names and containers and divides tokens of
the files that are done. In which order they come makes no difference to the index.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec
import numpy as np

from symindex.extract.items.item import ItemFacts
from symindex.extract.records import PACKED_NUMBERS, FileSymbols, PackedSymbols
from symindex.index.arrays import I64, U32, Numbers
from symindex.index.details import Block, relative_numbers
from symindex.index.documents import described, fresh_items
from symindex.index.item_columns import Items
from symindex.index.strings import InternTable, ends_of
from symindex.index.words.build_words import Postings, TokenCollector
from symindex.index.words.mentions import fresh_mentions

_FILES_AT_ONCE: Final = 512
"""Bounds the memory for what is made on the way."""

_T = TypeVar("_T")


def hand_over(items: list[_T]) -> Iterator[_T]:
    """The items from the last to the first, each of which the list drops."""
    while items:
        yield items.pop()


class Tables:
    """The distinct texts of all inputs of a build."""

    def __init__(self) -> None:
        self.names, self.containers, self.words = InternTable(), InternTable(), InternTable()


@dataclass
class Input:
    """Some files and their symbols, file by file.

    counts: symbols by file. symbols: by symbol the numbers of its name and its container in the intern tables, its traits (kind +
    256 * flags), and the line and the column of its name, shape (5, symbols). details: of each file, in the order of the paths.
    words: of the symbols' texts. mentions: of the files: hashes, and the files' numbers here. items: those among the symbols.
    """

    files: list[FileSymbols]
    counts: I64
    symbols: U32
    details: Iterator[Block]
    words: Postings
    mentions: tuple[Numbers, Numbers]
    items: Items


class Intake:
    """Takes in files that were read, in any order.

    tables: their texts. with_documents: those that have documents, with these as their symbols.
    """

    def __init__(self) -> None:
        self.tables = Tables()
        self.with_documents: list[FileSymbols] = []
        self._waiting: list[FileSymbols] = []
        self._files: list[FileSymbols] = []
        self._counts: list[int] = []
        self._symbols = [np.empty((5, 0), dtype=np.uint32)]
        self._details: list[Block] = []
        self._tokens = TokenCollector(self.tables.words)
        self._mentions: list[bytes] = []
        self._items: tuple[list[int], list[ItemFacts]] = ([], [])
        self._n_symbols = 0

    @classmethod
    def of(cls, read: Iterable[FileSymbols]) -> "Intake":
        """With these files. An iterator that drops what it has handed over (`hand_over`) saves that memory."""
        intake = cls()
        for file in read:
            intake.add([file])
        return intake

    def add(self, files: Iterable[FileSymbols]) -> None:
        """Takes in some files, perhaps later together with others."""
        self._waiting += files
        while len(self._waiting) >= _FILES_AT_ONCE:
            some, self._waiting = self._waiting[:_FILES_AT_ONCE], self._waiting[_FILES_AT_ONCE:]
            self._take_in(some)

    def _take_in(self, files: Sequence[FileSymbols]) -> None:
        self.with_documents += described(files)
        numbers, facts = fresh_items(files)
        self._items[0].extend(self._n_symbols + number for number in numbers)
        self._items[1].extend(facts)
        packed = [file.symbols for file in files]
        counts = [some.count for some in packed]
        self._mentions += [file.mentions for file in files]
        nothing: dict[str, Any] = {"symbols": PackedSymbols(), "mentions": b"", "documents": PackedSymbols(), "items": []}
        self._files += [msgspec.structs.replace(file, **nothing) for file in files]
        self._counts += counts
        self._n_symbols += sum(counts)
        self._tokens.add([some.tokens for some in packed])
        blob = b"".join([some.names for some in packed])
        table = np.frombuffer(b"".join([some.numbers for some in packed]), dtype="<u4").reshape(-1, len(PACKED_NUMBERS))
        column = dict(zip(PACKED_NUMBERS, table.T, strict=True))
        of_file = np.array([file.flags for file in files], dtype=np.uint32)
        traits = column["kind"] | (column["flags"] | np.repeat(of_file, counts)) << 8
        names, containers = self.tables.names.number_blob(blob), b"".join([some.containers for some in packed])
        of_containers = self.tables.containers.number_blob(containers)
        self._symbols.append(np.stack([names, of_containers, traits, column["name_row"], column["name_column"]]))
        relative = relative_numbers(table, np.diff(ends_of(blob), prepend=-1).astype(np.uint32) - 1)
        by_file = np.split(relative, np.cumsum(counts)[:-1])
        self._details += [Block(part, some.signatures, some.docs) for some, part in zip(packed, by_file, strict=True)]

    def taken(self) -> Input:
        """All that was taken in, for one build."""
        if self._waiting:
            self._take_in(self._waiting)
            self._waiting = []
        files, details = self._files, self._details
        backwards = sorted(range(len(files)), key=lambda number: files[number].path, reverse=True)
        return Input(
            files,
            np.array(self._counts, dtype=np.int64),
            np.concatenate(self._symbols, axis=1),
            hand_over([details[number] for number in backwards]),
            self._tokens.postings(),
            fresh_mentions(self._mentions),
            self._items,
        )
