"""Messages at the limits of each stream, and streams that end within a message: each message is
taken whole or refused."""

import asyncio
import io
import socket
import threading
from contextlib import suppress

import pytest

from symindex.serve.daemon import listener, wire
from symindex.serve.lsp.channel import Channel
from symindex.serve.mcp import stdio_bootstrap
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.stdio_bootstrap import TOO_LONG, Bootstrap
from symindex.workers.framing import read_frame, write_frame
from tests.support.waiting import SECONDS

MOST = 100
SIZES = (1, MOST - 1, MOST, MOST + 1, MOST + 2, 2 * MOST, 2 * MOST + 1, 3 * MOST)


@pytest.mark.parametrize("end", [b"\n", b"", b"\nlast", b"\nlast\n"], ids=repr)
def test_a_line_for_agents(end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio_bootstrap, "LONGEST_BYTES", MOST)
    for size in SIZES:
        received, target, ended = list[bytes](), io.BytesIO(), threading.Event()
        line = b"x" * size
        bootstrap = Bootstrap(io.BytesIO(b"first\n" + line + end), target, Offer())

        def receive(message: bytes | None) -> None:
            if message is None:
                ended.set()  # noqa: B023
            elif message.strip():
                received.append(message.strip())  # noqa: B023

        bootstrap.move_to(receive)
        assert ended.wait(SECONDS)
        is_taken = size <= MOST
        assert received == [b"first", *[line] * is_taken, *[b"last"] * (b"last" in end)], size
        assert target.getvalue() == (b"" if is_taken else TOO_LONG + b"\n")


def test_a_message_of_an_editor() -> None:
    async def read(size: int, data: bytes) -> list[bytes | None]:
        ours, theirs = socket.socketpair()
        channel = Channel(*await asyncio.open_connection(sock=ours))
        channel.longest = MOST
        with theirs:
            theirs.sendall(b"Content-Length: %d\r\n\r\n" % size + data)
        messages = [await channel.read(), await channel.read()]
        channel.close()
        await channel.wait_closed()
        return messages

    following = b"Content-Length: 4\r\n\r\nlast"
    for size in SIZES:
        whole = b"x" * size
        expected = [whole, b"last"] if size <= MOST else [None]
        bodies = asyncio.run(read(size, whole + following))
        assert bodies[: len(expected)] == expected, size
        assert asyncio.run(read(size, whole[:-1])) == [None, None], size


def test_nothing_more_is_read_from_an_editor_that_reads_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """MOST_WAITING bytes may wait for an editor; beyond that its messages wait too."""
    monkeypatch.setattr("symindex.serve.lsp.channel.MOST_WAITING", MOST)

    async def read(n_waiting: int) -> list[bytes | None]:
        """Returns what is read before and after the editor has read everything."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                ours.send(b"x" * 10_000)
        reader, writer = await asyncio.open_connection(sock=ours)
        channel = Channel(reader, writer)
        writer.write(b"x" * n_waiting)
        theirs.sendall(b"Content-Length: 4\r\n\r\nnext")
        reading = asyncio.ensure_future(channel.read())
        done, _ = await asyncio.wait([reading], timeout=0.1)
        before = [task.result() for task in done]
        theirs.setblocking(False)
        while channel.waiting:
            with suppress(BlockingIOError):
                theirs.recv(1_000_000)
            await asyncio.sleep(0)
        after = await asyncio.wait_for(reading, SECONDS)
        writer.transport.abort()
        theirs.close()
        return [*before, after]

    assert asyncio.run(read(MOST)) == [b"next", b"next"]
    assert asyncio.run(read(MOST + 1)) == [b"next"]


@pytest.mark.parametrize("size", SIZES)
def test_a_request_to_a_daemon(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_REQUEST_BYTES", MOST)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        fields = [b"x" * max(size - 12, 0)]
        theirs.sendall(wire.pack(fields))
        if 12 + len(fields[0]) <= MOST:
            assert listener._receive(ours) == fields
        else:
            with pytest.raises(ValueError, match="too long"):
                listener._receive(ours)


def test_a_frame_of_a_worker() -> None:
    frames = [b"", b"one", b"x" * 10]
    stream, ends = io.BytesIO(), list[int]()
    for frame in frames:
        write_frame(stream, frame)
        ends.append(stream.tell())
    for n_taken in range(ends[-1] + 1):
        cut = io.BytesIO(stream.getvalue()[:n_taken])
        n_whole = sum(end <= n_taken for end in ends)
        assert [read_frame(cut) for _ in range(n_whole)] == frames[:n_whole]
        assert read_frame(cut) is None
