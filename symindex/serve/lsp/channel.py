"""How messages come and go: on the standard streams or a connection, with the header that the base protocol puts before each.

To read and to write are never the event loop's work: a client that sends or takes slowly holds up nobody. One that takes nothing
is read from no more when too much waits for it.
"""

import asyncio
import logging
import re
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Final, Protocol

LOG: Final = logging.getLogger("symindex.lsp")

LONGEST_MESSAGE: Final = 1 << 29
"""Bytes. Longer ones end the connection: nobody can tell where the next one begins."""

LONGEST_FIRST: Final = 1 << 20
"""Bytes of the message in which a client of a connection says who it is."""

LONGEST_HEADER: Final = 4096
"""Bytes."""

MOST_WAITING: Final = 16_000_000
"""Bytes that may wait for a client; then it is not read from until it has taken some."""

MOST_UNREAD: Final = 256
"""Messages that are read ahead."""


class Channel(Protocol):
    """Messages of one client."""

    @property
    def waiting(self) -> int:
        """Bytes that the client has not taken yet."""

    async def read(self) -> bytes | None:
        """The next message, without its header; `None` at the end."""

    def write(self, message: bytes) -> None:
        """Sends a message; returns at once."""

    async def close(self) -> None:
        """Sends what waits, as far as the client takes it within a second, and ends."""


def framed(message: bytes) -> bytes:
    """A message with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


class BrokenHeaderError(Exception):
    """Of a message of which it cannot be told where it ends."""


class Header:
    """The header of a message, line by line. It holds what the base protocol knows and nothing else: a browser that is made to
    send a message in the body of a request has said too much before.
    """

    def __init__(self, longest: int) -> None:
        self.is_http = False
        self._longest = longest
        self._length: int | None = None
        self._n_bytes = 0

    def take(self, line: bytes) -> int | None:
        """The length of the message, when a line ends the header. Raises BrokenHeaderError for what cannot be one."""
        self._n_bytes += len(line)
        if self._n_bytes > LONGEST_HEADER or not line.endswith(b"\n"):
            raise BrokenHeaderError(f"its header is longer than {LONGEST_HEADER} bytes, or breaks off")
        if not line.strip():
            return self._length  # an empty line before a header is passed over
        name, colon, value = line.partition(b":")
        name, value = name.strip().lower(), value.strip()
        if not colon or name not in (b"content-length", b"content-type"):
            self.is_http = _HTTP.match(line) is not None
            raise BrokenHeaderError(f"{line[:40]!r} stands in its header: legal are Content-Length and Content-Type")
        if name == b"content-length":
            if self._length is not None:
                raise BrokenHeaderError("Content-Length stands in its header twice")
            if not value.isdigit() or len(value) > 12 or int(value) > self._longest:
                raise BrokenHeaderError(f"Content-Length is {value[:40]!r}: it must be 0 to {self._longest:,}")
            self._length = int(value)
        return None


_HTTP: Final = re.compile(rb"[A-Za-z]+ [^ ]+ HTTP/\d")


class Streams:
    """The standard streams, each with a thread of its own."""

    def __init__(self, source: IO[bytes], target: IO[bytes]) -> None:
        self._source, self._target = source, target
        self._loop = asyncio.get_running_loop()
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(MOST_UNREAD)
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._written = threading.Event()
        self._counting = threading.Lock()
        self._waiting = 0
        threading.Thread(target=self._read, name="symindex-read", daemon=True).start()
        threading.Thread(target=self._write, name="symindex-write", daemon=True).start()

    @property
    def waiting(self) -> int:
        return self._waiting

    async def read(self) -> bytes | None:
        message = await self._messages.get()
        self._room.release()
        return message

    def write(self, message: bytes) -> None:
        data = framed(message)
        with self._counting:
            self._waiting += len(data)
        self._outgoing.put(data)

    async def close(self) -> None:
        self._outgoing.put(None)
        await self._loop.run_in_executor(None, self._written.wait, 1.0)

    def _read(self) -> None:
        with suppress(OSError, ValueError, RuntimeError):
            while (message := self._next()) is not None:
                self._room.acquire()
                self._hand_over(message)
        with suppress(RuntimeError):  # the loop has ended first
            self._hand_over(None)

    def _hand_over(self, message: bytes | None) -> None:
        self._loop.call_soon_threadsafe(self._messages.put_nowait, message)

    def _next(self) -> bytes | None:
        header = Header(LONGEST_MESSAGE)
        while line := self._source.readline(LONGEST_HEADER + 1):
            try:
                length = header.take(line)
            except BrokenHeaderError as error:
                LOG.warning("a message ends the session: %s", error)
                return None
            if length is not None:
                message = self._source.read(length)
                return message if len(message) == length else None
        return None

    def _write(self) -> None:
        with suppress(OSError, ValueError):
            while (data := self._outgoing.get()) is not None:
                self._target.write(data)
                self._target.flush()
                with self._counting:
                    self._waiting -= len(data)
        self._written.set()


class Connection:
    """A connection over a socket. longest: bytes of a message, more of which it takes once its client is known."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.longest = LONGEST_FIRST
        self._reader, self._writer = reader, writer

    @property
    def waiting(self) -> int:
        return self._writer.transport.get_write_buffer_size()

    async def read(self) -> bytes | None:
        header = Header(self.longest)
        try:
            while line := await self._reader.readline():
                length = header.take(line)
                if length is not None:
                    return await self._reader.readexactly(length)
        except BrokenHeaderError as error:
            LOG.info("a message ends its connection: %s", error)
            if header.is_http:
                self._writer.write(NO_HTTP)
        except (OSError, ValueError, asyncio.IncompleteReadError):
            return None
        return None

    def write(self, message: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(framed(message))

    async def close(self) -> None:
        self._writer.close()
        try:
            await asyncio.wait_for(self._writer.wait_closed(), 1.0)
        except (OSError, TimeoutError):
            self._writer.transport.abort()  # else what it does not take would wait for it as long as it stays


NO_HTTP: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
"""To what takes this for a web server."""
