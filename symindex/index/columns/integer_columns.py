"""Columns of integers in few bytes: mostly small values (SmallIntegers), values of three bytes
(WideIntegers), runs of equal values (IntegerRuns).

Every value is checked against its bounds when it is read, and raises DamagedIndexError if it
exceeds them. `what` is the column's name in that error.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import numpy as np

from symindex.errors import DamagedIndexError
from symindex.index.columns.arrays import I64, U16, U32, Numbers

_LARGE: Final = 255


def require(is_so: bool, what: str) -> None:
    """Raises DamagedIndexError with the text `what` unless `is_so`."""
    if not is_so:
        raise DamagedIndexError(what)


def pack(values: Any, dtype: str) -> memoryview:
    """Packs integers of one type."""
    return memoryview(np.ascontiguousarray(values, dtype=dtype).tobytes())


def pack_narrow(values: Numbers) -> memoryview:
    """Packs integers in 1, 2 or 4 bytes each, as the largest needs."""
    largest = int(values.max()) if len(values) else 0
    return pack(values, "<u1" if largest < 2**8 else "<u2" if largest < 2**16 else "<u4")


def read_narrow(column: memoryview, count: int, what: str = "numbers") -> Numbers:
    """Reads integers that `pack_narrow` has packed."""
    width = len(column) // count if count else 1
    require(
        width in (1, 2, 4) and len(column) == width * count,
        f"{what}: {len(column):,} bytes for {count:,} numbers",
    )
    return np.frombuffer(column, dtype=f"<u{width}")


def read_below(numbers: Numbers, limit: int, what: str) -> Numbers:
    """Returns the numbers after checking that all are below the limit."""
    if len(numbers) and int(numbers.max()) >= limit:
        raise DamagedIndexError(f"{what}: {int(numbers.max()):,} of {limit:,}")
    return numbers


def edges_of(counts: Numbers, end: int | None = None, what: str = "numbers") -> U32:
    """Returns the start of each of several adjacent ranges, followed by the end of the last. end:
    what that end must be, if it is known."""
    if end is not None and int(counts.sum(dtype=np.uint64)) != end:
        raise DamagedIndexError(f"{what}: {int(counts.sum(dtype=np.uint64)):,} in all, not {end:,}")
    edges = np.zeros(len(counts) + 1, dtype=np.uint32)
    np.cumsum(counts, dtype=np.uint32, out=edges[1:])
    return edges


def read_edges(edges: U32, end: int, what: str) -> U32:
    """Returns the edges after checking that their ranges are in order and not empty."""
    is_so = (
        len(edges) > 0
        and edges[0] == 0
        and edges[-1] == end
        and bool((edges[:-1] < edges[1:]).all())
    )
    require(is_so, f"{what}: out of order, or not up to {end:,}")
    return edges


def last_up_to(edges: U32, value: int | np.uint32) -> int:
    """Returns the number of the range that contains the value: the last edge that is not
    greater."""
    # With a value of another type, numpy would convert all edges.
    return int(edges.searchsorted(np.uint32(value), side="right")) - 1


def join_ranges(starts: I64, counts: I64) -> I64:
    """Returns the integers of several ranges, range by range."""
    ends = np.cumsum(counts)
    joined: I64 = np.arange(ends[-1] if len(ends) else 0)
    joined += np.repeat(starts - (ends - counts), counts)
    return joined


def portions(sizes: I64, most: int) -> Iterator[tuple[int, int]]:
    """Yields ranges of adjacent numbers, from the first to the last, of which each has sizes of at
    most `most` together, or is a single number."""
    ends = np.cumsum(sizes)
    low, done = 0, 0
    while low < len(ends):
        high = max(low + 1, int(np.searchsorted(ends, done + most, side="right")))
        yield low, high
        low, done = high, int(ends[high - 1])


def pack_small(values: Numbers) -> memoryview:
    """Packs integers most of which are below 255: the number of large ones (u32), their positions
    (u32) and values (u32), then all integers (u8), with 255 in place of the large ones."""
    large = np.flatnonzero(values >= _LARGE)
    head = np.concatenate(([len(large)], large, values[large])).astype("<u4").tobytes()
    return memoryview(head + np.minimum(values, _LARGE).astype(np.uint8).tobytes())


class SmallIntegers:
    """A column that `pack_small` has packed, indexed like an array. count: the number of integers
    it must contain, if it is known."""

    def __init__(self, column: memoryview, what: str = "numbers", count: int | None = None) -> None:
        self._what = what
        self._column = column
        self._n_large = int.from_bytes(column[:4], "little")
        head = 4 + 8 * self._n_large
        if len(column) < head or (count is not None and len(column) - head != count):
            raise DamagedIndexError(
                f"{what}: {len(column):,} bytes for {self._n_large:,} large numbers of"
                f" {count or 0:,}"
            )
        self._small = column[head:]
        self._bytes = np.frombuffer(self._small, dtype=np.uint8)

    def __len__(self) -> int:
        return len(self._small)

    @cached_property
    def _large(self) -> tuple[U32, U32]:
        """The positions of the large values, and the values."""
        positions, large = np.frombuffer(
            self._column, dtype="<u4", count=2 * self._n_large, offset=4
        ).reshape(2, -1)
        if len(positions):
            self._require(
                int(positions[-1]) < len(self._bytes)
                and bool((positions[:-1] < positions[1:]).all())
            )
            self._require(bool((self._bytes[positions] == _LARGE).all()))
        return positions, large

    @cached_property
    def _large_lists(self) -> tuple[list[int], list[int]]:
        """`_large` as lists, in which finding one value is faster."""
        positions, large = self._large
        return positions.tolist(), large.tolist()

    def _require(self, is_so: bool) -> None:
        require(is_so, f"{self._what}: large numbers are not where they are said to be")

    def all(self) -> U32:
        numbers = self._bytes.astype(np.uint32)
        positions, large = self._large
        self._require(np.count_nonzero(self._bytes == _LARGE) == len(positions))
        numbers[positions] = large
        return numbers

    def __getitem__(self, indices: Numbers) -> U32:
        """Returns several values without unpacking the others."""
        numbers = self._bytes[indices].astype(np.uint32)
        places = np.flatnonzero(numbers == _LARGE)
        if len(places):
            positions, large = self._large
            sought = indices[places].astype(np.uint32)
            ranks = np.searchsorted(positions, sought)
            self._require(
                int(ranks.max()) < len(positions) and bool((positions[ranks] == sought).all())
            )
            numbers[places] = large[ranks]
        return numbers

    def sum(self, start: int, end: int) -> int:
        """Returns the sum of adjacent values, modulo 2**32."""
        small = bytes(self._small[start:end])
        positions, large = self._large_lists
        low, high = bisect_left(positions, start), bisect_left(positions, end)
        self._require(small.count(_LARGE) == high - low)
        total = (
            sum(small) if len(small) < _MANY else int(self._bytes[start:end].sum(dtype=np.uint64))
        )
        return (total + sum(large[low:high]) - _LARGE * (high - low)) % 2**32

    def sums(self, starts: I64, lasts: I64) -> U32:
        """Returns the sum of each range from `starts[i]` to `lasts[i]` inclusive, modulo 2**32.

        Ranges with different ends must have the same start or not overlap; values that several
        ranges share are read once. In four passes: sort the ranges by their ends; cut each to the
        part after the range before it; add up all parts in one running sum; take differences of
        that sum, where ranges with the same start begin.
        """
        if not len(lasts):
            return np.empty(0, dtype=np.uint32)
        order = np.argsort(lasts)
        start, last = starts[order], lasts[order]
        # A range continues where the one before it, with the same start, ended.
        from_here = start.copy()
        np.maximum(start[1:], last[:-1] + 1, out=from_here[1:])
        counts = last + 1 - from_here
        ends = np.cumsum(counts)
        up_to = np.append(
            np.uint32(0), np.cumsum(self[join_ranges(from_here, counts)], dtype=np.uint32)
        )
        is_new = np.append(True, start[1:] != start[:-1])
        first = np.maximum.accumulate(np.where(is_new, ends - counts, 0))
        sums = np.empty(len(lasts), dtype=np.uint32)
        sums[order] = up_to[ends] - up_to[first]
        return sums


_MANY: Final = 200
"""Number of values below which Python adds faster than numpy."""


def pack_wide(values: U32) -> tuple[memoryview, memoryview]:
    """Packs the two columns of WideIntegers."""
    return pack(values & 0xFFFF, "<u2"), pack_narrow(values >> 16)


class WideIntegers:
    """A permutation of integers in two columns, their lowest 2 bytes and the rest. It is indexed
    like an array, and unpacked as a whole only for `[:]`. As a permutation, each value is below
    their count."""

    def __init__(self, low: memoryview, high: memoryview, what: str = "numbers") -> None:
        self.low: U16 = np.frombuffer(low, dtype="<u2")
        self.high: Numbers = read_narrow(high, len(self.low), what)
        self._what = what
        self._is_checked = False

    def at(self, number: int) -> int:
        value = int(self.high[number]) << 16 | int(self.low[number])
        if value >= len(self.low):
            raise DamagedIndexError(f"{self._what}: {value:,} of {len(self.low):,}")
        return value

    def __getitem__(self, positions: Numbers | slice) -> U32:
        numbers = self.high[positions].astype(np.uint32)
        numbers <<= np.uint32(16)
        numbers |= self.low[positions]
        if not self._is_checked:
            read_below(numbers, len(self.low), self._what)
            self._is_checked = len(numbers) == len(self.low) and isinstance(positions, slice)
        return numbers


def pack_runs(values: Numbers) -> tuple[memoryview, memoryview]:
    """Packs the two columns of IntegerRuns."""
    first = np.flatnonzero(
        np.concatenate((np.ones(min(len(values), 1), dtype=bool), values[1:] != values[:-1]))
    )
    return pack_narrow(values[first]), pack_small(np.diff(first, append=len(values)))


class IntegerRuns:
    """Integers whose neighbours are mostly equal: the value of each run, and the lengths of the
    runs. Indexed like an array.

    count: the number of integers. limit: each is below it.
    """

    def __init__(
        self, numbers: memoryview, lengths: memoryview, count: int, limit: int, what: str
    ) -> None:
        self._first = edges_of(SmallIntegers(lengths, what).all(), count, what)
        self._values = read_below(read_narrow(numbers, len(self._first) - 1, what), limit, what)
        self._limit = limit

    def at(self, place: int) -> int:
        return int(self._values[last_up_to(self._first, place)])

    def __getitem__(self, places: Numbers) -> Numbers:
        return self._values[
            np.searchsorted(self._first, places.astype(np.uint32), side="right") - 1
        ]

    def all(self) -> Numbers:
        return np.repeat(self._values, np.diff(self._first))

    def where(self, values: I64) -> I64:
        """Returns the places of several distinct integers, in no order."""
        order, edges = self._by_value
        first = edges[values]
        runs = order[join_ranges(first, edges[values + 1] - first)]
        first = self._first[runs].astype(np.int64)
        return join_ranges(first, self._first[runs + 1] - first)

    @cached_property
    def _by_value(self) -> tuple[I64, I64]:
        """The numbers of the runs by value, and where those of each value begin."""
        counts = np.bincount(self._values, minlength=self._limit)
        return np.argsort(self._values, kind="stable"), np.concatenate(([0], np.cumsum(counts)))


def distinct(numbers: I64, limit: int) -> I64:
    """Returns the distinct numbers, sorted. limit: all are below it."""
    if len(numbers) < limit // _SORTED_BELOW:
        ordered: I64 = np.sort(numbers)
        return ordered[np.diff(ordered, prepend=-1) > 0]
    is_one = np.zeros(limit, dtype=bool)
    is_one[numbers] = True
    return np.flatnonzero(is_one)


_SORTED_BELOW: Final = 128
"""Ratio of limit to numbers above which sorting is faster than marking."""


def without(numbers: I64, excluded: I64) -> I64:
    """Returns the numbers that are not excluded; both arrays are sorted."""
    if not len(excluded):
        return numbers
    nearest = np.minimum(np.searchsorted(excluded, numbers), len(excluded) - 1)
    remaining: I64 = numbers[excluded[nearest] != numbers]
    return remaining
