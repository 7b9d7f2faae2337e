"""Ends requests over HTTP whose body does not arrive."""

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.types import Message, Receive

BODY_SECONDS: Final = 30.0
"""How long a client may take to send a body."""


def in_time(receive: "Receive") -> "Receive":
    """Wraps `receive` so that a client whose body does not arrive in time counts as
    disconnected."""
    until: float | None = asyncio.get_running_loop().time() + BODY_SECONDS

    async def receive_in_time() -> "Message":
        nonlocal until
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        if not message.get("more_body", False):
            until = None
        return message

    return receive_in_time
