"""A folder of the user's own, and files in it that we write: the only place where we write unasked.

Whoever can put a link where we write has us overwrite any file of the user; whoever can put a file where we read has us believe
it. So the folder belongs to the user alone (0700), no part of the way to it that lies in a tree is a link, and each file is new
(0600, created exclusively under a random name) until it takes the place of the one before as a whole.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from symindex.errors import StorageError
from symindex.files.access.regular import LINK_ERRORS, open_regular, read_regular

_TEMPORARY: Final = ".new"
"""What the random names end with."""

_STALE_SECONDS: Final = 3_600
"""So long after it was begun, a file is one that a killed process has left."""

_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
_ON_THE_WAY: Final = _FOLDER | getattr(os, "O_PATH", 0)
"""Of folders that are gone through: on Linux they need not be readable."""

_NEW_FILE: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL
    | _NOFOLLOW | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)  # fmt: skip
_T = TypeVar("_T")

_BY_NUMBER: Final = {os.open, os.mkdir, os.rename, os.unlink, os.stat} <= os.supports_dir_fd
"""Whether what is in an open folder can be named by it: then the way to the folder counts once."""


class PrivateFolder:
    """See the module. The folder is made when something is first written.

    Args:
        path: the folder's, absolute.
        tree: a folder whose content others have written. Of the way to `path` nothing below it may be a link.
    """

    def __init__(self, path: Path, tree: Path | None = None) -> None:
        self.path = path
        self._tree = tree

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def make(self) -> None:
        """Makes the folder, and those above it, as far as they are not there. Raises StorageError for one that is not the user's
        own, or stands behind a link in the tree; OSError where the system refuses."""
        os.close(self._enter(makes=True))

    def write(self, name: str, pieces: Iterable[bytes | memoryview], *, synced: bool = True) -> None:
        """Writes a file as a whole: all of it is there or what was there before. Raises as `make`.

        synced: whether it must be on the disk when this returns.
        """
        folder = self._enter(makes=True)
        try:
            self._write(folder, name, pieces, synced)
        finally:
            os.close(folder)

    def _write(self, folder: int, name: str, pieces: Iterable[bytes | memoryview], synced: bool) -> None:
        new = f"{name}.{os.urandom(8).hex()}{_TEMPORARY}"
        where = {"dir_fd": folder} if _BY_NUMBER else {}
        top = "" if _BY_NUMBER else f"{self.path}{os.sep}"
        try:
            with open(os.open(top + new, _NEW_FILE, 0o600, **where), "wb") as file:
                file.writelines(pieces)
                file.flush()
                if synced:
                    os.fsync(file.fileno())
            ends = {"src_dir_fd": folder, "dst_dir_fd": folder} if _BY_NUMBER else {}
            os.replace(top + new, top + name, **ends)
        except BaseException:
            with suppress(OSError):
                os.unlink(top + new, **where)
            raise
        if synced:
            with suppress(OSError):  # folders cannot be synced on every system; the rename is atomic all the same
                os.fsync(folder)

    def open(self, name: str) -> int:
        """A descriptor of a file that is read; the caller closes it. Raises OSError where there is none, and as `make`."""
        return self._reading(name, lambda path, folder: open_regular(path, dir_fd=folder))

    def read(self, name: str, most_bytes: int) -> bytes:
        """The bytes of a file. Raises as `open`, and OSError where there are more than `most_bytes`."""
        return self._reading(name, lambda path, folder: read_regular(path, most_bytes, dir_fd=folder))

    def _reading(self, name: str, read: Callable[[str, int | None], _T]) -> _T:
        folder = self._enter(makes=False)
        try:
            return read(name, folder) if _BY_NUMBER else read(f"{self.path}{os.sep}{name}", None)
        finally:
            os.close(folder)

    def remove_unfinished(self, begins: str = "", older_than: float = _STALE_SECONDS) -> None:
        """Deletes what processes that were killed have begun to write: files whose names begin so.

        older_than: seconds; 0 where nobody else can be writing such a file.
        """
        try:
            folder = self._enter(makes=False)
        except OSError:
            return
        where = {"dir_fd": folder} if _BY_NUMBER else {}
        try:
            with os.scandir(folder if _BY_NUMBER else self.path) as entries:
                names = [name for entry in entries if (name := entry.name).startswith(begins) and name.endswith(_TEMPORARY)]
            for name in names:
                place = name if _BY_NUMBER else f"{self.path}{os.sep}{name}"
                with suppress(OSError):
                    if time.time() - os.stat(place, follow_symlinks=False, **where).st_mtime >= older_than:
                        os.unlink(place, **where)
        finally:
            os.close(folder)

    def _enter(self, makes: bool) -> int:
        """The folder, opened, after a look at it and at the way to it; a descriptor of nothing where folders cannot be opened."""
        if not _BY_NUMBER:
            return self._enter_by_path(makes)
        tree = self._identity_of_tree()
        last = len(self.path.parts) - 1
        number, is_inside = -1, False
        try:
            for at, part in enumerate(self.path.parts):
                flags = _FOLDER if at == last else _ON_THE_WAY if is_inside else _ON_THE_WAY & ~_NOFOLLOW
                child = self._open_part(part, number, flags, makes)
                number, above = child, number
                if above >= 0:
                    os.close(above)
                status = os.fstat(number)
                is_inside = is_inside or (status.st_dev, status.st_ino) == tree
            self._claim(status, lambda: os.fchmod(number, 0o700))
        except BaseException:
            if number >= 0:
                os.close(number)
            raise
        return number

    def _open_part(self, part: str, above: int, flags: int, makes: bool) -> int:
        """One folder on the way."""
        where = {"dir_fd": above} if above >= 0 else {}
        try:
            try:
                return os.open(part, flags, **where)
            except FileNotFoundError:
                if not makes:
                    raise
                with suppress(FileExistsError):  # another process was sooner
                    os.mkdir(part, 0o700, **where)
                return os.open(part, flags | _NOFOLLOW, **where)
        except OSError as error:
            if error.errno in LINK_ERRORS or (error.errno == errno.ENOTDIR and _is_link(part, where)):
                raise StorageError(f"{self.path}: {part} is a symbolic link there; {_ANOTHER}") from None
            raise

    def _enter_by_path(self, makes: bool) -> int:
        if makes:
            self.path.mkdir(0o700, parents=True, exist_ok=True)
        tree = self._tree
        for place in (self.path, *self.path.parents):
            is_ours = place == self.path or (tree is not None and tree in place.parents)
            if is_ours and place.is_symlink():
                raise StorageError(f"{self.path}: {place.name} is a symbolic link there; {_ANOTHER}")
        status = os.stat(self.path)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return os.open(os.devnull, os.O_RDONLY)

    def _identity_of_tree(self) -> tuple[int, int] | None:
        if self._tree is None:
            return None
        status = os.stat(self._tree)
        return status.st_dev, status.st_ino

    def _claim(self, status: os.stat_result, close_to_others: Callable[[], object]) -> None:
        """Sees to it that the folder is this user's alone."""
        if status.st_uid != os.geteuid():
            raise StorageError(f"{self.path}: belongs to another user; {_ANOTHER}")
        if status.st_mode & 0o077:  # versions before this one made it so
            with suppress(OSError):
                close_to_others()


_ANOTHER: Final = "name another place with --index-dir"


def _is_link(name: str, where: dict[str, int]) -> bool:
    with suppress(OSError):
        return stat.S_ISLNK(os.stat(name, follow_symlinks=False, **where).st_mode)
    return False
