"""The other end of a Unix socket: its address, for a path of any length, and whether it is our own
user.

Imports little, because the client of a daemon uses it.
"""

import os
import socket
import struct
import sys

_MOST_BYTES = 100
"""Longest path in an address, in bytes: systems have room for 104 to 108."""


class Address:
    """The path of a socket. If it is too long, and the system supports it, the path is shortened by
    the number of its open folder. Must be closed."""

    def __init__(self, path: str) -> None:
        self.path: str = path
        self._folder = -1
        if len(os.fsencode(path)) > _MOST_BYTES and sys.platform.startswith("linux"):
            folder, name = os.path.split(path)
            self._folder = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self.path = f"/proc/self/fd/{self._folder}/{name}"

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        if self._folder >= 0:
            os.close(self._folder)


def is_own_user(connection: socket.socket) -> bool:
    """Whether the other side runs as our user. `True` on systems that do not tell, where only the
    file's mode protects the socket."""
    if sys.platform == "linux":
        _, user, _ = struct.unpack(
            "=iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
    elif sys.platform == "darwin":
        _, user = struct.unpack_from(
            "=II", connection.getsockopt(0, 1, 76)
        )  # SOL_LOCAL, LOCAL_PEERCRED, struct xucred
    else:
        return True
    return bool(user == os.geteuid())
