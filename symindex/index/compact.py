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
        large = np.frombuffer(column, dtype="<u4", count=2 * n_large, offset=4).tolist()
        self._where: list[int] = large[:n_large]
        self._large: list[int] = large[n_large:]
        self._small = column[4 + 8 * n_large :]

    def all(self) -> U32:
        """All of them."""
        numbers = np.frombuffer(self._small, dtype=np.uint8).astype(np.uint32)
        numbers[self._where] = self._large
        return numbers

    def sum(self, start: int, end: int) -> int:
        """The sum of some neighbours, modulo 2**32."""
        if end - start > _MANY:
            total = int(np.frombuffer(self._small, dtype=np.uint8)[start:end].sum(dtype=np.uint64))
        else:
            total = sum(self._small[start:end])
        low, high = bisect_left(self._where, start), bisect_left(self._where, end)
        return int(total + sum(self._large[low:high]) - _LARGE * (high - low)) % 2**32


_MANY: Final = 200
"""To have numpy add up fewer numbers takes longer."""


def edges_of(counts: Numbers) -> U32:
    """Where each of some neighbouring ranges begins, and where the last ends."""
    edges = np.zeros(len(counts) + 1, dtype=np.uint32)
    np.cumsum(counts, dtype=np.uint32, out=edges[1:])
    return edges


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
        return int(self._values[int(self._first.searchsorted(np.uint32(place), side="right")) - 1])

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
