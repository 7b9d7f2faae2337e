"""Hits as an editor wants them: where the name begins, rather than in which line."""

from typing import NamedTuple

from symindex.index.arrays import I64
from symindex.index.rows import Rows
from symindex.index.snapshot import Part, Snapshot


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
    return snapshot.read(rows, _of_part)


def _of_part(part: Part, rows: Rows) -> list[PlacedHit]:
    columns = zip(
        rows.numbers.tolist(), rows.names, rows.traits, rows.paths, rows.lines, rows.columns, rows.containers, strict=True
    )
    return [
        PlacedHit(part, row, name, traits & 255, traits >> 8, path, line, column, container)
        for row, name, traits, path, line, column, container in columns
    ]
