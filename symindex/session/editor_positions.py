"""Hits with the positions of their names in the units of an editor, which answers of the other doors do not need."""

import codecs
from pathlib import Path
from typing import Final, NamedTuple

from symindex.extract.file_text import read_text_of
from symindex.index.arrays import I64
from symindex.index.rows import Rows
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol import SymbolFlag
from symindex.session.merged_view import Folder, FoldersView
from symindex.settings import LARGEST_FILE_BYTES
from symindex.text.edit_buffer import Encoding, count_units
from symindex.workers.document_messages import Seen, SymbolPosition

_ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value

_MARK: Final = codecs.BOM_UTF8


class PlacedHit(NamedTuple):
    """A symbol. part, row: where it is in the snapshot. kind: KindRow.code. flags: SymbolFlag. line, column: of the name,
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
    return snapshot.read(rows, _placed_in_part)


def _placed_in_part(part: Part, rows: Rows) -> list[PlacedHit]:
    columns = zip(
        rows.numbers.tolist(), rows.names, rows.traits, rows.paths, rows.lines, rows.columns, rows.containers, strict=True
    )
    return [
        PlacedHit(part, row, name, traits & 255, traits >> 8, path, line, column, container)
        for row, name, traits, path, line, column, container in columns
    ]


class Match(NamedTuple):
    """A hit for an editor. key: of the unsaved document that it is in, if any. line, start, end: of its name, in the client's
    units."""

    hit: PlacedHit
    folder: Folder
    key: str | None
    line: int
    start: int
    end: int

    @property
    def file(self) -> Path:
        """The file, below the folder as the client names it."""
        return self.folder.path / self.hit.path

    @property
    def signature(self) -> str:
        return self.hit.part.index.signature(self.hit.row)

    @property
    def doc(self) -> str:
        return self.hit.part.index.doc(self.hit.row)


def place_rows(view: FoldersView, rows: I64, encoding: Encoding) -> list[Match]:
    """The matches of some rows of a view, in their order."""
    placer = _Placer(encoding)
    folders, has_seen = view.folders, bool(view.seen)
    matches = []
    for hit in placed_hits(view.snapshot, rows):
        name, column = hit.name, hit.column
        if has_seen or hit.flags & _ODD_PLACE or not name.isascii():
            matches.append(placer.place(view, hit))
        else:  # nearly all hits, so nothing else is called for them
            matches.append(Match(hit, folders[id(hit.part)], None, hit.line, column, column + len(name)))
    return matches


class _Placer:
    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._lines: dict[tuple[str, str], list[bytes]] = {}

    def place(self, view: FoldersView, hit: PlacedHit) -> Match:
        folder = view.folders[id(hit.part)]
        over = view.seen.get((folder.name, hit.path)) if view.seen else None
        if over is not None:
            spot = _spot_of(over[1], hit)
            return Match(hit, folder, over[0], spot.name_start[0], spot.name_start[1], spot.name_end[1])
        if hit.flags & _ODD_PLACE:
            return Match(hit, folder, None, *self._odd_place(folder, hit))
        units = len(hit.name) if hit.name.isascii() else count_units(hit.name.encode(), self._encoding)
        return Match(hit, folder, None, hit.line, hit.column, hit.column + units)

    def _odd_place(self, folder: Folder, hit: PlacedHit) -> tuple[int, int, int]:
        """The line of a name and its start and end there, counted in the file."""
        known = self._lines.get((folder.name, hit.path))
        if known is None:
            known = self._lines[folder.name, hit.path] = _lines_of(folder.root, hit.path)
        line = known[hit.line] if hit.line < len(known) else b""
        *_, name_start, name_end = hit.part.index.places(hit.row)
        before, name = line[: hit.column], line[hit.column : hit.column + name_end - name_start]
        # Editors also end a line at a carriage return alone.
        n_returns = before.count(b"\r") + sum(other.count(b"\r", 0, -1) for other in known[: hit.line])
        start = count_units(before.rpartition(b"\r")[2].replace(_MARK, b""), self._encoding)
        return hit.line + n_returns, start, start + count_units(name.rstrip(b"\r"), self._encoding)


def _lines_of(root: Path, path: str) -> list[bytes]:
    try:
        return read_text_of(root, path, LARGEST_FILE_BYTES).marked.split(b"\n")
    except OSError:
        return []


def _spot_of(seen: Seen, hit: PlacedHit) -> SymbolPosition:
    for symbol, spot in zip(seen.file.symbols, seen.spots, strict=True):
        if (symbol.name_row, symbol.name_column) == (hit.line, hit.column):
            return spot
    place = hit.line, hit.column
    return SymbolPosition(place, place, place, place, -1)
