"""Puts hits in order: by points, then space, then quality, then files of the searched name before
examples, then shorter names, path, line and column (invariant 9). Items with equal points are
ordered by space, then id."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np

from symindex.index.columns.arrays import I64, U8, U16, U32
from symindex.index.snapshot import Part
from symindex.search.answer.items import facts_of
from symindex.search.match.lookup import Points
from symindex.search.names.hits import PartHits, Selection
from symindex.search.names.static_rank import are_items, lengths, qualities


class Ranking(msgspec.Struct, frozen=True):
    """Hits, best first: their rows in the snapshot, points and qualities. A quality is packed: bits
    0-1 are the rank of the file, bits 2-9 the quality of the symbol (`search/names/static_rank`),
    bits 10 and up the space."""

    rows: I64
    points: Points
    qualities: U16

    def first(self, count: int) -> "Ranking":
        return Ranking(self.rows[:count], self.points[:count], self.qualities[:count])

    def __len__(self) -> int:
        return len(self.rows)


class Candidates(msgspec.Struct, frozen=True):
    """Hits of a part that may be among the first in an order in which `leading` precedes the
    points."""

    rows: I64
    points: Points
    leading: I64


def rank(
    selection: Selection, count: int | None, candidates: Sequence[Candidates] | None = None
) -> Ranking:
    """Returns the `count` best hits of a selection in order, or all. candidates: by part, the hits
    for another order than by points (`search/answer/sort`)."""
    n_ranked = selection.total if count is None else min(count, selection.total)
    ranks = selection.file_ranks or (None,) * len(selection.hits)
    among = candidates or (None,) * len(selection.hits)
    parts = (
        [
            _of_part(*columns_of_part, n_ranked)
            for columns_of_part in zip(selection.hits, ranks, among, strict=True)
        ]
        if n_ranked
        else []
    )
    if not parts:
        nothing = np.empty(0, dtype=np.int64)
        return Ranking(nothing, nothing.astype(np.int32), nothing.astype(np.uint16))
    columns = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    leading, keys, rows, points, quality, files, places = columns
    order = np.lexsort((places, files, keys, leading))
    _order_items(selection, order, np.stack((leading[order], keys[order])), rows, n_ranked)
    order = order[:n_ranked]
    return Ranking(rows[order], points[order], quality[order])


def _order_items(selection: Selection, order: I64, keys: I64, rows: I64, n_ranked: int) -> None:
    """Puts items of equal keys in the order of their ids, if they are among the first
    `n_ranked`."""
    parts = [
        hits.chosen.part for hits in selection.hits if len(hits.chosen.index.columns.item_places)
    ]
    if not any(_holds_items(part, rows) for part in parts):
        return
    edges = [
        0,
        *(np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1).tolist(),
        len(order),
    ]
    for start, end in pairwise(edges):
        if start >= n_ranked:
            break
        if end - start > 1:
            ids = [_item_id(selection, row) for row in rows[order[start:end]].tolist()]
            order[start:end] = order[start:end][sorted(range(end - start), key=ids.__getitem__)]


def _holds_items(part: Part, rows: I64) -> bool:
    """Whether any rows of the snapshot are items of a part."""
    in_part = rows[(rows >= part.base) & (rows < part.base + part.index.n_symbols)]
    return bool(are_items(part.index, in_part - part.base).any())


def _item_id(selection: Selection, row: int) -> str:
    """Returns the id of a row in the snapshot; empty if it is not an item."""
    part = next(
        hits.chosen.part for hits in reversed(selection.hits) if hits.chosen.part.base <= row
    )
    facts = facts_of(part.index, row - part.base)
    return facts.id if facts is not None else ""


def _of_part(
    hits: PartHits, ranks: U8 | None, among: Candidates | None, n_ranked: int
) -> tuple[I64, I64, I64, Points, U16, I64, U32]:
    """Returns the best hits of one part as columns: leading keys, sort keys, rows in the snapshot,
    points, qualities, order of the files, places."""
    part = hits.chosen.part
    rows, points = hits.best(n_ranked) if among is None else (among.rows, among.points)
    quality = qualities(part.index, rows).astype(np.uint16) << np.uint16(2)
    if ranks is not None:
        quality += np.where(
            are_items(part.index, rows), np.uint8(1), ranks[part.index.file_of(rows)]
        )
    quality |= np.uint16(part.space << 10)
    key = (
        (-points.astype(np.int64) << 24)
        | (quality.astype(np.int64) << 12)
        | lengths(part.index, rows)
    )
    if among is None and len(key) > n_ranked:
        best = np.flatnonzero(key <= np.partition(key, n_ranked - 1)[n_ranked - 1])
        rows, points, quality, key = rows[best], points[best], quality[best], key[best]
    leading = np.zeros(len(rows), dtype=np.int64) if among is None else among.leading
    return (
        leading,
        key,
        rows + part.base,
        points,
        quality,
        part.file_order[part.index.file_of(rows)],
        part.index.place[rows],
    )
