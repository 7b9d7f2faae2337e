"""Where the hits of a search are, in the units of an editor."""

import codecs
from pathlib import Path
from typing import Final, NamedTuple

from symindex.extract.file_text import read_text_of
from symindex.index.arrays import I64
from symindex.protocol import SymbolFlag
from symindex.session.merged_view import Folder, FoldersView
from symindex.session.name_positions import PlacedHit, placed_hits
from symindex.settings import LARGEST_FILE_BYTES
from symindex.text.edit_buffer import Encoding, count_units
from symindex.workers.document_messages import Seen, Spot

_ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value

_MARK: Final = codecs.BOM_UTF8


class Match(NamedTuple):
    """A symbol that a search has found. line, start, end: of its name, in the client's units; file: as the client names it, or
    the key of an open document."""

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


def place_rows(view: FoldersView, rows: I64, encoding: Encoding) -> list[Match]:
    """The matches of some rows of a view, in their order."""
    placer = _Placer(encoding)
    folders, has_seen = view.folders, bool(view.seen)
    matches = []
    for hit in placed_hits(view.snapshot, rows):
        name, column = hit.name, hit.column
        if has_seen or hit.flags & _ODD_PLACE or not name.isascii():
            matches.append(placer.place(view, hit))
        else:  # nearly all, so nothing more is called for these
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
        """The line of a name, and where it begins and ends there, where that has to be counted in the file."""
        known = self._lines.get((folder.name, hit.path))
        if known is None:
            known = self._lines[folder.name, hit.path] = _lines_of(folder.root, hit.path)
        line = known[hit.line] if hit.line < len(known) else b""
        detail = hit.part.index.detail(hit.row)
        before, name = line[: hit.column], line[hit.column : hit.column + detail.name_end - detail.name_start]
        # To editors a carriage return alone ends a line, too.
        n_returns = before.count(b"\r") + sum(other.count(b"\r", 0, -1) for other in known[: hit.line])
        start = count_units(before.rpartition(b"\r")[2].replace(_MARK, b""), self._encoding)
        return hit.line + n_returns, start, start + count_units(name.rstrip(b"\r"), self._encoding)


def _lines_of(root: Path, path: str) -> list[bytes]:
    try:
        return read_text_of(root, path, LARGEST_FILE_BYTES).marked.split(b"\n")
    except OSError:
        return []


def _spot_of(seen: Seen, hit: PlacedHit) -> Spot:
    """Where a symbol of a document is."""
    for symbol, spot in zip(seen.file.symbols, seen.spots, strict=True):
        if (symbol.name_row, symbol.name_column) == (hit.line, hit.column):
            return spot
    place = hit.line, hit.column
    return Spot(place, place, place, place, -1)
