"""Runs the SDK's server on the standard streams."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import anyio
import mcp_types as types
import msgspec
from mcp.shared.message import SessionMessage

from symindex.serve.faults import tell_fault
from symindex.serve.log import set_up_logging
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.fleet_handlers import make_handlers
from symindex.serve.mcp.reading_handlers import ReadingHandlers
from symindex.serve.mcp.server import make_server
from symindex.serve.mcp.stdio_bootstrap import Bootstrap, refuse
from symindex.serve.streams import ignore_signals, run_until_stopped

LOG: Final = logging.getLogger("symindex.mcp")

CLOSING_SECONDS: Final = 5.0
"""How long the trees may take to stop their processes."""


def run_stdio(
    bootstrap: Bootstrap,
    roots: Sequence[Path],
    index_dir: str | None,
    offer: Offer,
    fleet: str = "",
) -> int:
    """Takes the client over from the bootstrap and serves it until it disconnects."""
    set_up_logging("warning")
    handlers = make_handlers(roots, index_dir, offer, fleet)
    try:
        return run_until_stopped(_serve(bootstrap, handlers, offer))
    except Exception as error:
        # raising it would wait for the writing thread, and so for a client that may not read
        return tell_fault(error)
    finally:
        ignore_signals()
        closing = threading.Thread(target=handlers.close, daemon=True)
        closing.start()
        closing.join(CLOSING_SECONDS)


async def _serve(bootstrap: Bootstrap, handlers: ReadingHandlers, offer: Offer) -> int:
    server = make_server(handlers, offer)
    loop = asyncio.get_running_loop()
    # This thread blocks for ever if the client does not read; the command does not wait for it at
    # the end.
    writing = ThreadPoolExecutor(1, thread_name_prefix="symindex-write")
    incoming: asyncio.Queue[bytes | None] = asyncio.Queue()
    bootstrap.move_to(lambda line: loop.call_soon_threadsafe(incoming.put_nowait, line))
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with to_server:
            while (line := await incoming.get()) is not None:
                try:
                    message = SessionMessage(_read(line))
                except (ValueError, RecursionError):  # the SDK's server would ignore it
                    await loop.run_in_executor(writing, bootstrap.write, refuse(line))
                    continue
                try:
                    await to_server.send(message)
                except anyio.BrokenResourceError:  # the server has ended in the meantime
                    return

    async def write() -> None:
        async with from_server:
            async for sent in from_server:
                if not bootstrap.was_answered(getattr(sent.message, "id", None)):
                    await loop.run_in_executor(writing, bootstrap.write, _encoded(sent.message))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        await server.run(from_client, to_client, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    return 0


def _read(line: bytes) -> types.JSONRPCMessage:
    """Parses a message. Raises ValueError for an invalid one, and for a request with an invalid id:
    the SDK takes that for a notification and does not answer it."""
    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    if isinstance(message, types.JSONRPCNotification) and "id" in msgspec.json.decode(line):
        raise ValueError("the id is invalid")
    return message


def _encoded(message: types.JSONRPCMessage) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError as error:  # a fault in one message must not end all others
        LOG.error("cannot send a message", exc_info=error)
        failed = {"code": -32603, "message": "internal error: the answer cannot be encoded as JSON"}
        return msgspec.json.encode(
            {"jsonrpc": "2.0", "id": getattr(message, "id", None), "error": failed}
        )
