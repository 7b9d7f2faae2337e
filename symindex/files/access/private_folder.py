"""A folder that belongs to the user alone, and the files that we write in it. This is the only
place where we write without being asked.

A stranger who can place a link where we write makes us overwrite any file of the user; one who can
place a file where we read makes us believe it. So the folder has mode 0700, no component of its
path inside a tree is a link, and each file is new (0600, created exclusively under a random name)
until it replaces the previous one as a whole.

A folder that others may write to is closed, but nobody can tell who wrote to it before. So a file
counts only if it belongs to the user or root and nobody else may write to it (`owners`); otherwise
it is as unreadable as a file that the system refuses. Data that can be rebuilt, such as an index,
is then rebuilt. Data that cannot, and whose content we trust, such as a key or a note, is not read
at all from a folder that was open: the user has to look at it first (`is_precious`).

Users and cleaners delete caches, even while we write there. Then the folder is created again and
the operation restarts (`begun_again`).
"""

import errno
import os
import shlex
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Final, TypeVar

from symindex.errors import StorageError
from symindex.files.access.new_file import move_exclusively
from symindex.files.access.owners import OTHERS_WRITE, why_not_ours
from symindex.files.access.regular import (
    closing,
    is_link_error,
    open_number,
    open_regular,
    read_open,
)

_TEMPORARY: Final = ".new"
"""Suffix of the random names."""

_STALE_SECONDS: Final = 3_600
"""Age, in seconds, from which an unfinished file counts as left behind by a killed process."""

_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
)
_ON_THE_WAY: Final = _FOLDER | getattr(os, "O_PATH", 0)
"""Flags for the folders above: on Linux they need not be readable."""

_NEW_FILE: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | _NOFOLLOW
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_DELETES_CLOSED: Final = getattr(os, "O_TEMPORARY", 0)
"""Flag by which Windows, where an open file keeps its name, deletes the file when it is closed."""

_SCRATCH_FILE: Final = _NEW_FILE & ~os.O_WRONLY | os.O_RDWR | _DELETES_CLOSED

_BY_NUMBER: Final = {os.open, os.mkdir, os.rename, os.unlink, os.stat} <= os.supports_dir_fd
"""Whether this system accepts names relative to an open folder, so that its path is resolved only
once."""

_ANOTHER: Final = "name another place with --index-dir"

TRIES: Final = 5
"""How many times to attempt a write whose folder vanishes. One attempt takes less than a
millisecond, so a process that deletes the folder rarely interrupts two of them."""

_VANISHED: Final = (errno.ENOENT, errno.ESTALE)
"""Errors for a file or folder that no longer exists, on a local disk and on a network."""

_T = TypeVar("_T")


def begun_again(write: Callable[[], _T]) -> _T:
    """Calls `write` and returns its result. Calls it again if somebody has deleted a file or folder
    that it needs; raises other errors."""
    for _ in range(TRIES - 1):
        try:
            return write()
        except OSError as error:
            if error.errno not in _VANISHED:
                raise
    return write()


