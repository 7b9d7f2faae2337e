"""Places of names that only the file tells: behind what is not ASCII, or written otherwise there,
as headings with markup are.

A user types letter after letter, and the same names are found again. So a place that was found is
kept with the index, if its file was as the index knows it.
"""

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from symindex.extract.texts.file_text import FileText, read_text_of
from symindex.index.columns.columns import Index
from symindex.settings import LARGEST_FILE_BYTES
from symindex.text.editing.edit_buffer import Encoding, Place, count_units

_MOST_KEPT: Final = 4_096
"""Of an index: about half a megabyte."""

_Found = tuple[int, int, int]

_KEPT: Final[WeakKeyDictionary[Index, dict[tuple[int, Encoding], _Found]]] = WeakKeyDictionary()


def odd_place(
    index: Index, row: int, place: Place, encoding: Encoding, text_of: Callable[[], FileText | None]
) -> _Found:
    """The line of a row's name and its start and end there, as an editor counts. place: its line,
    and its column in bytes, as of the index. text_of: reads its file."""
    kept = _KEPT.setdefault(index, {})
    known = kept.get((row, encoding))
    if known is None:
        file = text_of()
        known = _find(file.marked if file is not None else b"", index, row, place, encoding)
        if (
            len(kept) < _MOST_KEPT
            and file is not None
            and file.digest == index.file(index.file_at(row)).digest
        ):
            kept[row, encoding] = known
    return known


def _find(text: bytes, index: Index, row: int, place: Place, encoding: Encoding) -> _Found:
    number, column = place
    *_, name_start, name_end = index.places(row)
    before, name = (
        text[max(name_start - column, 0) : name_start],
        text[name_start:name_end].partition(b"\n")[0],
    )
    start = count_units(before.replace(codecs.BOM_UTF8, b""), encoding)
    return number, start, start + count_units(name.rstrip(b"\r"), encoding)


def read_text(root: Path, path: str) -> FileText | None:
    """The text of a file below a root; `None` where it cannot be read."""
    try:
        return read_text_of(root, path, LARGEST_FILE_BYTES)
    except OSError:
        return None
