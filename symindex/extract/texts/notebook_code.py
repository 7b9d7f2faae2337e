"""Extracts the symbols of notebooks. The code cells of each language are read as one program, and
each place in it is translated to the notebook.

The language of a cell is that of the notebook (nbformat's `language_info`, `kernelspec`), or the
one in its first line (`%%bash`).
"""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Final

import msgspec

from symindex.extract.documents.notebook import Cell, find_code
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages
from symindex.extract.records import SymbolRow
from symindex.extract.symbols import extract_rows
from symindex.protocol.kinds import SymbolFlag

_ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value

_CELL_MAGIC: Final = re.compile(rb"\s*%%(\w+)[^\n]*")
_LINE_MAGIC: Final = re.compile(rb"^[ \t]*[%!?][^\n]*", re.MULTILINE)
"""Lines that IPython interprets itself (its documentation, "IPython reference")."""


def notebook_rows(data: bytes, languages: Languages) -> tuple[list[SymbolRow], bool]:
    """Returns the symbols of a notebook's code, in the order of the file, and whether the text is
    not a valid notebook. An empty file is valid: editors create one before they write to it."""
    try:
        word, cells = find_code(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return [], bool(data.strip())
    programs: dict[str, _Program] = {}
    for cell in cells:
        magic = _CELL_MAGIC.match(cell.source)
        cell_word = languages.named(magic[1].decode()) if magic else None
        language = cell_word or languages.named(word)
        if language is not None:
            programs.setdefault(language.id, _Program(language)).add(cell)
    starts = [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]
    rows = [row for program in programs.values() for row in program.rows(data, starts, languages)]
    return sorted(rows, key=lambda row: row[10]), False


class _Program:
    """The cells of one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._cells: list[Cell] = []
        self._starts: list[int] = []
        self._texts: list[bytes] = []
        self._size = 0

    def add(self, cell: Cell) -> None:
        self._cells.append(cell)
        self._starts.append(self._size)
        self._texts.append(
            _LINE_MAGIC.sub(lambda match: b" " * len(match[0]), cell.source) + b"\n\n"
        )
        self._size += len(self._texts[-1])

    def rows(self, data: bytes, line_starts: list[int], languages: Languages) -> list[SymbolRow]:
        """Returns the symbols of the cells, each with its place in the notebook."""
        rows: list[SymbolRow] = []
        for row in extract_rows(self._language, b"".join(self._texts), languages=languages)[0]:
            (
                name,
                container,
                signature,
                doc,
                kind,
                flags,
                start,
                end,
                _,
                _,
                name_start,
                name_end,
                _,
                _,
            ) = row
            start, name_start = (self._place(place, is_end=False) for place in (start, name_start))
            end, name_end = (self._place(place, is_end=True) for place in (end, name_end))
            lines = [bisect_right(line_starts, place) - 1 for place in (start, end, name_start)]
            line_start = line_starts[lines[2]]
            is_plain = (
                data[name_start:name_end] == name.encode() and data[line_start:name_start].isascii()
            )
            flags = flags & ~_ODD_PLACE if is_plain else flags | _ODD_PLACE
            column = name_start - line_start
            notices = name, container, signature, doc, kind, flags
            rows.append(
                (*notices, start, end, lines[0], lines[1], name_start, name_end, lines[2], column)
            )
        return rows

    def _place(self, offset: int, is_end: bool) -> int:
        number = bisect_right(self._starts, offset - is_end) - 1
        return self._cells[number].place(offset - self._starts[number], is_end)
