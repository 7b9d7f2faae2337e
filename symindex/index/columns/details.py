"""Details of symbols: ranges, signatures and docs, and the bindings of files, compressed in blocks
of whole files. They are
most of an index, and few of them are read.

A block has four pieces (zstd), each decompressed only when it is read, after a head with the
lengths of the first three (u32). The first piece contains, for each of NUMBERS, one plane of
4-byte numbers, split into their lowest bytes, their second bytes and so on, because most
numbers are small; `name_start` is stored as the difference from the symbol before. The other
pieces are the signatures, the docs, and the bindings, one text for each file
(`extract/file_bindings`). Each text ends with a NUL byte, and NAME_HERE replaces the symbol's
name (`extract/records`).

Numbers are relative to the name, and all arithmetic is modulo 2**32, as in numpy. Anything that is
not a block, or has another number of symbols, raises DamagedIndexError.
"""

import struct
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np
import zstandard

from symindex.errors import DamagedIndexError
from symindex.extract.records import PACKED_NUMBERS
from symindex.index.columns.arrays import I64, U8, U32
from symindex.index.columns.integer_columns import require
from symindex.index.columns.strings import ends_of
from symindex.index.scratch import Scratch

NUMBERS: Final = (
    "name_start",
    "bytes_before",
    "bytes_after",
    "odd_length",
    "rows_before",
    "rows_after",
)
"""The numbers of a symbol: where its name begins; the bytes between its start and that, and between
the end of its name and its own end; how much longer the name is in the file than as stored; the
lines before and after the name's."""

_MOST_TEXT_BYTES: Final = 1 << 13
"""Most bytes of text per symbol. A doc has at most 1,000 characters, a signature 200, and each name
in them takes one."""

_MOST_BINDING_BYTES: Final = 1 << 23
"""Most bytes of the bindings of a block."""

_LEVEL: Final = 9
"""Level of zstd: higher ones cost more and more time for one per cent less."""

_LENGTHS: Final = struct.Struct("<III")

_SHIFTS: Final = np.arange(0, 32, 8, dtype=np.uint32)
"""Bit positions of the four bytes of a number."""


class Places(NamedTuple):
    """The byte offsets of symbols of a block."""

    start_byte: U32
    end_byte: U32
    name_start: U32
    name_end: U32


class SymbolDetails(NamedTuple):
    """The details of symbols, unpacked. numbers: a row per symbol, in the order of NUMBERS.
    signatures, docs: each text ends with a NUL byte. bindings: of the file, likewise."""

    numbers: U32
    signatures: bytes
    docs: bytes
    bindings: bytes = b"\0"


def relative_numbers(packed: U32, name_sizes: U32) -> U32:
    """Converts PACKED_NUMBERS of symbols to NUMBERS, one row per symbol."""
    column = dict(zip(PACKED_NUMBERS, packed.T, strict=True))
    numbers = {
        "name_start": column["name_start"],
        "bytes_before": column["name_start"] - column["start_byte"],
        "bytes_after": column["end_byte"] - column["name_end"],
        "odd_length": column["name_end"] - column["name_start"] - name_sizes,
        "rows_before": column["name_row"] - column["start_row"],
        "rows_after": column["end_row"] - column["name_row"],
    }
    return np.stack([numbers[name] for name in NUMBERS], axis=1)


