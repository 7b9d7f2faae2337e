"""Streamable HTTP: any number of clients, on this machine alone unless a token says who may.

Whoever can make a browser send requests must not reach a server on loopback: so the headers Host and Origin are checked, by the
SDK; a request without an Origin is no browser's.
"""

import asyncio
import contextlib
import hmac
import os
import re
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect

from symindex.errors import RequestError
from symindex.serve.mcp.audience import Choice
from symindex.serve.mcp.desk import Desk
from symindex.serve.mcp.server import make_server

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_VARIABLE: Final = "SYMINDEX_MCP_TOKEN"

LEAST_LETTERS: Final = 16
"""Of a token; a shorter one can be guessed."""

MOST_BYTES: Final = 1 << 20
"""Of a request's body, and"""

BODY_SECONDS: Final = 30.0
"""so long may it take."""

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_ANY: Final = ("0.0.0.0", "::", "")


def run_http(host: str, port: int, hosts: Sequence[str], roots: Sequence[Path], index_dir: str | None, choice: Choice) -> int:
    """Serves until it is interrupted; returns the exit code. hosts: other names by which it is reached.

    Raises RequestError where that would be open to anybody, and where the address cannot be had.
    """
    token = os.environ.get(TOKEN_VARIABLE, "")
    _check_access(host, hosts, token)
    names = [*hosts, *(_LOOPBACK if host in _LOOPBACK else [host] if host not in _ANY else [])]
    bound = _bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    desk = Desk(roots, index_dir)
    try:
        app: Any = make_server(desk, choice).streamable_http_app(
            host=host, max_request_body_size=MOST_BYTES, transport_security=_security([_bracketed(name) for name in names])
        )
        config = uvicorn.Config(
            _Guard(app, token), log_level="warning", access_log=False, timeout_graceful_shutdown=2, lifespan="on"
        )
        sys.stderr.write(f"symindex: listening on http://{shown}:{bound.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        uvicorn.Server(config).run(sockets=[bound])
    finally:
        desk.close()
    return 0


def _security(names: Sequence[str]) -> TransportSecuritySettings:
    """Whom requests must name as their host, and where a browser's must come from."""
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    return TransportSecuritySettings(
        allowed_hosts=[each for name in names for each in (name, f"{name}:*")],
        allowed_origins=[each for origin in origins for each in (origin, f"{origin}:*")],
    )


def _check_access(host: str, hosts: Sequence[str], token: str) -> None:
    if token and len(token) < LEAST_LETTERS:
        raise RequestError(f"{TOKEN_VARIABLE} has {len(token)} characters: at least {LEAST_LETTERS} are needed")
    if host in _LOOPBACK:
        return
    if not token:
        raise RequestError(
            f"--http {host}: others can reach that address: set a token in {TOKEN_VARIABLE}, which clients send as "
            "'Authorization: Bearer TOKEN'"
        )
    if host in _ANY and not hosts:
        raise RequestError(f"--http {host}: name the host by which clients reach it with --allowed-host")


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def _bind(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(128)  # who comes before the server runs waits for it
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise RequestError(f"--http {host}:{port}: cannot listen there: {error.strerror or error}") from None
    return bound


class _Guard:
    """Lets through what may ask: requests that bring the token, if there is one, and name a host as hosts are named, for the SDK
    looks only at what stands before the port. Ends those whose body does not come.
    """

    def __init__(self, app: "ASGIApp", token: str) -> None:
        self._app, self._token = app, f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if self._token and not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
            needed = [(b"www-authenticate", b"Bearer")]
            await _turn_away(send, 401, b"a token is needed: Authorization: Bearer TOKEN", *needed)
        elif not _PLACE.fullmatch(headers.get(b"host", b"")):
            await _turn_away(send, 421, b"Invalid Host header")
        elif b"origin" in headers and not _PLACE.fullmatch(headers[b"origin"].rpartition(b"//")[2]):
            await _turn_away(send, 403, b"Invalid Origin header")
        else:
            with contextlib.suppress(ClientDisconnect):  # whoever has gone needs no answer
                await self._app(scope, _in_time(receive), send)


_PLACE: Final = re.compile(rb"(?:[^:@/\s]*|\[[^\]@/\s]*\])(?::\d{1,5})?")
"""A host and perhaps a port."""


def _in_time(receive: "Receive") -> "Receive":
    """The same, but a client whose body does not come is taken for one that has gone."""
    is_whole = False

    async def receive_in_time() -> "Message":
        nonlocal is_whole
        if is_whole:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), max(until - time.monotonic(), 0))
        except TimeoutError:
            return {"type": "http.disconnect"}
        is_whole = not message.get("more_body", False)
        return message

    until = time.monotonic() + BODY_SECONDS
    return receive_in_time


async def _turn_away(send: "Send", status: int, reason: bytes, *headers: tuple[bytes, bytes]) -> None:
    start = [*headers, (b"content-type", b"text/plain"), (b"content-length", b"%d" % len(reason))]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": reason})
