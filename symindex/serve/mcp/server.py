"""Puts the SDK's server on top of the handlers. Each call runs in its own thread, so calls do not
wait for each other, and ends when its client disconnects."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from symindex import __version__
from symindex.cancellation import NotWantedError
from symindex.dialects.throttle import Throttle
from symindex.serve.mcp.answers import ToolAnswer
from symindex.serve.mcp.client_profiles import Offer, wants_data
from symindex.serve.mcp.fast_handshake import NAME, TITLE
from symindex.serve.mcp.reading_handlers import ReadingHandlers

PROGRESS_SECONDS: Final = 0.5
"""Interval between progress reports of a long call."""

THREADS: Final = 16
"""Most calls that run at the same time."""

LOOKING: Final = 3
"""Most calls of `references` that run at the same time: each starts processes of its own."""

ADDING: Final = 2
"""Most calls of `add` that run at the same time: each starts a process that may use as much memory
as a worker, for a minute."""

_Context = ServerRequestContext[Any, Any]


def make_server(handlers: ReadingHandlers, offer: Offer) -> "Server[Any]":
    """Makes the server, for any transport."""
    usual = ThreadPoolExecutor(THREADS, thread_name_prefix="symindex-call")
    throttle = Throttle()
    limited = {
        "references": ThreadPoolExecutor(LOOKING, thread_name_prefix="symindex-look"),
        "add": ThreadPoolExecutor(ADDING, thread_name_prefix="symindex-add"),
    }

    async def list_tools(context: _Context, _: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(tool) for tool in offer.tools_for(_client(context))]
        )

    async def call_tool(
        context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        given_up = threading.Event()
        executor = limited.get(params.name, usual)
        turn = handlers.turn(throttle, params.name, _connection(context))
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(
            executor, handlers.answer, params.name, params.arguments, given_up, turn
        )
        sends_data = wants_data(_client(context), offer.choice)
        try:
            answer = await _with_progress(work, handlers, context)
        except NotWantedError:
            answer = ToolAnswer("the call was cancelled", is_error=True)
        except asyncio.CancelledError:
            given_up.set()
            work.add_done_callback(
                lambda ended: ended.cancelled() or ended.exception()
            )  # otherwise the SDK logs it as a fault
            raise
        data = None if answer.data is None or not sends_data else msgspec.to_builtins(answer.data)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=data,
            is_error=answer.is_error,
        )

    return Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=offer.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _connection(context: _Context) -> str:
    """Returns what distinguishes a client's connection from others: its session id, else its
    address. Empty if there is only one connection."""
    request = context.request
    if request is None:
        return ""
    address = request.client
    return request.headers.get("mcp-session-id") or (
        f"{address.host}:{address.port}" if address is not None else ""
    )


def _client(context: _Context) -> str:
    """Returns the name of the client, or an empty string if it sent none."""
    client = context.session.client_params
    return client.client_info.name if client is not None else ""


async def _with_progress(
    work: "asyncio.Future[ToolAnswer]", handlers: ReadingHandlers, context: _Context
) -> ToolAnswer:
    """Waits for an answer. Reports progress while the answer waits for the index."""
    reported = -1
    while True:
        done, _ = await asyncio.wait({work}, timeout=PROGRESS_SECONDS)
        if done:
            return work.result()
        progress = handlers.progress
        if progress is not None and progress[0] > reported:
            reported = progress[0]
            await context.session.report_progress(
                reported, progress[1] or None, "reading files for the index"
            )
