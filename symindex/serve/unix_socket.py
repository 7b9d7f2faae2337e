"""A Unix domain socket that only our own user can reach; the system ensures that."""

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
    """Yields a socket that listens at a path, for our own user only from the first moment. Removes
    the path at the end.

    A socket that a dead server has left is replaced. Raises RequestError if anything else is there,
    and for a folder in which others could replace the socket.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise RequestError(f"{named}: this system has no Unix sockets: use --tcp")
    parent, name = os.path.split(os.path.abspath(text))
    folder = Path(os.path.realpath(parent))
    path = folder / name
    with _unbound(text, named) as listening:
        try:
            check_folder(folder, text, named)
            dead = check_path(path, text, named)
            with contextlib.suppress(FileNotFoundError):
                if dead is not None and os.path.samestat(os.lstat(path), dead):
                    os.unlink(path)
            mask = os.umask(0o177)
            try:
                with Address(str(path)) as address:
                    listening.bind(address)
                try:
                    listening.listen(64)
                except OSError:
                    os.unlink(path)
                    raise
            finally:
                os.umask(mask)
        except OSError as error:
            raise RequestError(
                f"{named} {text[:200]}: cannot listen there: {error.strerror or error}"
            ) from None
        status = os.lstat(path)
        try:
            yield listening
        finally:
            listening.close()
            with contextlib.suppress(OSError):
                if os.path.samestat(os.lstat(path), status):
                    os.unlink(path)


def _unbound(text: str, named: str) -> socket.socket:
    try:
        return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as error:
        raise RequestError(
            f"{named} {text[:200]}: cannot listen there: {error.strerror or error}"
        ) from None


def check_folder(folder: Path, text: str, named: str) -> None:
    """Raises RequestError if others could replace the folder or a file in it."""
    for ancestor in (folder, *folder.parents):
        status = os.stat(ancestor)
        is_sticky = bool(status.st_mode & stat.S_ISVTX)
        if (
            ancestor == folder
            and status.st_uid != os.geteuid()
            and not (is_sticky and status.st_uid == 0)
        ):
            raise RequestError(
                f"{named} {text[:200]}: you do not own the folder {folder}: choose one that you own"
            )
        if ancestor != folder and status.st_uid not in (0, os.geteuid()):
            raise RequestError(
                f"{named} {text[:200]}: the folder {ancestor} belongs to another user: "
                "choose one that only you can write to"
            )
        if status.st_mode & _OTHERS and not is_sticky:
            raise RequestError(
                f"{named} {text[:200]}: others can write to the folder {ancestor}: choose "
                "one that only you can write to"
            )


def check_path(path: Path, text: str, named: str) -> os.stat_result | None:
    """Checks what is at a path. Returns the status of a socket that a dead server has left, or
    `None` if nothing is there. Raises RequestError if a server listens there, or for anything but a
    socket of ours."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
        raise RequestError(
            f"{named} {text[:200]}: something else exists at this path: choose another"
        )
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(1.0)
            with Address(str(path)) as address:
                asking.connect(address)
    except ConnectionRefusedError:
        return status
    except OSError:
        pass  # the queue is full, so a server listens
    raise RequestError(f"{named} {text[:200]}: another server already listens there")
