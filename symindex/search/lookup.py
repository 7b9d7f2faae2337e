"""Names against an index: which distinct names a word matches, and how well.

Names are matched once, not once for each symbol. Their order gives those that begin with the word, the slices of their signatures
most of those that cannot match; only what is left is looked at.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64, Index
from symindex.index.fold import fold
from symindex.index.signature import Bits, Slices
from symindex.search.bulk import score_inside, score_literals
from symindex.search.names import POINTS, Needle, match_humps, match_strong, match_subsequence, match_typo

Points = NDArray[np.int32]
"""Scores in ten-thousandths."""


class NameHits(NamedTuple):
    """The names that match: their numbers, in order, and their points."""

    numbers: I64
    points: Points


def strong_names(index: Index, needle: Needle) -> NameHits:
    """The names that match by the strong tiers."""
    low, high = index.squashed_range(needle.squashed) if needle.squashed else (0, 0)
    slices = index.slices
    begins = np.arange(low, high)
    found = [NameHits(begins, score_literals(index, needle, low, high))]
    if _may_have_humps(needle):
        numbers = _without(slices.numbers(_hump_bits(slices, needle)), low, high)
        found.append(_score_each(index, numbers, lambda name, folded: match_humps(needle, name, folded)))
    inside = slices.all_pairs(needle.folded) & slices.all_letters(needle.squashed)
    numbers = _without(slices.numbers(inside), low, high)
    if needle.squashed:
        found.append(NameHits(numbers, score_inside(index, needle, numbers)))
    else:  # `_`: what is nothing but separators has no place in the order
        found.append(_score_each(index, numbers, lambda name, folded: match_strong(needle, name, folded)))
    return best_of(found)


def weak_names(index: Index, needle: Needle) -> NameHits:
    """The names that match by the weak tiers; those that a strong tier matches may be among them."""
    slices = index.slices
    near = slices.numbers(_near_bits(slices, needle)) if needle.max_typos else np.empty(0, dtype=np.int64)
    near = near[index.names.lengths[near] >= max(len(needle.folded) - needle.max_typos, 1)]
    typos = _score_each(index, near, lambda name, folded: match_typo(needle, name, folded))
    numbers = np.empty(0, dtype=np.int64)
    if needle.squashed:
        numbers = slices.numbers(slices.all_letters(needle.squashed) & slices.initial(needle.squashed[0]))
    scattered = _score_each(index, numbers, lambda name, folded: match_subsequence(needle, name, folded))
    return best_of([typos, scattered])


def best_of(found: Iterable[NameHits]) -> NameHits:
    """All that was found, each name with the points of the first that gave it any."""
    hits = [NameHits(numbers[points > 0], points[points > 0]) for numbers, points in found]
    hits = [hit for hit in hits if len(hit.numbers)]
    if len(hits) == 1:
        return hits[0]
    if not hits:
        return NameHits(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))
    numbers, first = np.unique(np.concatenate([hit.numbers for hit in hits]), return_index=True)
    return NameHits(numbers, np.concatenate([hit.points for hit in hits])[first])


def _score_each(index: Index, numbers: I64, score: Callable[[str, str], float]) -> NameHits:
    names = index.names.take(numbers)
    points = np.array([round(POINTS * score(name, fold(name))) for name in names], dtype=np.int32)
    return NameHits(numbers, points)


def _without(numbers: I64, low: int, high: int) -> I64:
    """The numbers, in order, without those from `low` up to `high`."""
    if low == high:
        return numbers
    start, end = np.searchsorted(numbers, (low, high))
    return np.concatenate((numbers[:start], numbers[end:]))


def _may_have_humps(needle: Needle) -> bool:
    return len(needle.squashed) >= 2 and needle.squashed.isalnum()


def _hump_bits(slices: Slices, needle: Needle) -> Bits:
    """The names that may match by their humps: every run begins a word; a needle that does not show its runs has each letter
    either behind the one before it or at the beginning of a word."""
    bits = slices.all_letters(needle.squashed)
    if len(needle.runs) > 1:
        for run in needle.runs:
            bits &= slices.initial(run[0])
        return bits
    bits &= slices.initial(needle.squashed[0])
    any_later = np.zeros_like(bits)
    for before, letter in dict.fromkeys(pairwise(needle.squashed)):
        begins = slices.initial(letter)
        any_later |= begins
        bits &= slices.pair(before, letter) | begins
    return bits & any_later


def _near_bits(slices: Slices, needle: Needle) -> Bits:
    """The names that lack at most as many letters of the needle as it may have typos, and hold one of its pieces."""
    # at_least[k]: the names that lack more than k letters, counted letter by letter
    more_than = [np.zeros(slices.bits.shape[1], dtype=np.uint64) for _ in range(needle.max_typos + 1)]
    for letter in sorted(set(needle.squashed)):
        lacking = ~slices.letter(letter)
        for count in range(needle.max_typos, 0, -1):
            more_than[count] |= more_than[count - 1] & lacking
        more_than[0] |= lacking
    pieces = np.zeros(slices.bits.shape[1], dtype=np.uint64)
    for piece in needle.pieces:
        pieces |= slices.all_pairs(piece)
    return ~more_than[needle.max_typos] & pieces
