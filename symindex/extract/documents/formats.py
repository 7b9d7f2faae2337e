"""The formats of documents and of data: which files are in which, as a table (`formats.toml`).

Formats stand beside languages: a file of a format defines no symbols, so that nothing is parsed for
it.
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
"""How much of a file decides its reader."""


CELLS: Final = "cells"
"""The code of a format that holds it in cells."""


@lru_cache(maxsize=64)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A format. reader: the module that reads it; empty where its files are read for items alone.
    code: what finds the code in it, a language whose query finds fences, or CELLS. front_matter:
    whether its files may begin with such. content: other readers, by a pattern for the beginning of
    a file.

    extensions: in lower case. filenames: whole names. not_filenames: names with one of the
    extensions that are something else. unlike: a pattern for the beginning of files that are
    something else, for all their names (keys, in AsciiDoc's `.asc`).
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
        """The reader for a file with these bytes."""
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
            extension: known for known, row in by_id.items() for extension in row.extensions
        }
        self._of_filename = {name: known for known, row in by_id.items() for name in row.filenames}
        self._excluded = frozenset(name for row in by_id.values() for name in row.not_filenames)

    def of(self, file_name: str) -> str:
        """The id of the format of a file of this name; empty where it has none."""
        known = self._of_filename.get(file_name)
        if known is not None:
            return known
        if file_name in self._excluded:
            return ""
        found = next(
            (
                known
                for each in suffixes(file_name)
                if (known := self._of_extension.get(each.lower()))
            ),
            "",
        )
        made = "" if found else made_from(file_name)
        return self.of(made) if made else found

    def of_file(self, file_name: str, data: bytes) -> str:
        """The id of the format of a file; empty where it has none."""
        known = self.of(file_name)
        unlike = self.by_id[known].unlike if known else ""
        return (
            ""
            if unlike and _compile(unlike).search(data[:HEAD_BYTES].decode("utf-8", "replace"))
            else known
        )

    def named(self, word: str) -> str:
        """The id of the format with a reader that has this id or extension, as editors name some;
        empty where none has."""
        known = word if word in self.by_id else self._of_extension.get(f".{word}", "")
        return known if known and self.by_id[known].reader else ""

    @cached_property
    def document_extensions(self) -> frozenset[str]:
        """The extensions of formats that have a reader."""
        return frozenset(
            extension for row in self.by_id.values() if row.reader for extension in row.extensions
        )

    @cached_property
    def document_names(self) -> frozenset[str]:
        """The whole names of files of these."""
        return frozenset(
            name for row in self.by_id.values() if row.reader for name in row.filenames
        )

    @cached_property
    def digest(self) -> bytes:
        """16 bytes that change whenever the table does."""
        return hashlib.blake2b(msgspec.json.encode(self.by_id), digest_size=16).digest()


@lru_cache(maxsize=1)
def load_formats() -> Formats:
    """The shipped table."""
    decoder_of(_TABLE)
    return Formats(
        msgspec.toml.decode(
            read_regular(Path(__file__).with_name("formats.toml"), _MOST_BYTES, follow=True),
            type=_TABLE,
        )
    )


_MOST_BYTES: Final = 1_000_000

_TABLE: Final = dict[str, Format]
