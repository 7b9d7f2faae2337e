"""Stores the file filter of the last refresh, so that a walk can begin before the languages are
loaded."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from symindex.errors import StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.ignore.selection import Selection
from symindex.files.walk import FileFilter

NAME: Final = "languages.names"
_LONGEST: Final = 10_000_000


def cached_filter(
    folder: PrivateFolder,
    languages: Sequence[str],
    max_file_bytes: int,
    selection: Selection,
    rules: bytes | None = None,
) -> FileFilter | None:
    """Returns the filter that `store_filter` wrote into `folder`; `None` if there is none, or it is
    for other languages.

    languages: the languages that the settings select. rules: the current digest of the reading
    rules (`extract/reading_rules`); `None` if unknown, in which case the filter may be out of date.
    """
    try:
        lines = folder.read(NAME, _LONGEST).decode().split("\n")
        digest, *lines = lines
        words, extensions, names, deselected, items, excluded_names = (
            [part for part in line.split("\0") if part] for line in lines
        )
    except (OSError, ValueError, StorageError):
        return None
    is_same = words == list(languages) and (rules is None or rules.hex() == digest)
    if not is_same:
        return None
    sets = frozenset(extensions), frozenset(names), max_file_bytes, selection, frozenset(deselected)
    return FileFilter(*sets, tuple(items), frozenset(excluded_names))


def store_filter(
    folder: PrivateFolder, languages: Sequence[str], file_filter: FileFilter, rules: bytes
) -> None:
    """Writes the filter for these languages, unless `folder` already contains it."""
    if (
        cached_filter(folder, languages, file_filter.max_file_bytes, file_filter.selection, rules)
        == file_filter
    ):
        return
    lines = (
        languages,
        sorted(file_filter.extensions),
        sorted(file_filter.names),
        sorted(file_filter.deselected),
        file_filter.items,
        sorted(file_filter.excluded_names),
    )
    if any(
        "\n" in word or "\0" in word for line in lines for word in line
    ):  # the separators of the file
        return
    # without the file a search is only slower
    with suppress(OSError, StorageError, UnicodeEncodeError):
        folder.write(
            NAME,
            ["\n".join([rules.hex(), *("\0".join(line) for line in lines)]).encode()],
            synced=False,
        )
