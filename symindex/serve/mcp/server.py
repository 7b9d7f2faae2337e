"""The SDK's server over the handlers. Calls run in threads, so that none waits for another, and end
when their client does."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from symindex import __version__
from symindex.cancellation import NotWantedError
from symindex.dialects.throttle import Throttle
from symindex.serve.mcp.client_profiles import Offer, wants_data
from symindex.serve.mcp.fast_handshake import NAME, TITLE
from symindex.serve.mcp.handlers import Answer, ToolHandlers

if TYPE_CHECKING:
    from symindex.editor.followed_workspace import FollowedWorkspace

PROGRESS_SECONDS: Final = 0.5
"""How often a longer call reports the progress of the indexing."""

THREADS: Final = 16
"""Calls at a time."""

LOOKING: Final = 3
"""Calls of `references` at a time, since each starts processes of its own."""

ADDING: Final = 2
"""Calls of `add` at a time: each has a process that may take as much memory as a worker, and a
minute."""

_Context = ServerRequestContext[Any, Any]


def make_server(handlers: ToolHandlers, offer: Offer) -> "Server[Any]":
    """The server, for any transport."""
    usual = ThreadPoolExecutor(THREADS, thread_name_prefix="symindex-call")
    throttle = Throttle()
    others = {
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
        executor = others.get(params.name, usual)
        turn = handlers.turn(throttle, params.name, _connection(context))
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(
            executor, handlers.answer, params.name, params.arguments, given_up, turn
        )
        sends_data = wants_data(_client(context), offer.choice)
        try:
            answer = await _with_progress(work, handlers.workspace, context)
        except NotWantedError:
            answer = Answer("the call was given up", is_error=True)
        except asyncio.CancelledError:
            given_up.set()
            work.add_done_callback(
                lambda ended: ended.cancelled() or ended.exception()
            )  # else it would be logged as a fault
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
    """What tells the connection of a client from others: the id of its session, else its address;
    empty for the only one."""
    request = context.request
    if request is None:
        return ""
    address = request.client
    return request.headers.get("mcp-session-id") or (
        f"{address.host}:{address.port}" if address is not None else ""
    )


def _client(context: _Context) -> str:
    """The name of the client; empty if it has sent none."""
    told = context.session.client_params
    return told.client_info.name if told is not None else ""


async def _with_progress(
    work: "asyncio.Future[Answer]", workspace: "FollowedWorkspace", context: _Context
) -> Answer:
    """Waits for an answer, and reports the progress of an indexing that it waits for."""
    told = -1
    while True:
        done, _ = await asyncio.wait({work}, timeout=PROGRESS_SECONDS)
        if done:
            return work.result()
        progress = workspace.progress
        if progress is not None and progress[0] > told:
            told = progress[0]
            await context.session.report_progress(
                told, progress[1] or None, "files are read for the index"
            )
