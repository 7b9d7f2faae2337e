"""Streamable HTTP for any number of clients: of this user on this machine, or with a token.

A web page can make a browser send requests to loopback. So the SDK checks the headers Host and
Origin; a request without an Origin is not a browser's.
"""

import asyncio
import contextlib
import errno
import logging
import re
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import h11
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from symindex.errors import RequestError
from symindex.serve import listening
from symindex.serve.log import set_up_logging
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.ids_in_use import IdsInUse
from symindex.serve.mcp.server import make_server
from symindex.serve.peer_user import is_other_user
from symindex.serve.streams import MCP_TOKEN, ending_signals, ignore_signals

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG: Final = logging.getLogger("symindex.mcp")

MOST_CONNECTIONS: Final = 256

MOST_BYTES: Final = 1 << 20
"""Bytes of a request's body."""

MOST_CHUNKS: Final = 1_000
"""Chunks of a request's body. Each costs as much as a kilobyte, while nobody else is answered."""

BODY_SECONDS: Final = 30.0
"""How long a body may take."""

TAKING_SECONDS: Final = 60.0
"""How long a client may read nothing of its answer."""

SESSION_SECONDS: Final = 600.0
"""How long an unused session is kept: each takes memory, and a client that has gone does not say
so."""

MOST_SESSIONS: Final = 1000

CLOSING_SECONDS: Final = 2
"""How long clients may still send and be answered at the end."""

_ANY: Final = ("0.0.0.0", "::", "")


def run_http(
    host: str,
    port: int,
    hosts: Sequence[str],
    roots: Sequence[Path],
    index_dir: str | None,
    offer: Offer,
) -> int:
    """Serves until it is interrupted; returns the exit code. hosts: other names by which clients
    reach it.

    Raises RequestError if it would be open to anybody, or the address is not available.
    """
    token = listening.take_token(MCP_TOKEN)
    listening.check_reach("--http", host, token, MCP_TOKEN, "'Authorization: Bearer TOKEN'")
    if host in _ANY and not hosts:
        raise RequestError(
            f"--http {host}: name the host by which clients reach it with --allowed-host"
        )
    names = [
        *hosts,
        *(listening.LOOPBACK if host in listening.LOOPBACK else [host] if host not in _ANY else []),
    ]
    bound = listening.listen("--http", host, port)
    shown = f"[{host}]" if ":" in host else host
    handlers = ToolHandlers(roots, index_dir, offer)
    try:
        app: Any = make_server(handlers, offer).streamable_http_app(
            host=host,
            max_request_body_size=MOST_BYTES,
            transport_security=_security(names),
            session_idle_timeout=SESSION_SECONDS,
            max_sessions=MOST_SESSIONS,
        )
        set_up_logging("warning")
        logging.getLogger("mcp.server.streamable_http").addFilter(_is_fault)
        sys.stderr.write(f"symindex: listening on http://{shown}:{bound.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        _Server(
            _configured(_Guard(IdsInUse(app, MOST_BYTES), token), for_user_alone=not token)
        ).run(sockets=[bound])
    finally:
        handlers.close()
    return 0


