"""Writes an export: to a file, which is replaced when the export is complete, or directly to a pipe
or device.

A source tree may contain a link with the name of the output (`tags`) that leads to any file of the
user. So nothing is written through a link with that name, nor through one inside the source tree on
the way to it, unless the user allows it. Placing a link there after the check does not help:
folders are opened one by one without following links, and files relative to their folder's handle.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from symindex.errors import RequestError, StorageError
from symindex.files.locations import current_folder

_MOST_LINKS: Final = 40
"""Most links on the way to a file, as in Linux."""

_HAS_HANDLES: Final = os.open in os.supports_dir_fd
"""Whether the system can open files relative to a folder's handle."""


def _flags(*names: str) -> int:
    """Combines those of the named flags that the system has."""
    return sum(getattr(os, name, 0) for name in names)


_SAFE: Final = _flags("O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
_FOLDER: Final = _flags("O_DIRECTORY", "O_PATH", "O_CLOEXEC")
_NO_LINK: Final = _flags("O_NOFOLLOW")

_OWN: Final = re.compile(r"(?:/dev/fd|/proc/self/fd)/(\d{1,9})")
_OWN_NAMES: Final = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}


class OutputFile(NamedTuple):
    """A file to write.

    named: its name as the user typed it. path: its path without links. top: the folder below which
    no link is followed.
    """

    named: str
    path: Path
    top: Path


def own_stream(name: str) -> int | None:
    """Returns the number of the stream of this process that a name means, or `None`. The user who
    opened the stream has chosen where it leads."""
    match = _OWN.fullmatch(name)
    return int(match[1]) if match else _OWN_NAMES.get(name)


def find_output(name: str, root: Path, follow_links: bool) -> OutputFile:
    """Finds the file with this name.

    root: the root of the exported source tree. Raises RequestError if the path cannot be a file, or
    leads through a link that may not be followed.
    """
    if not name or "\0" in name:
        raise RequestError(
            f"output {name!r} is not a path: name a file to write, or - for standard output"
        )
    if os.path.isdir(name):
        raise _is_folder(name)
    if follow_links:
        path = Path(os.path.realpath(name))
        return OutputFile(name, path, path.parent)
    folder, rest, n_links = current_folder(), [*reversed(Path(name).parts)], 0
    while rest:
        part = rest.pop()
        step = folder.parent if part == ".." else folder / part
        if not step.is_symlink():
            folder = step
            continue
        if not rest:
            raise _is_link(name)
        if _folder_inside(folder, root) is not None:
            raise RequestError(
                f"{name}: {step} is a symbolic link inside the source tree, and is "
                "not followed; name a file elsewhere, or use --follow-links"
            )
        n_links += 1
        if n_links > _MOST_LINKS:
            raise RequestError(
                f"{name}: too many symbolic links; name a file in a folder that exists"
            )
        rest += reversed(Path(os.readlink(step)).parts)
    return OutputFile(name, folder, _folder_inside(folder.parent, root) or folder.parent)


def _is_link(name: str) -> RequestError:
    return RequestError(
        f"{name}: this is a symbolic link, and is not followed; name its target, or "
        "use --follow-links"
    )


def _is_folder(name: str) -> RequestError:
    return RequestError(f"{name}: this is a folder; name a file to write")


def _folder_inside(path: Path, root: Path) -> Path | None:
    """Returns the part of a path that is the root, or `None` if the path is outside of it."""
    with suppress(OSError):  # a missing folder fails later, with a message
        for folder in (path, *path.parents):
            if os.path.samefile(folder, root):
                return folder
    return None


@contextmanager
def writing(place: OutputFile) -> Iterator[IO[bytes]]:
    """Yields a stream to a new file, which replaces the old one at the end unless something fails.
    A pipe or device is written directly. Raises StorageError."""
    try:
        folder = _open_folder(place)
    except OSError as error:
        raise _cannot_be_made(place, error) from None
    try:
        name = place.path.name if folder is not None else str(place.path)
        status = None
        with suppress(FileNotFoundError):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise _is_link(place.named)
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise _is_folder(place.named)
        if status is not None and not stat.S_ISREG(status.st_mode):
            with open(_open_special(place, name, folder, status), "wb") as stream:
                yield stream
        else:
            with _replacing(place, name, folder, _mode(status)) as stream:
                yield stream
    finally:
        if folder is not None:
            os.close(folder)


def _open_folder(place: OutputFile) -> int | None:
    """Opens the file's folder without following links below `top`, and returns its handle. Returns
    `None` on systems without such handles."""
    if not _HAS_HANDLES:
        return None
    handle = os.open(place.top, _FOLDER)
    try:
        for part in place.path.parent.relative_to(place.top).parts:
            inner = os.open(part, _FOLDER | _NO_LINK, dir_fd=handle)
            os.close(handle)
            handle = inner
    except OSError:
        os.close(handle)
        raise
    return handle


def _open_special(place: OutputFile, name: str, folder: int | None, status: os.stat_result) -> int:
    """Opens an existing pipe or device. Raises StorageError if it is not the one that was
    checked."""
    number = os.open(name, os.O_WRONLY | _SAFE, dir_fd=folder)
    if os.path.samestat(os.fstat(number), status):
        return number
    os.close(number)
    raise StorageError(
        f"{place.named}: the file was replaced while it was opened; check it, and try again"
    )


@contextmanager
def _replacing(place: OutputFile, name: str, folder: int | None, mode: int) -> Iterator[IO[bytes]]:
    temporary = os.path.join(os.path.dirname(name), f".symindex.{os.urandom(8).hex()}.tmp")
    try:
        number = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600, dir_fd=folder
        )
    except OSError as error:
        raise _cannot_be_made(place, error) from None
    try:
        try:
            with open(number, "wb", closefd=False) as stream:
                yield stream
                stream.flush()
                if hasattr(os, "fchmod"):
                    os.fchmod(number, mode)
                os.fsync(number)
        finally:
            os.close(number)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        raise StorageError(f"{place.named}: {error.strerror}; the old file is unchanged") from None
    finally:
        with suppress(OSError):  # it has its new name, or an error has been reported
            os.unlink(temporary, dir_fd=folder)


def _cannot_be_made(place: OutputFile, error: OSError) -> StorageError:
    return StorageError(f"{place.named}: {error.strerror}; name a file in a writable folder")


def _mode(status: os.stat_result | None) -> int:
    """Returns the permissions of a new file: those of the old file, limited to what new files get,
    because the source tree may have set them."""
    mask = os.umask(0)
    os.umask(mask)
    return (status.st_mode & 0o777 if status is not None else 0o666) & ~mask
