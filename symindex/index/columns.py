"""The index: immutable columns of all symbols of a space. This page is the format.

One row is one symbol, at the same place in every symbol column. Rows are ordered by file (files by path) and, within a file, by
the place of the name; a row's number is therefore also its place in the order path, line, column. Numbers are little-endian;
a column's type is in its name's comment. A table of strings is two columns: the texts' UTF-8, each with a NUL byte behind it, and
n+1 offsets. No text holds a NUL byte, so the whole of a table can be scanned at once.

Version history (FORMAT_VERSION in `index/store`):
  1  first format
  2  a NUL byte behind every text of a table
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from symindex.index.fold import fold
from symindex.source.records import DIGEST_BYTES, FileSymbols
from symindex.source.skips import SKIP_CODES, SkipReason

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

Blob = memoryview
"""Bytes of a column; from an index file they lie in the memory map and are not copied."""


class Columns(msgspec.Struct, array_like=True, frozen=True, kw_only=True, eq=False):
    """What is stored. The order of the fields is part of the format.

    Tables of strings, each text once:
        name_*: distinct names, ordered by their folded form, then by themselves.
        folded_*: the folded form of each name (`index/fold`), one for every name.
        container_*: distinct qualified names of containers; number 0 is the empty one.
        signature_*, doc_*: distinct texts, ordered; number 0 is the empty one.
        language_ids: a list, ordered; number 0 is the empty one, of files that have no language.
    By name:
        name_letters u64: which characters the folded name holds (`index/fold.letter_mask`).
        name_initials u64: which characters its words begin with, in the same bits.
        posting_start u32 (n+1), posting_rows u32: the rows that have the name, in row order.
    By symbol:
        name, container, signature, doc u32: numbers in the tables. file u32. kind u8: KindRow.code. flags u8: SymbolFlag.
        start_byte, end_byte, name_byte, start_row, end_row, name_row, name_column u32: as in Symbol.
        ordinal u16: how many earlier symbols of the file have the same qualified name (at most 65,535).
    By file:
        path_*: paths relative to the root, ordered. file_size u64, file_mtime i64 (nanoseconds), file_digest 16 bytes each.
        file_language u8: number in language_ids. file_flags u8: SymbolFlag of all its symbols. file_notes u8: bit 1 it holds
        syntax errors, bit 2 it is not UTF-8. file_first u32 (n+1): its first row. file_skip u8: 0, or 1 + number in SKIP_CODES.
        skip_details: file number to words, where there are any.
    """

    generation: bytes
    language_ids: list[str]
    skip_details: dict[int, str]
    name_blob: Blob
    name_offset: Blob
    folded_blob: Blob
    folded_offset: Blob
    container_blob: Blob
    container_offset: Blob
    signature_blob: Blob
    signature_offset: Blob
    doc_blob: Blob
    doc_offset: Blob
    name_letters: Blob
    name_initials: Blob
    posting_start: Blob
    posting_rows: Blob
    name: Blob
    container: Blob
    signature: Blob
    doc: Blob
    file: Blob
    kind: Blob
    flags: Blob
    start_byte: Blob
    end_byte: Blob
    name_byte: Blob
    start_row: Blob
    end_row: Blob
    name_row: Blob
    name_column: Blob
    ordinal: Blob
    path_blob: Blob
    path_offset: Blob
    file_size: Blob
    file_mtime: Blob
    file_digest: Blob
    file_language: Blob
    file_flags: Blob
    file_notes: Blob
    file_first: Blob
    file_skip: Blob


NOTE_SYNTAX_ERRORS: Final = 1
NOTE_ODD_ENCODING: Final = 2


class StringTable:
    """A table of strings; indexing decodes one."""

    def __init__(self, blob: Blob, offset: Blob) -> None:
        self.blob = blob
        self.offset: U32 = np.frombuffer(offset, dtype="<u4")

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __getitem__(self, number: int) -> str:
        return str(self.blob[self.offset[number] : self.offset[number + 1] - 1], "utf-8")

    def take(self, numbers: NDArray[np.int64]) -> list[str]:
        """Several texts."""
        if len(numbers) * 4 > len(self):
            every = self.all
            return [every[number] for number in numbers.tolist()]
        starts, ends = self.offset[numbers].tolist(), (self.offset[numbers + 1] - 1).tolist()
        return [str(self.blob[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]

    @cached_property
    def all(self) -> list[str]:
        """Every text, decoded once."""
        return str(self.blob, "utf-8").split("\0")[:-1]

    @cached_property
    def lengths(self) -> U32:
        """The number of bytes of each text."""
        return np.diff(self.offset) - np.uint32(1)

    def holding(self, pattern: re.Pattern[bytes]) -> NDArray[np.bool_]:
        """Which texts, folded (`index/fold`), hold a match of the pattern, which must not match NUL bytes."""
        data, ends = self._folded
        found = np.fromiter((match.start() for match in pattern.finditer(data)), dtype=np.int64)
        mask = np.zeros(len(self), dtype=bool)
        mask[np.searchsorted(ends, found[found < len(data)])] = True
        return mask

    @cached_property
    def _folded(self) -> tuple[bytes, NDArray[np.int64]]:
        """All texts folded, with their NUL bytes, and where these are."""
        data = bytes(self.blob)
        if data.isascii():
            data = data.lower()
        else:
            texts = data.split(b"\0")
            data = b"\0".join(text.lower() if text.isascii() else fold(text.decode()).encode() for text in texts)
        return data, np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0)


class FileRow(NamedTuple):
    """What is known of one file. try_again: it was not read for a reason that may have gone without the file's changing."""

    size: int
    mtime_ns: int
    digest: bytes
    try_again: bool


