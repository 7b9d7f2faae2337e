"""Start and end of processes that answer others: one per tree, only where it can listen, and
nothing of it remains."""

import fcntl
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from symindex.serve.daemon import exchange, start, turn, wire
from tests.support.command import SYMINDEX, run_symindex, started
from tests.support.daemon import answer_to, in_place, socket_of
from tests.support.files import write_files
from tests.support.lsp_client import start_server
from tests.support.mcp_client import McpClient
from tests.support.mcp_http import HttpServer
from tests.support.mixed_tree import TREE
from tests.support.waiting import SECONDS, until

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc as on Linux"),
]

END_SECONDS: Final = 15.0
"""Seconds that a process may take to end on a busy machine."""

MARK: Final = "TESTS_MARK"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
    return write_files(tmp_path / "tree", TREE).resolve()


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A value in the environment of all processes of a test. Processes that remain are killed."""
    value = uuid.uuid4().hex
    monkeypatch.setenv(MARK, value)
    yield value
    for number in processes(value):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def processes(mark: str) -> dict[int, str]:
    """Returns the other processes of a test, by process id, with their commands."""
    commands = {}
    for number in (
        int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()
    ):
        with suppress(OSError):
            command = (
                Path(f"/proc/{number}/cmdline")
                .read_bytes()
                .replace(b"\0", b" ")
                .decode(errors="replace")
            )
            if command and f"{MARK}={mark}".encode() in Path(
                f"/proc/{number}/environ"
            ).read_bytes().split(b"\0"):
                commands[number] = command
    return commands


def daemons(mark: str) -> list[int]:
    return [
        number
        for number, command in processes(mark).items()
        if "symindex.__main__" in command and " serve " in command
    ]


def is_free(root: Path) -> bool:
    """Whether no process has the right to serve a tree."""
    path = socket_of(root).parent / turn.LOCK_NAME
    if not path.exists():
        return True
    with open(path, "rb") as file, suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def is_answered(root: Path) -> bool:
    return answer_to(["search", "Server", "--root", str(root)]) is not None


@contextmanager
def command(*arguments: str) -> "Iterator[subprocess.Popen[Any]]":
    with started([*SYMINDEX, *arguments]) as process:
        yield process


@contextmanager
def editor(root: Path) -> "Iterator[subprocess.Popen[Any]]":
    client = start_server()
    assert client.process is not None
    client.initialize(root)
    yield client.process
    client.process.kill()
    client.process.communicate()


@contextmanager
def agent(root: Path) -> "Iterator[subprocess.Popen[Any]]":
    client = McpClient([root], Path(os.environ["XDG_CACHE_HOME"], "symindex"))
    client.call("search", query="Server")
    yield client.process
    client.process.kill()
    client.process.communicate()


@contextmanager
def agents(root: Path) -> "Iterator[subprocess.Popen[Any]]":
    server = HttpServer(
        root, Path(os.environ["XDG_CACHE_HOME"], "symindex"), "--http", "127.0.0.1:0"
    )
    server.post()
    yield server.process
    server.process.kill()
    server.process.communicate()


DOORS: "dict[str, Callable[[Path], Any]]" = {
    "serve": lambda root: command("serve", "--root", str(root)),
    "index --watch": lambda root: command("index", "--watch", "--root", str(root)),
    "lsp": editor,
    "mcp": agent,
    "mcp --http": agents,
}

CODES: Final = {
    ("index --watch", signal.SIGTERM): 143,
    ("index --watch", signal.SIGHUP): 129,
    ("index --watch", signal.SIGINT): 130,
}
"""The exit codes other than 0: a shell reports them for a command that a signal ended."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name
)
@pytest.mark.parametrize("door", DOORS)
def test_a_signal_leaves_nothing(door: str, number: signal.Signals, root: Path, mark: str) -> None:
    with DOORS[door](root) as process:
        until(lambda: is_answered(root))
        process.send_signal(number)
        if number != signal.SIGINT:
            process.send_signal(number)  # a second signal must not break the shutdown
        assert process.wait(END_SECONDS) == CODES.get((door, number), 0)
    assert not socket_of(root).exists()
    until(lambda: not processes(mark), seconds=END_SECONDS)
    assert is_free(root)


@pytest.mark.slow
def test_a_process_that_ignores_hangups_continues(root: Path) -> None:
    with started(["nohup", *SYMINDEX, "serve", "--root", str(root)]) as process:
        until(lambda: is_answered(root))
        process.send_signal(signal.SIGHUP)
        assert is_answered(root)
        process.send_signal(signal.SIGTERM)
        assert process.wait(END_SECONDS) == 0


