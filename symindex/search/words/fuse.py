"""Two orders of hits made one: reciprocal rank fusion."""

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.search.match.names import BAND_TOLERANCE, BANDS, POINTS, Tier
from symindex.search.names.hits import PartHits, RowHits, Selection
from symindex.search.names.rank import rank
from symindex.search.words.order import BEST
from symindex.search.words.weights import FUSED, RECIPROCAL

_EXACT = round((BANDS[Tier.EXACT][0] - BAND_TOLERANCE) * POINTS)
"""From these points on, a hit has the very name."""


def fuse(one: Selection, other: Selection) -> list[PartHits]:
    """The hits of both selections, of the same parts. Only the best of each are compared, and the
    rest follow. In the first selection, what has the very name that was asked for stays before all
    others."""
    values: dict[int, float] = {}
    for selection in (one, other):
        for place, row in enumerate(rank(selection, FUSED).rows.tolist()):
            values[row] = values.get(row, 0.0) + 1 / (RECIPROCAL + place + 1)
    scale = POINTS * BEST / (2 / (RECIPROCAL + 1))
    return [
        _of_part(hits, more, values, scale) for hits, more in zip(one.hits, other.hits, strict=True)
    ]


def _of_part(one: PartHits, other: PartHits, values: dict[int, float], scale: float) -> RowHits:
    (rows, points), (more, _) = one.everything(), other.everything()
    every: I64 = np.union1d(rows, more).astype(np.int64)
    base = one.chosen.part.base
    fused = np.array([values.get(base + row, 0.0) for row in every.tolist()])
    new = np.clip(np.rint(fused * scale), 1, None).astype(np.int32)
    is_exact = points >= _EXACT
    new[np.searchsorted(every, rows[is_exact])] = np.maximum(points[is_exact], round(POINTS * BEST))
    return RowHits(one.chosen, every, new)
