"""Chooses varied hits. Some editors send one query for the first letter or two, and filter its
answer as the user continues to type. The best hits of a query that short are very similar, and
rarely the one that the user means."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import count as count_up
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.index.snapshot import Snapshot

SHORT_QUERY: Final = 2
"""Longest query, in letters, whose answer some editors filter themselves as the user continues to
type."""

SPREAD_OVER: Final = 4
"""Rows for a short query are chosen from this many times as many hits."""

_MORE = 2
"""Names are similar if this many letters after the typed ones are equal."""

_MOST = 4
"""Most letters of a name that are compared."""

_KEPT = 8
"""One row in this many is chosen as one of the best, whatever its name."""


def diversify(snapshot: Snapshot, rows: I64, typed: int, count: int) -> I64:
    """Returns `count` of the rows, in order: the very best; then, in turns, the best for each
    beginning of a name; then further rows with the same name. typed: how many letters of the names
    are known."""
    names = [b""] * len(rows)
    for part, places, local in snapshot.by_part(rows):
        for place, name in zip(
            places.tolist(), part.index.names.take(part.index.name_of(local)), strict=True
        ):
            names[place] = name.encode()
    again = np.array(_times_before(names))
    turns = again + len(rows)
    firsts = np.flatnonzero(again == 0)
    letters = min(typed + _MORE, _MOST)
    turns[firsts] = _times_before(names[place][:letters].lower() for place in firsts.tolist())
    turns[: count // _KEPT] = -1
    chosen: I64 = np.sort(np.argsort(turns, kind="stable")[:count])
    return rows[chosen]


def _times_before(keys: Iterable[Hashable]) -> list[int]:
    """Returns for each place how often its key occurs before it."""
    times: defaultdict[Hashable, Iterator[int]] = defaultdict(count_up)
    return [next(times[key]) for key in keys]
