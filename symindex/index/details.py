"""What only those ask for who look at a symbol closely: its range, signature and doc, compressed in blocks of whole files.

A block, before compression (zstd): for each of NUMBERS one plane of 4-byte numbers, taken apart into their lowest bytes, their
second bytes and so on, because most are small; then the signatures and the docs, a NUL byte behind each, NAME_HERE in the place
of the symbol's name (`source/records`). Numbers are kept as differences to their neighbours, modulo 2**32.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from symindex.source.records import NAME_HERE

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

U32 = NDArray[np.uint32]

NUMBERS: Final = ("start_byte", "end_byte", "start_row", "end_row", "name_start", "name_end", "name_column")

BLOCK_BYTES: Final = 1 << 18
"""A block ends with the file with which it has so many bytes of text."""

_LEVEL: Final = 9
"""Of zstd: beyond it, compressing costs more and more for a hundredth less."""


class Detail(NamedTuple):
    """The rest of what is known of a symbol, as in `source/records.Symbol`."""

    start_byte: int
    end_byte: int
    start_row: int
    end_row: int
    name_start: int
    name_end: int
    name_column: int
    signature: str
    doc: str


class Block(NamedTuple):
    """The details of some files' symbols, unpacked. numbers: one row a symbol, in the order of NUMBERS, start_row and end_row as
    their distances to the name's row, which is stored elsewhere; signatures, docs: with a NUL byte behind each text."""

    numbers: U32
    signatures: bytes
    docs: bytes


def pack_block(block: Block) -> bytes:
    """The compressed block."""
    start, end, rows_before, rows_after, name_start, name_end, column = block.numbers.T
    planes = np.stack(
        [
            np.diff(name_start, prepend=np.uint32(0)), name_start - start, end - name_end, name_end - name_start,
            rows_before, rows_after, column,
        ]
    ).astype("<u4")  # fmt: skip
    apart = np.ascontiguousarray(planes.view(np.uint8).reshape(len(NUMBERS), -1, 4).transpose(0, 2, 1)).tobytes()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(apart + block.signatures + block.docs)


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


def unpack_texts(packed: Any, count: int) -> bytes:
    """The signatures and then the docs of a block of `count` symbols, a NUL byte behind each."""
    return _decompress(packed)[4 * len(NUMBERS) * count :]


class PackedBlock:
    """A block of `count` symbols, decompressed, of which only what is asked for is put together."""

    def __init__(self, packed: Any, count: int) -> None:
        self._data = _decompress(packed)
        self._count = count
        self._planes = np.frombuffer(self._data, dtype=np.uint8, count=4 * len(NUMBERS) * count).reshape(len(NUMBERS), 4, count)

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where the texts end, the signatures and then the docs; before them, where the first begins."""
        start = self._planes.size
        return np.append(start - 1, start + np.flatnonzero(np.frombuffer(self._data, dtype=np.uint8, offset=start) == 0))

    def detail(self, at: int, name: str, name_row: int) -> Detail:
        """Of the symbol at that place in the block."""
        _, before, after, length, rows_before, rows_after, column = self._planes[:, :, at].copy().view("<u4")[:, 0].tolist()
        steps = self._planes[0, :, : at + 1].sum(axis=1, dtype=np.int64).tolist()
        name_start = sum(total << 8 * byte for byte, total in enumerate(steps)) % 2**32
        signature, doc = (self._text(number).replace(NAME_HERE, name) for number in (at, self._count + at))
        return Detail(
            (name_start - before) % 2**32,
            (name_start + length + after) % 2**32,
            name_row - rows_before,
            name_row + rows_after,
            name_start,
            (name_start + length) % 2**32,
            column,
            signature,
            doc,
        )

    def _text(self, number: int) -> str:
        return str(self._data[self._ends[number] + 1 : self._ends[number + 1]], "utf-8")

    def unpack(self) -> Block:
        """All of it."""
        planes = np.ascontiguousarray(self._planes.transpose(0, 2, 1)).view("<u4").reshape(len(NUMBERS), self._count)
        step, before, after, length, rows_before, rows_after, column = planes
        name_start = np.cumsum(step, dtype=np.uint32)
        name_end = name_start + length
        numbers = np.stack([name_start - before, name_end + after, rows_before, rows_after, name_start, name_end, column], axis=1)
        start, middle = self._ends[[0, self._count]] + 1
        return Block(numbers, self._data[start:middle], self._data[middle:])


def _decompress(packed: Any) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed)
