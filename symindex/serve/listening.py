"""What listening servers share: sockets, tokens, and the limit of connections.

A connection may come from another user of this machine or from a web page in a browser. So there is
a token, and connections that have not requested anything make room for new ones.
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
from symindex.text.counts import count_of

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")

LEAST_LETTERS: Final = 16
"""Shortest token, in characters: a shorter one can be guessed."""

HEADER_SECONDS: Final = 10.0
"""How long a client may take for its first request."""

ACCEPT_SECONDS: Final = 1.0
"""How long to accept no connections after the system ran out of resources for one."""


def take_token(variable: str) -> str:
    """Returns the token in an environment variable, or an empty string. Removes all tokens from the
    environment.

    Raises RequestError for a token that is too short or not UTF-8.
    """
    token = os.environ.get(variable, "")
    drop_tokens()
    try:
        token.encode()
    except UnicodeEncodeError:
        raise RequestError(
            f"{variable} is not valid UTF-8: use at least {LEAST_LETTERS} letters and digits"
        ) from None
    if token and len(token) < LEAST_LETTERS:
        raise RequestError(
            f"{variable} has {count_of(len(token), 'character')}: at least {LEAST_LETTERS} are"
            " needed"
        )
    hide(token)
    return token


def check_reach(option: str, host: str, token: str, variable: str, sent_as: str) -> None:
    """Raises RequestError if other machines can reach an address and there is no token.

    sent_as: how clients send the token.
    """
    if host not in LOOPBACK and not token:
        raise RequestError(
            f"{option} {host}: other machines can reach this address: set a token in "
            f"{variable}; clients send it as {sent_as}"
        )


def make_token() -> str:
    token = secrets.token_urlsafe(24)
    hide(token)
    return token


def is_same(secret: bytes, expected: bytes) -> bool:
    """Whether two secrets are equal. Takes a time that depends on neither, not even on their
    lengths."""
    return hmac.compare_digest(hashlib.sha256(secret).digest(), hashlib.sha256(expected).digest())


def listen(option: str, host: str, port: int) -> socket.socket:
    """Returns a socket that listens at an address. Raises RequestError, which names the option, if
    that is not possible."""
    try:
        addresses = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = addresses[0]
        bound = socket.socket(family, kind, protocol)
        try:
            if os.name != "nt":  # where it would let others listen at the same address
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(QUEUE)  # connections wait until the server runs
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise RequestError(
            f"{option} {host}:{port}: cannot listen there: {error.strerror or error}"
        ) from None
    return bound


QUEUE: Final = 128
"""Most connections that wait to be accepted."""


def find_dead_peers(connection: socket.socket) -> None:
    """Makes the system end a connection whose other side has disappeared."""
    if connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def most_connections(limit: int) -> int:
    """Returns the limit of connections: at most a quarter of the files that this process may
    open."""
    try:
        import resource
    except ImportError:  # Windows, which has no limit of open files
        return limit
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit if files == resource.RLIM_INFINITY else max(1, min(limit, files // 4))


class Connections:
    """The connections of a server. At the limit, the oldest idle connection is dropped for a new
    one, so that silent clients cannot keep others out."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._idle: dict[Hashable, Callable[[], object]] = {}
        self._busy: dict[Hashable, Callable[[], object]] = {}

    def enter(self, connection: Hashable, drop: Callable[[], object]) -> bool:
        """Adds a connection, idle at first. Returns whether there is room.

        drop: ends the connection.
        """
        if len(self._idle) + len(self._busy) >= self.most:
            if not self._idle:
                return False
            oldest = next(iter(self._idle))
            self._idle.pop(oldest)()
        self._idle[connection] = drop
        return True

    def begin(self, connection: Hashable) -> None:
        """Called when a request of the connection is being answered."""
        if connection in self._idle:
            self._busy[connection] = self._idle.pop(connection)

    def end(self, connection: Hashable) -> None:
        """Called when the connection is idle again."""
        if connection in self._busy:
            self._idle[connection] = self._busy.pop(connection)

    def leave(self, connection: Hashable) -> None:
        """Called when the connection has ended."""
        self._idle.pop(connection, None)
        self._busy.pop(connection, None)
