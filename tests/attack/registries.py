"""Registries that lie: a server on loopback answers with lengths, chunks, headers, redirects and indexes of all bad kinds."""

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
from symindex.explore.fetch import http_reader
from symindex.explore.fetch.registry import open_registry
from tests.attack.figures import Figures

SECONDS: Final = 0.5
"""How long a registry may take to answer here."""

GRACE: Final = 5.0
"""How many seconds an answer may take beyond that on a busy machine."""

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


def answer(chance: random.Random) -> bytes:
    """What a server sends."""
    kind = chance.randrange(6)
    ok = b"HTTP/1.1 200 OK\r\n"
    if kind == 0:
        return ok + b"Transfer-Encoding: chunked\r\n\r\n" + chance.choice(_SIZES) + b"\r\n" + _INDEX + b"\r\n0\r\n\r\n"
    if kind == 1:
        return ok + b"\r\n".join(chance.choices(_HEADERS, k=chance.randint(1, 3))) + b"\r\n\r\n" + _INDEX
    if kind == 2:
        return b"HTTP/1.1 302 Found\r\nLocation: " + chance.choice(_TARGETS) + b"\r\n\r\n"
    if kind == 3:
        return chance.choice((b"HTTP/1.1 -1 x\r\n\r\n", b"HTTP/x 200 OK\r\n\r\n", b"H", b"", b"HTTP/1.1 101 x\r\n\r\n", _INDEX))
    data = bytearray(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n22\r\n" + _INDEX + b"\r\n0\r\n\r\n")
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(3)] = chance.choice((b"", b"\0", b"-", b"\r\n", b"\xff", b"9" * 20, b"[" * 5_000))
    return bytes(data)


@contextmanager
def serving(data: bytes) -> Iterator[str]:
    """The address of a server that sends this to each who asks."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen(8)

        def serve() -> None:
            with suppress(OSError):
                while True:
                    client, _ = door.accept()
                    with client, suppress(OSError):
                        client.recv(65_536)
                        client.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}/r/"
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)  # else the other thread waits on


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """See the module. count: answers."""
    figures = Figures(count, Counter(), [])
    kept, http_reader.SECONDS = http_reader.SECONDS, SECONDS
    try:
        for number in range(count):
            data, began = answer(random.Random(f"{seed} {number}")), time.monotonic()
            where = f"answer {number} of seed {seed}, {data[:80]!r}"
            with serving(data) as url:
                try:
                    open_registry(url, allow_private=True)
                    figures.contained["opened"] += 1
                except SymindexError as error:
                    figures.contained[type(error).__name__] += 1
                    if "\n" in str(error) or len(str(error)) > 1_000:
                        figures.faults.append(f"{where}: an error of {len(str(error)):,} characters, or of several lines")
                except Exception as error:
                    figures.faults.append(f"{where}: {type(error).__name__}: {error}")
            if time.monotonic() - began > SECONDS + GRACE:
                figures.faults.append(f"{where}: {time.monotonic() - began:.1f} s")
        say(f"registries: {count:,} answers, {len(figures.faults)} faults")
    finally:
        http_reader.SECONDS = kept
    return figures
