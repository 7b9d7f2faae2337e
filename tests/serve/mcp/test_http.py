"""The MCP server over HTTP: the SDK's own client, and the clients that are refused."""

import asyncio
import contextlib
import http.client
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from symindex.serve import listening, slow_bodies, uvicorn_limits
from symindex.serve.mcp import http as serving
from symindex.serve.mcp.ids_in_use import IdsInUse
from symindex.serve.mcp.tools import TOOLS
from symindex.serve.peer_user import is_other_user
from tests.support.command import run
from tests.support.files import write_files
from tests.support.mcp_http import TOKEN, HttpServer
from tests.support.waiting import until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("http") / "tree", {"a.py": "def only(): pass\n"})


@pytest.fixture(scope="module")
def server(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(tree, tmp_path_factory.mktemp("indexes"), "--http", "0")
    yield server
    server.stop()


@pytest.mark.nightly
def test_a_call(server: HttpServer) -> None:
    status, text = server.post()
    assert status == 200 and "| `only` | function | a.py:1 |" in text


@pytest.mark.nightly
def test_clients_that_are_refused(server: HttpServer) -> None:
    assert server.post(Origin="http://evil.example")[0] == 403
    assert server.post(Host="evil.example")[0] == 421
    assert server.post(b" " * (3 << 20))[0] == 413
    # The announced length is too large: the server does not wait for the body.
    assert server.post(b"{}", **{"Content-Length": str(10**9)})[0] == 413
    assert server.post(b"not json")[0] == 400
    assert server.post(Origin=f"http://localhost:{server.port}")[0] == 200


@pytest.mark.nightly
@pytest.mark.parametrize("pieces", [1, 3])
def test_a_body_has_a_limit(pieces: int, server: HttpServer) -> None:
    """This holds whether or not the client announces the length."""
    for length, status in ((serving.MOST_BYTES, 400), (serving.MOST_BYTES + 1, 413)):
        body = b" " * length
        parts = iter([body[n::pieces] for n in range(pieces)])
        assert server.post(body if pieces == 1 else parts)[0] == status


@pytest.mark.parametrize("name", ["Host", "Origin", "Authorization"])
def test_what_may_come_once_comes_once(name: str, server: HttpServer) -> None:
    """If a header came twice, one part of a server would use the first, and another part the
    last."""
    value = {"Host": "localhost", "Origin": "http://localhost", "Authorization": "Bearer x"}[name]
    fields = {"Host": ["localhost"], "Origin": [], "Authorization": [], "Content-Length": ["0"]} | {
        name: [value, value]
    }
    head = "".join(f"{key}: {value}\r\n" for key, values in fields.items() for value in values)
    with socket.create_connection(("127.0.0.1", server.port), 20) as asking:
        asking.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode())
        assert asking.recv(100).startswith(b"HTTP/1.1 400 ")


FOREIGN = [
    ({"Host": "localhost:80.evil.example"}, 421),
    ({"Host": ""}, 421),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://localhost.evil.example"}, 403),
    ({"Origin": "http://localhost:80.evil.example"}, 403),
    ({"Origin": "http://127.0.0.1:80@evil.example"}, 403),
    ({"Origin": "http://localhost:80,http://evil"}, 403),
    ({"Origin": "http://localhost:80 http://evil"}, 403),
    ({"Origin": "http://[::1]:5"}, 200),
    ({"Content-Type": "text/plain"}, 400),
    ({"Accept": "text/html"}, 406),
]


@pytest.mark.sample(9)
@pytest.mark.parametrize(("headers", "status"), FOREIGN)
def test_foreign_hosts_and_origins(
    server: HttpServer, headers: dict[str, str], status: int
) -> None:
    assert server.post(**headers)[0] == status  # type: ignore[arg-type]