@pytest.mark.slow
def test_a_socket_that_a_killed_process_has_left_is_replaced(root: Path, mark: str) -> None:
    with command("serve", "--root", str(root)) as process:
        until(lambda: is_answered(root))
        process.kill()
        process.wait()
    assert socket_of(root).exists() and not is_answered(root)
    until(lambda: not processes(mark), seconds=END_SECONDS)
    with command("serve", "--root", str(root)) as process:
        until(lambda: is_answered(root))
        process.terminate()
        assert process.wait(END_SECONDS) == 0
    assert not socket_of(root).exists()


@pytest.mark.slow
def test_sixteen_first_searches_leave_one_process(root: Path, mark: str) -> None:
    environment = {**os.environ, wire.VARIABLE: "start"}
    words = [*SYMINDEX, "search", "Server", "--root", str(root)]
    searches = [
        subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL) for _ in range(16)
    ]
    assert {search.wait(SECONDS) for search in searches} == {0}
    until(lambda: is_answered(root))
    until(lambda: len(daemons(mark)) == 1, instead=lambda: str(processes(mark)))
    (number,) = daemons(mark)
    run_symindex("search", "Server", "--root", str(root), env=environment)
    assert daemons(mark) == [number]
    os.kill(number, signal.SIGTERM)
    until(lambda: not processes(mark), seconds=END_SECONDS)
    assert not socket_of(root).exists() and is_free(root)


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> "list[list[str]]":
    """The commands that would have been started."""
    commands: list[list[str]] = []

    class Process:
        returncode = None

        def __init__(self, command: list[str], **_: object) -> None:
            commands.append(command)

    monkeypatch.setenv(wire.VARIABLE, "start")
    monkeypatch.setattr(
        start, "subprocess", SimpleNamespace(Popen=Process, DEVNULL=subprocess.DEVNULL)
    )
    return commands


def is_started(root: Path, starts: "list[list[str]]", *options: str) -> bool:
    starts.clear()
    start.start_daemon(["search", "Server", "--root", str(root), *options])
    return bool(starts)


def test_no_daemon_starts_where_none_can_listen(
    root: Path, starts: "list[list[str]]", monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert not is_started(root, starts)  # no index could be made
    folder = socket_of(root).parent
    folder.mkdir(parents=True, mode=0o700)
    assert is_started(root, starts)
    assert [*folder.iterdir()] == []

    folder.chmod(0o777)
    assert not is_started(root, starts)
    folder.chmod(0o700)
    socket_of(root).write_text("something else")
    assert not is_started(root, starts)
    socket_of(root).unlink()
    with in_place(socket_of(root), lambda connection: None):
        assert not is_started(root, starts)
    (folder / turn.LOCK_NAME).touch()
    assert is_started(root, starts)
    with open(folder / turn.LOCK_NAME, "rb") as file:  # another process is starting
        fcntl.flock(file, fcntl.LOCK_EX)
        assert not is_started(root, starts)

    deep = tmp_path.joinpath(*["m" * 100] * 3)
    deep.mkdir(parents=True, mode=0o700)
    run_symindex("index", "--root", str(root), "--index-dir", str(deep))
    assert is_started(root, starts, "--index-dir", str(deep))  # Linux has a workaround
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("symindex.serve.unix_peer.sys", SimpleNamespace(platform="other"))
        assert not is_started(root, starts, "--index-dir", str(deep))
    monkeypatch.delattr("socket.AF_UNIX")
    assert not is_started(root, starts)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="must give a folder to another user"
)
def test_none_is_started_in_a_folder_of_another_user(root: Path, starts: "list[list[str]]") -> None:
    folder = socket_of(root).parent
    folder.mkdir(parents=True, mode=0o700)
    os.chown(folder, 12345, 12345)
    assert not is_started(root, starts)
    os.chown(folder, 0, 0)
    assert is_started(root, starts)


@pytest.mark.slow
def test_a_search_leaves_no_process_if_none_can_listen(root: Path, mark: str) -> None:
    environment = {**os.environ, wire.VARIABLE: "start"}
    run_symindex("index", "--root", str(root))
    socket_of(root).mkdir()
    for _ in range(3):
        assert (
            run_symindex("search", "Server", "--root", str(root), env=environment).returncode == 0
        )
    until(lambda: not processes(mark), seconds=END_SECONDS)


def test_serve_says_why_it_cannot_listen(root: Path) -> None:
    run_symindex("index", "--root", str(root))
    socket_of(root).mkdir()
    ran = run_symindex("serve", "--root", str(root))
    assert (
        ran.returncode == 2
        and "something else exists at this path" in ran.stderr
        and "Traceback" not in ran.stderr
    )
    ran = run_symindex("serve", "--root", str(root), "--index-dir", "/proc/symindex")
    assert (
        ran.returncode == 2
        and "cannot listen in this folder" in ran.stderr
        and "another process" not in ran.stderr
    )
    ran = run_symindex("serve", "--root", str(root / "gone"))
    assert ran.returncode == 2 and "gone" in ran.stderr
