"""What all servers share, called directly: connections, tokens, addresses, request ids, signals, the
pager, and the other end of a socket."""

import asyncio
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.serve import listening, pager, peer_user, streams, unix_peer, unix_socket
from symindex.serve.faults import describe_fault
from symindex.serve.listening import Connections
from symindex.text.escaping import shorten

Numbers = list[int]

STEPS = st.lists(st.tuples(st.sampled_from(["enter", "begin", "end", "leave"]), st.integers(0, 5)))


@pytest.mark.nightly
@given(STEPS, st.integers(1, 3))
def test_connections_are_a_list_whose_oldest_idle_one_makes_room(
    steps: list[tuple[str, int]], most: int
) -> None:
    """Compared with two lists: of the idle connections, longest idle first, and of the busy."""
    connections = Connections(most)
    idle, busy, gone, dropped = Numbers(), Numbers(), Numbers(), Numbers()
    for step, number in steps:
        if step == "enter" and number not in idle + busy:
            is_full = len(idle) + len(busy) >= most
            if is_full and idle:
                gone.append(idle.pop(0))
            has_room = len(idle) + len(busy) < most
            entered = connections.enter(number, partial(dropped.append, number))
            assert entered is has_room
            idle += [number] * has_room
        elif step == "begin":
            connections.begin(number)
            if number in idle:
                idle.remove(number)
                busy.append(number)
        elif step == "end":
            connections.end(number)
            if number in busy:
                busy.remove(number)
                idle.append(number)
        elif step == "leave":
            connections.leave(number)
            for some in (idle, busy):
                if number in some:
                    some.remove(number)
        assert dropped == gone


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("", ""),
        ("a" * 15, "X_TOKEN has 15 characters: at least 16 are needed"),
        ("a", "X_TOKEN has 1 character: at least 16 are needed"),
        ("a" * 16, ""),
        ("a" * 17, ""),
    ],
)
def test_a_token_has_at_least_sixteen_characters(
    token: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("X_TOKEN", token)
    if message:
        with pytest.raises(RequestError) as caught:
            listening.take_token("X_TOKEN")
        assert str(caught.value) == message
    else:
        assert listening.take_token("X_TOKEN") == token


def test_a_made_token_is_long_and_new_each_time() -> None:
    made = {listening.make_token() for _ in range(3)}
    assert len(made) == 3 and all(len(token) == 32 for token in made)


@pytest.mark.parametrize(
    ("host", "token", "is_refused"),
    [
        ("127.0.0.1", "", False),
        ("localhost", "", False),
        ("::1", "", False),
        ("0.0.0.0", "", True),
        ("0.0.0.0", "a", False),
        ("", "", True),
    ],
)
def test_an_address_that_others_reach_needs_a_token(
    host: str, token: str, is_refused: bool
) -> None:
    if not is_refused:
        listening.check_reach("--tcp", host, token, "X_TOKEN", "a header")
        return
    with pytest.raises(RequestError) as caught:
        listening.check_reach("--tcp", host, token, "X_TOKEN", "a header")
    assert str(caught.value) == (
        f"--tcp {host}: other machines can reach this address: set a token in X_TOKEN;"
        " clients send it as a header"
    )


@given(st.binary(max_size=3), st.binary(max_size=3))
def test_secrets_are_equal_if_their_bytes_are(one: bytes, other: bytes) -> None:
    assert listening.is_same(one, other) is (one == other)
    assert listening.is_same(one, bytes(one))


def test_an_address_in_use_is_refused_and_a_free_one_can_be_used_again_at_once() -> None:
    first = listening.listen("--tcp", "127.0.0.1", 0)
    port = first.getsockname()[1]
    with first:
        with pytest.raises(RequestError) as caught:
            listening.listen("--tcp", "127.0.0.1", port)
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = first.accept()
            accepted.close()  # this side then waits for late packets
            assert client.recv(1) == b""
    assert str(caught.value) == (
        f"--tcp 127.0.0.1:{port}: cannot listen there: Address already in use"
    )
    listening.listen("--tcp", "127.0.0.1", port).close()


def test_no_host_means_every_address_of_this_machine() -> None:
    with listening.listen("--tcp", "", 0) as bound:
        assert bound.type == socket.SOCK_STREAM and bound.getsockname()[0] in ("0.0.0.0", "::")


def test_a_connection_whose_other_side_is_gone_is_ended_after_two_minutes() -> None:
    """The system asks after a minute of silence, four times."""
    with socket.socket() as connection:
        listening.find_dead_peers(connection)
        assert [
            connection.getsockopt(socket.IPPROTO_TCP, option)
            for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        ] == [60, 15, 4]
    with socket.socket(socket.AF_INET6) as connection:
        listening.find_dead_peers(connection)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    with socket.socket(socket.AF_UNIX) as connection:
        listening.find_dead_peers(connection)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 0


def test_of_several_addresses_the_first_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = socket.getaddrinfo("127.0.0.1", 0, type=socket.SOCK_STREAM)
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *_, **__: [*addresses, (socket.AF_UNIX, 1, 0, "", "/nowhere/s")],
    )
    with listening.listen("--tcp", "localhost", 0) as bound:
        assert bound.family == socket.AF_INET


