"""Read access to the columns of an index (`index/layout`): the symbols of some files, immutable.

Whatever is read is held against its bounds when it is first made, once: a file may be damaged without anybody's having noticed.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from symindex.errors import DamagedIndexError
from symindex.extract.records import DIGEST_BYTES, FileSymbols
from symindex.files.skips import SKIP_CODES, TRIED_AGAIN, SkipReason, Terms
from symindex.index.arrays import I64, U8, U32, Mask, Numbers
from symindex.index.integer_columns import Runs, Small, Wide, edges_of, last_up_to, read_below, read_edges, read_narrow
from symindex.index.layout import DETAIL_COLUMNS as DETAIL_COLUMNS
from symindex.index.layout import NOTE_ODD_ENCODING, NOTE_SYNTAX_ERRORS, RARE, Columns
from symindex.index.manifest import KnownFiles
from symindex.index.strings import PathTable, StringTable, digest_paths
from symindex.text.folding import fold, squash

if TYPE_CHECKING:
    from symindex.files.walk import FoundFiles
    from symindex.index.details import Detail, PackedBlock
    from symindex.index.name_bitmaps import Slices
    from symindex.index.word_postings import Words


class Index:
    """Read access to the columns: numpy views and string tables, all made when first asked for.

    memo: what searches found out about the columns and may ask again.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._blocks: dict[int, PackedBlock] = {}
        self.memo: dict[tuple[str, ...], Numbers] = {}

    @property
    def generation(self) -> int:
        """64 bits that differ between indexes of different content (files, grammars, version), whatever the mtimes."""
        return self.columns.generation

    @cached_property
    def n_symbols(self) -> int:
        """How many rows."""
        return len(self.columns.traits)

    @property
    def n_files(self) -> int:
        """How many files, the skipped ones among them."""
        return len(self.columns.file_skip)

    @cached_property
    def names(self) -> StringTable:
        """Distinct names."""
        columns = self.columns
        return StringTable(columns.name_blob, columns.name_sizes, "names", len(columns.name_word_count))

    @cached_property
    def containers(self) -> StringTable:
        """Distinct containers."""
        return StringTable(self.columns.container_blob, self.columns.container_sizes, "containers")

    @cached_property
    def paths(self) -> PathTable:
        """Paths, by file."""
        columns = self.columns
        folders = StringTable(columns.folder_blob, columns.folder_sizes, "folders")
        bases = StringTable(columns.base_blob, columns.base_sizes, "paths", self.n_files)
        return PathTable(folders, read_narrow(columns.path_folder, self.n_files, "column path_folder"), bases)

    @cached_property
    def slices(self) -> "Slices":
        """The signatures of the names."""
        from symindex.index.name_bitmaps import SLICES, Slices

        bits = np.frombuffer(self.columns.name_slices, dtype="<u8").reshape(SLICES, -1)
        return Slices(bits, np.frombuffer(self.columns.slice_counts, dtype="<u4"), len(self.names))

    @cached_property
    def words(self) -> "Words":
        """The words of the names."""
        from symindex.index.word_postings import Words

        counts = self.u8("name_word_count")
        table = StringTable(self.columns.word_blob, self.columns.word_sizes, "words")
        flat = read_narrow(self.columns.name_words, int(counts.sum(dtype=np.int64)), "column name_words")
        return Words(table, counts, read_below(flat, len(table), "column name_words"))

    @cached_property
    def odd_names(self) -> U32:
        """The numbers of the names that are looked at by themselves (`index/word_postings`), in order."""
        return read_below(np.frombuffer(self.columns.odd_names, dtype="<u4"), len(self.names), "column odd_names")

    @cached_property
    def name_first(self) -> U32:
        """The first row of each name, and the number of rows."""
        what = "column name_rows"
        return edges_of(Small(self.columns.name_rows, what, len(self.names)).all(), self.n_symbols, what)

    @cached_property
    def place(self) -> Wide:
        """By row: its place."""
        return Wide(self.columns.place_low, self.columns.place_high, "column place")

    @cached_property
    def traits(self) -> Numbers:
        """By row: number in `columns.traits_of`."""
        traits: Numbers = self.u8("traits")
        if len(self.columns.rare_traits):
            rare = np.flatnonzero(traits == RARE)
            traits = traits.astype(np.uint16)
            if len(rare) * 2 != len(self.columns.rare_traits):
                raise DamagedIndexError(f"column rare_traits: {len(self.columns.rare_traits) // 2:,}, not {len(rare):,}")
            traits[rare] = np.frombuffer(self.columns.rare_traits, dtype="<u2")
        return read_below(traits, len(self.columns.traits_of), "column traits")

    @cached_property
    def _container_runs(self) -> Runs:
        columns = self.columns
        limit = len(self.containers)
        return Runs(columns.container_runs, columns.container_counts, self.n_symbols, limit, "column container_runs")

    def container_of(self, rows: I64) -> Numbers:
        """The numbers, in `containers`, of the rows' containers."""
        return self._container_runs[self.place[rows]]

    def all_containers(self) -> Numbers:
        """The same for every row."""
        return self._container_runs.all()[self.place[:]]

    @cached_property
    def _line_steps(self) -> Small:
        return Small(self.columns.line_steps, "column line_steps", self.n_symbols)

    def name_row(self, row: int) -> int:
        """The 0-based line of a row's name."""
        place = self.place.at(row)
        first = int(self.file_first[last_up_to(self.file_first, place)])
        return self._line_steps.sum(first, place + 1)

    def all_name_rows(self) -> U32:
        """The same for every row."""
        lines: U32 = self._add_up(self._line_steps.all(), self.file_first)[self.place[:]]
        return lines

    def name_rows_of_files(self, file: int, end: int) -> I64:
        """The same by place, for all symbols of some files, from one up to another."""
        edges = self.file_first[file : end + 1]
        return self._add_up(self._line_steps[np.arange(edges[0], edges[-1])], edges - edges[0]).astype(np.int64)

    @staticmethod
    def _add_up(steps: U32, edges: U32) -> U32:
        """The lines that steps lead to, from the first one of each file on."""
        sums = np.cumsum(steps, dtype=np.uint32)
        return sums - np.repeat(np.append(np.uint32(0), sums)[edges[:-1]], np.diff(edges))

    def name_rows_of(self, rows: I64) -> list[int]:
        """The same for some rows."""
        if len(rows) * 16 > self.n_symbols:
            numbers = self.all_name_rows()[rows]
        else:
            places = self.place[rows]
            first = self.file_first[np.searchsorted(self.file_first, places, side="right") - 1]
            numbers = self._line_steps.sums(first.astype(np.int64), places.astype(np.int64))
        return numbers.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _name_columns(self) -> Small:
        return Small(self.columns.name_columns, "column name_columns", self.n_symbols)

    def name_columns_of(self, rows: I64) -> list[int]:
        """The columns of some rows' names, in bytes."""
        return self._name_columns[self.place[rows]].tolist()  # type: ignore[no-any-return]

    @cached_property
    def file_first(self) -> U32:
        """The first place of each file, and the number of places."""
        what = "column file_places"
        return edges_of(Small(self.columns.file_places, what, self.n_files).all(), self.n_symbols, what)

    def u8(self, column: str) -> U8:
        """A column of bytes, by its name in Columns."""
        return np.frombuffer(getattr(self.columns, column), dtype="<u1")

    def name_of(self, rows: I64) -> I64:
        """The numbers of the rows' names."""
        return np.searchsorted(self.name_first, rows.astype(np.uint32), side="right") - 1

    def file_of(self, rows: I64) -> I64:
        """The numbers of the rows' files."""
        return np.searchsorted(self.file_first, self.place[rows], side="right") - 1

    def rows_of_names(self, numbers: I64) -> I64:
        """The rows of some names, name by name."""
        first = self.name_first[numbers].astype(np.int64)
        counts = self.name_first[numbers + 1].astype(np.int64) - first
        ends = np.cumsum(counts)
        if not len(ends):
            return np.empty(0, dtype=np.int64)
        rows: I64 = np.arange(ends[-1]) + np.repeat(first - (ends - counts), counts)
        return rows

    def spread_files(self, values: Numbers) -> Numbers:
        """A value for each file as a value for each row."""
        if not self.n_symbols:
            return np.zeros(0, dtype=values.dtype)
        return np.repeat(values, np.diff(self.file_first))[self.place[:]]

    def spread_names(self, values: Numbers) -> Numbers:
        """A value for each name as a value for each row."""
        return np.repeat(values, np.diff(self.name_first))

    def squashed_range(self, squashed: str) -> tuple[int, int]:
        """The numbers of the names whose folded form without separators begins with `squashed`: from, up to."""
        low = bisect_left(range(len(self.names)), squashed, key=self._squashed)
        step, high = 1, low  # most ranges are short
        while high < len(self.names) and self._squashed(high).startswith(squashed):
            low_bound, high, step = high, min(high + step, len(self.names)), step * 2
        if high - low <= 1:
            return low, high
        ends = range(high)
        return low, bisect_left(ends, True, lo=low_bound, key=lambda at: not self._squashed(at).startswith(squashed))

    def names_written(self, name: str) -> list[int]:
        """The numbers of the names that are this one, whatever the case."""
        folded = fold(name)
        squashed = squash(folded)
        number, _ = self.squashed_range(squashed)
        found = []
        while number < len(self.names) and squash(known := fold(self.names[number])) == squashed:
            if known == folded:
                found.append(number)
            number += 1
        return found

    def _squashed(self, number: int) -> str:
        return squash(fold(self.names[number]))

    def find_file(self, path: str) -> int | None:
        """The number of the file of that path."""
        return self.paths.find(path)

    def language_of(self, file: int) -> str:
        """The id of a file's language, empty where it has none."""
        return self.columns.language_ids[self.columns.file_language[file]]

    def agrees(self, files: "FoundFiles", terms: Terms) -> bool:
        """Whether these, ordered by path, are the files of the index, none of them has changed, and none is to be tried again."""
        skips = bytes(self.columns.file_skip)
        return (
            len(files) == self.n_files
            and not _TRIED_AGAIN.intersection(skips)
            and all(said == terms.time_limit for number, said in self.columns.skip_details.items() if skips[number] == _GIVEN_UP)
            and not self._is_chosen_otherwise(terms).any()
            and np.asarray(files.mtimes).astype("<i8", copy=False).tobytes() == self.columns.file_mtime
            and np.asarray(files.stamps).astype("<u8", copy=False).tobytes() == self.columns.file_stamp
            and np.asarray(files.sizes).astype("<u8", copy=False).tobytes() == self.columns.file_size
            and digest_paths(files.blob) == self.columns.path_digest
        )

    def known_files(self, terms: Terms) -> KnownFiles:
        """Every file, for the check of what has changed. terms: those of today."""
        skips = self.u8("file_skip")
        again = np.isin(skips, list(_TRIED_AGAIN)) | self._is_chosen_otherwise(terms)
        for number in np.flatnonzero(skips == _GIVEN_UP).tolist():
            again[number] = self.columns.skip_details.get(number) != terms.time_limit
        return KnownFiles(
            self.paths.all,
            np.frombuffer(self.columns.file_size, dtype="<u8"),
            np.frombuffer(self.columns.file_mtime, dtype="<i8"),
            np.frombuffer(self.columns.file_stamp, dtype="<u8"),
            np.frombuffer(self.columns.file_digest, dtype=f"V{DIGEST_BYTES}"),
            again,
        )

    def _is_chosen_otherwise(self, terms: Terms) -> Mask:
        """By file: whether it was read and its language is not to be, or the other way round."""
        is_read = [not (language and terms.languages) or language in terms.languages for language in self.columns.language_ids]
        is_left_out: Mask = self.u8("file_skip") == _UNCHOSEN
        return ~(np.array(is_read, dtype=bool)[self.u8("file_language")] ^ is_left_out)

    def file(self, number: int) -> FileSymbols:
        """What is known of one file, without its symbols."""
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
            detail=columns.skip_details.get(number, ""),
            odd_encoding="not UTF-8" if notes & NOTE_ODD_ENCODING else "",
            has_error=bool(notes & NOTE_SYNTAX_ERRORS),
        )

    def files(self) -> Iterator[FileSymbols]:
        """Every file, in the order of the paths."""
        return map(self.file, range(self.n_files))

    def skipped_files(self) -> Iterator[FileSymbols]:
        """The files that were looked at and have no symbols for some reason."""
        return map(self.file, np.flatnonzero(self.u8("file_skip")).tolist())

    def column_bytes(self) -> dict[str, int]:
        """The size of every column, by its name in Columns."""
        return {
            name: len(value) for name in Columns.__struct_fields__ if isinstance(value := getattr(self.columns, name), memoryview)
        }

    @cached_property
    def block_first(self) -> U32:
        """The first file of each block, and the number of files."""
        return read_edges(np.frombuffer(self.columns.block_first, dtype="<u4"), self.n_files, "column block_first")

    @cached_property
    def _block_offset(self) -> U32:
        offsets = np.frombuffer(self.columns.block_offset, dtype="<u4")
        return read_edges(offsets, len(self.columns.block_blob), "column block_offset")

    def packed_block(self, number: int) -> memoryview:
        """A block as it is stored."""
        return self.columns.block_blob[self._block_offset[number] : self._block_offset[number + 1]]

    @cached_property
    def row_at(self) -> U32:
        """By place: its row."""
        rows = np.full(self.n_symbols, _NO_ROW, dtype=np.uint32)
        rows[self.place[:]] = np.arange(self.n_symbols, dtype=np.uint32)
        return read_below(rows, self.n_symbols, "column place")  # each place is some row's

    def block(self, number: int) -> "PackedBlock":
        """A block; the last few are kept."""
        from symindex.index.details import PackedBlock

        block = self._blocks.get(number)
        if block is None:
            low, high = self.file_first[self.block_first[number : number + 2]].tolist()
            block = PackedBlock(self.packed_block(number), high - low)
            while len(self._blocks) >= _KEPT_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            self._blocks[number] = block
        return block

    def detail(self, row: int) -> "Detail":
        """The range, signature and doc of a symbol."""
        block, at = self._in_block(row)
        return block.detail(at, self.name_at(row), self.name_row(row), self._name_columns.at(self.place.at(row)))

    def signature(self, row: int) -> str:
        """The signature alone; so below."""
        block, at = self._in_block(row)
        return block.signature(at, self.name_at(row))

    def doc(self, row: int) -> str:
        """The doc."""
        block, at = self._in_block(row)
        return block.doc(at, self.name_at(row))

    def lines(self, row: int) -> tuple[int, int]:
        """The 0-based first and last line of a symbol."""
        block, at = self._in_block(row)
        first, last = block.lines(at, at + 1, np.array([self.name_row(row)]))
        return int(first[0]), int(last[0])

    def _in_block(self, row: int) -> "tuple[PackedBlock, int]":
        block, start = self.block_of_file(self.file_at(row))
        return block, self.place.at(row) - start

    def block_of_file(self, number: int) -> "tuple[PackedBlock, int]":
        """The block that a file's details are in, and the place of its first symbol."""
        at = last_up_to(self.block_first, number)
        return self.block(at), int(self.file_first[self.block_first[at]])

    def name_at(self, row: int) -> str:
        """The name of a row."""
        return self.names[last_up_to(self.name_first, row)]

    def file_at(self, row: int) -> int:
        """The number of a row's file."""
        return last_up_to(self.file_first, self.place.at(row))

    def container_at(self, row: int) -> int:
        """The number, in `containers`, of a row's container."""
        return self._container_runs.at(self.place.at(row))

    def kind_code(self, row: int) -> int:
        """KindRow.code of a row."""
        return self.columns.traits_of[int(self.traits[row])] & 255

    def qualified_name(self, row: int) -> str:
        """Container and name, joined by a dot."""
        container, name = self.containers[self.container_at(row)], self.name_at(row)
        return f"{container}.{name}" if container else name

    def symbol_id(self, row: int) -> str:
        """`path#Qualified.name`, with `~2`, `~3` for the second and later of the same in file order."""
        name = last_up_to(self.name_first, row)
        file = self.file_at(row)
        # The rows of one name and file stand together.
        first = int(self.name_first[name]) + int(np.searchsorted(self.place[self.name_first[name] : row], self.file_first[file]))
        containers = self.container_of(np.arange(first, row + 1))
        earlier = int(np.count_nonzero(containers[:-1] == containers[-1]))
        again = f"~{earlier + 1}" if earlier else ""
        return f"{self.paths[file]}#{self.qualified_name(row)}{again}"


_KEPT_BLOCKS: Final = 8
_NO_ROW: Final = 2**32 - 1
_TRIED_AGAIN: Final = frozenset(1 + SKIP_CODES.index(reason) for reason in TRIED_AGAIN)
_GIVEN_UP: Final = 1 + SKIP_CODES.index(SkipReason.TIME_LIMIT)
_UNCHOSEN: Final = 1 + SKIP_CODES.index(SkipReason.UNCHOSEN)
