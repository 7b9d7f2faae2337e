"""Hits as an editor wants them: where the name begins, rather than in which line."""

from typing import NamedTuple

import numpy as np

from symindex.index.arrays import I64, Numbers
from symindex.index.snapshot import Part, Snapshot
from symindex.index.strings import StringTable


class PlacedHit(NamedTuple):
    """A symbol. part, row: where it stands in the snapshot. kind: KindRow.code. flags: SymbolFlag. line, column: of the name,
    0-based, the column in bytes. container: empty at the top of a file."""

    part: Part
    row: int
    name: str
    kind: int
    flags: int
    path: str
    line: int
    column: int
    container: str


def placed_hits(snapshot: Snapshot, rows: I64) -> list[PlacedHit]:
    """The hits of some rows of a snapshot, in their order."""
    found: dict[int, PlacedHit] = {}
    for part in snapshot.parts:
        places = np.flatnonzero((rows >= part.base) & (rows < part.base + part.index.n_symbols))
        if len(places):
            found.update(zip(places.tolist(), _of_part(part, rows[places] - part.base), strict=True))
    return [hit for _, hit in sorted(found.items())]


def _of_part(part: Part, rows: I64) -> list[PlacedHit]:
    index = part.index
    traits = index.columns.traits_of
    columns = zip(
        rows.tolist(),
        _texts(index.names, index.name_of(rows)),
        index.traits[rows].tolist(),
        _texts(index.paths, index.file_of(rows)),
        index.name_rows_of(rows),
        index.name_columns_of(rows),
        _texts(index.containers, index.container_of(rows)),
        strict=True,
    )
    return [
        PlacedHit(part, row, name, traits[trait] & 255, traits[trait] >> 8, path, line, column, container)
        for row, name, trait, path, line, column, container in columns
    ]


def _texts(table: StringTable, numbers: Numbers) -> list[str]:
    """Texts of a table, each decoded once: the best hits have much in common."""
    distinct, places = np.unique(numbers, return_inverse=True)
    texts = table.take(distinct)
    return [texts[place] for place in places.tolist()]
