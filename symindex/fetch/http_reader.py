"""Reads one document over HTTP from a server that is not trusted, with limits on time, size and
redirects.

An address in somebody else's document can name a machine that only this one can reach: a router, a
database, a cloud's metadata service. Each name is therefore resolved here, all its addresses are
checked, and the connection goes to a checked address, so it does not matter if the name resolves
differently a moment later. Redirects follow the same rules, and never lead from https to http.

The client is the standard library's: it can connect to the address that was checked, and uses no
cookies, no stored credentials and no proxies from the environment.
"""

import http.client
import io
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

from symindex import __version__
from symindex.errors import PrivateAddressError, RequestError, StorageError

MOST_REDIRECTS: Final = 3
LONGEST_URL: Final = 2_000

SECONDS: float = 20.0
"""Time for a document with all its redirects, in seconds."""

CONNECT_SECONDS: float = 5.0
"""Time to connect to one address, in seconds."""

_CHUNK: Final = 65_536
_LONGEST_LINE: Final = 8_192
"""Longest line before a chunk, in bytes."""

_CHUNK_SIZE: Final = re.compile(rb"[0-9A-Fa-f]{1,15}")
_LENGTH: Final = re.compile(r"[0-9]{1,18}", re.ASCII)

_MOST_ADDRESSES: Final = 4
_PORTS: Final = {"http": 80, "https": 443}
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses whose last 32 bits are an IPv4 address (RFC 6052)."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Origin(NamedTuple):
    """A server, as a URL names it."""

    scheme: str
    host: str
    port: int


def origin_of(url: str) -> Origin:
    """Returns the server of a URL. Raises RequestError for anything but an http(s) URL that we
    would request."""
    return split_url(url)[0]


def read_url(url: str, most_bytes: int, allowed: Origin | None = None) -> bytes:
    """Returns the bytes of a document.

    allowed: the one server that may have a private address, because the user has named it. Raises
    RequestError for a refused address, and StorageError, in one line, for a server that fails, lies
    about its size or takes too long.
    """
    deadline = time.monotonic() + SECONDS
    address = url
    for _ in range(MOST_REDIRECTS + 1):
        origin, parts = split_url(address)
        if url.startswith("https:") and origin.scheme != "https":
            raise RequestError(
                f"{url}: leads to {_cut(address)}, which is not encrypted; use an address that"
                " stays with https"
            )
        try:
            answer = _read_once(origin, parts, most_bytes, deadline, is_allowed=origin == allowed)
        except _FAULTS as error:
            raise _fault(address, error, deadline, SECONDS) from None
        if isinstance(answer, bytes):
            return answer
        address = _join(address, answer.target)
    raise StorageError(
        f"{url}: redirects more than {MOST_REDIRECTS} times; use the address that it leads to"
    )


class Answer(NamedTuple):
    """What a server says to one request. status: 200 if there is a document. headers: by their
    names in lower case; of several with one name, the first. body: empty unless the status is
    200."""

    status: int
    reason: str
    headers: dict[str, str]
    body: bytes


def request(
    url: str, most_bytes: int, allowed: Origin | None, headers: Mapping[str, str], seconds: float
) -> Answer:
    """Makes one request, which follows no redirect, and returns the answer, whatever its status.

    headers: sent as well, such as a token. seconds: time for the answer. Otherwise like `read_url`.
    """
    deadline = time.monotonic() + seconds
    origin, parts = split_url(url)
    try:
        return _exchange(
            origin, parts, most_bytes, deadline, is_allowed=origin == allowed, headers=headers
        )
    except _FAULTS as error:
        raise _fault(url, error, deadline, seconds) from None


_FAULTS: Final = (OSError, http.client.HTTPException, ValueError)
"""Errors of a connection or an answer. The library raises ValueError for some malformed
responses."""


def _fault(address: str, error: Exception, deadline: float, seconds: float) -> StorageError:
    if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
        return StorageError(
            f"{_cut(address)}: did not answer within {seconds:g} s; try again later"
        )
    reason = " ".join(
        (getattr(error, "strerror", None) or str(error) or type(error).__name__).split()
    )
    return StorageError(
        f"{_cut(address)}: cannot be read: {_cut(reason)}; check that the address is right"
    )


