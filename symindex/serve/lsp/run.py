"""`symindex lsp`: one client on the standard streams, or any number of them over TCP."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import msgspec

from symindex.errors import RequestError
from symindex.render.controls import show_controls, show_text
from symindex.serve.lsp.channel import MOST_WAITING, Channel, Connection, Streams
from symindex.serve.lsp.configuration import read_configuration
from symindex.serve.lsp.handshake import answer_to, read_hello
from symindex.serve.streams import standard_streams

if TYPE_CHECKING:
    from symindex.following import Followings
    from symindex.serve.lsp.server import Server

LOG: Final = logging.getLogger("symindex.lsp")

PARENT_SECONDS: Final = 2.0
"""How often it is looked whether the client's process is still there."""

WAIT_SECONDS: Final = 0.02
"""How often it is looked whether a client takes again what waits for it."""


class _Shared:
    """What all clients of this process have in common, made when the first needs it."""

    def __init__(self) -> None:
        self._followings: Followings | None = None

    def followings(self) -> "Followings":
        """The trees."""
        if self._followings is None:
            import symindex.session  # noqa: F401  # all that will be loaded, so that what comes now holds for it
            from symindex.following import Followings

            # Thousands of classes, which stay, would be looked through whenever there is something to collect: 50 ms.
            gc.collect()
            gc.freeze()
            self._followings = Followings()
        return self._followings


def set_up_logging(level: str, log_file: str | None) -> None:
    """Logs to standard error, and to a file as well if one is named. Raises RequestError where that cannot be written."""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if log_file:
        handlers.append(logging.StreamHandler(_open_log(log_file)))
    logging.basicConfig(level=logging.getLevelName(level.upper()), handlers=handlers)
    for handler in handlers:
        handler.setFormatter(_OneLine("%(asctime)s symindex %(levelname)s %(message)s"))
    logging.getLogger("pygls").setLevel(logging.DEBUG if level == "debug" else logging.CRITICAL)  # we log the same, shorter
    logging.getLogger("asyncio").setLevel(logging.WARNING)


class _OneLine(logging.Formatter):
    """A record is one line, and below it a traceback if there is one, whatever is said in it."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return show_controls(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        return show_text(super().format(record))


def _open_log(named: str) -> IO[str]:
    """The end of a log, which is no link: a tree may hold one where its user has logs written."""
    try:
        path = Path(named).expanduser()
        if path.is_symlink():
            raise RequestError(f"--log-file {named}: a symbolic link, which is not written through; name what it leads to")
        # Neither led elsewhere by a link that has come meanwhile, nor held up by a pipe that nobody reads.
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | flags, 0o600)
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RequestError(f"--log-file {named}: cannot be written: {reason}") from None
    return open(number, "a", encoding="utf-8", errors="backslashreplace")


def serve_streams() -> int:
    """Serves one client on the standard streams; returns the exit code."""
    source, target = standard_streams()

    async def serve() -> int:
        channel = Streams(source, target)
        first = await channel.read()
        if first is None:
            return 1
        is_greeted = _greet(channel, first)
        return await _serve(channel, _make_server(_Shared()), first, is_greeted=is_greeted, watches_parent=True)

    return asyncio.run(serve())


def _greet(channel: Channel, message: bytes) -> bool:
    """Answers a message at once, if it is a handshake and nothing is wrong with it."""
    with contextlib.suppress(msgspec.DecodeError, RequestError):
        data = msgspec.json.decode(message)
        if isinstance(data, dict) and data.get("jsonrpc") == "2.0" and data.get("method") == "initialize" and "id" in data:
            hello = read_hello(data.get("params"))
            result = answer_to(hello, read_configuration(hello.options)[0])
            channel.write(msgspec.json.encode({"jsonrpc": "2.0", "id": data["id"], "result": result}))
            return True
    return False


def _make_server(shared: "_Shared") -> "Server":
    gc.disable()  # while thousands of classes are made, which all remain, this takes a tenth of the time
    try:
        from symindex.serve.lsp.features import add_features  # here, after the handshake
        from symindex.serve.lsp.server import Server
    finally:
        gc.enable()
    server = Server(shared.followings)
    add_features(server)
    return server


def serve_tcp(host: str, port: int) -> int:
    """Serves clients over TCP until it is interrupted. Raises RequestError where the address cannot be had."""
    shared = _Shared()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _serve(Connection(reader, writer), _make_server(shared), watches_parent=False)
        except Exception as error:  # one client's trouble is not the others'
            LOG.error("a session ended: %s", error, exc_info=error)

    async def serve() -> None:
        try:
            _make_server(shared)  # so that the first client does not wait for pygls
            server = await asyncio.start_server(connected, host, port, limit=1 << 20)
        except (OSError, OverflowError) as error:
            raise RequestError(f"--tcp {host}:{port}: cannot listen there: {error}") from None
        name = server.sockets[0].getsockname()
        sys.stderr.write(f"symindex: listening on {name[0]}:{name[1]}\n")
        sys.stderr.flush()
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        async with server:
            await stopped.wait()

    asyncio.run(serve())
    return 0


async def _serve(
    channel: Channel, server: "Server", first: bytes | None = None, *, is_greeted: bool = False, watches_parent: bool
) -> int:
    """Serves one client to its end; returns what its process would exit with.

    first: a message that was read already; is_greeted: and answered.
    """
    protocol = server.protocol
    protocol.channel, protocol.is_greeted = channel, is_greeted
    if first is not None:
        protocol.handle_body(first)
    reading = asyncio.ensure_future(_read(channel, server))
    watching = [asyncio.ensure_future(_watch_parent(server))] if watches_parent else []
    try:
        await asyncio.wait([reading, *watching], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (reading, *watching):
            task.cancel()
        await server.close()
        await channel.close()
    return protocol.exit_code if protocol.exit_code is not None else 1


async def _read(channel: Channel, server: "Server") -> None:
    protocol = server.protocol
    while protocol.exit_code is None:
        body = await channel.read()
        if body is None:
            return
        protocol.handle_body(body)
        await asyncio.sleep(0)  # whatever else is due comes between two messages
        while channel.waiting > MOST_WAITING:
            await asyncio.sleep(WAIT_SECONDS)


async def _watch_parent(server: "Server") -> None:
    """Returns when the process that the client has named is gone."""
    while (parent := server.parent_id) is None or _is_alive(parent):
        await asyncio.sleep(PARENT_SECONDS)
    LOG.warning("the client's process %s is gone", parent)


def _is_alive(process_id: int) -> bool:
    if os.name == "nt":
        return True  # its end closes our input there
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
