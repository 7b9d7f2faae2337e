"""Which files mention a name, by the hash of the name: how much it is used. Names are those that
`extract/word_lists` counts."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from symindex.extract.word_lists import MENTION_MASK
from symindex.index.columns.arrays import I64, U32, Mask, Numbers
from symindex.index.columns.integer_columns import SmallIntegers, edges_of, pack_small, require
from symindex.index.words.postings import LOW, PostingLists, pack_keys, pack_lists


class Mentions:
    """Read access.

    hashes: of the names, as one list of postings. sizes, data: of the lists of files, hash by hash.
    n_files: how many files there are.
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
        """By hash: how many files mention it. live: the files that count; `None` for all."""
        if live is None:
            return self._lists.counts()
        numbers, files = self.all()
        counts: I64 = np.bincount(numbers[live[files]], minlength=len(self._lists))
        return counts

    def count(self, hashes: I64, live: Mask | None) -> I64:
        """The same for some hashes, in any order."""
        counts = np.zeros(len(hashes), dtype=np.int64)
        if not len(self.hashes):
            return counts
        position = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        present = np.flatnonzero(self.hashes[position] == hashes)
        files, lengths = self._lists.read(position[present], self._n_files)
        owners = np.repeat(present, lengths)
        return np.bincount(owners if live is None else owners[live[files]], minlength=len(hashes))

    def files(self, name_hash: int) -> I64:
        """The files that mention a hash, in order."""
        position = int(np.searchsorted(self.hashes, name_hash))
        is_known = position < len(self.hashes) and int(self.hashes[position]) == name_hash
        return self._lists.read(
            np.array([position] if is_known else [], dtype=np.int64), self._n_files
        )[0]

    def all(self) -> tuple[I64, I64]:
        """Every mention: numbers of hashes, and of files."""
        files, lengths = self._lists.read(np.arange(len(self._lists)), self._n_files)
        return np.repeat(np.arange(len(self._lists)), lengths), files


class MentionParts(NamedTuple):
    """What some files mention, part by part: hashes, and the numbers of the files. total: how many
    they are in all."""

    total: int
    parts: Iterator[tuple[Numbers, Numbers]]


def fresh_mentions(files: Sequence[bytes], first: int) -> tuple[U32, U32]:
    """What some files mention, as they packed it: hashes, and the numbers of the files. first: the
    number of the first."""
    numbers = np.arange(first, first + len(files), dtype=np.uint32)
    hashes = np.frombuffer(b"".join(files), dtype="<u4") & np.uint32(MENTION_MASK)
    return hashes, np.repeat(numbers, [len(packed) // 4 for packed in files])


def kept_mentions(old: Mentions, of_file: Mask) -> MentionParts:
    """What some files of an older index mention. of_file: which; they are numbered in their
    order."""
    numbers, files = old.all()
    selected = of_file[files]
    hashes = old.hashes[numbers[selected]]
    return MentionParts(len(hashes), iter([(hashes, (np.cumsum(of_file) - 1)[files[selected]])]))


def mention_columns(sources: Sequence[tuple[MentionParts, I64]]) -> dict[str, Any]:
    """The columns of hashes and of files' numbers in the order of their paths. found: with the
    place of each file in that."""
    keys = np.empty(sum(source.total for source, _ in sources), dtype=np.uint64)
    end = 0
    for source, place in sources:
        for hashes, files in source.parts:
            start, end = end, end + len(hashes)
            keys[start:end] = hashes.astype(np.uint64) << LOW | place[files].astype(np.uint64)
    lists, sizes, data = [np.empty(0, dtype=np.uint32)], [np.empty(0, dtype=np.int64)], []
    for packed in pack_keys(keys):
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
