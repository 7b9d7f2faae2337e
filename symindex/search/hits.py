"""Hits in one part of a snapshot, in the three forms that searches find them; only the best are ever looked at closely."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from symindex.index.arrays import I64
from symindex.search.filters import PartFilter
from symindex.search.match.lookup import NameHits, Points, TierHits, join_tiers
from symindex.search.match.names import POINTS
from symindex.search.static_rank import listing_keys, smallest

LISTED: Final = POINTS // 2
"""The points of rows that match without anything to compare: the empty query."""


class PartHits(Protocol):
    """The hits in a part. chosen: the filter, applied; it knows the part."""

    chosen: PartFilter

    @property
    def total(self) -> int:
        """How many there are."""

    def best(self, count: int) -> tuple[I64, Points]:
        """Rows and points of the `count` best, and of more where others are as good as the last of them, in any order."""

    def everything(self) -> tuple[I64, Points]:
        """Rows and points of all."""


class RowHits:
    """Rows and their points; those of 0 points are none."""

    def __init__(self, chosen: PartFilter, rows: I64, points: Points) -> None:
        self.chosen = chosen
        self._rows = rows[points > 0]
        self._points = points[points > 0]

    @property
    def total(self) -> int:
        return len(self._rows)

    def everything(self) -> tuple[I64, Points]:
        return self._rows, self._points

    def best(self, count: int) -> tuple[I64, Points]:
        if count >= len(self._rows):
            return self.everything()
        least = np.partition(self._points, len(self._points) - count)[len(self._points) - count]
        taken = self._points >= least
        return self._rows[taken], self._points[taken]

    def join(self, other: "RowHits", best: bool) -> "RowHits":
        """Both; what is in both has the better points, or else these."""
        rows = np.concatenate((self._rows, other._rows))
        points = np.concatenate((self._points, other._points))
        order = np.lexsort((-points, rows)) if best else np.argsort(rows, kind="stable")
        first = np.ones(len(rows), dtype=bool)
        first[1:] = rows[order][1:] != rows[order][:-1]
        return RowHits(self.chosen, rows[order][first], points[order][first])


class NameHitsOf:
    """Names that match, in lists of which each has more points than those behind it; all rows of a name have the same. Points are
    only made for the lists that are looked at, and rows only for the best of their names."""

    def __init__(self, chosen: PartFilter, tiers: Sequence[TierHits]) -> None:
        self.chosen = chosen
        self.tiers = tiers

    @cached_property
    def total(self) -> int:
        return sum(int(counts.sum()) for counts in self._counts)

    @cached_property
    def _counts(self) -> list[I64]:
        """By list and name: how many of its rows are let through."""
        first = self.chosen.index.name_first
        all_counts = [first[tier.numbers + 1].astype(np.int64) - first[tier.numbers] for tier in self.tiers]
        if self.chosen.lets_all:
            return all_counts
        return [self._count_kept(tier, counts) for tier, counts in zip(self.tiers, all_counts, strict=True)]

    def _count_kept(self, tier: TierHits, counts: I64) -> I64:
        if not len(counts):
            return counts
        if self.chosen.hides_files_only:
            names, hidden = self.chosen.part.hidden_names
            at = np.searchsorted(tier.numbers, names)
            inside = np.flatnonzero(at < len(tier.numbers))
            inside = inside[tier.numbers[at[inside]] == names[inside]]
            counts[at[inside]] -= hidden[inside]
            return counts
        kept = self.chosen.keeps(self.chosen.index.rows_of_names(tier.numbers))
        counts = np.add.reduceat(kept, np.cumsum(counts) - counts, dtype=np.int64)
        return counts

    def everything(self) -> tuple[I64, Points]:
        return self._spread(join_tiers(self.tiers))

    def best(self, count: int) -> tuple[I64, Points]:
        found = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        for tier, counts in zip(self.tiers, self._counts, strict=True):
            if count <= 0:
                break
            here = int(counts.sum())
            if here:
                rows, points = self._spread(NameHits(*_best_names(tier, counts, count)))
                found[0].append(rows)
                found[1].append(points)
            count -= here
        return np.concatenate(found[0]), np.concatenate(found[1])

    def _spread(self, names: NameHits) -> tuple[I64, Points]:
        index = self.chosen.index
        rows = index.rows_of_names(names.numbers)
        points = np.repeat(names.points, index.name_first[names.numbers + 1] - index.name_first[names.numbers])
        if self.chosen.lets_all:
            return rows, points
        kept = self.chosen.keeps(rows)
        return rows[kept], points[kept]


def _best_names(tier: TierHits, counts: I64, count: int) -> tuple[I64, Points]:
    """The names that have the `count` best rows of a list, and those as good as the last, and their points."""
    numbers, points = tier.numbers, tier.points
    if count >= int(counts.sum()):
        return numbers, points
    # How many rows have so many points or more, from the best down.
    reached = np.cumsum(np.bincount(points, weights=counts, minlength=POINTS + 1)[::-1])
    taken = points >= POINTS - int(np.searchsorted(reached, count))
    return numbers[taken], points[taken]


class Listed:
    """All rows that a filter lets through, of equal points: the best are those that are listed first."""

    def __init__(self, chosen: PartFilter) -> None:
        self.chosen = chosen

    @property
    def total(self) -> int:
        return self.chosen.n_rows

    def everything(self) -> tuple[I64, Points]:
        rows = np.arange(self.chosen.index.n_symbols) if self.chosen.lets_all else np.flatnonzero(self.chosen.mask())
        return rows, np.full(len(rows), LISTED, dtype=np.int32)

    def best(self, count: int) -> tuple[I64, Points]:
        if count >= self.total:
            return self.everything()
        keys = listing_keys(self.chosen.index)
        if not self.chosen.lets_all:
            keys = np.where(self.chosen.mask(), keys, np.uint16(2**16 - 1))
        rows = smallest(keys, count)
        return rows, np.full(len(rows), LISTED, dtype=np.int32)
