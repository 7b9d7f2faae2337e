"""How long a command waits for a daemon and a daemon for a command, by a clock that the test sets."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symindex.files.access.private_folder import PrivateFolder
from symindex.serve.daemon import exchange, listener, turn, wire
from symindex.serve.daemon.exchange import Exchange
from symindex.serve.daemon.listener import Daemon, _receive
from tests.support.daemon import in_place

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets")


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Connection:
    """A connection to the other side. pieces: each with the seconds until it comes; `None` for one
    that does not come in time. timeouts: the limit of each wait."""

    def __init__(self, clock: Clock, *pieces: tuple[float, bytes | None]) -> None:
        self.clock, self.pieces, self.timeouts = clock, [*pieces], list[float]()
        self.sent, self.is_closed = b"", False
        self.error: Exception | None = None

    def settimeout(self, seconds: float) -> None:
        self.timeouts.append(round(seconds, 9))

    def connect(self, _: object) -> None:
        if self.error is not None:
            raise self.error

    def sendall(self, data: bytes) -> None:
        self.sent += data

    def recv(self, _: int) -> bytes:
        seconds, piece = self.pieces.pop(0)
        self.clock.now += seconds
        if piece is None:
            raise TimeoutError
        return piece

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(exchange, "time", made)
    monkeypatch.setattr(listener, "time", made)
    return made


def asking(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, is_own: bool = True
) -> Exchange:
    """Sends a question over a connection."""
    module = SimpleNamespace(socket=lambda *_: connection, AF_UNIX=1, SOCK_STREAM=1)
    monkeypatch.setattr(exchange, "socket", module)
    monkeypatch.setattr(exchange, "is_own_user", lambda _: is_own)
    return Exchange("/s", b"question")


BIG = wire.pack([wire.ANSWERED, b"0", b"o" * 1_000_000, b""])


def test_an_answer_begins_within_80_milliseconds_and_goes_on_by_its_size(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [(0.05, BIG[:5]), (0.01, BIG[5:100]), (0.02, BIG[100:200]), (1.0, BIG[200:])]
    connection = Connection(clock, *pieces)
    asked = asking(connection, monkeypatch)
    clock.now += 0.01  # until the answer is read
    reply = asked.reply()
    assert reply is not None and len(reply[2]) == 1_000_000 and connection.sent == b"question"
    by_size = len(BIG) * 1e-8
    assert connection.timeouts == pytest.approx(
        [0.08, 0.07, 0.02, 0.01 + by_size, 0.001 + 0], abs=1e-3
    )
    assert connection.timeouts[3] == pytest.approx(0.01 + by_size, abs=1e-6)
    assert connection.timeouts[4] == 0.001 or connection.timeouts[4] == pytest.approx(by_size - 0.01, abs=1e-6)  # fmt: skip


def test_a_late_answer_is_looked_for_once_more(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = Connection(clock, (0.08, None), (0.0, wire.pack([b"late"])))
    asked = asking(connection, monkeypatch)
    assert asked.reply() is None and asked.is_waiting
    clock.now += 5.0
    assert asked.reply() == [b"late"] and not asked.is_waiting
    assert connection.timeouts == [0.08, 0.08, 0.001]
    asked.close()
    assert connection.is_closed


def test_a_process_of_another_user_is_asked_nothing(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = Connection(clock)
    asked = asking(connection, monkeypatch, is_own=False)
    assert not asked.is_waiting and connection.sent == b"" and asked.reply() is None


def test_a_connection_that_fails_is_closed(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(clock)
    connection.error = ConnectionRefusedError()
    with pytest.raises(ConnectionRefusedError):
        asking(connection, monkeypatch)
    assert connection.is_closed


def test_a_request_comes_within_a_second_in_however_many_pieces(clock: Clock) -> None:
    message = wire.pack([b"a" * 50])
    pieces = [(0.25, message[:3]), (0.5, message[3:20]), (0.5, message[20:])]
    connection: Any = Connection(clock, *pieces)
    assert _receive(connection) == [b"a" * 50]
    assert connection.timeouts == [1.0, 0.75, 0.25, 1.0]
    late: Any = Connection(clock, (1.5, message[:3]), (0.0, message[3:]))
    assert _receive(late) == [b"a" * 50]
    assert late.timeouts == [1.0, 0.001, 1.0]


@pytest.fixture
def daemon(tmp_path: Path) -> Daemon:
    followed: Any = SimpleNamespace(root=Path("/r"), place=PrivateFolder(tmp_path / "i"))
    return Daemon(followed)


def test_a_daemon_that_cannot_listen_tries_again_after_five_seconds(
    daemon: Daemon, tmp_path: Path
) -> None:
    """Its thread keeps no process from ending."""
    (tmp_path / "i").touch()
    waits: list[float] = []

    class Stopped(threading.Event):
        def wait(self, seconds: float | None = None) -> bool:
            waits.append(seconds or 0.0)
            if len(waits) == 2:
                self.set()
            return True

    daemon._stopped = Stopped()
    daemon._run()
    assert waits == [5.0, 5.0] and daemon.refusal and daemon._thread.daemon


def test_a_client_has_a_second_to_be_answered_and_a_thread_of_its_own(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = socket.socketpair()
    timeouts: list[Any] = []
    monkeypatch.setattr(daemon, "_reply", lambda some: timeouts.append(some.gettimeout()))
    threads: list[Any] = []
    serve = daemon._serve

    def note(connection: socket.socket) -> None:
        threads.append(threading.current_thread())
        serve(connection)

    monkeypatch.setattr(daemon, "_serve", note)

    class Bound:
        def accept(self) -> tuple[socket.socket, str]:
            daemon._stopped.set()
            return theirs, ""

    bound: Any = Bound()
    with ours:
        daemon._accept(bound)
        assert ours.recv(1) == b""  # the connection is closed after the reply
    threads[0].join(10)
    assert timeouts == [1.0] and threads[0].daemon and threads[0].name == "symindex-answer"
    assert sum(daemon._free.acquire(blocking=False) for _ in range(17)) == 16


def test_a_daemon_that_answers_is_not_idle(daemon: Daemon, clock: Clock) -> None:
    daemon._last = clock.now - 7.0
    assert daemon.idle_seconds == 7.0
    with daemon._in_use():
        with daemon._in_use():
            assert daemon.idle_seconds == 0.0
        assert daemon.idle_seconds == 0.0
    assert daemon.idle_seconds == 7.0
    with pytest.raises(KeyError), daemon._in_use():
        raise KeyError
    assert daemon.idle_seconds == 7.0


def test_whether_a_daemon_listens_is_known_within_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeouts: list[float | None] = []
    monkeypatch.setattr(
        listener, "is_own_user", lambda some: bool(timeouts.append(some.gettimeout())) or True
    )
    with in_place(tmp_path / "daemon.socket", lambda connection: None):
        assert listener.connect_to(PrivateFolder(tmp_path))
    assert timeouts == [1.0]


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The locks that are taken: their paths, modes and waits."""
    import filelock

    made: list[Any] = []

    class Lock:
        is_held = False

        def __init__(self, path: object, mode: int) -> None:
            made.append([Path(str(path)).name, mode])

        def acquire(self, timeout: float) -> None:
            made[-1].append(timeout)
            if Lock.is_held:
                raise filelock.Timeout("x")

        def release(self) -> None:
            made[-1].append("released")

    made.append(Lock)
    monkeypatch.setattr(filelock, "FileLock", Lock)
    kept = [*turn._KEPT]
    yield made
    turn._KEPT[:] = kept


def test_a_daemon_waits_a_second_for_the_right_to_serve(tmp_path: Path, locks: list[Any]) -> None:
    folder = PrivateFolder(tmp_path / "i")
    kept = len(turn._KEPT)
    assert turn.take(folder) and len(turn._KEPT) == kept + 1
    locks[0].is_held = True
    assert not turn.take(folder) and len(turn._KEPT) == kept + 1
    assert not turn.is_taken(str(tmp_path / "i"))  # without a file, no process has it
    (tmp_path / "i" / "daemon.lock").touch()
    assert turn.is_taken(str(tmp_path / "i"))
    locks[0].is_held = False
    assert not turn.is_taken(str(tmp_path / "i"))
    assert locks[1:] == [
        ["daemon.lock", 0o600, 1.0],
        ["daemon.lock", 0o600, 1.0],
        ["daemon.lock", 0o600, 0],
        ["daemon.lock", 0o600, 0, "released"],
    ]
