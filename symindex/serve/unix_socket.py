"""A Unix domain socket: a server that only our own user can reach; the system ensures that."""

import contextlib
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.serve.unix_peer import Address

_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


@contextlib.contextmanager
def socket_file(text: str, named: str = "--socket") -> Iterator[socket.socket]:
    """A socket that listens at a path, for our own user alone from the first moment on; at the end
    the path is free again.

    A socket that an ended server has left is replaced. Raises RequestError if anything else is
    there, and for a folder in which others could replace it.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise RequestError(f"{named}: there are no such sockets on this system: use --tcp")
    parent, name = os.path.split(os.path.abspath(text))
    folder = Path(os.path.realpath(parent))
    path = folder / name
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        try:
            check_folder(folder, text, named)
            left = check_path(path, text, named)
            with contextlib.suppress(FileNotFoundError):
                if left is not None and os.path.samestat(os.lstat(path), left):
                    os.unlink(path)
            before = os.umask(0o177)
            try:
                with Address(str(path)) as address:
                    listening.bind(address)
                listening.listen(64)
            finally:
                os.umask(before)
        except OSError as error:
            raise RequestError(
                f"{named} {text[:200]}: cannot listen there: {error.strerror or error}"
            ) from None
        own = os.lstat(path)
        try:
            yield listening
        finally:
            listening.close()
            with contextlib.suppress(OSError):
                if os.path.samestat(os.lstat(path), own):
                    os.unlink(path)


def check_folder(folder: Path, text: str, named: str) -> None:
    """Raises RequestError if others could replace something in a folder, or the folder itself."""
    for each in (folder, *folder.parents):
        status = os.stat(each)
        is_sticky = bool(status.st_mode & stat.S_ISVTX)
        if (
            each == folder
            and status.st_uid != os.geteuid()
            and not (is_sticky and status.st_uid == 0)
        ):
            raise RequestError(
                f"{named} {text[:200]}: the folder {folder} is not yours: name one that is"
            )
        if each != folder and status.st_uid not in (0, os.geteuid()):
            raise RequestError(
                f"{named} {text[:200]}: the folder {each} is another user's: name one that is yours"
                " alone"
            )
        if status.st_mode & _OTHERS and not is_sticky:
            raise RequestError(
                f"{named} {text[:200]}: others may write to the folder {each}: name one that is"
                " yours alone"
            )


def check_path(path: Path, text: str, named: str) -> os.stat_result | None:
    """Raises RequestError where a server listens at a path, or something else is there than a
    socket of ours. Returns the status of a socket that an ended server has left, `None` where
    nothing is there."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
        raise RequestError(
            f"{named} {text[:200]}: there is something else: name a path that is free"
        )
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(1.0)
            with Address(str(path)) as address:
                asking.connect(address)
    except ConnectionRefusedError:
        return status
    except OSError:
        pass  # the queue is full: a server listens
    raise RequestError(f"{named} {text[:200]}: another server listens there")
