"""Which files mention a name, by the hash of the name: how much it is used. The mentioned names are
those that `extract/word_lists` counts."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from symindex.extract.word_lists import word_hash
from symindex.index.columns.arrays import I64, U32, Mask, Numbers
from symindex.index.columns.integer_columns import (
    SmallIntegers,
    edges_of,
    pack_small,
    portions,
    require,
)
from symindex.index.words.postings import LOW, PostingLists, pack_keys, pack_lists


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
        counts = np.zeros(len(self._lists), dtype=np.int64)
        for numbers, files in self.parts():
            counts += np.bincount(numbers[live[files]], minlength=len(counts))
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

    def parts(self) -> Iterator[tuple[I64, I64]]:
        """Yields what `all` returns, part by part."""
        for low, high in portions(self._lists.counts(), _AT_ONCE):
            files, lengths = self._lists.read(np.arange(low, high), self._n_files)
            yield np.repeat(np.arange(low, high), lengths), files


_AT_ONCE: Final = 1 << 18
"""Mentions at a time, which limits the memory for temporary arrays."""


class MentionParts(NamedTuple):
    """Mentions of files, part by part: hashes, and numbers of files. most: number of mentions, or
    more."""

    most: int
    parts: Iterator[tuple[Numbers, Numbers]]


def fresh_mentions(files: Sequence[bytes], first: int) -> tuple[U32, U32]:
    """Unpacks the mentions of newly read files: hashes, and numbers of files. first: the number of
    the first file."""
    numbers = np.arange(first, first + len(files), dtype=np.uint32)
    hashes = np.frombuffer(b"".join(files), dtype="<u4")
    return hashes, np.repeat(numbers, [len(packed) // 4 for packed in files])


def kept_mentions(old: Mentions, of_file: Mask) -> MentionParts:
    """Returns the mentions of some files of an older index. of_file: by file, whether it is kept;
    kept files are numbered in order."""
    number_of = np.cumsum(of_file) - 1

    def parts() -> Iterator[tuple[I64, I64]]:
        for numbers, files in old.parts():
            selected = of_file[files]
            yield old.hashes[numbers[selected]], number_of[files[selected]]

    return MentionParts(int(old.counts(None).sum()), parts())


def mention_columns(sources: Sequence[tuple[MentionParts, I64]]) -> dict[str, Any]:
    """Returns the columns of mentions. sources: mentions, with the new number of each file of their
    source."""
    keys = np.empty(sum(source.most for source, _ in sources), dtype=np.uint64)
    end = 0
    for source, place in sources:
        for hashes, files in source.parts:
            start, end = end, end + len(hashes)
            keys[start:end] = hashes.astype(np.uint64) << LOW | place[files].astype(np.uint64)
    lists, sizes, data = [np.empty(0, dtype=np.uint32)], [np.empty(0, dtype=np.int64)], []
    for packed in pack_keys(keys[:end]):
        lists.append(packed.lists)
        sizes.append(packed.sizes)
        data.append(packed.data)
    of_hash = np.concatenate(lists)
    hash_data, _ = pack_lists(of_hash, np.zeros(min(len(of_hash), 1), dtype=np.int64))
    return {
        "mention_hashes": memoryview(hash_data),
        "mention_sizes": pack_small(np.concatenate(sizes)),
        "mentions": memoryview(b"".join(data)),
    }
