"""Where two versions of a text differ."""

from collections.abc import Callable
from typing import Final

_STEP: Final = 1 << 16
"""Bytes that are compared at a time: as fast as memory is read."""


def differing(old: bytes, new: bytes) -> tuple[int, int, int]:
    """The one stretch outside of which both are the same: where it begins, and where it ends in the old and in the new one."""
    most = min(len(old), len(new))
    start = _equal(lambda low, high: old[low:high] == new[low:high], most)
    n_old, n_new = len(old), len(new)
    behind = _equal(lambda low, high: old[n_old - high : n_old - low] == new[n_new - high : n_new - low], most - start)
    return start, n_old - behind, n_new - behind


def _equal(is_equal: Callable[[int, int], bool], most: int) -> int:
    """How many of `most` places are equal until the first that is not."""
    low = 0
    while low < most and is_equal(low, min(low + _STEP, most)):
        low = min(low + _STEP, most)
    high = min(low + _STEP, most)
    while low < high:
        middle = (low + high + 1) // 2
        if is_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def point_at(data: bytes, at: int) -> tuple[int, int]:
    """The 0-based row, and the column in bytes, of a place."""
    return data.count(b"\n", 0, at), at - data.rfind(b"\n", 0, at) - 1
