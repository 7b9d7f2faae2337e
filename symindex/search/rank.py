"""The order of hits: score, then quality, then invariant 9 (shorter name, path, line, column)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import U8, Index
from symindex.protocol import KINDS, SymbolFlag
from symindex.search.select import Selection

_DEMOTED: Final = (
    (SymbolFlag.LOCAL, 96),
    (SymbolFlag.VENDORED | SymbolFlag.GENERATED, 64),
    (SymbolFlag.TEST, 32),
)
"""What comes after everything else that matches equally well, last first."""


@dataclass(frozen=True)
class Ranking:
    """Hits, best first: their rows, scores and qualities (`quality_of`)."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    qualities: U8

    def __len__(self) -> int:
        return len(self.rows)


def rank(index: Index, selection: Selection) -> Ranking:
    """The hits of a selection in order. The last key, the row's number, is its place by path, line and column."""
    rows = selection.rows
    quality = quality_of(index, rows)
    lengths = index.names.lengths[index.u32("name")[rows]] if len(rows) else rows
    order = np.lexsort((rows, lengths, quality, -selection.scores))
    return Ranking(rows[order], selection.scores[order], quality[order])


def quality_of(index: Index, rows: NDArray[np.int64]) -> U8:
    """How good a hit a row is whatever the query, 0 best: what is demoted comes last; then types, what can be called, values
    and the rest; then exported before unknown before private."""
    table = np.zeros(256, dtype=np.uint8)
    for row in KINDS.values():
        table[row.code] = row.quality * 4
    flags = index.u8("flags")[rows]
    if index.n_files:
        flags = flags | index.u8("file_flags")[index.u32("file")[rows]]
    quality = table[index.u8("kind")[rows]] + 1
    quality -= ((flags & SymbolFlag.EXPORTED) != 0).astype(np.uint8)
    quality += ((flags & SymbolFlag.PRIVATE) != 0).astype(np.uint8)
    demoted = np.zeros(len(rows), dtype=np.uint8)
    for flag, weight in _DEMOTED:
        demoted = np.where((demoted == 0) & ((flags & int(flag)) != 0), np.uint8(weight), demoted)
    return quality + demoted
