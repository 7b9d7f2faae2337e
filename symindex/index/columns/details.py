"""Details: ranges, signatures and docs, compressed in blocks of whole files. They are most of an
index, and few are looked at.

A block is three pieces (zstd), each decompressed only when it is read; before them the lengths of
the first two (u32). The first piece: for each of NUMBERS one plane of 4-byte numbers, split into
their lowest bytes, their second bytes and so on, because most are small; `name_start` as the
difference to that of the symbol before. The other pieces: the signatures, and the docs, each text
with a NUL byte behind it and NAME_HERE in the place of the symbol's name (`extract/records`).

Numbers are relative to the name, and all arithmetic with them is modulo 2**32, as numpy's is. What
is no block, or one of another number of symbols, raises DamagedIndexError.
"""

import struct
from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
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
"""What is stored of a symbol: where its name begins; how many bytes lie between its start and that,
and between the end of its name and its own end; by how much the name is longer in the file than as
it is stored; rows likewise."""

_MOST_TEXT_BYTES: Final = 1 << 13
"""A doc has at most 1,000 letters, a signature 200, and the name in it takes one."""

_LEVEL: Final = 9
"""Of zstd: beyond it, compressing costs more and more for a hundredth less."""

_LENGTHS: Final = struct.Struct("<II")

_SHIFTS: Final = np.arange(0, 32, 8, dtype=np.uint32)
"""Of the four bytes of a number."""


class Places(NamedTuple):
    """Where some symbols of a block stand, in bytes."""

    start_byte: U32
    end_byte: U32
    name_start: U32
    name_end: U32


class SymbolDetails(NamedTuple):
    """The details of some symbols, unpacked. numbers: a row for each symbol, in the order of
    NUMBERS. signatures, docs: with a NUL byte behind each text."""

    numbers: U32
    signatures: bytes
    docs: bytes


def relative_numbers(packed: U32, name_sizes: U32) -> U32:
    """PACKED_NUMBERS of some symbols as NUMBERS, a row for each symbol."""
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
    """The details of files, kept in a scratch until they are packed."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._starts = array("Q")
        self._sizes = array("I")  # of each of the three parts of each file

    def add(self, files: Sequence[SymbolDetails]) -> None:
        """Those of the files that follow."""
        pieces: list[bytes] = []
        offset = self._scratch.size
        for file in files:
            parts = file.numbers.tobytes(), file.signatures, file.docs
            sizes = [len(part) for part in parts]
            self._starts.append(offset)
            self._sizes.extend(sizes)
            pieces += parts
            offset += sum(sizes)
        self._scratch.add(b"".join(pieces))

    def read(self, number: int) -> SymbolDetails:
        """Those of a file."""
        numbers, signatures, docs = self._sizes[3 * number : 3 * number + 3]
        data = self._scratch.read(self._starts[number], numbers + signatures + docs)
        table = np.frombuffer(data, dtype=np.uint32, count=numbers // 4).reshape(-1, len(NUMBERS))
        return SymbolDetails(
            table, data[numbers : numbers + signatures], data[numbers + signatures :]
        )


def pack_block(files: Sequence[SymbolDetails]) -> bytes:
    """The compressed block of some files' details."""
    numbers, signatures, docs = zip(*files, strict=True)
    planes = np.array(np.concatenate(numbers).T, dtype="<u4", order="C")
    planes[0] = np.diff(planes[0], prepend=np.uint32(0))
    apart = np.ascontiguousarray(
        planes.view(np.uint8).reshape(len(NUMBERS), -1, 4).transpose(0, 2, 1)
    ).tobytes()
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    pieces = [compressor.compress(piece) for piece in (apart, b"".join(signatures), b"".join(docs))]
    return _LENGTHS.pack(len(pieces[0]), len(pieces[1])) + b"".join(pieces)


class PackedBlock:
    """A block of `count` symbols, of which only the pieces that are read are decompressed.

    Symbols are named by their number in the block; `first` and `last` are a range of these, without
    the last.
    """

    def __init__(self, packed: memoryview, count: int) -> None:
        require(len(packed) >= _LENGTHS.size, "details: a block without a head")
        one, two = _LENGTHS.unpack_from(packed)
        edges = [_LENGTHS.size, _LENGTHS.size + one, _LENGTHS.size + one + two, len(packed)]
        require(edges[2] <= len(packed), "details: a block that is shorter than its pieces")
        self._packed = [packed[low:high] for low, high in pairwise(edges)]
        self.count = count

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
        """The docs likewise."""
        return Texts(_decompress(self._packed[2], _MOST_TEXT_BYTES * self.count), self.count)

    def lines(self, first: int, last: int, name_rows: I64) -> tuple[I64, I64]:
        """The first and last lines of symbols, 0-based, from the lines of their names."""
        rows_before, rows_after = self._read(first, last, NUMBERS.index("rows_before"))
        require(not (rows_before > name_rows).any(), "details: a symbol begins before its file")
        return name_rows - rows_before, name_rows + rows_after

    def places(self, first: int, last: int, name_sizes: U32) -> Places:
        """The ranges of symbols and of their names, from the stored sizes of these."""
        name_start, bytes_before, bytes_after, odd = self.numbers(first, last).T[:4]
        name_end = name_start + name_sizes + odd
        return Places(name_start - bytes_before, name_end + bytes_after, name_start, name_end)

    def numbers(self, first: int, last: int) -> U32:
        """NUMBERS of symbols, a row for each."""
        numbers = self._read(first, last).T
        start = self._planes[0, :, :first].sum(axis=1, dtype=np.uint32) << _SHIFTS
        numbers[:, 0] = np.cumsum(numbers[:, 0], dtype=np.uint32) + start.sum(dtype=np.uint32)
        return numbers

    def _read(self, first: int, last: int, plane: int = 0) -> U32:
        """The planes from one on."""
        planes = np.array(self._planes[plane:, :, first:last].transpose(0, 2, 1), order="C")
        return planes.view("<u4")[:, :, 0]


class Texts:
    """As many texts as symbols, with a NUL byte behind each; indexing decodes one. ends: the
    positions of the NUL bytes behind -1."""

    def __init__(self, data: bytes, count: int) -> None:
        self.data = data
        self.ends = np.append(-1, ends_of(data))
        is_so = len(self.ends) == count + 1 and self.ends[-1] == len(data) - 1
        require(is_so, f"details: {len(self.ends) - 1:,} texts, not {count:,}")

    def __getitem__(self, number: int) -> str:
        return self.between(number, number + 1)[0]

    def between(self, first: int, last: int) -> list[str]:
        """The texts of a range that is not empty."""
        try:
            return str(self.data[self.ends[first] + 1 : self.ends[last]], "utf-8").split("\0")
        except UnicodeDecodeError:
            raise DamagedIndexError("details: a text is not UTF-8") from None


def _decompress(packed: memoryview, limit: int) -> bytes:
    """A piece, of at most `limit` bytes: memory is taken for as many as it says it has."""
    try:
        size = zstandard.frame_content_size(packed)
        require(0 <= size <= limit, f"details: a piece of {size:,} bytes")
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise DamagedIndexError(f"details: {error}") from None
