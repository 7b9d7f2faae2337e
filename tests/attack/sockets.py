"""Misbehaving clients of servers that listen: `lsp --tcp`, `lsp --socket` and `mcp --http`.

Anybody on the machine may connect, and so may a web page through a browser. Whatever they send,
send partly or do not read: the next proper client is served; a client without a token learns
nothing about the tree; nobody learns anything outside the server's roots; the log stays small; the
server keeps nothing of clients that have left; and it ends at once when asked to, even with clients
connected.
"""

import os
import random
import socket
import struct
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tests.attack.commands import Attacked
from tests.attack.doors import BROKEN, HEADERS, hostile_request, mutated, to_json
from tests.attack.figures import Figures
from tests.support.lsp_client import TOKEN, TcpServer, framed
from tests.support.mcp_client import MODERN
from tests.support.mcp_http import TOKEN as HTTP_TOKEN
from tests.support.mcp_http import HttpServer, call_of

ON_ONE_SERVER: Final = 50
"""Number of connections to one server."""

MOST_LOG: Final = 200_000
"""Bytes that a server may log about them."""

PLAIN: Final = "plain_thing"
INSIDE: Final = b"plain.py"
OUTSIDE: Final = b"zq_beyond_the_roots"
"""A name that the tree defines and everybody asks for; its file, which nobody learns without the
token; a name outside the tree."""

FORGET_SECONDS: Final = 20.0
MOST_THREADS: Final = 12
"""How long a server may take to let go of departed clients, in seconds; how many threads it may
keep for the next ones."""

LISTEN_SECONDS: Final = 0.3
"""How long a client listens if the server does not close the connection, in seconds."""

HTTP_HEADS: Final = (
    b"POST /mcp HTTP/1.1\r\n", b"GET /mcp HTTP/1.1\r\n", b"POST /mcp HTTP/1.0\r\n", b"OPTIONS /mcp HTTP/1.1\r\n",
    b"PRI * HTTP/2.0\r\n", b"CONNECT localhost:22 HTTP/1.1\r\n", b"POST http://169.254.169.254/ HTTP/1.1\r\n",
    b"DELETE /mcp HTTP/1.1\r\n",
    b"POST //mcp/../../etc/passwd HTTP/1.1\r\n", b"POST /mcp?" + b"a" * 100_000 + b" HTTP/1.1\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
)  # fmt: skip
HTTP_FIELDS: Final = (
    b"Host: 127.0.0.1\r\n", b"Host: evil.example\r\n", b"Host: localhost@evil.example\r\n", b"Origin: https://evil.example\r\n",
    b"Origin: null\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999\r\n",
    b"Content-Length: 2\r\nContent-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", b"Content-Encoding: gzip\r\n",
    b"Expect: 100-continue\r\n", b"Upgrade: websocket\r\nConnection: upgrade\r\n", b"Authorization: Bearer\r\n",
    b"Authorization: Bearer \xff\r\n",
    b"Authorization: Bearer a-token-for-the-test\r\n", b"Mcp-Session-Id: ../../x\r\n", b"X: " + b"y" * 70_000 + b"\r\n",
    b"A: b\r\n" * 5_000, b"Content-Type: text/plain\r\n", b"Cookie: \0\r\n", b"Accept: text/event-stream\r\n", b" folded: x\r\n",
)  # fmt: skip


class _Door(NamedTuple):
    """A server that listens.

    process_id: its own. follows: the number of its own trees. open: opens a connection. proper:
    returns what is wrong with the answer to a proper client, or an empty text. strangers, friends:
    return what to send without the token, and with it. stop: ends the server and returns its log.
    Raises AssertionError.
    """

    name: str
    process_id: int
    follows: int
    open: Callable[[], socket.socket]
    proper: Callable[[], str]
    strangers: Callable[[random.Random], bytes]
    friends: Callable[[random.Random], bytes]
    stop: Callable[[], str]


