"""Many clients of `symindex mcp --http` that break rules, next to well-behaved ones.

They reuse ids, cancel their calls, leave before the answer, hide a request in the body of another,
send it in chunks of one byte, nest JSON deeply, and cut characters in half, with and without a
token. Each asks for a different name, which reveals an answer that reaches the wrong client.
"""

import http.client
import json
import os
import random
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.attack.commands import Attacked
from tests.attack.figures import Figures
from tests.support.mcp_http import TOKEN, HttpServer

ON_ONE_SERVER: Final = 500
"""Number of clients of one server."""

AT_ONCE: Final = 40
"""Number of clients connected at once."""

PROPER_SECONDS: Final = 20.0
"""How long a well-behaved client may wait, in seconds, on a busy machine."""

MOST_GROWTH: Final = 300_000
"""Kilobytes by which a server may have grown at the end."""

N_NAMES: Final = 50
"""Number of names that the tree defines."""

VERSION: Final = "2025-06-18"


def name_of(number: int) -> str:
    """Returns a name whose letters no other name contains."""
    return f"zq_{chr(97 + number // 26) * 3}_{chr(97 + number % 26) * 3}_name"


class _Session:
    """A client after its handshake."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self.headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        about = {
            "protocolVersion": VERSION,
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        }
        status, _, session = self.post(
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
        )
        if status != 200:
            raise OSError(f"no session: {status}")
        self.headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": VERSION}

    def post(self, message: object, seconds: float = PROPER_SECONDS) -> tuple[int, str, str]:
        """Returns the status, body and session of an answer. Raises TimeoutError if it has not
        ended after `seconds`, even if the server sends pings meanwhile."""
        end = time.monotonic() + seconds
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=seconds)
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        try:
            connection.request("POST", "/mcp", body, self.headers)
            answer = connection.getresponse()
            said = b""
            while piece := answer.read1(65_536):
                said += piece
                if time.monotonic() > end:
                    raise TimeoutError
            return (
                answer.status,
                said.decode("utf-8", "replace"),
                answer.headers.get("mcp-session-id", ""),
            )
        finally:
            connection.close()

    def begin(self, data: bytes) -> socket.socket:
        """Opens a connection and sends some bytes."""
        connection = socket.create_connection(("127.0.0.1", self._port), PROPER_SECONDS)
        connection.sendall(data)
        return connection

    def head(self, fields: str) -> bytes:
        """Returns the head of a request of this session."""
        lines = {**self.headers, "Host": f"127.0.0.1:{self._port}"}
        return (
            "POST /mcp HTTP/1.1\r\n"
            + "".join(f"{key}: {value}\r\n" for key, value in lines.items())
            + fields
        ).encode()


def _call(number: int, request_id: object) -> dict[str, object]:
    params = {"name": "search", "arguments": {"query": name_of(number)}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def _wrong(number: int, status: int, said: str) -> str:
    """Returns what is wrong with the answer to a call, or an empty text."""
    if status == 400 and "is in use" in said:
        return ""
    if status != 200:
        return f"{status} {said[:200]}"
    names = {other for other in range(N_NAMES) if f"`{name_of(other)}`" in said}
    return (
        f"an answer about {sorted(names - {number})} instead of {number}"
        if names - {number}
        else ""
    )


def _reuse_ids(session: _Session, chance: random.Random) -> str:
    """Makes calls with the same id at the same time: each is answered or refused."""
    numbers = [chance.randrange(N_NAMES) for _ in range(6)]
    with ThreadPoolExecutor(len(numbers)) as threads:
        answers = list(
            threads.map(
                lambda number: session.post(_call(number, chance.choice((7, "7")))), numbers
            )
        )
    return next(
        filter(
            None,
            (_wrong(number, *answer[:2]) for number, answer in zip(numbers, answers, strict=True)),
        ),
        "",
    )


def _cancel(session: _Session, chance: random.Random) -> str:
    """Makes calls and cancels them repeatedly."""
    about = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 5, "reason": "\ud800"},
    }
    with ThreadPoolExecutor(8) as threads:
        asked = threads.submit(session.post, _call(chance.randrange(N_NAMES), 5))
        list(threads.map(lambda _: session.post(about), range(20)))
        asked.result()
    return ""


def _leave(session: _Session, chance: random.Random) -> str:
    """Leaves during a call, and makes another one with the same id."""
    first, second = chance.sample(range(N_NAMES), 2)
    body = json.dumps(_call(first, 9)).encode()
    session.begin(session.head(f"Content-Length: {len(body)}\r\n\r\n") + body).close()
    return _wrong(second, *session.post(_call(second, 9))[:2])


def _smuggle(session: _Session, chance: random.Random) -> str:
    """Sends requests whose end is ambiguous: there is at most one answer, or the connection
    ends."""
    hidden = session.head("Content-Length: 2\r\n\r\n{}")
    fields = chance.choice(
        (
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            "Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
            "Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
            "Content-Length: 0\r\n folded: x\r\n Host: evil\r\n\r\n",
            "X: a\rHost: evil\r\nContent-Length: 0\r\n\r\n",
            "Mcp-Session-Id: other\r\nContent-Length: 0\r\n\r\n",
        )
    )
    said = b""
    with suppress(OSError), session.begin(session.head(fields) + hidden) as connection:
        connection.settimeout(1)
        while piece := connection.recv(65_536):
            said += piece
    return "" if b" 200 " not in said.split(b"\r\n")[0] else f"is answered: {said[:200]!r}"


def _in_chunks(session: _Session, chance: random.Random) -> str:
    """Sends a body in chunks of one byte."""
    with (
        suppress(OSError),
        session.begin(session.head("Transfer-Encoding: chunked\r\n\r\n")) as connection,
    ):
        for _ in range(chance.choice((1, 20))):
            connection.sendall(b"1\r\n \r\n" * 10_000)
        connection.recv(1_000)
    return ""


def _odd(session: _Session, chance: random.Random) -> str:
    """Sends a body that is hard to read: any answer is right."""
    body = chance.choice(
        (
            b"[" * 100_000, b'{"a":' * 100_000,
            b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
            json.dumps(_call(1, "\ud800")).encode(), json.dumps({**_call(1, 3), "method": "\ud800"}).encode(),
            json.dumps({"jsonrpc": "2.0", "id": "_GET_stream", "method": "ping"}).encode(), b"1" * 500_000,
        )
    )  # fmt: skip
    return "" if 200 <= session.post(body)[0] < 500 else "a fault of the server"


ATTACKS: Final = (_reuse_ids, _cancel, _leave, _smuggle, _in_chunks, _odd)


def _memory(process_id: int) -> int:
    """Returns the memory of a process in kilobytes; 0 if the system does not report it."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1])
    return 0


