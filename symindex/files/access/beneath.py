"""What lies below a root, opened part by part, so that nothing leads out of it, whatever becomes of the tree meanwhile.

Any folder of a path that was listed a moment ago may be a link by now. So each part is opened relative to the folder before it,
and a link is refused at every step. `openat2` would do so in one call, but Python has no word for it, and to load ctypes takes
longer than a small walk; with the folders of the last path kept open, a step costs as little.

Where folders cannot be opened (Windows), each part is looked at before the path is used: that stops a link that is there, not one
that is put there in the same moment.
"""

import errno
import os
import stat
from types import TracebackType
from typing import Final

from symindex.files.access.regular import LINK_ERRORS, NotRegularError, open_regular, read_regular

MOST_OPEN: Final = 32
"""So many folders are kept open at most, however deep the tree: of deeper paths the root and the last ones."""

LONGEST_PATH: Final = 4_096
"""So many characters has the longest path that systems take, about; folders within folders could go on for ever."""

BY_NUMBER: bool = {os.open, os.stat} <= os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")
"""Whether this system opens what is in an open folder."""

_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

_NO_PARTS: Final = frozenset({"", ".", ".."})

_BEHIND_LINK: Final = "stands behind a symbolic link"


class Beneath:
    """The files and folders below a root. To be closed, and soon: a folder that is renamed stays the one that was opened.

    Paths are relative to the root, with forward slashes; a folder's ends with one, the root's is empty. What holds a part that is
    empty, `.` or `..` is refused, as are links. All methods raise OSError, whose `strerror` says in a few words what is wrong.
    For one thread at a time.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = os.fspath(root)
        self._longest = LONGEST_PATH - len(self._root)
        # The root and folders on the way to the last one, each below the one before.
        self._bases: list[str] = []
        self._numbers: list[int] = []

    def __enter__(self) -> "Beneath":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the folders; they are opened again where that is needed."""
        self._bases.clear()
        while self._numbers:
            os.close(self._numbers.pop())

    def folder(self, base: str) -> int | str:
        """A folder as `os.scandir` takes it: a descriptor that is good until the next call, or a path where there are none."""
        if not BY_NUMBER:
            return self._checked(base)
        bases, numbers = self._bases, self._numbers
        if not bases:
            # The way to the root was chosen by the user, who has had its links resolved: it is none itself.
            numbers.append(os.open(self._root, _FOLDER_FLAGS))
            bases.append("")
        while not base.startswith(bases[-1]):
            bases.pop()
            os.close(numbers.pop())
        if len(base) != len(bases[-1]):
            self._descend(base)
        return numbers[-1]

    def open_file(self, path: str) -> int:
        """A descriptor of a regular file, which the caller closes."""
        place, name = self._place_of(path)
        return open_regular(name, dir_fd=place) if isinstance(place, int) else open_regular(place + name)

    def read(self, path: str, most_bytes: int) -> bytes:
        """The bytes of a regular file. Raises LargeFileError where it has more than `most_bytes`."""
        place, name = self._place_of(path)
        if isinstance(place, int):
            return read_regular(name, most_bytes, dir_fd=place)
        return read_regular(place + name, most_bytes)

    def lstat(self, path: str) -> os.stat_result:
        """What the system knows of a file or a link."""
        place, name = self._place_of(path)
        return os.stat(name, dir_fd=place, follow_symlinks=False) if isinstance(place, int) else os.lstat(place + name)

    def _place_of(self, path: str) -> tuple[int | str, str]:
        at = path.rfind("/") + 1
        name = path[at:]
        if name in _NO_PARTS or "\0" in name or (os.sep != "/" and os.sep in name):
            raise OSError(errno.EINVAL, "not a path below the root")
        return self.folder(path[:at]), name

    def _descend(self, base: str) -> None:
        """Opens the folders from the last one that is open down to `base`."""
        for name in self._parts(base, len(self._bases[-1])):
            try:
                number = os.open(name, _FOLDER_FLAGS, dir_fd=self._numbers[-1])
            except OSError as error:
                raise _explained(error, name, self._numbers[-1]) from None
            self._numbers.append(number)
            self._bases.append(f"{self._bases[-1]}{name}/")
            if len(self._numbers) > MOST_OPEN:
                del self._bases[1]
                os.close(self._numbers.pop(1))

    def _parts(self, base: str, start: int = 0) -> list[str]:
        """The names of folders from a place in a path on."""
        if len(base) > self._longest:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        parts = base[start:].split("/")
        if parts.pop() or not _NO_PARTS.isdisjoint(parts) or "\0" in base or (os.sep != "/" and os.sep in base):
            raise OSError(errno.EINVAL, "not a path below the root")
        return parts

    def _checked(self, base: str) -> str:
        """The path of a folder, each part of which was looked at."""
        place = os.path.join(self._root, "")
        for name in self._parts(base) if base else ():
            place += name
            status = os.lstat(place)
            # A junction leads on as a link does, and is none by its mode.
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


def _explained(error: OSError, name: str, number: int) -> OSError:
    """The error of a folder that could not be opened; of a link, systems say one thing or another."""
    if error.errno in LINK_ERRORS or error.errno == errno.ENOTDIR:
        try:
            if stat.S_ISLNK(os.stat(name, dir_fd=number, follow_symlinks=False).st_mode):
                return NotRegularError(errno.ELOOP, _BEHIND_LINK)
        except OSError:
            pass
    return error