def test_a_client_that_goes_before_its_body_has_come(server: HttpServer) -> None:
    """This harms no other client and is not a fault: the server ends without one."""
    host = f"Host: 127.0.0.1:{server.port}"
    head = f"POST /mcp HTTP/1.1\r\n{host}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{{"
    with socket.create_connection(("127.0.0.1", server.port)) as gone:
        gone.sendall(head.encode())
        assert server.post()[0] == 200
    assert server.post()[0] == 200


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("/mcp", 0.0),  # before the answer begins
        ("/nowhere", 0.2),  # after the answer, while the server still waits for the body
        ("/mcp", 0.2),
    ],
)
def test_a_body_that_goes_wrong_on_the_way(path: str, after: float, server: HttpServer) -> None:
    """This is not a fault: the server ends without one."""
    usual = f"Host: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream"
    head = f"POST {path} HTTP/1.1\r\n{usual}\r\nTransfer-Encoding: chunked\r\n\r\n"
    for _ in range(20):
        with (
            socket.create_connection(("127.0.0.1", server.port), 20) as odd,
            contextlib.suppress(ConnectionError),
        ):
            odd.sendall(head.encode())
            time.sleep(after / 20)
            odd.sendall(b"no chunk\r\n")
            while odd.recv(1_000):
                pass
    assert server.post()[0] == 200


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never() -> Any:
        await anyio.sleep_forever()

    async def ask() -> Any:
        return await slow_bodies.in_time(never)()

    monkeypatch.setattr(slow_bodies, "BODY_SECONDS", 0.05)
    assert anyio.run(ask) == {"type": "http.disconnect"}


def test_a_message_that_names_no_rest_is_the_whole_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after the body, such as the end of the connection, has no limit of time."""

    async def ask() -> list[Any]:
        n_asked = 0

        async def receive() -> Any:
            nonlocal n_asked
            n_asked += 1
            await anyio.sleep(0.1 * (n_asked - 1))
            return {"type": "http.request", "body": b"", "number": n_asked}

        receive_in_time = slow_bodies.in_time(receive)
        return [await receive_in_time() for _ in range(2)]

    monkeypatch.setattr(slow_bodies, "BODY_SECONDS", 0.05)
    assert [message.get("number") for message in anyio.run(ask)] == [1, 2]


@pytest.mark.nightly
def test_many_open_connections_keep_no_client_out(server: HttpServer) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(300):
            waiting = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            waiting.sendall(b"POST /mcp HT")
        assert server.post()[0] == 200


@pytest.mark.parametrize(
    "body", [b"[" * 1_000_000, b'{"a":' * 200_000, b"[" + b"9" * 1_000_000 + b"]", b'"\\ud800"']
)
def test_what_is_hard_to_read_is_no_message(body: bytes, server: HttpServer) -> None:
    assert server.post(body)[0] == 400


@pytest.mark.nightly
def test_at_the_limit_of_files_the_log_stays_small_and_clients_are_served(
    tree: Path, tmp_path: Path
) -> None:
    server = HttpServer(
        tree, tmp_path, "--http", "0", prefix=["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"]
    )
    with contextlib.ExitStack() as stack:
        for n in range(400):
            waiting = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            with contextlib.suppress(ConnectionError):  # it had to make room
                waiting.sendall((b"", b"POST /mcp HT", b"nonsense\r\n\r\n")[n % 3])
        assert server.post()[0] == 200  # while the others are still connected
    assert server.post()[0] == 200
    assert len(server.stop()) < 10_000


@pytest.mark.nightly
def test_a_signal_ends_it_while_clients_are_there(tree: Path, tmp_path: Path) -> None:
    server = HttpServer(tree, tmp_path, "--http", "0")
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAccept: application/json, text/event-stream\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    with contextlib.ExitStack() as stack:
        for sent in ("", "POST /mcp HT", head):
            waiting = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            waiting.sendall(sent.encode())
        assert server.post()[0] == 200
        assert server.stop(signal.SIGTERM) == ""


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server that answers every request with `yes`, serves three clients at a time,
    and waits a moment for headers."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for word in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{word}.complete"})
            return
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [] if scope["path"] == "/much" else [(b"content-length", b"3")],
            }
        )
        if scope["path"] == "/wait":
            await send({"type": "http.response.body", "body": b"y", "more_body": True})
            await receive()
            await receive()  # until the client has gone
        if scope["path"] == "/much":
            await send({"type": "http.response.body", "body": b"y" * 8_000_000, "more_body": True})
        await send({"type": "http.response.body", "body": b"yes"})

    monkeypatch.setattr(listening, "HEADER_SECONDS", 0.3)
    monkeypatch.setattr(uvicorn_limits, "TAKING_SECONDS", 0.3)
    monkeypatch.setattr(uvicorn_limits, "MOST_CONNECTIONS", 3)
    bound = listening.listen("--http", "127.0.0.1", 0)
    server = uvicorn_limits.LimitedServer(
        uvicorn_limits.configure(serving._Guard(app, ""), token_variable="")
    )
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    monkeypatch.setattr(
        uvicorn_limits.LimitedServer, "capture_signals", contextlib.nullcontext
    )  # signals need the main thread
    thread.start()
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def said_to(connection: socket.socket) -> bytes:
    """Returns everything that the server sends before it closes the connection."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.nightly
