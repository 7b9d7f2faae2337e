"""Languages as they were last read, in one file: to read all their folders, and to check every pattern in them, takes longer than
most searches.

The file is of use while the folders hold, byte by byte, what they held when it was written; else they are read anew.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from symindex import __version__
from symindex.errors import StorageError
from symindex.extract.languages.packed import pack_languages, unpack_languages
from symindex.extract.languages.registry import MOST_FILE_BYTES, Languages, find_languages, grammar_folders, load_languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.access.regular import read_regular

NAME: Final = "languages.kept"
"""With an extension that no language has, since the folder may lie inside a tree."""

_LONGEST: Final = 100_000_000
_DIGEST_BYTES: Final = 16


def load_kept_languages(folder: PrivateFolder) -> Languages:
    """What `load_languages()` gives, from the file in `folder` if that is there and still true."""
    known = _LOADED.get(tuple(grammar_folders()))
    if known is not None:
        return known
    languages = _load_kept(folder) or load_languages()
    _LOADED[tuple(grammar_folders())] = languages
    return languages


_LOADED: Final[dict[tuple[Path, ...], Languages]] = {}
"""By the folders with languages: what this process has loaded."""


def _load_kept(folder: PrivateFolder) -> Languages | None:
    stamp = _stamp()
    try:
        data = folder.read(NAME, _LONGEST)
    except OSError:
        return None
    payload = data[2 * _DIGEST_BYTES :]
    if data[: 2 * _DIGEST_BYTES] != stamp + _digest(payload):
        return None
    try:
        languages = unpack_languages(payload)
    except msgspec.MsgspecError:  # of another version in the making
        return None
    languages.kept_in.add(folder.path)
    return languages


def keep_languages(languages: Languages, folder: PrivateFolder) -> None:
    """Writes the file, for the next time, where `languages` are not from there."""
    if folder.path in languages.kept_in:
        return
    payload = pack_languages(languages)
    with suppress(OSError, StorageError):  # it is a matter of time only
        folder.write(NAME, [_stamp(), _digest(payload), payload], synced=False)
        languages.kept_in.add(folder.path)


def _stamp() -> bytes:
    """What the languages depend on: the folders and all that they hold, and this version."""
    hasher = hashlib.blake2b(__version__.encode(), digest_size=_DIGEST_BYTES)
    for name, folder in find_languages(grammar_folders()).items():
        hasher.update(f"\0{name}\0".encode() + os.fsencode(folder))
        for part in ("language.toml", "symbols.scm"):
            text = b""
            with suppress(OSError):
                text = read_regular(os.path.join(folder, part), MOST_FILE_BYTES, follow=True)
            hasher.update(b"\0" + len(text).to_bytes(8, "little") + text)
    return hasher.digest()


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=_DIGEST_BYTES).digest()
