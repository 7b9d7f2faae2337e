"""Reading a file that somebody else wrote: a regular file or nothing, and no more of it than was allowed for.

A tree may hold anything under any name: a pipe that nobody writes to, a terminal, a link to `/dev/zero`, a file that grows while
it is read, or one of the kernel's that claims to be empty. So the system is told not to wait and not to follow a link, and what
was opened is asked what it is; its own word for its size is not taken. Of a local file that bounds the time as well. A file on
a network, or one of a user's own file system, can keep a reader waiting for as long as its server likes: no flag changes that.
"""

import errno
import os
import stat
from typing import Final

_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)

_FLAGS: Final = (
    os.O_RDONLY
    | _NOFOLLOW
    | getattr(os, "O_NONBLOCK", 0)  # nor wait for the other end of a pipe, or for a lease that somebody holds
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

LINK_ERRORS: Final = frozenset({errno.ELOOP, errno.EMLINK})
"""What systems say of a link that is not to be followed."""

_CHUNK_BYTES: Final = 1_000_000


class NotRegularError(OSError):
    """A link, a folder, a pipe, a device: `strerror` says which."""


class LargeFileError(OSError):
    """A file that is larger than its reader allows: `strerror` says how much that is."""


def open_regular(path: str | os.PathLike[str], *, dir_fd: int | None = None, follow: bool = False) -> int:
    """A descriptor of a regular file, for whoever reads it piece by piece; the caller closes it.

    dir_fd: of the folder that `path` is relative to. follow: the last part of the path may be a link, as for a path that the user
    has typed. Raises OSError, whose `strerror` says in a few words what is wrong: NotRegularError for what is no such file.
    """
    return _open(path, dir_fd, follow)[0]


def read_regular(path: str | os.PathLike[str], most_bytes: int, *, dir_fd: int | None = None, follow: bool = False) -> bytes:
    """The bytes of a regular file. As of `open_regular`; LargeFileError where there are more than `most_bytes`."""
    number, status = _open(path, dir_fd, follow)
    try:
        return read_open(number, most_bytes, status.st_size)
    finally:
        os.close(number)


def read_open(number: int, most_bytes: int, size: int) -> bytes:
    """The bytes of an open file from where it stands. size: as the system has it. Raises OSError as `read_regular` does."""
    if size <= most_bytes:
        # One byte more than there should be tells in one call that this is all.
        data = os.read(number, size + 1)
        if len(data) != size and data:
            data += read_up_to(number, most_bytes + 1 - len(data))
        if len(data) <= most_bytes:
            return data
    raise LargeFileError(errno.EFBIG, f"larger than {most_bytes:,} bytes")


def read_up_to(number: int, n_bytes: int) -> bytes:
    """The next bytes of an open file, no more than these."""
    parts = []
    while n_bytes > 0 and (data := os.read(number, min(_CHUNK_BYTES, n_bytes))):
        parts.append(data)
        n_bytes -= len(data)
    return b"".join(parts)


def _open(path: str | os.PathLike[str], dir_fd: int | None, follow: bool) -> tuple[int, os.stat_result]:
    if not follow and not _NOFOLLOW and stat.S_ISLNK(os.lstat(path).st_mode):
        raise NotRegularError(errno.ELOOP, "a symbolic link")
    try:
        number = os.open(path, _FLAGS & ~_NOFOLLOW if follow else _FLAGS, dir_fd=dir_fd)
    except ValueError:  # a NUL character
        raise NotRegularError(errno.EINVAL, "not a path") from None
    except OSError as error:
        if error.errno in LINK_ERRORS and not follow:
            raise NotRegularError(error.errno, "a symbolic link") from None
        if error.errno == errno.ENXIO:  # a socket, or a device that is not there
            raise NotRegularError(error.errno, "not a regular file") from None
        raise
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError(errno.EINVAL, "not a regular file")
    except OSError:
        os.close(number)
        raise
    return number, status
