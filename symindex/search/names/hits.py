"""Hits in one part of a snapshot, in the three forms in which searches find them. Only the best
hits are put in order.

Each form has the same members. `chosen`: the applied filter, which has the part. `total`: the
number of hits. `rows`: the rows of all hits, in any order. `mask`: by row, whether it is a hit.
`everything`: rows and points of all hits. `best`: rows and points of the `count` best, and of
others that equal the last of these, in any order. `within`: the hits among the rows of a mask.
`n_lists`, `count_of`: the lists in which hits were found, one for each tier, and how many are in
one; hits without tiers have one list.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
import numpy as np

from symindex.index.columns.arrays import I64, U8, Mask, Numbers
from symindex.search.answer.filters import PartFilter
from symindex.search.match.lookup import NameHits, Points, join_hits
from symindex.search.match.names import POINTS


class RowHits:
    """Rows and their points; rows with 0 points are dropped."""

    def __init__(self, chosen: PartFilter, rows: I64, points: Points) -> None:
        self.chosen = chosen
        self._rows = rows[points > 0]
        self._points = points[points > 0]

    @property
    def total(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> I64:
        return self._rows

    @property
    def mask(self) -> Mask:
        return _marked(self._rows, self.chosen.index.n_symbols)

    def within(self, rows: Mask) -> "RowHits":
        passes = rows[self._rows]
        return RowHits(self.chosen.within(rows), self._rows[passes], self._points[passes])

    def everything(self) -> tuple[I64, Points]:
        return self._rows, self._points

    def best(self, count: int) -> tuple[I64, Points]:
        if count >= len(self._rows):
            return self.everything()
        least = np.partition(self._points, len(self._points) - count)[len(self._points) - count]
        is_best = self._points >= least
        return self._rows[is_best], self._points[is_best]

    n_lists: Final = 1

    def count_of(self, number: int) -> int:
        return 0 if number else self.total

    def join(self, others: "RowHits", best: bool) -> "RowHits":
        """Returns the hits of both. best: hits in both get the better points; otherwise those that
        they have here."""
        rows = np.concatenate((self._rows, others._rows))
        points = np.concatenate((self._points, others._points))
        order = np.lexsort((-points, rows)) if best else np.argsort(rows, kind="stable")
        first = np.ones(len(rows), dtype=bool)
        first[1:] = rows[order][1:] != rows[order][:-1]
        return RowHits(self.chosen, rows[order][first], points[order][first])


class TieredHits:
    """The rows of names that match, as lists of names. Each list has more points than the later
    ones, and all rows of a name have the same points. Points are computed only for the lists that
    are needed, and rows only for the best of their names."""

    def __init__(self, chosen: PartFilter, tiers: Sequence[NameHits]) -> None:
        self.chosen = chosen
        self.tiers = tiers
        self._counted: list[I64] | None = None
        self._total: int | None = None

    @property
    def total(self) -> int:
        if self._total is None:
            self._total = sum(int(counts.sum()) for counts in self._counts)
        return self._total

    @property
    def _counts(self) -> list[I64]:
        """By list and name: how many of its rows pass the filter."""
        if self._counted is None:
            self._counted = [self._count(tier) for tier in self.tiers]
        return self._counted

    @property
    def n_lists(self) -> int:
        return len(self.tiers)

    def count_of(self, number: int) -> int:
        return int(self._counts[number].sum()) if number < len(self.tiers) else 0

    def _count(self, tier: NameHits) -> I64:
        first, numbers = self.chosen.index.name_first, tier.numbers
        if len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:  # consecutive names
            counts: I64 = np.diff(first[numbers[0] : numbers[-1] + 2]).astype(np.int64)
        else:
            counts = first[numbers + 1].astype(np.int64) - first[numbers]
        if self.chosen.lets_all or not len(counts):
            return counts
        if self.chosen.lets_live:
            names, hidden = self.chosen.part.hidden.names
            places = np.searchsorted(tier.numbers, names)
            inside = np.flatnonzero(places < len(tier.numbers))
            inside = inside[tier.numbers[places[inside]] == names[inside]]
            counts[places[inside]] -= hidden[inside]
            return counts
        passes = self.chosen.keeps(self.chosen.index.rows_of_names(tier.numbers))
        return np.add.reduceat(passes, np.cumsum(counts) - counts, dtype=np.int64)

    @property
    def rows(self) -> I64:
        numbers = np.concatenate([np.empty(0, np.int64), *(tier.numbers for tier in self.tiers)])
        rows = self.chosen.index.rows_of_names(numbers)
        return rows if self.chosen.lets_all else rows[self.chosen.keeps(rows)]

    @property
    def mask(self) -> Mask:
        index = self.chosen.index
        is_hit = np.zeros(len(index.names), dtype=bool)
        for tier in self.tiers:
            is_hit[tier.numbers] = True
        # The names where a run of hits begins or ends are fewer than all names.
        edges = np.flatnonzero(np.diff(is_hit, prepend=False))
        of_rows: Mask = np.logical_xor.accumulate(_marked(index.name_first[edges], index.n_symbols))
        return of_rows if self.chosen.lets_all else of_rows & self.chosen.mask

    def within(self, rows: Mask) -> "TieredHits":
        return TieredHits(self.chosen.within(rows), self.tiers)

    def everything(self) -> tuple[I64, Points]:
        return self._with_points(join_hits(self.tiers))

    def best(self, count: int) -> tuple[I64, Points]:
        best_names = []
        for tier, counts in zip(self.tiers, self._counts, strict=True):
            n_in_tier = int(counts.sum())
            if n_in_tier and count > 0:
                best_names.append(_best_names(tier, counts, count))
            count -= n_in_tier
        return self._with_points(join_hits(best_names))

    def _with_points(self, names: NameHits) -> tuple[I64, Points]:
        rows, points = names.rows(self.chosen.index)
        if self.chosen.lets_all:
            return rows, points
        passes = self.chosen.keeps(rows)
        return rows[passes], points[passes]


def _best_names(tier: NameHits, counts: I64, count: int) -> NameHits:
    """Returns the names of a list that have its `count` best rows, and those that equal the last of
    them."""
    numbers, points = tier.numbers, tier.points
    if count >= int(counts.sum()):
        return tier
    # How many rows have at least as many points, from the most points down.
    reached = np.cumsum(np.bincount(points, weights=counts, minlength=POINTS + 1)[::-1])
    is_best = points >= POINTS - int(np.searchsorted(reached, count))
    return NameHits(numbers[is_best], points[is_best])


class Listed:
    """Rows that pass a filter. points: returns the points of every row of the part, when they are
    first needed. rows: by default all that pass."""

    def __init__(
        self, chosen: PartFilter, points: Callable[[], Points], rows: I64 | None = None
    ) -> None:
        self.chosen = chosen
        self._points = points
        self._rows = rows
        self._n_rows = len(rows) if rows is not None else None

    @property
    def total(self) -> int:
        if self._n_rows is None:
            self._n_rows = (
                self.chosen.index.n_symbols
                if self.chosen.lets_all
                else int(np.count_nonzero(self.chosen.mask))
            )
        return self._n_rows

    n_lists: Final = 1

    def count_of(self, number: int) -> int:
        return 0 if number else self.total

    @property
    def rows(self) -> I64:
        if self._rows is not None:
            return self._rows
        return (
            np.arange(self.chosen.index.n_symbols)
            if self.chosen.lets_all
            else np.flatnonzero(self.chosen.mask)
        )

    @property
    def mask(self) -> Mask:
        index = self.chosen.index
        return self.chosen.mask if self._rows is None else _marked(self._rows, index.n_symbols)

    def within(self, rows: Mask) -> "Listed":
        left = None if self._rows is None else self._rows[rows[self._rows]]
        return Listed(self.chosen.within(rows), self._points, left)

    def everything(self) -> tuple[I64, Points]:
        rows = self.rows
        return rows, self._points()[rows]

    def best(self, count: int) -> tuple[I64, Points]:
        if count >= self.total:
            return self.everything()
        if self._rows is not None:
            points = self._points()[self._rows]
            chosen = largest(points, count)
            return self._rows[chosen], points[chosen]
        points = (
            self._points()
            if self.chosen.lets_all
            else np.where(self.chosen.mask, self._points(), 0)
        )
        rows = largest(points, count)
        return rows, points[rows]


def _marked(rows: Numbers, n_symbols: int) -> Mask:
    mask = np.zeros(n_symbols, dtype=bool)
    mask[rows] = True
    return mask


def largest(points: Points, count: int) -> I64:
    """Returns the places of the `count` largest points, and of others that equal the smallest of
    them."""
    # A sample gives a lower bound with at least `count` points above it; only these few are
    # partitioned.
    sample = points[:: max(len(points) // _SAMPLE, 1)]
    bound = (
        np.partition(sample, len(sample) - count)[len(sample) - count]
        if count < len(sample)
        else points.min()
    )
    candidates = np.flatnonzero(points >= bound)
    chosen = points[candidates]
    least = np.partition(chosen, len(chosen) - count)[len(chosen) - count]
    largest: I64 = candidates[chosen >= least]
    return largest


_SAMPLE: Final = 1 << 16


PartHits = RowHits | TieredHits | Listed


class Selection(msgspec.Struct, frozen=True):
    """The hits of a search, by part of a snapshot.

    weak: whether the weak tiers were used. notices: how the query was understood, if that is not
    obvious. file_ranks: 0 to 2 by part and file; among otherwise equal hits, lower ranks come
    first. is_name: whether points depend only on how well a name matches a word. memo: the memo of
    the snapshot. weakness: tells which rows of a part are guesses, and why
    (`search/names/weakness`); `None` if none is. full: the points of a perfect match. found_by:
    tells for rows of a part the numbers of the phrasings that found them; `None` for one phrasing.
    """

    hits: list[PartHits]
    weak: bool = False
    notices: tuple[str, ...] = ()
    file_ranks: tuple[U8, ...] = ()
    is_name: bool = False
    memo: dict[Any, Any] = {}
    weakness: Callable[[int, I64, Points], list[str]] | None = None
    full: int = POINTS
    found_by: Callable[[int, I64], list[list[int]]] | None = None

    def within(self, rows: Sequence[Mask]) -> "Selection":
        """Returns the hits among the rows of a mask for each part."""
        hits = [of_part.within(mask) for of_part, mask in zip(self.hits, rows, strict=True)]
        return msgspec.structs.replace(self, hits=hits)

    @property
    def total(self) -> int:
        """The number of hits."""
        return sum(hits.total for hits in self.hits)

    def reach(self, count: int) -> int:
        """Returns how many hits are in the lists that the `count` best reach. All other hits match
        in another way."""
        reached = 0
        for number in range(max((hits.n_lists for hits in self.hits), default=0)):
            reached += sum(hits.count_of(number) for hits in self.hits)
            if reached >= count:
                break
        return reached
