"""Which files mention a name, by the hash of the name: how much it is used. The mentioned names are
those that `extract/word_lists` counts."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

import numpy as np

from symindex.extract.word_lists import word_hash
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.integer_columns import (
    SmallIntegers,
    edges_of,
    portions,
    require,
)
from symindex.index.words.postings import PostingLists


class Mentions:
    """Read access to mentions.

    hashes: of the names, as one posting list. sizes, data: of the lists of files, by hash. n_files:
    the number of files.
    """

    def __init__(
        self, hashes: memoryview, sizes: SmallIntegers, data: memoryview, n_files: int
    ) -> None:
        self._hashes = PostingLists(
            hashes, np.array([0, len(hashes)], dtype=np.uint32), "column mention_hashes"
        )
        self._lists = PostingLists(
            data, edges_of(sizes.all(), len(data), "column mention_sizes"), "column mentions"
        )
        self._n_files = n_files

    @cached_property
    def hashes(self) -> I64:
        """The hashes, in order."""
        hashes = self._hashes.read(np.zeros(min(len(self._lists), 1), dtype=np.int64), 2**32)[0]
        require(len(hashes) == len(self._lists), "column mention_hashes: as many as lists")
        return hashes

    def counts(self, live: Mask | None) -> I64:
        """Returns by hash the number of files that mention it. live: the files that count; `None`
        for all."""
        if live is None:
            return self._lists.counts()
        numbers, files = self.all()
        counts: I64 = np.bincount(numbers[live[files]], minlength=len(self._lists))
        return counts

    def count(self, hashes: I64, live: Mask | None) -> I64:
        """Returns the number of files for each of several hashes, in any order."""
        counts = np.zeros(len(hashes), dtype=np.int64)
        if not len(self.hashes):
            return counts
        position = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        present = np.flatnonzero(self.hashes[position] == hashes)
        files, lengths = self._lists.read(position[present], self._n_files)
        owners = np.repeat(present, lengths)
        return np.bincount(owners if live is None else owners[live[files]], minlength=len(hashes))

    def files(self, name_hash: int) -> I64:
        """Returns the files that mention a name with this hash, in order."""
        position = int(np.searchsorted(self.hashes, name_hash))
        is_known = position < len(self.hashes) and int(self.hashes[position]) == name_hash
        return self._lists.read(
            np.array([position] if is_known else [], dtype=np.int64), self._n_files
        )[0]

    def files_of_words(self, words: Iterable[str]) -> list[I64]:
        """Returns, for each of several folded words, the files that repeat it, in order."""
        return [self.files(word_hash(word)) for word in words]

    def all(self) -> tuple[I64, I64]:
        """Returns every mention: numbers of hashes, and of files."""
        files, lengths = self._lists.read(np.arange(len(self._lists)), self._n_files)
        return np.repeat(np.arange(len(self._lists)), lengths), files

    def parts(self, low: int, high: int) -> Iterator[tuple[I64, I64]]:
        """Yields the mentions of the hashes from `low` to `high`, without `high`, part by part:
        hashes, and numbers of files."""
        first, last = np.searchsorted(self.hashes, (low, high)).tolist()
        for start, end in portions(self._lists.counts()[first:last], _AT_ONCE):
            files, lengths = self._lists.read(np.arange(first + start, first + end), self._n_files)
            yield np.repeat(self.hashes[first + start : first + end], lengths), files


_AT_ONCE: Final = 1 << 18
"""Mentions at a time, which limits the memory for temporary arrays."""
