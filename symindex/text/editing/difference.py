"""Finds where two versions of a text differ."""

from collections.abc import Callable


def differing(old: bytes, new: bytes) -> tuple[int, int, int]:
    """Returns the range outside of which both texts are equal: its start, its end in the old text,
    and its end in the new text."""
    shorter = min(len(old), len(new))
    n_old, n_new = len(old), len(new)
    start = _n_equal(lambda low, high: old[low:high] == new[low:high], shorter)
    n_after = _n_equal(
        lambda low, high: old[n_old - high : n_old - low] == new[n_new - high : n_new - low],
        shorter - start,
    )
    return start, n_old - n_after, n_new - n_after


def _n_equal(is_equal: Callable[[int, int], bool], limit: int) -> int:
    """Returns how many of `limit` bytes are equal before the first difference. Each step halves the
    rest."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if is_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def point_at(data: bytes, offset: int) -> tuple[int, int]:
    """Returns the 0-based row and the column, in bytes, of an offset."""
    return data.count(b"\n", 0, offset), offset - data.rfind(b"\n", 0, offset) - 1
