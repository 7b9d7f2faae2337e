"""The parts of a conversation with a daemon, without processes: messages, requests, replies, what is
declined, and who may be asked."""

import contextlib
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.index_place import index_name
from symindex.serve.daemon import answering, client, exchange, listener, start, turn, wire
from symindex.serve.daemon.answering import CommandCall, Declined
from symindex.serve.daemon.exchange import IDENTITY, Exchange
from symindex.serve.daemon.listener import Daemon, _receive
from tests.support.daemon import in_place
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets")


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=300)))
def test_a_message_is_read_as_it_was_written(fields: list[bytes]) -> None:
    message = wire.pack(fields)
    assert int.from_bytes(message[:8], "big") == len(message) - 8
    assert wire.unpack(message[8:]) == fields


@settings(max_examples=30)
@given(st.lists(st.binary(min_size=1, max_size=5), min_size=1), st.data())
def test_a_message_that_ends_within_a_field_is_refused(
    fields: list[bytes], data: st.DataObject
) -> None:
    payload = wire.pack(fields)[8:]
    ends = {0}
    for field in fields:
        ends.add(max(ends) + 4 + len(field))
    end = data.draw(st.sampled_from(sorted({*range(len(payload))} - ends)))
    with pytest.raises(ValueError, match="ends within a field"):
        wire.unpack(payload[:end])


NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=()), max_size=9)


@settings(max_examples=30)
@given(st.dictionaries(NAMES.filter(bool), NAMES))
@example({"A": "\udcff"})
def test_variables_are_read_as_they_were_written(variables: dict[str, str]) -> None:
    try:
        field = wire.pack_pairs(variables)
    except UnicodeEncodeError:  # no system has such a value
        return
    assert wire.unpack_pairs(field) == variables
    assert list(wire.unpack_pairs(field)) == sorted(variables)
    if variables:
        with pytest.raises(ValueError):
            wire.unpack_pairs(field + b"\0a")


@pytest.mark.parametrize(
    ("arguments", "may_be"),
    [
        (["search", "x"], True),
        (["search", "--no-daemon"], False),
        (["search", "--request=-"], False),
        (["search", "--request", "-"], False),
        (["search", "x", "--help"], False),
        (["search", "-h"], False),
        (["search", "--helpful"], True),
    ],
)
def test_which_commands_a_daemon_may_be_asked(arguments: list[str], may_be: bool) -> None:
    assert wire.may_be_asked(arguments) is may_be


def test_which_variables_affect_an_answer() -> None:
    names = ("HOME", "TZ", "GOPATH", "LC_ALL", "GIT_PAGER", "SYMINDEX_DAEMON", "EDITOR", "LESS")
    values = wire.affecting_variables({name: "1" for name in names})
    assert sorted(values) == ["GOPATH", "HOME", "LC_ALL", "TZ"]
    assert all(len(digest) == 32 for digest in values.values())


