"""`symindex lsp` for many clients, over TCP or a Unix socket. Each has its own session, so that a
faulty one does not disturb the others.

A client is admitted if it sends `initialize` in time, with the token if there is one. Before that,
nothing is opened, read or answered.
"""

import asyncio
import contextlib
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

from symindex.serve import listening
from symindex.serve.lsp.channel import (
    INVALID_REQUEST,
    LOG,
    LONGEST_MESSAGE,
    NOT_INITIALIZED,
    PARSE_ERROR,
    REQUEST_FAILED,
    Channel,
    MessageError,
    connect,
    decode,
)
from symindex.serve.lsp.configuration import Bounds, own_part
from symindex.serve.lsp.run import load_server, make_watched_trees, serve_client
from symindex.serve.streams import LSP_TOKEN, is_request_id, run_until_stopped
from symindex.serve.unix_peer import is_own_user
from symindex.serve.unix_socket import socket_file

MOST_CLIENTS: Final = 64

CLOSING_SECONDS: Final = 10.0
"""How long the sessions may take to end."""


LONGEST_ID: Final = 200
"""Longest id, in characters, that is sent back to a client before it is admitted."""


def serve_tcp(host: str, port: int, bounds: Bounds) -> int:
    """Serves clients that send a token over TCP, until interrupted; returns the exit code.

    Raises RequestError for an address that is not available, and for one that other machines can
    reach if no token is set.
    """
    token = listening.take_token(LSP_TOKEN)
    listening.check_reach(
        "--tcp", host, token, LSP_TOKEN, 'initializationOptions {"token": "TOKEN"}'
    )
    with listening.listen("--tcp", host, port) as bound:
        address, number = bound.getsockname()[:2]
        greeting = (
            f"symindex: listening on {f'[{address}]' if ':' in address else address}:{number}\n"
        )
        if not token:
            token = listening.make_token()
            greeting += (
                f'symindex: clients must send initializationOptions {{"token": "{token}"}};'
                f" to choose the token, set {LSP_TOKEN}\n"
            )
        return _serve_many(bound, token, greeting, bounds)


def serve_socket(path: str, bounds: Bounds) -> int:
    """Serves clients of our own user over a Unix domain socket, until interrupted; returns the exit
    code.

    Raises RequestError for a path that cannot be a socket.
    """
    token = listening.take_token(LSP_TOKEN)
    with socket_file(path) as bound:
        return _serve_many(bound, token, f"symindex: listening on {bound.getsockname()}\n", bounds)


def _serve_many(bound: socket.socket, token: str, greeting: str, bounds: Bounds) -> int:
    async def serve() -> int:
        load_server()  # now, so that the first client does not wait for it
        trees = make_watched_trees()
        sys.stderr.write(greeting)
        sys.stderr.flush()
        await _Listener(
            bound, token, lambda channel, first: serve_client(channel, lambda: trees, bounds, first)
        ).run()
        return 0

    return run_until_stopped(serve())


class _Listener:
    """Accepts clients.

    Args:
        bound: the listening socket.
        token: the token that clients must send; empty if there is none.
        serve: serves one client, from its first message to its end.
    """

    def __init__(
        self, bound: socket.socket, token: str, serve: Callable[[Channel, bytes], Awaitable[object]]
    ) -> None:
        self._bound, self._token, self._serve = bound, token, serve
        self._connections = listening.Connections(listening.most_connections(MOST_CLIENTS))
        self._clients: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        # Not asyncio's server: it accepts hundreds at a time, and logs a traceback for each one
        # that exceeds the limit of open files.
        loop = asyncio.get_running_loop()
        self._bound.setblocking(False)
        try:
            while True:
                try:
                    connection, _ = await loop.sock_accept(self._bound)
                except OSError as error:
                    LOG.warning("cannot accept a connection: %s", error.strerror)
                    await asyncio.sleep(listening.ACCEPT_SECONDS)
                    continue
                self._take(connection)
                await asyncio.sleep(0)
        finally:
            for client in self._clients:
                client.cancel()
            if self._clients:
                await asyncio.wait(self._clients, timeout=CLOSING_SECONDS)

    def _take(self, connection: socket.socket) -> None:
        client = asyncio.ensure_future(self._talk(connection))
        if not self._connections.enter(client, client.cancel):
            LOG.warning(
                "refused a client: the limit of %s clients is reached",
                self._connections.most,
            )
            client.cancel()
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)
        client.add_done_callback(self._connections.leave)
        client.add_done_callback(lambda _: connection.close())

    async def _talk(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):  # it has already disconnected
            listening.find_dead_peers(connection)
            if connection.family == getattr(socket, "AF_UNIX", None) and not is_own_user(
                connection
            ):
                LOG.warning("refused a client of another user")
                return
            channel = await connect(connection)
            try:
                first = await first_message(channel, self._token, listening.HEADER_SECONDS)
                if first is not None:
                    client = asyncio.current_task()
                    assert client is not None
                    self._connections.begin(client)
                    await self._serve(channel, first)
            except Exception as error:
                LOG.error("a session ended with an error: %s", error, exc_info=error)
            finally:
                channel.close()
                await channel.wait_closed()


async def first_message(channel: Channel, token: str, seconds: float) -> bytes | None:
    """Returns the first message of a client that is admitted. Otherwise sends it an error and
    returns `None`.

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
    """Returns the error for a first message that does not admit its client."""
    try:
        said = decode(message)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "not JSON")
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        return _error(None, INVALID_REQUEST, "not a message of JSON-RPC 2.0")
    if said.get("method") != "initialize" or "id" not in said:
        return _error(said.get("id"), NOT_INITIALIZED, "initialize must come first")
    params = said.get("params")
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    places = [place for place in (options, own_part(options)) if isinstance(place, dict)]
    sent_token = next(
        (place["token"] for place in places if isinstance(place.get("token"), str)), ""
    )
    if token and not listening.is_same(sent_token.encode("utf-8", "surrogatepass"), token.encode()):
        reason = "the token is wrong" if sent_token else "a token is required"
        return _error(
            said["id"],
            REQUEST_FAILED,
            f'initialize: {reason}: give it as initializationOptions {{"token": "…"}}',
        )
    return None


def _error(request_id: Any, code: int, text: str) -> MessageError:
    is_short = is_request_id(request_id, fractions=True) and len(str(request_id)) <= LONGEST_ID
    return MessageError(request_id if is_short else None, code, text)
