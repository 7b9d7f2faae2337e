"""Runs `symindex lsp` for one client, from its first message to its end: on the standard streams,
or on a connection that a listener has admitted."""

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
"""How long a thread waits for the interpreter's lock before the thread that has it must release it.
A query releases and takes it dozens of times, and while a source tree is scanned another thread
always wants it."""

PARENT_SECONDS: Final = 2.0
"""How often to check whether the client's process is still running."""


def _share(followed: "IndexedRoot") -> Callable[[], object]:
    # deferred, because editors get an answer first
    from symindex.serve.daemon.listener import share

    return share(followed)


def make_watched_trees() -> "WatchedTrees":
    """Makes the watched trees that all clients of this process share."""
    gc.disable()  # loaded modules stay, and collecting them repeatedly takes 15 ms
    try:
        import symindex.editor.followed_workspace  # noqa: F401  # all that following needs
        from symindex.workspace.watched_tree import WatchedTrees

        trees = WatchedTrees(_share)
        gc.freeze()  # later collections skip them
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
    """Runs `symindex lsp` without options, as editors start it, and ends the process."""
    from symindex.serve.log import set_up_logging

    gc.disable()  # until everything is loaded; see `make_watched_trees`
    sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    set_up_logging("warning")
    end_process(serve_streams(Bounds()))


def end_process(code: int) -> NoReturn:
    """Ends a server's process: waiting threads must not delay the end."""
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


def load_server() -> "Callable[[ClientInfo, Channel, Callable[[], WatchedTrees], Bounds], Server]":
    """Loads pygls. Returns the function that makes the server of one client."""
    from symindex.serve.lsp.lazy_types import load_types_lazily

    was_enabled = gc.isenabled()
    gc.disable()  # loaded modules stay
    try:
        load_types_lazily()
        from symindex.serve.lsp.handlers import make_server  # deferred until after the handshake
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

    shared_trees: returns the watched trees. first: the first message, if it was read already.
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
    """Returns when the process that the client has named has ended."""
    while True:
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            LOG.warning("the client's process %s has ended", parent)
            return
        except (OSError, OverflowError):  # another user's, or not the number of a process
            pass
        await asyncio.sleep(PARENT_SECONDS)
