"""Which files were wanted when an index was last refreshed, in a file, so that a walk can begin
before the languages are loaded."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from symindex.errors import StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.ignore.selection import Selection
from symindex.files.walk import Wanted

NAME: Final = "languages.names"
_LONGEST: Final = 10_000_000


def cached_filter(
    folder: PrivateFolder,
    languages: Sequence[str],
    max_file_bytes: int,
    selection: Selection,
    rules: bytes | None = None,
) -> Wanted | None:
    """What `store_filter` has written into `folder`; `None` where there is nothing, or it is for
    other languages.

    languages: those that are chosen, as the settings name them. rules: by which files are read now
    (`extract/reading_rules`); `None` where that is not known, and the answer may be out of date.
    """
    try:
        lines = folder.read(NAME, _LONGEST).decode().split("\n")
        kept, *lines = lines
        words, extensions, names, deselected, items, left = (
            [part for part in line.split("\0") if part] for line in lines
        )
    except (OSError, ValueError, StorageError):
        return None
    is_same = words == list(languages) and (rules is None or rules.hex() == kept)
    if not is_same:
        return None
    sets = frozenset(extensions), frozenset(names), max_file_bytes, selection, frozenset(deselected)
    return Wanted(*sets, tuple(items), frozenset(left))


def store_filter(
    folder: PrivateFolder, languages: Sequence[str], wanted: Wanted, rules: bytes
) -> None:
    """Writes what is wanted where these languages are chosen, unless `folder` has it already."""
    if cached_filter(folder, languages, wanted.max_file_bytes, wanted.selection, rules) == wanted:
        return
    lines = (
        languages,
        sorted(wanted.extensions),
        sorted(wanted.names),
        sorted(wanted.deselected),
        wanted.items,
        sorted(wanted.excluded_names),
    )
    if any(
        "\n" in word or "\0" in word for line in lines for word in line
    ):  # they separate words and lines
        return
    with suppress(OSError, StorageError, UnicodeEncodeError):  # without it a search is only slower
        folder.write(
            NAME,
            ["\n".join([rules.hex(), *("\0".join(line) for line in lines)]).encode()],
            synced=False,
        )
