"""Puts declarations behind their definitions if points do not depend on the name alone.

Hits of one name usually have equal points, and then a definition is the better one
(`search/names/static_rank`). But points may also depend on the path, as in `lua/lua_call`, to which
`lua.h` is nearer than `lapi.c`, or on anything else in a boolean query.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, Mask, distinct_of
from symindex.index.columns.columns import Index
from symindex.protocol.kinds import SymbolFlag
from symindex.search.names.hits import Listed, PartHits, RowHits

_DECLARATION: Final = SymbolFlag.DECLARATION.value


class _PartColumns:
    """The hits of a part as columns. declares: by row, whether it is a mere declaration."""

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
    """Returns the hits of all parts of a snapshot after lowering each declaration to the least
    points of any definition of its qualified name.

    Passes: collect the names of the declarations of all parts; keep the hits with these names; find
    the least points of the definitions of each qualified name; lower the declarations to them.
    """
    # `search/names/centrality` has lowered declarations already
    if all(isinstance(part, Listed) for part in hits):
        return list(hits)
    if len(hits) == 1:
        return [_yield_in(hits[0])]
    by_part = [_PartColumns(part) for part in hits]
    bounds = [(part.points.min(), part.points.max()) for part in by_part if len(part.points)]
    if len({point for pair in bounds for point in pair}) < 2:
        return list(hits)
    declared = {
        name
        for part in by_part
        for name in part.index.names.take(distinct_of(part.index.name_of(part.rows[part.declares])))
    }
    if not declared:
        return list(hits)
    # By part: the places of the hits with these names, and their qualified names.
    places = [
        np.flatnonzero(np.isin(part.index.name_of(part.rows), _numbers_of(part, declared)))
        for part in by_part
    ]
    keys = [
        _qualified_names(part.index, part.rows[of_names])
        for part, of_names in zip(by_part, places, strict=True)
    ]
    least: dict[tuple[str, str], int] = {}
    for part, of_names, part_keys in zip(by_part, places, keys, strict=True):
        for key, points, only_declares in zip(
            part_keys, part.points[of_names].tolist(), part.declares[of_names].tolist(), strict=True
        ):
            if not only_declares:
                least[key] = min(points, least.get(key, points))
    for part, of_names, part_keys in zip(by_part, places, keys, strict=True):
        limits = np.array([least.get(key, _UNBOUNDED) for key in part_keys], dtype=np.int32)
        points, declares = part.points[of_names], part.declares[of_names]
        part.points[of_names] = np.where(declares, np.minimum(points, limits), points)
    return [RowHits(part.chosen, part.rows, part.points) for part in by_part]


_UNBOUNDED: Final = int(np.iinfo(np.int32).max)


def _yield_in(hits: PartHits) -> PartHits:
    """Does the same within a single part, in which numbers of names and containers can be
    compared."""
    index = hits.chosen.index
    rows, points = hits.everything()
    places = np.flatnonzero(_declared(index)[rows])
    if not len(places):
        return hits
    names, containers = (
        index.name_of(rows[places]),
        index.container_of(rows[places]).astype(np.int64),
    )
    _, number = np.unique(names * len(index.containers) + containers, return_inverse=True)
    declares = _declaring(index)[index.traits[rows[places]]]
    least = np.full(len(places), _UNBOUNDED, dtype=np.int32)
    np.minimum.at(least, number[~declares], points[places[~declares]])
    points = points.copy()
    points[places[declares]] = np.minimum(points[places[declares]], least[number[declares]])
    return RowHits(hits.chosen, rows, points)


def _declaring(index: Index) -> Mask:
    """Returns, by number in `traits_of`, whether it is a mere declaration."""
    return np.array(
        [bool(traits >> 8 & _DECLARATION) for traits in index.columns.traits_of], dtype=bool
    )


def _declared(index: Index) -> Mask:
    """Returns, by row, whether its name has a mere declaration."""
    cached = index.memo.get(("declared",))
    if cached is None:
        names = np.zeros(len(index.names), dtype=bool)
        names[index.name_of(np.flatnonzero(_declaring(index)[index.traits]))] = True
        cached = index.memo["declared",] = index.spread_names(names)
    mask: Mask = cached
    return mask


def _numbers_of(part_hits: _PartColumns, names: set[str]) -> I64:
    """Returns the numbers of the names of a part's hits that are among `names`."""
    numbers = distinct_of(part_hits.index.name_of(part_hits.rows))
    batches = [numbers[start : start + _AT_ONCE] for start in range(0, len(numbers), _AT_ONCE)]
    are_wanted = [name in names for part in batches for name in part_hits.index.names.take(part)]
    matching: I64 = numbers[np.array(are_wanted, dtype=bool)]
    return matching


_AT_ONCE: Final = 10_000
"""Names that are decoded at a time: for more, the table would decode and cache all of its texts."""


def _qualified_names(index: Index, rows: I64) -> list[tuple[str, str]]:
    """Returns the names and containers of rows."""
    containers = index.containers.take(index.container_of(rows).astype(np.int64))
    return list(zip(index.names.take(index.name_of(rows)), containers, strict=True))
