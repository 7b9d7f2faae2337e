"""Takes in files while others are still being read: the part of a build that need not wait for the
last file.

While workers parse, the process that waits for them has little to do. So it numbers names and
containers and splits tokens into words, for the files that are done. Their order makes no
difference to the index.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec
import numpy as np

from symindex.extract.items.item import ItemFacts
from symindex.extract.records import PACKED_NUMBERS, FileSymbols, PackedSymbols
from symindex.index.columns.arrays import I64, U32
from symindex.index.columns.details import DetailsStore, SymbolDetails, relative_numbers
from symindex.index.columns.documents import described, fresh_items
from symindex.index.columns.item_columns import Items
from symindex.index.columns.strings import InternTable, ends_of
from symindex.index.scratch import Column, Scratch
from symindex.index.words.build_mentions import FreshMentions, MentionSource, fresh_mentions
from symindex.index.words.build_words import PostingSource, TokenCollector
from symindex.workers.freed_memory import give_back_memory

_FILES_AT_ONCE: Final = 512
_SYMBOLS_AT_ONCE: Final = 8_000
"""Most files and symbols that are taken in at once, which limits the memory for temporary data."""

_TIMES_KEPT: Final = 4
"""Number of portions after which temporary memory is given back to the system: some 20 MB, in a
millisecond."""

_T = TypeVar("_T")


def hand_over(items: list[_T]) -> Iterator[_T]:
    """Yields the items from the last to the first, and removes each from the list."""
    while items:
        yield items.pop()


class TextTables:
    """The distinct texts of all inputs of a build."""

    def __init__(self) -> None:
        self.names: InternTable = InternTable()
        self.containers: InternTable = InternTable()
        self.words: InternTable = InternTable()


@dataclass
class BuildInput:
    """Files and their symbols, file by file.

    counts: number of symbols by file. symbols: five columns by symbol: the numbers of its name and
    its container in the intern tables, its traits (kind + 256 * flags), the line and the column of
    its name. details: by file, in the order of the paths. words: of the symbols' texts. mentions:
    of the files. items: the items among the symbols.

    Iterators are read when they are needed, so that not everything is in memory at once.
    """

    files: list[FileSymbols]
    counts: I64
    symbols: Iterator[U32]
    details: Iterator[SymbolDetails]
    words: PostingSource
    mentions: MentionSource
    items: Items


class Intake:
    """Takes in newly read files, in any order.

    scratch: stores what is needed only at the end, and stays open until the index is built; in
    memory by default. tables: the texts. documents: an intake of the files with sections or items,
    which are its symbols; `None` if there are none. is_prose: whether the
    symbols are sections and items.
    """

    def __init__(self, scratch: Scratch | None = None, is_prose: bool = False) -> None:
        self.tables: TextTables = TextTables()
        self.documents: Intake | None = None
        self._waiting: list[FileSymbols] = []
        self._n_waiting = self._n_portions = 0
        self._files: list[FileSymbols] = []
        self._scratch = scratch or Scratch()
        self._symbols = [Column(self._scratch) for _ in range(5)]
        self._details = DetailsStore(self._scratch)
        self._tokens = TokenCollector(self.tables.words, self._scratch, is_prose)
        self._mentions = Column(self._scratch), Column(self._scratch)
        self._counts: list[int] = []
        self._items: tuple[list[int], list[ItemFacts]] = ([], [])
        self._n_symbols = 0

    @classmethod
    def of(cls, read: Iterable[FileSymbols]) -> "Intake":
        """Makes an intake of these files. An iterator that drops what it has yielded (`hand_over`)
        saves memory."""
        intake = cls()
        for file in read:
            intake.add([file])
        return intake

    def add(self, files: Iterable[FileSymbols]) -> None:
        """Takes in files, perhaps later together with others. Raises StorageError if the scratch
        file cannot be written."""
        for file in files:
            self._waiting.append(file)
            self._n_waiting += file.symbols.count
            if len(self._waiting) >= _FILES_AT_ONCE or self._n_waiting >= _SYMBOLS_AT_ONCE:
                self._take_in()
                self._n_portions += 1
                if self._n_portions % _TIMES_KEPT == 0:
                    give_back_memory()

    def _take_in(self) -> None:
        files, self._waiting, self._n_waiting = self._waiting, [], 0
        if of_documents := described(files):
            self.documents = self.documents or Intake(self._scratch, is_prose=True)
            self.documents.add(of_documents)
        numbers, facts = fresh_items(files)
        self._items[0].extend(self._n_symbols + number for number in numbers)
        self._items[1].extend(facts)
        packed = [file.symbols for file in files]
        counts = [values.count for values in packed]
        mentions = fresh_mentions([file.mentions for file in files], len(self._files))
        for column_in_scratch, values in zip(self._mentions, mentions, strict=True):
            column_in_scratch.add(values)
        nothing: dict[str, Any] = {
            "symbols": PackedSymbols(),
            "mentions": b"",
            "bindings": b"",
            "documents": PackedSymbols(),
            "items": [],
        }
        self._files += [msgspec.structs.replace(file, **nothing) for file in files]
        self._counts += counts
        self._n_symbols += sum(counts)
        self._tokens.add([values.tokens for values in packed])
        blob = b"".join([values.names for values in packed])
        table = np.frombuffer(b"".join([values.numbers for values in packed]), dtype="<u4").reshape(
            -1, len(PACKED_NUMBERS)
        )
        column = dict(zip(PACKED_NUMBERS, table.T, strict=True))
        of_file = np.array([file.flags for file in files], dtype=np.uint32)
        traits = column["kind"] | (column["flags"] | np.repeat(of_file, counts)) << 8
        names, containers = (
            self.tables.names.number_blob(blob),
            b"".join([values.containers for values in packed]),
        )
        of_containers = self.tables.containers.number_blob(containers)
        fresh = names, of_containers, traits, column["name_row"], column["name_column"]
        for column_in_scratch, values in zip(self._symbols, fresh, strict=True):
            column_in_scratch.add(values)
        relative = relative_numbers(table, np.diff(ends_of(blob), prepend=-1).astype(np.uint32) - 1)
        by_file = np.split(relative, np.cumsum(counts)[:-1])
        self._details.add(
            [
                SymbolDetails(part, values.signatures, values.docs, file.bindings + b"\0")
                for file, values, part in zip(files, packed, by_file, strict=True)
            ]
        )

    def taken(self) -> BuildInput:
        """Returns everything that was taken in, for one build."""
        if self._waiting:
            self._take_in()
        files = self._files
        order = sorted(range(len(files)), key=lambda number: files[number].path)
        return BuildInput(
            files,
            np.array(self._counts, dtype=np.int64),
            (column.all() for column in self._symbols),
            map(self._details.read, order),
            self._tokens.postings(),
            FreshMentions(*self._mentions),
            self._items,
        )
