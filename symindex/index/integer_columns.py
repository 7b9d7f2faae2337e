"""Columns of numbers in fewer bytes than their largest needs: mostly small ones, those of three bytes, and runs of equal ones.

What reads a column holds what it needs of it against its bounds, and raises DamagedIndexError. `what` is the column's name there.
"""

from bisect import bisect_left
from functools import cached_property
from typing import Any, Final

import numpy as np

from symindex.errors import DamagedIndexError
from symindex.index.arrays import I64, U32, Numbers

_LARGE: Final = 255


def pack(values: Any, dtype: str) -> memoryview:
    """Numbers of one type."""
    return memoryview(np.ascontiguousarray(np.asarray(values, dtype=dtype)).tobytes())


def pack_narrow(values: Numbers) -> memoryview:
    """Numbers as wide as the largest needs: 1, 2 or 4 bytes."""
    largest = int(values.max()) if len(values) else 0
    return pack(values, "<u1" if largest < 2**8 else "<u2" if largest < 2**16 else "<u4")


def read_narrow(column: memoryview, count: int, what: str = "numbers") -> Numbers:
    """The numbers again."""
    width = len(column) // count if count else 1
    if width not in (1, 2, 4) or len(column) != width * count:
        raise DamagedIndexError(f"{what}: {len(column):,} bytes for {count:,} numbers")
    return np.frombuffer(column, dtype=f"<u{width}")


def read_below(numbers: Numbers, limit: int, what: str) -> Numbers:
    """The numbers, all of which are below the limit."""
    if len(numbers) and int(numbers.max()) >= limit:
        raise DamagedIndexError(f"{what}: {int(numbers.max()):,} of {limit:,}")
    return numbers


def read_edges(edges: U32, end: int, what: str) -> U32:
    """Edges as `edges_of` makes them, of ranges that are not empty."""
    if not len(edges) or edges[0] != 0 or edges[-1] != end or not (edges[:-1] < edges[1:]).all():
        raise DamagedIndexError(f"{what}: out of order, or not up to {end:,}")
    return edges


def pack_small(values: Numbers) -> memoryview:
    """Numbers most of which are below 255: how many are not (u32), where these are (u32), what they are (u32), then all (u8),
    255 in the place of these."""
    large = np.flatnonzero(values >= _LARGE)
    head = np.concatenate(([len(large)], large, values[large])).astype("<u4").tobytes()
    return memoryview(head + np.minimum(values, _LARGE).astype(np.uint8).tobytes())


class Small:
    """The numbers again. count: how many they must be, where that is known."""

    def __init__(self, column: memoryview, what: str = "numbers", count: int | None = None) -> None:
        self._what = what
        self._column = column
        self._n_large = int.from_bytes(column[:4], "little")
        head = 4 + 8 * self._n_large
        if len(column) < head or (count is not None and len(column) - head != count):
            raise DamagedIndexError(f"{what}: {len(column):,} bytes for {self._n_large:,} large numbers of {count or 0:,}")
        self._small = column[head:]
        self._bytes = np.frombuffer(self._small, dtype=np.uint8)

    def __len__(self) -> int:
        return len(self._small)

    @cached_property
    def _large(self) -> tuple[U32, U32]:
        """Where the large ones are, and what."""
        where, large = np.frombuffer(self._column, dtype="<u4", count=2 * self._n_large, offset=4).reshape(2, -1)
        if len(where) and not (
            int(where[-1]) < len(self._bytes) and (where[:-1] < where[1:]).all() and (self._bytes[where] == _LARGE).all()
        ):
            raise self._damaged()
        return where, large

    @cached_property
    def _large_at(self) -> tuple[list[int], list[int]]:
        """The same: to look up one is faster in lists."""
        where, large = self._large
        return where.tolist(), large.tolist()

    def _damaged(self) -> DamagedIndexError:
        return DamagedIndexError(f"{self._what}: large numbers are not where they are said to be")

    def all(self) -> U32:
        """All of them."""
        numbers = self._bytes.astype(np.uint32)
        where, large = self._large
        if np.count_nonzero(self._bytes == _LARGE) != len(where):
            raise self._damaged()
        numbers[where] = large
        return numbers

    def at(self, number: int) -> int:
        """One of them."""
        small = self._small[number]
        if small < _LARGE:
            return small
        where, large = self._large_at
        at = bisect_left(where, number)
        if at == len(where) or where[at] != number:
            raise self._damaged()
        return large[at]

    def __getitem__(self, at: Numbers | I64) -> U32:
        """Several, without making all."""
        numbers = self._bytes[at].astype(np.uint32)
        places = np.flatnonzero(numbers == _LARGE)
        if len(places):
            where, large = self._large
            wanted = at[places].astype(np.uint32)
            found = np.searchsorted(where, wanted)
            if int(found.max()) >= len(where) or (where[found] != wanted).any():
                raise self._damaged()
            numbers[places] = large[found]
        return numbers

    def sum(self, start: int, end: int) -> int:
        """The sum of some neighbours, modulo 2**32."""
        many = end - start > _MANY
        total = int(self._bytes[start:end].sum(dtype=np.uint64)) if many else sum(self._small[start:end])
        where, large = self._large_at
        low, high = bisect_left(where, start), bisect_left(where, end)
        return int(total + sum(large[low:high]) - _LARGE * (high - low)) % 2**32

    def sums(self, starts: I64, lasts: I64) -> U32:
        """The sums from each of `starts` up to and with the number at the same place of `lasts`, modulo 2**32. Stretches that end
        at different numbers begin at the same one or do not overlap; what several share is gone through once."""
        if not len(lasts):
            return np.empty(0, dtype=np.uint32)
        order = np.argsort(lasts)
        start, last = starts[order], lasts[order]
        # A stretch goes on where the one before it, from the same start, ended.
        from_here = start.copy()
        np.maximum(start[1:], last[:-1] + 1, out=from_here[1:])
        ends = np.cumsum(last + 1 - from_here)
        at = np.arange(ends[-1]) + np.repeat(last + 1 - ends, last + 1 - from_here)
        up_to = np.append(np.uint32(0), np.cumsum(self[at], dtype=np.uint32))
        is_new = np.append(True, start[1:] != start[:-1])
        first = np.maximum.accumulate(np.where(is_new, np.append(0, ends[:-1]), 0))
        sums = np.empty(len(lasts), dtype=np.uint32)
        sums[order] = up_to[ends] - up_to[first]
        return sums


