"""Declarations behind their definitions, where points do not depend on the name alone.

Hits of one name have equal points, and of these a definition is the better one
(`search/names/static_rank`). But points also depend on the path, as in `lua/lua_call`, to which
`lua.h` is nearer than `lapi.c`, and on whatever else a boolean query finds.
"""

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, Mask, distinct_of
from symindex.index.columns.columns import Index
from symindex.protocol.kinds import SymbolFlag
from symindex.search.names.hits import Listed, PartHits, RowHits

_DECLARATION: Final = SymbolFlag.DECLARATION.value


class _Found:
    """The hits of a part. declares: by row, whether it is a mere declaration."""

    def __init__(self, hits: PartHits) -> None:
        self.chosen = hits.chosen
        self.index = hits.chosen.index
        self.rows, points = hits.everything()
        self.points = points.copy()
        self.declares = (
            _declaring(self.index)[self.index.traits[self.rows]]
            if len(self.rows)
            else np.zeros(0, dtype=bool)
        )


def yield_to_definitions(hits: Sequence[PartHits]) -> list[PartHits]:
    """The hits of all parts of a snapshot, where a declaration has no more points than any
    definition of its qualified name."""
    if all(isinstance(part, Listed) for part in hits):  # `search/names/centrality` has seen to it
        return list(hits)
    if len(hits) == 1:
        return [_yield_in(hits[0])]
    found = [_Found(part) for part in hits]
    if (
        len(
            {
                point
                for each in found
                if len(each.points)
                for point in (each.points.min(), each.points.max())
            }
        )
        < 2
    ):
        return list(hits)
    names = [distinct_of(each.index.name_of(each.rows[each.declares])) for each in found]
    if not any(map(len, names)):
        return list(hits)
    if len(found) > 1:
        declared = {
            text
            for each, numbers in zip(found, names, strict=True)
            for text in each.index.names.take(numbers)
        }
        names = [_numbers_of(each, declared) for each in found]
    places = [
        np.flatnonzero(np.isin(each.index.name_of(each.rows), numbers))
        for each, numbers in zip(found, names, strict=True)
    ]
    keys = [
        _keys(each.index, each.rows[at], as_text=len(found) > 1)
        for each, at in zip(found, places, strict=True)
    ]
    least: dict[Hashable, int] = {}
    for each, at, some in zip(found, places, keys, strict=True):
        for key, points, only_declares in zip(
            some, each.points[at].tolist(), each.declares[at].tolist(), strict=True
        ):
            if not only_declares:
                least[key] = min(points, least.get(key, points))
    for each, at, some in zip(found, places, keys, strict=True):
        bounds = np.array([least.get(key, _UNBOUNDED) for key in some], dtype=np.int32)
        each.points[at] = np.where(
            each.declares[at], np.minimum(each.points[at], bounds), each.points[at]
        )
    return [RowHits(each.chosen, each.rows, each.points) for each in found]


_UNBOUNDED: Final = int(np.iinfo(np.int32).max)


def _yield_in(hits: PartHits) -> PartHits:
    """The same for one part alone, whose numbers of names and containers can be compared."""
    index = hits.chosen.index
    rows, points = hits.everything()
    at = np.flatnonzero(_declared(index)[rows])
    if not len(at):
        return hits
    names, containers = index.name_of(rows[at]), index.container_of(rows[at]).astype(np.int64)
    _, number = np.unique(names * len(index.containers) + containers, return_inverse=True)
    declares = _declaring(index)[index.traits[rows[at]]]
    least = np.full(len(at), _UNBOUNDED, dtype=np.int32)
    np.minimum.at(least, number[~declares], points[at[~declares]])
    points = points.copy()
    points[at[declares]] = np.minimum(points[at[declares]], least[number[declares]])
    return RowHits(hits.chosen, rows, points)


def _declaring(index: Index) -> Mask:
    """By number in `traits_of`: whether it is a mere declaration."""
    return np.array(
        [bool(traits >> 8 & _DECLARATION) for traits in index.columns.traits_of], dtype=bool
    )


def _declared(index: Index) -> Mask:
    """By row: whether a symbol of its name is a mere declaration."""
    known = index.memo.get(("declared",))
    if known is None:
        names = np.zeros(len(index.names), dtype=bool)
        names[index.name_of(np.flatnonzero(_declaring(index)[index.traits]))] = True
        known = index.memo["declared",] = index.spread_names(names)
    mask: Mask = known
    return mask


def _numbers_of(found: _Found, names: set[str]) -> I64:
    """The numbers of those names of the hits that are among `names`."""
    numbers = distinct_of(found.index.name_of(found.rows))
    some = [numbers[at : at + _AT_ONCE] for at in range(0, len(numbers), _AT_ONCE)]
    are_wanted = [name in names for part in some for name in found.index.names.take(part)]
    wanted: I64 = numbers[np.array(are_wanted, dtype=bool)]
    return wanted


_AT_ONCE: Final = 10_000
"""Names that are decoded at a time: with more, the table would decode all and keep them."""


def _keys(index: Index, rows: I64, as_text: bool) -> list[tuple[Hashable, Hashable]]:
    """The rows' names and containers, as texts or as the index numbers them."""
    names, containers = index.name_of(rows), index.container_of(rows).astype(np.int64)
    if not as_text:
        return list(zip(names.tolist(), containers.tolist(), strict=True))
    return list(zip(index.names.take(names), index.containers.take(containers), strict=True))
