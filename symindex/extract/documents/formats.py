"""The formats of documents and of data, with the files that each claims. The table is
`formats.toml`.

Formats exist next to languages: a file of a format defines no symbols, so no parser runs on it.
"""

import hashlib
import re
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

import msgspec

from symindex.files.access.regular import read_regular
from symindex.files.file_names import made_from, suffixes
from symindex.text.decoding import decoder_of

HEAD_BYTES: Final = 4_000
"""How many bytes of a file decide its reader."""


CELLS: Final = "cells"
"""The value of `code` for a format whose code is in cells."""


@lru_cache(maxsize=64)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A format.

    reader: the module that reads it; empty if its files are read only for items. code: what finds
    the code in it: a language whose query finds fences, or CELLS. front_matter: whether its files
    may begin with front matter. content: other readers, each with a pattern for the beginning of a
    file.

    extensions: in lower case. filenames: whole names. not_filenames: names that have one of the
    extensions but another format. unlike: a pattern for the beginning of files that have another
    format whatever their names (keys, in AsciiDoc's `.asc`).
    """

    name: str
    reader: str = ""
    code: str = ""
    front_matter: bool = True
    content: dict[str, str] = {}
    extensions: list[str] = []
    filenames: list[str] = []
    not_filenames: list[str] = []
    unlike: str = ""

    def reader_of(self, data: bytes) -> str:
        """Returns the reader for a file with this content."""
        if self.content:
            head = data[:HEAD_BYTES].decode("utf-8", "replace")
            for reader, pattern in self.content.items():
                if _compile(pattern).search(head):
                    return reader
        return self.reader


class Formats:
    """All formats, by their ids."""

    def __init__(self, by_id: dict[str, Format]) -> None:
        self.by_id = by_id
        self._of_extension = {
            extension: format_id for format_id, row in by_id.items() for extension in row.extensions
        }
        self._of_filename = {
            name: format_id for format_id, row in by_id.items() for name in row.filenames
        }
        self._excluded = frozenset(name for row in by_id.values() for name in row.not_filenames)

    def of(self, file_name: str) -> str:
        """Returns the id of the format of a file name; empty if it has none."""
        format_id = self._of_filename.get(file_name)
        if format_id is not None:
            return format_id
        if file_name in self._excluded:
            return ""
        by_suffix = next(
            (
                format_id
                for suffix in suffixes(file_name)
                if (format_id := self._of_extension.get(suffix.lower()))
            ),
            "",
        )
        target = "" if by_suffix else made_from(file_name)
        return self.of(target) if target else by_suffix

    def of_file(self, file_name: str, data: bytes) -> str:
        """Returns the id of the format of a file; empty if it has none."""
        format_id = self.of(file_name)
        unlike = self.by_id[format_id].unlike if format_id else ""
        return (
            ""
            if unlike and _compile(unlike).search(data[:HEAD_BYTES].decode("utf-8", "replace"))
            else format_id
        )

    def named(self, word: str) -> str:
        """Returns the id of the format that has a reader and this id or extension, as editors name
        formats; empty if there is none."""
        format_id = word if word in self.by_id else self._of_extension.get(f".{word}", "")
        return format_id if format_id and self.by_id[format_id].reader else ""

    @cached_property
    def document_extensions(self) -> frozenset[str]:
        """The extensions of the formats that have a reader."""
        return frozenset(
            extension for row in self.by_id.values() if row.reader for extension in row.extensions
        )

    @cached_property
    def document_names(self) -> frozenset[str]:
        """The whole file names of the formats that have a reader."""
        return frozenset(
            name for row in self.by_id.values() if row.reader for name in row.filenames
        )

    @cached_property
    def digest(self) -> bytes:
        """16 bytes that change whenever the table does."""
        return hashlib.blake2b(msgspec.json.encode(self.by_id), digest_size=16).digest()


@lru_cache(maxsize=1)
def load_formats() -> Formats:
    """Returns the shipped table."""
    decoder_of(_TABLE)
    return Formats(
        msgspec.toml.decode(
            read_regular(Path(__file__).with_name("formats.toml"), _MOST_BYTES, follow=True),
            type=_TABLE,
        )
    )


_MOST_BYTES: Final = 1_000_000

_TABLE: Final = dict[str, Format]
