"""The conversation with a daemon: one request, one reply, within the client's time limit."""

import os
import socket
import sys
import time

from symindex import __version__
from symindex.serve.daemon import wire
from symindex.serve.unix_peer import Address, is_own_user
from symindex.text.arguments import option_value
from symindex.workers.isolation import PACKAGE_PARENT


def identity_now() -> str:
    """Returns the values that client and daemon must share to give equal answers: symindex's
    version and folder, Python's, and the modification times of the folders that installing a
    package changes."""
    libraries = [
        folder
        for folder in sys.path
        if folder.startswith(sys.prefix) and folder.endswith("-packages")
    ]
    changed = []
    for folder in (os.path.join(PACKAGE_PARENT, "symindex"), *sorted({*libraries})):
        try:
            changed.append(str(os.stat(folder).st_mtime_ns))
        except OSError:  # it is being replaced
            changed.append("none")
    return " ".join((__version__, PACKAGE_PARENT, sys.version, *changed))


IDENTITY = identity_now()
"""The installation that this process was loaded from."""

HEAD_SECONDS = 0.08
"""How long to wait for the beginning of an answer: without one, a command takes at most this much
longer."""

REST_SECONDS, BYTE_SECONDS = 0.02, 1e-8
"""How long the rest of an answer may take: a base, and more per byte."""

_CHUNK_BYTES = 1 << 18


def request(root: str, arguments: "list[str]") -> bytes:
    """Returns the request for a command about a root."""
    environment = dict(os.environ)
    fields = [
        IDENTITY,
        root,
        option_value(arguments, "--root") or "",
        option_value(arguments, "--index-dir") or "",
        sys.stdout.encoding,
        "terminal" if sys.stdout.isatty() else "",
        _terminal_size(),
        os.getcwd(),
    ]
    shown = {name: environment[name] for name in wire.SHOWN if name in environment}
    packed = [field.encode("utf-8", "surrogateescape") for field in fields]
    words = "\0".join(arguments).encode("utf-8", "surrogateescape")
    return wire.pack(
        [
            *packed,
            wire.pack_pairs(wire.affecting_variables(environment)),
            wire.pack_pairs(shown),
            words,
        ]
    )


def _terminal_size() -> str:
    """Returns the columns and lines of the first stream of this process that is a terminal, or an
    empty field."""
    for number in (0, 1, 2):
        try:
            columns, lines = os.get_terminal_size(number)
            return f"{columns} {lines}"
        except OSError:
            continue
    return ""


class Exchange:
    """A request to the daemon at a path, for one reply. Raises OSError.

    is_waiting: whether no byte of the reply has come yet.
    """

    def __init__(self, path: str, question: bytes) -> None:
        self.is_waiting: bool = False
        self._latest = time.monotonic() + HEAD_SECONDS
        self._connection = connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(HEAD_SECONDS)
            with Address(path) as address:
                connection.connect(address)
            self.is_waiting = is_own_user(connection)
            if self.is_waiting:
                connection.sendall(question)
        except BaseException:
            self.close()
            raise

    def reply(self) -> "list[bytes] | None":
        """Returns the fields of the reply, or `None` if there is none in time. May be called again
        while it is awaited, for a reply that has come in the meantime. Raises OSError and
        ValueError."""
        connection, latest = self._connection, self._latest
        data, length = bytearray(), 8
        while self.is_waiting or data:
            connection.settimeout(max(latest - time.monotonic(), 0.001))
            try:
                chunk = connection.recv(_CHUNK_BYTES)
            except TimeoutError:
                return None
            self.is_waiting = False
            if not chunk:  # the daemon has died
                return None
            if not data:
                latest = time.monotonic() + REST_SECONDS
            data += chunk
            if length == 8 and len(data) >= 8:
                length = 8 + int.from_bytes(data[:8], "big")
                if length > wire.MOST_REPLY_BYTES:
                    return None
                latest += length * BYTE_SECONDS
            if len(data) >= length > 8:
                return wire.unpack(bytes(data[8:]))
        return None

    def close(self) -> None:
        self.is_waiting = False
        self._connection.close()
