"""What only those ask for who look at a symbol closely: its range, signature and doc, compressed in blocks of whole files.

A block, before compression (zstd): for each of NUMBERS one plane of 4-byte numbers, taken apart into their lowest bytes, their
second bytes and so on, because most are small; then the signatures and the docs, a NUL byte behind each, NAME_HERE in the place
of the symbol's name (`source/records`). Numbers are kept as differences to their neighbours, modulo 2**32.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

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
    """The details of some files' symbols, unpacked. numbers: one row a symbol, in the order of NUMBERS; signatures, docs: with a
    NUL byte behind each text."""

    numbers: U32
    signatures: bytes
    docs: bytes


def pack_block(block: Block, name_rows: U32) -> bytes:
    """The compressed block. name_rows: the rows of the names, which are stored elsewhere and help to keep the numbers small."""
    start, end, start_row, end_row, name_start, name_end, column = block.numbers.T
    planes = np.stack(
        [
            np.diff(name_start, prepend=np.uint32(0)), name_start - start, end - name_end, name_end - name_start,
            name_rows - start_row, end_row - name_rows, column,
        ]
    ).astype("<u4")  # fmt: skip
    apart = np.ascontiguousarray(planes.view(np.uint8).reshape(len(NUMBERS), -1, 4).transpose(0, 2, 1)).tobytes()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(apart + block.signatures + block.docs)


def unpack_texts(packed: Any, count: int) -> bytes:
    """The signatures and then the docs of a block of `count` symbols, a NUL byte behind each."""
    return _decompress(packed)[4 * len(NUMBERS) * count :]


def unpack_block(packed: Any, name_rows: U32) -> Block:
    """The block again."""
    count = len(name_rows)
    data = _decompress(packed)
    size = 4 * len(NUMBERS) * count
    apart = np.frombuffer(data, dtype=np.uint8, count=size).reshape(len(NUMBERS), 4, count)
    planes = np.ascontiguousarray(apart.transpose(0, 2, 1)).view("<u4").reshape(len(NUMBERS), count)
    step, before, after, length, rows_before, rows_after, column = planes
    name_start = np.cumsum(step, dtype=np.uint32)
    name_end = name_start + length
    numbers = np.stack(
        [name_start - before, name_end + after, name_rows - rows_before, name_rows + rows_after, name_start, name_end, column],
        axis=1,
    )
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8, offset=size) == 0) if count else np.empty(0, dtype=np.int64)
    middle = size + int(ends[count - 1]) + 1 if count else size
    return Block(numbers, data[size:middle], data[middle:])


def _decompress(packed: Any) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed)
