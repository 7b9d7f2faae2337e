"""The connection of a client of the language server, without one: refused headers, clients that read
nothing or leave, threads, and how a server ends."""

import asyncio
import gc
import io
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from symindex.serve import listening
from symindex.serve.lsp import channel, listener, run
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.handlers import make_server
from tests.support.waiting import until


class Stream:
    """The writing side of a connection whose client reads nothing."""

    def __init__(self, hangs: bool = True) -> None:
        self.hangs, self.limits, self.aborted = hangs, list[int](), list[str]()
        self.transport = SimpleNamespace(
            set_write_buffer_limits=lambda high: self.limits.append(high),
            abort=lambda: self.aborted.append("aborted"),
        )

    async def drain(self) -> None: ...

    async def wait_closed(self) -> None:
        await asyncio.sleep(60.0 if self.hangs else 0.0)


async def channel_with(data: bytes, hangs: bool = False) -> tuple[channel.Channel, Stream]:
    reader, stream = asyncio.StreamReader(limit=1 << 16), Stream(hangs)
    reader.feed_data(data)
    reader.feed_eof()
    writer: Any = stream
    return channel.Channel(reader, writer), stream


@pytest.mark.parametrize(("hangs", "aborted"), [(False, []), (True, ["aborted"])])
def test_a_client_that_reads_nothing_at_the_end_is_left(
    hangs: bool, aborted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert channel.CLOSING_SECONDS == 1.0
    monkeypatch.setattr(channel, "CLOSING_SECONDS", 0.01)
    joined: list[float] = []

    async def check() -> None:
        made, stream = await channel_with(b"", hangs)
        assert stream.limits == [16_000_000]
        await made.wait_closed()
        assert stream.aborted == aborted
        made.writing = SimpleNamespace(join=joined.append)  # type: ignore[assignment]
        await made.wait_closed()
        assert joined == [0.01]

    asyncio.run(check())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"Content-Length: 1048577\r\n\r\n",
            "Content-Length is b'1048577': it must be 0 to 1,048,576",
        ),
        (
            b"Content-Length: " + b"1" * 50 + b"\r\n\r\n",
            f"Content-Length is b'{'1' * 40}': it must be",
        ),
        (b"x" * 50 + b"\r\n\r\n", f"b'{'x' * 40}' is not a valid header: expected"),
    ],
)
def test_a_refused_header_is_quoted_in_part(data: bytes, message: str) -> None:
    async def check() -> None:
        made, _ = await channel_with(data)
        with pytest.raises(channel.BrokenHeaderError) as caught:
            await made._read_length()
        assert str(caught.value).startswith(message)
        made, _ = await channel_with(b"Content-Length: 1048576\r\n\r\n")
        assert await made._read_length() == 1 << 20

    asyncio.run(check())


def test_a_refused_body_is_quoted_in_part() -> None:
    with pytest.raises(channel.MessageError) as caught:
        channel.read_message(b"[1" + b"0" * 400 + b".0]")
    assert str(caught.value) == f"not valid JSON: 1{'0' * 39} is not a JSON number"


def test_the_threads_of_the_standard_streams_keep_no_process_alive_and_no_socket_open() -> None:
    def threads() -> list[threading.Thread]:
        names = ("symindex-read", "symindex-write")
        return [thread for thread in threading.enumerate() if thread.name in names]

    async def check() -> None:
        source, target = io.BytesIO(b"Content-Length: 2\r\n\r\nab"), io.BytesIO()
        made = await channel.connect_streams(source, target)
        assert made.writing is not None and made.writing.daemon
        assert all(thread.daemon for thread in threads())
        assert made.longest == channel.LONGEST_MESSAGE
        assert await made.read() == b"ab" and await made.read() is None
        made.write(b"cd")
        made.close()
        await made.wait_closed()
        assert target.getvalue() == b"Content-Length: 2\r\n\r\ncd"
        until(lambda: not threads())

    asyncio.run(check())
    gc.collect()  # fails the test if a socket was left open


def test_a_connection_that_cannot_be_accepted_keeps_no_other_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    most: list[int] = []
    monkeypatch.setattr(listening, "most_connections", lambda asked: most.append(asked) or asked)
    monkeypatch.setattr(listening, "ACCEPT_SECONDS", 0.0)
    taken: list[Any] = []

    async def check() -> None:
        loop: Any = asyncio.get_running_loop()
        results: list[Any] = [
            OSError(24, "Too many open files"),
            ("connection", ""),
            asyncio.CancelledError(),
        ]

        async def accept(_: object) -> Any:
            result = results.pop(0)
            if isinstance(result, BaseException):
                raise result
            return result

        loop.sock_accept = accept
        blocking: list[bool] = []
        bound: Any = SimpleNamespace(setblocking=blocking.append)
        serve: Any = None
        made: Any = listener._Listener(bound, "", serve)
        made._take = taken.append
        with pytest.raises(asyncio.CancelledError):
            await made.run()
        assert blocking == [False]

    asyncio.run(check())
    assert taken == ["connection"] and most == [64]
    assert "cannot accept a connection: Too many open files" in caplog.text


def test_a_server_ends_with_the_process_that_its_client_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends: list[Any] = [None, PermissionError(), OverflowError(), ProcessLookupError()]
    asked: list[tuple[int, int]] = []
    waits: list[float] = []

    def kill(process: int, number: int) -> None:
        asked.append((process, number))
        end = ends.pop(0)
        if end is not None:
            raise end

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(run.os, "kill", kill)
    monkeypatch.setattr(run.asyncio, "sleep", sleep)
    asyncio.run(run._watch_parent(77))
    assert asked == [(77, 0)] * 4 and waits == [2.0] * 3


def test_a_client_that_leaves_before_the_handshake_ends_with_one() -> None:
    closed: list[str] = []

    class Silent:
        async def read(self) -> None: ...

        def close(self) -> None:
            closed.append("closed")

        async def wait_closed(self) -> None:
            closed.append("waited")

    silent: Any = Silent()
    trees_of: Any = None
    assert asyncio.run(run.serve_client(silent, trees_of, Bounds())) == 1
    assert closed == ["closed", "waited"]


def test_other_threads_wait_half_a_millisecond_for_the_interpreter() -> None:
    before = sys.getswitchinterval()
    try:
        assert run.load_server() is make_server
        assert sys.getswitchinterval() == pytest.approx(0.0005) and gc.isenabled()
        gc.disable()
        run.load_server()
        assert not gc.isenabled()
    finally:
        gc.enable()
        sys.setswitchinterval(before)
