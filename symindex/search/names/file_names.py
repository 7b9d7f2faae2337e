"""Finds files by a symbol's name, ignoring case and separators: `parse_request.py` for
`parseRequest`.

A name such as `c` or `test` may occur in very many paths, which would all have to be decoded. So
each file's name up to its first dot is stored as a hash, and only the files with the hash of the
name are decoded.
"""

from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, U64
from symindex.index.columns.columns import Index
from symindex.text.folding import squashed

_LONGEST: Final = 256
"""Letters of a name that its hash depends on."""

_FACTORS: Final = np.cumprod(np.full(_LONGEST, 0x9E3779B97F4A7C15, dtype=np.uint64))
"""Factors of a letter's byte by its place: powers of an odd number modulo 2**64. Names almost never
share a hash, and those that do are compared themselves."""

_ANY: Final = 2**64 - 1
"""The hash of a name beyond ASCII, which folds in ways of its own: the name itself is always
compared."""


def files_called(index: Index, name: str) -> I64:
    """Returns the numbers of the files of that name, in order. name: folded and without
    separators."""
    hashes = _hashes(index)
    may = np.flatnonzero((hashes == np.uint64(_hash_of(name))) | (hashes == np.uint64(_ANY)))
    bases = index.paths.bases_of(may)
    files: I64 = may[
        np.array([squashed(base.partition(".")[0]) == name for base in bases], dtype=bool)
    ]
    return files


def _hash_of(name: str) -> int:
    if not name.isascii():
        return _ANY
    letters = np.frombuffer(name.encode()[:_LONGEST], dtype=np.uint8).astype(np.uint64)
    return int((letters * _FACTORS[: len(letters)]).sum(dtype=np.uint64))


def _hashes(index: Index) -> U64:
    """Returns the hash of each file's name up to its first dot."""
    cached = index.memo.get(("file names",))
    if cached is None:
        cached = index.memo["file names",] = _make_hashes(index)
    hashes: U64 = cached
    return hashes


def _make_hashes(index: Index) -> U64:
    table = index.paths.bases
    if not len(table):
        return np.zeros(0, dtype=np.uint64)
    starts = table.offset[:-1]
    data = np.frombuffer(bytes(table.blob).lower(), dtype=np.uint8)
    owner_starts = np.repeat(starts, table.lengths + np.uint32(1))
    n_dots = np.cumsum(data == ord("."), dtype=np.uint32)
    n_dots_before = n_dots - (data == ord("."))
    is_kept = (
        (n_dots == n_dots_before[owner_starts])
        & (data != 0)
        & (data != ord("_"))
        & (data != ord("-"))
    )
    n_kept = np.cumsum(is_kept, dtype=np.uint32)
    place = n_kept - 1 - (n_kept - is_kept)[owner_starts]
    factors = np.where(
        is_kept & (place < _LONGEST), _FACTORS[np.minimum(place, _LONGEST - 1)], np.uint64(0)
    )
    hashes: U64 = np.add.reduceat(data * factors, starts)
    hashes[np.logical_or.reduceat(data >= 128, starts)] = _ANY
    return hashes
