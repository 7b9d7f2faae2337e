"""Reads the texts of sections and items in the files of a root, for one answer."""

from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from symindex.extract.described import texts_of
from symindex.extract.documents.chunks import path_of_headings
from symindex.extract.items.front_matter import read_front_matter
from symindex.extract.languages.registry import Languages
from symindex.extract.texts.file_text import read_text_of
from symindex.index.columns.arrays import U32, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.rows import FileRows
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.recall.content.content_store import StoredChunk
from symindex.search.answer.contents import unread_notice

MOST_BYTES: Final = 16_000_000
"""Largest file, in bytes."""

MOST_KEPT: Final = 32_000_000
"""Bytes of files that are cached during an answer."""


class _File(NamedTuple):
    """A file of the index.

    data: `None` if it cannot be read, or has changed. content: where its front matter ends. low:
    the place of its first row. is_section: by row; the others are items. starts, ends: by row, its
    range in bytes, with the sections inside it.
    """

    data: bytes | None
    content: int
    low: int
    is_section: Mask
    starts: U32
    ends: U32


class TreeFiles:
    """The files that an answer reads. For one thread at a time.

    Attributes:
        notices: about files that have changed or cannot be read.
    """

    def __init__(self, root: Path, languages: Languages) -> None:
        self._root = root
        self._languages = languages
        self._files: dict[tuple[int, int], _File] = {}
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
        number = place - file.low
        names = [index.name_at(row)]
        if not file.is_section[number]:
            names = [title or names[0]]
        else:
            around = file.is_section[:number] & (file.ends[:number] >= file.ends[number])
            rows = index.row_at[file.low + np.flatnonzero(around)].tolist()
            names = [*map(index.name_at, rows), *names]
        is_code = bool(index.traits_at(row) >> 8 & SymbolFlag.MOSTLY_CODE)
        line = index.lines(row)[0] + 1
        if file.data is not None and not (file.is_section[number] or file.starts[number]):
            line += file.data.count(b"\n", 0, file.content)
        return StoredChunk(path_of_headings(names), self._text(index, file, row), line, is_code)

    def _text(self, index: Index, file: _File, row: int) -> str:
        if file.data is None:
            return ""
        number = index.place.at(row) - file.low
        path, language = index.path_and_language(index.file_at(row))
        data = file.data
        is_section = bool(file.is_section[number])
        if is_section and self._languages.code(language) is not None:
            return texts_of(path, data, self._languages, language)[number].text
        start, end = int(file.starts[number]), int(file.ends[number])
        if is_section:  # the next section may be inside this one
            others = file.starts[file.is_section]
            start = 0 if start == others[0] else start
            later = others[others > file.starts[number]]
            end = int(later[0]) if len(later) else len(data)
        return data[start or file.content : end].decode("utf-8", "replace")

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
            text = read_text_of(self._root, path, MOST_BYTES)
            if text.digest == part.index.file(number).digest:
                data = text.data
                self._n_bytes += len(data)
            else:
                self._unread[f"{path} (changed since it was indexed)"] = None
        except OSError as error:
            self._unread[f"{path} ({error.strerror or error})"] = None
        if self._unread:
            self.notices[:] = [unread_notice([*self._unread])]
        content = read_front_matter(data).end if data is not None else 0
        rows = FileRows(part.index, number, number + 1)
        kinds = np.array(rows.traits) & 255
        places = rows.places
        is_section: Mask = kinds == KINDS[SymbolKind.SECTION].code
        starts, ends = places.start_byte, places.end_byte
        return _File(data, content, rows.low, is_section, starts, ends)
