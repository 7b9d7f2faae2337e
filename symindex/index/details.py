"""What only those ask for who look at a symbol closely: its range, signature and doc, compressed in blocks of whole files.

A block is three pieces (zstd), each read only when it is asked for; before them the lengths of the first two (u32). The first:
for each of NUMBERS one plane of 4-byte numbers, taken apart into their lowest bytes, their second bytes and so on, because most
are small; `name_start` as the difference to that of the symbol before, all modulo 2**32. The others: the signatures, and the
docs, a NUL byte behind each text, NAME_HERE in the place of the symbol's name (`extract/records`).

What is no block, or one of another number of symbols, raises DamagedIndexError.

Numbers are relative to the name, and all arithmetic with them is modulo 2**32, as numpy's is: `relative_numbers` makes them,
`places_of` makes places of them again.
"""

import struct
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import zstandard

from symindex.errors import DamagedIndexError
from symindex.extract.records import NAME_HERE, PACKED_NUMBERS
from symindex.index.arrays import I64, U8, U32

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


NUMBERS: Final = ("name_start", "bytes_before", "bytes_after", "odd_length", "rows_before", "rows_after")
"""What is kept of a symbol: where its name begins; how many bytes lie between its start and that, and between the end of its name
and its own end; by how much the name is longer in the file than as it is stored; rows likewise."""

BLOCK_BYTES: Final = 1 << 19
"""A block ends with the file with which it has so many bytes of text."""

_MOST_TEXT_BYTES: Final = 1 << 13
"""A doc has at most 1,000 letters, a signature 200, and the name in it takes one."""

_LEVEL: Final = 9
"""Of zstd: beyond it, compressing costs more and more for a hundredth less."""


class Detail(NamedTuple):
    """The rest of what is known of a symbol, as in `extract/records.Symbol`."""

    start_byte: int
    end_byte: int
    start_row: int
    end_row: int
    name_start: int
    name_end: int
    name_column: int
    signature: str
    doc: str


class Places(NamedTuple):
    """Where some symbols of a block stand, in bytes."""

    start_byte: U32
    end_byte: U32
    name_start: U32
    name_end: U32


def relative_numbers(packed: U32, name_sizes: U32) -> U32:
    """PACKED_NUMBERS of some symbols as NUMBERS, a row each."""
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


def places_of(numbers: U32, name_sizes: U32) -> Places:
    """The places again. numbers: NUMBERS of some symbols, a row each."""
    name_start, before, after, odd = numbers.T[:4]
    name_end = name_start + name_sizes + odd
    return Places(name_start - before, name_end + after, name_start, name_end)


class Block(NamedTuple):
    """The details of some files' symbols, unpacked. numbers: one row a symbol, in the order of NUMBERS; signatures, docs: with a
    NUL byte behind each text."""

    numbers: U32
    signatures: bytes
    docs: bytes


def pack_block(block: Block) -> bytes:
    """The compressed block."""
    planes = np.array(block.numbers.T, dtype="<u4", order="C")
    planes[0] = np.diff(planes[0], prepend=np.uint32(0))
    apart = np.ascontiguousarray(planes.view(np.uint8).reshape(len(NUMBERS), -1, 4).transpose(0, 2, 1)).tobytes()
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    pieces = [compressor.compress(piece) for piece in (apart, block.signatures, block.docs)]
    return _LENGTHS.pack(len(pieces[0]), len(pieces[1])) + b"".join(pieces)


_LENGTHS: Final = struct.Struct("<II")


def _pieces(packed: memoryview) -> list[memoryview]:
    if len(packed) < _LENGTHS.size:
        raise DamagedIndexError("details: a block without a head")
    first, second = _LENGTHS.unpack_from(packed)
    if _LENGTHS.size + first + second > len(packed):
        raise DamagedIndexError("details: a block that is shorter than its pieces")
    edges = [_LENGTHS.size, _LENGTHS.size + first, _LENGTHS.size + first + second, len(packed)]
    return [packed[low:high] for low, high in pairwise(edges)]


class Packer:
    """Blocks in the making: takes details file by file, and packs a block when it has enough. Where there are several, that is
    done in a thread, while its user does other things; to compress needs no lock of the interpreter."""

    def __init__(self) -> None:
        self._waiting: list[Block] = []
        self._size = 0
        self._files: list[int] = []
        self._packed: list[Future[bytes]] = []
        self._thread: ThreadPoolExecutor | None = None

    def __enter__(self) -> "Packer":
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)

    def add(self, details: Block) -> None:
        """The next file's."""
        self._waiting.append(details)
        self._size += len(details.signatures) + len(details.docs)
        if self._size >= BLOCK_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._thread is None:
            from concurrent.futures import ThreadPoolExecutor  # here, because who only searches packs nothing

            self._thread = ThreadPoolExecutor(1)
        numbers, signatures, docs = zip(*self._waiting, strict=True)
        block = Block(np.concatenate(numbers), b"".join(signatures), b"".join(docs))
        self._packed.append(self._thread.submit(pack_block, block))
        self._files.append(len(self._waiting))
        self._waiting, self._size = [], 0

    def finish(self) -> None:
        """There are no more files."""
        if self._waiting:
            self._flush()

    def result(self) -> tuple[list[bytes], list[int]]:
        """The compressed blocks, and how many files each holds; waits for them."""
        return [packed.result() for packed in self._packed], self._files


