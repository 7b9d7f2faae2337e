"""Asks one server over HTTP, as often as wanted, over connections that stay open.

The user has named the server, so it may have a private address. Even so it is not trusted: answers
are limited in time and size, and a redirect is an error, because a token must reach no other
server. What checks headers and keeps time is `http_reader`'s.
"""

import http.client
import ssl
import threading
import time
from contextlib import suppress
from typing import Final, NamedTuple

from symindex import __version__
from symindex.errors import RequestError, StorageError
from symindex.fetch.http_reader import (
    DeadlineSocket,
    Origin,
    StrictResponse,
    check_headers,
    connect,
    resolve,
    split_url,
)

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")

MOST_IDLE: Final = 4
"""Most connections that wait for another request."""

IDLE_SECONDS: Final = 8.0
"""How long a connection is used again, in seconds: our servers end an idle one after ten."""

_CHUNK: Final = 65_536
_LONGEST_REASON: Final = 200


class HttpAnswer(NamedTuple):
    """What a server answers. headers: with names in lower case, the last of each name."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Stale(Exception):
    """A connection that was kept has ended; nothing was answered."""


class _Kept(NamedTuple):
    connection: http.client.HTTPConnection
    stream: DeadlineSocket
    since: float


class HttpClient:
    """A client of one server. Any thread may use it.

    Args:
        address: `https://HOST`, or `http://HOST:PORT/FOLDER`.
        token: sent as a bearer token; empty for none.
        most_bytes: longest answer, in bytes.

    Raises RequestError for anything but such an address, and for a token that others could read on
    its way.
    """

    def __init__(self, address: str, token: str, most_bytes: int) -> None:
        self.origin, parts = split_url(address)
        if parts.query or parts.fragment:
            raise RequestError(f"{address}: leave out what follows the ? or #")
        if token and self.origin.scheme != "https" and self.origin.host not in LOOPBACK:
            raise RequestError(
                f"{address}: a token is sent only to this machine or over https, where nobody else"
                " can read it: use the https address"
            )
        if not (token.isascii() and token.isprintable()):
            raise RequestError(f"{address}: the token has characters that no header may contain")
        self._folder = parts.path.rstrip("/")
        self._address, self._token, self._most_bytes = address, token, most_bytes
        self._idle: list[_Kept] = []
        self._keeping = threading.Lock()

    def ask(self, method: str, path: str, body: bytes, seconds: float) -> HttpAnswer:
        """Returns the answer to a request that only reads: it is sent again over a new connection
        if one that was kept turns out to have ended.

        path: below the address. seconds: for all of it. Raises StorageError, in one line, for a
        server that cannot be reached, redirects, answers too slowly, too much or not in HTTP.
        """
        deadline = time.monotonic() + seconds
        try:
            kept = self._take()
            if kept is not None:
                try:
                    return self._exchange(kept, method, path, body, deadline, is_kept=True)
                except _Stale:
                    pass
            return self._exchange(self._open(deadline), method, path, body, deadline, is_kept=False)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
                raise StorageError(
                    f"{self._address}: did not answer within {seconds:g} s; try again, or ask for"
                    " less"
                ) from None
            raise StorageError(f"{self._address}: {_reason(error)}") from None

    def close(self) -> None:
        """Ends the connections that are kept."""
        with self._keeping:
            kept, self._idle = self._idle, []
        for one in kept:
            one.stream.end()

    def _take(self) -> _Kept | None:
        """Returns a connection that was kept and may still be open."""
        with self._keeping:
            kept = self._idle.pop() if self._idle else None
        if kept is not None and time.monotonic() - kept.since > IDLE_SECONDS:
            kept.stream.end()
            self.close()  # the others have waited longer
            return None
        return kept

    def _open(self, deadline: float) -> _Kept:
        origin = self.origin
        try:
            stream = connect(origin, resolve(origin, deadline, is_allowed=True), deadline)
        except ssl.SSLError as error:
            raise http.client.HTTPException(
                "no secure connection:"
                f" {getattr(error, 'verify_message', '') or error.reason}; check the certificate,"
                " and whether the server speaks https"
            ) from None
        except TimeoutError:
            raise
        except OSError as error:
            raise http.client.HTTPException(
                f"cannot be reached: {error.strerror or error}; check the address, and that the"
                " server runs"
            ) from None
        stream.send_at_once()
        connection = http.client.HTTPConnection(origin.host, origin.port)
        connection.response_class = StrictResponse
        return _Kept(connection, stream, 0.0)

    def _exchange(
        self, kept: _Kept, method: str, path: str, body: bytes, deadline: float, is_kept: bool
    ) -> HttpAnswer:
        stream, connection = kept.stream, kept.connection
        stream.deadline = deadline
        is_whole = False
        try:
            connection.sock = stream
            try:
                connection.request(
                    method, self._folder + path, body=body or None, headers=self._headers(body)
                )
                response = connection.getresponse()
            except (ConnectionError, http.client.RemoteDisconnected):
                if is_kept:
                    raise _Stale from None
                raise
            answered = self._read(response)
            is_whole = not response.will_close
            return answered
        finally:
            if not (is_whole and self._keep(connection, stream)):
                stream.end()

    def _headers(self, body: bytes) -> dict[str, str]:
        headers = {
            "Host": _host_of(self.origin),
            "User-Agent": f"symindex/{__version__}",
            "Accept-Encoding": "identity",
        }
        if body:
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers

    def _read(self, response: http.client.HTTPResponse) -> HttpAnswer:
        check_headers(response)
        most = self._most_bytes
        if 300 <= response.status < 400:
            raise http.client.HTTPException(
                f"leads elsewhere ({response.status}), and is not followed; use the address it"
                f" leads to: {(response.getheader('Location') or '')[:_LONGEST_REASON]}"
            )
        if (response.length or 0) > most:
            raise http.client.HTTPException(f"answers with more than {most:,} bytes; ask for less")
        body = bytearray()
        while data := response.read(min(_CHUNK, most + 1 - len(body))):
            body += data
            if len(body) > most:
                raise http.client.HTTPException(
                    f"answers with more than {most:,} bytes; ask for less"
                )
        if response.length:
            raise http.client.HTTPException("ends its answer too early; try again")
        headers = {name.lower(): value for name, value in response.getheaders()}
        return HttpAnswer(response.status, headers, bytes(body))

    def _keep(self, connection: http.client.HTTPConnection, stream: DeadlineSocket) -> bool:
        """Keeps a connection for the next request. Returns whether there is room."""
        with self._keeping:
            if len(self._idle) >= MOST_IDLE:
                return False
            self._idle.append(_Kept(connection, stream, time.monotonic()))
            return True


def _host_of(origin: Origin) -> str:
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    usual = {"http": 80, "https": 443}[origin.scheme]
    return host if origin.port == usual else f"{host}:{origin.port}"


def _reason(error: Exception) -> str:
    """Returns why a request failed, in one short line."""
    if isinstance(error, http.client.RemoteDisconnected):
        return "ended the connection without an answer; check that it is a server over HTTP"
    if isinstance(error, http.client.BadStatusLine):
        return "does not answer in HTTP; check the address"
    text = ""
    with suppress(Exception):
        text = " ".join((getattr(error, "strerror", None) or str(error)).split())
    return (text or type(error).__name__)[: 2 * _LONGEST_REASON]
