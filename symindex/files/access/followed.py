"""Opens a file again that the user named once, at its path and nowhere else.

Meanwhile somebody else may have put another file there. So the links of the path are resolved once,
when the user names it. From then on the path is opened folder by folder from the root of the file
system, and a link anywhere on it is an error. Only a regular file is opened; its identity tells
whether it is still the file that the user named:

- A file that was saved anew is the same file: editors write another one and rename it, so its
  number may differ.
- A file of another owner is another file, unless it has become the user's own, or the system's.
- A new file with a second name (a hard link) is another file: its bytes are also those of a file
  elsewhere.
- A file in a folder that was replaced is another file, unless it has the same bytes: branches of a
  repository replace folders.
"""

import errno
import os
from pathlib import Path
from typing import Final, NamedTuple

from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import read_open

_LARGEST_NUMBER: Final = (1 << 63) - 1
"""Numbers of files are cut to as many bits as a database keeps; some systems have longer ones."""


class FileIdentity(NamedTuple):
    """mtime_ns, size: as the system states them. file, folder: the numbers of the file and of the
    folder that it lies in. owner: the number of its user; 0 where files have none. n_names: how
    many names it has."""

    mtime_ns: int
    size: int
    file: int
    folder: int
    owner: int
    n_names: int = 1


def resolved(path: Path) -> Path:
    """The path that is kept of one that the user has typed. Raises OSError."""
    try:
        real = path.resolve(strict=True)
        os.fspath(real).encode()
    except (ValueError, RuntimeError):  # a NUL character, names that are no UTF-8, a loop of links
        raise OSError(errno.EINVAL, "not a path that can be followed") from None
    return real


class FollowedFile:
    """An open file of a kept path. Raises OSError, whose `strerror` says briefly what is wrong. To
    be closed."""

    def __init__(self, path: str) -> None:
        parts = Path(path)
        if not parts.is_absolute():
            raise OSError(errno.EINVAL, "not a whole path")
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
        self.identity = FileIdentity(
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
        """The bytes of the file. Raises LargeFileError."""
        return read_open(self._number, most_bytes, self.identity.size)


def why_another(before: FileIdentity | None, now: FileIdentity) -> str:
    """Why a file may not be taken for the one that it was, whatever is in it; empty where it may.
    before: `None` where nothing is known of it."""
    mine = (os.geteuid(), 0) if hasattr(os, "geteuid") else (0,)
    if now.owner not in mine and (before is None or now.owner != before.owner):
        return "it belongs to another user now"
    if now.n_names > 1 and (before is None or now.file != before.file):
        return "it has a second name elsewhere (a hard link)"
    return ""


def is_moved(before: FileIdentity | None, now: FileIdentity) -> bool:
    """Whether the folder of a file is another than it was."""
    return before is not None and now.folder != before.folder
