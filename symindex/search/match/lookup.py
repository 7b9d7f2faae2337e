"""Names against an index: which distinct names a word matches, and how well.

Names are matched once, not once for each symbol. Their order gives those that begin with the word, the slices of their signatures
most of those that cannot match; only what is left is looked at.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from symindex.index.arrays import I64, Mask
from symindex.index.columns import Index
from symindex.index.name_bitmaps import initial, letter, letters_of, pair, pairs_of
from symindex.search.match.bulk import Points as Points
from symindex.search.match.bulk import find_inside, score_literals, score_separators, without
from symindex.search.match.fuzzy import score_subsequences, score_typos
from symindex.search.match.humps import can_divide, score_humps
from symindex.search.match.names import Needle
from symindex.text.folding import fold, squash
from symindex.workers.cancellation import check_wanted


class NameHits(NamedTuple):
    """The names that match: their numbers, in order, and their points."""

    numbers: I64
    points: Points


class TierHits:
    """Names that match about equally well: their numbers, in order, and their points, made when they are first asked for."""

    def __init__(self, numbers: I64, score: Callable[[], Points]) -> None:
        self.numbers = numbers
        self._score = score

    @cached_property
    def points(self) -> Points:
        """The points of each, above 0."""
        return self._score()


def strong_names(index: Index, needle: Needle) -> NameHits:
    """The names that match by the strong tiers."""
    return join_tiers(strong_tiers(index, needle))


def strong_tiers(index: Index, needle: Needle, is_enough: Callable[[TierHits], bool] = lambda _: False) -> list[TierHits]:
    """The names that match by the strong tiers, in lists that share none; each has more points than all of the lists behind.

    is_enough: whether no more are needed than those of the first list, which is had for nothing.
    """
    if not needle.squashed:  # `_`: what is nothing but separators has no place in the order
        numbers = index.slices.choose(*pairs_of(needle.folded)).numbers()
        return [known_hits(best_of([NameHits(numbers, score_separators(index, needle, numbers))]))]
    low, high = index.squashed_range(needle.squashed)
    begin = TierHits(
        np.arange(low, high),
        lambda: score_literals(index, needle, low, high, lambda some: can_divide(index, needle, some, is_prefix=True)),
    )
    if is_enough(begin):
        return [begin]
    inside, score_inside = find_inside(index, needle, low, high)
    check_wanted()
    if len(needle.squashed) < 2 or not needle.squashed.isalnum():
        return [begin, TierHits(inside, score_inside)]
    by_humps = without(_may_have_humps(index, needle), low, high)
    by_humps = by_humps[can_divide(index, needle, by_humps, is_prefix=False)]
    is_left = ~is_among(inside, by_humps)
    return [
        begin,
        TierHits(by_humps, lambda: score_humps(index, needle, by_humps)),
        TierHits(inside[is_left], lambda: score_inside()[is_left]),
    ]


def known_hits(hits: NameHits) -> TierHits:
    """Names whose points are known."""
    return TierHits(hits.numbers, lambda: hits.points)


def join_tiers(tiers: Sequence[TierHits]) -> NameHits:
    """All names of some lists that have none in common."""
    return best_of([NameHits(tier.numbers, tier.points) for tier in tiers])


def is_among(numbers: I64, others: I64) -> Mask:
    """By number: whether it is one of the others; all are in order, none twice."""
    found = np.zeros(len(numbers), dtype=bool)
    if not len(numbers) or not len(others):
        return found
    if len(numbers) < len(others):
        at = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
        return np.equal(others[at], numbers, out=found)
    at = np.minimum(np.searchsorted(numbers, others), len(numbers) - 1)
    found[at[numbers[at] == others]] = True
    return found


def weak_names(index: Index, needle: Needle, typos: bool = True) -> NameHits:
    """The names that match by the weak tiers; those that a strong tier matches may be among them. typos: whether these count."""
    misspelt = [NameHits(*score_typos(index, needle))] if typos else []
    check_wanted()
    return best_of([*misspelt, NameHits(*score_subsequences(index, needle))])


def best_of(found: Iterable[NameHits]) -> NameHits:
    """All that was found, each name with the points of the first that gave it any."""
    hits = [NameHits(numbers[points > 0], points[points > 0]) for numbers, points in found]
    hits = [hit for hit in hits if len(hit.numbers)]
    if len(hits) == 1:
        return hits[0]
    if not hits:
        return NameHits(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))
    if sum(len(hit.numbers) for hit in hits) * _DENSE > (last := max(int(hit.numbers[-1]) for hit in hits)):
        every = np.zeros(last + 1, dtype=np.int32)
        for hit in reversed(hits):
            every[hit.numbers] = hit.points
        numbers = np.flatnonzero(every)
        return NameHits(numbers, every[numbers])
    numbers, first = np.unique(np.concatenate([hit.numbers for hit in hits]), return_index=True)
    return NameHits(numbers, np.concatenate([hit.points for hit in hits])[first])


_DENSE: Final = 100
"""To sort a number costs as much as to look at so many places of an array."""


def _may_have_humps(index: Index, needle: Needle) -> I64:
    """The names that may match by their humps: every run begins a word; a needle that does not show its runs has each letter
    either behind the one before it or at the beginning of a word."""
    slices, letters = index.slices, letters_of(needle.squashed)
    if len(needle.runs) > 1:
        return slices.choose(*([initial(run[0])] for run in needle.runs), *letters).numbers()
    pairs = list(pairwise(needle.squashed))
    later = [[pair(before, letter), initial(letter)] for before, letter in pairs]
    return slices.choose([initial(needle.squashed[0])], *later, [initial(letter) for _, letter in pairs], *letters).numbers()


def names_like(index: Index, text: str) -> I64:
    """The names that may be meant by a word that nothing matches: they have two thirds of its letters, and about its length."""
    letters = sorted({bit for bit in map(letter, squash(fold(text))) if bit is not None})
    numbers = index.slices.choose().keep_most(letters, len(letters) - len(letters) // 3).numbers()
    lengths = index.names.lengths[numbers]
    return numbers[(lengths * 5 >= len(text) * 2) & (lengths * 2 <= len(text.encode()) * 5)]
