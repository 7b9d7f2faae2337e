"""The literal tiers of `search/match/names` for many names at once: the same rules and the same scores.

Where a needle may stand in very many names, their words tell (`index/word_postings`); otherwise their bytes. Odd names, and the
few that single queries reach, go through `search/match/names` one by one.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from symindex.index.arrays import F64, I32, I64, U8, Mask
from symindex.index.columns import Index
from symindex.index.name_bitmaps import Chosen, begins_word, initial, letters_of, pairs_of
from symindex.search.match.names import (
    AS_FOLDED,
    AS_SQUASHED,
    AS_TYPED,
    EXACT_STEPS,
    INNER_SUBSTRING,
    OTHER_CASE,
    POINTS,
    WORD_SUBSTRING,
    Needle,
    match_strong,
    match_substring,
)
from symindex.text.folding import SEPARATORS, fold

FEW: Final = 48
"""So many names are scored one by one in the time that the arrays take to set up."""

MANY: Final = 8_192
"""From so many names on, to ask the words of all names costs less than to read these."""

Points = I32
"""Scores in ten-thousandths."""


def score_literals(index: Index, needle: Needle, low: int, high: int, divides: Callable[[I64], Mask]) -> Points:
    """The points of the names from `low` up to `high`, all of which begin with the needle when both are folded and stripped of
    separators. divides: by name, whether the runs of the needle begin words of it."""
    numbers = np.arange(low, high)
    if high - low <= FEW or not needle.text.isascii():
        return one_by_one(index, needle, numbers)
    region, lower, starts, lengths = _region(index, low, high)
    squashed = lengths - np.add.reduceat((lower == 95) | (lower == 45), starts, dtype=np.int64)
    as_typed = _begin_with(region, starts, needle.text.encode())
    as_folded = _begin_with(lower, starts, needle.folded.encode())
    wanted = len(needle.squashed)
    share = wanted / squashed
    other_share = share
    if len(needle.runs) > 1:
        other_share = share.copy()
        others = np.flatnonzero(~as_typed)
        other_share[others] = (share[others] + divides(numbers[others])) / 2
    ends_word = _end_words(needle, region, lower, starts, as_folded)
    scores = np.select(
        [as_typed, as_folded],
        [_place_at_end(AS_TYPED, ends_word, share), _place_at_end(AS_FOLDED, ends_word, other_share)],
        _place_at_end(AS_SQUASHED, ends_word, other_share),
    )
    points = _with_odd(index, needle, numbers, to_points(scores))
    exact = np.flatnonzero(squashed == wanted)  # the ways to write one name are few
    points[exact] = one_by_one(index, needle, numbers[exact])
    return points


def _place_at_end(steps: tuple[tuple[float, float], tuple[float, float]], ends_word: Mask, share: F64) -> F64:
    return np.where(ends_word, place_in(steps[True], share), place_in(steps[False], share))


def _end_words(needle: Needle, region: U8, lower: U8, starts: I64, as_folded: Mask) -> Mask:
    """By name: whether it goes on with a new word behind the needle, which it begins with, but for separators."""
    behind = starts + len(needle.folded.rstrip(SEPARATORS))
    others = np.flatnonzero(~as_folded)
    if len(others):
        letters = np.flatnonzero((lower != 95) & (lower != 45))
        behind[others] = letters[np.searchsorted(letters, starts[others]) + len(needle.squashed) - 1] + 1
    ends: Mask = ~_IS_ALNUM[region[behind]] | begins_word(region, behind)
    return ends


_IS_ALNUM: Final = np.array([code < 128 and chr(code).isalnum() for code in range(256)], dtype=bool)


def find_inside(index: Index, needle: Needle, low: int, high: int) -> tuple[I64, Callable[[], Points]]:
    """The names that match by the tier substring, in order, without those from `low` up to `high`; what tells their points."""
    chosen = index.slices.choose(*pairs_of(needle.folded), *letters_of(needle.squashed))
    if chosen.estimate > MANY and needle.folded.isascii() and needle.folded.isalnum():
        return _find_by_words(index, needle, low, high, chosen)
    numbers = without(chosen.numbers(), low, high)
    if len(numbers) <= FEW or not needle.text.isascii():
        points = _inside_each(index, needle, numbers)
    else:
        points = _inside_texts(index, needle, numbers)
        odd = odd_among(index, numbers)
        points[odd] = _inside_each(index, needle, numbers[odd])
    holds = points > 0
    points = points[holds]
    return numbers[holds], lambda: points


def _inside_each(index: Index, needle: Needle, numbers: I64) -> Points:
    names = index.names.take(numbers)
    return np.array([round(POINTS * match_substring(needle, name, fold(name))) for name in names], dtype=np.int32)


def without(numbers: I64, low: int, high: int) -> I64:
    """The numbers, in order, without those from `low` up to `high`."""
    if low == high:
        return numbers
    start, end = np.searchsorted(numbers, (low, high))
    return np.concatenate((numbers[:start], numbers[end:]))


def _find_by_words(index: Index, needle: Needle, low: int, high: int, chosen: Chosen) -> tuple[I64, Callable[[], Points]]:
    """As `find_inside`, for letters and digits that very many names may hold: their words are asked instead."""
    words, text = index.words, needle.folded.encode()
    holds = words.mark_names(words.holding(text))
    # Those that hold it across the edge of a word have a word that begins inside it.
    chosen = chosen.keep([initial(letter) for letter in needle.folded[1:]]) if len(text) > 1 else chosen
    others = without(chosen.leave_out(holds).numbers(), low, high)
    across = others[_inside_texts(index, needle, others) > 0]
    holds[low:high] = False
    holds[across] = True
    odd = index.odd_names[(index.odd_names < low) | (index.odd_names >= high)].astype(np.int64)
    holds[odd] = _inside_each(index, needle, odd) > 0
    numbers = np.flatnonzero(holds)
    return numbers, lambda: _score_by_words(index, needle, numbers)


def _score_by_words(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of names that match by the tier substring."""
    if needle.capitals:
        points = _inside_texts(index, needle, numbers)
    else:
        words, text = index.words, needle.folded.encode()
        at_word = words.mark_names(np.arange(*words.range_of(text)))
        # In others it may stand across the edges of words, and yet at the beginning of the first of these.
        firsts = [words.find(text[:size]) for size in range(1, len(text))]
        has_first = words.mark_names(np.array([word for word in firsts if word is not None], dtype=np.int64))
        doubtful = np.flatnonzero(has_first[numbers] & ~at_word[numbers])
        # By length of the name: the points inside a word and at the beginning of one.
        coverage = len(text) / np.maximum(np.arange(_LONGEST + 1), 1)
        scores = np.stack([to_points(place_in(INNER_SUBSTRING, coverage)), to_points(place_in(WORD_SUBSTRING, coverage))])
        points = scores[at_word[numbers].astype(np.int8), np.minimum(index.names.lengths[numbers], _LONGEST)]
        points[doubtful] = _inside_texts(index, needle, numbers[doubtful])
    odd = odd_among(index, numbers)
    points[odd] = _inside_each(index, needle, numbers[odd])
    return points


