"""Posting lists: rising numbers, stored as the gaps between them, each in as few bytes as it needs.

A gap is written in groups of seven bits, the lowest first; all bytes of a number except its last
have the highest bit set (LEB128). The first gap of a list is counted from -1, and each is one less
than the distance, which is never 0.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64, U8, U32, U64, Numbers
from symindex.index.columns.integer_columns import join_ranges, require

_MORE: Final = np.uint8(128)
_MOST_BYTES: Final = 5
"""Most bytes of a number of 32 bits."""


def pack_lists(ids: U32, first: I64) -> tuple[bytes, I64]:
    """Packs lists of rising numbers, and returns the bytes and the size of each list. first: where
    each list begins in `ids`; lists are not empty."""
    gaps = np.empty(len(ids), dtype=np.uint32)
    np.subtract(ids[1:], ids[:-1] + np.uint32(1), out=gaps[1:])
    gaps[first] = ids[first]
    widths = np.ones(len(gaps), dtype=np.uint8)
    for bits in range(7, 7 * _MOST_BYTES, 7):
        widths += gaps >= 1 << bits
    data = b"".join(
        _pack(gaps[start : start + _AT_ONCE], widths[start : start + _AT_ONCE].astype(np.int64))
        for start in range(0, len(gaps), _AT_ONCE)
    )
    sizes = (
        np.add.reduceat(widths, first, dtype=np.int64)
        if len(first)
        else np.empty(0, dtype=np.int64)
    )
    return data, sizes


_AT_ONCE: Final = 1 << 18
"""Numbers at a time, which limits the memory for temporary arrays."""


def _pack(numbers: U32, widths: I64) -> bytes:
    ends = np.cumsum(widths)
    data = np.empty(int(ends[-1]), dtype=np.uint8)
    for group in range(int(widths.max())):
        longer = np.flatnonzero(widths > group)
        continuation = np.where(widths[longer] > group + 1, _MORE, np.uint8(0))
        data[ends[longer] - widths[longer] + group] = (numbers[longer] >> 7 * group & 127).astype(
            np.uint8
        ) | continuation
    return data.tobytes()


LOW: Final = np.uint64(32)
"""Bits of a key for a number in a list; the bits above are for the number of the list."""


class PackedLists(NamedTuple):
    """Packed lists.

    lists: their numbers, in order. sizes: in bytes. numbers: their contents, list by list. of_list:
    the list of each of these numbers.
    """

    lists: U32
    sizes: I64
    data: bytes
    numbers: U32
    of_list: U32


def pack_keys(keys: U64) -> Iterator[PackedLists]:
    """Packs the lists of keys, which are in no order, perhaps with duplicates; sorts the keys in
    place. Yields a portion at a time, which limits the memory for temporary arrays."""
    keys.sort()
    end = 0
    while end < len(keys):
        start, end = end, len(keys)
        if end - start > _KEYS_AT_ONCE:  # Extends the portion to the end of a list.
            end = int(
                np.searchsorted(keys, (keys[start + _KEYS_AT_ONCE] >> LOW) + np.uint64(1) << LOW)
            )
        portion = keys[start:end]
        portion = portion[first_of_each(portion)]
        numbers, of_list = portion.astype(np.uint32), (portion >> LOW).astype(np.uint32)
        first = first_of_each(of_list)
        data, sizes = pack_lists(numbers, first)
        yield PackedLists(of_list[first], sizes, data, numbers, of_list)


_KEYS_AT_ONCE: Final = 1 << 18


class PostingLists:
    """Read access to posting lists. edges: where each list begins in the bytes, followed by their
    end. what: the name in errors."""

    def __init__(self, data: memoryview, edges: U32, what: str) -> None:
        self._data: U8 = np.frombuffer(data, dtype=np.uint8)
        self.edges = edges
        self._what = what

    def __len__(self) -> int:
        return len(self.edges) - 1

    def counts(self) -> I64:
        """Returns the number of entries of each list."""
        ended = np.concatenate(([0], np.cumsum(self._data < _MORE)))
        counts: I64 = np.diff(ended[self.edges])
        return counts

    def read(self, lists: I64, limit: int) -> tuple[I64, I64]:
        """Returns the contents of several lists, list by list, and the number of entries of each.
        limit: every entry must be below it."""
        if not len(lists):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        starts = self.edges[lists].astype(np.int64)
        sizes = self.edges[lists + 1] - starts
        require(bool(sizes.all()), f"{self._what}: an empty list")
        data = (
            self._data[starts[0] : starts[0] + sizes[0]]
            if len(lists) == 1
            else self._data[join_ranges(starts, sizes)]
        )
        is_last = data < _MORE
        ends = np.flatnonzero(is_last)
        edges = np.cumsum(sizes)
        counts = np.diff(np.searchsorted(ends, edges), prepend=0)
        require(
            bool(is_last[edges - 1].all()) and bool((counts > 0).all()),
            f"{self._what}: a list without an end",
        )
        steps = _numbers(data, ends) + 1
        numbers = np.cumsum(steps) - 1
        if len(lists) > 1:
            previous = np.cumsum(counts) - counts
            numbers -= np.repeat(np.where(previous, numbers[previous - 1] + 1, 0), counts)
        require(
            int(numbers[np.cumsum(counts) - 1].max()) < limit,
            f"{self._what}: a number that is not below {limit:,}",
        )
        return numbers, counts


def _numbers(data: U8, ends: I64) -> I64:
    """Decodes the numbers whose last bytes are at these positions."""
    if len(ends) == len(data):
        return data.astype(np.int64)
    starts = np.empty(len(ends), dtype=np.int64)
    starts[0], starts[1:] = 0, ends[:-1] + 1
    widths = ends - starts
    require(int(widths.max()) < _MOST_BYTES, "a posting list with a number of more than 32 bits")
    numbers = (data[starts] & 127).astype(np.int64)
    for group in range(1, _MOST_BYTES):
        longer = np.flatnonzero(widths >= group)
        if not len(longer):
            break
        numbers[longer] |= (data[starts[longer] + group] & 127).astype(np.int64) << 7 * group
    return numbers


def first_of_each(keys: Numbers) -> I64:
    """Returns where each run of equal keys begins."""
    return np.flatnonzero(
        np.concatenate((np.ones(min(len(keys), 1), dtype=bool), keys[1:] != keys[:-1]))
    )
