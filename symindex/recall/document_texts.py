"""Reads the texts of sections and items in the files of some roots, divided as for the index.

The last texts are cached by the digest of the file and the rules by which it is divided: reading a
file again is cheap, dividing its text is not.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from symindex.extract.described import RowText, texts_of
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols
from symindex.extract.texts.file_text import BINARY_BYTES, read_text_of, text_of
from symindex.files.access.regular import LargeFileError
from symindex.search.answer.contents import FileTexts

MOST_KEPT: Final = 8_000_000
"""Most characters of cached texts."""

_ALWAYS: Final = 1_000
"""Cost of a cached file besides its text, in characters."""


class TextSource(NamedTuple):
    """A root, and the languages by which its files are read."""

    root: Path
    languages: Languages


_Key = tuple[Path, str, bytes, str, bytes]
"""Everything that the texts of a file depend on: its root and path, the digest of its content, its
language, and the digest of the rules of all languages and types of items."""


class KeptTexts:
    """A cache of the last texts. Safe for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: OrderedDict[_Key, list[RowText]] = OrderedDict()
        self._size = 0

    def get(self, key: _Key) -> list[RowText] | None:
        with self._lock:
            if (texts := self._texts.get(key)) is not None:
                self._texts.move_to_end(key)
            return texts

    def put(self, key: _Key, rows: list[RowText]) -> None:
        with self._lock:
            if key not in self._texts:
                self._texts[key] = rows
                self._size += _size(rows)
            while self._size > MOST_KEPT:
                self._size -= _size(self._texts.popitem(last=False)[1])


def _size(rows: list[RowText]) -> int:
    return _ALWAYS + sum(len(row.text) for row in rows)


class TextReader:
    """Reads files for `search/answer/contents`.

    Args:
        sources: by prefix of shown paths.
        most_bytes: largest file.
        texts: files that are not on the disk, by shown path.
    """

    def __init__(
        self,
        sources: Mapping[str, TextSource],
        most_bytes: int,
        kept: KeptTexts,
        texts: Mapping[str, bytes],
    ) -> None:
        self._sources, self._texts = sources, texts
        self._most_bytes = most_bytes
        self._kept = kept

    def __call__(self, path: str, record: FileSymbols, most_bytes: int) -> FileTexts:
        prefix = max(
            (source_prefix for source_prefix in self._sources if path.startswith(source_prefix)),
            key=len,
            default=None,
        )
        if prefix is None:
            raise FileNotFoundError(0, "its root is not known")
        source, inside = self._sources[prefix], path.removeprefix(prefix)
        data = self._texts.get(path)
        if data is None:
            text = read_text_of(source.root, inside, min(most_bytes, self._most_bytes))
        elif len(data) <= most_bytes:
            text = text_of(data)
        else:
            raise LargeFileError(0, f"larger than {most_bytes:,} bytes")
        rules = source.languages.reading_digest
        key = source.root, inside, text.digest, record.language, rules
        rows = self._kept.get(key)
        if rows is None:
            is_binary = b"\0" in text.data[:BINARY_BYTES]
            rows = (
                [] if is_binary else texts_of(inside, text.data, source.languages, record.language)
            )
            self._kept.put(key, rows)
        return FileTexts(rows, text.digest != record.digest)
