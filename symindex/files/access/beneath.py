"""The files below a root, opened part by part, so that no path leads out of it, even while the tree
changes.

Any folder of a path that was listed a moment ago may be a link by now. So each part is opened
relative to the folder before it, and a link is refused at every step. `openat2` would do so in one
call, but Python does not offer it, and loading ctypes takes longer than a small walk. The folders
of the last path stay open, so a step costs as little.

Where folders cannot be opened (Windows), each part is checked before the path is used. That stops a
link that is there, but not one that is put there in the same moment.
"""

import errno
import os
import stat
from typing import Final, Self

from symindex.files.access.regular import NotRegularError, is_link_error, open_regular, read_regular

MOST_OPEN: Final = 32
"""How many folders are kept open at most: of deeper paths the root and the last ones."""

LONGEST_PATH: Final = 4_096
"""About how many characters the longest path has that systems take. Without a limit, nested folders
could go on for ever."""

BY_NUMBER: bool = (
    {os.open, os.stat} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
)
"""Whether this system opens files relative to an open folder."""

_FOLDER_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)

_PASS_FLAGS: Final = _FOLDER_FLAGS | getattr(os, "O_PATH", 0)
"""For folders that need not be listed: on Linux it is enough that the user may pass through
them."""

_NO_PARTS: Final = frozenset({"", ".", ".."})

_BEHIND_LINK: Final = "stands behind a symbolic link"


class Beneath:
    """The files and folders below a root. To be closed soon: a folder that is renamed stays open
    under its old name.

    Paths are relative to the root, with forward slashes; a folder's ends with one, the root's is
    empty. A path with a part that is empty, `.` or `..` is refused, and so is a link. All methods
    raise OSError, whose `strerror` says briefly what is wrong. For one thread at a time.

    lists: whether folders are to be listed; where not, folders that the user may enter and not list
    are no hindrance (Linux).
    """

    def __init__(self, root: str | os.PathLike[str], lists: bool = True) -> None:
        self._root = os.fspath(root)
        self._flags = _FOLDER_FLAGS if lists else _PASS_FLAGS
        self._longest = LONGEST_PATH - len(self._root)
        # The open folders: the root, and folders on the way to the last one, each below the one
        # before.
        self._bases: list[str] = []
        self._numbers: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def root(self) -> str:
        """The root's path."""
        return self._root

    def close(self) -> None:
        """Closes the folders; later calls open them again."""
        self._bases.clear()
        while self._numbers:
            os.close(self._numbers.pop())

    def folder(self, base: str) -> int | str:
        """A folder as `os.scandir` takes it: a descriptor that is valid until the next call, or a
        path where BY_NUMBER is false."""
        if not BY_NUMBER:
            return self._checked(base)
        bases, numbers = self._bases, self._numbers
        if not bases:
            # The user chose the way to the root, and its links are resolved: the root itself is
            # none.
            numbers.append(os.open(self._root, self._flags))
            bases.append("")
        while not base.startswith(bases[-1]):
            bases.pop()
            os.close(numbers.pop())
        if len(base) != len(bases[-1]):
            self._descend(base)
        return numbers[-1]

    def open_file(self, path: str) -> int:
        """A descriptor of a regular file, which the caller closes."""
        name, folder = self._locate(path)
        return open_regular(name, dir_fd=folder)

    def read(self, path: str, most_bytes: int) -> bytes:
        """The bytes of a regular file. Raises LargeFileError where it has more than
        `most_bytes`."""
        name, folder = self._locate(path)
        return read_regular(name, most_bytes, dir_fd=folder)

    def lstat(self, path: str) -> os.stat_result:
        """The status of a file or a link."""
        name, folder = self._locate(path)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def _locate(self, path: str) -> tuple[str, int | None]:
        """A path, and the descriptor of the folder that it is relative to, if there is one."""
        at = path.rfind("/") + 1
        name = path[at:]
        if name in _NO_PARTS or "\0" in name or (os.sep != "/" and os.sep in name):
            raise OSError(errno.EINVAL, "not a path below the root")
        folder = self.folder(path[:at])
        return (name, folder) if isinstance(folder, int) else (folder + name, None)

    def _descend(self, base: str) -> None:
        """Opens the folders from the last one that is open down to `base`."""
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
        """The names of the folders in a path from an offset on."""
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
        """The whole path of a folder, after a check of each part."""
        place = os.path.join(self._root, "")
        for name in self._parts(base) if base else ():
            place += name
            status = os.lstat(place)
            # A junction leads elsewhere as a link does, but its mode is a folder's.
            if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
                raise NotRegularError(errno.ELOOP, _BEHIND_LINK)
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            place += os.sep
        return place


_JUNCTION: Final = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)


def read_beneath(root: str | os.PathLike[str], path: str, most_bytes: int) -> bytes:
    """The bytes of one regular file below a root; as `Beneath.read`."""
    with Beneath(root) as tree:
        return tree.read(path, most_bytes)
