"""Caches all languages, and the shipped types of items, in one file: reading their folders and
checking every pattern takes longer than most searches.

The file is valid as long as the size, time and identity on the disk of every file of the folders
are those of when it was written; checking these takes a tenth of a search.
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from symindex import __version__
from symindex.configuration import configuration_file
from symindex.errors import StorageError
from symindex.extract.languages.language import find_languages, grammar_folders
from symindex.extract.languages.registry import (
    Languages,
    load_languages,
    pack_languages,
    unpack_languages,
)
from symindex.files.access.private_folder import PrivateFolder
from symindex.text.decoding import decode

NAME: Final = "languages.kept"
"""Name of the cache file. No language has its extension, since the folder may be inside a tree."""

_LONGEST: Final = 100_000_000
_DIGEST_BYTES: Final = 16
_PARTS: Final = ("language.toml", "symbols.scm", "bindings.scm")

ITEM_TYPES: Final = Path(__file__).parent.parent / "items" / "item_types.toml"
"""The table of `extract/items/types`, which takes long to load."""

_LOADED: Final[dict[tuple[Path, ...], Languages]] = {}
"""The languages that this process has loaded, by their folders."""

_LOADING: Final = threading.Lock()
"""Lets one thread load languages at a time: a server opens hundreds of trees at once, and each
would take the time of all the others."""


def load_kept_languages(folder: PrivateFolder) -> Languages:
    """Returns what `load_languages()` returns, from the cache file in `folder` if it is valid."""
    key = tuple(grammar_folders())
    if key in _LOADED:
        return _LOADED[key]
    with _LOADING:
        return _LOADED[key] if key in _LOADED else _load(key, folder)


def _load(key: tuple[Path, ...], folder: PrivateFolder) -> Languages:
    with suppress(OSError, msgspec.MsgspecError):
        data = folder.read(NAME, _LONGEST)
        payload = data[_DIGEST_BYTES:]
        if data[:_DIGEST_BYTES] == _digest(payload):
            packed, types = decode(payload, tuple[bytes, bytes])
            languages = _LOADED[key] = unpack_languages(packed)
            languages.keep_item_types(types)
            languages.kept_in.add(folder.path)
            return languages
    languages = _LOADED[key] = load_languages()
    return languages


def keep_languages(languages: Languages, folder: PrivateFolder) -> None:
    """Writes the cache file for the next process, unless `languages` come from it."""
    # so that the faults are reported again
    if folder.path in languages.kept_in or languages.faults:
        return
    from symindex.extract.items.types import (
        pack_item_types,
        shipped_item_types,
    )  # here, because languages mostly come from the file

    payload = msgspec.msgpack.encode(
        (pack_languages(languages), pack_item_types(shipped_item_types()))
    )
    with suppress(OSError, StorageError):  # without the file, the next process only takes longer
        folder.write(NAME, [_digest(payload), payload], synced=False)
        languages.kept_in.add(folder.path)


def user_stamp() -> tuple[tuple[object, ...], ...]:
    """Returns a digest of the user's configuration and of the user's own languages. Raises
    RequestError, GrammarError."""
    config = configuration_file()
    stamps: list[tuple[object, ...]] = [
        (folder, *_stamps(folder)) for folder in find_languages(grammar_folders()[1:]).values()
    ]
    if config is not None:
        with suppress(OSError):
            status = os.stat(config)
            stamps.append(
                (config, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            )
    return tuple(stamps)


def _digest(payload: bytes) -> bytes:
    """Returns a digest of the payload and of all that it depends on: this version, the folders, and
    their files."""
    stamps = [
        f"{name}\0{folder}\0{_stamps(folder)}"
        for name, folder in find_languages(grammar_folders()).items()
    ]
    stamps.append(f"{_stamps(ITEM_TYPES.parent, [ITEM_TYPES.name])}")
    hasher = hashlib.blake2b(
        "\0".join([__version__, *stamps]).encode("utf-8", "surrogateescape"),
        digest_size=_DIGEST_BYTES,
    )
    hasher.update(payload)
    return hasher.digest()


def _stamps(folder: Path, parts: Sequence[str] = _PARTS) -> list[tuple[int, ...]]:
    """Returns a digest of the stamps of all files of language folders, and of these files."""
    stamps: list[tuple[int, ...]] = []
    for part in parts:
        try:
            status = os.stat(f"{folder}/{part}")
        except OSError:
            stamps.append(())
        else:
            stamps.append(
                (
                    status.st_dev,
                    status.st_ino,
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                )
            )
    return stamps