def test_without_limits_of_open_files_the_number_of_connections_is_the_given_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Windows has no such limits."""
    monkeypatch.setitem(sys.modules, "resource", None)
    assert listening.most_connections(5_000) == 5_000


def test_only_messages_go_through_the_standard_streams() -> None:
    """Whatever else is printed goes to standard error, and nothing else reads standard input."""
    kept = [os.dup(number) for number in (0, 1, 2)]
    ends = [os.pipe() for _ in kept]
    try:
        for number, (reading, writing) in enumerate(ends):
            os.dup2(writing if number else reading, number)
        source, target = streams.standard_streams()
        with source, target:
            os.write(ends[0][1], b"question")
            os.close(ends[0][1])
            target.write(b"answer")
            target.flush()
            os.write(1, b"printed")
            assert (source.read(), os.read(0, 9)) == (b"question", b"")
            assert os.read(ends[1][0], 99) == b"answer"
            assert os.read(ends[2][0], 99) == b"printed"
    finally:
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)
        for number in {*ends[0], *ends[1], *ends[2]} - {ends[0][1]}:
            os.close(number)


IDS: list[tuple[object, bool, bool]] = [  # value, as in LSP, as in MCP
    ("a", True, True),
    ("", True, True),
    ("\ud800", False, False),
    (True, False, False),
    (False, False, False),
    (None, False, False),
    ([], False, False),
    (0, True, True),
    (1.5, True, False),
    (2**63 - 1, True, True),
    (2**63, True, False),
    (-(2**63) + 1, True, True),
    (-(2**63), True, False),
]


@pytest.mark.parametrize(("value", "with_fractions", "without"), IDS)
def test_ids_of_requests(value: object, with_fractions: bool, without: bool) -> None:
    assert streams.is_request_id(value, fractions=True) is with_fractions
    assert streams.is_request_id(value, fractions=False) is without


ADDRESSES = [
    ("8000", ("127.0.0.1", 8000)),
    (":8000", ("127.0.0.1", 8000)),
    ("[::1]:0", ("::1", 0)),
    ("host:65535", ("host", 65535)),
    ("host:65536", None),
    ("host:", None),
    ("", None),
    ("host", None),
    ("host:-1", None),
    ("host:٣", None),
]


@pytest.mark.parametrize(("text", "address"), ADDRESSES)
def test_addresses(text: str, address: tuple[str, int] | None) -> None:
    if address is not None:
        assert streams.parse_address("--tcp", text, 9000) == address
        return
    with pytest.raises(RequestError) as caught:
        streams.parse_address("--tcp", text, 9000)
    assert str(caught.value) == (
        f"--tcp {text!r}: expected HOST:PORT or PORT, such as 127.0.0.1:9000; 0 means any free port"
    )


def test_roots_are_resolved_and_each_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "b")
    (tmp_path / "file").touch()
    names = [str(tmp_path / name) for name in ("b", "a", "link", "b/../a")]
    assert streams.read_roots(names) == [tmp_path / "b", tmp_path / "a"]
    assert streams.read_roots([]) == []
    for name, problem in (("file", "not a folder"), ("none", "no such folder")):
        with pytest.raises(RequestError) as caught:
            streams.read_roots([names[0], str(tmp_path / name)])
        assert str(caught.value) == f"--root {str(tmp_path / name)[:200]}: {problem}"
    with pytest.raises(RequestError) as caught:
        streams.read_roots(["x" * 201])
    assert str(caught.value) == f"--root {'x' * 200}: no such folder"


@pytest.fixture
def handlers() -> Iterator[None]:
    """Restores the handlers of the signals that end a process."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
def test_a_signal_ends_a_process_as_ctrl_c_does_and_a_second_one_is_ignored() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert streams.ending_signals() == [signal.SIGINT, signal.SIGTERM]
    streams.end_cleanly()
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    with pytest.raises(KeyboardInterrupt) as caught:
        signal.raise_signal(signal.SIGTERM)
    assert caught.value.args == (signal.SIGTERM,)
    signal.raise_signal(signal.SIGTERM)
    assert streams.ending_signals() == [signal.SIGINT]


