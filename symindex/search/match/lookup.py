"""Finds the distinct names of an index that a word matches, and how well.

Each distinct name is matched once, however many symbols have it. The names that begin with the word
are a range of their sorted order. Bitmaps exclude most of the other names that cannot match; only
the rest is compared.
"""

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.index.columns.arrays import I64
from symindex.index.columns.columns import Index
from symindex.protocol.kinds import KIND_OF_CODE, SymbolKind
from symindex.search.match.bulk import Points as Points
from symindex.search.match.bulk import (
    begin_with,
    find_inside,
    score_literals,
    score_separators,
    without,
)
from symindex.search.match.fuzzy import score_subsequences, score_typos
from symindex.search.match.humps import can_divide, score_humps
from symindex.search.match.names import JOINED_BY, POINTS, Needle, last_part_score
from symindex.text.folding import fold, squashed


class NameHits:
    """Names that match: their numbers, in order, and their points, which may be computed when they
    are first requested."""

    def __init__(self, numbers: I64, points: Points | Callable[[], Points]) -> None:
        self.numbers = numbers
        self._points = points

    @property
    def points(self) -> Points:
        if callable(self._points):
            self._points = self._points()
        return self._points

    def rows(self, index: Index) -> tuple[I64, Points]:
        """Returns the rows of the names, name by name, and their points."""
        counts = index.name_first[self.numbers + 1] - index.name_first[self.numbers]
        return index.rows_of_names(self.numbers), np.repeat(self.points, counts)


def strong_tiers(
    index: Index, needle: Needle, is_enough: Callable[[NameHits], bool] = lambda _: False
) -> list[NameHits]:
    """Returns the names that match in the strong tiers (exact to substring), as disjoint lists.
    Each name has more points than all names of later lists.

    is_enough: whether the first list, which costs nothing to find, is enough.
    """
    if not needle.folded:  # only combining marks
        return []
    if not needle.squashed:  # `_`: names of separators only are not in the sorted order
        begin = _beginning_with_separators(index, needle)
        if is_enough(begin):
            return [begin]
        numbers = index.slices.containing(needle.folded).numbers()
        return [join_hits([NameHits(numbers, score_separators(index, needle, numbers))])]
    low, high = index.squashed_range(needle.squashed)
    begin = NameHits(
        np.arange(low, high),
        lambda: score_literals(
            index, needle, low, high, lambda names: can_divide(index, needle, names, is_prefix=True)
        ),
    )
    if is_enough(begin):
        return [begin]
    inside, score_inside = find_inside(index, needle, low, high)
    check_wanted()
    of_last = _last_parts(index, needle, inside)
    last = of_last.numbers
    if len(last):
        begin = join_hits([of_last, begin])
    is_left = np.ones(len(inside), dtype=bool)
    is_left[np.searchsorted(inside, last)] = False
    if len(needle.squashed) < 2 or not needle.squashed.isalnum():
        return [begin, NameHits(inside[is_left], lambda: score_inside()[is_left])]
    by_humps = without(index.slices.with_humps(needle.runs), low, high)
    by_humps = by_humps[can_divide(index, needle, by_humps, is_prefix=False)]
    is_hump = np.zeros(len(index.names), dtype=bool)
    is_hump[by_humps] = True
    is_hump[last] = False
    by_humps = by_humps[is_hump[by_humps]]
    is_left &= ~is_hump[inside]
    return [
        begin,
        NameHits(by_humps, lambda: score_humps(index, needle, by_humps)),
        NameHits(inside[is_left], lambda: score_inside()[is_left]),
    ]


