"""Where two versions of a text differ."""

from collections.abc import Callable


def differing(old: bytes, new: bytes) -> tuple[int, int, int]:
    """The one range outside of which both are the same: its start, its end in the old text, and its
    end in the new one."""
    shorter = min(len(old), len(new))
    n_old, n_new = len(old), len(new)
    start = _n_equal(lambda low, high: old[low:high] == new[low:high], shorter)
    n_after = _n_equal(
        lambda low, high: old[n_old - high : n_old - low] == new[n_new - high : n_new - low],
        shorter - start,
    )
    return start, n_old - n_after, n_new - n_after


def _n_equal(is_equal: Callable[[int, int], bool], limit: int) -> int:
    """How many of `most` bytes are equal before the first difference. Each step halves what is left
    to compare."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if is_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def point_at(data: bytes, offset: int) -> tuple[int, int]:
    """The 0-based row and the column in bytes of an offset."""
    return data.count(b"\n", 0, offset), offset - data.rfind(b"\n", 0, offset) - 1
