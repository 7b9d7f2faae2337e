"""Which connections are let in: those that send `initialize` in time, with the token if there is one.

Before that, nothing is opened, read or answered.
"""

import asyncio
from typing import Any, Final

from symindex.serve.listening import is_same
from symindex.serve.lsp.channel import (
    INVALID_REQUEST,
    LONGEST_MESSAGE,
    NOT_INITIALIZED,
    PARSE_ERROR,
    REQUEST_FAILED,
    Channel,
    MessageError,
    decode,
    is_id,
)

LONGEST_ID: Final = 200
"""Characters of a request's id that is sent back to an unknown client."""


async def first_message(channel: Channel, token: str, seconds: float) -> bytes | None:
    """The first message of a client that is let in; `None` for one that is not, after an error was sent to it.

    token: empty if none is needed. seconds: how long the client may take.
    """
    try:
        async with asyncio.timeout(seconds):
            message = await channel.read()
    except TimeoutError:
        return None
    if message is None:
        return None
    refusal = _refusal(message, token)
    if refusal is not None:
        channel.write(refusal.encoded())
        return None
    channel.longest = LONGEST_MESSAGE
    return message


def _refusal(message: bytes, token: str) -> MessageError | None:
    """The error for a first message that is not enough to be let in."""
    try:
        said = decode(message)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "not JSON")
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        return _error(None, INVALID_REQUEST, "not a message of JSON-RPC 2.0")
    if said.get("method") != "initialize" or "id" not in said:
        return _error(said.get("id"), NOT_INITIALIZED, "initialize must come first")
    params = said.get("params")
    given = _token_in(params.get("initializationOptions") if isinstance(params, dict) else None)
    if token and not is_same(given.encode("utf-8", "surrogatepass"), token.encode()):
        what = "the token is another" if given else "a token is needed"
        return _error(said["id"], REQUEST_FAILED, f'initialize: {what}: give it as initializationOptions {{"token": "…"}}')
    return None


def _error(request_id: Any, code: int, text: str) -> MessageError:
    return MessageError(request_id if is_id(request_id) and len(str(request_id)) <= LONGEST_ID else None, code, text)


def _token_in(options: Any) -> str:
    """The token in `initializationOptions`: at the top, or under `symindex`; empty if there is none."""
    if not isinstance(options, dict):
        return ""
    below = options.get("symindex")
    for place in (options, below if isinstance(below, dict) else {}):
        if isinstance(place.get("token"), str):
            return str(place["token"])
    return ""
