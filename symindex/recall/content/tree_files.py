"""Reads the texts of sections and items in the files of a root, for one answer."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from symindex.extract.described import texts_of
from symindex.extract.documents.chunks import path_of_headings
from symindex.extract.documents.formats import load_formats
from symindex.extract.items.front_matter import read_front_matter
from symindex.extract.languages.registry import Languages
from symindex.extract.texts.file_text import read_text_of, text_of
from symindex.index.columns.arrays import Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.rows import Ranges, ranges_in
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.recall.content.content_store import StoredChunk
from symindex.search.answer.contents import listed

MOST_BYTES: Final = 16_000_000
"""Largest file, in bytes."""

MOST_KEPT: Final = 32_000_000
"""Bytes of files that are cached during an answer."""


class _File(NamedTuple):
    """A file. data: `None` if it cannot be read, or has changed. content: where its front matter
    ends. low, high: the places of its rows."""

    data: bytes | None
    content: int
    low: int
    high: int


class _PartRows(NamedTuple):
    """The rows of a part by place. is_section: the others are items. ranges: with the sections
    inside."""

    is_section: Mask
    ranges: Ranges


class TreeFiles:
    """The files that the answers about a snapshot read. For one thread at a time.

    Args:
        texts: files that are not on the disk, by path.

    Attributes:
        notices: about files that have changed or cannot be read.
    """

    def __init__(self, root: Path, languages: Languages, texts: Mapping[str, bytes]) -> None:
        self._root, self._texts = root, texts
        self._languages = languages
        self._files: dict[tuple[int, int], _File] = {}
        self._rows: dict[int, _PartRows] = {}
        self._n_bytes = 0
        self._unread: dict[str, None] = {}
        self.notices: list[str] = []

    def clear(self) -> None:
        """Forgets the files, and begins new notices."""
        self._files.clear()
        self._n_bytes = 0
        self._unread, self.notices = {}, []

    def chunk(self, part: Part, place: int, title: str = "") -> StoredChunk:
        """Returns a section or an item with its own text, which is empty, with a notice, if the
        file cannot be read or has changed: only bytes that a worker has read within its limits
        are divided here. title: of an item, if it has one."""
        index = part.index
        row = int(index.row_at[place])
        file = self._file(part, index.file_at(row))
        rows = self._rows_of(part)
        names = [index.name_at(row)]
        line = int(rows.ranges.first_lines[place]) + 1
        if rows.is_section[place]:
            before = slice(file.low, place)
            around = rows.is_section[before] & (rows.ranges.ends[before] >= rows.ranges.ends[place])
            above = index.row_at[file.low + np.flatnonzero(around)].tolist()
            names = [*map(index.name_at, above), *names]
        else:
            names = [title or names[0]]
            if file.data is not None and not rows.ranges.starts[place]:
                line += file.data.count(b"\n", 0, file.content)
        is_code = bool(index.traits_at(row) >> 8 & SymbolFlag.MOSTLY_CODE)
        text = self._text(index, file, rows, place) if file.data is not None else ""
        return StoredChunk(path_of_headings(names), text, line, is_code)

    def _text(self, index: Index, file: _File, rows: _PartRows, place: int) -> str:
        data = file.data or b""
        start, end = int(rows.ranges.starts[place]), int(rows.ranges.ends[place])
        if rows.is_section[place]:
            path, language = index.path_and_language(index.file_at(int(index.row_at[place])))
            if self._languages.code(language) is not None:
                texts = texts_of(path, data, self._languages, language)
                own = texts[place - file.low : place - file.low + 1]
                return own[0].text if own else ""  # other settings may read other rows
            of_file = slice(file.low, file.high)
            others = rows.ranges.starts[of_file][rows.is_section[of_file]]
            later = others[others > start]  # the next section may be inside this one
            end = int(later[0]) if len(later) else len(data)
            start = _opening(data, start) if start == others[0] else start
        return data[start or file.content : end].decode("utf-8", "replace")

    def _rows_of(self, part: Part) -> _PartRows:
        """Returns the rows of a part, read once for all answers."""
        if part.base not in self._rows:
            traits = np.array(part.index.columns.traits_of)[part.index.traits[part.index.row_at]]
            is_section = traits & 255 == KINDS[SymbolKind.SECTION].code
            self._rows[part.base] = _PartRows(is_section, ranges_in(part.index))
        return self._rows[part.base]

    def _file(self, part: Part, number: int) -> _File:
        key = part.base, number
        if key not in self._files:
            if self._n_bytes > MOST_KEPT:
                self._files.clear()
                self._n_bytes = 0
            self._files[key] = self._read(part, number)
        return self._files[key]

    def _read(self, part: Part, number: int) -> _File:
        path, data = part.index.paths[number], None
        try:
            own = self._texts.get(path)
            text = text_of(own) if own is not None else read_text_of(self._root, path, MOST_BYTES)
            if text.digest == part.index.file(number).digest:
                data = text.data
                self._n_bytes += len(data)
            else:
                self._unread[f"{path} (changed since it was indexed)"] = None
        except OSError as error:
            self._unread[f"{path} ({error.strerror or error})"] = None
        if self._unread:
            self.notices.clear()
            self.notices.append(f"found by their words, but not shown: {listed([*self._unread])}")
        content = _content(data, part.index.language_of(number)) if data is not None else 0
        low, high = part.index.file_first[number : number + 2].tolist()
        return _File(data, content, low, high)


def _content(data: bytes, format_id: str) -> int:
    """Returns where the text of a document begins, after its front matter; 0 if it has none, or the
    file is no document."""
    file_format = load_formats().by_id.get(format_id)
    if file_format is None or not file_format.front_matter or not file_format.reader_of(data):
        return 0
    end = read_front_matter(data).end
    return end if data[end:].strip() else 0


_BODY: Final = re.compile(rb"<body\b[^>]{0,1000}>", re.IGNORECASE)


def _opening(data: bytes, heading: int) -> int:
    """Returns where the text before the first heading begins: 0 for the whole of it. The head of an
    HTML page is no text."""
    if b"<" not in data[:_LONGEST_OPENING]:
        return 0
    body = max((match.end() for match in _BODY.finditer(data, 0, heading)), default=0)
    return body or (heading if heading > _LONGEST_OPENING else 0)


_LONGEST_OPENING: Final = 2_000
"""Most bytes before the first heading of a page without a body that are shown."""