class _Redirect(NamedTuple):
    target: str


def split_url(url: str) -> tuple[Origin, SplitResult]:
    """Returns the server of a URL, and its parts. Raises RequestError as `origin_of` does."""
    shown = _cut(url)
    if (
        len(url) > LONGEST_URL
        or not url.isascii()
        or any(char <= " " or char in '\x7f"<>\\^`{|}' for char in url)
    ):
        raise RequestError(
            f"{shown!r} is not an address: expected one such as https://example.org/registry/, with"
            " other characters encoded"
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise RequestError(
            f"{shown!r} is not an address: expected one such as https://example.org/registry/"
        ) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise RequestError(
            f"{shown!r} is not a web address: expected one such as https://example.org/registry/"
        )
    if parts.username is not None or parts.password is not None:
        raise RequestError(
            f"an address at {parts.hostname} contains a user name or a password, which would be"
            " shown and logged: leave them out"
        )
    return Origin(parts.scheme, parts.hostname, port or _PORTS[parts.scheme]), parts


def _join(url: str, target: str) -> str:
    """Returns the address that a redirect leads to."""
    try:
        return urljoin(url, target)
    except ValueError:
        raise StorageError(
            f"{_cut(url)}: redirects to {_cut(target)!r}, which is not an address; check that the"
            " address is right"
        ) from None


def _read_once(
    origin: Origin, parts: SplitResult, most_bytes: int, deadline: float, is_allowed: bool
) -> bytes | _Redirect:
    """Makes one request, and returns the body or the redirect."""
    answer = _exchange(origin, parts, most_bytes, deadline, is_allowed, {})
    if answer.status in REDIRECTS and (location := answer.headers.get("location")):
        return _Redirect(location)
    if answer.status != 200:
        raise http.client.HTTPException(f"the server says {answer.status} {_cut(answer.reason)}")
    return answer.body


def _exchange(
    origin: Origin,
    parts: SplitResult,
    most_bytes: int,
    deadline: float,
    is_allowed: bool,
    headers: Mapping[str, str],
) -> Answer:
    stream = connect(origin, resolve(origin, deadline, is_allowed), deadline)
    connection = http.client.HTTPConnection(origin.host, origin.port)
    connection.response_class = StrictResponse
    try:
        # The stream has all the methods of a socket that the client calls.
        connection.sock = stream
        host = f"[{origin.host}]" if ":" in origin.host else origin.host
        if origin.port != _PORTS[origin.scheme]:
            host += f":{origin.port}"
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        every = {
            "Host": host,
            "User-Agent": f"symindex/{__version__}",
            "Accept-Encoding": "identity",
            "Connection": "close",
            **headers,
        }
        connection.request("GET", target, headers=every)
        response = connection.getresponse()
        body = _read_body(response, most_bytes) if response.status == 200 else b""
        received = {name.lower(): value for name, value in reversed(response.getheaders())}
        return Answer(response.status, response.reason, received, body)
    finally:
        stream.end()


class StrictResponse(http.client.HTTPResponse):
    """A response that accepts only chunk sizes as the protocol defines them: the library also
    accepts signs, blanks and `0x`."""

    def _read_next_chunk_size(self) -> int:
        line = self.fp.readline(_LONGEST_LINE + 1)
        size = line.partition(b";")[0].strip(b" \t\r\n")
        if len(line) > _LONGEST_LINE or _CHUNK_SIZE.fullmatch(size) is None:
            raise http.client.HTTPException(
                f"the document has a chunk of size {_cut(repr(size)[1:])}"
            )
        return int(size, 16)


def check_headers(response: http.client.HTTPResponse) -> None:
    """Raises HTTPException for headers that contradict each other about the body, or name an
    encoding that we did not ask for."""
    lengths = response.headers.get_all("Content-Length", [])
    if len({*lengths}) > 1 or any(
        _LENGTH.fullmatch(length.strip(" \t")) is None for length in lengths
    ):
        raise http.client.HTTPException(f"the document has the length {_cut(', '.join(lengths))!r}")
    codings = [
        *response.headers.get_all("Transfer-Encoding", []),
        *response.headers.get_all("Content-Encoding", []),
    ]
    if any(coding.strip().lower() not in ("", "chunked", "identity") for coding in codings):
        raise http.client.HTTPException(
            f"the document is encoded as {_cut(', '.join(codings))!r}, which was not asked for"
        )


def _read_body(response: http.client.HTTPResponse, most_bytes: int) -> bytes:
    check_headers(response)
    if (response.length or 0) > most_bytes:
        raise http.client.HTTPException(
            f"the document has {response.length:,} bytes, more than {most_bytes:,}"
        )
    body = bytearray()
    while data := response.read(min(_CHUNK, most_bytes + 1 - len(body))):
        body += data
        if len(body) > most_bytes:
            raise http.client.HTTPException(f"the document has more than {most_bytes:,} bytes")
    if response.length:
        raise http.client.HTTPException("the document ends too early")
    return bytes(body)


def resolve(origin: Origin, deadline: float, is_allowed: bool) -> list[tuple[Any, ...]]:
    """Resolves the addresses of a server. Raises PrivateAddressError if one of them is not
    public."""
    # The system's resolver has no timeout, so a thread of its own waits for it.
    results: list[Any] = []

    def ask() -> None:
        try:
            results.append(socket.getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            results.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    if not results:
        raise TimeoutError
    if isinstance(results[0], Exception):
        raise OSError(0, f"there is no machine called {origin.host}")
    rows: list[tuple[Any, ...]] = results[0]
    for row in rows:
        if not is_allowed and not is_public(row[4][0]):
            hint = (
                "only a registry that your own configuration allows to be private may have a"
                " private address"
            )
            subject = "" if origin.host == row[4][0] else f" is {row[4][0]}, which"
            raise PrivateAddressError(f"{origin.host}{subject} is not a public address; {hint}")
    return rows[:_MOST_ADDRESSES]


def is_public(address: str) -> bool:
    """Whether an address is on the public internet, including IPv6 addresses that wrap an IPv4
    address."""
    try:
        parsed: _Address = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        wrapped = parsed.ipv4_mapped or parsed.sixtofour
        if wrapped is None and (parsed in _TRANSLATED or int(parsed) >> 32 == 0):
            wrapped = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if wrapped is not None:
            parsed = wrapped
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


class DeadlineSocket:
    """A connection that ends at a deadline, however slowly the server sends. It has the methods
    that `http.client` calls on a socket. deadline: of `time.monotonic`; each request sets its
    own."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket = connected
        self.deadline = deadline

    def _timed(self, call: Callable[..., Any], *arguments: Any) -> Any:
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        self._socket.settimeout(seconds)
        return call(*arguments)

    def sendall(self, data: bytes) -> None:
        self._timed(self._socket.sendall, data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Received(self))

    def receive(self, into: Any) -> int:
        return int(self._timed(self._socket.recv_into, into))

    def send_at_once(self) -> None:
        """Makes the system send what it gets without waiting for more: a client sends a header and
        a body apart."""
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        """Does nothing: the client closes the socket before it has read the body."""

    def end(self) -> None:
        self._socket.close()


class _Received(io.RawIOBase):
    """The receiving side of the connection, as a raw stream."""

    def __init__(self, stream: DeadlineSocket) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        return self._stream.receive(into)


def connect(origin: Origin, rows: list[tuple[Any, ...]], deadline: float) -> DeadlineSocket:
    """Connects to the first of the checked addresses that answers."""
    fault: OSError = OSError(0, "there is no address")
    for family, kind, protocol, _, address in rows:
        seconds = min(CONNECT_SECONDS, deadline - time.monotonic())
        if seconds <= 0:
            break
        connected = socket.socket(family, kind, protocol)
        try:
            connected.settimeout(seconds)
            connected.connect(address)
            if origin.scheme == "https":
                connected = ssl.create_default_context().wrap_socket(
                    connected, server_hostname=origin.host
                )
            return DeadlineSocket(connected, deadline)
        except OSError as error:
            with suppress(OSError):
                connected.close()
            fault = error
    raise fault


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."
