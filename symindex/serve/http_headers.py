"""What servers over HTTP check in the headers of a request before they look at anything else."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from starlette.types import Send

Headers = Sequence[tuple[bytes, bytes]]
"""Names in lower case, and values."""

_PLACE: Final = re.compile(rb"(?:[^:@/,\s]*|\[[^\]@/,\s]*\])(?::\d{1,5})?")
"""A host with an optional port."""

_ORIGIN: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://" + _PLACE.pattern)

_ONCE: Final = (
    b"authorization",
    b"content-length",
    b"content-type",
    b"cookie",
    b"host",
    b"mcp-protocol-version",
    b"mcp-session-id",
    b"origin",
    b"transfer-encoding",
)


class Refusal(NamedTuple):
    """Why a request is refused. headers: more headers of the response."""

    status: int
    reason: bytes
    headers: Headers = ()


def check_framing(headers: Headers) -> Refusal | None:
    """Refuses headers that two servers could read differently."""
    names = [name for name, _ in headers]
    if any(names.count(name) > 1 for name in _ONCE):
        return Refusal(400, b"a header that may occur once occurs twice")
    if b"transfer-encoding" in names and b"content-length" in names:
        # servers disagree about which of the two ends the body
        return Refusal(400, b"a request has either Content-Length or Transfer-Encoding, not both")
    return None


def check_places(headers: Headers) -> Refusal | None:
    """Refuses a Host or an Origin that is not well formed."""
    given = dict(headers)
    if not _PLACE.fullmatch(given.get(b"host", b"")):
        return Refusal(421, b"Invalid Host header")
    if b"origin" in given and not _ORIGIN.fullmatch(given[b"origin"]):
        return Refusal(403, b"Invalid Origin header")
    return None


async def refuse(send: "Send", refusal: Refusal, media_type: bytes = b"text/plain") -> None:
    """Sends a refusal and ends the connection: a client that tries again opens a new one."""
    start = [
        *refusal.headers,
        (b"content-type", media_type),
        (b"content-length", b"%d" % len(refusal.reason)),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": start})
    await send({"type": "http.response.body", "body": refusal.reason})
