"""The order of hits: points, then quality, then files called as what was asked for before examples, then invariant 9 (shorter
name, path, line, column)."""

import msgspec
import numpy as np

from symindex.index.arrays import I64, U8, U16, U32
from symindex.search.hits import PartHits, Selection
from symindex.search.match.lookup import Points
from symindex.search.static_rank import lengths, qualities


class Ranking(msgspec.Struct, frozen=True):
    """Hits, best first: their rows in the snapshot, points, and qualities (`search/static_rank`), of which the last two bits are
    the rank of the file."""

    rows: I64
    points: Points
    qualities: U16

    def __len__(self) -> int:
        return len(self.rows)


def rank(selection: Selection, count: int | None) -> Ranking:
    """The `count` best hits of a selection in order, or all."""
    wanted = selection.total if count is None else min(count, selection.total)
    ranks = selection.file_ranks or (None,) * len(selection.hits)
    parts = [_of_part(hits, wanted, of_files) for hits, of_files in zip(selection.hits, ranks, strict=True)] if wanted else []
    if not parts:
        nothing = np.empty(0, dtype=np.int64)
        return Ranking(nothing, nothing.astype(np.int32), nothing.astype(np.uint16))
    keys, rows, points, quality, files, places = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((places, files, keys))[:wanted]
    return Ranking(rows[order], points[order], quality[order])


def _of_part(hits: PartHits, wanted: int, ranks: U8 | None) -> tuple[I64, I64, Points, U16, I64, U32]:
    """The best hits of one part: sort keys, rows in the snapshot, points, qualities, order of the files, places."""
    part = hits.chosen.part
    rows, points = hits.best(wanted)
    quality = qualities(part.index, rows).astype(np.uint16) << np.uint16(2)
    if ranks is not None:
        quality += ranks[part.index.file_of(rows)]
    key = (-points.astype(np.int64) << 22) | (quality.astype(np.int64) << 12) | lengths(part.index, rows)
    if len(key) > wanted:
        taken = np.flatnonzero(key <= np.partition(key, wanted - 1)[wanted - 1])
        rows, points, quality, key = rows[taken], points[taken], quality[taken], key[taken]
    return key, rows + part.base, points, quality, part.file_order[part.index.file_of(rows)], part.index.place[rows]
