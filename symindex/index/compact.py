"""Columns of numbers in fewer bytes than their largest needs: mostly small ones, those of three bytes, and runs of equal ones."""

from bisect import bisect_left
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
Numbers = NDArray[Any]
"""Unsigned numbers of 1, 2 or 4 bytes."""

_LARGE: Final = 255


def pack(values: Any, dtype: str) -> memoryview:
    """Numbers of one type."""
    return memoryview(np.ascontiguousarray(np.asarray(values, dtype=dtype)).tobytes())


def pack_narrow(values: Numbers) -> memoryview:
    """Numbers as wide as the largest needs: 1, 2 or 4 bytes."""
    largest = int(values.max()) if len(values) else 0
    return pack(values, "<u1" if largest < 2**8 else "<u2" if largest < 2**16 else "<u4")


def read_narrow(column: memoryview, count: int) -> Numbers:
    """The numbers again."""
    width = len(column) // count if count else 1
    return np.frombuffer(column, dtype=f"<u{width}")


def pack_small(values: Numbers) -> memoryview:
    """Numbers most of which are below 255: how many are not (u32), where these are (u32), what they are (u32), then all (u8),
    255 in the place of these."""
    large = np.flatnonzero(values >= _LARGE)
    head = np.concatenate(([len(large)], large, values[large])).astype("<u4").tobytes()
    return memoryview(head + np.minimum(values, _LARGE).astype(np.uint8).tobytes())


class Small:
    """The numbers again."""

    def __init__(self, column: memoryview) -> None:
        n_large = int.from_bytes(column[:4], "little")
        self._where, self._large = np.frombuffer(column, dtype="<u4", count=2 * n_large, offset=4).reshape(2, -1)
        self._small = column[4 + 8 * n_large :]
        self._bytes = np.frombuffer(self._small, dtype=np.uint8)

    @cached_property
    def _large_at(self) -> tuple[list[int], list[int]]:
        """Where the large ones are, and what: to look up one is faster in lists."""
        return self._where.tolist(), self._large.tolist()

    def all(self) -> U32:
        """All of them."""
        numbers = self._bytes.astype(np.uint32)
        numbers[self._where] = self._large
        return numbers

    def at(self, number: int) -> int:
        """One of them."""
        small = self._small[number]
        if small < _LARGE:
            return small
        where, large = self._large_at
        return large[bisect_left(where, number)]

    def __getitem__(self, at: Numbers | I64) -> U32:
        """Several, without making all."""
        numbers = self._bytes[at].astype(np.uint32)
        large = np.flatnonzero(numbers == _LARGE)
        if len(large):
            numbers[large] = self._large[np.searchsorted(self._where, at[large].astype(np.uint32))]
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


def edges_of(counts: Numbers) -> U32:
    """Where each of some neighbouring ranges begins, and where the last ends."""
    edges = np.zeros(len(counts) + 1, dtype=np.uint32)
    np.cumsum(counts, dtype=np.uint32, out=edges[1:])
    return edges


def last_up_to(edges: U32, value: int | np.uint32) -> int:
    """The number of the last edge that is not beyond the value."""
    # A value of another type than the edges would have them all converted.
    return int(edges.searchsorted(np.uint32(value), side="right")) - 1


class Wide:
    """Numbers in two columns: their lowest 2 bytes, and the rest. Indexed like an array, but never made to one as a whole unless
    it is asked for (`[:]`)."""

    def __init__(self, low: memoryview, high: memoryview) -> None:
        self.low = np.frombuffer(low, dtype="<u2")
        self.high = read_narrow(high, len(self.low))

    def __len__(self) -> int:
        return len(self.low)

    def at(self, number: int) -> int:
        """One of them."""
        return int(self.high[number]) << 16 | int(self.low[number])

    def __getitem__(self, at: Numbers | slice) -> U32:
        """Several."""
        numbers = self.high[at].astype(np.uint32)
        numbers <<= np.uint32(16)
        numbers |= self.low[at]
        return numbers


def pack_wide(values: U32) -> tuple[memoryview, memoryview]:
    """The two columns of Wide."""
    return pack(values & 0xFFFF, "<u2"), pack_narrow(values >> 16)


class Runs:
    """Numbers of which neighbours are mostly equal: one of each run, and the lengths of the runs. Indexed like an array."""

    def __init__(self, numbers: memoryview, lengths: memoryview) -> None:
        self._numbers, self._lengths = numbers, lengths

    @cached_property
    def _first(self) -> U32:
        return edges_of(Small(self._lengths).all())

    @cached_property
    def _values(self) -> Numbers:
        return read_narrow(self._numbers, len(self._first) - 1)

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