def _lsp_door(name: str, where: tuple[str, ...]) -> Callable[[Path, Attacked], _Door]:
    def make(tree: Path, attacked: Attacked) -> _Door:
        given = ("--root", str(tree), "--index-dir", str(tree.parent / "indexes"))
        place = tuple(part.format(top=tree.parent) for part in where)
        server = TcpServer(given, place, env=attacked.environment, cwd=tree)

        def hello(token: str, root: Path) -> bytes:
            options = {"token": token} if token else {}
            params = {
                "capabilities": {},
                "rootUri": root.as_uri(),
                "initializationOptions": options,
            }
            return framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})

        def proper() -> str:
            client = server.connect()
            client.initialize(tree)
            uri = client.open("untitled:alive", "def alive(): pass\n", "python")
            names = [node["name"] for node in client.outline(uri)]
            response = client.call("symindex/search", {"query": PLAIN})
            client.leave()
            return (
                ""
                if names == ["alive"] and PLAIN in str(response)
                else f"a proper client is told {names}, {str(response)[:200]}"
            )

        def said_by_strangers(chance: random.Random) -> bytes:
            search = framed(
                {"jsonrpc": "2.0", "id": 2, "method": "symindex/search", "params": {"query": PLAIN}}
            )
            no_token = hello(chance.choice(("", "x", TOKEN[:-1], TOKEN + "\0")), tree)
            browser = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n" + hello(
                TOKEN, tree
            )
            return chance.choice(
                (
                    no_token + search,
                    search,
                    chance.choice(HEADERS),
                    framed(chance.choice(BROKEN)),
                    browser,
                )
            )

        def said_by_friends(chance: random.Random) -> bytes:
            asked = [
                framed(to_json(hostile_request(tree, chance))) for _ in range(chance.randint(1, 30))
            ]
            asked += [
                framed(mutated(to_json(hostile_request(tree, chance)), chance)),
                framed(chance.choice(BROKEN)),
            ]
            chance.shuffle(asked)
            return hello(TOKEN, chance.choice((tree, tree.parent))) + b"".join(asked)

        def stop() -> str:
            log = server.log()
            server.stop()
            return log

        return _Door(
            name,
            server.process.pid,
            0,
            server.open,
            proper,
            said_by_strangers,
            said_by_friends,
            stop,
        )

    return make


def _mcp_door(tree: Path, attacked: Attacked) -> _Door:
    prefix = ("env", *(f"{name}={value}" for name, value in attacked.environment.items()))
    server = HttpServer(
        tree, tree.parent / "indexes", "--http", "127.0.0.1:0", token=HTTP_TOKEN, prefix=prefix
    )
    bearer = f"Authorization: Bearer {HTTP_TOKEN}\r\n".encode()
    usual = (
        f"Host: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\n"
    ).encode()

    def proper() -> str:
        status, said = server.post(
            call_of("search", query=PLAIN), Authorization=f"Bearer {HTTP_TOKEN}"
        )
        return (
            ""
            if status == 200 and PLAIN in said
            else f"a proper client is told {status} {said[:200]}"
        )

    def proper_request(tool: str, body: bytes, fields: bytes, n_bytes: int) -> bytes:
        return (
            usual
            + fields
            + b"Mcp-Name: %s\r\nContent-Length: %d\r\n" % (tool.encode(), n_bytes)
            + b"\r\n"
            + body
        )

    def request(chance: random.Random, fields: bytes) -> bytes:
        if chance.random() < 0.4:
            body = call_of("search", query=PLAIN)
            return HTTP_HEADS[0] + proper_request("search", body, fields, len(body))
        hostile = {
            "path": "../outside/precious.py",
            "query": "beyond",
            "symbol": "../outside/precious.py:1",
            "name": "\0",
        }
        key, tool = (
            chance.choice((*hostile,)),
            chance.choice(("search", "symbol", "outline", "references", "status")),
        )
        body = (
            chance.choice(BROKEN) if chance.random() < 0.2 else call_of(tool, **{key: hostile[key]})
        )
        body = mutated(body, chance) if chance.random() < 0.2 else body
        some = fields + b"".join(chance.sample(HTTP_FIELDS, chance.choice((0, 0, 1, 3))))
        head = chance.choice(HTTP_HEADS) if chance.random() < 0.3 else HTTP_HEADS[0]
        whole = head + proper_request(
            tool, body, some, chance.choice((len(body), len(body), len(body) + 9, 0))
        )
        return whole * chance.choice((1, 1, 1, 20)) if len(whole) < 10_000 else whole

    def stop() -> str:
        return server.said + server.stop(15)

    def open_one() -> socket.socket:
        return socket.create_connection(("127.0.0.1", server.port), 20)

    by_strangers, by_friends = (
        (lambda chance: request(chance, b"")),
        (lambda chance: request(chance, bearer)),
    )
    return _Door("http", server.process.pid, 1, open_one, proper, by_strangers, by_friends, stop)


DOORS: Final[tuple[Callable[[Path, Attacked], _Door], ...]] = (
    _lsp_door("tcp", ("--tcp", "127.0.0.1:0")),
    _mcp_door,
    _lsp_door("socket", ("--socket", "{top}/private/s")),
)


