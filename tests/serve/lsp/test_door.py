"""Who may connect to the listening language server, and the limits for those who do."""

import asyncio
import contextlib
import json
import os
import re
import resource
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.editor.followed_folders import FollowedFolders
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import RequestError
from symindex.protocol.freshness import SOON
from symindex.protocol.search import SearchRequest
from symindex.serve import listening, unix_peer, unix_socket
from symindex.serve.lsp import listener
from symindex.serve.lsp import run as lsp_run
from symindex.serve.lsp.channel import LONGEST_FIRST, LONGEST_HEADER, NO_HTTP, Channel
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.run import serve_streams
from symindex.serve.mcp import run as mcp_run
from symindex.workspace.watched_tree import WatchedTrees
from tests.support.command import run
from tests.support.files import write_files
from tests.support.lsp_client import (
    EVERYTHING,
    TOKEN,
    Editors,
    LspError,
    TcpServer,
    framed,
    start_server,
)
from tests.support.waiting import SECONDS, until


def hello(options: Any = None, **more: Any) -> dict[str, Any]:
    params = {
        "processId": None,
        "rootUri": None,
        "capabilities": {},
        "initializationOptions": options,
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params, **more}


def said_to(connection: socket.socket) -> bytes:
    """Returns everything that the server sends before it closes the connection."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def error_of(said: bytes) -> tuple[Any, int]:
    answer = json.loads(said.partition(b"\r\n\r\n")[2])
    return answer["id"], answer["error"]["code"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "options",
    [{"token": TOKEN}, {"symindex": {"token": TOKEN}}, {"symindex": {"limit": 3}, "token": TOKEN}],
)
def test_a_client_with_the_token_is_admitted(options: Any, lsp_server: TcpServer) -> None:
    client = lsp_server.connect(token="")
    client.initialize(options=options)
    assert client.symbols("x") == []
    assert not client.told("window/showMessage")
    client.leave()


TURNED_AWAY = [
    (hello(), (1, -32803)),
    (hello({"token": ""}), (1, -32803)),
    (hello({"token": "another-one-that-is-as-long"}), (1, -32803)),
    (hello({"token": TOKEN[:-1]}), (1, -32803)),
    (hello({"token": [TOKEN]}), (1, -32803)),
    (hello({"token": "\ud800" + TOKEN}), (1, -32803)),
    (hello({"symindex": {"token": "x" * 500_000}}), (1, -32803)),
    (hello(id="x" * 100_000), (None, -32803)),
    (hello(id=[[1]]), (None, -32803)),
    (hello(params=[TOKEN]), (1, -32803)),
    (hello({"token": TOKEN}, method="workspace/symbol"), (1, -32002)),
    (
        {
            "jsonrpc": "2.0",
            "method": "initialize",
            "params": {"initializationOptions": {"token": TOKEN}},
        },
        (None, -32002),
    ),
    ({"jsonrpc": "2.0", "method": "exit"}, (None, -32002)),
    (b"{", (None, -32700)),
    (b"[" * 500_000, (None, -32700)),
    (b'{"a":' * 100_000, (None, -32700)),
    (b"[" + b"9" * 500_000 + b"]", (None, -32700)),
    (b"[]", (None, -32600)),
    (b"\xff", (None, -32700)),
    (b'{"jsonrpc":"2.0","id":1,"method":"initialize","x":"\xff"}', (None, -32700)),
    (hello(id="\ud800"), (None, -32803)),
]


@pytest.mark.parametrize(("message", "error"), TURNED_AWAY)
def test_all_others_are_refused_with_the_reason(
    message: Any, error: tuple[Any, int], lsp_server: TcpServer
) -> None:
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    with lsp_server.open() as connection:
        connection.sendall(framed(data))
        assert error_of(said_to(connection)) == error


LENGTH = b"Content-Length: 2\r\n"
BROKEN = [
    (b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}", NO_HTTP),
    (b"get /x HTTP/1.0\r\n\r\n", NO_HTTP),
    (b"Host: 127.0.0.1\r\n" + LENGTH + b"\r\n{}", b""),
    (LENGTH + b"Origin: null\r\n\r\n{}", b""),
    (LENGTH + LENGTH + b"\r\n{}", b""),
    (LENGTH + b"Content-Length: 3\r\n\r\n{}", b""),
    (b"Content-Length: %d\r\n\r\n" % (LONGEST_FIRST + 1), b""),
    (b"Content-Length: +2\r\n\r\n{}", b""),
    ("Content-Length: \u0662\r\n\r\n{}".encode(), b""),
    (b"Content-Type: " + b"x" * LONGEST_HEADER + b"\r\n", b""),
    (b"\r\n" * LONGEST_HEADER, b""),
    (b"x" * 200_000, b""),
]


@pytest.mark.parametrize(("head", "answer"), BROKEN)
def test_an_invalid_header_ends_the_connection(
    head: bytes, answer: bytes, lsp_server: TcpServer
) -> None:
    with lsp_server.open() as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(head)
        assert said_to(connection) == answer


def test_an_admitted_client_that_sends_a_browsers_headers_is_dropped(lsp_server: TcpServer) -> None:
    client = lsp_server.connect()
    client.initialize()
    client.send_bytes(b"Content-Length: 2\r\nX-Other: 1\r\n\r\n{}")
    client.wait(lambda: client.is_ended, "the end of the connection")
    client.hang_up()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_token_is_made_and_shown_once_and_never_logged(tmp_path: Path) -> None:
    write_files(tmp_path, {"tree/a.py": "x1 = 1\n"})
    log = tmp_path / "log"
    environment = {**os.environ, "SYMINDEX_LSP_TOKEN": ""}
    server = TcpServer(["--log-level", "debug", "--log-file", str(log)], env=environment)
    try:
        match = re.search(
            r'clients must send initializationOptions {"token": "(\S{32})"}; to choose the token',
            server.log(),
        )
        assert match is not None
        refused = server.connect(token="")
        with pytest.raises(
            LspError,
            match=r"^-32803: initialize: a token is required: give it as initializationOptions",
        ):
            refused.initialize()
        refused.hang_up()
        client = server.connect(token=match[1])
        client.settings = {"token": match[1], "limit": 7}  # type: ignore[assignment]
        client.initialize(tmp_path / "tree", capabilities=EVERYTHING)
        client.wait_indexed()
        client.notify(
            "workspace/didChangeConfiguration",
            {"settings": {"symindex": {"token": match[1], "limitt": 3}}},
        )
        client.hear("window/showMessage", lambda params: "limitt" in params["message"])
        assert client.names("x1") == ["x1"]
        client.leave()
        assert server.log().count(match[1]) == 1
        assert match[1] not in log.read_text() and match[1] not in str(client.messages)
    finally:
        server.stop()


REFUSED = [
    (
        ("--tcp", "0.0.0.0:0"),
        "",
        "other machines can reach this address: set a token in SYMINDEX_LSP_TOKEN",
    ),
    (
        ("--tcp", "192.0.2.1:0"),
        "",
        "other machines can reach this address: set a token in SYMINDEX_LSP_TOKEN",
    ),
    (("--tcp", "192.0.2.1:0"), TOKEN, "cannot listen there"),
    (("--tcp", "0"), "short", "SYMINDEX_LSP_TOKEN has 5 characters: at least 16 are needed"),
    (("--tcp", "0", "--socket", "x"), "", "exclude each other"),
    (("--root", "/nowhere"), "", "--root /nowhere: no such folder"),
    (
        ("--socket", "/nowhere/x"),
        "",
        "--socket /nowhere/x: cannot listen there: No such file or directory",
    ),
    (("--socket", "x" * 120), "", "cannot listen there: AF_UNIX path too long"),
]


@pytest.mark.parametrize(("arguments", "token", "said"), REFUSED)
def test_places_where_it_does_not_listen(
    arguments: tuple[str, ...],
    token: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SYMINDEX_LSP_TOKEN", token)
    monkeypatch.chdir(tmp_path)
    done = run("lsp", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose path is short enough for a socket."""
    tmp_path.chmod(0o700)
    return tmp_path