def _attack(
    server: HttpServer, token: str, seed: str, count: int, contained: "Counter[str]"
) -> list[str]:
    faults: list[str] = []
    is_over = threading.Event()
    proper = _Session(server.port, token)
    proper.post(_call(0, 1))
    before = _memory(server.process.pid)

    def keep_rules() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            begun = time.monotonic()
            try:
                status, said, _ = proper.post(_call(number % N_NAMES, f"proper {number}"))
                wrong = _wrong(number % N_NAMES, status, said) or (
                    "" if name_of(number % N_NAMES) in said else said[:200]
                )
            except OSError as error:
                wrong = f"{type(error).__name__} after {time.monotonic() - begun:.0f} s"
            if wrong:
                faults.append(f"a proper client beside them: {wrong}")

    def misbehave(number: int) -> None:
        chance = random.Random(f"{seed} {number}")
        attack = chance.choice(ATTACKS)
        try:
            wrong = attack(_Session(server.port, token), chance)
        except TimeoutError:
            wrong = "no answer"
        except (OSError, http.client.HTTPException):  # turned away, because there are too many
            wrong = ""
        contained[attack.__name__.strip("_")] += 1
        if wrong:
            faults.append(f"client {number} ({attack.__name__.strip('_')}): {wrong}")

    beside = threading.Thread(target=keep_rules)
    beside.start()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(misbehave, range(count)))
    is_over.set()
    beside.join()
    if (grown := _memory(server.process.pid) - before) > MOST_GROWTH:
        faults.append(f"the server has grown by {grown:,} kB")
    return faults


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of clients; each server gets several."""
    figures = Figures(count, Counter(), [])
    for first in range(0, count, ON_ONE_SERVER):
        n_clients = min(ON_ONE_SERVER, count - first)
        token = TOKEN if (seed + first // ON_ONE_SERVER) % 2 else ""
        with (
            tempfile.TemporaryDirectory(prefix="symindex-clients") as top,
            Attacked(Path(top)) as attacked,
        ):
            tree = Path(top, "tree")
            tree.mkdir()
            text = "".join(f"def {name_of(number)}(): pass\n" for number in range(N_NAMES))
            (tree / "names.py").write_text(text)
            prefix = (
                "env",
                *(
                    f"{name}={value}"
                    for name, value in attacked.environment.items()
                    if name not in os.environ
                ),
            )
            server = HttpServer(
                tree, Path(top, "indexes"), "--http", "127.0.0.1:0", token=token, prefix=prefix
            )
            try:
                faults = _attack(server, token, f"{seed} {first}", n_clients, figures.contained)
            finally:
                try:
                    server.stop()
                except AssertionError as error:
                    faults = [f"no clean end: {str(error)[-500:]}"]
            figures.faults.extend(f"seed {seed}, from {first}: {fault}" for fault in faults)
        say(f"clients: {first + n_clients:,} of {count:,}, {len(figures.faults)} faults")
    return figures
