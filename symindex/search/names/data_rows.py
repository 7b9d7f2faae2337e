"""Puts data behind code: the keys and tables of JSON, YAML and similar formats come after all other
hits, however well they match.

Half of all keys have the name of something in code, and a search for a name seldom means the key.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from symindex.index.columns.arrays import F64, I64, Mask
from symindex.index.columns.columns import Index
from symindex.protocol.kinds import DATA_KINDS, KIND_OF_CODE
from symindex.search.match.lookup import Points
from symindex.search.match.names import POINTS
from symindex.search.names.hits import PartHits, Selection, TieredHits

_BEHIND: Final = 2 * POINTS
"""How many points data has less than code that matches equally well: enough to put it below all
code."""

LEAST_POINTS: Final = -_BEHIND
"""Fewest points of any hit."""

_BEST_SCORE: Final = 0.04
"""Highest score of data: below the scores of all tiers."""


_LONG_LIST: Final = 4_096
"""Longest list of hits in which data is counted exactly: a longer list has either as much code as
is ranked, or nearly none."""


class _CodeFirst:
    """Hits of a part that contains data, which gets fewer points. It has the same members as the
    other forms of hits."""

    def __init__(self, hits: PartHits) -> None:
        self.chosen = hits.chosen
        self.total = hits.total
        self._hits = hits
        self._is_data = _data_traits(hits.chosen.index)

    @property
    def n_lists(self) -> int:
        return self._hits.n_lists

    def count_of(self, number: int) -> int:
        """Returns how many hits of a list are code. In long lists, data is counted, too."""
        count = self._hits.count_of(number)
        if not isinstance(self._hits, TieredHits) or not 0 < count <= _LONG_LIST:
            return count
        index = self.chosen.index
        rows = index.rows_of_names(self._hits.tiers[number].numbers)
        rows = rows if self.chosen.lets_all else rows[self.chosen.keeps(rows)]
        return int(np.count_nonzero(~self._is_data[index.traits[rows]]))

    @property
    def rows(self) -> I64:
        return self._hits.rows

    @property
    def mask(self) -> Mask:
        return self._hits.mask

    def everything(self) -> tuple[I64, Points]:
        return self._demoted(*self._hits.everything())

    def best(self, count: int) -> tuple[I64, Points]:
        edges = np.cumsum([self._hits.count_of(number) for number in range(self._hits.n_lists)])
        n_read = count
        while n_read < self.total:
            rows, points = self._hits.best(n_read)
            is_code = ~self._is_data[self._hits.chosen.index.traits[rows]]
            if np.count_nonzero(is_code) >= count:
                return rows[is_code], points[is_code]
            end = int(edges[np.searchsorted(edges, n_read, side="right")])
            n_read = min(
                4 * n_read, end
            )  # do not reach into the next list, which may be slow to score and is rarely needed
        return self.everything()

    def _demoted(self, rows: I64, points: Points) -> tuple[I64, Points]:
        is_data = self._is_data[self.chosen.index.traits[rows]]
        return rows, np.where(is_data, points - np.int32(_BEHIND), points)


def code_first(selection: Selection) -> Selection:
    """Returns the same hits with all data after the others."""
    hits: Sequence[PartHits] = [
        _CodeFirst(part) if part.total and _data_traits(part.chosen.index).any() else part  # type: ignore[misc]  # the same members
        for part in selection.hits
    ]
    return msgspec.structs.replace(selection, hits=list(hits))


def holds_code(hits: PartHits, at_least: int) -> bool:
    """Whether at least so many of the hits are not data."""
    if hits.total < at_least:
        return False
    is_data = _data_traits(hits.chosen.index)
    if not is_data.any():
        return True
    rows, _ = hits.everything()
    return hits.total - int(np.count_nonzero(is_data[hits.chosen.index.traits[rows]])) >= at_least


def original_points(points: Points) -> Points:
    """Returns the points that hits have by how they match, for data as for code."""
    return np.where(points < 0, points + np.int32(_BEHIND), points)


def scores_of(points: Points) -> F64:
    """Converts points to scores from 0 to 1."""
    scores: F64 = np.where(points > 0, points / POINTS, _BEST_SCORE * (points + _BEHIND) / POINTS)
    return scores


def score_of(points: int, full: int = POINTS) -> float:
    """Converts points to a score from 0 to 1. full: the points of a perfect match."""
    return points / full if points > 0 else round(_BEST_SCORE * (points + _BEHIND) / POINTS, 8)


def _data_traits(index: Index) -> Mask:
    """Returns, by number in `traits_of`, whether it is data."""
    cached = index.memo.get(("data",))
    if cached is None:
        kinds = [KIND_OF_CODE[traits & 255] for traits in index.columns.traits_of]
        cached = index.memo["data",] = np.array([kind in DATA_KINDS for kind in kinds], dtype=bool)
    mask: Mask = cached
    return mask
