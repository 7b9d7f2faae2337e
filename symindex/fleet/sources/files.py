"""Makes, measures and removes the folders that hold the files of repositories."""

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.errors import StorageError

UNFINISHED: Final = ".new"
"""Ends the name of a folder that is not whole: not yet, or not any more."""


def make_folder(path: Path) -> None:
    """Makes an empty folder, and those above it. Raises StorageError."""
    try:
        os.makedirs(path, 0o700)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from None


def rename_folder(path: Path, to: Path) -> None:
    """Gives a complete folder its name. Raises StorageError."""
    try:
        os.rename(path, to)
    except OSError as error:
        raise StorageError(f"{to}: cannot be written: {error.strerror or error}") from None


def remove_folder(path: Path) -> None:
    """Deletes a folder if it is there. What the system refuses to delete stays, for the next
    time."""
    shutil.rmtree(path, ignore_errors=True)


def remove_others(path: Path, kept: str) -> None:
    """Deletes everything in a folder but one name. A folder loses its name first, so that another
    run that reads it notices, and does not take what is left for all."""
    with suppress(OSError):
        for name in os.listdir(path):
            if name != kept:
                gone = path / f"{name[:40]}.{secrets.token_hex(4)}{UNFINISHED}"
                with suppress(OSError):
                    os.rename(path / name, gone)
                remove_folder(gone)


def size_of(path: Path) -> int:
    """Returns how many bytes the files below a folder have, which may change meanwhile."""
    total = 0
    for top, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(top, name)).st_size
    return total
