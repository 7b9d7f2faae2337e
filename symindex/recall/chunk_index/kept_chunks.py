"""Stores the word columns of a database's chunks next to it: a base, an addition, and the newest
chunks in memory.

The columns are derived, and may be deleted at any time. The number of a chunk never changes and is
never reused. So new chunks are known by their numbers, and searches leave out deleted ones.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import blake2b
from typing import Final

import numpy as np

from symindex.errors import IndexFileError, UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.arrays import I64, Mask
from symindex.index.store import read_table, write_table
from symindex.recall.chunk_index.build_chunks import Chunk, build_chunks
from symindex.recall.chunk_index.chunk_columns import ChunkColumns, open_chunks
from symindex.recall.chunk_index.chunk_index import ChunkIndex

VERSION: Final = b"chunks 1"
"""Version of the columns, and of the division into words: files of another version are rebuilt."""

IN_MEMORY: Final = 200
"""Most new chunks that are read at each search; more are written."""

SHARE: Final = 0.2
LEAST: Final = 2_000
"""The addition is merged into the base if it is larger than this share of it, and than this number
of chunks."""


FOLDERS: Final = ("chunks", "chunks-new")
"""The folders of the base and of the addition."""


class KeptChunks:
    """See the module.

    Args:
        folder: next to the database.
        identity: of the database; no earlier one had it.
        read_after: returns the chunks with higher numbers than one, in order.
    """

    def __init__(
        self, folder: PrivateFolder, identity: bytes, read_after: Callable[[int], Iterable[Chunk]]
    ) -> None:
        self._base, self._since = (PrivateFolder(folder / name) for name in FOLDERS)
        self._digest = blake2b(identity, digest_size=16, person=VERSION.ljust(16)).digest()
        self._read_after = read_after

    def segments(self, newest: int, n_newer: Callable[[int], int]) -> list[ChunkIndex]:
        """Returns the columns of all chunks up to the newest number. n_newer: returns how many
        chunks have higher numbers than one. Raises StorageError."""
        base = self._open(self._base)
        since = self._open(self._since) if base is not None else None
        last = _last(base)
        if since is not None and len(since) and (int(since.ids[0]) <= last or _last(since) <= last):
            since = None  # from before the base was made
        covered = max(last, _last(since))
        if covered > newest:  # the database was replaced by an older copy
            base, since, last, covered = None, None, 0, 0
        segments = [segment for segment in (base, since) if segment is not None]
        if covered == newest:
            return segments
        if n_newer(covered) <= IN_MEMORY:
            return [*segments, open_chunks(build_chunks(self._read_after(covered)))]
        n_since = n_newer(last)
        if base is None or n_since > max(SHARE * len(base), LEAST):
            return [self._write(self._base, 0)]
        return [base, self._write(self._since, last)]

    def _open(self, folder: PrivateFolder) -> ChunkIndex | None:
        try:
            columns = read_table(folder, self._digest, ChunkColumns)
            return open_chunks(columns) if columns is not None else None
        except IndexFileError:
            return None

    def _write(self, folder: PrivateFolder, after: int) -> ChunkIndex:
        columns = build_chunks(self._read_after(after))
        with suppress(UnwritableError):  # they are built again for the next search
            write_table(folder, self._digest, columns)
        return open_chunks(columns)


class LastSegments:
    """The columns of a store's chunks, as they were last read."""

    def __init__(self) -> None:
        self._identity, self._newest = b"", 0
        self._segments: list[ChunkIndex] = []

    def of(
        self, kept: KeptChunks, identity: bytes, newest: int, n_newer: Callable[[int], int]
    ) -> list[ChunkIndex]:
        """Returns `kept.segments`, read again only if other chunks are there: numbers are never
        reused. identity: that of the store."""
        if (self._identity, self._newest) != (identity, newest):
            self._segments = kept.segments(newest, n_newer)
            self._identity, self._newest = identity, newest
        return self._segments


def _last(index: ChunkIndex | None) -> int:
    return int(index.ids[-1]) if index is not None and len(index) else 0


def within(index: ChunkIndex, first: I64, last: I64) -> Mask:
    """Returns by place whether the chunk's number is in one of some ranges, both ends included. The
    ranges do not overlap."""
    steps = np.zeros(len(index) + 1, dtype=np.int64)
    np.add.at(steps, np.searchsorted(index.ids, first), 1)
    np.add.at(steps, np.searchsorted(index.ids, last + 1), -1)
    is_in: Mask = np.cumsum(steps[:-1]) > 0
    return is_in
