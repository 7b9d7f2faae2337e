"""Hits in one part of a snapshot, in the three forms that searches find them; only the best are ever looked at closely."""

from functools import cached_property
from typing import Final, Protocol

import numpy as np

from symindex.index.columns import I64
from symindex.search.filters import PartFilter
from symindex.search.lookup import NameHits, Points
from symindex.search.names import POINTS
from symindex.search.quality import listing_keys, smallest

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
    """Names and their points: all rows of a name have the same. Rows are only made where they are asked for."""

    def __init__(self, chosen: PartFilter, names: NameHits) -> None:
        self.chosen = chosen
        self.names = names
        self._filtered = None if chosen.lets_all else RowHits(chosen, *self._spread(names))

    @cached_property
    def total(self) -> int:
        return self._filtered.total if self._filtered is not None else int(self._counts.sum())

    @cached_property
    def _counts(self) -> I64:
        first = self.chosen.index.name_first
        return first[self.names.numbers + 1].astype(np.int64) - first[self.names.numbers]

    def everything(self) -> tuple[I64, Points]:
        return self._filtered.everything() if self._filtered is not None else self._spread(self.names)

    def best(self, count: int) -> tuple[I64, Points]:
        if self._filtered is not None:
            return self._filtered.best(count)
        numbers, points = self.names
        if count < len(numbers):
            # How many rows have so many points or more, from the best down.
            reached = np.cumsum(np.bincount(points, weights=self._counts, minlength=POINTS + 1)[::-1])
            least = POINTS - int(np.searchsorted(reached, count))
            numbers, points = numbers[points >= least], points[points >= least]
        return self._spread(NameHits(numbers, points))

    def _spread(self, names: NameHits) -> tuple[I64, Points]:
        index = self.chosen.index
        rows = index.rows_of_names(names.numbers)
        points = np.repeat(names.points, index.name_first[names.numbers + 1] - index.name_first[names.numbers])
        if self.chosen.lets_all:
            return rows, points
        kept = self.chosen.keeps(rows)
        return rows[kept], points[kept]


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