def test_a_silent_client_is_dropped_and_an_answered_one_is_not(port: int) -> None:
    with contextlib.ExitStack() as stack:
        first, silent, half, busy = (
            stack.enter_context(socket.create_connection(("127.0.0.1", port), 20)) for _ in range(4)
        )
        assert said_to(first) == b""  # at once: the oldest connection makes room
        half.sendall(GET + GET + GET[:9])  # also after complete requests
        busy.sendall(GET.replace(b"/ ", b"/wait "))
        assert busy.recv(1_000).startswith(b"HTTP/1.1 200")
        assert said_to(silent) == b""
        assert said_to(half).count(b"yes") == 2
        busy.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            assert busy.recv(1) == b"y"  # still connected


def test_an_answer_that_is_read_slowly_is_whole(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time for the next header begins when the answer has been taken, not when it was made."""
    monkeypatch.setattr(uvicorn_limits, "TAKING_SECONDS", 20)
    with socket.create_connection(("127.0.0.1", port), 20) as slow:
        slow.sendall(GET.replace(b"/ ", b"/much "))
        n_bytes, began = 0, time.monotonic()
        while part := slow.recv(1 << 17):
            n_bytes += len(part)
            if time.monotonic() - began < 1:  # three times as long as a header may take
                time.sleep(0.05)
            if n_bytes > 8_000_000:
                break
    assert n_bytes > 8_000_000


def test_the_number_of_clients_is_limited(port: int) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", port), 20))
            half.sendall(
                b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
            )  # the body never comes: this connection makes room
            busy = stack.enter_context(socket.create_connection(("127.0.0.1", port), 20))
            busy.sendall(GET.replace(b"/ ", b"/wait "))
            assert busy.recv(1_000).startswith(b"HTTP/1.1 200")
        assert is_turned_away(port)
    until(lambda: not is_turned_away(port), "room")


@pytest.mark.parametrize(
    "asked", [b"GET / HTTP/1.1\r\nHost: x:y\r\n\r\n" * 50_000, GET.replace(b"/ ", b"/much ")]
)
def test_a_client_that_does_not_read_is_dropped(asked: bytes, port: int) -> None:
    """This holds for a client that is refused again and again, and for one that gets long
    answers."""
    with contextlib.ExitStack() as stack:
        deaf = [stack.enter_context(socket.socket()) for _ in range(3)]
        for connection in deaf:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.connect(("127.0.0.1", port))
            connection.settimeout(0.1)
            with contextlib.suppress(OSError):
                connection.sendall(asked)
            connection.settimeout(20)
            assert connection.recv(8) == b"HTTP/1.1"  # its answer has begun
        until(lambda: not is_turned_away(port), "room")


def test_a_refused_client_must_reconnect(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 20) as stranger:
        stranger.sendall(GET.replace(b"Host: x", b"Host: x:y") + GET)
        said = said_to(stranger)
    assert said.startswith(b"HTTP/1.1 421") and b"yes" not in said


def is_turned_away(port: int) -> bool:
    with (
        socket.create_connection(("127.0.0.1", port), 20) as late,
        contextlib.suppress(ConnectionError),
    ):
        late.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        return b"yes" not in said_to(late)
    return True


@pytest.mark.nightly
def test_without_the_token_no_client_is_answered(tree: Path, tmp_path: Path) -> None:
    server = HttpServer(tree, tmp_path, "--http", "127.0.0.1:0", token=TOKEN)
    try:
        assert server.post()[0] == server.post(Authorization="Bearer wrong")[0] == 401
        assert server.post(Authorization=f"Bearer {TOKEN}")[0] == 200
    finally:
        server.stop()


REFUSED = [
    (("--http", "0.0.0.0:0"), "", "set a token in SYMINDEX_MCP_TOKEN"),
    (("--http", "0.0.0.0:0"), TOKEN, "use --allowed-host to name the host that clients use"),
    (("--http", "127.0.0.1:0"), "short", "at least 16 are needed"),
    (("--http", "nonsense"), "", "expected HOST:PORT or PORT"),
    (("--http", "127.0.0.1:99999"), "", "expected HOST:PORT or PORT"),
    (("--http", "192.0.2.1:0"), TOKEN, "cannot listen there"),
    (("--http", "0", "--root", "/nowhere"), "", "--root /nowhere: no such folder"),
]


@pytest.mark.parametrize(("arguments", "token", "said"), REFUSED)
def test_what_is_not_served(
    arguments: tuple[str, ...],
    token: str,
    said: str,
    tree: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def serve(*_: Any, **__: Any) -> None:
        raise AssertionError("it is served")

    monkeypatch.setattr(uvicorn_limits.uvicorn.Server, "run", serve)
    monkeypatch.setenv(serving.MCP_TOKEN, token)
    done = run("mcp", "--root", str(tree), "--index-dir", str(tmp_path), *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1


async def talk(client: Client) -> list[Any]:
    async with client:
        tools = await client.list_tools()
        result = await client.call_tool("search", {"query": "only"})
        broken = await client.call_tool("search", {"kinds": ["klass"]})
        return [sorted(tool.name for tool in tools.tools), result, broken]


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_sdks_own_client(
    mode: Any, transport: str, server: HttpServer, tree: Path, tmp_path: Path
) -> None:
    """It speaks the newest revision, or performs the handshake of earlier ones."""
    words = ["-m", "symindex", "mcp", "--root", str(tree), "--index-dir", str(tmp_path)]
    command = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    to = command if transport == "stdio" else f"http://127.0.0.1:{server.port}/mcp"
    names, result, broken = anyio.run(talk, Client(to, mode=mode))
    assert names == sorted(tool["name"] for tool in TOOLS)
    assert "| `only` | function | a.py:1 |" in result.content[0].text
    assert result.structured_content["total"] == 1 and not result.is_error
    assert broken.is_error and "unknown kind 'klass'" in broken.content[0].text


as_stranger = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0,
    reason="only root can become another user, and only Linux reports it",
)


def asked_by_a_stranger(ask: Callable[[], int]) -> int:
    """Returns the status that a process of another user gets, or 77 if it gets no answer."""
    "localhost".encode("idna")  # loads the codec while the library is still readable
    stranger = os.fork()
    if stranger == 0:
        answer = 77
        try:
            os.setuid(65534)
            with contextlib.suppress(OSError):
                answer = ask()
        finally:  # the child must not continue as the tests
            os._exit(answer)
    return os.waitstatus_to_exitcode(os.waitpid(stranger, 0)[1])


@pytest.mark.nightly
@as_stranger
@pytest.mark.parametrize("token", ["", TOKEN])
def test_another_user_of_this_machine_needs_the_token(token: str, tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "only = 1\n"})
    server = HttpServer(root, tmp_path / "index", "--http", "127.0.0.1:0", token=token)
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask_by_ipv6() -> int:
        with socket.socket(socket.AF_INET6) as asking:
            asking.settimeout(20)
            asking.connect(("::ffff:127.0.0.1", server.port))
            asking.sendall(b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return 0 if asking.recv(100) else 77

    assert asked_by_a_stranger(lambda: server.post(**headers)[0] - 200) == (0 if token else 77)  # type: ignore[arg-type]
    assert asked_by_a_stranger(ask_by_ipv6) == (0 if token else 77)
    assert server.post(**headers)[0] == 200  # type: ignore[arg-type]
    assert ("another user of this machine" in server.stop()) != bool(token)


@as_stranger
def test_a_closed_connection_is_not_the_users_own() -> None:
    """The system lists such a connection as root's."""
    with socket.create_server(("127.0.0.1", 0)) as listening_socket:
        address = listening_socket.getsockname()

        def connect_and_close() -> int:
            socket.create_connection(address).close()
            return 0

        assert asked_by_a_stranger(connect_and_close) == 0
        connection, _ = listening_socket.accept()
        with connection:
            assert is_other_user(connection)
        with socket.create_connection(address), listening_socket.accept()[0] as own:
            assert not is_other_user(own)
        with socket.create_connection(address) as half_closed, listening_socket.accept()[0] as own:
            # everything was sent, and the client waits for the answer
            half_closed.shutdown(socket.SHUT_WR)
            assert own.recv(1) == b"" and not is_other_user(own)


def open_session(server: HttpServer) -> dict[str, str]:
    """Performs a handshake; returns the headers of its session."""
    about = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", json.dumps(hello), usual)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return {
        "Mcp-Session-Id": answer.headers["mcp-session-id"],
        "MCP-Protocol-Version": "2025-06-18",
    }


