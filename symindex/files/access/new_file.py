"""Writing a file below a root that others may have made: whole or not at all, and through no link.

Each folder of the path is opened relative to the one before it, or made there, and a link is
refused at every step. The file is written under a hidden random name in its own folder, synced, and
then put in its place in one step of the file system, which fails where something stands already. So
whoever is killed or refused at any moment leaves nothing, or a hidden file that the next one
deletes: it is locked as long as its writer lives.

Where folders cannot be opened (Windows), each part is checked before the path is used, as in
`access/beneath`.
"""

import errno
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final

from symindex.files.access.regular import NotRegularError, closing, is_link_error, open_regular

_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
)
_NEW_FILE: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | _NOFOLLOW
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_BY_NUMBER: Final = {
    os.open,
    os.mkdir,
    os.rename,
    os.unlink,
    os.rmdir,
    os.stat,
} <= os.supports_dir_fd
"""Whether files can be named relative to an open folder: then a path is resolved only once."""

_HAS_LINKS: Final = (
    os.name != "nt" and hasattr(os, "link") and os.link in os.supports_follow_symlinks
)
"""Whether a file can be given a second name. On Windows `rename` itself refuses a name that is
taken."""

_LINKS_BY_NUMBER: Final = _HAS_LINKS and os.link in os.supports_dir_fd

UNFINISHED: Final = re.compile(r"\.symindex-[0-9a-f]{16}\.unfinished")
"""What a file is called until it is whole."""

_STALE_SECONDS: Final = 3_600
"""Where files cannot be locked, an unfinished one of this age was left by a killed process."""

_MOST_NAMES: Final = 100_000
"""Of a folder, how many are looked at for unfinished files."""

_NO_LINKS: Final = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.ENOTSUP}
)
"""What file systems say that know no second name of a file."""


def write_new(root: Path, parts: Sequence[str], data: bytes, *, replaces: bool = False) -> Path:
    """Writes a file below a root, with the folders on the way. Returns its path.

    parts: the names on the way, none of them empty, `.`, `..` or with a separator. replaces:
    whether a file that is there is replaced; it keeps its permissions. Raises FileExistsError for a
    file that is there; NotRegularError for a link, or what else is no file; OSError where the
    system refuses. `filename` is the path of what it is about.
    """
    root = Path(os.path.realpath(root))  # the user chose the way to the root
    path = root.joinpath(*parts)
    made: list[tuple[str, int | None]] = []
    numbers: list[int] = []
    try:
        folder = _enter(root, parts[:-1], made, numbers)
        top = "" if folder is not None else f"{path.parent}{os.sep}"
        mode = _mode_of(top + path.name, folder, path, replaces)
        _remove_unfinished(path.parent, top, folder)
        with _unfinished(top, folder, data, mode) as new:
            if replaces:
                os.replace(new, top + path.name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                move_exclusively(new, top + path.name, folder)
        if folder is not None:
            with suppress(
                OSError
            ):  # not every system syncs folders; the file is whole all the same
                os.fsync(folder)
    except OSError as error:
        for name, above in reversed(made):
            with suppress(OSError):  # somebody has put something there
                os.rmdir(name, dir_fd=above)
        error.filename = error.filename if isinstance(error.filename, Path) else path
        error.filename2 = None
        raise
    finally:
        for number in numbers:
            os.close(number)
    return path


def move_exclusively(old: str, new: str, folder: int | None) -> None:
    """Gives a file another name, in one step. Raises FileExistsError where that name is taken.

    folder: the descriptor that both names are relative to. Where a file cannot have two names, the
    check and the step are two, and a file that appears between them is lost.
    """
    if _HAS_LINKS and (folder is None or _LINKS_BY_NUMBER):
        try:
            os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
        else:
            with suppress(FileNotFoundError):
                os.unlink(old, dir_fd=folder)
            return
    with suppress(FileNotFoundError):
        os.stat(new, dir_fd=folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.rename(
        old, new, src_dir_fd=folder, dst_dir_fd=folder
    )  # which Windows refuses where there is one


def _enter(
    root: Path, names: Sequence[str], made: list[tuple[str, int | None]], numbers: list[int]
) -> int | None:
    """The descriptor of a folder below the root, or `None` where there are none. made: gets the
    folders that were missing; numbers: the descriptors to close."""
    here = root
    number = None
    if _BY_NUMBER:
        number = os.open(root, _FOLDER)
        numbers.append(number)
    for name in names:
        here = here / name
        part, above = (name, number) if _BY_NUMBER else (str(here), None)
        try:
            try:
                os.stat(part, dir_fd=above, follow_symlinks=False)
            except FileNotFoundError:
                with suppress(FileExistsError):  # another process was sooner
                    os.mkdir(part, dir_fd=above)
                    made.append((part, above))
            if _BY_NUMBER:
                number = os.open(part, _FOLDER, dir_fd=above)
                numbers.append(number)
            elif not stat.S_ISDIR(os.lstat(part).st_mode) or getattr(
                os.path, "isjunction", os.path.islink
            )(part):
                raise NotRegularError(errno.ELOOP, "a symbolic link, or no folder")
        except OSError as error:
            if is_link_error(error, part, above):
                error = NotRegularError(errno.ELOOP, "a symbolic link")
            error.filename = here
            raise error from None
    return number


def _mode_of(name: str, folder: int | None, path: Path, replaces: bool) -> int | None:
    """The permissions of the file that is replaced; `None` where there is none."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        is_link = stat.S_ISLNK(status.st_mode)
        error: OSError = NotRegularError(
            errno.EINVAL, "a symbolic link" if is_link else "there is something that is not a file"
        )
    elif replaces:
        return stat.S_IMODE(status.st_mode) & 0o777
    else:
        error = FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    error.filename = path
    raise error


@contextmanager
def _unfinished(top: str, folder: int | None, data: bytes, mode: int | None) -> Iterator[str]:
    """The name of a new file with this content, locked and on the disk. It is deleted if it still
    has that name at the end."""
    while True:
        new = f"{top}.symindex-{os.urandom(8).hex()}.unfinished"
        number = os.open(new, _NEW_FILE, 0o666, dir_fd=folder)
        if _is_locked(number) is not False and os.fstat(number).st_nlink:
            break
        os.close(number)  # between the two calls somebody took it for one that was left
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(number, view) :]
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(number, mode)
        os.fsync(number)
        if os.name == "nt":  # where an open file cannot be moved
            os.close(number)
            number = -1
        yield new
    finally:
        with suppress(FileNotFoundError):
            os.unlink(new, dir_fd=folder)
        if number >= 0:
            os.close(number)


def _remove_unfinished(path: Path, top: str, folder: int | None) -> None:
    """Deletes what killed processes have left in a folder."""
    with suppress(OSError), os.scandir(path if folder is None else folder) as entries:
        for name in [
            entry.name for entry in islice(entries, _MOST_NAMES) if UNFINISHED.fullmatch(entry.name)
        ]:
            with suppress(OSError), closing(open_regular(top + name, dir_fd=folder)) as number:
                is_free = _is_locked(number)
                if is_free is None:
                    is_free = time.time() - os.fstat(number).st_mtime >= _STALE_SECONDS
                if is_free:
                    os.unlink(top + name, dir_fd=folder)


def _is_locked(number: int) -> bool | None:
    """Whether this process could lock an open file; `None` where files cannot be locked. The lock
    ends with the descriptor."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
