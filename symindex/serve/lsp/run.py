"""`symindex lsp`: one client, from its first message to its end; on the standard streams, unless a listener has let it in."""

import asyncio
import gc
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from symindex.serve.lsp.channel import Channel, connect_streams
from symindex.serve.lsp.client_limits import Bounds
from symindex.serve.lsp.handshake import ClientInfo, shake_hands
from symindex.serve.streams import drop_tokens, run_until_stopped, standard_streams

if TYPE_CHECKING:
    from symindex.serve.lsp.server import Server
    from symindex.session.watched_tree import WatchedTrees

LOG: Final = logging.getLogger("symindex.lsp")

PARENT_SECONDS: Final = 2.0
"""How often it is looked whether the client's process is still there."""


def make_followings() -> "WatchedTrees":
    """The trees, which all clients of this process have in common."""
    import symindex.session.followed_workspace  # noqa: F401  # all that will be loaded, so that what comes now holds for it
    from symindex.session.watched_tree import WatchedTrees

    # Thousands of classes, which stay, would be looked through whenever there is something to collect: 50 ms.
    gc.collect()
    gc.freeze()
    return WatchedTrees()


def serve_streams(bounds: Bounds) -> int:
    """Serves one client on the standard streams; returns the exit code."""
    drop_tokens()
    source, target = standard_streams()

    async def serve() -> int:
        channel = await connect_streams(source, target)
        return await serve_client(channel, make_followings, bounds, watches_parent=True)

    return run_until_stopped(serve())


def load_server() -> "Callable[[ClientInfo, Channel, Callable[[], WatchedTrees], Bounds], Server]":
    """What makes the server of one client, when pygls is loaded."""
    gc.disable()  # while thousands of classes are made, which all remain, this takes a tenth of the time
    try:
        from symindex.serve.lsp.handlers import make_server  # here, after the handshake
    finally:
        gc.enable()
    return make_server


async def serve_client(
    channel: Channel,
    followings: "Callable[[], WatchedTrees]",
    bounds: Bounds,
    first: bytes | None = None,
    *,
    watches_parent: bool = False,
) -> int:
    """Serves one client to its end; returns what its process would exit with.

    followings: gives the trees, once or more. first: a message that was read already.
    """
    try:
        client = await shake_hands(channel, first)
        if client is None:
            return 1
        server = load_server()(client, channel, followings, bounds)
        tasks = [asyncio.ensure_future(_read(channel, server))]
        if watches_parent and client.process_id is not None:
            tasks.append(asyncio.ensure_future(_watch_parent(client.process_id)))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            server.protocol.disconnect()
            await server.close()
    finally:
        await channel.close()
    return server.protocol.exit_code if server.protocol.exit_code is not None else 1


async def _read(channel: Channel, server: "Server") -> None:
    while server.protocol.exit_code is None and (body := await channel.read()) is not None:
        server.protocol.take(body)
        await asyncio.sleep(0)  # whatever else is due comes between two messages


async def _watch_parent(parent: int) -> None:
    """Returns when the process that the client has named is gone."""
    while _is_alive(parent):
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