class PackedBlock:
    """A block of `count` symbols, of which only what is asked for is decompressed and put together."""

    def __init__(self, packed: memoryview, count: int) -> None:
        self._packed = _pieces(packed)
        self._count = count

    @cached_property
    def _planes(self) -> U8:
        size = len(NUMBERS) * 4 * self._count
        planes = _decompress(self._packed[0], size)
        if len(planes) != size:
            raise DamagedIndexError("details: a block of another number of symbols")
        return np.frombuffer(planes, dtype=np.uint8).reshape(len(NUMBERS), 4, self._count)

    @cached_property
    def _signatures(self) -> "_Texts":
        return _Texts(_decompress(self._packed[1], _MOST_TEXT_BYTES * self._count), self._count)

    @cached_property
    def _docs(self) -> "_Texts":
        return _Texts(_decompress(self._packed[2], _MOST_TEXT_BYTES * self._count), self._count)

    @property
    def texts(self) -> bytes:
        """The signatures and then the docs, a NUL byte behind each."""
        return self._signatures.data + self._docs.data

    def detail(self, at: int, name: str, name_row: int, name_column: int) -> Detail:
        """Of the symbol at that place in the block."""
        places = places_of(self.numbers(at, at + 1), np.array([len(name.encode())], dtype=np.uint32))
        start, end, name_start, name_end = (int(place[0]) for place in places)
        first, last = (int(rows[0]) for rows in self.lines(at, at + 1, np.array([name_row])))
        return Detail(start, end, first, last, name_start, name_end, name_column, self.signature(at, name), self.doc(at, name))

    def signature(self, at: int, name: str) -> str:
        """`Detail.signature` alone; so below."""
        return self._signatures[at].replace(NAME_HERE, name)

    def doc(self, at: int, name: str) -> str:
        """`Detail.doc`."""
        return self._docs[at].replace(NAME_HERE, name)

    def texts_of(self, first: int, last: int) -> tuple[list[str], list[str]]:
        """The signatures and the docs of some neighbours, from one up to another, with NAME_HERE for their names."""
        return self._signatures.between(first, last), self._docs.between(first, last)

    def lines(self, first: int, last: int, name_rows: I64) -> tuple[I64, I64]:
        """The first and the last rows of the same, of whose names the rows are given."""
        before, after = self._read(first, last, NUMBERS.index("rows_before"))
        if (before > name_rows).any():
            raise DamagedIndexError("details: a symbol begins before its file")
        return name_rows - before, name_rows + after

    def numbers(self, first: int, last: int) -> U32:
        """`Block.numbers` of the same."""
        numbers = self._read(first, last).T
        before = self._planes[0, :, :first].sum(axis=1, dtype=np.uint32) << _SHIFTS
        numbers[:, 0] = np.cumsum(numbers[:, 0], dtype=np.uint32) + before.sum(dtype=np.uint32)
        return numbers

    def _read(self, first: int, last: int, plane: int = 0) -> U32:
        """The planes from one on, of some neighbours."""
        planes = np.array(self._planes[plane:, :, first:last].transpose(0, 2, 1), order="C")
        return planes.view("<u4")[:, :, 0]

    def unpack(self) -> Block:
        """All of it."""
        return Block(self.numbers(0, self._count), self._signatures.data, self._docs.data)


_SHIFTS: Final = np.arange(0, 32, 8, dtype=np.uint32)
"""Of the four bytes of a number."""


class _Texts:
    """So many texts with a NUL byte behind each; indexing decodes one."""

    def __init__(self, data: bytes, count: int) -> None:
        self.data = data
        self._ends = np.append(-1, np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0))
        if len(self._ends) != count + 1 or self._ends[-1] != len(data) - 1:
            raise DamagedIndexError(f"details: {len(self._ends) - 1:,} texts, not {count:,}")

    def __getitem__(self, number: int) -> str:
        return self.between(number, number + 1)[0]

    def between(self, first: int, last: int) -> list[str]:
        """Neighbouring ones, from one up to another."""
        try:
            return str(self.data[self._ends[first] + 1 : self._ends[last]], "utf-8").split("\0")
        except UnicodeDecodeError:
            raise DamagedIndexError("details: a text is not UTF-8") from None


def _decompress(packed: memoryview, limit: int) -> bytes:
    """A piece again. limit: more bytes than that it does not have; memory is taken for as many as it says that it has."""
    try:
        size = zstandard.frame_content_size(packed)
        if not 0 <= size <= limit:
            raise DamagedIndexError(f"details: a piece of {size:,} bytes")
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise DamagedIndexError(f"details: {error}") from None