def _last_parts(index: Index, needle: Needle, inside: I64) -> NameHits:
    """Returns the names whose last part is the needle, of those that contain it. Of most names only
    the character before that part is read."""
    n_bytes = len(needle.text.encode("utf-8", "surrogatepass"))
    blob, ends = (
        np.frombuffer(index.names.blob, dtype=np.uint8),
        index.names.offset[1:][inside].astype(np.int64),
    )
    separators = ends - n_bytes - 2  # a NUL byte ends each name
    signs = blob[np.maximum(separators, 0)]
    joined = np.flatnonzero(np.logical_or.reduce([signs == ord(sign) for sign in JOINED_BY]))
    numbers = inside[joined[separators[joined] > index.names.offset[:-1][inside[joined]]]]
    numbers = (
        numbers[[not _is_namespace(index, number) for number in numbers.tolist()]]
        if len(numbers)
        else numbers
    )
    if not len(numbers):
        return NameHits(numbers, np.empty(0, dtype=np.int32))
    scores = [last_part_score(needle, name, fold(name)) for name in index.names.take(numbers)]
    points = np.rint(np.array(scores, dtype=np.float64) * POINTS).astype(np.int32)
    return NameHits(numbers[points > 0], points[points > 0])


def _is_namespace(index: Index, number: int) -> bool:
    """Whether only namespaces and packages have a name. Each of their files declares it, so no
    file's declaration is the one that a reader wants."""
    first, end = int(index.name_first[number]), int(index.name_first[number + 1])
    return all(
        KIND_OF_CODE[index.columns.traits_of[traits] & 255] in _NAMESPACES
        for traits in {*index.traits[first:end].tolist()}
    )


_NAMESPACES: Final = frozenset({SymbolKind.NAMESPACE, SymbolKind.PACKAGE})


def _beginning_with_separators(index: Index, needle: Needle) -> NameHits:
    """Returns the names that begin with a needle of separators only. Those of a single separator
    are cached: half of all names may contain it, and few begin with it."""
    key = "beginning with", needle.folded
    numbers = index.memo.get(key)
    if numbers is None:
        numbers = index.slices.containing(needle.folded).numbers()
        numbers = numbers[begin_with(index, needle, numbers)]
        if len(needle.folded) == 1:
            index.memo[key] = numbers
    return NameHits(numbers, lambda: score_separators(index, needle, numbers))


def weak_names(
    index: Index, needle: Needle, typos: bool = True, scattered: bool = True
) -> NameHits:
    """Returns the names that match in the tiers typo and subsequence, or in one of them. Some of
    them may match in a strong tier as well. scattered: whether to use the tier subsequence."""
    misspelt = [NameHits(*score_typos(index, needle))] if typos else []
    check_wanted()
    return join_hits(
        [*misspelt, *([NameHits(*score_subsequences(index, needle))] if scattered else [])]
    )


def join_hits(lists: Iterable[NameHits]) -> NameHits:
    """Returns all names with points; a name in several lists has the points of the first."""
    hits = []
    for hits_of_list in lists:
        points = hits_of_list.points
        matches = points > 0
        if matches.any():
            hits.append((hits_of_list.numbers[matches], points[matches]))
    if len(hits) == 1:
        return NameHits(*hits[0])
    if not hits:
        return NameHits(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))
    last = max(int(numbers[-1]) for numbers, _ in hits)
    if sum(len(numbers) for numbers, _ in hits) * _DENSE > last:
        every = np.zeros(last + 1, dtype=np.int32)
        for numbers, points in reversed(hits):
            every[numbers] = points
        return NameHits(np.flatnonzero(every), every[every > 0])
    numbers, first = np.unique(np.concatenate([numbers for numbers, _ in hits]), return_index=True)
    return NameHits(numbers, np.concatenate([points for _, points in hits])[first])


_DENSE: Final = 100
"""Number of array places that can be visited in the time it takes to sort one number."""


def names_like(index: Index, text: str) -> I64:
    """Returns names similar to a word that matched nothing: they have most of its letters, and
    about its length."""
    numbers = index.slices.with_most_letters(squashed(text))
    lengths = index.names.lengths[numbers]
    return numbers[(lengths * 5 >= len(text) * 2) & (lengths * 2 <= len(text.encode()) * 5)]
