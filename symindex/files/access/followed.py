"""Reopens a file that the user named once, at exactly that path.

Meanwhile somebody else may have put another file there. So the links of the path are resolved once,
when the user names it. From then on the path is opened folder by folder from the root of the file
system, and a link anywhere on it is an error. Only a regular file is opened; its identity tells
whether it is still the file that the user named:

- A file that was saved again is the same file: editors write a new one and rename it, so its inode
  may differ.
- A file with a different owner is a different file, unless the new owner is the user or root.
- A new file with a second name (a hard link) is a different file: its bytes also belong to a file
  elsewhere.
- A file in a folder that was replaced is a different file, unless it has the same bytes: switching
  branches replaces folders.
"""

import errno
import os
from pathlib import Path
from typing import Final, NamedTuple

from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import read_open

_LARGEST_NUMBER: Final = (1 << 63) - 1
"""Largest inode number to store: a database keeps 63 bits, and some systems have longer numbers."""


class FileIdentity(NamedTuple):
    """What identifies a file.

    mtime_ns, size: as the system reports them. file, folder: the inode numbers of the file and of
    its folder. owner: the user's number; 0 if files have no owners. n_names: how many hard links it
    has.
    """

    mtime_ns: int
    size: int
    file: int
    folder: int
    owner: int
    n_names: int = 1


def resolved(path: Path) -> Path:
    """Resolves the links of a path that the user typed. Raises OSError."""
    try:
        real = path.resolve(strict=True)
        os.fspath(real).encode()
    except (ValueError, RuntimeError):
        # a NUL character, names that are not UTF-8, or a loop of links
        raise OSError(errno.EINVAL, "not a path that can be followed") from None
    return real


class FollowedFile:
    """An open file at a stored path. Raises OSError, whose `strerror` states the problem briefly.
    Close it after use."""

    def __init__(self, path: str) -> None:
        parts = Path(path)
        if not parts.is_absolute():
            raise OSError(errno.EINVAL, "not an absolute path")
        place = "/".join(parts.parts[1:])
        with Beneath(parts.anchor, lists=False) as top:
            self._number = top.open_file(place)
            try:
                folder = top.folder(place[: place.rfind("/") + 1])
                above = os.fstat(folder) if isinstance(folder, int) else os.stat(folder)
                status = os.fstat(self._number)
            except OSError:
                self.close()
                raise
        self.identity: FileIdentity = FileIdentity(
            status.st_mtime_ns,
            status.st_size,
            status.st_ino & _LARGEST_NUMBER,
            above.st_ino & _LARGEST_NUMBER,
            status.st_uid,
            status.st_nlink,
        )

    def __enter__(self) -> "FollowedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._number)

    def read(self, most_bytes: int) -> bytes:
        """Reads the file. Raises LargeFileError."""
        return read_open(self._number, most_bytes, self.identity.size)


def why_another(earlier: FileIdentity | None, now: FileIdentity) -> str:
    """Returns why a file must not be taken for the earlier one, whatever its content; empty if it
    may be.

    earlier: the earlier identity; `None` if unknown.
    """
    mine = (os.geteuid(), 0) if hasattr(os, "geteuid") else (0,)
    if now.owner not in mine and (earlier is None or now.owner != earlier.owner):
        return "it belongs to another user now"
    if now.n_names > 1 and (earlier is None or now.file != earlier.file):
        return "it has a second name elsewhere (a hard link)"
    return ""


def is_moved(earlier: FileIdentity | None, now: FileIdentity) -> bool:
    """Whether the file's folder has been replaced."""
    return earlier is not None and now.folder != earlier.folder