def _misbehave(door: _Door, chance: random.Random, stay: ExitStack) -> tuple[bytes, bool]:
    """Makes one connection; returns what it received, and whether it had the token."""
    is_friend = chance.random() < 0.5
    data = (door.friends if is_friend else door.strangers)(chance)
    connection = stay.enter_context(door.open())
    connection.settimeout(LISTEN_SECONDS)
    way = chance.choice(
        ("send", "send", "send", "half", "slow", "silent", "deaf", "reset", "half-closed")
    )
    reply = b""
    with suppress(OSError):
        if way == "half":
            connection.sendall(data[: chance.randrange(len(data) + 1)])
        elif way == "slow":
            for byte in data[:20]:
                connection.sendall(bytes([byte]))
                time.sleep(0.005)
        elif way == "deaf":  # sends without ever reading
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.sendall(data * 20)
            return b"", is_friend
        elif way == "reset":
            connection.sendall(data)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            return b"", is_friend
        elif way != "silent":
            connection.sendall(data)
            if way == "half-closed":
                connection.shutdown(socket.SHUT_WR)
        while piece := connection.recv(1 << 16):
            reply += piece
    if chance.random() < 0.6:
        connection.close()  # the others are still open when the server must end
    return reply, is_friend


def _attack(door: _Door, chance: random.Random, count: int, contained: "Counter[str]") -> list[str]:
    faults: list[str] = []
    with ExitStack() as stay:
        try:
            for number in range(count):
                reply, is_friend = _misbehave(door, chance, stay)
                if OUTSIDE in reply:
                    faults.append(
                        f"{door.name}: connection {number} is told what lies outside of the roots"
                    )
                if not is_friend and INSIDE in reply:
                    faults.append(
                        f"{door.name}: connection {number} has no token, and is told of the tree: {reply[:300]!r}"
                    )
                contained["answered" if reply else "turned away" if not is_friend else "left"] += 1
            wrong = door.proper()
            if chance.random() < 0.5:
                stay.close()
                wrong = wrong or _left_in(door)
        except (AssertionError, OSError) as error:
            wrong = f"a proper client is not served: {type(error).__name__} {str(error)[:300]}"
        if wrong:
            faults.append(f"{door.name}: {wrong}")
        try:
            log = door.stop()
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return [*faults, f"{door.name}: no clean end: {_worst(str(error))}"]
    if len(log) > MOST_LOG:
        faults.append(f"{door.name}: {len(log):,} bytes of log")
    if "Traceback" in log:
        faults.append(f"{door.name}: a traceback: {_worst(log)}")
    return faults


def _left_in(door: _Door) -> str:
    """Returns what a server keeps of clients that have all left. Works only on Linux."""
    if not os.path.isdir("/proc/self/fd"):
        return ""
    end = time.monotonic() + FORGET_SECONDS
    while time.monotonic() < end:
        followed, threads = (
            _followed(door.process_id),
            len(os.listdir(f"/proc/{door.process_id}/task")),
        )
        if followed <= door.follows and threads <= MOST_THREADS:
            return ""
        time.sleep(0.1)
    return f"all have left, and {threads} threads and {followed} folders that are followed stay"


def _followed(process_id: int) -> int:
    """Returns how many trees a process follows, according to its open files."""
    count = 0
    for path in Path(f"/proc/{process_id}/fd").iterdir():
        with suppress(OSError):  # closed in the meantime
            count += "inotify" in os.readlink(path)
    return count


def _worst(log: str) -> str:
    """Returns the important part of a log: a traceback and the line before it, or the end."""
    before, traceback, after = log.partition("Traceback")
    return (
        before.splitlines()[-1][-200:] + traceback + after[:1_500]
        if traceback and before
        else log[-500:]
    )


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of connections; each server gets several."""
    figures = Figures(count, Counter(), [])
    for first in range(0, count, ON_ONE_SERVER):
        chance = random.Random(f"{seed} {first}")
        n_connections = min(ON_ONE_SERVER, count - first)
        with (
            tempfile.TemporaryDirectory(prefix="symindex-sockets") as top,
            Attacked(Path(top)) as attacked,
        ):
            tree = Path(top, "tree")
            Path(top, "private").mkdir(mode=0o700)
            for path, name in (("tree/plain.py", PLAIN), ("outside/precious.py", OUTSIDE.decode())):
                Path(top, path).parent.mkdir()
                Path(top, path).write_text(f"def {name}(): pass\n")
            begun = time.monotonic()
            door = DOORS[(seed + first // ON_ONE_SERVER) % len(DOORS)](tree, attacked)
            faults = _attack(door, chance, n_connections, figures.contained)
            faults += [f"{door.name}: left behind: {command}" for command in attacked.left_behind()]
            figures.faults.extend(f"seed {seed}, from {first}: {fault}" for fault in faults)
        for fault in faults:
            say(f"sockets: from {first}: {fault}")
        took = time.monotonic() - begun
        say(
            f"sockets: {first + n_connections:,} of {count:,} ({door.name}, {took:.0f} s), {len(figures.faults)} faults"
        )
    return figures