@pytest.mark.usefixtures("handlers")
def test_a_handler_of_somebody_else_is_kept() -> None:
    received: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    streams.end_cleanly()
    signal.raise_signal(signal.SIGTERM)
    assert received == [signal.SIGTERM]


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("n_signals", [0, 1, 2])
def test_a_signal_cancels_a_server_once(n_signals: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ended: list[str] = []

    async def serve() -> int:
        try:
            for _ in range(n_signals):
                signal.raise_signal(signal.SIGTERM)
            await asyncio.sleep(10.0 if n_signals else 0.0)
        finally:
            await asyncio.sleep(0.01)  # the second signal would be noticed here
            ended.append("ended")
        return 7

    assert streams.run_until_stopped(serve()) == (0 if n_signals else 7)
    assert ended == ["ended"]


COMMANDS: list[tuple[dict[str, str], list[str]]] = [
    ({"PAGER": "more -s"}, ["more", "-s"]),
    ({"PAGER": "cat"}, []),
    ({"PAGER": "cat -A"}, ["cat", "-A"]),
    ({"PAGER": ""}, []),
    ({"PAGER": "more", "SYMINDEX_PAGER": "less"}, ["less"]),
    ({"PAGER": "more", "SYMINDEX_PAGER": ""}, []),
    ({"PAGER": "'more"}, []),
]


@pytest.mark.parametrize(("environment", "words"), COMMANDS)
def test_the_command_of_the_pager(environment: dict[str, str], words: list[str]) -> None:
    assert pager.command(environment) == words


def test_without_a_variable_the_pager_is_less_if_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pager.command({}) == []
    (tmp_path / "less").touch(0o700)
    assert pager.command({}) == ["less"]


def test_as_many_lines_as_the_terminal_has_are_paged_and_fewer_are_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "page"
    program.write_text(
        f'#!/bin/sh\nprintf "%s %s\\n" "$LESS" "$LV" >{tmp_path}/out\ncat >>{tmp_path}/out\n'
    )
    program.chmod(0o700)
    environment = {"PAGER": str(program), "LV": "-l"}
    handler = signal.getsignal(signal.SIGINT)
    assert pager.show(b"a\n" * 3, environment, 4) is False
    assert pager.show(b"a\n" * 4, {"PAGER": "cat"}, 4) is False
    assert not (tmp_path / "out").exists()
    assert pager.show(b"a\n" * 4, environment, 4) is True
    assert (tmp_path / "out").read_text() == "FRX -l\na\na\na\na\n"
    assert signal.getsignal(signal.SIGINT) is handler
    program.unlink()
    assert pager.show(b"a\n" * 4, environment, 4) is False
    assert capsys.readouterr().err == (
        f"symindex: the pager {str(program)!a} cannot be started (No such file or directory):"
        " set PAGER, or use --no-pager\n"
    )


@pytest.mark.parametrize(
    ("is_terminal", "term", "may_page"),
    [(True, "xterm", True), (True, "dumb", False), (False, "xterm", False), (True, None, True)],
)
def test_a_person_at_a_terminal_has_a_pager(
    is_terminal: bool, term: str | None, may_page: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal, raising=False)
    assert pager.may_page({"TERM": term} if term is not None else {}) is may_page


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Writes the system's lists of sockets: for each version, lines of the two addresses, the user
    and the inode."""

    def write(**lines: list[tuple[str, str, int, int]]) -> None:
        for version, rows in lines.items():
            text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
            for local, remote, user, inode in rows:
                text += f"   0: {local} {remote} 01 00000000:00000000 00:00000000 00000000 {user} 0 {inode} 1\n"
            (tmp_path / version).write_text(text)
        places = {4: str(tmp_path / "four"), 6: str(tmp_path / "six")}
        monkeypatch.setattr(peer_user, "_LISTS", places)

    return write


HERE, PEER = "0100007F:1F90", "0100007F:C350"
MAPPED = "0000000000000000FFFF0000"


def connection(peer: tuple[str, int], own: tuple[str, int]) -> Any:
    class Connection:
        getpeername = staticmethod(lambda: peer)
        getsockname = staticmethod(lambda: own)

    return Connection()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list users")
def test_the_user_of_a_connection_is_the_one_listed_for_its_other_end(
    listed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    me, root, stranger = 1000, 0, 1
    monkeypatch.setattr(os, "geteuid", lambda: me)
    from_peer = connection(("127.0.0.1", 50000), ("127.0.0.1", 8080))
    rows = {
        "own": ([(PEER, HERE, me, 9)], False),
        "root's": ([(PEER, HERE, root, 9)], False),
        "a stranger's": ([(PEER, HERE, stranger, 9)], True),
        "not listed": ([], True),
        "our own end alone": ([(HERE, PEER, me, 9)], True),
        "closed": ([(PEER, HERE, me, 0)], True),
        "closed, and open again": ([(PEER, HERE, stranger, 0), (PEER, HERE, me, 9)], False),
        "another port": ([("0100007F:C351", HERE, me, 9)], True),
    }
    for name, (lines, is_other) in rows.items():
        listed(four=lines, six=[])
        assert peer_user.is_other_user(from_peer) is is_other, name
        listed(
            four=[],
            six=[(MAPPED + local, MAPPED + remote, *rest) for local, remote, *rest in lines],
        )
        assert peer_user.is_other_user(from_peer) is is_other, f"{name}, mapped"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list users")
def test_the_user_of_a_connection_by_ipv6(listed: Callable[..., None], tmp_path: Path) -> None:
    me = os.geteuid()
    local = "00000000000000000000000001000000"
    scoped = "000080FE00000000000000000D0C0B0A"
    lines = [
        (f"{local}:C350", f"{local}:1F90", me, 9),
        (f"{scoped}:C350", f"{scoped}:1F90", me, 9),
    ]
    listed(four=[], six=lines)
    for host in ("::1", "fe80::a0b:c0d%eth0"):
        assert not peer_user.is_other_user(connection((host, 50000), (host, 8080)))
    assert peer_user.is_other_user(connection(("::2", 50000), ("::2", 8080)))
    assert peer_user.is_other_user(connection(("", 50000), ("", 8080)))  # a Unix socket
    (tmp_path / "six").unlink()  # a system without IPv6
    assert peer_user.is_other_user(connection(("::1", 50000), ("::1", 8080)))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list users")
def test_a_real_connection_of_this_user() -> None:
    with listening.listen("--tcp", "127.0.0.1", 0) as bound:
        client = socket.create_connection(bound.getsockname())
        accepted, _ = bound.accept()
        with accepted:
            assert not peer_user.is_other_user(accepted)
            client.close()
            assert peer_user.is_other_user(accepted)


def test_other_systems_do_not_show_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert peer_user.is_other_user(connection(("192.0.2.1", 1), ("192.0.2.1", 2))) is False


@pytest.mark.skipif(sys.platform != "linux", reason="shortens paths on Linux alone")
def test_a_path_of_more_than_a_hundred_bytes_is_shortened(tmp_path: Path) -> None:
    room = 100 - len(f"{tmp_path}//s")
    for extra, is_short in ((-1, True), (0, True), (1, False)):
        folder = tmp_path / ("f" * (room + extra))
        folder.mkdir()
        path = str(folder / "s")
        assert len(path) == 100 + extra
        n_open = len(os.listdir("/proc/self/fd"))
        with unix_peer.Address(path) as address:
            assert (address == path) is is_short
            Path(address).touch()
        assert (folder / "s").exists()
        assert len(os.listdir("/proc/self/fd")) == n_open


def test_the_user_of_a_unix_socket_is_read_as_each_system_tells_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Connection:
        user = os.geteuid()

        def getsockopt(self, level: int, option: int, size: int) -> bytes:
            assert (level, option, size) == (0, 1, 76)
            return struct.pack("=II", 0, self.user).ljust(76, b"\0")

    one, other = socket.socketpair()
    with one, other:
        assert unix_peer.is_own_user(one) is True
        monkeypatch.setattr(os, "geteuid", lambda: Connection.user + 1)
        assert unix_peer.is_own_user(one) is False
        monkeypatch.undo()
    monkeypatch.setattr(sys, "platform", "darwin")
    connection: Any = Connection()
    assert unix_peer.is_own_user(connection) is True
    connection.user += 1
    assert unix_peer.is_own_user(connection) is False
    monkeypatch.setattr(sys, "platform", "plan9")
    assert unix_peer.is_own_user(connection) is True


def status(mode: int, user: int) -> os.stat_result:
    return os.stat_result((mode, 1, 1, 1, user, user, 0, 0, 0, 0))


FOLDERS: list[tuple[str, dict[str, tuple[int, int]], str]] = [  # mode and owner; 1: this user
    ("own", {"/a": (0o755, 0), "/a/b": (0o700, 1)}, ""),
    ("root's, sticky", {"/a": (0o755, 0), "/a/b": (0o1777, 0)}, ""),
    ("root's, not sticky", {"/a/b": (0o755, 0)}, "you do not own the folder /a/b: choose one that you own"),
    ("another's, sticky", {"/a/b": (0o1777, 2)}, "you do not own the folder /a/b: choose one that you own"),
    ("below an own one", {"/a": (0o755, 1), "/a/b": (0o700, 1)}, ""),
    ("below another's", {"/a": (0o755, 2), "/a/b": (0o700, 1)}, "the folder /a belongs to another user: choose one that only you can write to"),
    ("written by the group", {"/a": (0o775, 0), "/a/b": (0o700, 1)}, "others can write to the folder /a: choose one that only you can write to"),
    ("written by all", {"/a/b": (0o702, 1)}, "others can write to the folder /a/b: choose one that only you can write to"),
    ("below a sticky one", {"/a": (0o1777, 0), "/a/b": (0o700, 1)}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "folders", "message"), FOLDERS)
def test_folders_for_a_socket(
    name: str, folders: dict[str, tuple[int, int]], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    statuses = {"/": (0o755, 0), "/a": (0o755, 0)} | folders
    monkeypatch.setattr(os, "stat", lambda path: status(*statuses[str(path)]))
    try:
        unix_socket.check_folder(Path("/a/b"), "TEXT" * 60, "--socket")
    except RequestError as error:
        assert str(error) == f"--socket {'TEXT' * 50}: {message}"
    else:
        assert not message


def test_a_path_that_is_taken_is_named_up_to_its_two_hundredth_character(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    text = "x" * 199 + "yz"
    with pytest.raises(RequestError) as caught:
        unix_socket.check_path(tmp_path / "file", text, "--socket")
    assert str(caught.value) == (
        f"--socket {'x' * 199}y: something else exists at this path: choose another"
    )
    assert unix_socket.check_path(tmp_path / "none", text, "--socket") is None


def test_a_socket_that_cannot_listen_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Socket(socket.socket):
        def listen(self, *_: int) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(socket, "socket", Socket)
    with (
        pytest.raises(RequestError) as caught,
        unix_socket.socket_file(str(tmp_path / "s")),
    ):
        pass
    assert str(caught.value) == (
        f"--socket {str(tmp_path / 's')[:200]}: cannot listen there: No space left on device"
    )
    assert not os.listdir(tmp_path)


def test_what_replaces_a_socket_is_kept_at_its_end(tmp_path: Path) -> None:
    with unix_socket.socket_file(str(tmp_path / "s")) as bound:
        assert bound.fileno() >= 0
        (tmp_path / "s").unlink()
        (tmp_path / "s").write_text("another")
    assert (tmp_path / "s").read_text() == "another" and bound.fileno() == -1
    mask = os.umask(0o022)
    assert os.umask(mask) == 0o022


def test_a_server_whose_queue_is_full_listens(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as bound, socket.socket(socket.AF_UNIX) as first:
        bound.bind(str(path))
        bound.listen(0)
        first.connect(str(path))
        with pytest.raises(RequestError, match="another server already listens there"):
            unix_socket.check_path(path, "s", "--socket")


def test_a_fault_is_placed_at_the_innermost_line_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise ValueError("")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    line = listening.listen.__code__.co_firstlineno
    with pytest.raises(ValueError) as caught:
        listening.listen("--tcp", "", 0)
    place, _, text = describe_fault(caught.value).partition(": ")
    prefix, _, number = place.rpartition(":")
    assert (prefix, text) == ("internal error at symindex.serve.listening", "ValueError")
    assert line < int(number) < line + 10
    with pytest.raises(ValueError) as caught:
        fail()
    place = describe_fault(caught.value).partition(": ")[0]
    assert place == f"internal error at {__name__}:{fail.__code__.co_firstlineno + 1}"


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (SystemError("returned NULL without exception set"), True),
        (SystemError("another"), False),
        (ValueError("without exception set"), False),
        (OSError(12, "Cannot allocate memory"), True),
    ],
)
def test_which_faults_are_a_lack_of_memory(
    error: Exception, is_memory: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (10**9, 10**9))
    assert describe_fault(error).startswith("not enough memory") is is_memory


def test_the_text_of_a_fault_is_cut_after_500_characters() -> None:
    text = describe_fault(ValueError("x" * 600)).partition("place: ")[2]
    assert text == shorten("ValueError: " + "x" * 600, 500) and len(text) <= 501