def test_a_value_that_names_a_file_here_differs_from_folder_to_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").touch()
    (tmp_path / "~").touch()
    values = {
        "CPATH": "here", "GOPATH": "none", "HOME": str(tmp_path), "PATH": f"/bin:{tmp_path}",
        "GOROOT": "/bin:here", "GOBIN": "", "CARGO_HOME": "none::here", "GOA": "~", "GOB": "here/../none:",
    }  # fmt: skip
    outside = wire.affecting_variables(values)
    monkeypatch.chdir(tmp_path)
    inside = wire.affecting_variables(values)
    assert {name for name in values if inside[name] != outside[name]} == {
        "CPATH", "GOROOT", "CARGO_HOME"
    }  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of a tree, which is the current folder, with a socket of this user."""
    root = tmp_path / "t"
    (root / "sub").mkdir(parents=True)
    (root / "symindex.toml").touch()
    monkeypatch.chdir(root / "sub")
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", str(tmp_path / "i"))
    monkeypatch.delenv("SYMINDEX_DAEMON", raising=False)
    place = socket_of(tmp_path / "i", root)
    place.parent.mkdir(mode=0o700, parents=True)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(place))
    place.chmod(0o600)
    return root


def socket_of(indexes: Path, root: Path) -> Path:
    return indexes / index_name(str(root)) / "daemon.socket"


def test_where_a_daemon_listens(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = str(tree), str(socket_of(tmp_path / "i", tree))
    assert client.find_place(["search"]) == here
    assert client.find_place(["search", "--root", ".."]) == here
    assert client.find_place(["search", f"--root={tree}/sub/.."]) == here
    assert client.find_place(["search", "--index-dir", "../../i"]) == here
    sub = tree / "sub"
    assert client.find_place(["search", "--root=."]) == (
        str(sub),
        str(socket_of(tmp_path / "i", sub)),
    )
    for wrong in ("--root=", "--index-dir="):
        assert client.find_place(["search", wrong]) is None
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", "i")
    assert client.find_place(["search"]) is None
    assert client.find_place(["search", "--index-dir=../../i"]) == here
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", "")
    cache = Path(os.environ["XDG_CACHE_HOME"], "symindex")
    assert client.find_place(["search"]) == (str(tree), str(socket_of(cache, tree)))
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", "~/i")
    home = Path(os.environ["HOME"], "i")
    assert client.find_place(["search"]) == (str(tree), str(socket_of(home, tree)))


def test_who_is_asked(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = socket_of(tmp_path / "i", tree)
    for command in ("search", "symbol", "outline"):
        assert client.find_socket([command, "x"]) == (str(tree), str(place))
    for arguments in ([], ["index"], ["search", "--no-daemon"], ["search", "--root="]):
        assert client.find_socket(arguments) is None
    for variable, value, is_asked in (
        ("SYMINDEX_DAEMON", "off", False),
        ("SYMINDEX_DAEMON", "start", True),
        ("_SYMINDEX_COMPLETE", "bash_complete", False),
    ):
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv(variable, value)
            assert (client.find_socket(["search"]) is not None) is is_asked
    for stream in ("stdin", "stdout", "stderr"):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sys, stream, None)
            assert client.find_socket(["search"]) is None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "platform", "win32")
        assert client.find_socket(["search"]) is None
    for mode in (0o640, 0o601, 0o610):
        place.chmod(mode)
        assert client.find_socket(["search"]) is None
    place.chmod(0o700)
    assert client.find_socket(["search"]) is not None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: place.stat().st_uid + 1)
        assert client.find_socket(["search"]) is None
    place.unlink()
    place.touch(0o600)
    assert client.find_socket(["search"]) is None
    place.unlink()
    with pytest.raises(FileNotFoundError):
        client.find_socket(["search"])
    assert client.begin(["search"]) is None


@contextmanager
def peer(path: Path, *pieces: bytes) -> Iterator[None]:
    """Reads a request and sends these pieces, each when the client is surely waiting for it."""

    def send(connection: socket.socket) -> None:
        connection.recv(1_000_000)
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(0.01 if len(pieces) > 1 else 0.0)

    with in_place(path, send):
        yield


ANSWER = wire.pack([wire.ANSWERED, b"7", b"out", b"err"])

REPLIES: dict[str, tuple[list[bytes], tuple[int, bytes, bytes] | None]] = {
    "whole": ([ANSWER], (7, b"out", b"err")),
    "in pieces": ([ANSWER[:1], ANSWER[1:8], ANSWER[8:9], ANSWER[9:-1], ANSWER[-1:]], (7, b"out", b"err")),
    "cut off": ([ANSWER[:-1]], None),
    "only a length": ([ANSWER[:8]], None),
    "nothing": ([], None),
    "declined": ([wire.pack([wire.DECLINED, b"0", b"", b""])], None),
    "three fields": ([wire.pack([wire.ANSWERED, b"0", b""])], None),
    "five fields": ([wire.pack([wire.ANSWERED, b"0", b"", b"", b""])], None),
    "no number": ([wire.pack([wire.ANSWERED, b"x", b"", b""])], None),
    "a broken field": ([(5).to_bytes(8, "big") + b"\0\0\0\x02x"], None),
}  # fmt: skip


@pytest.mark.parametrize("name", REPLIES)
def test_replies_are_read_whole_or_not_at_all(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "HEAD_SECONDS", 20.0)
    monkeypatch.setattr(exchange, "REST_SECONDS", 20.0)
    pieces, answer = REPLIES[name]
    with peer(tmp_path / "s", *pieces):
        asked = Exchange(str(tmp_path / "s"), wire.pack([b"question"]))
        assert asked.is_waiting
        assert client.answer_of(asked) == answer
        assert not asked.is_waiting
        assert asked.reply() is None
        asked.close()


@pytest.mark.parametrize(("most", "is_read"), [(len(ANSWER), True), (len(ANSWER) - 1, False)])
def test_a_reply_may_have_as_many_bytes_as_the_limit(
    most: int, is_read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "HEAD_SECONDS", 20.0)
    monkeypatch.setattr(exchange, "REST_SECONDS", 20.0)
    monkeypatch.setattr(wire, "MOST_REPLY_BYTES", most)
    with peer(tmp_path / "s", ANSWER):
        asked = Exchange(str(tmp_path / "s"), wire.pack([b"question"]))
        assert (client.answer_of(asked) is not None) is is_read
        asked.close()


def test_a_reply_that_has_not_come_in_time_may_come_later(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    """It is written once, when the command asks again."""
    place = socket_of(tmp_path / "i", tree)
    place.unlink()
    monkeypatch.setattr(exchange, "HEAD_SECONDS", 0.01)
    monkeypatch.setattr(exchange, "REST_SECONDS", 20.0)
    is_loaded, has_answered = threading.Event(), threading.Event()

    def send(connection: socket.socket) -> None:
        connection.recv(1_000_000)
        is_loaded.wait(20.0)
        connection.sendall(ANSWER)
        has_answered.set()

    with in_place(place, send):
        assert client.ask(["search"]) is None and client.is_awaited()
        is_loaded.set()
        assert has_answered.wait(20.0)
        assert client.ask_again() == 7 and not client.is_awaited()
        assert client.ask_again() is None
    assert capfdbinary.readouterr() == (b"out", b"err")


def test_an_answer_that_comes_at_once_is_written(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    monkeypatch.setattr(exchange, "HEAD_SECONDS", 20.0)
    monkeypatch.setattr(exchange, "REST_SECONDS", 20.0)
    place = socket_of(tmp_path / "i", tree)
    place.unlink()
    with peer(place, ANSWER):
        assert client.ask(["search"]) == 7 and not client.is_awaited()
    assert capfdbinary.readouterr() == (b"out", b"err")
    place.parent.rmdir()
    assert client.ask(["search"]) is None and not client.is_awaited()


@pytest.mark.parametrize(
    ("out", "option", "is_terminal", "height", "lines"),
    [
        (b"text", "", True, 30, 30),
        (b"text", "", True, 0, 24),
        (b"text", "", False, 30, None),
        (b"text", "--no-pager", True, 30, None),
        (b"", "", True, 30, None),
    ],
)
def test_an_answer_goes_through_the_pager_at_a_terminal(
    out: bytes,
    option: str,
    is_terminal: bool,
    height: int,
    lines: int | None,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: Any,
) -> None:
    shown: list[tuple[bytes, int]] = []
    monkeypatch.setattr(sys, "argv", ["symindex", "search", option])
    monkeypatch.setattr(client.pager, "may_page", lambda _: is_terminal)
    monkeypatch.setattr(
        client.pager, "show", lambda text, _, n: bool(shown.append((text, n))) or True
    )
    monkeypatch.setattr(os, "get_terminal_size", lambda _=1: os.terminal_size((80, height)))
    assert client._write((3, out, b"err")) == 3
    assert shown == ([] if lines is None else [(out, lines)])
    assert capfdbinary.readouterr() == (b"" if lines is not None else out, b"err")


@contextmanager
def receiving(data: bytes, ends: bool = True) -> Iterator[socket.socket]:
    client_end, server_end = socket.socketpair()
    with client_end, server_end:
        client_end.sendall(data)
        if ends:
            client_end.shutdown(socket.SHUT_WR)
        yield server_end


def test_a_request_is_received_whole_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    message = wire.pack([b"a" * 50, b"b"])
    with receiving(message, ends=False) as connection:
        assert _receive(connection) == [b"a" * 50, b"b"]
        assert connection.gettimeout() == listener.REQUEST_SECONDS
    for cut in (0, 7, 8, len(message) - 1):
        with (
            receiving(message[:cut]) as connection,
            pytest.raises(ValueError, match="disconnected"),
        ):
            _receive(connection)
    for n_bytes, why in ((1_000_000, "disconnected"), (1_000_001, "too long")):
        header = (n_bytes - 8).to_bytes(8, "big")
        with receiving(header) as connection, pytest.raises(ValueError, match=why):
            _receive(connection)
    monkeypatch.setattr(wire, "MOST_REQUEST_BYTES", len(message))
    with receiving(message, ends=False) as connection:
        assert len(_receive(connection)) == 2
    monkeypatch.setattr(wire, "MOST_REQUEST_BYTES", len(message) - 1)
    with receiving(message) as connection, pytest.raises(ValueError, match="too long"):
        _receive(connection)
    monkeypatch.undo()
    monkeypatch.setattr(listener, "REQUEST_SECONDS", 0.01)
    with receiving(message[:9], ends=False) as connection, pytest.raises(TimeoutError):
        _receive(connection)


@pytest.fixture
def daemon(tmp_path: Path) -> Daemon:
    """A daemon that is not started, of the root `/r`."""
    followed: Any = SimpleNamespace(root=Path("/r"), place=PrivateFolder(tmp_path / "i"))
    return Daemon(followed)


def fields(**changed: bytes) -> list[bytes]:
    """The fields of a request."""
    usual = {
        "identity": IDENTITY.encode(),
        "root": b"/r",
        "named_root": b"r",
        "named_index": b"",
        "encoding": b"UTF-8",
        "terminal": b"terminal",
        "size": b"100 40",
        "folder": b"/r/sub\xff",
        "variables": wire.pack_pairs(wire.affecting_variables(dict(os.environ))),
        "shown": wire.pack_pairs({"TERM": "xterm"}),
        "words": b"search\0x\xff",
    }
    return list((usual | changed).values())


def test_a_request_is_read_as_the_client_means_it(daemon: Daemon) -> None:
    assert daemon._read(fields()) == CommandCall(
        ["search", "x\udcff"], "r", None, True, (100, 40), {"TERM": "xterm"}, "/r/sub\udcff"
    )
    call = daemon._read(
        fields(named_root=b"", named_index=b"i", terminal=b"", size=b"", encoding=b"utf8")
    )
    assert call[1:5] == (None, "i", False, (80, 25))


DECLINED = {
    "another command": {"words": b"index"},
    "another version": {"identity": b"1"},
    "another root": {"root": b"/other"},
    "another environment": {"variables": b"A\0b"},
    "another encoding": {"encoding": b"latin-1"},
}


@pytest.mark.parametrize("reason", DECLINED)
def test_what_a_daemon_declines(reason: str, daemon: Daemon) -> None:
    with pytest.raises(Declined, match=reason):
        daemon._read(fields(**DECLINED[reason]))
    with pytest.raises(ValueError):
        daemon._read(fields()[:-1])


def served(daemon: Daemon, request: bytes) -> list[bytes]:
    """The reply of a daemon to one connection."""
    ours, theirs = socket.socketpair()
    with ours:
        ours.sendall(request)
        assert daemon._free.acquire(blocking=False)
        daemon._serve(theirs)
        reply = b""
        with contextlib.suppress(ConnectionResetError):  # it was closed unread
            while piece := ours.recv(1 << 16):
                reply += piece
    return wire.unpack(reply[8:])


def test_what_a_daemon_replies(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    replies: list[Any] = [
        [b"0", b"out", b"err"],
        Declined("not sure"),
        KeyError("x"),
        [b"o" * 50, b"", b""],
    ]

    def answer(*_: object) -> list[bytes]:
        assert daemon.idle_seconds == 0.0
        reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    monkeypatch.setattr(listener, "answer", answer)
    request = wire.pack(fields())
    daemon._last -= 100.0
    assert daemon.idle_seconds > 99.0 and daemon.n_answered == 0
    assert served(daemon, request) == [b"answered", b"0", b"out", b"err"]
    assert daemon.idle_seconds < 50.0 and daemon.n_answered == 1
    daemon._last -= 100.0
    assert served(daemon, request) == [b"declined", b"not sure"]
    assert served(daemon, request) == [b"declined", b"KeyError"]
    assert served(daemon, wire.pack([b"one field"])) == [b"declined", b"ValueError"]
    assert daemon.idle_seconds > 99.0 and daemon.n_answered == 1
    monkeypatch.setattr(wire, "MOST_REPLY_BYTES", 60)
    assert served(daemon, request) == [b"declined", b"too long"]
    monkeypatch.setattr(listener, "is_own_user", lambda _: False)
    assert served(daemon, request) == []
    assert served(daemon, b"") == []


def test_a_daemon_that_has_as_many_requests_as_it_may_takes_no_more(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its limit is sixteen; a connection that it does not take is closed."""
    held: list[socket.socket] = []
    monkeypatch.setattr(daemon, "_serve", held.append)
    pairs = [socket.socketpair() for _ in range(18)]
    theirs = [pair[1] for pair in pairs]

    class Bound:
        def accept(self) -> tuple[socket.socket, str]:
            if len(theirs) == 1:
                daemon._stopped.set()
            return theirs.pop(0), ""

    bound: Any = Bound()
    daemon._accept(bound)
    assert len(held) == 16
    assert [pair[1].fileno() >= 0 for pair in pairs] == [True] * 16 + [False] * 2
    for pair in pairs:
        pair[0].close()
        pair[1].close()


