"""Faulty daemons and faulty clients: the command does its own work within a tenth of a second, and
the daemon keeps running."""

import io
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from symindex.errors import StorageError
from symindex.serve.daemon import client, exchange, listener, wire
from symindex.serve.daemon.listener import Daemon
from symindex.serve.unix_peer import is_own_user
from tests.support.command import run_symindex
from tests.support.daemon import ask, followed, in_place, reply_to, serving, socket_of
from tests.support.files import write_files
from tests.support.mixed_tree import TREE
from tests.support.waiting import SECONDS, until
from tests.support.watching import skip_unwatched

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets"),
    pytest.mark.usefixtures("fast_watch"),
]

SLACK: Final = 0.4
"""Seconds that a busy machine may add to a time limit."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(listener, "AGAIN_SECONDS", 0.05)
    return write_files(tmp_path / "tree", TREE)


def timed(root: Path) -> "tuple[object, float]":
    began = time.monotonic()
    answer = ask("Server", "--root", str(root))
    return answer, time.monotonic() - began


ANSWER = wire.pack([wire.ANSWERED, b"0", b"wrong\n" * 1000, b""])


def hang(connection: socket.socket) -> None:
    connection.recv(1_000_000)
    connection.settimeout(SECONDS)
    connection.recv(1)  # until the client has gone


def stop_in_the_middle(connection: socket.socket) -> None:
    connection.recv(1_000_000)
    connection.sendall(ANSWER[:500])
    connection.settimeout(SECONDS)
    connection.recv(1)


def trickle(connection: socket.socket) -> None:
    connection.recv(1_000_000)
    for byte in ANSWER:
        connection.sendall(bytes([byte]))
        time.sleep(0.005)


BAD: "dict[str, Callable[[socket.socket], object]]" = {
    "hangs": hang,
    "dies at once": lambda connection: None,
    "dies before it answers": lambda connection: connection.recv(1_000_000),
    "dies in the middle": lambda connection: (connection.recv(1_000_000), connection.sendall(ANSWER[:500])),
    "stops in the middle": stop_in_the_middle,
    "trickles": trickle,
    "says nonsense": lambda connection: (connection.recv(1_000_000), connection.sendall(random.Random(1).randbytes(5000))),
    "says that far too much follows": lambda connection: (connection.recv(1_000_000), connection.sendall(b"\x7f" + b"\xff" * 7)),
    "sends a field that is too long": lambda connection: (
        connection.recv(1_000_000), connection.sendall((8).to_bytes(8, "big") + b"\xff" * 8)
    ),
    "sends too few fields": lambda connection: (connection.recv(1_000_000), connection.sendall(wire.pack([wire.ANSWERED, b"0"]))),
    "sends no number": lambda connection: (
        connection.recv(1_000_000), connection.sendall(wire.pack([wire.ANSWERED, b"x", b"", b""]))
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", BAD)
def test_a_bad_daemon_is_done_without(how: str, root: Path) -> None:
    with in_place(socket_of(root), BAD[how]):
        answer, seconds = timed(root)
        assert answer is None
        assert seconds < 0.1 + SLACK


def test_the_command_does_its_work_itself(root: Path) -> None:
    with in_place(socket_of(root), hang):
        ran = run_symindex("search", "Server", "--root", root)
        assert ran.returncode == 0 and "src/net/server.go" in ran.stdout and not ran.stderr


@pytest.mark.parametrize("seconds", [0.15, 5.0], ids=["soon", "late"])
def test_an_answer_may_come_while_the_command_loads(seconds: float, root: Path) -> None:
    """The daemon and the command then work in parallel, and the first answer wins."""
    gone = threading.Event()

    def answer_late(connection: socket.socket) -> None:
        connection.recv(1_000_000)
        gone.wait(seconds)
        connection.sendall(wire.pack([wire.ANSWERED, b"0", b"of the daemon", b""]))

    load_slowly = "import time; from symindex.workspace import early_walk; early_walk.start_early = lambda _: time.sleep(0.5) or early_walk.EarlyStart()"
    code = f"{load_slowly}; from symindex.__main__ import main; main()"
    command = [sys.executable, "-c", code, "search", "Server", "--root", str(root)]
    with in_place(socket_of(root), answer_late):
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        gone.set()
    assert ran.returncode == 0 and not ran.stderr
    assert (ran.stdout == "of the daemon") == (seconds < 1) and (
        seconds < 1 or "src/net/server.go" in ran.stdout
    )


def test_a_stale_socket_is_replaced(root: Path) -> None:
    path = socket_of(root)
    path.parent.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
        path.chmod(0o600)
    answer, seconds = timed(root)
    assert answer is None and seconds < 0.1 + SLACK
    with serving(root):
        until(lambda: ask("Server", "--root", str(root)))
    assert not path.exists()


@pytest.mark.parametrize("kind", ["file", "folder", "link", "open to others"])
def test_a_foreign_socket_is_not_asked(kind: str, root: Path, tmp_path: Path) -> None:
    path = socket_of(root)
    with in_place(tmp_path / "s", lambda connection: pytest.fail("was asked")):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if kind == "file":
            path.write_text("")
        elif kind == "folder":
            path.mkdir()
        elif kind == "link":
            path.symlink_to(tmp_path / "s")
        else:
            os.link(tmp_path / "s", path)
            os.chmod(path, 0o666)
        assert ask("Server", "--root", str(root)) is None


def test_a_daemon_of_another_user_is_not_asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client checks the owner of the socket file and the user of the process behind it."""
    with serving(root) as daemon:
        with monkeypatch.context() as patched:
            patched.setattr(client.os, "geteuid", lambda: 4711)
            assert ask("Server", "--root", str(root)) is None
        monkeypatch.setattr(exchange, "is_own_user", lambda connection: False)
        assert ask("Server", "--root", str(root)) is None
        assert daemon.n_answered == 0