def refusal_of(path: Path) -> str:
    with pytest.raises(RequestError) as caught, unix_socket.socket_file(str(path)):
        pass
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_in_the_way_of_a_socket_stays_as_it_is(folder: Path) -> None:
    (folder / "file").write_text("text")
    (folder / "empty").mkdir()
    (folder / "link").symlink_to(folder / "file")
    (folder / "dangling").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "fifo")
    before = sorted(os.listdir(folder))
    for name in before:
        assert "something else exists at this path: choose another" in refusal_of(folder / name)
    with unix_socket.socket_file(str(folder / "live")):
        assert "another server already listens there" in refusal_of(folder / "live")
        (folder / "to-live").symlink_to(folder / "live")
        assert "something else exists at this path" in refusal_of(folder / "to-live")
        (folder / "to-live").unlink()
    assert sorted(os.listdir(folder)) == before
    assert (folder / "file").read_text() == "text"
    assert refusal_of(folder / ("x" * 120)).endswith("cannot listen there: AF_UNIX path too long")


def test_a_socket_without_a_listener_is_replaced(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "s"))
    with unix_socket.socket_file(str(folder / "s")), socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(folder / "s"))
        assert stat.S_IMODE(os.lstat(folder / "s").st_mode) == 0o600
    assert not os.path.lexists(folder / "s")


