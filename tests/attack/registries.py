"""Lying registries: a local server with false lengths, chunks, headers, redirects and items.

It answers late, never, or without an end.
"""

import hashlib
import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from symindex.errors import SymindexError
from symindex.fetch import http_reader
from symindex.fetch.registry import open_registry
from tests.attack.figures import Figures

SECONDS: Final = 0.5
"""How long a registry may take to answer here, in seconds."""

GRACE: Final = 5.0
"""Seconds by which an answer may exceed that on a busy machine."""

_INDEX: Final = json.dumps({"symindex_registry": 1, "items": []}).encode()
_SIZES: Final = (
    b"-1", b"-22", b"+22", b" 22", b"0x22", b"2_2", b"f" * 30, b"f" * 9_000, b"22;a=b", b"22;" + b"a" * 70_000, b"", b"zz", b"22",
    b"8000000000000000", b"\0", "\u0663".encode(), b"1",
)  # fmt: skip
_HEADERS: Final = (
    b"Content-Length: -5", b"Content-Length: 34", b"Content-Length: 3_4", b"Content-Length: " + b"9" * 5_000,
    b"Content-Length: 3",
    b"Content-Encoding: gzip", b"Transfer-Encoding: gzip, chunked", b"A\0: b", b"abc", b"A: " + b"b" * 70_000, b"A\xff\x85: \xe9",
)  # fmt: skip
_TARGETS: Final = (
    b"http://[::1", b"http://[]/", b"http://", b"javascript:1", b"http://a:b@x/", b"/\0", b"/" + b"a" * 9_000, b"http://127.0.0.1:-1/",
    b"file:///etc/passwd", "/\u202e".encode(), b"http://a..b/", b"http://[fe80::1%25eth0]/", b"//127.0.0.1/", b"?",
)  # fmt: skip


_CONTENT: Final = b"# a tool\n"
"""The item in the index of `_item_index`."""


def _item_index() -> bytes:
    """Returns an answer with an index of one item, with the digest and size of `_CONTENT`."""
    item = {
        "type": "tool",
        "id": "a",
        "version": "1",
        "path": "a.py",
        "sha256": hashlib.sha256(_CONTENT).hexdigest(),
    }
    item |= {"size": len(_CONTENT), "title": "A", "description": "", "licence": "MIT"}  # type: ignore[dict-item]
    body = json.dumps({"symindex_registry": 1, "items": [item]}).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def content(chance: random.Random) -> bytes:
    """Returns an answer to a request for `_CONTENT`: the same bytes, other bytes of the same
    length, or cut, doubled or empty ones."""
    other = bytes(chance.choices(b"abc# \n", k=len(_CONTENT)))
    body = chance.choice(
        (_CONTENT, other, _CONTENT[:-1], _CONTENT * 2, b"", _CONTENT + b"\0", _CONTENT.upper())
    )
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def answer(chance: random.Random) -> bytes:
    """Returns the bytes that a server sends."""
    kind = chance.randrange(7)
    if kind == 6:
        return _item_index()
    ok = b"HTTP/1.1 200 OK\r\n"
    if kind == 0:
        return (
            ok
            + b"Transfer-Encoding: chunked\r\n\r\n"
            + chance.choice(_SIZES)
            + b"\r\n"
            + _INDEX
            + b"\r\n0\r\n\r\n"
        )
    if kind == 1:
        return (
            ok
            + b"\r\n".join(chance.choices(_HEADERS, k=chance.randint(1, 3)))
            + b"\r\n\r\n"
            + _INDEX
        )
    if kind == 2:
        return b"HTTP/1.1 302 Found\r\nLocation: " + chance.choice(_TARGETS) + b"\r\n\r\n"
    if kind == 3:
        return chance.choice(
            (
                b"HTTP/1.1 -1 x\r\n\r\n",
                b"HTTP/x 200 OK\r\n\r\n",
                b"H",
                b"",
                b"HTTP/1.1 101 x\r\n\r\n",
                _INDEX,
            )
        )
    data = bytearray(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n22\r\n" + _INDEX + b"\r\n0\r\n\r\n"
    )
    for _ in range(chance.randint(1, 6)):
        offset = chance.randrange(len(data))
        data[offset : offset + chance.randrange(3)] = chance.choice(
            (b"", b"\0", b"-", b"\r\n", b"\xff", b"9" * 20, b"[" * 5_000)
        )
    return bytes(data)


TRICKLE: Final = 0.02
"""Seconds between the bytes of a late answer."""

MANNERS: Final = ("at once", "at once", "at once", "late", "never", "without end")
"""The ways in which a server sends an answer."""


def _send(client: socket.socket, data: bytes, manner: str) -> None:
    """Sends an answer until the client hangs up, which raises OSError."""
    if manner == "at once":
        client.sendall(data)
    elif manner == "without end":
        while True:
            client.sendall(data or b"\0" * 4_096)
    else:
        for offset in range(len(data)) if manner == "late" else ():
            client.sendall(data[offset : offset + 1])
            time.sleep(TRICKLE)
        client.recv(1)


@contextmanager
def serving(data: bytes, item: bytes = b"", manner: str = "at once") -> Iterator[str]:
    """Yields the address of a server that answers each request with `data`, except that a request
    for the item of `_item_index` gets `item`."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen(8)

        def serve() -> None:
            with suppress(OSError):
                while True:
                    client, _ = door.accept()
                    with client, suppress(OSError):
                        request = client.recv(65_536)
                        _send(client, item if item and b"a.py" in request else data, manner)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}/r/"
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)  # otherwise the other thread keeps waiting


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of answers."""
    figures = Figures(count, Counter(), [])
    kept, http_reader.SECONDS = http_reader.SECONDS, SECONDS
    try:
        for number in range(count):
            chance = random.Random(f"{seed} {number}")
            data, item, manner, began = (
                answer(chance),
                content(chance),
                chance.choice(MANNERS),
                time.monotonic(),
            )
            where = f"answer {number} of seed {seed}, {data[:80]!r} {manner}"
            with serving(data, item, manner) as url:
                try:
                    registry = open_registry(url, allow_private=True)
                    figures.contained["opened"] += 1
                    if registry.list() and registry.read("tool", "a").data != _CONTENT:
                        figures.faults.append(
                            f"{where}: an item was taken that is not what the index says"
                        )
                except SymindexError as error:
                    figures.contained[type(error).__name__] += 1
                    if "\n" in str(error) or len(str(error)) > 1_000:
                        figures.faults.append(
                            f"{where}: an error of {len(str(error)):,} characters, or of several lines"
                        )
                except Exception as error:
                    figures.faults.append(f"{where}: {type(error).__name__}: {error}")
            if time.monotonic() - began > 2 * SECONDS + GRACE:
                figures.faults.append(f"{where}: {time.monotonic() - began:.1f} s")
        say(f"registries: {count:,} answers, {len(figures.faults)} faults")
    finally:
        http_reader.SECONDS = kept
    return figures
