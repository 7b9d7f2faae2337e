"""A varied choice of hits. Some editors ask once for the first letter or two, and filter what they
got when more is typed. The best hits of so short a query are very much alike, and rarely what is
meant.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import count as count_up
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.index.snapshot import Snapshot

SHORT_QUERY: Final = 2
"""Some editors send a query of so many letters, and filter that answer themselves while the user
types on."""

SPREAD_OVER: Final = 4
"""For those queries, the rows of the answer are chosen from so many times as many hits."""

_MORE = 2
"""Names are of one kind if so many letters behind those that were typed are the same."""

_MOST = 4
"""The most letters that are compared."""

_KEPT = 8
"""One in so many rows is chosen as one of the best, whatever its name."""


def diversify(snapshot: Snapshot, rows: I64, typed: int, count: int) -> I64:
    """`count` of the rows, in their order: the very best; then, in turns, the best of each
    beginning of names; further rows of the same name last. typed: how many letters of the names are
    known."""
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
    """By place: how often its key has come before."""
    times: defaultdict[Hashable, Iterator[int]] = defaultdict(count_up)
    return [next(times[key]) for key in keys]
