"""A Unix domain socket: a server that only its own user can reach, for the system looks to that."""

import contextlib
import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from symindex.errors import RequestError

_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


@contextlib.contextmanager
def socket_file(text: str) -> Iterator[socket.socket]:
    """A socket that listens at a path, for our own user alone from the first moment on; at the end the path is free again.

    What a server that has ended has left there is replaced. Raises RequestError for whatever else is there, and for a folder in
    which others could put something in its place.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise RequestError("--socket: there are no such sockets on this system: use --tcp")
    parent, name = os.path.split(os.path.abspath(text))
    folder = Path(os.path.realpath(parent))
    path = folder / name
    _check_folder(folder, text)
    _remove_left(path, text)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
        listening.listen(64)
    except OSError as error:
        listening.close()
        raise RequestError(f"--socket {text[:200]}: cannot listen there: {error.strerror or error}") from None
    finally:
        os.umask(before)
    own = os.lstat(path)
    try:
        yield listening
    finally:
        listening.close()
        with contextlib.suppress(OSError):
            if os.path.samestat(os.lstat(path), own):
                os.unlink(path)


def _check_folder(folder: Path, text: str) -> None:
    """Raises RequestError where others could replace what is in a folder, or the folder itself."""
    for each in (folder, *folder.parents):
        try:
            status = os.stat(each)
        except OSError as error:
            raise RequestError(f"--socket {text[:200]}: cannot listen there: {error.strerror}") from None
        is_sticky = bool(status.st_mode & stat.S_ISVTX)
        if each == folder and status.st_uid != os.geteuid() and not (is_sticky and status.st_uid == 0):
            raise RequestError(f"--socket {text[:200]}: the folder {folder} is not yours: name one that is")
        if each != folder and status.st_uid not in (0, os.geteuid()):
            raise RequestError(f"--socket {text[:200]}: the folder {each} is another user's: name one that is yours alone")
        if status.st_mode & _OTHERS and not is_sticky:
            raise RequestError(f"--socket {text[:200]}: others may write to the folder {each}: name one that is yours alone")


def _remove_left(path: Path, text: str) -> None:
    """Removes a socket of ours that nobody listens at. Raises RequestError for all else that is there."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise RequestError(f"--socket {text[:200]}: cannot listen there: {error.strerror}") from None
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
        raise RequestError(f"--socket {text[:200]}: there is something else: name a path that is free")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(1.0)
            asking.connect(str(path))
    except ConnectionRefusedError:
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.lstat(path), status):
                os.unlink(path)
        return
    except OSError:
        pass  # too many wait to be let in: somebody listens
    raise RequestError(f"--socket {text[:200]}: another server listens there")


def is_own_user(connection: socket.socket) -> bool:
    """Whether the other side runs as our user, where the system tells; else the mode of the file has to do."""
    if sys.platform == "linux":
        _, user, _ = struct.unpack("=iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    elif sys.platform == "darwin":
        _, user = struct.unpack_from("=II", connection.getsockopt(0, 1, 76))  # SOL_LOCAL, LOCAL_PEERCRED, struct xucred
    else:
        return True
    return bool(user == os.geteuid())