@pytest.mark.parametrize(
    ("mode", "is_taken"),
    [(0o700, True), (0o755, True), (0o1777, True), (0o777, False), (0o720, False)],
)
def test_a_folder_for_a_socket_is_one_that_no_other_can_write_to(
    mode: int, is_taken: bool, folder: Path
) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a").chmod(mode)
    for path in (folder / "a" / "s", folder / "a" / "b" / "s"):
        if is_taken:
            with unix_socket.socket_file(str(path)):
                pass
        else:
            assert f"others can write to the folder {folder / 'a'}" in refusal_of(path)


def test_a_folder_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert "you do not own the folder" in refusal_of(folder / "s")
    one, other = socket.socketpair()
    with one, other:
        assert not unix_peer.is_own_user(one)
        monkeypatch.undo()
        assert unix_peer.is_own_user(one)


def test_a_folder_below_one_of_another_user_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner of the outer folder could replace it, even with the sticky bit set."""
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a").chmod(0o1777)
    really = os.stat

    def stat_of(path: Any, **more: Any) -> os.stat_result:
        status = really(path, **more)
        return (
            os.stat_result((*status[:4], os.geteuid() + 1, *status[5:10]))
            if path == folder / "a"
            else status
        )

    monkeypatch.setattr(os, "stat", stat_of)
    assert f"the folder {folder / 'a'} belongs to another user" in refusal_of(
        folder / "a" / "b" / "s"
    )
    assert "you do not own the folder" in refusal_of(folder / "a" / "s")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_socket_serves_its_user_and_is_gone_at_the_end(folder: Path) -> None:
    write_files(folder, {"tree/a.py": "def only(): pass\n"})
    server = TcpServer(
        where=("--socket", str(folder / "s")), env={**os.environ, "SYMINDEX_LSP_TOKEN": ""}
    )
    assert server.place == str(folder / "s")
    client = server.connect(token="")
    client.initialize(folder / "tree")
    client.wait_indexed()
    assert client.names("only") == ["only"]
    with server.open() as silent, server.open() as half:
        half.sendall(b"Content-Le")
        assert server.stop() == ""
        assert said_to(silent) == said_to(half) == b""
    client.wait(lambda: client.is_ended, "the end of the connection")
    client.hang_up()
    assert not (folder / "s").exists()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_server_that_was_started_with_roots_reads_nothing_else(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"a/in/one.py": "class Inside: pass\n", "b/two.py": "class Outside: pass\n"}
    )
    (tmp_path / "a" / "way").symlink_to(tmp_path / "b")
    (tmp_path / "to-a").symlink_to(tmp_path / "a")
    inside, outside, way = tmp_path / "a" / "in", tmp_path / "b", tmp_path / "a" / "way"
    client = start_server(
        ["--root", str(tmp_path / "to-a"), "--index-dir", str(tmp_path / "indexes")]
    )
    client.initialize(inside, outside, way, options={"indexDir": str(tmp_path / "elsewhere")})
    client.wait_indexed()
    event = {"added": [{"uri": tmp_path.as_uri(), "name": "all"}], "removed": []}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    client.hear(
        "window/showMessage", lambda params: f" {tmp_path}: is outside of" in params["message"]
    )
    said = sorted(
        params["message"].removeprefix("symindex: ") for params in client.told("window/showMessage")
    )
    why = "is outside of the folders that the server was started with, and is left out"
    held = "setting 'indexDir': ignored, because the server was started with --root or --index-dir"
    assert said == sorted([f"{outside}: {why}", f"{way}: {why}", f"{tmp_path}: {why}", held])
    assert (client.names("Inside"), client.names("Outside")) == (["Inside"], [])
    assert client.outline((inside / "one.py").as_uri())[0]["name"] == "Inside"
    for path in (outside / "two.py", way / "two.py", tmp_path / "nowhere"):
        for method in ("textDocument/documentSymbol", "symindex/outline"):
            with pytest.raises(LspError, match=f"^-32803: {re.escape(str(path))}: {why}$"):
                client.call(method, {"textDocument": {"uri": path.as_uri()}})
    uri = client.open(
        outside / "two.py", "class Typed: pass\n", "python"
    )  # the client itself has sent this text
    assert client.outline(uri)[0]["name"] == "Typed"
    assert client.leave() == 0
    assert (tmp_path / "indexes").is_dir() and not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("bounds", "is_kept"), [((), False), (((Path("/x"),),), True), (((), "/y"), True)]
)
def test_roots_alone_keep_clients_too_from_saying_where_indexes_are(
    bounds: Any, is_kept: bool
) -> None:
    assert Bounds(*bounds).keep_index_dir == is_kept


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A listener for three clients, which greets those it admits with `hello` and waits a moment
    for the others."""
    monkeypatch.setattr(listening, "HEADER_SECONDS", 0.3)
    monkeypatch.setattr(listener, "MOST_CLIENTS", 3)
    bound = listening.listen("--tcp", "127.0.0.1", 0)
    loop = asyncio.new_event_loop()

    async def greet(channel: Channel, first: bytes) -> None:
        channel.write(b"hello")
        while await channel.read() is not None:
            pass

    task = loop.create_task(listener._Listener(bound, "", greet).run())
    thread = threading.Thread(
        target=lambda: loop.run_until_complete(asyncio.wait([task])), daemon=True
    )
    thread.start()
    yield bound
    loop.call_soon_threadsafe(task.cancel)
    thread.join(SECONDS)
    assert not thread.is_alive()
    loop.close()
    bound.close()