def test_a_daemon_listens_as_long_as_it_has_its_socket(daemon: Daemon) -> None:
    with socket.socket(socket.AF_UNIX) as bound, daemon._holding(bound):
        assert daemon.is_listening
    assert not daemon.is_listening
    daemon.start()
    daemon.stop()
    assert not daemon.is_listening


def test_a_daemon_that_cannot_listen_says_why_and_tries_again(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "AGAIN_SECONDS", 0.01)
    (tmp_path / "i").touch()
    daemon.start()
    until(lambda: daemon.refusal)
    assert "Not a directory" in daemon.refusal
    (tmp_path / "i").unlink()
    until(lambda: daemon.is_listening)
    assert listener.connect_to(PrivateFolder(tmp_path / "i"))
    daemon.stop()
    assert not daemon.is_listening and os.listdir(tmp_path / "i") == []


def test_a_daemon_without_a_thread_closes_the_connection(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Thread:
        def __init__(self, **_: object) -> None: ...

        def start(self) -> None:
            daemon._stopped.set()
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(listener.threading, "Thread", Thread)
    ours, theirs = socket.socketpair()
    with ours:
        bound: Any = SimpleNamespace(accept=lambda: (theirs, ""))
        daemon._accept(bound)
        assert ours.recv(1) == b""
    assert [daemon._free.acquire(blocking=False) for _ in range(17)] == [True] * 16 + [False]


@pytest.mark.parametrize(("value", "may"), [("off", False), ("start", True), (None, True)])
def test_the_environment_may_forbid_to_listen(
    value: str | None, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SYMINDEX_DAEMON", raising=False)
    if value is not None:
        monkeypatch.setenv("SYMINDEX_DAEMON", value)
    assert listener.may_listen() is may
    monkeypatch.delattr(socket, "AF_UNIX")
    assert listener.may_listen() is False


def call(**changed: Any) -> CommandCall:
    usual = CommandCall(["search"], None, None, True, (100, 40), {"TERM": "xterm"}, "/r")
    return usual._replace(**changed)


def test_the_client_of_a_daemon_keeps_what_is_written() -> None:
    asking = answering._Client(call(), lambda: None)
    assert (asking.lines, asking.folder, asking.is_terminal, asking.encoding) == (
        40,
        "/r",
        True,
        "utf-8",
    )
    assert not asking.shows_progress and not asking.may_be_asked
    assert asking.out.isatty() and not asking.err.isatty()
    asking.write("a\r\n")
    asking.write("error", err=True)
    asking.show("b", pages=True)
    asking.write_data("c\udcff")
    assert asking.out.data() == b"a\r\nbc\\udcff" and asking.err.data() == b"error"
    options = asking.console_options()
    assert (options["width"], options["height"]) == (100, 40)
    fixed = answering._Client(call(environment={"COLUMNS": "9"}), lambda: None).console_options()
    assert "width" not in fixed and fixed["file"].isatty()


def test_a_daemon_opens_only_what_its_client_has_named() -> None:
    view: Any = object()
    asking = answering._Client(call(root="r", index_dir="i"), lambda: view)
    assert asking.open_workspace("r", "i") is view
    for other in (("r", None), ("x", "i"), (None, None)):
        with pytest.raises(Declined, match="the options differ"):
            asking.open_workspace(*other)
    with pytest.raises(Declined, match="not sure"):
        answering._Client(call(), lambda: None).open_workspace(None, None)


def test_the_size_of_the_terminal_is_that_of_the_first_stream_that_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def size(number: int) -> os.terminal_size:
        if number != terminal:
            raise OSError
        return os.terminal_size((100 + number, 40))

    monkeypatch.setattr(os, "get_terminal_size", size)
    for terminal in range(4):
        assert exchange._terminal_size() == (f"{100 + terminal} 40" if terminal < 3 else "")


def test_a_request_says_where_and_how_the_command_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLUMNS", raising=False)
    for is_terminal in (True, False):
        monkeypatch.setattr(
            sys,
            "stdout",
            SimpleNamespace(encoding="utf-8", isatty=lambda is_terminal=is_terminal: is_terminal),
        )
        message = exchange.request("/r", ["search", "x\udcff", "--root=r"])
        received = wire.unpack(message[8:])
        assert received[:6] == [
            IDENTITY.encode(), b"/r", b"r", b"", b"utf-8", b"terminal" * is_terminal
        ]  # fmt: skip
        assert received[7] == os.fsencode(tmp_path)
        assert wire.unpack_pairs(received[9])["TERM"] == "xterm"
        assert received[10] == b"search\0x\xff\0--root=r" and len(received) == 11


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The daemons that would be started: their commands and options."""
    begun: list[Any] = []

    def begin(command: list[str], **options: Any) -> Any:
        begun.append((command, options))
        return SimpleNamespace(returncode=None)

    monkeypatch.setattr(subprocess, "Popen", begin)
    monkeypatch.setenv("SYMINDEX_DAEMON", "start")
    return begun


def test_a_daemon_is_started_for_the_options_of_a_search(
    tree: Path, tmp_path: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    start.start_daemon(["search", "x", "--root", str(tree), f"--index-dir={tmp_path}/i"])
    ((command, options),) = started
    assert command[-3:] == ["serve", f"--root={tree}", f"--index-dir={tmp_path}/i"]
    assert options.pop("start_new_session") is True and set(options.values()) == {
        subprocess.DEVNULL
    }
    start.start_daemon(["search", "x"])
    assert started.pop()[0][-1] == "serve"
    for arguments in ([], ["index"], ["search", "--no-daemon"], ["search", "--root="]):
        start.start_daemon(arguments)
    monkeypatch.setenv("SYMINDEX_DAEMON", "1")
    start.start_daemon(["search"])
    monkeypatch.setenv("SYMINDEX_DAEMON", "start")
    monkeypatch.setattr(sys, "platform", "win32")
    start.start_daemon(["search"])
    assert len(started) == 1


def test_no_daemon_is_started_where_another_serves_or_none_can_listen(
    tree: Path, tmp_path: Path, started: list[Any]
) -> None:
    folder = socket_of(tmp_path / "i", tree).parent
    assert not turn.is_taken(str(folder))
    assert turn.take(PrivateFolder(folder))
    try:
        assert (
            turn.is_taken(str(folder)) and (folder / "daemon.lock").stat().st_mode & 0o777 == 0o600
        )
        start.start_daemon(["search"])
        assert not started
    finally:
        turn._KEPT.pop().release()  # type: ignore[attr-defined]
    assert not turn.is_taken(str(folder))
    start.start_daemon(["search"])
    assert len(started) == 1
    folder.chmod(0o777)
    start.start_daemon(["search"])
    assert len(started) == 1


def test_whether_a_socket_can_be_made_is_tried_under_another_name(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    for name in ("daemon.socket", "s", "a_much_longer_name"):
        turn.check_can_listen(str(tmp_path), name)
    assert not os.listdir(tmp_path)
    turn.check_can_listen(str(tmp_path), "s" * 80)
    with pytest.raises(RequestError, match=r"daemon: cannot listen in .*/none: No such file"):
        turn.check_can_listen(str(tmp_path / "none"), "s")
    with pytest.raises(RequestError, match="AF_UNIX path too long"):
        turn.check_can_listen("/tmp", "s" * 110)
    (tmp_path / "s").touch()
    with pytest.raises(RequestError, match="something else exists"):
        turn.check_can_listen(str(tmp_path), "s")


def test_the_right_to_serve_is_refused_where_no_file_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RequestError) as caught:
        turn.take(PrivateFolder(tmp_path / "file" / "i"))
    assert str(caught.value) == (
        f"{tmp_path}/file/i: cannot listen in this folder: Not a directory; choose another"
    )


def test_the_installation_is_recognised_by_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "lib" / "site-packages"
    packages.mkdir(parents=True)
    others = tmp_path / "lib" / "plain"
    others.mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(others), str(packages), str(packages), "/x-packages"])
    before = exchange.identity_now()
    os.utime(others, ns=(1, 1))
    assert exchange.identity_now() == before
    os.utime(packages, ns=(1, 1))
    assert exchange.identity_now().split()[-1] == "1" and before.split()[-1] != "1"
    packages.rmdir()
    assert exchange.identity_now().split()[-1] == "none"


def test_a_connection_says_whether_a_daemon_listens(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path)
    assert listener.connect_to(folder) is False
    with in_place(tmp_path / "daemon.socket", lambda connection: None):
        assert listener.connect_to(folder) is True
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
