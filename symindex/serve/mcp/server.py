"""The SDK's server over a desk: each call works in a thread, so that none waits for another, and ends when its client gives it
up.
"""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from symindex import __version__
from symindex.serve.mcp.client_profiles import Choice, tools_for, wants_data
from symindex.serve.mcp.fast_handshake import INSTRUCTIONS, NAME, TITLE
from symindex.serve.mcp.handlers import Answer, Desk
from symindex.workers.cancellation import NotWantedError

PROGRESS_SECONDS: Final = 0.5
"""How often a call that takes longer tells how far the indexing is."""

THREADS: Final = 16
"""So many calls are worked on at a time, and"""

LOOKING: Final = 3
"""so many of those that look for references, each of which has processes of its own: the others come next."""

_Context = ServerRequestContext[Any, Any]


def make_server(desk: Desk, choice: Choice) -> "Server[Any]":
    """The server, ready to be run on some transport. choice: who is sent data."""
    usual = ThreadPoolExecutor(THREADS, thread_name_prefix="symindex-call")
    looking = ThreadPoolExecutor(LOOKING, thread_name_prefix="symindex-look")

    async def list_tools(context: _Context, _: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in tools_for(_client(context), choice)])

    async def call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        given_up = threading.Event()
        executor = looking if params.name == "references" else usual
        work = asyncio.get_running_loop().run_in_executor(executor, desk.answer, params.name, params.arguments, given_up)
        sends_data = wants_data(_client(context), choice)
        try:
            answer = await _with_progress(work, desk, context)
        except NotWantedError:
            answer = Answer("the call was given up", is_error=True)
        except asyncio.CancelledError:
            given_up.set()
            work.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # else it would be told as a fault
            raise
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=None if answer.data is None or not sends_data else msgspec.to_builtins(answer.data),
            is_error=answer.is_error,
        )

    return Server(
        NAME, version=__version__, title=TITLE, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


def _client(context: _Context) -> str:
    """What the client calls itself, empty if it has not told."""
    told = context.session.client_params
    return told.client_info.name if told is not None else ""


async def _with_progress(work: "asyncio.Future[Answer]", desk: Desk, context: _Context) -> Answer:
    """Waits for an answer; tells how far the indexing is, where the client has asked for that and it is waited for."""
    told = -1
    while True:
        done, _ = await asyncio.wait({work}, timeout=PROGRESS_SECONDS)
        if done:
            return work.result()
        progress = desk.progress
        if progress is not None and progress[0] > told:
            told = progress[0]
            await context.session.report_progress(told, progress[1] or None, "files are read for the index")
