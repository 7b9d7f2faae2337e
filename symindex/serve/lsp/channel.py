"""How messages come and go: on the standard streams or a connection, with the header that the base protocol puts before each.

To read and to write are never the event loop's work: a client that sends or takes slowly holds up nobody. One that takes nothing
is read from no more when too much waits for it.
"""

import asyncio
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Final, Protocol

LONGEST_MESSAGE: Final = 1 << 29
"""Bytes. Longer ones end the connection: nobody can tell where the next one begins."""

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


def read_length(line: bytes) -> int | None:
    """The length that a line of a header tells, if it does. Raises BrokenHeaderError for one that cannot be."""
    name, colon, value = line.partition(b":")
    if not colon or name.strip().lower() != b"content-length":
        return None
    value = value.strip()
    if not value.isdigit() or int(value) > LONGEST_MESSAGE:
        raise BrokenHeaderError(f"Content-Length is {value[:40]!r}: it must be 0 to {LONGEST_MESSAGE:,}")
    return int(value)


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
        length = None
        while line := self._source.readline(10_000):
            if line.strip():
                try:
                    told = read_length(line)
                except BrokenHeaderError:
                    return None
                length = told if told is not None else length
            elif length is not None:
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
    """A connection over TCP."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @property
    def waiting(self) -> int:
        return self._writer.transport.get_write_buffer_size()

    async def read(self) -> bytes | None:
        length = None
        try:
            while line := await self._reader.readline():
                if line.strip():
                    told = read_length(line)
                    length = told if told is not None else length
                elif length is not None:
                    return await self._reader.readexactly(length)
        except (OSError, ValueError, BrokenHeaderError, asyncio.IncompleteReadError):
            return None
        return None

    def write(self, message: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(framed(message))

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(self._writer.wait_closed(), 1.0)
