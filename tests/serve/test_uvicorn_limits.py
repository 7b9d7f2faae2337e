"""The parts of uvicorn and h11 that `serve/uvicorn_limits` extends still exist: a release that
moves them fails here and not at a client."""

import asyncio
import inspect

import h11
import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from symindex.serve import uvicorn_limits
from symindex.serve.listening import Connections

PROTOCOL = {
    "connection_made": ["self", "transport"],
    "connection_lost": ["self", "exc"],
    "handle_events": ["self"],
    "send_400_response": ["self", "msg"],
    "on_response_complete": ["self"],
    "pause_writing": ["self"],
    "resume_writing": ["self"],
}
SERVER = {
    "capture_signals": ["self"],
    "startup": ["self", "sockets"],
    "shutdown": ["self", "sockets"],
}
CYCLE = ("disconnected", "message_event", "more_body", "response_complete")


@pytest.mark.parametrize(("base", "methods"), [(H11Protocol, PROTOCOL), (uvicorn.Server, SERVER)])
def test_methods_that_are_overridden_are_those_of_uvicorn(
    base: type, methods: dict[str, list[str]]
) -> None:
    assert {
        name: list(inspect.signature(getattr(base, name)).parameters) for name in methods
    } == methods


def test_uvicorn_calls_the_methods_that_are_overridden() -> None:
    source = inspect.getsource(H11Protocol) + inspect.getsource(RequestResponseCycle)
    for name in ("handle_events", "send_400_response", "on_response_complete"):
        assert f"self.{name}" in source
    assert "self.capture_signals()" in inspect.getsource(uvicorn.Server)


def test_attributes_that_are_used_are_those_of_uvicorn() -> None:
    async def make() -> uvicorn_limits.LimitedProtocol:
        config = uvicorn_limits.configure(lambda *_: None, token_variable="")
        config.load()
        return uvicorn_limits.LimitedProtocol(Connections(1), "", config, ServerState(), {})

    protocol = asyncio.run(make())
    assert type(protocol.conn).__mro__[1] is h11.Connection
    assert protocol.cycle is None and protocol.app_state.keys() == {uvicorn_limits.ACCEPT}
    assert isinstance(ServerState().connections, set) and callable(uvicorn.Server.handle_exit)
    made = set(RequestResponseCycle.__init__.__code__.co_names)
    assert made.issuperset(CYCLE)


def test_h11_says_where_a_chunk_begins() -> None:
    connection = uvicorn_limits._CountingConnection(h11.SERVER)
    connection.receive_data(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    connection.receive_data(b"1\r\n \r\n" * 3)
    assert isinstance(connection.next_event(), h11.Request)
    assert [connection.next_event().chunk_start for _ in range(3)] == [True] * 3
    assert connection._n_chunks == 3
