"""A choice of hits that is good to go on with: some editors ask once for a letter or two, and look for what is typed next among
what they got. The best hits of so short a query are very much alike, and rarely what is meant.
"""

import numpy as np

from symindex.index.columns import I64
from symindex.index.fold import fold, squash
from symindex.index.snapshot import Snapshot
from symindex.search.query import Name, Query

_LETTERS = 2
"""So many letters beyond those of the query tell one kind of name from another."""

_KEPT = 8
"""One of so many rows that are shown is among the best whatever their names."""


def spread(snapshot: Snapshot, rows: I64, query: Query, count: int) -> I64:
    """`count` of the rows, which are in order, and the order kept: the very best; then in turns of each beginning of names the
    best, and of each name all others last."""
    names = _names_of(snapshot, rows)
    typed = len(squash(fold(query.name))) if isinstance(query, Name) else 0
    turn_of: dict[str, int] = {}
    of_name: dict[str, int] = {}
    keys: list[tuple[int, int]] = []
    for place, name in enumerate(names):
        again = of_name[name] = of_name.get(name, -1) + 1
        beginning = squash(fold(name))[: typed + _LETTERS]
        if not again:
            turn_of[beginning] = turn_of.get(beginning, -1) + 1
        turn = turn_of[beginning] if not again else len(names) + again
        keys.append((-1 if place < count // _KEPT else turn, place))
    chosen = sorted(place for _, place in sorted(keys)[:count])
    return rows[np.array(chosen, dtype=np.int64)]


def _names_of(snapshot: Snapshot, rows: I64) -> list[str]:
    names: dict[int, str] = {}
    for part in snapshot.parts:
        places = np.flatnonzero((rows >= part.base) & (rows < part.base + part.index.n_symbols))
        if len(places):
            found = part.index.names.take(part.index.name_of(rows[places] - part.base))
            names.update(zip(places.tolist(), found, strict=True))
    return [name for _, name in sorted(names.items())]
