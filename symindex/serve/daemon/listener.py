"""Answers commands in a process that follows a source tree, on a socket in the index folder.

If several processes follow it, only one listens; when it ends, another takes its place. Each
connection is one request, answered in its own thread. An uncertain answer is declined at once, and
the command does its work itself.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from symindex.errors import SymindexError
from symindex.serve.daemon import wire
from symindex.serve.daemon.answering import CommandCall, Declined, answer
from symindex.serve.daemon.exchange import IDENTITY
from symindex.serve.streams import end_cleanly
from symindex.serve.unix_peer import Address, is_own_user
from symindex.serve.unix_socket import socket_file
from symindex.workspace.daemon_view import FollowedRoot

if TYPE_CHECKING:
    from symindex.workspace.indexed_root import IndexedRoot
    from symindex.workspace.workspace import PrivateFolder

MOST_CONNECTIONS: Final = 16
"""Most requests at the same time. With more, each answer would take longer than the command
itself."""

REQUEST_SECONDS: Final = 1.0
"""How long a client may take to send its request, or to read the answer."""

AGAIN_SECONDS: Final = 5.0
"""How often a process that does not listen checks whether it may."""


class Daemon:
    """Answers commands about one followed root, from `start` to `stop`.

    is_listening: whether this is the process that listens. refusal: why its last attempt to listen
    failed. n_answered: how many requests it has answered.
    """

    def __init__(self, followed: "IndexedRoot") -> None:
        self.is_listening: bool = False
        self.refusal: str = ""
        self.n_answered: int = 0
        self._last: float = time.monotonic()
        self._n_busy: int = 0
        self._folder = followed.place
        self._followed = FollowedRoot(followed)
        self._environment = dict(os.environ)
        self._free = threading.Semaphore(MOST_CONNECTIONS)
        self._stopped = threading.Event()
        self._bound: socket.socket | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="symindex-daemon", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def idle_seconds(self) -> float:
        """How long ago it last answered or was started; 0 while it is answering."""
        with self._lock:
            return 0.0 if self._n_busy else time.monotonic() - self._last

    @contextlib.contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._lock:
            self._n_busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._n_busy -= 1

    def stop(self) -> None:
        """Stops listening, and makes room for another process."""
        self._stopped.set()
        with self._lock:
            if self._bound is not None:
                with contextlib.suppress(OSError):
                    self._bound.shutdown(socket.SHUT_RDWR)
                connect_to(self._folder)  # on some systems, accept() would go on waiting
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._folder.make()
                with (
                    socket_file(str(self._folder / wire.SOCKET_NAME), "daemon") as bound,
                    self._holding(bound),
                ):
                    self._accept(bound)
            except (
                SymindexError,
                OSError,
            ) as error:  # another process listens, or none can: commands work without it
                self.refusal = str(error)
            self._stopped.wait(AGAIN_SECONDS)

    @contextlib.contextmanager
    def _holding(self, bound: socket.socket) -> Iterator[None]:
        with self._lock:
            self._bound = bound
        self.is_listening = True
        try:
            yield
        finally:
            self.is_listening = False
            with self._lock:
                self._bound = None

    def _accept(self, bound: socket.socket) -> None:
        while not self._stopped.is_set():
            connection, _ = bound.accept()
            if not self._free.acquire(blocking=False):
                connection.close()
                continue
            try:
                threading.Thread(
                    target=self._serve, args=(connection,), name="symindex-answer", daemon=True
                ).start()
            except RuntimeError:  # the system has no more threads
                self._free.release()
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError, ValueError):
                connection.settimeout(REQUEST_SECONDS)
                if is_own_user(connection):
                    self._reply(connection)
        finally:
            self._free.release()

    def _reply(self, connection: socket.socket) -> None:
        fields = _receive(connection)
        try:
            question = self._read(fields)
            with self._in_use():
                reply = [wire.ANSWERED, *answer(question, self._followed.current_view)]
                self._last = time.monotonic()
        except Declined as reason:
            reply = [wire.DECLINED, str(reason).encode()]
        except Exception as error:  # the command itself reports or repairs the problem
            reply = [wire.DECLINED, type(error).__name__.encode()]
        else:
            self.n_answered += 1
        message = wire.pack(reply)
        connection.sendall(
            message
            if len(message) <= wire.MOST_REPLY_BYTES
            else wire.pack([wire.DECLINED, b"too long"])
        )

    def _read(self, fields: list[bytes]) -> CommandCall:
        """Reads a request. Raises Declined and ValueError."""
        (
            identity,
            root,
            named_root,
            named_index,
            encoding,
            terminal,
            size,
            folder,
            variables,
            shown,
            words,
        ) = fields
        arguments = words.decode("utf-8", "surrogateescape").split("\0")
        if arguments[0] not in wire.COMMANDS:
            raise Declined("another command")
        if identity.decode() != IDENTITY:
            raise Declined("another version")
        if os.fsdecode(root) != str(self._followed.followed.root):
            raise Declined("another root")
        if wire.unpack_pairs(variables) != wire.affecting_variables(self._environment):
            raise Declined("another environment")
        if encoding.decode().lower() not in ("utf-8", "utf8"):
            raise Declined("another encoding")
        columns, _, lines = size.decode().partition(" ")
        return CommandCall(
            arguments=arguments,
            root=named_root.decode("utf-8", "surrogateescape") or None,
            index_dir=named_index.decode("utf-8", "surrogateescape") or None,
            is_terminal=bool(terminal),
            size=(int(columns), int(lines)) if columns else (80, 25),
            environment=wire.unpack_pairs(shown),
            folder=folder.decode("utf-8", "surrogateescape"),
        )


def _receive(connection: socket.socket) -> list[bytes]:
    """Receives the fields of a message. Raises OSError and ValueError."""
    latest = time.monotonic() + REQUEST_SECONDS
    data, length = bytearray(), 8
    while len(data) < length:
        connection.settimeout(max(latest - time.monotonic(), 0.001))
        chunk = connection.recv(65_536)
        if not chunk:
            raise ValueError("the client has disconnected")
        data += chunk
        if length == 8 and len(data) >= 8:
            length = 8 + int.from_bytes(data[:8], "big")
            if length > wire.MOST_REQUEST_BYTES:
                raise ValueError("the request is too long")
    connection.settimeout(REQUEST_SECONDS)
    return wire.unpack(bytes(data[8:]))


@contextlib.contextmanager
def answering(followed: "IndexedRoot") -> Iterator[Daemon]:
    """Answers commands about a root while it is followed, unless the environment forbids it."""
    daemon = Daemon(followed)
    if not may_listen():
        yield daemon
        return
    end_cleanly()
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.stop()


def may_listen() -> bool:
    """Whether the environment allows this process to answer commands, and the system has Unix
    sockets."""
    return os.environ.get(wire.VARIABLE) != "off" and hasattr(socket, "AF_UNIX")


def connect_to(folder: "PrivateFolder") -> bool:
    """Whether a process of this user listens in an index folder."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(REQUEST_SECONDS)
        with Address(str(folder / wire.SOCKET_NAME)) as address:
            asking.connect(address)
        return is_own_user(asking)
    return False


def share(followed: "IndexedRoot") -> Callable[[], object]:
    """Starts to answer commands about a root, for a server, which stops it later."""
    if not may_listen():
        return lambda: None
    daemon = Daemon(followed)
    daemon.start()
    return daemon.stop
