"""`symindex lsp`: one client, from its first message to its end; on the standard streams, unless a listener has let it in."""

import asyncio
import contextlib
import gc
import logging
import os
from typing import TYPE_CHECKING, Final

import msgspec

from symindex.errors import RequestError
from symindex.serve.lsp.channel import MOST_WAITING, Channel, Streams
from symindex.serve.lsp.client_limits import Bounds
from symindex.serve.lsp.configuration import read_configuration
from symindex.serve.lsp.handshake import answer_to, is_id, read_hello
from symindex.serve.streams import drop_tokens, run_until_stopped, standard_streams

if TYPE_CHECKING:
    from symindex.serve.lsp.server import Server
    from symindex.session.watched_tree import WatchedTrees

LOG: Final = logging.getLogger("symindex.lsp")

PARENT_SECONDS: Final = 2.0
"""How often it is looked whether the client's process is still there."""

WAIT_SECONDS: Final = 0.02
"""How often it is looked whether a client takes again what waits for it."""


class Shared:
    """What all clients of this process have in common, made when the first needs it."""

    def __init__(self) -> None:
        self._followings: WatchedTrees | None = None

    def followings(self) -> "WatchedTrees":
        """The trees."""
        if self._followings is None:
            import symindex.session.followed_workspace  # noqa: F401  # all that will be loaded, so that what comes now holds for it
            from symindex.session.watched_tree import WatchedTrees

            # Thousands of classes, which stay, would be looked through whenever there is something to collect: 50 ms.
            gc.collect()
            gc.freeze()
            self._followings = WatchedTrees()
        return self._followings


def serve_streams(bounds: Bounds) -> int:
    """Serves one client on the standard streams; returns the exit code."""
    drop_tokens()
    source, target = standard_streams()

    async def serve() -> int:
        channel = Streams(source, target)
        first = await channel.read()
        if first is None:
            return 1
        is_greeted = _greet(channel, first)
        return await serve_client(channel, make_server(Shared(), bounds), first, is_greeted=is_greeted, watches_parent=True)

    return run_until_stopped(serve())


def _greet(channel: Channel, message: bytes) -> bool:
    """Answers a message at once, if it is a handshake and nothing is wrong with it."""
    with contextlib.suppress(ValueError, RecursionError, RequestError):  # which the protocol answers
        data = msgspec.json.decode(message)
        if (
            isinstance(data, dict)
            and data.get("jsonrpc") == "2.0"
            and data.get("method") == "initialize"
            and is_id(data.get("id"))
        ):
            hello = read_hello(data.get("params"))
            result = answer_to(hello, read_configuration(hello.options)[0])
            channel.write(msgspec.json.encode({"jsonrpc": "2.0", "id": data["id"], "result": result}))
            return True
    return False


def make_server(shared: "Shared", bounds: Bounds) -> "Server":
    """What serves one client."""
    gc.disable()  # while thousands of classes are made, which all remain, this takes a tenth of the time
    try:
        from symindex.serve.lsp.handlers import add_features  # here, after the handshake
        from symindex.serve.lsp.server import Server
    finally:
        gc.enable()
    server = Server(shared.followings, bounds)
    add_features(server)
    return server


async def serve_client(
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
