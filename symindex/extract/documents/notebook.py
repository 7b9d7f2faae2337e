"""Reads Jupyter notebooks, formats 3 and 4: the headings and text of Markdown cells, and the source
of code cells; no output.

A notebook is JSON, so a place in a cell's text has to be located in the JSON text. msgspec returns
each value as written, and the values of an object or a list follow each other in the file, so each
begins where the previous one ends.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from symindex.extract.documents.document import Document
from symindex.extract.documents.markdown import find_headings, plain_text
from symindex.extract.documents.nesting import MOST_SECTIONS, Heading, nest, with_line_feeds
from symindex.text.decoding import decoder_of

_KEY: Final = re.compile(
    rb"[ \t\r\n]*+,?[ \t\r\n]*+\"(?:[^\"\\]|\\.)*+\"[ \t\r\n]*+:[ \t\r\n]*+", re.DOTALL
)
_COMMA: Final = re.compile(rb"[ \t\r\n]*+,?[ \t\r\n]*+")
_UNIT: Final = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|(\\.)|[^\\]++",
    re.DOTALL,
)

_Object = dict[str, msgspec.Raw]
_List = list[msgspec.Raw]


class _Unit(NamedTuple):
    """A piece of a cell's text: one escape, or text that is unchanged in the file. offset: that
    in the text."""

    offset: int
    start: int
    end: int
    is_escape: bool


class Cell:
    """A cell of a notebook.

    kind: `markdown`, `code` and others. strings: the ranges of its source strings in the file,
    without their quotes. source: their text.
    """

    def __init__(
        self, data: bytes, kind: str, level: int, strings: list[tuple[int, int]], source: bytes
    ) -> None:
        self.data = data
        self.kind = kind
        self.strings = strings
        self.source = source
        self.level = level

    @cached_property
    def units(self) -> list[_Unit]:
        units: list[_Unit] = []
        offset = 0
        for start, end in self.strings:
            for unit in _UNIT.finditer(self.data, start, end):
                units.append(_Unit(offset, unit.start(), unit.end(), unit.lastindex is not None))
                offset += _size(unit)
        return units

    def place(self, offset: int, is_end: bool) -> int:
        """Converts a place in the text to a place in the file. is_end: whether a range ends there,
        so that it belongs to what precedes it."""
        if not self.units:
            return self.strings[0][0] if self.strings else 0
        number = bisect_right(self.units, offset - is_end, key=lambda unit: unit.offset) - 1
        unit = self.units[max(0, number)]
        if unit.is_escape:
            return unit.end if is_end else unit.start
        return min(unit.start + offset - unit.offset, unit.end)


def _size(unit: re.Match[bytes]) -> int:
    """Returns the length of a unit in bytes of text."""
    if unit[1]:
        return 4
    if unit[2]:
        code = int(unit[2], 16)
        return 1 if code < 0x80 else 2 if code < 0x800 else 3
    return 1 if unit[3] else len(unit[0])


def read(data: bytes, start: int) -> Document:
    """Returns the sections of a notebook; an empty document if the text is not a notebook."""
    try:
        cells = list(_find_cells(data, start))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Document([], "")
    sections = _Sections(start)
    for cell in cells:
        sections.add_cell(cell)
    return nest(
        sections.headings, ["\n\n".join(pieces) for pieces in sections.texts], sections.ends
    )


class _Sections:
    """The headings so far, the texts of the opening and of each heading, and where these end in the
    file."""

    def __init__(self, start: int) -> None:
        self.headings: list[Heading] = []
        self.texts: list[list[str]] = [[]]
        self.ends = [start]

    def add_cell(self, cell: Cell) -> None:
        if cell.kind not in ("markdown", "heading"):
            self._add_text(
                cell,
                cell.source,
                0,
                len(cell.source),
                0,
                lambda source: source.decode("utf-8", "replace").strip(),
            )
            return
        shift = 0
        source = cell.source
        if cell.kind == "heading":  # format 3 has heading cells
            mark = b"#" * cell.level + b" "
            source, shift = mark + source.replace(b"\n", b" "), len(mark)
        source = with_line_feeds(source)
        offset = 0
        for heading in find_headings(source, 0):
            if len(self.headings) >= MOST_SECTIONS:
                break
            self._add_text(cell, source, offset, heading.start_byte, shift, plain_text)
            offset = heading.end_byte
            start = cell.place(max(0, heading.start_byte - shift), is_end=False)
            end = cell.place(min(offset - shift, len(cell.source)), is_end=True)
            title_start = cell.place(heading.title_start - shift, is_end=False)
            title_end = cell.place(heading.title_end - shift, is_end=True)
            self.headings.append(
                Heading(
                    heading.level,
                    start,
                    end,
                    title_start,
                    title_end,
                    heading.title,
                    heading.written,
                )
            )
            self.texts.append([])
            self.ends.append(cell.place(len(source[:offset].rstrip()) - shift, is_end=True))
        self._add_text(cell, source, offset, len(source), shift, plain_text)

    def _add_text(
        self,
        cell: Cell,
        source: bytes,
        start: int,
        end: int,
        shift: int,
        plain: Callable[[bytes], str],
    ) -> None:
        """Adds a piece of a cell to the open section."""
        piece = source[start:end].rstrip()
        if text := plain(piece):
            self.texts[-1].append(text)
            self.ends[-1] = cell.place(start + len(piece) - shift, is_end=True)


def find_code(data: bytes) -> tuple[str, list[Cell]]:
    """Returns the language of a notebook, empty if it states none, and its code cells. Raises
    ValueError or msgspec.MsgspecError for a text that is not a notebook."""
    cells = [cell for cell in _find_cells(data, 0) if cell.kind == "code"]
    about = _decode(data, (0, len(data)), _About).metadata
    kernel = about.kernelspec
    return about.language_info.name or kernel.language or kernel.name.rstrip("0123456789."), cells


class _LanguageInfo(msgspec.Struct, frozen=True):
    name: str = ""


class _Kernel(msgspec.Struct, frozen=True):
    name: str = ""
    language: str = ""


class _Metadata(msgspec.Struct, frozen=True):
    language_info: _LanguageInfo = _LanguageInfo()
    kernelspec: _Kernel = _Kernel()


class _About(msgspec.Struct, frozen=True):
    metadata: _Metadata = _Metadata()


def _find_cells(data: bytes, start: int) -> Iterator[Cell]:
    """Yields the cells of a notebook. Raises ValueError or msgspec.MsgspecError for other texts."""
    notebook = _members(data, start, len(data))
    lists = [notebook["cells"]] if "cells" in notebook else []
    if not lists and "worksheets" in notebook:
        sheets = [_members(data, *place) for place in _entries(data, *notebook["worksheets"])]
        lists = [sheet["cells"] for sheet in sheets if "cells" in sheet]
    for place in lists:
        for cell_place in _entries(data, *place):
            cell = _members(data, *cell_place)
            source = cell.get("source") or cell.get("input")
            if source is None or "cell_type" not in cell:
                continue
            is_string = data.startswith(b'"', source[0])
            strings = [source] if is_string else list(_entries(data, *source))
            text = "".join([_decode(data, string, str) for string in strings])
            level = _decode(data, cell["level"], int) if "level" in cell else 1
            inside = [(begin + 1, end - 1) for begin, end in strings]
            yield Cell(
                data,
                _decode(data, cell["cell_type"], str),
                min(max(level, 1), 6),
                inside,
                text.encode(),
            )


def _members(data: bytes, start: int, end: int) -> dict[str, tuple[int, int]]:
    """Returns the range of each value of an object, by key."""
    values: _Object = _decode(data, (start, end), _Object)
    places = {}
    offset = data.index(b"{", start) + 1
    for key, value in values.items():
        places[key] = _behind(data, _KEY, offset, value)
        offset = places[key][1]
    return places


def _entries(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the range of each value of a list."""
    values: _List = _decode(data, (start, end), _List)
    offset = data.index(b"[", start) + 1
    for value in values:
        place = _behind(data, _COMMA, offset, value)
        offset = place[1]
        yield place


def _behind(
    data: bytes, separator: re.Pattern[bytes], offset: int, value: msgspec.Raw
) -> tuple[int, int]:
    """Returns the range of the value after a separator. Raises ValueError for an object that has a
    key twice."""
    match = separator.match(data, offset)
    raw = bytes(value)
    if match is None or not data.startswith(raw, match.end()):
        raise ValueError("a key stands twice")
    return match.end(), match.end() + len(raw)


def _decode(data: bytes, place: tuple[int, int], kind: Any) -> Any:
    decoder_of(kind)
    return msgspec.json.decode(memoryview(data)[place[0] : place[1]], type=kind, strict=True)
