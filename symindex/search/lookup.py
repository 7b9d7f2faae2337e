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
from symindex.index.fold import fold, squash
from symindex.index.signature import Bits, Slices
from symindex.search.bulk import score_inside, score_literals
from symindex.search.humps import score_humps
from symindex.search.names import POINTS, Needle, match_strong, match_subsequence, match_typo

Points = NDArray[np.int32]
"""Scores in ten-thousandths."""


class NameHits(NamedTuple):
    """The names that match: their numbers, in order, and their points."""

    numbers: I64
    points: Points


def strong_names(index: Index, needle: Needle) -> NameHits:
    """The names that match by the strong tiers."""
    low, high = index.squashed_range(needle.squashed) if needle.squashed else (0, 0)
    begins = np.arange(low, high)
    found = [NameHits(begins, score_literals(index, needle, low, high))]
    if len(needle.squashed) >= 2 and needle.squashed.isalnum():
        numbers = _without(_may_have_humps(index.slices, needle), low, high)
        found.append(NameHits(numbers, score_humps(index, needle, numbers)))
    inside = index.slices.all_names().keep_pairs(needle.folded).keep_letters(needle.squashed)
    numbers = _without(inside.numbers(), low, high)
    if needle.squashed:
        found.append(NameHits(numbers, score_inside(index, needle, numbers)))
    else:  # `_`: what is nothing but separators has no place in the order
        found.append(_score_each(index, numbers, lambda name, folded: match_strong(needle, name, folded)))
    return best_of(found)


def weak_names(index: Index, needle: Needle) -> NameHits:
    """The names that match by the weak tiers; those that a strong tier matches may be among them."""
    near = _may_have_typos(index.slices, needle) if needle.max_typos else np.empty(0, dtype=np.int64)
    near = near[index.names.lengths[near] >= max(len(needle.folded) - needle.max_typos, 1)]
    typos = _score_each(index, near, lambda name, folded: match_typo(needle, name, folded))
    numbers = np.empty(0, dtype=np.int64)
    if needle.squashed:
        chosen = index.slices.all_names().keep(index.slices.initial(needle.squashed[0]))
        numbers = chosen.keep_letters(needle.squashed).numbers()
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


def _may_have_humps(slices: Slices, needle: Needle) -> I64:
    """The names that may match by their humps: every run begins a word; a needle that does not show its runs has each letter
    either behind the one before it or at the beginning of a word."""
    chosen = slices.all_names()
    if len(needle.runs) > 1:
        for run in needle.runs:
            chosen.keep(slices.initial(run[0]))
        return chosen.keep_letters(needle.squashed).numbers()
    chosen.keep(slices.initial(needle.squashed[0]))
    later = dict.fromkeys(pairwise(needle.squashed))
    for before, letter in later:
        chosen.keep(slices.pair(before, letter), slices.initial(letter))
    return chosen.keep(*(slices.initial(letter) for _, letter in later)).keep_letters(needle.squashed).numbers()


def names_like(index: Index, text: str) -> I64:
    """The names that may be meant by a word that nothing matches: they have two thirds of its letters, and about its length."""
    squashed = squash(fold(text))
    numbers = index.slices.all_names().keep(_lacking_at_most(index.slices, squashed, len(set(squashed)) // 3)).numbers()
    lengths = index.names.lengths[numbers]
    return numbers[(lengths * 5 >= len(text) * 2) & (lengths * 2 <= len(text.encode()) * 5)]


def _lacking_at_most(slices: Slices, squashed: str, count: int) -> Bits:
    """The names that lack at most so many of the text's letters."""
    # more_than[k]: the names that lack more than k letters, counted letter by letter
    more_than = [np.zeros(slices.bits.shape[1], dtype=np.uint64) for _ in range(count + 1)]
    for letter in sorted(set(squashed)):
        having = slices.letter(letter)
        assert having is not None
        for step in range(count, 0, -1):
            more_than[step] |= more_than[step - 1] & ~having
        more_than[0] |= ~having
    return ~more_than[count]


def _may_have_typos(slices: Slices, needle: Needle) -> I64:
    """The names that lack at most as many letters of the needle as it may have typos, and hold one of its pieces."""
    chosen = slices.all_names().keep(_lacking_at_most(slices, needle.squashed, needle.max_typos))
    if all(len(piece) > 1 for piece in needle.pieces):
        chosen.keep(*(np.bitwise_and.reduce([slices.pair(*pair) for pair in pairwise(piece)]) for piece in needle.pieces))
    return chosen.numbers()
