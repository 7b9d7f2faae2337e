"""The service: requests over HTTP become calls in threads, in lanes and with limits."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Router

from symindex.cancellation import NotWantedError, wanted_until
from symindex.serve.api.answering import Reply, answer, describe, refusal
from symindex.serve.api.methods import ANSWER_SECONDS, API, API_HEADER, METHODS, MOST_BODY
from symindex.serve.lanes import BusyError, Lanes
from symindex.workspace.answers import Answers

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PLACES: Final = {"search": 3, "page": 4, "slow": 2}
"""How many requests of each lane are answered at the same time."""

PREFIX: Final = f"/v{API}/"

HEALTH: Final = "/healthz"
"""The address that a balancer asks. It says only that the process answers, to anybody."""

MOST_ADDRESS: Final = 4_096
"""Longest path with its parameters, in bytes."""

RETRY_SECONDS: Final = 5

_GONE: Final = 499
"""The status for a client that has left; nobody reads it."""


def make_service(answers: Answers) -> "ASGIApp":
    """Returns the application of the service, without its guard."""
    lanes = Lanes(PLACES)
    threads = anyio.CapacityLimiter(sum(PLACES.values()))

    async def serve(scope: "Scope", receive: "Receive", send: "Send") -> None:
        reply = await _reply(answers, Request(scope, receive), lanes, threads)
        headers = {API_HEADER: API, "cache-control": "no-store"}
        if reply.retry_seconds:
            headers["retry-after"] = str(reply.retry_seconds)
        response = Response(reply.body, reply.status, headers, "application/json")
        await response(scope, receive, send)

    return Router(redirect_slashes=False, default=serve)  # it answers the events of a process


async def _reply(
    answers: Answers, request: Request, lanes: Lanes, threads: anyio.CapacityLimiter
) -> Reply:
    path = request.scope["path"]
    if path == HEALTH:
        return Reply(200, b'{"status":"ok"}\n')
    if len(path) + len(request.scope["query_string"]) > MOST_ADDRESS:
        return refusal(400, f"the address is longer than {MOST_ADDRESS:,} bytes")
    name = path.removeprefix(PREFIX)
    if name == "status" and path.startswith(PREFIX):
        if request.method != "GET":
            return refusal(405, "use GET")
        return await _in_thread(request, lambda: describe(answers), "page", lanes, threads)
    if name not in METHODS or not path.startswith(PREFIX):
        return refusal(404, f"no such address: {PREFIX}NAME with one of {', '.join(METHODS)}")
    if request.method != "POST":
        return refusal(405, "use POST, with the request as JSON")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return refusal(415, "send the request as content-type: application/json")
    try:
        body = await _body(request)
    except ClientDisconnect:
        return Reply(_GONE, b"")
    if body is None:
        return refusal(413, f"the request has more than {MOST_BODY:,} bytes")
    parameters = dict(request.query_params)
    call = partial(answer, answers, name, parameters, body)
    return await _in_thread(request, call, METHODS[name].lane, lanes, threads)


async def _body(request: Request) -> bytes | None:
    """Returns the body of a request; `None` for one that is too long, whatever length it names."""
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length[:20]) > MOST_BODY:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BODY:
            return None
    return bytes(body)


async def _in_thread(
    request: Request,
    call: Callable[[], Reply],
    lane: str,
    lanes: Lanes,
    threads: anyio.CapacityLimiter,
) -> Reply:
    given_up = threading.Event()
    gone = asyncio.ensure_future(_wait_until_gone(request, given_up))
    is_late = False

    def give_up() -> None:
        nonlocal is_late
        is_late = True
        given_up.set()

    def work() -> Reply:
        with wanted_until(given_up):
            return call()

    try:
        async with lanes.place(lane):
            late = asyncio.get_running_loop().call_later(ANSWER_SECONDS, give_up)
            try:
                return await anyio.to_thread.run_sync(work, limiter=threads)
            finally:
                late.cancel()
    except BusyError as error:
        if error.is_crowded:
            return refusal(429, "too many requests wait: try again later", RETRY_SECONDS)
        return refusal(
            503, "the server is busy with other requests: try again in a moment", RETRY_SECONDS
        )
    except NotWantedError:
        if is_late:
            return refusal(
                503, f"the answer takes more than {ANSWER_SECONDS:g} s: ask for less", RETRY_SECONDS
            )
        return Reply(_GONE, b"")
    finally:
        gone.cancel()


async def _wait_until_gone(request: Request, given_up: threading.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    given_up.set()
