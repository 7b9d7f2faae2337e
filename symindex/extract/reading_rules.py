"""Computes a digest of everything except its bytes that decides which rows a file gives: this
version, the languages, the formats, the table of items, and the version of chardet, which guesses
encodings.

The files of the tables are hashed as text, because a search that finds nothing changed does not
need the tables.
"""

import hashlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex import __version__
from symindex.extract.languages.registry import Languages
from symindex.files.access.regular import read_regular

DESCRIBED_VERSION: Final = 4
"""Version of the reading of documents. Raise it whenever the same file gives other sections or
items than before, so that indexes are rebuilt."""

_MOST_BYTES: Final = 1_000_000

_TABLES: Final = ("documents/formats.toml", "items/item_types.toml")


def rules_digest(languages: Languages, item_rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Returns a digest of 16 bytes. item_rows: those above the shipped table."""
    hasher = hashlib.blake2b(
        f"{__version__}\0{DESCRIBED_VERSION}\0{_chardet()}\0".encode(), digest_size=16
    )
    hasher.update(languages.digest + _tables() + msgspec.msgpack.encode(languages.tree))
    if item_rows:
        hasher.update(msgspec.json.encode(item_rows, order="deterministic"))
    return hasher.digest()


@lru_cache(maxsize=1)
def _chardet() -> str:
    """Returns the name of chardet's metadata folder, which contains its version. A listing takes
    0.2 ms, importing `importlib.metadata` 50."""
    return next(
        (name for folder in sys.path for name in _names_in(folder) if _CHARDET.fullmatch(name)), ""
    )


_CHARDET: Final = re.compile(r"(?i)chardet-.*\.dist-info")


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or "."))
    except OSError:
        return []


@lru_cache(maxsize=1)
def _tables() -> bytes:
    hasher = hashlib.blake2b(digest_size=16)
    for name in _TABLES:
        hasher.update(read_regular(Path(__file__).parent / name, _MOST_BYTES, follow=True) + b"\0")
    return hasher.digest()
