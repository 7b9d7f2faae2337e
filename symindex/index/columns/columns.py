"""Read access to the columns of an index (`index/columns/layout`): the symbols of some files,
immutable.

A file may be damaged without anybody having noticed, so everything is checked against its bounds
when it is first read.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from symindex.extract.records import DIGEST_BYTES, NAME_HERE, FileSymbols
from symindex.files.skips import SKIP_CODES
from symindex.index.columns.arrays import I64, U8, U32, Numbers
from symindex.index.columns.integer_columns import (
    IntegerRuns,
    SmallIntegers,
    WideIntegers,
    edges_of,
    join_ranges,
    last_up_to,
    read_below,
    read_edges,
    read_narrow,
    require,
)
from symindex.index.columns.layout import (
    NOTE_CONFLICTED,
    NOTE_ODD_ENCODING,
    NOTE_SYNTAX_ERRORS,
    RARE,
    Columns,
)
from symindex.index.columns.name_bitmaps import SLICES, Slices
from symindex.index.columns.strings import PathTable, StringTable
from symindex.text.folding import fold_each, forms_of, squashed
from symindex.text.words import words_of_each

if TYPE_CHECKING:
    from symindex.extract.items.item import ItemFacts
    from symindex.index.columns.details import PackedBlock
    from symindex.index.words.mentions import Mentions
    from symindex.index.words.name_words import NameWords
    from symindex.index.words.text_words import TextWords


class Index:
    """The columns as numpy arrays and string tables, each made when it is first used.

    Most methods take rows, as arrays or one at a time; those that take files, names or places say
    so. memo: results that searches have computed from the columns and may need again. kept: results
    of the last query, by the module that keeps them; nothing in it may refer to the index.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._blocks: dict[int, PackedBlock] = {}
        self.memo: dict[tuple[str, ...], Numbers] = {}
        self.kept: dict[str, object] = {}

    @cached_property
    def n_symbols(self) -> int:
        return len(self.columns.traits)

    @property
    def n_files(self) -> int:
        """The number of files, including skipped ones."""
        return len(self.columns.file_skip)

    @cached_property
    def names(self) -> StringTable:
        columns = self.columns
        return StringTable(
            columns.name_blob, columns.name_sizes, "names", len(columns.name_word_count)
        )

    @cached_property
    def containers(self) -> StringTable:
        """The distinct qualified names of containers; number 0 is the empty name."""
        return StringTable(self.columns.container_blob, self.columns.container_sizes, "containers")

    @cached_property
    def folders(self) -> StringTable:
        """The distinct folders, each with a final slash except the root, which is number 0."""
        return StringTable(self.columns.folder_blob, self.columns.folder_sizes, "folders")

    @cached_property
    def folder_of(self) -> Numbers:
        """By file: the number of its folder."""
        column = "column path_folder"
        return read_below(
            read_narrow(self.columns.path_folder, self.n_files, column), len(self.folders), column
        )

    @cached_property
    def paths(self) -> PathTable:
        columns = self.columns
        bases = StringTable(columns.base_blob, columns.base_sizes, "paths", self.n_files)
        return PathTable(
            self.folders,
            read_narrow(columns.path_folder, self.n_files, "column path_folder"),
            bases,
        )

    @cached_property
    def slices(self) -> Slices:
        bits = np.frombuffer(self.columns.name_slices, dtype="<u8").reshape(SLICES, -1)
        return Slices(bits, np.frombuffer(self.columns.slice_counts, dtype="<u4"), len(self.names))

    @cached_property
    def words(self) -> "NameWords":
        from symindex.index.words.name_words import NameWords

        counts = self.u8("name_word_count")
        table = StringTable(self.columns.word_blob, self.columns.word_sizes, "words")
        flat = read_narrow(
            self.columns.name_words, int(counts.sum(dtype=np.int64)), "column name_words"
        )
        return NameWords(table, counts, read_below(flat, len(table), "column name_words"))

    @cached_property
    def text_words(self) -> "TextWords":
        """The words of signatures, docs, containers and paths."""
        from symindex.index.words.text_words import TextWords

        columns = self.columns
        table = StringTable(
            columns.text_word_blob,
            columns.text_word_sizes,
            "words of texts",
            len(columns.word_fields),
        )
        sizes = SmallIntegers(columns.posting_sizes, "column posting_sizes")
        n = self.n_symbols
        limits = (n, n, n, len(self.containers), len(self.folders), self.n_files, n, n)
        return TextWords(table, self.u8("word_fields"), sizes, columns.postings, limits)

    @cached_property
    def mentions(self) -> "Mentions":
        """Name hash -> the files that mention the name."""
        from symindex.index.words.mentions import Mentions

        columns = self.columns
        sizes = SmallIntegers(columns.mention_sizes, "column mention_sizes")
        return Mentions(columns.mention_hashes, sizes, columns.mentions, self.n_files)

    @cached_property
    def items(self) -> "tuple[I64, list[ItemFacts]]":
        """The places of the symbols that are items, in order, and the facts about each."""
        from symindex.index.columns.item_columns import read_items

        return read_items(self.columns, self.n_symbols)

    @cached_property
    def documents(self) -> "Index | None":
        """The sections and items of the files, as an index of their own."""
        columns = self.columns.documents
        return Index(columns) if columns is not None else None

    @cached_property
    def document_files(self) -> I64:
        """By file of `documents`: its number here."""
        numbers = np.frombuffer(self.columns.document_files, dtype="<u4").astype(np.int64)
        return read_below(numbers, self.n_files, "column document_files")

    @cached_property
    def odd_names(self) -> U32:
        """The numbers of the odd names, which have no words (`index/words/name_words`), in
        order."""
        return read_below(
            np.frombuffer(self.columns.odd_names, dtype="<u4"), len(self.names), "column odd_names"
        )

    @cached_property
    def odd_words(self) -> dict[str, list[int]]:
        """Word -> the numbers of the odd names that contain it."""
        numbers_of: dict[str, list[int]] = {}
        for number, words in zip(
            self.odd_names.tolist(),
            words_of_each(self.names.take(self.odd_names.astype(np.int64))),
            strict=True,
        ):
            for word in dict.fromkeys(words):
                numbers_of.setdefault(word, []).append(number)
        return numbers_of

    @cached_property
    def name_first(self) -> U32:
        """The first row of each name, followed by the number of rows."""
        return edges_of(
            self._small("name_rows", len(self.names)).all(), self.n_symbols, "column name_rows"
        )

    def _small(self, column: str, count: int) -> SmallIntegers:
        return SmallIntegers(getattr(self.columns, column), f"column {column}", count)

    @cached_property
    def place(self) -> WideIntegers:
        """By row: its place."""
        return WideIntegers(self.columns.place_low, self.columns.place_high, "column place")

    @cached_property
    def traits(self) -> Numbers:
        """By row: its number in `columns.traits_of`."""
        traits: Numbers = self.u8("traits")
        if len(self.columns.rare_traits):
            rare = np.flatnonzero(traits == RARE)
            traits = traits.astype(np.uint16)
            n_rare = len(self.columns.rare_traits) // 2
            require(n_rare == len(rare), f"column rare_traits: {n_rare:,}, not {len(rare):,}")
            traits[rare] = np.frombuffer(self.columns.rare_traits, dtype="<u2")
        return read_below(traits, len(self.columns.traits_of), "column traits")

    @cached_property
    def container_runs(self) -> IntegerRuns:
        """By place: the number of its container."""
        columns, column = self.columns, "column container_runs"
        return IntegerRuns(
            columns.container_runs,
            columns.container_counts,
            self.n_symbols,
            len(self.containers),
            column,
        )

    def container_of(self, rows: I64) -> Numbers:
        """Returns the numbers, in `containers`, of the rows' containers."""
        return self.container_runs[self.place[rows]]

    def all_containers(self) -> Numbers:
        """Returns the number of every row's container."""
        return self.container_runs.all()[self.place[:]]

    @cached_property
    def _line_steps(self) -> SmallIntegers:
        return self._small("line_steps", self.n_symbols)

    def name_row(self, row: int) -> int:
        """Returns the 0-based line of a row's name."""
        place = self.place.at(row)
        first = int(self.file_first[last_up_to(self.file_first, place)])
        return self._line_steps.sum(first, place + 1)

    def name_rows_of(self, rows: I64) -> Numbers:
        """Returns the 0-based lines of several rows' names."""
        places = self.place[rows]
        if len(rows) * 16 > self.n_symbols:
            return self.name_rows_of_files(0, self.n_files)[places]
        first = self.file_first[np.searchsorted(self.file_first, places, side="right") - 1]
        return self._line_steps.sums(first.astype(np.int64), places.astype(np.int64))

    def name_rows_of_files(self, file: int, end: int) -> I64:
        """Returns the 0-based lines of names by place, for all symbols of a range of files."""
        edges = self.file_first[file : end + 1]
        sums = np.cumsum(self._line_steps[np.arange(edges[0], edges[-1])], dtype=np.uint32)
        lines: I64 = (
            sums - np.repeat(np.append(np.uint32(0), sums)[edges[:-1] - edges[0]], np.diff(edges))
        ).astype(np.int64)
        return lines

    def name_columns_of(self, rows: I64) -> U32:
        """Returns the columns of several rows' names, in bytes."""
        return self.name_columns[self.place[rows]]

    @cached_property
    def name_columns(self) -> SmallIntegers:
        """By place: the column of its name, in bytes."""
        return self._small("name_columns", self.n_symbols)

    @cached_property
    def file_first(self) -> U32:
        """The first place of each file, followed by the number of places."""
        return edges_of(
            self._small("file_places", self.n_files).all(), self.n_symbols, "column file_places"
        )

    def u8(self, column: str) -> U8:
        """Returns a column of bytes, by its name in Columns."""
        return np.frombuffer(getattr(self.columns, column), dtype="<u1")

    def name_of(self, rows: I64) -> I64:
        """Returns the numbers of the rows' names."""
        return np.searchsorted(self.name_first, rows.astype(np.uint32), side="right") - 1

    def file_of(self, rows: I64) -> I64:
        """Returns the numbers of the rows' files."""
        return np.searchsorted(self.file_first, self.place[rows], side="right") - 1

    def rows_of_names(self, numbers: I64) -> I64:
        """Returns the rows of several names, name by name."""
        first = self.name_first[numbers].astype(np.int64)
        return join_ranges(first, self.name_first[numbers + 1] - first)

    def spread_files(self, values: Numbers) -> Numbers:
        """Turns a value per file into a value per row."""
        if not self.n_symbols:
            return np.zeros(0, dtype=values.dtype)
        return np.repeat(values, np.diff(self.file_first))[self.place[:]]

    def spread_names(self, values: Numbers) -> Numbers:
        """Turns a value per name into a value per row."""
        return np.repeat(values, np.diff(self.name_first))

    def squashed_range(self, squashed: str) -> tuple[int, int]:
        """Returns the range of names whose folded form without separators begins with
        `squashed`."""
        low = bisect_left(range(len(self.names)), squashed, key=self._squashed)
        bound, high, step = low, low, 1
        # Most ranges are short, so this doubles its steps before it bisects.
        while high < len(self.names) and self._squashed(high).startswith(squashed):
            bound, high, step = high, min(high + step, len(self.names)), step * 2
        return low, bisect_left(
            range(high),
            True,
            lo=bound,
            key=lambda number: not self._squashed(number).startswith(squashed),
        )

    def names_written(self, name: str) -> list[int]:
        """Returns the numbers of the names that equal this one, ignoring case."""
        forms = forms_of(name)
        numbers = self.names_squashed(forms.squashed)
        folded = fold_each([self.names[number] for number in numbers])
        return [
            number for number, text in zip(numbers, folded, strict=True) if text == forms.folded
        ]

    def names_squashed(self, squashed: str) -> range:
        """Returns the numbers of the names that equal this one, ignoring case and separators."""
        every = range(len(self.names))
        low = high = bisect_left(every, squashed, key=self._squashed)
        while high < len(every) and self._squashed(high) == squashed:  # Few names are equal.
            high += 1
        return range(low, high)

    def any_squashed(self, texts: Sequence[str]) -> I64:
        """Returns the numbers, in order, of the names that equal one of several texts, ignoring
        case and separators."""
        return np.array(sorted({*chain(*map(self.names_squashed, texts))}), dtype=np.int64)

    def find_name(self, name: str) -> int | None:
        """Returns the number of a name, or `None`."""
        return next(
            (
                number
                for number in self.names_squashed(squashed(name))
                if self.names[number] == name
            ),
            None,
        )

    def _squashed(self, number: int) -> str:
        return squashed(self.names[number])

    def language_of(self, file: int) -> str:
        """Returns the id of a file's language, or an empty text."""
        return self.columns.language_ids[self.columns.file_language[file]]

    def path_and_language(self, file: int) -> tuple[str, str]:
        """Returns a file's path, and the id of its language or an empty text."""
        return self.paths[file], self.language_of(file)

    def languages_of(self, files: I64) -> list[str]:
        """Returns the ids of several files' languages."""
        numbers = self.u8("file_language")[files].tolist()
        return [*map(self.columns.language_ids.__getitem__, numbers)]

    def file(self, number: int) -> FileSymbols:
        """Returns the facts about one file, without its symbols."""
        columns = self.columns
        notes, skip = columns.file_notes[number], columns.file_skip[number]
        return FileSymbols(
            path=self.paths[number],
            size=int(np.frombuffer(columns.file_size, dtype="<u8")[number]),
            mtime_ns=int(np.frombuffer(columns.file_mtime, dtype="<i8")[number]),
            stamp=int(np.frombuffer(columns.file_stamp, dtype="<u8")[number]),
            digest=bytes(columns.file_digest[DIGEST_BYTES * number : DIGEST_BYTES * (number + 1)]),
            language=self.language_of(number),
            skip=SKIP_CODES[skip - 1] if skip else "",
            detail=columns.skip_details.get(number, "") if skip else "",
            odd_encoding=columns.skip_details.get(number, "not UTF-8")
            if notes & NOTE_ODD_ENCODING and not skip
            else "",
            has_error=bool(notes & NOTE_SYNTAX_ERRORS),
            broken_line=columns.broken_lines.get(number, 0),
            is_conflicted=bool(notes & NOTE_CONFLICTED),
        )

    @cached_property
    def block_first(self) -> U32:
        """The first file of each block, followed by the number of files."""
        return read_edges(
            np.frombuffer(self.columns.block_first, dtype="<u4"), self.n_files, "column block_first"
        )

    @cached_property
    def _block_offset(self) -> U32:
        offsets = np.frombuffer(self.columns.block_offset, dtype="<u4")
        return read_edges(offsets, len(self.columns.block_blob), "column block_offset")

    def packed_block(self, number: int) -> memoryview:
        return self.columns.block_blob[self._block_offset[number] : self._block_offset[number + 1]]

    @cached_property
    def row_at(self) -> U32:
        """By place: its row."""
        rows = np.full(self.n_symbols, 2**32 - 1, dtype=np.uint32)
        rows[self.place[:]] = np.arange(self.n_symbols, dtype=np.uint32)
        # Fails unless each place belongs to a row.
        return read_below(rows, self.n_symbols, "column place")

    def block(self, number: int) -> "PackedBlock":
        """Returns a block of details; the last few are cached."""
        from symindex.index.columns.details import PackedBlock

        block = self._blocks.get(number)
        if block is None:
            files = self.block_first[number : number + 2].tolist()
            low, high = self.file_first[files].tolist()
            block = PackedBlock(self.packed_block(number), high - low, files[1] - files[0])
            while len(self._blocks) >= _KEPT_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            self._blocks[number] = block
        return block

    def block_of_file(self, number: int) -> "tuple[PackedBlock, int]":
        """Returns the block with a file's details, and the place of the block's first symbol."""
        number_of_block = last_up_to(self.block_first, number)
        return self.block(number_of_block), int(self.file_first[self.block_first[number_of_block]])

    def _in_block(self, row: int) -> "tuple[PackedBlock, int]":
        block, start = self.block_of_file(self.file_at(row))
        return block, self.place.at(row) - start

    def signature(self, row: int) -> str:
        block, number = self._in_block(row)
        return block.signatures[number].replace(NAME_HERE, self.name_at(row))

    def doc(self, row: int) -> str:
        block, number = self._in_block(row)
        return block.docs[number].replace(NAME_HERE, self.name_at(row))

    def lines(self, row: int) -> tuple[int, int]:
        """Returns the 0-based first and last line of a row's symbol."""
        block, number = self._in_block(row)
        first, last = block.lines(number, number + 1, np.array([self.name_row(row)]))
        return int(first[0]), int(last[0])

    def places(self, row: int) -> tuple[int, ...]:
        """Returns the byte offsets of a row's symbol and its name: start, end, start of the name,
        end of the name."""
        block, number = self._in_block(row)
        name_sizes = np.array([len(self.name_at(row).encode())], dtype=np.uint32)
        return tuple(int(place[0]) for place in block.places(number, number + 1, name_sizes))

    def name_at(self, row: int) -> str:
        return self.names[last_up_to(self.name_first, row)]

    def file_at(self, row: int) -> int:
        return last_up_to(self.file_first, self.place.at(row))

    def container_at(self, row: int) -> int:
        """Returns the number, in `containers`, of a row's container."""
        return self.container_runs.at(self.place.at(row))

    def traits_at(self, row: int) -> int:
        """Returns KindRow.code + 256 * SymbolFlag bits of a row."""
        return self.columns.traits_of[int(self.traits[row])]

    def described(self, row: int) -> tuple[str, str, int]:
        """Returns the qualified name of a row's container, its name, and its traits."""
        container, name = self.containers[self.container_at(row)], self.name_at(row)
        return container, name, self.traits_at(row)

    def qualified_name(self, row: int) -> str:
        """Returns container and name, joined by a dot."""
        container, name, _ = self.described(row)
        return f"{container}.{name}" if container else name

    def symbol_id(self, row: int) -> str:
        """Returns `path#Qualified.name`, with `~2`, `~3` for the second and later ones in file
        order."""
        name = last_up_to(self.name_first, row)
        file = self.file_at(row)
        # The rows of one name and file are adjacent.
        first = int(self.name_first[name]) + int(
            np.searchsorted(self.place[self.name_first[name] : row], self.file_first[file])
        )
        containers = self.container_of(np.arange(first, row + 1))
        earlier = int(np.count_nonzero(containers[:-1] == containers[-1]))
        again = f"~{earlier + 1}" if earlier else ""
        return f"{self.paths[file]}#{self.qualified_name(row)}{again}"


_KEPT_BLOCKS: Final = 8
