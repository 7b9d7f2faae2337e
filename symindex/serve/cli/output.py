"""Where an export is written: to a file, which is replaced once all of it is written, or directly
to a pipe or device.

A tree may hold a link under the name of the output (`tags`), which may lead to any file of the
user. So nothing is written through a link with the name of the output, nor through one inside the
tree on the way there, unless the user allows it. Putting a link there after the check does not
help: folders are opened step by step, without following links, and files by their handles.
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
"""On the way to a file; the limit of Linux."""

_HAS_HANDLES: Final = os.open in os.supports_dir_fd
"""Whether the system opens files relative to the handle of a folder."""


def _flags(*names: str) -> int:
    """The flags of these names that the system has."""
    return sum(getattr(os, name, 0) for name in names)


_SAFE: Final = _flags("O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
_FOLDER: Final = _flags("O_DIRECTORY", "O_PATH", "O_CLOEXEC")
_NO_LINK: Final = _flags("O_NOFOLLOW")

_OWN: Final = re.compile(r"(?:/dev/fd|/proc/self/fd)/(\d{1,9})")
_OWN_NAMES: Final = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}


class Place(NamedTuple):
    """A file to write. named: as the user named it. path: without links. top: the folder below
    which no link is followed."""

    named: str
    path: Path
    top: Path


def own_stream(named: str) -> int | None:
    """The number of the stream of this process that a name stands for. The user who opened it has
    chosen where it leads."""
    own = _OWN.fullmatch(named)
    return int(own[1]) if own else _OWN_NAMES.get(named)


def find_place(named: str, root: Path, follow_links: bool) -> Place:
    """The file of that name. Raises RequestError if it cannot be a file, or is behind a link that
    may not be followed.

    root: of the exported tree.
    """
    if not named or "\0" in named:
        raise RequestError(
            f"output {named!r} is not a path: name the file to write, or - for standard output"
        )
    if os.path.isdir(named):
        raise _is_folder(named)
    if follow_links:
        path = Path(os.path.realpath(named))
        return Place(named, path, path.parent)
    here, rest, n_links = current_folder(), [*reversed(Path(named).parts)], 0
    while rest:
        part = rest.pop()
        step = here.parent if part == ".." else here / part
        if not step.is_symlink():
            here = step
            continue
        if not rest:
            raise _is_link(named)
        if _folder_inside(here, root) is not None:
            raise RequestError(
                f"{named}: {step} is a symbolic link inside the tree, which is not written through;"
                " name a file elsewhere, or say --follow-links"
            )
        n_links += 1
        if n_links > _MOST_LINKS:
            raise RequestError(
                f"{named}: too many symbolic links; name a file in a folder that exists"
            )
        rest += reversed(Path(os.readlink(step)).parts)
    return Place(named, here, _folder_inside(here.parent, root) or here.parent)


def _is_link(named: str) -> RequestError:
    return RequestError(
        f"{named}: a symbolic link, which is not written through; name the file that it leads to,"
        " or say --follow-links"
    )


def _is_folder(named: str) -> RequestError:
    return RequestError(f"{named}: a folder, not a file; name the file to write")


def _folder_inside(path: Path, root: Path) -> Path | None:
    """The part of a path that is the root; `None` if the path is not in it."""
    with suppress(OSError):  # opening a folder that does not exist fails later, with a message
        for folder in (path, *path.parents):
            if os.path.samefile(folder, root):
                return folder
    return None


@contextmanager
def writing(place: Place) -> Iterator[IO[bytes]]:
    """A stream to a new file, which replaces the old one at the end if nothing fails; to a pipe or
    device directly.

    Raises StorageError.
    """
    try:
        folder = _open_folder(place)
    except OSError as error:
        raise _cannot_be_made(place, error) from None
    try:
        name = place.path.name if folder is not None else str(place.path)
        seen = None
        with suppress(FileNotFoundError):
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if seen is not None and stat.S_ISLNK(seen.st_mode):
            raise _is_link(place.named)
        if seen is not None and stat.S_ISDIR(seen.st_mode):
            raise _is_folder(place.named)
        if seen is not None and not stat.S_ISREG(seen.st_mode):
            with open(_open_special(place, name, folder, seen), "wb") as stream:
                yield stream
        else:
            with _replacing(place, name, folder, _mode(seen)) as stream:
                yield stream
    finally:
        if folder is not None:
            os.close(folder)


def _open_folder(place: Place) -> int | None:
    """The handle of the file's folder, found without following links below the top; `None` on
    systems without such handles."""
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


def _open_special(place: Place, name: str, folder: int | None, seen: os.stat_result) -> int:
    """Opens a pipe or device, never makes one. Raises StorageError if it is not the one that was
    checked."""
    number = os.open(name, os.O_WRONLY | _SAFE, dir_fd=folder)
    if os.path.samestat(os.fstat(number), seen):
        return number
    os.close(number)
    raise StorageError(
        f"{place.named}: was replaced while it was opened; look what is there, and run it again"
    )


@contextmanager
def _replacing(place: Place, name: str, folder: int | None, mode: int) -> Iterator[IO[bytes]]:
    made = os.path.join(os.path.dirname(name), f".symindex.{os.urandom(8).hex()}.tmp")
    try:
        number = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600, dir_fd=folder)
    except OSError as error:
        raise _cannot_be_made(place, error) from None
    try:
        with open(number, "wb") as stream:
            yield stream
            stream.flush()
            if hasattr(os, "fchmod"):
                os.fchmod(number, mode)
            os.fsync(number)
        os.replace(made, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        raise StorageError(
            f"{place.named}: {error.strerror}; what was there before is still there"
        ) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made, dir_fd=folder)


def _cannot_be_made(place: Place, error: OSError) -> StorageError:
    return StorageError(
        f"{place.named}: {error.strerror}; name a file in a folder that can be written to"
    )


def _mode(seen: os.stat_result | None) -> int:
    """The permissions of a new file: those of the old one, as far as new files have them, since the
    tree may have set them."""
    mask = os.umask(0)
    os.umask(mask)
    return (seen.st_mode & 0o777 if seen is not None else 0o666) & ~mask
