"""What servers that listen have in common: where they do, who is let in, and how many.

Whoever can open a connection is nobody yet: another user of this machine, a page in a browser. So there is a token, and those who
have not asked anything make room for those who come.
"""

import hashlib
import hmac
import os
import secrets
import socket
from collections.abc import Callable, Hashable
from typing import Final

from symindex.errors import RequestError
from symindex.serve.log import hide
from symindex.serve.streams import drop_tokens

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")

LEAST_LETTERS: Final = 16
"""Of a token; a shorter one can be guessed."""

HEADER_SECONDS: Final = 10.0
"""How long a client may take to say what it wants, and who it is."""

ACCEPT_SECONDS: Final = 1.0
"""How long nobody is let in where the system has no room."""


def take_token(variable: str) -> str:
    """The token in an environment variable, empty if there is none. It is taken out, and those for other doors with it.

    Raises RequestError for one that can be guessed, and for what is no text.
    """
    token = os.environ.get(variable, "")
    drop_tokens()
    try:
        token.encode()
    except UnicodeEncodeError:
        raise RequestError(f"{variable} is not UTF-8: make it of letters and digits, at least {LEAST_LETTERS}") from None
    if token and len(token) < LEAST_LETTERS:
        raise RequestError(f"{variable} has {len(token)} characters: at least {LEAST_LETTERS} are needed")
    hide(token)
    return token


def make_token() -> str:
    """A token that nobody guesses."""
    token = secrets.token_urlsafe(24)
    hide(token)
    return token


def is_same(given: bytes, wanted: bytes) -> bool:
    """Whether two secrets are the same, in a time that tells nothing of either, not even its length."""
    return hmac.compare_digest(hashlib.sha256(given).digest(), hashlib.sha256(wanted).digest())


def listen(option: str, host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises RequestError, which names the option, where it cannot be had."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
        try:
            if os.name != "nt":  # where it would let others listen at the same address
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(QUEUE)  # who comes before the server runs waits for it
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise RequestError(f"{option} {host}:{port}: cannot listen there: {error.strerror or error}") from None
    return bound


QUEUE: Final = 128
"""So many may wait to be let in."""


def find_dead_peers(connection: socket.socket) -> None:
    """Has the system look now and then whether the other side is still there, and end the connection where it is not."""
    if connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def most_connections(wanted: int) -> int:
    """How many connections there may be: never more than a quarter of the files that this process may open."""
    try:
        import resource
    except ImportError:  # Windows, which counts no such files
        return wanted
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files == resource.RLIM_INFINITY else max(1, min(wanted, files // 4))


class Connections:
    """Those that a server has. Who is idle, and has perhaps never asked anything, makes room for who comes, the oldest first:
    so whoever opens many and says nothing keeps nobody out.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._idle: dict[Hashable, Callable[[], object]] = {}
        self._busy: dict[Hashable, Callable[[], object]] = {}

    def enter(self, connection: Hashable, drop: Callable[[], object]) -> bool:
        """One more, idle at first, if there is room, or can be made. drop: ends it."""
        if len(self._idle) + len(self._busy) >= self.most:
            if not self._idle:
                return False
            oldest = next(iter(self._idle))
            self._idle.pop(oldest)()
        self._idle[connection] = drop
        return True

    def begin(self, connection: Hashable) -> None:
        """It is not idle any more."""
        if connection in self._idle:
            self._busy[connection] = self._idle.pop(connection)

    def end(self, connection: Hashable) -> None:
        """It is idle again."""
        if connection in self._busy:
            self._idle[connection] = self._busy.pop(connection)

    def leave(self, connection: Hashable) -> None:
        """It is there no more."""
        self._idle.pop(connection, None)
        self._busy.pop(connection, None)