class DetailsStore:
    """The details of files, stored in a scratch file until they are packed."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._starts = array("Q")
        self._sizes = array("I")  # Of each of the four parts of each file.

    def add(self, files: Sequence[SymbolDetails]) -> None:
        """Adds the details of the next files."""
        pieces: list[bytes] = []
        offset = self._scratch.size
        for file in files:
            parts = file.numbers.tobytes(), file.signatures, file.docs, file.bindings
            sizes = [len(part) for part in parts]
            self._starts.append(offset)
            self._sizes.extend(sizes)
            pieces += parts
            offset += sum(sizes)
        self._scratch.add(b"".join(pieces))

    def read(self, number: int) -> SymbolDetails:
        """Returns the details of a file."""
        sizes = self._sizes[4 * number : 4 * number + 4]
        data = self._scratch.read(self._starts[number], sum(sizes))
        table = np.frombuffer(data, dtype=np.uint32, count=sizes[0] // 4)
        edges = [*accumulate(sizes)]
        texts = (data[low:high] for low, high in pairwise(edges))
        return SymbolDetails(table.reshape(-1, len(NUMBERS)), *texts)


def pack_block(files: Sequence[SymbolDetails]) -> bytes:
    """Compresses the details of files into a block."""
    numbers, *texts = zip(*files, strict=True)
    planes = np.array(np.concatenate(numbers).T, dtype="<u4", order="C")
    planes[0] = np.diff(planes[0], prepend=np.uint32(0))
    apart = np.ascontiguousarray(
        planes.view(np.uint8).reshape(len(NUMBERS), -1, 4).transpose(0, 2, 1)
    ).tobytes()
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    pieces = [compressor.compress(piece) for piece in (apart, *map(b"".join, texts))]
    return _LENGTHS.pack(*map(len, pieces[:-1])) + b"".join(pieces)


class PackedBlock:
    """A block of `count` symbols in `n_files` files. A piece is decompressed when it is first read.

    Methods take the numbers of symbols in the block; `first` and `last` are a half-open range.
    """

    def __init__(self, packed: memoryview, count: int, n_files: int = 0) -> None:
        require(len(packed) >= _LENGTHS.size, "details: a block without a head")
        edges = [*accumulate((_LENGTHS.size, *_LENGTHS.unpack_from(packed))), len(packed)]
        require(edges[-2] <= len(packed), "details: a block that is shorter than its pieces")
        self._packed = [packed[low:high] for low, high in pairwise(edges)]
        self.count = count
        self.n_files = n_files

    @cached_property
    def _planes(self) -> U8:
        size = len(NUMBERS) * 4 * self.count
        planes = _decompress(self._packed[0], size)
        require(len(planes) == size, "details: a block of another number of symbols")
        return np.frombuffer(planes, dtype=np.uint8).reshape(len(NUMBERS), 4, self.count)

    @cached_property
    def signatures(self) -> "Texts":
        """The signatures, with NAME_HERE for the names."""
        return Texts(_decompress(self._packed[1], _MOST_TEXT_BYTES * self.count), self.count)

    @cached_property
    def docs(self) -> "Texts":
        """The docs, with NAME_HERE for the names."""
        return Texts(_decompress(self._packed[2], _MOST_TEXT_BYTES * self.count), self.count)

    @cached_property
    def bindings(self) -> "Texts":
        """The packed bindings, one text for each file of the block."""
        return Texts(_decompress(self._packed[3], _MOST_BINDING_BYTES), self.n_files)

    def lines(self, first: int, last: int, name_rows: I64) -> tuple[I64, I64]:
        """Returns the 0-based first and last lines of symbols, given the lines of their names."""
        rows_before, rows_after = self._read(first, last, NUMBERS.index("rows_before"))
        require(not (rows_before > name_rows).any(), "details: a symbol begins before its file")
        return name_rows - rows_before, name_rows + rows_after

    def places(self, first: int, last: int, name_sizes: U32) -> Places:
        """Returns the ranges of symbols and of their names, given the stored sizes of the names."""
        name_start, bytes_before, bytes_after, odd = self.numbers(first, last).T[:4]
        name_end = name_start + name_sizes + odd
        return Places(name_start - bytes_before, name_end + bytes_after, name_start, name_end)

    def numbers(self, first: int, last: int) -> U32:
        """Returns NUMBERS of symbols, one row per symbol."""
        numbers = self._read(first, last).T
        start = self._planes[0, :, :first].sum(axis=1, dtype=np.uint32) << _SHIFTS
        numbers[:, 0] = np.cumsum(numbers[:, 0], dtype=np.uint32) + start.sum(dtype=np.uint32)
        return numbers

    def _read(self, first: int, last: int, plane: int = 0) -> U32:
        """Returns the planes from `plane` on."""
        planes = np.array(self._planes[plane:, :, first:last].transpose(0, 2, 1), order="C")
        return planes.view("<u4")[:, :, 0]


class Texts:
    """One text per symbol, each ending with a NUL byte; indexing decodes one. ends: -1, followed by
    the positions of the NUL bytes."""

    def __init__(self, data: bytes, count: int) -> None:
        self.data = data
        self.ends: I64 = np.append(-1, ends_of(data))
        is_so = len(self.ends) == count + 1 and self.ends[-1] == len(data) - 1
        require(is_so, f"details: {len(self.ends) - 1:,} texts, not {count:,}")

    def __getitem__(self, number: int) -> str:
        return self.between(number, number + 1)[0]

    def number_at(self, place: int) -> int:
        """Returns the number of the text that contains a byte."""
        return int(np.searchsorted(self.ends, place)) - 1

    def between(self, first: int, last: int) -> list[str]:
        """Returns the texts of a range that is not empty."""
        try:
            return str(self.data[self.ends[first] + 1 : self.ends[last]], "utf-8").split("\0")
        except UnicodeDecodeError:
            raise DamagedIndexError("details: a text is not UTF-8") from None


def places_of(text: bytes, data: bytes) -> Iterator[int]:
    """Yields the first place of a text in each of several texts that NUL bytes end."""
    place = data.find(text) if text else -1
    while place >= 0:
        yield place
        end = data.find(b"\0", place)
        place = data.find(text, end) if end >= 0 else -1


def _decompress(packed: memoryview, limit: int) -> bytes:
    """Decompresses a piece. Its declared size decides the memory, so it must not exceed `limit`
    bytes."""
    try:
        size = zstandard.frame_content_size(packed)
        require(0 <= size <= limit, f"details: a piece of {size:,} bytes")
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise DamagedIndexError(f"details: {error}") from None
