"""`symindex lsp` for one client, from its first message to its end: on the standard streams, or let
in by a listener."""

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NoReturn

from symindex.serve.lsp.channel import LOG, Channel, connect_streams
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.handshake import ClientInfo, run_handshake
from symindex.serve.streams import drop_tokens, run_until_stopped, standard_streams

if TYPE_CHECKING:
    from symindex.serve.lsp.server import Server
    from symindex.workspace.indexed_root import IndexedRoot
    from symindex.workspace.watched_tree import WatchedTrees

SWITCH_SECONDS: Final = 0.0005
"""How long a thread waits for the interpreter's lock before the one that has it must give way: a
query loses and takes it dozens of times, and while a tree is looked at another thread always wants
it."""

PARENT_SECONDS: Final = 2.0
"""How often to check whether the client's process is still there."""


def _share(followed: "IndexedRoot") -> Callable[[], object]:
    from symindex.serve.daemon.listener import share  # here, because editors are answered first

    return share(followed)


def make_watched_trees() -> "WatchedTrees":
    """The trees that all clients of this process share."""
    gc.disable()  # what is loaded stays: to look through it again and again takes 15 ms
    try:
        from symindex.editor.followed_workspace import (
            WatchedTrees,
        )  # with everything that following needs

        trees = WatchedTrees(_share)
        gc.freeze()  # nor does any later collection look through it
    finally:
        gc.enable()
    return trees


def serve_streams(bounds: Bounds) -> int:
    """Serves one client on the standard streams; returns the exit code."""
    drop_tokens()
    source, target = standard_streams()

    async def serve() -> int:
        channel = await connect_streams(source, target)
        return await serve_client(channel, make_watched_trees, bounds, watches_parent=True)

    return run_until_stopped(serve())


def serve_editor() -> NoReturn:
    """`symindex lsp` without options, as editors start it; ends the process."""
    from symindex.serve.log import set_up_logging

    gc.disable()  # until everything is loaded, see `make_watched_trees`
    sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    set_up_logging("warning")
    end_process(serve_streams(Bounds()))


def end_process(code: int) -> NoReturn:
    """Ends a server's process: threads that wait for something must not hold up the end."""
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


def load_server() -> "Callable[[ClientInfo, Channel, Callable[[], WatchedTrees], Bounds], Server]":
    """Loads pygls; returns the function that makes the server of one client."""
    from symindex.serve.lsp.lazy_types import load_types_lazily

    was_enabled = gc.isenabled()
    gc.disable()  # what is loaded stays
    try:
        load_types_lazily()
        from symindex.serve.lsp.handlers import make_server  # here, after the handshake
    finally:
        if was_enabled:
            gc.enable()
    sys.setswitchinterval(SWITCH_SECONDS)
    return make_server


async def serve_client(
    channel: Channel,
    shared_trees: "Callable[[], WatchedTrees]",
    bounds: Bounds,
    first: bytes | None = None,
    *,
    watches_parent: bool = False,
) -> int:
    """Serves one client to its end; returns its exit code.

    shared_trees: gives the trees. first: a message that was read already.
    """
    try:
        client = await run_handshake(channel, first)
        if client is None:
            return 1
        server = load_server()(client, channel, shared_trees, bounds)
        server.begin()
        tasks = [asyncio.ensure_future(_read(channel, server))]
        if (
            watches_parent and client.process_id is not None and os.name != "nt"
        ):  # where its end closes our input
            tasks.append(asyncio.ensure_future(_watch_parent(client.process_id)))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            server.protocol.disconnect()
            await server.close()
    finally:
        channel.close()
        await channel.wait_closed()
    return server.protocol.exit_code if server.protocol.exit_code is not None else 1


async def _read(channel: Channel, server: "Server") -> None:
    while server.protocol.exit_code is None and (body := await channel.read()) is not None:
        server.protocol.take(body)
        await asyncio.sleep(0)  # lets other tasks run between two messages


async def _watch_parent(parent: int) -> None:
    """Returns when the process that the client has named is gone."""
    while True:
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            LOG.warning("the client's process %s is gone", parent)
            return
        except (OSError, OverflowError):  # another user's, or no number of a process
            pass
        await asyncio.sleep(PARENT_SECONDS)