class PrivateFolder:
    """A private folder, as described in the module. It is created by the first write.

    Args:
        path: the absolute path of the folder.
        tree: a folder whose content others have written. No component of `path` below it may
        be a link.
        otherwise: advice for the user, added to the error about a folder that is refused.
        is_precious: whether to refuse a folder that others may write to, instead of closing
        and using it.
    """

    def __init__(
        self,
        path: Path,
        tree: Path | None = None,
        otherwise: str = _ANOTHER,
        *,
        is_precious: bool = False,
    ) -> None:
        self.path = path
        self._tree = tree
        self._otherwise = otherwise
        self._is_precious = is_precious

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def make(self) -> None:
        """Creates the folder and its parents if they are missing. Raises StorageError for a folder
        that is not the user's own or that is behind a link in the tree, and OSError if the system
        refuses."""

        def make() -> None:
            with self._entered(makes=True):
                pass

        begun_again(make)

    def write(
        self,
        name: str,
        pieces: Sequence[bytes | memoryview],
        *,
        synced: bool = True,
        replaces: bool = True,
    ) -> None:
        """Writes a file atomically: it has either all of the new content or the old. Raises like
        `make`.

        synced: whether the file must be on the disk on return. replaces: whether to replace an
        existing file; if not, raises FileExistsError for one.
        """
        begun_again(lambda: self._write(name, pieces, synced, replaces))

    def _write(
        self, name: str, pieces: Sequence[bytes | memoryview], synced: bool, replaces: bool
    ) -> None:
        with self._entered(makes=True) as (top, folder):
            new = f"{top}{name}.{os.urandom(8).hex()}{_TEMPORARY}"
            try:
                with open_number(os.open(new, _NEW_FILE, 0o600, dir_fd=folder), "wb") as file:
                    file.writelines(pieces)
                    file.flush()
                    if synced:
                        os.fsync(file.fileno())
                if replaces:
                    os.replace(new, top + name, src_dir_fd=folder, dst_dir_fd=folder)
                else:
                    move_exclusively(new, top + name, folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(new, dir_fd=folder)
                raise
            if synced and folder is not None:
                with suppress(
                    OSError
                ):  # not every system syncs folders; the rename is atomic anyway
                    os.fsync(folder)

    def scratch(self) -> IO[bytes]:
        """Opens an empty, unbuffered, nameless file for reading and writing. It disappears when it
        is closed. Raises like `make`."""
        return begun_again(self._scratch)

    def _scratch(self) -> IO[bytes]:
        with self._entered(makes=True) as (top, folder):
            new = f"{top}scratch.{os.urandom(8).hex()}{_TEMPORARY}"
            number = os.open(new, _SCRATCH_FILE, 0o600, dir_fd=folder)
            if not _DELETES_CLOSED:
                try:
                    os.unlink(new, dir_fd=folder)
                except BaseException:
                    os.close(number)
                    raise
            return open_number(number, "w+b", buffering=0)

    @contextmanager
    def locked(self, name: str, wait_seconds: float) -> Iterator[bool]:
        """Takes a lock file in the folder, for one process at a time. Yields `False` if the lock
        was not free within `wait_seconds`. Raises like `make`."""
        from filelock import (
            FileLock,
            Timeout,
        )  # imported here because readers do not need it and it takes 15 ms to load

        lock = FileLock(self / name, mode=0o600)

        def take() -> None:
            self.make()
            try:
                lock.acquire(timeout=wait_seconds)
            except FileExistsError:
                # FileLock recreates a folder that has vanished while one process recreates and
                # another deletes it
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None

        try:
            begun_again(take)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            with suppress(OSError):  # it is tried again when the object is freed
                lock.release()

    def open(self, name: str) -> int:
        """Opens a file for reading and returns its descriptor, which the caller closes. Raises
        OSError if the file is missing, belongs to somebody else, or may be written by others; and
        raises like `make`."""
        with self._entered(makes=False) as (top, folder):
            number = open_regular(top + name, dir_fd=folder)
        if why := why_not_ours(os.fstat(number)):
            os.close(number)
            raise PermissionError(errno.EPERM, why)
        return number

    def read(self, name: str, most_bytes: int) -> bytes:
        """Reads a file. Raises like `open`, and OSError if it has more than `most_bytes`."""
        with closing(self.open(name)) as number:
            return read_open(number, most_bytes, os.fstat(number).st_size)

    def check(self, name: str) -> None:
        """Raises the errors of `open` for a file that belongs to somebody else or that others may
        write to. Does not open the file: closing it would release the locks that this process has
        on a database."""
        with self._entered(makes=False) as (top, folder):
            status = os.stat(top + name, dir_fd=folder, follow_symlinks=False)
        if (
            why := "not a regular file"
            if not stat.S_ISREG(status.st_mode)
            else why_not_ours(status)
        ):
            raise PermissionError(errno.EPERM, why)

    def names(self, limit: int) -> list[str]:
        """Returns the names of up to `limit` files; an empty list if the folder does not exist.
        Raises like `open`."""
        try:
            with (
                self._entered(makes=False) as (_, folder),
                os.scandir(self.path if folder is None else folder) as entries,
            ):
                return [entry.name for entry in islice(entries, limit)]
        except FileNotFoundError:
            return []

    def delete(self, name: str) -> None:
        """Deletes a file. Raises like `open`."""
        with self._entered(makes=False) as (top, folder):
            os.unlink(top + name, dir_fd=folder)

    def remove_unfinished(self, begins: str = "", older_than: float = _STALE_SECONDS) -> None:
        """Deletes the unfinished files of killed processes.

        begins: the prefix of their names. older_than: minimum age in seconds; 0 if no other process
        can be writing such a file.
        """
        with suppress(OSError), self._entered(makes=False) as (top, folder):
            with os.scandir(self.path if folder is None else folder) as entries:
                names = [
                    name
                    for entry in entries
                    if (name := entry.name).startswith(begins) and name.endswith(_TEMPORARY)
                ]
            for name in names:
                with suppress(OSError):
                    if (
                        time.time()
                        - os.stat(top + name, dir_fd=folder, follow_symlinks=False).st_mtime
                        >= older_than
                    ):
                        os.unlink(top + name, dir_fd=folder)

    @contextmanager
    def _entered(self, makes: bool) -> Iterator[tuple[str, int | None]]:
        """Checks the folder and the way to it. Yields the prefix for the names of its files, and
        the descriptor of the folder that these names are relative to; the descriptor is `None` if
        folders cannot be opened."""
        if _BY_NUMBER:
            with closing(self._open_folder(makes)) as number:
                yield "", number
        else:
            self._check_path(makes)
            yield f"{self.path}{os.sep}", None

    def _open_folder(self, makes: bool) -> int:
        tree = os.stat(self._tree) if self._tree is not None else None
        last = len(self.path.parts) - 1
        number, is_inside = None, False
        try:
            for depth, part in enumerate(self.path.parts):
                flags = (
                    _FOLDER
                    if depth == last
                    else _ON_THE_WAY
                    if is_inside
                    else _ON_THE_WAY & ~_NOFOLLOW
                )
                child = self._open_part(part, number, flags, makes)
                if number is not None:
                    os.close(number)
                number = child
                status = os.fstat(number)
                is_inside = is_inside or (tree is not None and os.path.samestat(status, tree))
            assert number is not None  # an absolute path has parts
            if status.st_uid != os.geteuid():
                raise StorageError(f"{self.path}: belongs to another user; {self._otherwise}")
            if self._is_precious and status.st_mode & OTHERS_WRITE:
                hint = (
                    "look at its files, delete those that are not yours, then close it: chmod 700"
                    f" {shlex.quote(str(self.path))}"
                )
                raise StorageError(
                    f"{self.path}: others may write to this folder, so nothing in it is trusted;"
                    f" {hint}"
                )
            if status.st_mode & 0o077:  # earlier versions created it with these bits
                with suppress(OSError):
                    os.fchmod(number, 0o700)
        except BaseException:
            if number is not None:
                os.close(number)
            raise
        return number

    def _open_part(self, part: str, above: int | None, flags: int, makes: bool) -> int:
        """Opens one folder on the way."""
        try:
            try:
                return os.open(part, flags, dir_fd=above)
            except FileNotFoundError:
                if not makes:
                    raise
                with suppress(FileExistsError):  # another process was faster
                    os.mkdir(part, 0o700, dir_fd=above)
                return os.open(part, flags | _NOFOLLOW, dir_fd=above)
        except OSError as error:
            if is_link_error(error, part, above):
                raise StorageError(
                    f"{self.path}: {part} is a symbolic link there; {self._otherwise}"
                ) from None
            raise

    def _check_path(self, makes: bool) -> None:
        if makes:
            self.path.mkdir(0o700, parents=True, exist_ok=True)
        for place in (self.path, *self.path.parents):
            is_ours = place == self.path or (self._tree is not None and self._tree in place.parents)
            if is_ours and place.is_symlink():
                raise StorageError(
                    f"{self.path}: {place.name} is a symbolic link there; {self._otherwise}"
                )
        if not stat.S_ISDIR(os.stat(self.path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