def test_a_silent_client_is_dropped_and_an_admitted_one_stays(door: socket.socket) -> None:
    with contextlib.ExitStack() as stack:
        silent, half, body, admitted = (
            stack.enter_context(socket.create_connection(door.getsockname(), SECONDS))
            for _ in range(4)
        )
        with contextlib.suppress(ConnectionError):
            assert said_to(silent) == b""  # at once: the oldest connection makes room
        admitted.sendall(framed(hello()))
        assert admitted.recv(100).endswith(b"hello")
        half.sendall(b"Content-Length: 100\r\n")
        body.sendall(b"Content-Length: 100\r\n\r\n{")
        assert said_to(half) == said_to(body) == b""
        admitted.setblocking(False)
        with pytest.raises(BlockingIOError):
            admitted.recv(1)


@pytest.mark.parametrize("door", ["SYMINDEX_LSP_TOKEN", "SYMINDEX_MCP_TOKEN"])
def test_a_token_is_not_handed_on_to_processes(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This also holds for the token of the other front end."""
    monkeypatch.setenv("SYMINDEX_LSP_TOKEN", TOKEN)
    monkeypatch.setenv("SYMINDEX_MCP_TOKEN", TOKEN)
    assert listening.take_token(door) == TOKEN
    assert not [
        name for name in os.environ if name.endswith("_TOKEN") and name.startswith("SYMINDEX")
    ]


@pytest.mark.parametrize(
    "serve",
    [lambda: serve_streams(Bounds((), None)), lambda: mcp_run.serve([], None, [], None, "auto")],  # type: ignore[arg-type]
)
def test_on_standard_streams_no_token_is_kept_either(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def streams() -> None:
        raise RequestError("here")

    monkeypatch.setattr(mcp_run, "standard_streams", streams)
    monkeypatch.setattr(lsp_run, "standard_streams", streams)
    monkeypatch.setenv("SYMINDEX_LSP_TOKEN", TOKEN)
    monkeypatch.setenv("SYMINDEX_MCP_TOKEN", TOKEN)
    with pytest.raises(RequestError, match="here"):
        serve()
    assert not [
        name for name in os.environ if name.endswith("_TOKEN") and name.startswith("SYMINDEX")
    ]


def test_a_token_that_is_no_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMINDEX_MCP_TOKEN", os.fsdecode(b"\xff" * 20))
    with pytest.raises(RequestError, match="SYMINDEX_MCP_TOKEN is not valid UTF-8"):
        listening.take_token("SYMINDEX_MCP_TOKEN")


@pytest.mark.parametrize(
    ("files", "most"), [(64, 16), (1024, 64), (2, 1), (resource.RLIM_INFINITY, 64)]
)
def test_connections_take_a_quarter_of_the_files_at_most(
    files: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert listening.most_connections(64) == most


def test_the_system_finds_dead_peers() -> None:
    with socket.socket() as connection:
        listening.find_dead_peers(connection)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


def test_the_number_of_clients_is_limited(door: socket.socket) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(socket.create_connection(door.getsockname(), SECONDS))
            connection.sendall(framed(hello()))
            assert connection.recv(100).endswith(b"hello")
        late = stack.enter_context(socket.create_connection(door.getsockname(), SECONDS))
        assert said_to(late) == b""
        connection.sendall(b"Host: \r\n")
        assert said_to(connection) == b""
        until(lambda: is_let_in(door), "room")


def is_let_in(door: socket.socket) -> bool:
    with (
        socket.create_connection(door.getsockname(), SECONDS) as late,
        contextlib.suppress(ConnectionError),
    ):
        late.sendall(framed(hello()))
        return late.recv(100).endswith(b"hello")
    return False


@pytest.mark.nightly
@pytest.mark.slow
def test_at_the_limit_of_files_the_log_stays_small_and_clients_are_served() -> None:
    server = TcpServer(prefix=["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"])
    with contextlib.ExitStack() as stack:
        for n in range(400):
            connection = stack.enter_context(server.open())
            with contextlib.suppress(ConnectionError):  # it had to make room
                connection.sendall(b"Content-Le" * (n % 2))
        client = server.connect()
        client.initialize()  # while the others are still connected
        for n in range(2_000):
            client.change(f"untitled:{n}", 1, "never opened\n\x1b[31m")
        client.outline(client.open("untitled:x", "x = 1", "python"))
        client.leave()
    client = server.connect()
    client.initialize()
    client.leave()
    said = server.log()
    assert "an edit of a document that is not open" in said and len(said) < 10_000
    server.stop()


@pytest.mark.slow
def test_a_folder_that_becomes_a_link_leads_out_of_no_root(tmp_path: Path) -> None:
    """This holds whether or not the folder existed when the client named it."""
    secret = write_files(tmp_path / "secret", {"s.py": "def the_secret(): pass\n"})
    root = write_files(tmp_path / "tree", {"sub/a.py": "def honest(): pass\n"})
    messages: list[str] = []
    session = FollowedWorkspace(
        WatchedTrees(), "utf-8", lambda event: messages.append(event.text), print
    )
    try:
        session.folders.add(root / "sub", "", str(tmp_path / "index"))
        session.folders.add(root / "later", "", str(tmp_path / "index"))
        until(lambda: session.folders.all[0].tree.layers is not None, "an index")
        (root / "later").symlink_to(secret)
        (root / "sub").rename(tmp_path / "away")
        (root / "sub").symlink_to(secret)
        session.folders.all[0].tree.reindex()
        until(
            lambda: any("has become a link" in text for text in messages),
            "the link that was not there before",
        )
        until(
            lambda: any("has become a link" in text for text in messages),
            "the folder that was replaced",
        )
        assert session.folders.all[1].tree.layers is None
        response = session.search(SearchRequest(query="the_secret"), freshness=SOON)
        assert not response.items
    finally:
        session.close()


def test_a_file_that_becomes_a_link_leads_out_of_no_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file changes between check and read, in a root but in none of the client's folders."""
    secret = write_files(tmp_path / "secret", {"s.py": "def the_secret(): pass\n"})
    root = write_files(tmp_path / "tree", {"sub/s.py": "def honest(): pass\n"})
    allowed_root = FollowedFolders._allowed_root
    session = FollowedWorkspace(WatchedTrees(), "utf-8", print, print, allowed=(root.resolve(),))
    try:
        path = root / "sub" / "s.py"
        assert [
            symbol.name for symbol in session.document_symbols(path.as_uri(), path).file.symbols
        ] == ["honest"]

        def swap(self: FollowedFolders, real: Path, path: Path) -> Path | None:
            root_of_file = allowed_root(self, real, path)
            (root / "sub").rename(tmp_path / "away")
            (root / "sub").symlink_to(secret)
            return root_of_file

        monkeypatch.setattr(FollowedFolders, "_allowed_root", swap)
        with pytest.raises(RequestError, match=r"s\.py: cannot be read: is behind a symbolic link"):
            session.document_symbols(path.as_uri(), path)
    finally:
        session.close()


@pytest.mark.nightly
def test_a_wrong_value_under_our_name_keeps_no_later_settings_out(
    editors: Editors, tmp_path: Path
) -> None:
    client = editors.start(tmp_path, options={"symindex": 3})
    client.hear(
        "window/showMessage", lambda params: "unknown setting 'symindex'" in params["message"]
    )
    client.notify("workspace/didChangeConfiguration", {"settings": {"symindex": {"limitt": 3}}})
    client.hear("window/showMessage", lambda params: "limitt" in params["message"])


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("is_let_in", [True, False])
@pytest.mark.parametrize("where", [("--tcp", "127.0.0.1:0"), ("--socket",)])
def test_a_message_byte_by_byte_delays_no_other_client(
    where: tuple[str, ...], is_let_in: bool, folder: Path
) -> None:
    """Others are answered while the message arrives, and in the end it is answered as well."""
    server = TcpServer(
        where=where if where[0] == "--tcp" else ["--socket", str(folder / "lsp.sock")]
    )
    is_over = threading.Event()
    n_sent = 0
    with server.open() as slow:
        if is_let_in:
            slow.sendall(framed(hello({"token": TOKEN})))
            assert b'"result"' in slow.recv(65_536)
        slow.sendall(b"Content-Length: 1000000\r\n\r\n")

        def send() -> None:
            nonlocal n_sent
            # a client that was not admitted has ten seconds
            with contextlib.suppress(ConnectionError):
                while n_sent < 999_999 and not is_over.is_set():
                    slow.sendall(b" ")
                    n_sent += 1
                    if n_sent % 100 == 0:  # at least ten seconds, however fast the machine is
                        time.sleep(0.001)

        sending = threading.Thread(target=send)
        sending.start()
        others = [server.connect() for _ in range(3)]
        for other in others:
            other.initialize()
        uris = [other.open("untitled:x", "x = 1", "python") for other in others]
        for _ in range(10):
            for other, uri in zip(others, uris, strict=True):
                assert other.outline(uri)
        n_meanwhile = n_sent
        is_over.set()
        sending.join()
        assert 0 < n_meanwhile < 999_999
        if is_let_in:
            slow.sendall(b" " * (1_000_000 - n_sent))
            said = b""
            while b"-32700" not in said:
                said += (piece := slow.recv(65_536))
                assert piece
    for other in others:
        other.leave()
    server.stop()
