"""Reads and writes messages: bytes with the header of the base protocol, on a connection or the
standard streams. Also checks that a body is a JSON-RPC message."""

import asyncio
import json
import logging
import math
import re
import socket
import threading
from contextlib import suppress
from typing import IO, Any, Final

import msgspec

from symindex.serve.streams import is_request_id

LOG: Final = logging.getLogger("symindex.lsp")

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
REQUEST_FAILED: Final = -32803

LONGEST_MESSAGE: Final = 1 << 29
"""Longest message, in bytes. A longer one ends the connection, because it is unknown where the next
message begins."""

LONGEST_FIRST: Final = 1 << 20
"""Longest first message of a connection, in bytes, before its client is admitted."""

LONGEST_HEADER: Final = 4096
"""Longest header, in bytes."""

MOST_WAITING: Final = 16_000_000
"""Most bytes that wait for a client. Above that, nothing more is read from the client until it has
read some of them."""

READ_AHEAD: Final = 1 << 16
"""Bytes that are buffered from a client; the stream buffers twice this number."""

CLOSING_SECONDS: Final = 1.0
"""How long a client may take to read the remaining messages at the end."""


class MessageError(Exception):
    """A message that is answered with an error. request_id: the id of the request; `None` if
    unknown."""

    def __init__(self, request_id: Any, code: int, text: str) -> None:
        super().__init__(text)
        self.request_id = request_id
        self.code = code

    def encoded(self) -> bytes:
        """Returns the error response as JSON."""
        error = {"code": self.code, "message": str(self).encode("utf-8", "replace").decode()}
        return msgspec.json.encode({"jsonrpc": "2.0", "id": self.request_id, "error": error})


def fault_text(error: BaseException) -> str:
    """Returns the message to a client about an internal error: only the error's type."""
    return f"internal error ({type(error).__name__}); see the server's log"


def read_message(body: bytes) -> dict[str, Any]:
    """Parses a request, a notification or a response. Raises MessageError."""
    try:
        data = decode(body)
    except (ValueError, RecursionError) as error:
        raise MessageError(None, PARSE_ERROR, f"not valid JSON: {str(error)[:200]}") from None
    if not isinstance(data, dict):
        raise MessageError(
            None,
            INVALID_REQUEST,
            "not an object: a message is one request, response or notification",
        )
    msg_id, method = data.get("id"), data.get("method")
    if msg_id is not None and not is_request_id(msg_id, fractions=True):
        raise MessageError(None, INVALID_REQUEST, '"id" must be a number or a string')
    if data.get("jsonrpc") != "2.0" or not (
        isinstance(method, str) or "result" in data or "error" in data
    ):
        raise MessageError(
            msg_id,
            INVALID_REQUEST,
            'not a message: "jsonrpc" must be "2.0", with "method" or "result"',
        )
    return data


