"""How messages come and go: bytes with the header that the base protocol puts before each, on a connection or the standard
streams; and what a message of JSON-RPC is, before pygls makes objects of it.

Why it is not pygls's own loop, `pygls.io_.run_async`, that reads and writes, is measured in `README.md`.
"""

import asyncio
import json
import logging
import math
import re
import socket
import threading
from contextlib import suppress
from typing import IO, Any, Final, Protocol

import msgspec

LOG: Final = logging.getLogger("symindex.lsp")

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
REQUEST_FAILED: Final = -32803

LONGEST_MESSAGE: Final = 1 << 29
"""Bytes. Longer ones end the connection: nobody can tell where the next one begins."""

LONGEST_FIRST: Final = 1 << 20
"""Bytes of the message in which a client of a connection says who it is."""

LONGEST_HEADER: Final = 4096
"""Bytes."""

MOST_WAITING: Final = 16_000_000
"""Bytes that may wait for a client; then it is not read from until it has taken some."""

READ_AHEAD: Final = 1 << 16
"""Bytes that are taken from a client before they are asked for, twice over."""

CLOSING_SECONDS: Final = 1.0
"""How long a client may take for what waits for it at the end."""


class MessageError(Exception):
    """Of a message that is answered with an error. request_id: of the request; `None` where it cannot be told."""

    def __init__(self, request_id: Any, code: int, text: str) -> None:
        super().__init__(text)
        self.request_id, self.code = request_id, code

    def encoded(self) -> bytes:
        """The answer."""
        error = {"code": self.code, "message": str(self).encode("utf-8", "replace").decode()}
        return msgspec.json.encode({"jsonrpc": "2.0", "id": self.request_id, "error": error})


def fault_text(error: BaseException) -> str:
    """What a client is told of a fault of ours: no more than its kind."""
    return f"internal error ({type(error).__name__}); the log of the server tells more"


def read_message(body: bytes) -> dict[str, Any]:
    """A request, a notification or a response. Raises MessageError."""
    try:
        data = decode(body)
    except (ValueError, RecursionError) as error:
        raise MessageError(None, PARSE_ERROR, f"not JSON: {str(error)[:200]}") from None
    if not isinstance(data, dict):
        raise MessageError(None, INVALID_REQUEST, "not an object: a message is one request, response or notification")
    msg_id, method = data.get("id"), data.get("method")
    if msg_id is not None and not is_id(msg_id):
        raise MessageError(None, INVALID_REQUEST, '"id" must be a number or a text')
    if data.get("jsonrpc") != "2.0" or not (isinstance(method, str) or "result" in data or "error" in data):
        raise MessageError(msg_id, INVALID_REQUEST, 'not a message: "jsonrpc" must be "2.0", with "method" or "result"')
    return data


