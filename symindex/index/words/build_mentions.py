"""Builds the columns of `index/words/mentions` from newly read files and from older indexes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np

from symindex.index.columns.arrays import I64, U32, U64, Mask, Numbers
from symindex.index.columns.integer_columns import pack_small, portions
from symindex.index.words.mentions import Mentions
from symindex.index.words.postings import LOW, pack_keys, pack_lists

_HASHES_OF_GROUP: Final = 1 << 16
"""How many hashes are counted as one group."""


class MentionSource(Protocol):
    """Mentions that are read a range of hashes at a time."""

    def counts(self) -> I64:
        """Returns the number of mentions by group of hashes, or more, for all groups."""

    def between(self, low: int, high: int) -> Iterator[tuple[Numbers, Numbers]]:
        """Yields the mentions of the hashes from `low` to `high`, without `high`, part by part:
        hashes, and numbers of files."""


def _in_groups(hashes: Numbers, weights: I64 | None = None) -> I64:
    groups = hashes // _HASHES_OF_GROUP
    return np.bincount(groups, weights, 2**32 // _HASHES_OF_GROUP).astype(np.int64)


class FreshMentions:
    """Mentions of newly read files, as a MentionSource. hashes, files: of the parts, which can be
    read several times."""

    def __init__(self, hashes: Iterable[U32], files: Iterable[U32]) -> None:
        self._hashes, self._files = hashes, files

    def counts(self) -> I64:
        """See `MentionSource`."""
        return sum(map(_in_groups, self._hashes), _in_groups(np.empty(0, dtype=np.uint32)))

    def between(self, low: int, high: int) -> Iterator[tuple[U32, U32]]:
        """See `MentionSource`."""
        for hashes, files in zip(self._hashes, self._files, strict=True):
            selected = np.flatnonzero((hashes >= low) & (hashes < high))
            yield hashes[selected], files[selected]


class KeptMentions:
    """Mentions of some files of an older index, as a MentionSource.

    read: reads the mentions of the index, anew each time, because they keep what they have decoded.
    of_file: by file, whether it is kept; kept files are numbered in order.
    """

    def __init__(self, read: Callable[[], Mentions], of_file: Mask) -> None:
        self._read, self._of_file = read, of_file

    def counts(self) -> I64:
        """See `MentionSource`."""
        mentions = self._read()
        return _in_groups(mentions.hashes, mentions.counts(None))

    def between(self, low: int, high: int) -> Iterator[tuple[I64, I64]]:
        """See `MentionSource`."""
        number_of = np.cumsum(self._of_file) - 1
        for hashes, files in self._read().parts(low, high):
            selected = np.flatnonzero(self._of_file[files])
            yield hashes[selected], number_of[files[selected]]


def fresh_mentions(files: Sequence[bytes], first: int) -> tuple[U32, U32]:
    """Unpacks the mentions of newly read files: hashes, and numbers of files. first: the number of
    the first file."""
    numbers = np.arange(first, first + len(files), dtype=np.uint32)
    hashes = np.frombuffer(b"".join(files), dtype="<u4")
    return hashes, np.repeat(numbers, [len(packed) // 4 for packed in files])


def mention_columns(sources: Sequence[tuple[MentionSource, I64]]) -> dict[str, Any]:
    """Returns the columns of mentions. sources: mentions, with the new number of each file of their
    source."""
    lists, sizes, data = [np.empty(0, dtype=np.uint32)], [np.empty(0, dtype=np.int64)], []
    for keys in _keys(sources):
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


_MOST_KEYS: Final = 2 << 20
"""Most keys of eight bytes at a time, which limits the memory: the mentions are read once for each
such range of hashes."""


def _keys(sources: Sequence[tuple[MentionSource, I64]]) -> Iterator[U64]:
    """Yields the keys (`postings.pack_keys`) of one range of hashes after the other."""
    counts = sum(source.counts() for source, _ in sources)
    assert not isinstance(counts, int)
    for low, high in portions(counts, _MOST_KEYS):
        keys = np.empty(int(counts[low:high].sum()), dtype=np.uint64)
        end = 0
        for source, place in sources:
            for hashes, files in source.between(low * _HASHES_OF_GROUP, high * _HASHES_OF_GROUP):
                start, end = end, end + len(hashes)
                keys[start:end] = hashes.astype(np.uint64) << LOW | place[files].astype(np.uint64)
        yield keys[:end]
