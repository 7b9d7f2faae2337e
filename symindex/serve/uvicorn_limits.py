"""Extends uvicorn's server and its h11 protocol with limits. The protocol is not public API, and no
other module uses it.

`tests/serve/mcp/test_uvicorn_limits.py` fails on a release that changes what is used here.
"""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from symindex.serve import listening
from symindex.serve.peer_user import is_other_user
from symindex.serve.streams import ending_signals, ignore_signals

LOG: Final = logging.getLogger("symindex.http")

MOST_CONNECTIONS: Final = 256

MOST_CHUNKS: Final = 1_000
"""Most chunks of a request's body: each costs as much as a kilobyte, and delays other clients."""

TAKING_SECONDS: Final = 60.0
"""How long a client may leave its answer unread."""

WRITE_BYTES: Final = 65_536
"""How much of an answer may wait for its client before no more of it is made."""

CLOSING_SECONDS: Final = 2
"""How long clients may still send and be answered when the server stops."""

ACCEPT: Final = "symindex.accept"
"""The key in a request's state of the function that accepts it."""


def configure(app: Any, token_variable: str) -> uvicorn.Config:
    """Returns the configuration of uvicorn.

    token_variable: refuse other users of this machine, on systems that identify them, and name this
    environment variable, which would admit them; empty if it is set.
    """
    max_connections = listening.most_connections(MOST_CONNECTIONS)
    protocol: Any = partial(LimitedProtocol, listening.Connections(max_connections), token_variable)
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        backlog=max(1, max_connections // 8),
        proxy_headers=False,
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=CLOSING_SECONDS + 2,
    )


class LimitedServer(uvicorn.Server):
    """uvicorn's server, except that a signal stops it without ending the process, and connections
    may queue."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        handlers = {number: signal.signal(number, self.handle_exit) for number in ending_signals()}
        try:
            yield
        finally:
            for number, handler in handlers.items():
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
        """Aborts the remaining connections as if their clients had disconnected; uvicorn would log
        that as a fault."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs an error of the event loop. If the system has no resources for a connection, the
    traceback is left out."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
    ):
        LOG.warning("cannot accept a connection: %s", error.strerror)
    else:
        loop.default_exception_handler(context)


class _CountingConnection(h11.Connection):
    """The parser of a connection, with a limit for the number of chunks in a body, which h11
    lacks."""

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


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol, with limits that it lacks: how long a client may take to send a header
    and to read an answer, and how many clients there may be.

    Until the guard has accepted its request, a client has only the time for a header, and gives up
    its place to a new client when there are too many.
    """

    def __init__(
        self,
        connections: listening.Connections,
        token_variable: str,
        *arguments: Any,
        **named: Any,
    ) -> None:
        super().__init__(*arguments, **named)
        self.conn: _CountingConnection = _CountingConnection(h11.SERVER)
        self.app_state: dict[str, Any] = {**self.app_state, ACCEPT: self._accept}
        self._is_accepted = False
        self._all = connections
        self._token_variable = token_variable
        self._is_taking, self._has_answered = False, False
        self._patience: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # `resume_writing` is called when the client has taken everything.
        transport.set_write_buffer_limits(high=WRITE_BYTES, low=0)
        with contextlib.suppress(OSError):  # it has already disconnected
            listening.find_dead_peers(transport.get_extra_info("socket"))
        if self._token_variable and is_other_user(transport.get_extra_info("socket")):
            LOG.warning(
                (
                    "refused a client that is another user of this machine, or already "
                    "gone: to admit other users, set a token in %s"
                ),
                self._token_variable,
            )
            transport.abort()
        elif self._all.enter(self, transport.abort):
            self._wait_for_header()
        else:
            LOG.warning("refused a client: the limit of %s clients is reached", self._all.most)
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
        """Ends the request, whose header or body is broken, so that no answer is needed any
        more."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:  # an answer has begun
            self.transport.close()

    def _accept(self) -> None:
        """Called when the guard accepts the request."""
        self._is_accepted = True
        _cancel(self._patience)
        self._begin()

    def _begin(self) -> None:
        # until then, it gives up its place to a new client
        if self._is_accepted and not self.cycle.more_body:
            self._all.begin(self)

    def on_response_complete(self) -> None:
        self._is_accepted = False
        self._has_answered = True
        self._be_idle()
        super().on_response_complete()  # this may start the next request

    def _be_idle(self) -> None:
        """Waits for the next request, once the client has taken the last answer."""
        if self._has_answered and not self._is_taking:
            self._has_answered = False
            self._all.end(self)
            self._wait_for_header()

    def _wait_for_header(self) -> None:
        _cancel(self._patience)
        self._patience = self.loop.call_later(listening.HEADER_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._is_taking = True
        self._watch_taking(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._taking)
        self._is_taking = False
        self._be_idle()

    def _watch_taking(self, waiting: int) -> None:
        """Aborts the connection unless the client reads something in time."""

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