def decode(body: bytes) -> Any:
    """What JSON says, which may be half a surrogate pair, though that is not Unicode. Raises ValueError and RecursionError."""
    return json.loads(body, parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    """A number that can be said again: Python reads others, which are no JSON. Raises ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is no number of JSON")
    return number


def is_id(value: Any) -> bool:
    """Whether a request may have it as its id: one that can be said again, which half a surrogate pair cannot."""
    if isinstance(value, str):
        return not _HALVES.search(value)
    return isinstance(value, int | float) and not isinstance(value, bool)


_HALVES: Final = re.compile("[\ud800-\udfff]")


class Channel(Protocol):
    """Messages of one client."""

    @property
    def waiting(self) -> int:
        """Bytes that the client has not taken yet."""

    async def read(self) -> bytes | None:
        """The next message, without its header, when not too much waits for the client; `None` at the end."""

    def write(self, message: bytes) -> None:
        """Sends a message; returns at once."""

    async def close(self) -> None:
        """Sends what waits, as far as the client takes it within a second, and ends."""


class BrokenHeaderError(Exception):
    """Of a message of which it cannot be told where it ends."""


class Connection:
    """A connection over a socket. longest: bytes of a message, more of which it takes once its client is known. writing: what has
    to end before all is sent.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.longest = LONGEST_FIRST
        self.writing: threading.Thread | None = None
        self._reader, self._writer = reader, writer
        writer.transport.set_write_buffer_limits(high=MOST_WAITING)

    @property
    def waiting(self) -> int:
        return self._writer.transport.get_write_buffer_size()

    async def read(self) -> bytes | None:
        try:
            await self._writer.drain()
            return await self._reader.readexactly(await self._read_length())
        except BrokenHeaderError as error:
            is_known = self.longest == LONGEST_MESSAGE
            LOG.log(logging.WARNING if is_known else logging.INFO, "a message ends its connection: %s", error)
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass
        return None

    async def _read_length(self) -> int:
        """Reads a header: what the base protocol knows and nothing else, because a browser that is made to send a message in the
        body of a request has said too much before. Raises BrokenHeaderError.
        """
        length, n_bytes = None, 0
        while line := await self._reader.readline():
            n_bytes += len(line)
            if n_bytes > LONGEST_HEADER or not line.endswith(b"\n"):
                raise BrokenHeaderError(f"its header is longer than {LONGEST_HEADER} bytes, or breaks off")
            if not line.strip():
                if length is not None:
                    return length
                continue  # an empty line before a header is passed over
            name, colon, value = line.partition(b":")
            name, value = name.strip().lower(), value.strip()
            if not colon or name not in (b"content-length", b"content-type"):
                if _HTTP.match(line):
                    self._writer.write(NO_HTTP)
                raise BrokenHeaderError(f"{line[:40]!r} stands in its header: legal are Content-Length and Content-Type")
            if name == b"content-length":
                if length is not None:
                    raise BrokenHeaderError("Content-Length stands in its header twice")
                if not value.isdigit() or len(value) > 12 or int(value) > self.longest:
                    raise BrokenHeaderError(f"Content-Length is {value[:40]!r}: it must be 0 to {self.longest:,}")
                length = int(value)
        raise asyncio.IncompleteReadError(b"", None)

    def write(self, message: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(message), message))

    async def close(self) -> None:
        self._writer.close()
        try:
            await asyncio.wait_for(self._writer.wait_closed(), CLOSING_SECONDS)
        except (OSError, TimeoutError):
            self._writer.transport.abort()  # else what it does not take would wait for it as long as it stays
        if self.writing is not None:
            await asyncio.get_running_loop().run_in_executor(None, self.writing.join, CLOSING_SECONDS)


_HTTP: Final = re.compile(rb"[A-Za-z]+ [^ ]+ HTTP/\d")

NO_HTTP: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
"""To what takes this for a web server."""


async def connect(sock: socket.socket) -> Connection:
    """A connection over a socket that is connected."""
    return Connection(*await asyncio.open_connection(sock=sock, limit=READ_AHEAD))


async def connect_streams(source: IO[bytes], target: IO[bytes]) -> Connection:
    """The standard streams as a connection of this process with itself: two threads copy what comes and goes.

    The event loop cannot wait for what may be a file, nor for a pipe on Windows. Threads of asyncio's are waited for at the end,
    and would not let this process end before its input does.
    """
    inside, outside = socket.socketpair()
    threading.Thread(target=_take_in, args=(source, outside), name="symindex-read", daemon=True).start()
    writing = threading.Thread(target=_hand_out, args=(outside, target), name="symindex-write", daemon=True)
    writing.start()
    connection = await connect(inside)
    connection.longest, connection.writing = LONGEST_MESSAGE, writing
    return connection


def _take_in(source: IO[bytes], outside: socket.socket) -> None:
    with suppress(OSError, ValueError):
        while data := source.read1(READ_AHEAD):  # type: ignore[attr-defined]
            outside.sendall(data)
    with suppress(OSError):
        outside.shutdown(socket.SHUT_WR)


def _hand_out(outside: socket.socket, target: IO[bytes]) -> None:
    with suppress(OSError, ValueError):
        while data := outside.recv(READ_AHEAD):
            target.write(data)
            target.flush()
    with suppress(OSError):
        outside.shutdown(socket.SHUT_RD)