def test_requests_with_one_id_are_each_answered_or_refused_at_once(server: HttpServer) -> None:
    session = open_session(server)
    call = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "only"}},
    }

    def ask(number: int) -> tuple[int, str]:
        return server.post(json.dumps(call | {"id": (7, "7")[number % 2]}).encode(), **session)

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(ask, range(20)))
    answered = [said for status, said in answers if status == 200]
    assert answered and all("a.py:1" in said for said in answered)
    assert all("is in use" in said and '"id":' in said for status, said in answers if status != 200)
    assert ask(0)[0] == 200  # the id is free again
    assert server.post(json.dumps(call | {"id": "_GET_stream"}).encode(), **session)[0] == 400


def test_another_session_may_use_the_same_id_and_so_may_requests_without_one(
    server: HttpServer,
) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping"}).encode()
    with ThreadPoolExecutor(8) as threads:
        sessions = [open_session(server) for _ in range(2)]
        assert {
            status
            for status, _ in threads.map(lambda headers: server.post(ping, **headers), sessions)
        } == {200}
        assert {status for status, _ in threads.map(lambda _: server.post(), range(8))} == {200}


@pytest.mark.parametrize("is_there", [True, False])
def test_an_id_is_in_use_until_its_answer_is_there_or_its_call_is_surely_over(
    is_there: bool,
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["body"] == body
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": not is_there})

    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    scope = {"type": "http", "method": "POST", "headers": [(b"mcp-session-id", b"s")]}
    statuses: list[int] = []

    async def ask() -> None:
        ids = IdsInUse(app, 100)
        for _ in range(2):
            pieces = [body[:9], body[9:]]

            async def receive(pieces: list[bytes] = pieces) -> Any:
                return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

            async def send(message: Any) -> None:
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            await ids(scope, receive, send)

    asyncio.run(ask())
    assert statuses == ([200, 200] if is_there else [200, 400])


def test_a_body_of_very_many_chunks_is_refused_and_others_are_answered(server: HttpServer) -> None:
    host = f"Host: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream"
    with (
        socket.create_connection(("127.0.0.1", server.port), 20) as flood,
        contextlib.suppress(ConnectionError),
    ):
        flood.sendall(
            f"POST /mcp HTTP/1.1\r\n{host}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        flood.sendall(b"1\r\n \r\n" * uvicorn_limits.MOST_CHUNKS)
        assert server.post()[0] == 200
        flood.sendall(b"1\r\n \r\n")
        assert flood.recv(100).startswith(b"HTTP/1.1 400 ")
    assert server.post()[0] == 200


def test_a_body_with_two_lengths_is_refused(server: HttpServer) -> None:
    two = f"Host: 127.0.0.1:{server.port}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked"
    with socket.create_connection(("127.0.0.1", server.port), 20) as asking:
        asking.sendall(
            f"POST /mcp HTTP/1.1\r\n{two}\r\n\r\n0\r\n\r\nGET /mcp HTTP/1.1\r\n\r\n".encode()
        )
        said = b""
        with contextlib.suppress(ConnectionError):
            while piece := asking.recv(1_000):
                said += piece
    assert said.startswith(b"HTTP/1.1 400 ") and said.count(b"HTTP/1.1 ") == 1