class Index:
    """Read access to the columns: numpy views and string tables, all made when first asked for."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    @property
    def generation(self) -> bytes:
        """8 bytes that differ between indexes of different content (files, grammars, version), whatever the mtimes."""
        return self.columns.generation

    @property
    def n_symbols(self) -> int:
        """How many rows."""
        return len(self.columns.kind)

    @property
    def n_files(self) -> int:
        """How many files, the skipped ones among them."""
        return len(self.columns.file_skip)

    @cached_property
    def names(self) -> StringTable:
        """Distinct names."""
        return StringTable(self.columns.name_blob, self.columns.name_offset)

    @cached_property
    def folded(self) -> StringTable:
        """Folded names, parallel to `names`."""
        return StringTable(self.columns.folded_blob, self.columns.folded_offset)

    @cached_property
    def containers(self) -> StringTable:
        """Distinct containers."""
        return StringTable(self.columns.container_blob, self.columns.container_offset)

    @cached_property
    def signatures(self) -> StringTable:
        """Distinct signatures."""
        return StringTable(self.columns.signature_blob, self.columns.signature_offset)

    @cached_property
    def docs(self) -> StringTable:
        """Distinct docs."""
        return StringTable(self.columns.doc_blob, self.columns.doc_offset)

    @cached_property
    def paths(self) -> StringTable:
        """Paths, by file."""
        return StringTable(self.columns.path_blob, self.columns.path_offset)

    def u8(self, column: str) -> U8:
        """A column of bytes, by its name in Columns."""
        return np.frombuffer(getattr(self.columns, column), dtype="<u1")

    def u16(self, column: str) -> U16:
        """A column of 16-bit numbers."""
        return np.frombuffer(getattr(self.columns, column), dtype="<u2")

    def u32(self, column: str) -> U32:
        """A column of 32-bit numbers."""
        return np.frombuffer(getattr(self.columns, column), dtype="<u4")

    def u64(self, column: str) -> U64:
        """A column of 64-bit numbers."""
        return np.frombuffer(getattr(self.columns, column), dtype="<u8")

    def i64(self, column: str) -> I64:
        """A column of signed 64-bit numbers."""
        return np.frombuffer(getattr(self.columns, column), dtype="<i8")

    def file_rows(self, time_limit: str) -> dict[str, FileRow]:
        """Every file by path, for the check of what has changed. time_limit: that of today, as in the detail of a skip."""
        digest = bytes(self.columns.file_digest)
        unreadable = 1 + SKIP_CODES.index(SkipReason.UNREADABLE)
        given_up = 1 + SKIP_CODES.index(SkipReason.TIME_LIMIT)
        details = self.columns.skip_details
        return {
            path: FileRow(
                size,
                mtime,
                digest[DIGEST_BYTES * i : DIGEST_BYTES * (i + 1)],
                skip == unreadable or (skip == given_up and details.get(i) != time_limit),
            )
            for i, (path, size, mtime, skip) in enumerate(
                zip(
                    self.paths.all,
                    self.u64("file_size").tolist(),
                    self.i64("file_mtime").tolist(),
                    bytes(self.columns.file_skip),
                    strict=True,
                )
            )
        }

    def file(self, number: int) -> FileSymbols:
        """What is known of one file, without its symbols."""
        columns = self.columns
        notes, skip = columns.file_notes[number], columns.file_skip[number]
        return FileSymbols(
            path=self.paths[number],
            size=int(self.u64("file_size")[number]),
            mtime_ns=int(self.i64("file_mtime")[number]),
            digest=bytes(columns.file_digest[DIGEST_BYTES * number : DIGEST_BYTES * (number + 1)]),
            language=columns.language_ids[columns.file_language[number]],
            flags=columns.file_flags[number],
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

    def qualified_name(self, row: int) -> str:
        """Container and name, joined by a dot."""
        container = self.containers[self.u32("container")[row]]
        name = self.names[self.u32("name")[row]]
        return f"{container}.{name}" if container else name

    def symbol_id(self, row: int) -> str:
        """`path#Qualified.name`, with `~2`, `~3` for the second and later of the same in file order."""
        ordinal = int(self.u16("ordinal")[row])
        again = f"~{ordinal + 1}" if ordinal else ""
        return f"{self.paths[self.u32('file')[row]]}#{self.qualified_name(row)}{again}"
