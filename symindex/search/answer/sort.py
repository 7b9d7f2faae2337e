"""The order of an answer: by score, by date (newest first), or by name.

The date of an item is in its metadata; items without one follow, by the dates of their files.
Everything else has the date of its file.

Rows with equal dates or names, and the rows of a file, are ordered by score. Names are compared
without case and separators, so that `parse_request` is next to `parseRequest`.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.search.answer.items import facts_of
from symindex.search.match.lookup import Points
from symindex.search.names.heads import order_heads
from symindex.search.names.hits import Selection
from symindex.search.names.rank import Candidates, Ranking, rank
from symindex.search.options.dates import UNKNOWN, dates_of, own_date
from symindex.search.options.read import DATE, SCORE
from symindex.text.folding import squashed

_KEY_BYTES: Final = 24
"""Bytes of a name in a token. The cut only matters if all shown items are gone."""


def ordered(selection: Selection, count: int | None, sort_by: str) -> Ranking:
    """Returns the first `count` hits of a selection in order, or all."""
    n_hits = selection.total if count is None else min(count, selection.total)
    if sort_by == SCORE and n_hits:
        return order_heads(selection, count)
    if not n_hits:
        return rank(selection, 0)
    every = [_Hits(hits.chosen.part, *hits.everything()) for hits in selection.hits]
    return rank(
        selection, count, _by_date(every, n_hits) if sort_by == DATE else _by_name(every, n_hits)
    )


class _Hits(NamedTuple):
    part: Part
    rows: I64
    points: Points

    def up_to(self, keys: I64, bound: int) -> "tuple[_Hits, I64]":
        """Returns the hits whose keys are at most a bound, with these keys."""
        chosen = np.flatnonzero(keys <= bound)
        return _Hits(self.part, self.rows[chosen], self.points[chosen]), keys[chosen]


def _smallest(keys: I64, count: int) -> int:
    """Returns the bound that includes a given number of the keys."""
    return int(keys.max() if count >= len(keys) else np.partition(keys, count - 1)[count - 1])


def _by_date(every: Sequence[_Hits], n_hits: int) -> list[Candidates]:
    candidates = []
    for hits in every:
        keys = _date_keys(hits.part.index, hits.rows)
        if len(keys):
            hits, keys = hits.up_to(keys, _smallest(keys, n_hits))
        candidates.append(Candidates(hits.rows, hits.points, keys))
    return candidates


def _date_keys(index: Index, rows: I64) -> I64:
    """Returns keys of rows that are smaller for newer rows. Items without a date of their own come
    after all that have one."""
    keys: I64 = _newest_first(dates_of(index))[index.file_of(rows)]
    for place, row in enumerate(rows.tolist()) if len(index.columns.item_places) else ():
        if (facts := facts_of(index, row)) is None:
            continue
        if (date := own_date(facts)) is not None:
            keys[place] = -date
        elif keys[place] < 0:
            keys[place] = _UNDATED + keys[place] // 4
    return keys


_UNDATED: Final = 2**62


def _newest_first(dates: I64) -> I64:
    """Returns keys that are smaller for newer dates; unknown dates come last, as the least
    numbers."""
    keys: I64 = np.where(dates == UNKNOWN, np.iinfo(np.int64).max, -np.maximum(dates, UNKNOWN + 1))
    return keys


def _by_name(every: Sequence[_Hits], n_hits: int) -> list[Candidates]:
    """Orders rows by the numbers of their names, which are in the same order within a part; across
    parts by the names themselves."""
    chosen: list[tuple[_Hits, I64, list[str]]] = []
    for hits in every:
        index = hits.part.index
        numbers = index.name_of(hits.rows)
        if len(numbers):
            last = _smallest(numbers, n_hits)
            alike = index.names_squashed(_compared(index.names[last]))
            hits, numbers = hits.up_to(numbers, alike[-1])
        distinct, number_of_name = np.unique(numbers, return_inverse=True)
        chosen.append((hits, number_of_name, list(map(_compared, index.names.take(distinct)))))
    ranks = {
        name: rank
        for rank, name in enumerate(sorted({name for _, _, names in chosen for name in names}))
    }
    return [
        Candidates(
            hits.rows,
            hits.points,
            np.array([ranks[name] for name in names], dtype=np.int64)[number_of_name],
        )
        for hits, number_of_name, names in chosen
    ]


def _compared(name: str) -> str:
    return squashed(name)


def leading_key(part: Part, row: int, sort_by: str) -> bytes:
    """Returns the leading part of a row's sort key, as bytes that compare alike; empty for the
    order by score."""
    if sort_by == SCORE:
        return b""
    if sort_by == DATE:
        key = int(_date_keys(part.index, np.array([row]))[0])
        return (key + 2**63).to_bytes(8, "big")
    return _compared(part.index.name_at(row)).encode()[:_KEY_BYTES]
