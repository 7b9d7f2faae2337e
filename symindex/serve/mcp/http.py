"""Serves streamable HTTP to any number of clients: to this user on this machine, or to any client
with the token.

A web page can make a browser send requests to loopback, so the SDK checks the headers Host and
Origin. A request without an Origin does not come from a browser.
"""

import contextlib
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect

from symindex.errors import RequestError
from symindex.serve import listening
from symindex.serve.http_headers import (
    Headers,
    Refusal,
    check_framing,
    check_places,
    refuse,
)
from symindex.serve.log import set_up_logging
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.fleet_handlers import make_handlers
from symindex.serve.mcp.ids_in_use import IdsInUse
from symindex.serve.mcp.reading_handlers import ReadingHandlers
from symindex.serve.mcp.server import make_server
from symindex.serve.slow_bodies import in_time
from symindex.serve.streams import MCP_TOKEN
from symindex.serve.uvicorn_limits import ACCEPT, LimitedServer, configure

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES: Final = 1 << 20
"""Longest request body, in bytes."""

SESSION_SECONDS: Final = 600.0
"""How long an unused session lives: it takes memory, and clients disappear without a goodbye."""

MOST_SESSIONS: Final = 1000

_ANY: Final = ("0.0.0.0", "::", "")


def run_http(
    host: str,
    port: int,
    hosts: Sequence[str],
    roots: Sequence[Path],
    index_dir: str | None,
    offer: Offer,
    fleet: str = "",
) -> int:
    """Serves until interrupted; returns the exit code.

    hosts: other host names by which clients reach the server. Raises RequestError if the server
    would be open to everybody, or if the address is not available.
    """
    token = listening.take_token(MCP_TOKEN)
    listening.check_reach("--http", host, token, MCP_TOKEN, "'Authorization: Bearer TOKEN'")
    if host in _ANY and not hosts:
        raise RequestError(f"--http {host}: use --allowed-host to name the host that clients use")
    names = [
        *hosts,
        *(listening.LOOPBACK if host in listening.LOOPBACK else [host] if host not in _ANY else []),
    ]
    with listening.listen("--http", host, port) as bound:
        shown = f"[{host}]" if ":" in host else host
        handlers = make_handlers(roots, index_dir, offer, fleet)
        try:
            app = make_http_app(handlers, offer, host, names)
            set_up_logging("warning")
            sys.stderr.write(
                f"symindex: listening on http://{shown}:{bound.getsockname()[1]}/mcp\n"
            )
            sys.stderr.flush()
            LimitedServer(configure(_Guard(app, token), "" if token else MCP_TOKEN)).run(
                sockets=[bound]
            )
        finally:
            handlers.close()
    return 0


def make_http_app(
    handlers: ReadingHandlers, offer: Offer, host: str, names: Sequence[str]
) -> "ASGIApp":
    """Returns the application that serves the tools at `/mcp`, without a check of tokens.

    names: the host names by which clients reach it.
    """
    app: Any = make_server(handlers, offer).streamable_http_app(
        host=host,
        max_request_body_size=MOST_BYTES,
        transport_security=_security(names),
        session_idle_timeout=SESSION_SECONDS,
        max_sessions=MOST_SESSIONS,
    )
    logging.getLogger("mcp.server.streamable_http").addFilter(_is_fault)
    return IdsInUse(app, MOST_BYTES)


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether a record of the SDK's log reports a fault. A client that disconnects is not a fault,
    although its record has a traceback."""
    return not (record.exc_info and isinstance(record.exc_info[1], ClientDisconnect))


def _security(names: Sequence[str]) -> TransportSecuritySettings:
    names = [f"[{name}]" if ":" in name and not name.startswith("[") else name for name in names]
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    return TransportSecuritySettings(
        allowed_hosts=[pattern for name in names for pattern in (name, f"{name}:*")],
        allowed_origins=[pattern for origin in origins for pattern in (origin, f"{origin}:*")],
    )


class _Guard:
    """Lets a request through if it has the token, where one is set, and a well-formed Host; the SDK
    compares only the part before the port. Ends requests whose body does not arrive."""

    def __init__(self, app: "ASGIApp", token: str) -> None:
        self._app, self._token = app, f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = scope["headers"]
        refusal = check_framing(headers) or self._check_token(headers) or check_places(headers)
        if refusal is not None:
            await refuse(send, refusal)
        else:
            scope["state"][ACCEPT]()
            with contextlib.suppress(ClientDisconnect):  # it needs no answer
                await self._app(scope, in_time(receive), send)

    def _check_token(self, headers: Headers) -> Refusal | None:
        given = dict(headers).get(b"authorization", b"")
        if not self._token or listening.is_same(given, self._token):
            return None
        return Refusal(
            401,
            b"a token is required: Authorization: Bearer TOKEN",
            [(b"www-authenticate", b"Bearer")],
        )
