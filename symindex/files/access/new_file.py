"""Writes a file below a root that somebody else may have made: completely or not at all, and never
through a link.

Each folder of the path is opened (or created) relative to the one above, and a link is refused at
every step. The file is written under a hidden random name in its own folder, synced, and then moved
into place in one atomic step, which fails if the name is taken. So a process that is killed or
refused at any moment leaves nothing, or a hidden file that the next writer deletes: a hidden file
is locked as long as its writer lives.

Where folders cannot be opened (Windows), each component is checked before the path is used, as in
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
"""Whether this system accepts names relative to an open folder, so that a path is resolved only
once."""

_HAS_LINKS: Final = (
    os.name != "nt" and hasattr(os, "link") and os.link in os.supports_follow_symlinks
)
"""Whether a file can have a second name. On Windows `rename` itself refuses a name that is
taken."""

_LINKS_BY_NUMBER: Final = _HAS_LINKS and os.link in os.supports_dir_fd

UNFINISHED: Final = re.compile(r"\.symindex-[0-9a-f]{16}\.unfinished")
"""Pattern of the names of incomplete files."""

_STALE_SECONDS: Final = 3_600
"""Age, in seconds, from which an unfinished file counts as left behind by a killed process. Used
where files cannot be locked."""

_MOST_NAMES: Final = 100_000
"""Most names to look at in a folder when searching for unfinished files."""

_NO_LINKS: Final = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.ENOTSUP}
)
"""Errors of file systems that do not support hard links."""


def write_new(root: Path, parts: Sequence[str], data: bytes, *, replaces: bool = False) -> Path:
    """Writes a file below a root, creates missing folders, and returns the file's path.

    parts: the path components, without empty names, `.`, `..` or separators. replaces: whether to
    replace an existing file; the new one then gets its permissions. Raises FileExistsError for an
    existing file, NotRegularError for a link or anything else that is not a file, and OSError if
    the system refuses. `filename` of the error is the path concerned.
    """
    root = Path(os.path.realpath(root))  # the user chose the way to the root
    path = root.joinpath(*parts)
    created: list[tuple[str, int | None]] = []
    numbers: list[int] = []
    try:
        folder = _enter(root, parts[:-1], created, numbers)
        top = "" if folder is not None else f"{path.parent}{os.sep}"
        mode = _mode_of(top + path.name, folder, path, replaces)
        _remove_unfinished(path.parent, top, folder)
        with _unfinished(top, folder, data, mode) as new:
            if replaces:
                os.replace(new, top + path.name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                move_exclusively(new, top + path.name, folder)
        if folder is not None:
            with suppress(OSError):  # not every system syncs folders; the file is complete anyway
                os.fsync(folder)
    except OSError as error:
        for name, above in reversed(created):
            with suppress(OSError):  # somebody else has put something there
                os.rmdir(name, dir_fd=above)
        error.filename = error.filename if isinstance(error.filename, Path) else path
        error.filename2 = None
        raise
    finally:
        for number in numbers:
            os.close(number)
    return path


def move_exclusively(old: str, new: str, folder: int | None) -> None:
    """Renames a file in one step. Raises FileExistsError if the new name is taken.

    folder: the descriptor that both names are relative to. Where files cannot have two names, the
    check and the renaming are two steps, and a file that appears between them is lost.
    """
    if _HAS_LINKS and (folder is None or _LINKS_BY_NUMBER):
        try:
            os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
        else:
            with suppress(OSError):  # the file is in place; the caller may try again
                os.unlink(old, dir_fd=folder)
            return
    with suppress(FileNotFoundError):
        os.stat(new, dir_fd=folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.rename(
        old, new, src_dir_fd=folder, dst_dir_fd=folder
    )  # Windows refuses a name that is taken


def _enter(
    root: Path, names: Sequence[str], created: list[tuple[str, int | None]], numbers: list[int]
) -> int | None:
    """Opens a folder below the root and returns its descriptor, or `None` if folders cannot be
    opened.

    created: receives the folders that this call creates. numbers: receives the descriptors to
    close.
    """
    path = root
    number = None
    if _BY_NUMBER:
        number = os.open(root, _FOLDER)
        numbers.append(number)
    for name in names:
        path = path / name
        part, above = (name, number) if _BY_NUMBER else (str(path), None)
        try:
            try:
                os.stat(part, dir_fd=above, follow_symlinks=False)
            except FileNotFoundError:
                with suppress(FileExistsError):  # another process was faster
                    os.mkdir(part, dir_fd=above)
                    created.append((part, above))
            if _BY_NUMBER:
                number = os.open(part, _FOLDER, dir_fd=above)
                numbers.append(number)
            elif not stat.S_ISDIR(os.lstat(part).st_mode) or getattr(
                os.path, "isjunction", os.path.islink
            )(part):
                raise NotRegularError(errno.ELOOP, "a symbolic link, or not a folder")
        except OSError as error:
            if is_link_error(error, part, above):
                error = NotRegularError(errno.ELOOP, "a symbolic link")
            error.filename = path
            raise error from None
    return number


def _mode_of(name: str, folder: int | None, path: Path, replaces: bool) -> int | None:
    """Returns the permissions of the file to replace; `None` if there is none."""
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
    """Writes a new file, locked and synced, and yields its name. Deletes the file at the end if it
    still has that name."""
    while True:
        new = f"{top}.symindex-{os.urandom(8).hex()}.unfinished"
        number = os.open(new, _NEW_FILE, 0o666, dir_fd=folder)
        if _is_locked(number) is not False and os.fstat(number).st_nlink:
            break
        os.close(number)  # another process took it for an abandoned file between the two calls
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(number, view) :]
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(number, mode)
        os.fsync(number)
        if os.name == "nt":  # Windows cannot move an open file
            os.close(number)
            number = -1
        yield new
    finally:
        with suppress(OSError):  # it has its new name; otherwise the next writer deletes it
            os.unlink(new, dir_fd=folder)
        if number >= 0:
            os.close(number)


def _remove_unfinished(path: Path, top: str, folder: int | None) -> None:
    """Deletes the files that killed processes have left in a folder."""
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
    """Tries to lock an open file and returns whether that worked; `None` if files cannot be locked.
    The lock ends with the descriptor."""
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