def test_a_client_of_another_user_is_not_answered(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(root) as daemon:
        monkeypatch.setattr(listener, "is_own_user", lambda connection: False)
        assert ask("Server", "--root", str(root)) is None
        assert daemon.n_answered == 0
    one, other = socket.socketpair()
    with one, other:
        assert is_own_user(one)


def test_another_version_root_environment_or_encoding_is_declined(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(root):
        whole, path = client.find_socket(["search", "S", "--root", str(root)]) or ("", "")
        arguments = ["search", "S", "--root", str(root)]

        def declined() -> bytes:
            fields = reply_to(path, exchange.request(whole, arguments))
            assert fields is not None and fields[0] == wire.DECLINED
            return fields[1]

        monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
        with monkeypatch.context() as patched:
            patched.setattr(exchange, "IDENTITY", "symindex 0.0.9")
            assert declined() == b"another version"
        with monkeypatch.context() as patched:
            patched.setattr(exchange.sys, "stdout", io.TextIOWrapper(io.BytesIO(), "latin-1"))
            assert declined() == b"another encoding"
        whole = f"{whole}/src"
        assert declined() == b"another root"
        whole = str(root)
        for name in ("XDG_CONFIG_HOME", "SYMINDEX_GRAMMARS", "GIT_CONFIG_GLOBAL", "HOME"):
            with monkeypatch.context() as patched:
                patched.setenv(name, "/elsewhere")
                assert declined() == b"another environment"
        arguments += [
            "-p",
            "--root=elsewhere",
        ]  # the client mistakes that for the option; the command does not
        assert declined() == b"the options differ from those of the client"


def test_a_secret_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMINDEX_LSP_TOKEN", "a-secret")
    monkeypatch.setenv("SYMINDEX_MCP_TOKEN", "a-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "a-secret")
    assert b"a-secret" not in exchange.request("/", ["search", "x"])


def test_two_daemons_for_one_tree(root: Path) -> None:
    """The second daemon waits and takes over when the first stops."""
    with followed(root) as workspace, serving(root) as first:
        second = Daemon(workspace.source.indexed)
        second.start()
        until(lambda: ask("Server", "--root", str(root)))
        time.sleep(0.2)
        assert first.is_listening and not second.is_listening
        first.stop()
        until(lambda: second.is_listening)
        until(lambda: ask("Server", "--root", str(root)))
        assert second.n_answered
        second.stop()
        first._thread = threading.Thread()  # the cleanup stops it again
        first._thread.start()


def test_bad_clients_do_no_harm(root: Path) -> None:
    chosen = random.Random(7)
    with serving(root) as daemon:
        path = str(socket_of(root))
        request = exchange.request(str(root), ["search", "Server", "--root", str(root)])
        for _ in range(150):
            bad = bytearray(request)
            for _ in range(chosen.randrange(1, 6)):
                bad[chosen.randrange(len(bad))] = chosen.randrange(256)
            with socket.socket(socket.AF_UNIX) as asking:
                asking.connect(path)
                asking.sendall(bytes(bad[: chosen.choice([len(bad), chosen.randrange(len(bad))])]))
                if chosen.random() < 0.5:
                    asking.shutdown(socket.SHUT_WR)
        with socket.socket(socket.AF_UNIX) as asking:  # a request that never ends
            asking.connect(path)
            asking.sendall((wire.MOST_REQUEST_BYTES + 1).to_bytes(8, "big"))
            assert asking.recv(1) == b""
        until(lambda: ask("Server", "--root", str(root)))
        assert daemon.is_listening


def test_clients_beyond_the_limit_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "REQUEST_SECONDS", SECONDS)
    with serving(root):
        path = str(socket_of(root))
        silent = [socket.socket(socket.AF_UNIX) for _ in range(listener.MOST_CONNECTIONS)]
        for connection in silent:
            connection.connect(path)
        answer, seconds = timed(root)
        assert answer is None and seconds < 0.1 + SLACK
        for connection in silent:
            connection.close()
        until(lambda: ask("Server", "--root", str(root)))


def test_a_busy_daemon_answers_or_the_command_does_without_it(root: Path) -> None:
    """The daemon's process keeps a core fully busy."""
    ended = threading.Event()

    def burn() -> None:
        while not ended.is_set():
            sum(range(1000))

    with serving(root):
        until(lambda: ask("Server", "--root", str(root)))
        threads = [threading.Thread(target=burn) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                answer, seconds = timed(root)
                assert answer is None or answer[0] == 0  # type: ignore[index]
                assert seconds < 0.1 + SLACK
        finally:
            ended.set()
            for thread in threads:
                thread.join()


def test_a_full_disk_is_told_by_the_command(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("no space left on device")

    with serving(root):
        until(lambda: ask("Server", "--root", str(root)))
        with monkeypatch.context() as patched:
            patched.setattr("symindex.index.store.Store.save_overlay", refuse)
            write_files(root, {"new.py": "def fresh(): pass\n"})
            assert ask("fresh", "--root", str(root)) is None
        monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
        monkeypatch.setattr("symindex.workspace.daemon_view.SETTLE_SECONDS", SECONDS)
        until(lambda: (answer := ask("fresh", "--root", str(root))) is not None and answer[0] == 0)


def test_a_disk_without_room_for_a_socket(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with followed(root) as workspace:
        daemon = Daemon(workspace.source.indexed)
        with monkeypatch.context() as patched:
            patched.setattr("symindex.serve.unix_socket.Address.__enter__", refuse)
            daemon.start()
            time.sleep(0.1)
            assert not daemon.is_listening and ask("Server", "--root", str(root)) is None
        until(lambda: daemon.is_listening)
        daemon.stop()


def test_a_damaged_index_is_left_to_the_command(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_unwatched()
    monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
    with serving(root):
        until(lambda: ask("Server", "--root", str(root)))
        index = socket_of(root).parent / "symbols.index"
        with open(index, "r+b") as file:
            file.truncate(index.stat().st_size // 2)
        assert ask("Server", "--root", str(root)) is None
        own = run_symindex("search", "Server", "--root", root)
        assert own.returncode == 0 and "server.go" in own.stdout


def test_one_core(root: Path) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system gives no process a core")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        with serving(root):
            until(lambda: ask("Server", "--root", str(root)))
            ran = run_symindex("search", "Server", "--root", root)
            assert ran.returncode == 0
    finally:
        os.sched_setaffinity(0, before)


@pytest.fixture(autouse=True)
def _no_threads_are_left() -> Iterator[None]:
    yield
    until(
        lambda: (
            not any(thread.name.startswith("symindex-daemon") for thread in threading.enumerate())
        )
    )