_LONGEST: Final = 1000
"""Longer names have the points of this length: those differ by less than one."""


def _inside_texts(index: Index, needle: Needle, numbers: I64) -> Points:
    points = [_inside_some(index, needle, numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
    return np.concatenate(points) if points else np.empty(0, dtype=np.int32)


def _inside_some(index: Index, needle: Needle, numbers: I64) -> Points:
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
    return np.where(holds, _points_inside(at_word, coverage), 0).astype(np.int32)


def _points_inside(at_word: Mask, coverage: F64) -> Points:
    return to_points(np.where(at_word, place_in(WORD_SUBSTRING, coverage), place_in(INNER_SUBSTRING, coverage)))


def score_separators(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of names, in order, by a needle that is nothing but separators: these have no case and begin no word."""
    if len(numbers) <= FEW or not needle.text.isascii():
        return one_by_one(index, needle, numbers)
    points = [_separators_in_some(index, needle, numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
    return _with_odd(index, needle, numbers, np.concatenate(points))


def _separators_in_some(index: Index, needle: Needle, numbers: I64) -> Points:
    _, lower, starts, lengths = gather(index, numbers)
    text = needle.folded.encode()
    holds = np.zeros(len(numbers), dtype=bool)
    holds[np.searchsorted(starts, _occurrences(lower, text), side="right") - 1] = True
    begins, share = _begin_with(lower, starts, text), len(text) / lengths
    scores = np.select(
        [begins & (lengths == len(text)), begins, holds],
        [np.full(len(numbers), EXACT_STEPS[0]), place_in(AS_TYPED[True], share), place_in(INNER_SUBSTRING, share)],
    )
    return to_points(scores)


def one_by_one(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points by the strong tiers."""
    scores = (match_strong(needle, name, fold(name)) for name in index.names.take(numbers))
    return np.array([round(POINTS * score) for score in scores], dtype=np.int32)


def _with_odd(index: Index, needle: Needle, numbers: I64, points: Points) -> Points:
    """The points, those of odd names counted one by one."""
    odd = odd_among(index, numbers)
    if len(odd):
        points[odd] = one_by_one(index, needle, numbers[odd])
    return points


def odd_among(index: Index, numbers: I64) -> I64:
    """Which of the names, by their place among `numbers` (in order), are odd (`index/word_postings`)."""
    if not len(index.odd_names) or not len(numbers):
        return np.empty(0, dtype=np.int64)
    at = np.minimum(np.searchsorted(numbers, index.odd_names), len(numbers) - 1)
    odd: I64 = at[numbers[at] == index.odd_names]
    return odd


def place_in(band: tuple[float, float], share: F64) -> F64:
    """Scores within a band; `share` from 0.0 to 1.0."""
    low, high = band
    return low + (high - low) * np.clip(share, 0.0, 1.0)


def to_points(scores: F64) -> Points:
    """Scores in whole ten-thousandths."""
    return np.rint(scores * POINTS).astype(np.int32)


def _region(index: Index, low: int, high: int) -> tuple[U8, U8, I64, I64]:
    """As `gather`, for neighbouring names."""
    offsets = index.names.offset[low : high + 1].astype(np.int64)
    data = bytes(index.names.blob[offsets[0] : offsets[-1]])
    starts = offsets[:-1] - offsets[0]
    return np.frombuffer(data, dtype=np.uint8), np.frombuffer(data.lower(), dtype=np.uint8), starts, np.diff(offsets) - 1


AT_ONCE: Final = 32_768
"""So many names are read at a time: what is made of them stays in the processor's cache."""


def gather(index: Index, numbers: I64) -> tuple[U8, U8, I64, I64]:
    """The bytes of names as they are and in small letters, where each begins in them, and its length."""
    offsets = index.names.offset
    first = offsets[numbers].astype(np.int64)
    sizes = offsets[numbers + 1].astype(np.int64) - first
    ends = np.cumsum(sizes)
    starts = ends - sizes
    at = np.arange(ends[-1] if len(ends) else 0)
    at += np.repeat(first - starts, sizes)
    plain = np.frombuffer(index.names.blob, dtype=np.uint8)[at]
    return plain, np.frombuffer(plain.tobytes().lower(), dtype=np.uint8), starts, sizes - 1


def _begin_with(data: U8, starts: I64, prefix: bytes) -> Mask:
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