def _configured(app: Any, for_user_alone: bool) -> uvicorn.Config:
    """The configuration of uvicorn. for_user_alone: other users of this machine are turned away,
    where the system names them."""
    most = listening.most_connections(MOST_CONNECTIONS)
    made: Any = partial(_Protocol, listening.Connections(most), for_user_alone)
    return uvicorn.Config(
        app,
        http=made,
        ws="none",
        loop="asyncio",
        lifespan="on",
        backlog=max(1, most // 8),
        proxy_headers=False,
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=CLOSING_SECONDS + 2,
    )


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether a record of the SDK's log is a fault: a client that has gone is none, though it comes
    with a traceback."""
    return not (record.exc_info and isinstance(record.exc_info[1], ClientDisconnect))


def _security(names: Sequence[str]) -> TransportSecuritySettings:
    names = [f"[{name}]" if ":" in name and not name.startswith("[") else name for name in names]
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    return TransportSecuritySettings(
        allowed_hosts=[each for name in names for each in (name, f"{name}:*")],
        allowed_origins=[each for origin in origins for each in (origin, f"{origin}:*")],
    )


class _Server(uvicorn.Server):
    """uvicorn's server, but the signal that stops it does not end the process, and connections may
    queue."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self.handle_exit) for number in ending_signals()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            ignore_signals()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_tell)
        await super().startup(sockets)
        for bound in sockets or []:
            bound.listen(listening.QUEUE)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(CLOSING_SECONDS, self._hang_up)
        await super().shutdown(sockets)

    def _hang_up(self) -> None:
        """Ends the remaining connections as if their clients had gone; uvicorn would log that as a
        fault."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs an error of the event loop; that the system has no room for a connection, without a
    traceback."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
    ):
        LOG.warning("nobody can be let in: %s", error.strerror)
    else:
        loop.default_exception_handler(context)


class _Connection(h11.Connection):
    """The parser of a connection, with a limit that it lacks: of the chunks of a body."""

    _n_chunks = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._n_chunks = 0
        elif isinstance(event, h11.Data) and event.chunk_start:
            self._n_chunks += 1
            if self._n_chunks > MOST_CHUNKS:
                raise h11.RemoteProtocolError(f"a body has more than {MOST_CHUNKS:,} chunks")
        return event


class _Protocol(H11Protocol):
    """uvicorn's protocol, with limits that it lacks: of the time for a request's header and for
    reading an answer, and of clients.

    Until the guard has accepted its request, a client has only the time for a header, and makes
    room for others.
    """

    def __init__(
        self, connections: listening.Connections, for_user_alone: bool, *arguments: Any, **more: Any
    ) -> None:
        super().__init__(*arguments, **more)
        self.conn = _Connection(h11.SERVER)
        self.app_state = {**self.app_state, _ACCEPT: self._accept}
        self._is_accepted = False
        self._all = connections
        self._for_user_alone = for_user_alone
        self._patience: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        with contextlib.suppress(OSError):  # it has gone already
            listening.find_dead_peers(transport.get_extra_info("socket"))
        if self._for_user_alone and is_other_user(transport.get_extra_info("socket")):
            LOG.warning(
                "another user of this machine, or somebody who had left already, was turned away:"
                " with a token in %s all are let in who show it",
                MCP_TOKEN,
            )
            transport.abort()
        elif self._all.enter(self, transport.abort):
            self._wait_for_header()
        else:
            LOG.warning(
                "a client was turned away: there are %s, as many as there may be", self._all.most
            )
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._all.leave(self)
        _cancel(self._patience)
        _cancel(self._taking)

    def handle_events(self) -> None:
        super().handle_events()
        self._begin()

    def send_400_response(self, msg: str) -> None:
        """The request or its body is broken, so its answer is not needed any more."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:  # an answer was begun
            self.transport.close()

    def _accept(self) -> None:
        """The guard has accepted the request."""
        self._is_accepted = True
        _cancel(self._patience)
        self._begin()

    def _begin(self) -> None:
        if self._is_accepted and not self.cycle.more_body:  # until then it makes room for others
            self._all.begin(self)

    def on_response_complete(self) -> None:
        self._is_accepted = False
        self._all.end(self)
        self._wait_for_header()
        super().on_response_complete()  # this may start the next request

    def _wait_for_header(self) -> None:
        _cancel(self._patience)
        self._patience = self.loop.call_later(listening.HEADER_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_taking(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._taking)

    def _watch_taking(self, waiting: int) -> None:
        """Ends the connection unless the client reads something in time."""

        def look() -> None:
            now = self.transport.get_write_buffer_size()
            if now < waiting:
                self._watch_taking(now)
            else:
                self.transport.abort()

        self._taking = self.loop.call_later(TAKING_SECONDS, look)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


_ACCEPT: Final = "symindex.accept"
"""The key in a request's state of the function that accepts it."""


class _Guard:
    """Lets requests through that bring the token, if there is one, and whose Host is well-formed:
    the SDK compares only the part before the port. Ends requests whose body does not come.
    """

    def __init__(self, app: "ASGIApp", token: str) -> None:
        self._app, self._token = app, f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        names = [name for name, _ in scope["headers"]]
        if any(names.count(name) > 1 for name in _ONCE):  # the SDK would take the other one
            await _turn_away(send, 400, b"a header that may come once came twice")
        elif (
            b"transfer-encoding" in headers and b"content-length" in headers
        ):  # which of the two ends it, others may see otherwise
            await _turn_away(send, 400, b"a body has either Content-Length or Transfer-Encoding")
        elif self._token and not listening.is_same(headers.get(b"authorization", b""), self._token):
            needed = [(b"www-authenticate", b"Bearer")]
            await _turn_away(send, 401, b"a token is needed: Authorization: Bearer TOKEN", *needed)
        elif not _PLACE.fullmatch(headers.get(b"host", b"")):
            await _turn_away(send, 421, b"Invalid Host header")
        elif b"origin" in headers and not _ORIGIN.fullmatch(headers[b"origin"]):
            await _turn_away(send, 403, b"Invalid Origin header")
        else:
            scope["state"][_ACCEPT]()
            with contextlib.suppress(ClientDisconnect):  # it needs no answer
                await self._app(scope, _in_time(receive), send)


_PLACE: Final = re.compile(rb"(?:[^:@/,\s]*|\[[^\]@/,\s]*\])(?::\d{1,5})?")
"""A host and perhaps a port."""

_ORIGIN: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://" + _PLACE.pattern)

_ONCE: Final = (
    b"authorization",
    b"content-length",
    b"content-type",
    b"host",
    b"mcp-protocol-version",
    b"mcp-session-id",
    b"origin",
    b"transfer-encoding",
)


def _in_time(receive: "Receive") -> "Receive":
    """The same function, but a client whose body does not come counts as gone."""
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


async def _turn_away(
    send: "Send", status: int, reason: bytes, *headers: tuple[bytes, bytes]
) -> None:
    """Answers, and ends the connection: a client that tries again has to open another."""
    start = [
        *headers,
        (b"content-type", b"text/plain"),
        (b"content-length", b"%d" % len(reason)),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": reason})
