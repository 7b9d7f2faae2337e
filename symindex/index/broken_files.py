"""Writes notices about files that a syntax error has cut, and files with the markers of an
unfinished merge."""

from collections.abc import Iterable
from typing import Final

from symindex.extract.captures import Faults
from symindex.extract.records import FileSymbols
from symindex.index.snapshot import Snapshot
from symindex.protocol.kinds import SymbolFlag
from symindex.text.escaping import show_controls

_SHOWN: Final = 3


def tell_broken(files: Iterable[FileSymbols], path: str = "") -> list[str]:
    """Returns a notice for each broken or conflicted file, and how many more there are. path: the
    only file that was asked about, which needs no name."""
    notices: list[str] = []
    for file in files:
        name = "this file" if file.path == path else show_controls(file.path)
        notices += Faults(file.has_error, file.broken_line, file.is_conflicted).notices_for(name)
    if len(notices) > _SHOWN:
        more = len(notices) - _SHOWN
        notices[_SHOWN:] = [
            f"and {more:,} more: `symindex search is:broken`, `symindex search is:conflicted`"
        ]
    return notices


def tell_broken_rows(snapshot: Snapshot, rows: Iterable[int]) -> list[str]:
    """Returns notices about the broken or conflicted files among the rows of a page."""
    files: dict[str, FileSymbols] = {}
    for row in rows:
        part, number = snapshot.locate(row)
        if part.index.traits_at(number) >> 8 & (SymbolFlag.BROKEN | SymbolFlag.CONFLICTED):
            file = part.index.file(part.index.file_at(number))
            files.setdefault(part.prefix + file.path, file)
    for path, file in files.items():
        file.path = path
    return tell_broken(files.values())
