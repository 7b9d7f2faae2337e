"""Reads files that somebody else wrote: only regular files, and no more bytes than the reader
allows.

A tree may contain anything under any name: a pipe that nobody writes to, a terminal, a link to
`/dev/zero`, a file that grows while it is read, or a kernel file that claims to be empty. So files
are opened without waiting and without following links, the type is checked on the open descriptor,
and the stated size is not trusted. For a local file this bounds the time as well. A file on a
network or on a user-space file system can keep a reader waiting as long as its server likes; no
flag changes that.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final, cast

_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)

_FLAGS: Final = (
    os.O_RDONLY
    | _NOFOLLOW
    | getattr(
        os, "O_NONBLOCK", 0
    )  # do not wait for the other end of a pipe, or for a lease of another process
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

LINK_ERRORS: Final = frozenset({errno.ELOOP, errno.EMLINK})
"""Errors for a link that must not be followed. For a link in place of a folder, some systems report
ENOTDIR."""

_CHUNK_BYTES: Final = 1_000_000


class NotRegularError(OSError):
    """A link, a folder, a pipe or a device; `strerror` says which."""


class LargeFileError(OSError):
    """A file larger than its reader allows; `strerror` states the limit."""


def open_regular(
    path: str | os.PathLike[str], *, dir_fd: int | None = None, follow: bool = False
) -> int:
    """Opens a regular file and returns its descriptor, which the caller closes.

    dir_fd: the folder that `path` is relative to. follow: whether the last component may be a link,
    as in a path that the user typed. Raises OSError, whose `strerror` states the problem briefly;
    NotRegularError for other kinds of file.
    """
    return _open(path, dir_fd, follow)[0]


def _open(path: str | os.PathLike[str], dir_fd: int | None, follow: bool) -> tuple[int, int]:
    """Opens a file like `open_regular`, and also returns the size that the system states."""
    if not follow and not _NOFOLLOW and stat.S_ISLNK(os.lstat(path).st_mode):
        raise NotRegularError(errno.ELOOP, "a symbolic link")
    try:
        number = os.open(path, _FLAGS & ~_NOFOLLOW if follow else _FLAGS, dir_fd=dir_fd)
    except ValueError:  # a NUL character
        raise NotRegularError(errno.EINVAL, "not a path") from None
    except OSError as error:
        if error.errno in LINK_ERRORS and not follow:
            raise NotRegularError(error.errno, "a symbolic link") from None
        if error.errno == errno.ENXIO:  # a socket, or a device that is missing
            raise NotRegularError(error.errno, "not a regular file") from None
        raise
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError(errno.EINVAL, "not a regular file")
    except OSError:
        os.close(number)
        raise
    return number, status.st_size


def read_regular(
    path: str | os.PathLike[str],
    most_bytes: int,
    *,
    dir_fd: int | None = None,
    follow: bool = False,
) -> bytes:
    """Reads a regular file. Arguments and errors are those of `open_regular`; also raises
    LargeFileError if it has more than `most_bytes`."""
    number, size = _open(path, dir_fd, follow)
    try:
        return read_open(number, most_bytes, size)
    finally:
        os.close(number)


def read_open(number: int, most_bytes: int, size: int) -> bytes:
    """Reads an open file from its current offset. size: as stat reports it. Raises OSError like
    `read_regular`."""
    if size <= most_bytes:
        # Asking for one byte more than expected shows in one call that this is everything.
        data = os.read(number, size + 1)
        if len(data) != size and data:
            data += read_up_to(number, most_bytes + 1 - len(data))
        if len(data) <= most_bytes:
            return data
    raise LargeFileError(errno.EFBIG, f"larger than {most_bytes:,} bytes")


def read_up_to(number: int, n_bytes: int) -> bytes:
    """Reads up to `n_bytes` more from an open file."""
    parts = []
    while n_bytes > 0 and (data := os.read(number, min(_CHUNK_BYTES, n_bytes))):
        parts.append(data)
        n_bytes -= len(data)
    return b"".join(parts)


def open_number(number: int, mode: str, buffering: int = -1) -> IO[bytes]:
    """Returns a binary file for a descriptor, which is closed if that fails."""
    try:
        return cast(IO[bytes], open(number, mode, buffering))
    except BaseException:
        os.close(number)
        raise


@contextmanager
def closing(number: int) -> Iterator[int]:
    """Closes a descriptor at the end of a `with` block."""
    try:
        yield number
    finally:
        os.close(number)


def is_link_error(error: OSError, name: str, dir_fd: int | None) -> bool:
    """Whether opening a folder failed because it is a link."""
    if error.errno != errno.ENOTDIR:
        return error.errno in LINK_ERRORS
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode)
    except OSError:
        return False