_MANY: Final = 200
"""To have numpy add up fewer numbers takes longer."""


def edges_of(counts: Numbers, end: int | None = None, what: str = "numbers") -> U32:
    """Where each of some neighbouring ranges begins, and where the last ends. end: where it must, if that is known."""
    if end is not None and int(counts.sum(dtype=np.uint64)) != end:
        raise DamagedIndexError(f"{what}: {int(counts.sum(dtype=np.uint64)):,} in all, not {end:,}")
    edges = np.zeros(len(counts) + 1, dtype=np.uint32)
    np.cumsum(counts, dtype=np.uint32, out=edges[1:])
    return edges


def last_up_to(edges: U32, value: int | np.uint32) -> int:
    """The number of the last edge that is not beyond the value."""
    # A value of another type than the edges would have them all converted.
    return int(edges.searchsorted(np.uint32(value), side="right")) - 1


class Wide:
    """Numbers in two columns: their lowest 2 bytes, and the rest. Indexed like an array, but never made to one as a whole unless
    it is asked for (`[:]`). Each is below their number: they are the places of rows, or the like."""

    def __init__(self, low: memoryview, high: memoryview, what: str = "numbers") -> None:
        self.low = np.frombuffer(low, dtype="<u2")
        self.high = read_narrow(high, len(self.low), what)
        self._what = what
        self._is_checked = False

    def __len__(self) -> int:
        return len(self.low)

    def at(self, number: int) -> int:
        """One of them."""
        value = int(self.high[number]) << 16 | int(self.low[number])
        if value >= len(self.low):
            raise DamagedIndexError(f"{self._what}: {value:,} of {len(self.low):,}")
        return value

    def __getitem__(self, at: Numbers | slice) -> U32:
        """Several."""
        numbers = self.high[at].astype(np.uint32)
        numbers <<= np.uint32(16)
        numbers |= self.low[at]
        if not self._is_checked:
            read_below(numbers, len(self.low), self._what)
            self._is_checked = len(numbers) == len(self.low) and isinstance(at, slice)
        return numbers


def pack_wide(values: U32) -> tuple[memoryview, memoryview]:
    """The two columns of Wide."""
    return pack(values & 0xFFFF, "<u2"), pack_narrow(values >> 16)


class Runs:
    """Numbers of which neighbours are mostly equal: one of each run, and the lengths of the runs. Indexed like an array.

    count: how many they are. limit: what each is below.
    """

    def __init__(self, numbers: memoryview, lengths: memoryview, count: int, limit: int, what: str = "numbers") -> None:
        self._numbers, self._lengths = numbers, lengths
        self._count, self._limit, self._what = count, limit, what

    @cached_property
    def _first(self) -> U32:
        return edges_of(Small(self._lengths, self._what).all(), self._count, self._what)

    @cached_property
    def _values(self) -> Numbers:
        return read_below(read_narrow(self._numbers, len(self._first) - 1, self._what), self._limit, self._what)

    def at(self, place: int) -> int:
        """The number at one place."""
        return int(self._values[last_up_to(self._first, place)])

    def __getitem__(self, places: Numbers) -> Numbers:
        """The numbers at some places."""
        return self._values[np.searchsorted(self._first, places.astype(np.uint32), side="right") - 1]

    def all(self) -> Numbers:
        """All of them."""
        return np.repeat(self._values, np.diff(self._first))


def pack_runs(values: Numbers) -> tuple[memoryview, memoryview]:
    """The two columns of Runs."""
    first = np.flatnonzero(np.concatenate((np.ones(min(len(values), 1), dtype=bool), values[1:] != values[:-1])))
    return pack_narrow(values[first]), pack_small(np.diff(first, append=len(values)))