def decode(body: bytes) -> Any:
    """Parses JSON that may contain unpaired surrogates. Raises ValueError and RecursionError."""
    return json.loads(body, parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    """Parses a finite number: Python also accepts NaN and Infinity, which are not JSON. Raises
    ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is not a JSON number")
    return number


_ENCODER: Final = msgspec.json.Encoder()


def to_json(data: Any) -> bytes:
    """Encodes a value. Unpaired surrogates become question marks, because most JSON parsers refuse
    their escapes. A client may have sent one in the URI of a document or in the id of an item."""
    try:
        return _ENCODER.encode(data)
    except UnicodeEncodeError:
        return _ENCODER.encode(_whole(data))


def _whole(data: Any) -> Any:
    """Copies a value, with a question mark for each unpaired surrogate."""
    if isinstance(data, str):
        return data.encode("utf-8", "replace").decode()
    if isinstance(data, dict):
        return {_whole(key): _whole(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [*map(_whole, data)]
    return _whole(_fields(data)) if isinstance(data, msgspec.Struct) else data


def _fields(struct: msgspec.Struct) -> dict[str, Any]:
    """Returns the fields of a struct by their JSON names, without those that JSON omits."""
    omits = struct.__struct_config__.omit_defaults
    values = ((field, getattr(struct, field.name)) for field in msgspec.structs.fields(struct))
    return {
        field.encode_name: value
        for field, value in values
        if value is not msgspec.UNSET and not (omits and value == field.default)
    }


class BrokenHeaderError(Exception):
    """The header of a message is invalid, so the end of the message is unknown."""


class Channel:
    """The messages of one client, over a socket; pygls uses it as a `Writer`.

    longest: longest message, in bytes; raised when the client is admitted. writing: the thread that
    sends, if there is one.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.longest = LONGEST_FIRST
        self.writing: threading.Thread | None = None
        self._reader, self._writer = reader, writer
        writer.transport.set_write_buffer_limits(high=MOST_WAITING)

    @property
    def waiting(self) -> int:
        """How many bytes the client has not read yet."""
        return self._writer.transport.get_write_buffer_size()

    async def read(self) -> bytes | None:
        """Waits until the client has read enough, then returns its next message without the header,
        or `None` at the end."""
        try:
            await self._writer.drain()
            return await self._reader.readexactly(await self._read_length())
        except BrokenHeaderError as error:
            is_known = self.longest == LONGEST_MESSAGE
            LOG.log(
                logging.WARNING if is_known else logging.INFO,
                "closing a connection because of an invalid message: %s",
                error,
            )
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass
        return None

    async def _read_length(self) -> int:
        """Reads a header and returns the length of the body. Only the fields of the base protocol
        are allowed, so that a web page cannot make a browser send a message in the body of a
        request. Raises BrokenHeaderError."""
        length, n_bytes = None, 0
        while line := await self._reader.readline():
            n_bytes += len(line)
            if n_bytes > LONGEST_HEADER or not line.endswith(b"\n"):
                raise BrokenHeaderError(
                    f"its header is incomplete or longer than {LONGEST_HEADER} bytes"
                )
            if not line.strip():
                if length is not None:
                    return length
                continue  # empty lines before a header are ignored
            name, colon, value = line.partition(b":")
            name, value = name.strip().lower(), value.strip()
            if not colon or name not in (b"content-length", b"content-type"):
                if _HTTP.match(line):
                    self._writer.write(NO_HTTP)
                raise BrokenHeaderError(
                    f"{line[:40]!r} is not a valid header: expected Content-Length or Content-Type"
                )
            if name == b"content-length":
                if length is not None:
                    raise BrokenHeaderError("its header contains Content-Length twice")
                if not value.isdigit() or len(value) > 12 or int(value) > self.longest:
                    raise BrokenHeaderError(
                        f"Content-Length is {value[:40]!r}: it must be 0 to {self.longest:,}"
                    )
                length = int(value)
        raise asyncio.IncompleteReadError(b"", None)

    def write(self, message: bytes) -> None:
        """Sends a message without waiting."""
        if not self._writer.is_closing():
            self._writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(message), message))

    def close(self) -> None:
        """Starts to close the connection; messages that wait are still sent."""
        self._writer.close()

    async def wait_closed(self) -> None:
        """Waits until the client has read all messages, for at most a second."""
        try:
            await asyncio.wait_for(self._writer.wait_closed(), CLOSING_SECONDS)
        except (OSError, TimeoutError):
            # otherwise unread bytes stay in memory until the client disconnects
            self._writer.transport.abort()
        if self.writing is not None:
            await asyncio.get_running_loop().run_in_executor(
                None, self.writing.join, CLOSING_SECONDS
            )


_HTTP: Final = re.compile(rb"[A-Za-z]+ [^ ]+ HTTP/\d")

NO_HTTP: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
"""The answer to a client that takes this server for a web server."""


async def connect(sock: socket.socket) -> Channel:
    return Channel(*await asyncio.open_connection(sock=sock, limit=READ_AHEAD))


async def connect_streams(source: IO[bytes], target: IO[bytes]) -> Channel:
    """Connects the standard streams to a channel, through a socket pair and two threads that copy
    bytes.

    The event loop cannot wait for a stream that may be a file, nor for a pipe on Windows. asyncio's
    own threads do not help: a process waits for them at its end, so it could not end before its
    input does.
    """
    inside, outside = socket.socketpair()
    # Each thread closes a descriptor of its own: neither knows when the other has ended.
    threading.Thread(
        target=_take_in, args=(source, outside.dup()), name="symindex-read", daemon=True
    ).start()
    writing = threading.Thread(
        target=_hand_out, args=(outside, target), name="symindex-write", daemon=True
    )
    writing.start()
    channel = await connect(inside)
    channel.longest, channel.writing = LONGEST_MESSAGE, writing
    return channel


def _take_in(source: IO[bytes], outside: socket.socket) -> None:
    with outside:
        with suppress(OSError, ValueError):
            while data := source.read1(READ_AHEAD):  # type: ignore[attr-defined]
                outside.sendall(data)
        with suppress(OSError):
            outside.shutdown(socket.SHUT_WR)


def _hand_out(outside: socket.socket, target: IO[bytes]) -> None:
    with outside:
        with suppress(OSError, ValueError):
            while data := outside.recv(READ_AHEAD):
                target.write(data)
                target.flush()
        with suppress(OSError):
            outside.shutdown(socket.SHUT_RD)
