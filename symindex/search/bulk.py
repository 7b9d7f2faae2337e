"""The literal tiers of `search/names` for many names at once, on their bytes: the same rules and the same scores.

Names that are not ASCII, and the few that single queries reach, go through `search/names` one by one.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64, U8, Index
from symindex.index.fold import fold
from symindex.index.signature import begins_word
from symindex.search.names import (
    EXACT_STEPS,
    INNER_SUBSTRING,
    OTHER_CASE,
    POINTS,
    PREFIX_STEPS,
    WORD_SUBSTRING,
    Needle,
    match_strong,
    match_substring,
)

FEW: Final = 48
"""So many names are scored one by one in the time that the arrays take to set up."""

Floats = NDArray[np.float64]


def score_literals(index: Index, needle: Needle, low: int, high: int) -> NDArray[np.int32]:
    """The points of the names from `low` up to `high`, all of which begin with the needle when both are folded and stripped of
    separators."""
    numbers = np.arange(low, high)
    # Whether the runs of the needle begin words takes more than comparing bytes.
    if high - low <= FEW or len(needle.runs) > 1 or not needle.text.isascii():
        return _one_by_one(index, needle, numbers)
    region, lower, starts, lengths = _region(index, low, high)
    separators = np.concatenate(([0], np.cumsum((lower == 95) | (lower == 45))))
    squashed = lengths - (separators[starts + lengths] - separators[starts])
    as_typed = _begin_with(region, starts, needle.text.encode())
    as_folded = _begin_with(lower, starts, needle.folded.encode())
    wanted = len(needle.squashed)
    share = wanted / squashed
    scores = np.select(
        [
            as_typed & (lengths == len(needle.text)),
            as_folded & (lengths == len(needle.folded)),
            squashed == wanted,
            as_typed,
            as_folded,
        ],
        [*EXACT_STEPS, place_in(PREFIX_STEPS[0], share), place_in(PREFIX_STEPS[1], share)],
        place_in(PREFIX_STEPS[2], share),
    )
    return _with_odd(index, needle, numbers, to_points(scores))


def score_inside(index: Index, needle: Needle, numbers: I64) -> NDArray[np.int32]:
    """The points by the tier substring of names that may hold the needle; 0 for those that do not."""
    if len(numbers) <= FEW or not needle.text.isascii():
        return np.array(
            [round(POINTS * match_substring(needle, name, fold(name))) for name in index.names.take(numbers)], dtype=np.int32
        )
    region, lower, starts, lengths = gather(index, numbers)
    places = _occurrences(lower, needle.folded.encode())
    owner = np.searchsorted(starts, places, side="right") - 1
    holds = np.zeros(len(numbers), dtype=bool)
    holds[owner] = True
    at_word = np.zeros(len(numbers), dtype=bool)
    at_word[owner[begins_word(region, places)]] = True
    coverage = len(needle.folded) / lengths
    if needle.capitals:
        as_typed = np.zeros(len(numbers), dtype=bool)
        as_typed[np.searchsorted(starts, _occurrences(region, needle.text.encode()), side="right") - 1] = True
        coverage = np.where(as_typed, coverage, coverage / (1.0 + OTHER_CASE))
    scores = np.where(at_word, place_in(WORD_SUBSTRING, coverage), place_in(INNER_SUBSTRING, coverage))
    return _with_odd(index, needle, numbers, np.where(holds, to_points(scores), 0).astype(np.int32))


def _one_by_one(index: Index, needle: Needle, numbers: I64) -> NDArray[np.int32]:
    scores = (match_strong(needle, name, fold(name)) for name in index.names.take(numbers))
    return np.array([round(POINTS * score) for score in scores], dtype=np.int32)


def _with_odd(index: Index, needle: Needle, numbers: I64, points: NDArray[np.int32]) -> NDArray[np.int32]:
    """The points, those of names that are not ASCII counted one by one."""
    odd = odd_among(index, numbers)
    if len(odd):
        points[odd] = _one_by_one(index, needle, numbers[odd])
    return points


def odd_among(index: Index, numbers: I64) -> I64:
    """Which of the names, by their place among `numbers`, are not ASCII."""
    if not len(index.odd_names):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.isin(numbers, index.odd_names, assume_unique=True))


def place_in(band: tuple[float, float], share: Floats) -> Floats:
    """Scores within a band; `share` from 0.0 to 1.0."""
    low, high = band
    return low + (high - low) * np.clip(share, 0.0, 1.0)


def to_points(scores: Floats) -> NDArray[np.int32]:
    """Scores in whole ten-thousandths."""
    return np.rint(scores * POINTS).astype(np.int32)


def _region(index: Index, low: int, high: int) -> tuple[U8, U8, I64, I64]:
    """As `gather`, for neighbouring names."""
    offsets = index.names.offset[low : high + 1].astype(np.int64)
    data = bytes(index.names.blob[offsets[0] : offsets[-1]])
    starts = offsets[:-1] - offsets[0]
    return np.frombuffer(data, dtype=np.uint8), np.frombuffer(data.lower(), dtype=np.uint8), starts, np.diff(offsets) - 1


def gather(index: Index, numbers: I64) -> tuple[U8, U8, I64, I64]:
    """The bytes of names as they are and in small letters, where each begins in them, and its length."""
    offsets = index.names.offset
    first = offsets[numbers].astype(np.int64)
    sizes = offsets[numbers + 1].astype(np.int64) - first
    ends = np.cumsum(sizes)
    starts = ends - sizes
    at = np.arange(ends[-1]) + np.repeat(first - starts, sizes)
    plain = np.frombuffer(index.names.blob, dtype=np.uint8)[at]
    return plain, np.frombuffer(plain.tobytes().lower(), dtype=np.uint8), starts, sizes - 1


def _begin_with(data: U8, starts: I64, prefix: bytes) -> NDArray[np.bool_]:
    """Which of the texts that begin at `starts` begin with the prefix; a NUL byte is no part of one."""
    result = np.ones(len(starts), dtype=bool)
    for step, byte in enumerate(prefix):
        result &= data[np.minimum(starts + step, len(data) - 1)] == byte
    return result


def _occurrences(data: U8, wanted: bytes) -> I64:
    """Where the bytes occur, overlapping or not."""
    if len(data) < len(wanted):
        return np.empty(0, dtype=np.int64)
    places = np.flatnonzero(data[: len(data) - len(wanted) + 1] == wanted[0])
    for step, byte in enumerate(wanted[1:], start=1):
        places = places[data[places + step] == byte]
    return places
