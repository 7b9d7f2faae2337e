"""Opens the files below a root one path component at a time, so that no path leads out of the root,
even while the tree changes.

Any folder on a path that was listed a moment ago may be a link by now. So each component is opened
relative to the folder above it, and a link is refused at every step. `openat2` would do this in one
call, but Python does not offer it, and loading ctypes takes longer than a small walk. The folders
of the last path stay open, so one more step is as cheap.

Where folders cannot be opened (Windows), each component is checked before the path is used. That
stops an existing link, but not one that somebody creates at the same moment.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from typing import Final, Self

from symindex.files.access.regular import NotRegularError, is_link_error, open_regular, read_regular

MOST_OPEN: Final = 32
"""Most folders to keep open. For a deeper path these are the root and the last ones."""

LONGEST_NAME: Final = 255
"""Longest name of a file or folder, in bytes, that systems accept."""

LONGEST_PATH: Final = 4_096
"""Longest path, in characters: about what systems accept. Without a limit, nested folders could go
on for ever."""

BY_NUMBER: bool = (
    {os.open, os.stat} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
)
"""Whether this system can open files relative to an open folder."""

_FOLDER_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)

_PASS_FLAGS: Final = _FOLDER_FLAGS | getattr(os, "O_PATH", 0)
"""Flags for folders that are not listed: on Linux the user only needs permission to pass through
them."""

_NO_PARTS: Final = frozenset({"", ".", ".."})

_BEHIND_LINK: Final = "is behind a symbolic link"


class Beneath:
    """The files and folders below a root. Close it soon: a folder that is renamed stays open under
    its old name.

    Paths are relative to the root and use forward slashes. A folder's path ends with a slash; the
    root's is empty. Links are refused, and so is a path with an empty, `.` or `..` component. All
    methods raise OSError, whose `strerror` states the problem briefly. For one thread at a time.

    lists: whether the folders will be listed. If not, a folder that the user may enter but not list
    is no obstacle (Linux).
    """

    def __init__(self, root: str | os.PathLike[str], lists: bool = True) -> None:
        self._root = os.fspath(root)
        self._flags = _FOLDER_FLAGS if lists else _PASS_FLAGS
        self._longest = LONGEST_PATH - len(self._root)
        # The open folders: the root, then folders on the way to the last path, each below the
        # previous one.
        self._bases: list[str] = []
        self._numbers: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def root(self) -> str:
        """The path of the root."""
        return self._root

    def close(self) -> None:
        """Closes the folders. Later calls open them again."""
        self._bases.clear()
        while self._numbers:
            os.close(self._numbers.pop())

    def folder(self, base: str) -> int | str:
        """Returns a folder for `os.scandir`: a descriptor that is valid until the next call, or a
        path if BY_NUMBER is false."""
        if not BY_NUMBER:
            return self._checked(base)
        bases, numbers = self._bases, self._numbers
        if not bases:
            # The user chose the way to the root and its links are resolved, so the root itself is
            # not a link.
            numbers.append(os.open(self._root, self._flags))
            bases.append("")
        while not base.startswith(bases[-1]):
            bases.pop()
            os.close(numbers.pop())
        if len(base) != len(bases[-1]):
            self._descend(base)
        return numbers[-1]

    def open_file(self, path: str) -> int:
        """Opens a regular file and returns its descriptor, which the caller closes."""
        name, folder = self._locate(path)
        return open_regular(name, dir_fd=folder)

    def read(self, path: str, most_bytes: int) -> bytes:
        """Reads a regular file. Raises LargeFileError if it has more than `most_bytes`."""
        name, folder = self._locate(path)
        return read_regular(name, most_bytes, dir_fd=folder)

    def lstat(self, path: str) -> os.stat_result:
        """Returns the status of a file or a link."""
        name, folder = self._locate(path)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def statuses(self, paths: Iterable[str]) -> Iterator[os.stat_result | None]:
        """Yields the status of each file or link, `None` if there is none; faster than `lstat` for
        files of one folder after another."""
        base, folder = "", None
        for path in paths:
            try:
                name = path.rpartition("/")[2]
                if folder is None or path[: len(path) - len(name)] != base or name in _NO_PARTS:
                    name, folder = self._locate(path)
                    base = path[: len(path) - len(name)]
                yield os.stat(name, dir_fd=folder, follow_symlinks=False)
            except (OSError, ValueError):
                yield None

    def _locate(self, path: str) -> tuple[str, int | None]:
        """Splits a path into a name and the descriptor of the folder that contains it. The
        descriptor is `None`, and the name a whole path, if BY_NUMBER is false."""
        name_start = path.rfind("/") + 1
        name = path[name_start:]
        if name in _NO_PARTS or "\0" in name or (os.sep != "/" and os.sep in name):
            raise OSError(errno.EINVAL, "not a path below the root")
        folder = self.folder(path[:name_start])
        return (name, folder) if isinstance(folder, int) else (folder + name, None)

    def _descend(self, base: str) -> None:
        """Opens the folders from the last open one down to `base`."""
        for name in self._parts(base, len(self._bases[-1])):
            try:
                number = os.open(name, self._flags, dir_fd=self._numbers[-1])
            except OSError as error:
                if is_link_error(error, name, self._numbers[-1]):
                    raise NotRegularError(errno.ELOOP, _BEHIND_LINK) from None
                raise
            self._numbers.append(number)
            self._bases.append(f"{self._bases[-1]}{name}/")
            if len(self._numbers) > MOST_OPEN:
                del self._bases[1]
                os.close(self._numbers.pop(1))

    def _parts(self, base: str, start: int = 0) -> list[str]:
        """Returns the names of the folders in a path, from offset `start` on."""
        if len(base) > self._longest:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        parts = base[start:].split("/")
        if (
            parts.pop()
            or not _NO_PARTS.isdisjoint(parts)
            or "\0" in base
            or (os.sep != "/" and os.sep in base)
        ):
            raise OSError(errno.EINVAL, "not a path below the root")
        return parts

    def _checked(self, base: str) -> str:
        """Checks each component of a folder's path and returns the whole path."""
        place = os.path.join(self._root, "")
        for name in self._parts(base) if base else ():
            place += name
            status = os.lstat(place)
            # A junction leads elsewhere like a link, but has the mode of a folder.
            if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
                raise NotRegularError(errno.ELOOP, _BEHIND_LINK)
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            place += os.sep
        return place


_JUNCTION: Final = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)


def read_beneath(root: str | os.PathLike[str], path: str, most_bytes: int) -> bytes:
    """Reads one regular file below a root, like `Beneath.read`."""
    with Beneath(root) as tree:
        return tree.read(path, most_bytes)
