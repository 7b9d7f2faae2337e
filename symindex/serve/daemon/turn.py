"""Decides whether a process may serve a source tree: one at a time may, and only if it can listen.

The right to serve is a lock on a file in the index folder. A process takes it before it loads or
reads anything, so if many are started at once, all but one end at once. The system releases the
lock when the process ends, however it ends.
"""

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symindex.errors import RequestError
from symindex.serve.unix_peer import Address
from symindex.serve.unix_socket import check_folder, check_path

if TYPE_CHECKING:
    from symindex.workspace.workspace import PrivateFolder

LOCK_NAME: Final = "daemon.lock"
"""Name of the locked file, in the index folder."""

WAIT_SECONDS: Final = 1.0
"""How long to wait for the lock: a command that checks it (`is_taken`) takes it for a moment."""

_KEPT: Final[list[object]] = []
"""The lock of this process. Without a reference to it, it would be released."""


def take(folder: "PrivateFolder") -> bool:
    """Takes the right to serve, until this process ends. Returns whether no other process has it.
    Raises StorageError, and RequestError if the system refuses."""
    from filelock import FileLock, Timeout  # deferred, because servers do not need it

    lock = FileLock(folder / LOCK_NAME, mode=0o600)
    try:
        folder.make()
        lock.acquire(timeout=WAIT_SECONDS)
    except Timeout:
        return False
    except OSError as error:
        raise RequestError(
            f"{folder.path}: cannot listen in this folder: {error.strerror or error}; "
            "choose another"
        ) from None
    _KEPT.append(lock)
    return True


def is_taken(folder: str) -> bool:
    """Whether a process has the right to serve; it may not listen yet. Raises OSError."""
    from filelock import FileLock, Timeout  # deferred as well

    if not os.path.lexists(os.path.join(folder, LOCK_NAME)):
        return False
    lock = FileLock(os.path.join(folder, LOCK_NAME), mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def check_can_listen(folder: str, name: str) -> None:
    """Raises RequestError if no process can listen on a socket with this name: if the folder is
    missing, not writable or another user's, the path too long, or the file system without sockets.
    Tests it with another name of the same length."""
    if not hasattr(socket, "AF_UNIX") or sys.platform == "win32":
        raise RequestError("daemon: this system has no Unix sockets")
    real = os.path.realpath(folder)
    tried = os.path.join(real, f"{os.urandom(3).hex()}-try".rjust(len(name), "_")[-len(name) :])
    try:
        check_folder(Path(real), folder, "daemon")
        check_path(Path(real, name), folder, "daemon")
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening,
            Address(tried) as address,
        ):
            try:
                listening.bind(address)
            finally:
                if os.path.lexists(tried):
                    os.unlink(tried)
    except OSError as error:
        raise RequestError(
            f"daemon: cannot listen in {folder[:200]}: {error.strerror or error}"
        ) from None
