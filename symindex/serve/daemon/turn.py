"""Whether a process may begin to serve a tree: one at a time may, and only where it can listen.

The right to serve is a lock on a file in the folder of the index. A process takes it before it
loads or reads anything, so of many that are started at once all but one end at once. The system
takes it back when the process ends, in whatever way.
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
"""The name of the file that is locked, in the folder of the index."""

WAIT_SECONDS: Final = 1.0
"""How long the right to serve is waited for: a command that looks whether it is taken (`is_taken`)
has it for a moment."""

_KEPT: Final[list[object]] = []
"""The lock of this process. Without a reference to it, it would be given up."""


def take(folder: "PrivateFolder") -> bool:
    """Takes the right to serve, until this process ends; whether no other process has it. Raises
    StorageError, and RequestError where the system refuses."""
    from filelock import FileLock, Timeout  # here, because the servers do without it

    lock = FileLock(folder / LOCK_NAME, mode=0o600)
    try:
        folder.make()
        lock.acquire(timeout=WAIT_SECONDS)
    except Timeout:
        return False
    except OSError as error:
        raise RequestError(
            f"{folder.path}: nobody can listen there: {error.strerror or error}; name another"
            " folder"
        ) from None
    _KEPT.append(lock)
    return True


def is_taken(folder: str) -> bool:
    """Whether a process has the right to serve, which may not listen yet. Raises OSError."""
    from filelock import FileLock, Timeout  # here, as above

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
    """Raises RequestError if no process can listen at a socket of that name: the folder is missing,
    not writable or another user's, the path is too long, or the file system has no sockets. It
    tries another name of that length."""
    if not hasattr(socket, "AF_UNIX") or sys.platform == "win32":
        raise RequestError("daemon: this system has no sockets for it")
    real = os.path.realpath(folder)
    tried = os.path.join(real, f"{os.getpid():x}-try".rjust(len(name), "_")[-len(name) :])
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
