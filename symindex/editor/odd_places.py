"""Finds names whose place only their file tells: names behind characters that are not ASCII, or
written differently in the file, like headings with markup.

A user types letter by letter, and each letter finds the same names again. So a place is cached with
the index, if the file is still the one that was indexed.
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

_MOST_CACHED: Final = 4_096
"""Largest number of cached places of an index: about half a megabyte."""

_NamePlace = tuple[int, int, int]

_CACHE: Final[WeakKeyDictionary[Index, dict[tuple[int, Encoding], _NamePlace]]] = (
    WeakKeyDictionary()
)


def odd_place(
    index: Index, row: int, place: Place, encoding: Encoding, text_of: Callable[[], FileText | None]
) -> _NamePlace:
    """Returns the line of a row's name, and where the name starts and ends in the editor's units.
    place: its line, and its column in bytes, in the index. text_of: reads its file."""
    cached = _CACHE.setdefault(index, {})
    name_place = cached.get((row, encoding))
    if name_place is None:
        file = text_of()
        name_place = _find(file.marked if file is not None else b"", index, row, place, encoding)
        if (
            len(cached) < _MOST_CACHED
            and file is not None
            and file.digest == index.file(index.file_at(row)).digest
        ):
            cached[row, encoding] = name_place
    return name_place


def _find(text: bytes, index: Index, row: int, place: Place, encoding: Encoding) -> _NamePlace:
    number, column = place
    *_, name_start, name_end = index.places(row)
    line_start, name = (
        text[max(name_start - column, 0) : name_start],
        text[name_start:name_end].partition(b"\n")[0],
    )
    start = count_units(line_start.replace(codecs.BOM_UTF8, b""), encoding)
    return number, start, start + count_units(name.rstrip(b"\r"), encoding)


def read_text(root: Path, path: str) -> FileText | None:
    """Returns the text of a file below a root; `None` if it cannot be read."""
    try:
        return read_text_of(root, path, LARGEST_FILE_BYTES)
    except OSError:
        return None
