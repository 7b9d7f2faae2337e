"""Refuses an HTTP request whose id is still in use in its session.

The SDK keeps one stream per id and session. If two requests shared an id, it would answer one of
them and leave the other waiting for ever.
"""

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LINGER_SECONDS: Final = 60.0
"""How long an id stays in use after its client disconnects without the answer. The call goes on,
and a later request with this id would get its answer."""

_RESERVED: Final = "_GET_stream"
"""The id of the SDK's stream for messages that belong to no request."""

_IN_USE: Final = "the id of this request is in use: give each request of a session its own id"


class IdsInUse:
    """Wraps an application with this check.

    most_bytes: longest body that is read; a longer one goes to the application, which refuses it.
    """

    def __init__(self, app: "ASGIApp", most_bytes: int) -> None:
        self._app, self._most_bytes = app, most_bytes
        self._in_use: set[tuple[bytes, str]] = set()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        session = (
            dict(scope["headers"]).get(b"mcp-session-id", b"") if scope["type"] == "http" else b""
        )
        if not session or scope["method"] != "POST":  # without a session, each request stands alone
            await self._app(scope, receive, send)
            return
        body, again = await self._read_ahead(receive)
        request_id = _id_of(body)
        if request_id is None:
            await self._app(scope, again, send)
            return
        key = (session, str(request_id))  # the SDK, too, treats 1 and "1" as one id
        if request_id == _RESERVED or key in self._in_use:
            await _refuse(send, request_id)
            return
        is_answered = False

        async def watch(message: "Message") -> None:
            nonlocal is_answered
            await send(message)
            is_answered = is_answered or (
                message["type"] == "http.response.body" and not message.get("more_body", False)
            )

        self._in_use.add(key)
        try:
            await self._app(scope, again, watch)
        finally:
            if is_answered:
                self._in_use.discard(key)
            else:
                asyncio.get_running_loop().call_later(LINGER_SECONDS, self._in_use.discard, key)

    async def _read_ahead(self, receive: "Receive") -> "tuple[bytes, Receive]":
        """Reads the body of a request. Returns it with a function that receives it again. If the
        body is too long or breaks off, only its beginning is returned."""
        body, is_whole, last = bytearray(), False, None
        while not is_whole and len(body) <= self._most_bytes:
            last = await receive()
            if last["type"] != "http.request":
                break
            body += last.get("body", b"")
            is_whole, last = not last.get("more_body", False), None
        waiting: list[Message] = [
            {"type": "http.request", "body": bytes(body), "more_body": not is_whole}
        ]
        if last is not None:
            waiting.append(last)

        async def again() -> "Message":
            return waiting.pop(0) if waiting else await receive()

        return bytes(body), again


def _id_of(body: bytes) -> str | int | None:
    """Returns the id of a request, or `None` if the body is not a request."""
    try:
        message = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None
    request_id = message.get("id") if isinstance(message, dict) and "method" in message else None
    return request_id if isinstance(request_id, str | int) else None


async def _refuse(send: "Send", request_id: Any) -> None:
    error = {"jsonrpc": "2.0", "id": request_id, "error": {"code": -32600, "message": _IN_USE}}
    body = msgspec.json.encode(error)
    start = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 400, "headers": start})
    await send({"type": "http.response.body", "body": body})
