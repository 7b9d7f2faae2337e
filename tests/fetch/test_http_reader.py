"""Reading one document over HTTP, without a network: what is sent, which answers are read, at which
sizes they are refused, and to which addresses we connect."""

import http.client
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from symindex import __version__
from symindex.errors import PrivateAddressError, RequestError, StorageError
from symindex.fetch import http_reader
from symindex.fetch.http_reader import Origin, is_public, origin_of, read_url

URL = "http://example.org/a"


class Peer:
    """The other side of each connection: gives one answer after the other, and keeps requests."""

    def __init__(self, *answers: bytes) -> None:
        self.answers, self.asked, self.origins = [*answers], list[str](), list[Origin]()
        self._others: list[socket.socket] = []
        self.is_late = False

    def connect(self, origin: Origin, _rows: object, deadline: float) -> http_reader.DeadlineSocket:
        ours, other = socket.socketpair()
        other.sendall(self.answers.pop(0))
        other.shutdown(socket.SHUT_WR)
        self._others.append(other)
        self.origins.append(origin)
        return http_reader.DeadlineSocket(ours, 0.0 if self.is_late else deadline)

    def close(self) -> None:
        for other in self._others:
            other.close()

    def requests(self) -> list[bytes]:
        received = []
        for other in self._others:
            other.settimeout(5)
            received.append(other.recv(100_000))
        return received


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    peers: list[Peer] = []

    def use(*answers: bytes) -> Peer:
        peers.append(peer := Peer(*answers))
        monkeypatch.setattr(http_reader, "connect", peer.connect)
        return peer

    monkeypatch.setattr(http_reader, "resolve", lambda *_: [])
    yield use
    for peer in peers:
        peer.close()


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode() + body


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


CHUNKED, LENGTH_3 = "Transfer-Encoding: chunked", "Content-Length: 3"

ANSWERS: dict[str, tuple[bytes, bytes | str]] = {
    "a length": (response(b"abc", LENGTH_3), b"abc"),
    "a length, and more than that": (response(b"abcd", LENGTH_3), b"abc"),
    "no length": (response(b"abc"), b"abc"),
    "nothing": (response(b""), b""),
    "as much as is read": (response(b"12345678", "Content-Length: 8"), b"12345678"),
    "one byte more": (response(b"123456789", "Content-Length: 9"), "the document has 9 bytes, more than 8"),
    "as much as is read, without a length": (response(b"12345678"), b"12345678"),
    "one byte more, without a length": (response(b"123456789"), "the document has more than 8 bytes"),
    "as much as is read, in chunks": (response(chunked(b"1234", b"5678"), CHUNKED), b"12345678"),
    "one byte more, in chunks": (response(chunked(b"1234", b"56789"), CHUNKED), "the document has more than 8 bytes"),
    "too short": (response(b"ab", LENGTH_3), "the document ends too early"),
    "chunks that end too early": (response(b"5\r\nab", CHUNKED), "IncompleteRead"),
    "one length twice": (response(b"abc", LENGTH_3, LENGTH_3), b"abc"),
    "two lengths": (response(b"abc", LENGTH_3, "Content-Length: 4"), "the document has the length '3, 4'"),
    "a length with blanks": (response(b"abc", "Content-Length:  3\t"), b"abc"),
    "a length in other digits": (response(b"abc", "Content-Length: 3x"), "the document has the length '3x'"),
    "a length of nineteen digits": (response(b"abc", f"Content-Length: {'0' * 18}3"), "the document has the length"),
    "no coding": (response(b"abc", "Content-Encoding: ", LENGTH_3), b"abc"),
    "identity": (response(b"abc", "Content-Encoding: Identity", LENGTH_3), b"abc"),
    "two codings": (response(b"abc", "Content-Encoding: br", CHUNKED), "the document is encoded as 'chunked, br', which was not asked for"),
    "another status": (response(b"abc", LENGTH_3, status="201 Created"), "the server says 201 Created"),
    "a redirect that leads nowhere": (response(b"", status="302 Found"), "the server says 302 Found"),
    "not modified": (response(b"", "Location: /x", status="304 Not Modified"), "the server says 304 Not Modified"),
    "a long reason": (response(b"", status=f"500 {'r' * 181}"), f"the server says 500 {'r' * 180}...;"),
    "a reason of the longest length": (response(b"", status=f"500 {'r' * 180}"), f"the server says 500 {'r' * 180};"),
    "a chunk with an extension": (response(b"3;a=b\r\nabc\r\n0\r\n\r\n", CHUNKED), b"abc"),
    "a chunk of sixteen digits": (response(b"0000000000000003\r\nabc\r\n0\r\n\r\n", CHUNKED), "a chunk of size '0000000000000003'"),
    "a chunk of fifteen digits": (response(b"000000000000003\r\nabc\r\n0\r\n\r\n", CHUNKED), b"abc"),
    "the longest line before a chunk": (response(b"3;".ljust(8_190, b"x") + b"\r\nabc\r\n0\r\n\r\n", CHUNKED), b"abc"),
    "a longer line before a chunk": (response(b"3;".ljust(8_191, b"x") + b"\r\nabc\r\n0\r\n\r\n", CHUNKED), "a chunk of size '3'"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_which_answers_are_read(name: str, answering: Any) -> None:
    data, expected = ANSWERS[name]
    answering(data)
    if isinstance(expected, bytes):
        assert read_url(URL, 8) == expected
    else:
        with pytest.raises(StorageError) as caught:
            read_url(URL, 8)
        said = str(caught.value)
        assert expected in said
        assert said.startswith(f"{URL}: cannot be read: ")
        assert said.endswith("; check that the address is right")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_from_where_it_is(status: int, answering: Any) -> None:
    peer = answering(
        response(b"", "Location: ../c/d?e=f#g", status=f"{status} Found"),
        response(b"", "Location: //other.example:8080", status=f"{status} Found"),
        response(b"text", "Content-Length: 4"),
    )
    assert read_url("http://example.org/a/b", 8) == b"text"
    assert peer.origins == [
        Origin("http", "example.org", 80),
        Origin("http", "example.org", 80),
        Origin("http", "other.example", 8080),
    ]
    lines = [request.split(b"\r\n") for request in peer.requests()]
    assert [line[0] for line in lines] == [
        b"GET /a/b HTTP/1.1",
        b"GET /c/d?e=f HTTP/1.1",
        b"GET / HTTP/1.1",
    ]
    assert [line[1] for line in lines] == [
        b"Host: example.org",
        b"Host: example.org",
        b"Host: other.example:8080",
    ]
    agent = f"User-Agent: symindex/{__version__}".encode()
    assert all(
        line[2:] == [agent, b"Accept-Encoding: identity", b"Connection: close", b"", b""]
        for line in lines
    )


HOSTS = {
    "http://example.org": "example.org", "http://example.org:80/": "example.org",
    "http://example.org:443/": "example.org:443", "http://[2606:4700::1]:81/": "[2606:4700::1]:81",
    "http://[2606:4700::1]/": "[2606:4700::1]", "http://EXAMPLE.org:0/": "example.org",
}  # fmt: skip


@pytest.mark.parametrize("url", HOSTS)
def test_the_host_that_is_asked(url: str, answering: Any) -> None:
    peer = answering(response(b""))
    read_url(url, 8)
    (request,) = peer.requests()
    assert request.split(b"\r\n")[1] == f"Host: {HOSTS[url]}".encode()


def test_a_connection_ends_with_the_time_of_the_document(answering: Any) -> None:
    peer = answering(response(b"abc", LENGTH_3))
    peer.is_late = True
    with pytest.raises(StorageError, match="did not answer within 20 s; try again later"):
        read_url(URL, 8)


def test_an_error_after_the_time_is_over_is_about_the_time(
    answering: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seconds, words in ((19.9, "cannot be read: ends"), (20.0, "did not answer within 20 s")):
        times = iter([100.0, 100.0 + seconds])
        monkeypatch.setattr(http_reader.time, "monotonic", lambda times=times: next(times))
        monkeypatch.setattr(http_reader, "_read_once", _failing(ValueError("ends\n  here")))
        with pytest.raises(StorageError, match=words):
            read_url(URL, 8)


def _failing(error: Exception) -> Any:
    def fail(*_: object, **__: object) -> bytes:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(5, "a reason"), "a reason"),
        (OSError("only a text"), "only a text"),
        (http.client.BadStatusLine("a\r\nb"), "a b"),
        (http.client.IncompleteRead(b""), "IncompleteRead"),
        (ValueError(), "ValueError"),
        (ValueError("x" * 201), "x" * 200 + "..."),
        (ValueError("x" * 200), "x" * 200),
    ],
)
def test_the_reason_of_a_failure_is_one_short_line(
    error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_reader, "_read_once", _failing(error))
    with pytest.raises(StorageError) as caught:
        read_url(URL, 8)
    assert str(caught.value).startswith(f"{URL}: cannot be read: {reason}")


def test_what_is_shown_of_a_long_address() -> None:
    for length in (200, 201):
        url = "http://example.org/ä".ljust(length, "x")
        with pytest.raises(RequestError) as caught:
            origin_of(url)
        shown = url if length == 200 else f"{url[:200]}..."
        assert str(caught.value).startswith(f"{shown!r} is not an address")


NO_ADDRESSES = {
    "ftp://example.org/": "'ftp://example.org/' is not a web address",
    "http://": "'http://' is not a web address",
    "http://example.org:x/": "'http://example.org:x/' is not an address",
    "http://example.org:65536/": "is not an address",
    "http://a@example.org/": "an address at example.org contains a user name or a password",
    "http://:b@example.org/": "an address at example.org contains a user name or a password",
    "http://example.org/ ": "with other characters encoded",
    "http://example.org/\x7f": "with other characters encoded",
    "http://example.org/{": "with other characters encoded",
}


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_what_is_wrong_with_an_address(url: str) -> None:
    with pytest.raises(RequestError) as caught:
        origin_of(url)
    assert NO_ADDRESSES[url] in str(caught.value)


def test_the_server_of_an_address() -> None:
    assert origin_of("https://Example.org/a!~") == Origin("https", "example.org", 443)
    assert origin_of("http://example.org:8080/?a=b") == Origin("http", "example.org", 8080)


def test_only_the_named_server_may_be_private(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, bool]] = []
    answers = iter([http_reader._Redirect("https://other.example/"), b"text"])

    def read(origin: Origin, *_: object, is_allowed: bool) -> Any:
        asked.append((origin.host, is_allowed))
        return next(answers)

    monkeypatch.setattr(http_reader, "_read_once", read)
    assert read_url("https://own.example/", 8, Origin("https", "own.example", 443)) == b"text"
    assert asked == [("own.example", True), ("other.example", False)]


# Addresses


def test_names_are_resolved_within_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    origin, row = Origin("https", "own.example", 443), (2, 1, 6, "", ("93.184.216.34", 443))
    asked: list[object] = []

    def rows(*arguments: object, **more: object) -> list[Any]:
        asked.append((*arguments, more))
        return [row] * 5

    monkeypatch.setattr(http_reader.socket, "getaddrinfo", rows)
    assert http_reader.resolve(origin, time.monotonic() + 9, False) == [row] * 4
    assert asked == [("own.example", 443, {"type": socket.SOCK_STREAM})]
    for error in (socket.gaierror(-2, "no"), UnicodeError("label too long")):
        monkeypatch.setattr(http_reader.socket, "getaddrinfo", _failing(error))
        with pytest.raises(OSError, match=r"there is no machine called own\.example"):
            http_reader.resolve(origin, time.monotonic() + 9, False)
    monkeypatch.setattr(http_reader.socket, "getaddrinfo", lambda *_, **__: time.sleep(0.2))
    began = time.monotonic()
    for deadline in (began + 0.01, began - 9):
        with pytest.raises(TimeoutError):
            http_reader.resolve(origin, deadline, False)
    assert time.monotonic() - began < 0.15


def test_one_private_address_is_enough_to_refuse_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(2, 1, 6, "", (address, 80)) for address in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(http_reader.socket, "getaddrinfo", lambda *_, **__: rows)
    deadline = time.monotonic() + 9
    assert http_reader.resolve(Origin("http", "own.example", 80), deadline, True) == rows
    with pytest.raises(PrivateAddressError, match=r"^own\.example is 10\.0\.0\.1, which is not a public address; only"):  # fmt: skip
        http_reader.resolve(Origin("http", "own.example", 80), deadline, False)
    with pytest.raises(PrivateAddressError, match=r"^10\.0\.0\.1 is not a public address; only"):
        http_reader.resolve(Origin("http", "10.0.0.1", 80), deadline, False)


PUBLIC = {
    "8.8.8.8": True, "2606:4700::1111": True, "64:ff9b::808:808": True, "64:ff9b::a00:1": False, "::ffff:8.8.8.8": True,
    "::ffff:10.0.0.1": False, "2002:808:808::": True, "2002:a00:1::": False, "::808:808": True, "::a00:1": False,
    "::1:808:808": False, "fe80::1%eth0": False, "2606:4700::1111%eth0": True, "224.0.0.251": False, "240.0.0.1": False,
    "ff0e::1": False, "example.org": False, "": False,
}  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_which_addresses_are_public(address: str) -> None:
    assert is_public(address) is PUBLIC[address]


class FakeSocket:
    """A socket that connects to some addresses only."""

    made: list["FakeSocket"] = []  # noqa: RUF012
    answering: set[object] = set()  # noqa: RUF012

    def __init__(self, *kind: object) -> None:
        self.kind, self.timeout, self.is_closed = kind, 0.0, False
        FakeSocket.made.append(self)

    def settimeout(self, seconds: float) -> None:
        self.timeout = seconds

    def connect(self, address: object) -> None:
        if address not in FakeSocket.answering:
            raise OSError(111, f"refused by {address}")

    def close(self) -> None:
        self.is_closed = True
        raise OSError(9, "closing fails, too")


def test_the_first_address_that_answers_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_reader.socket, "socket", FakeSocket)
    monkeypatch.setattr(http_reader.time, "monotonic", lambda: 100.0)
    origin = Origin("http", "own.example", 80)
    rows = [(family, 1, 6, "", f"address {family}") for family in (10, 2, 3)]
    FakeSocket.made, FakeSocket.answering = [], {"address 2", "address 3"}
    connected = http_reader.connect(origin, rows, 109.0)
    assert [made.kind for made in FakeSocket.made] == [(10, 1, 6), (2, 1, 6)]
    assert [made.is_closed for made in FakeSocket.made] == [True, False]
    assert [made.timeout for made in FakeSocket.made] == [5.0, 5.0]
    assert id(connected._socket) == id(FakeSocket.made[1])
    FakeSocket.made, FakeSocket.answering = [], set()
    with pytest.raises(OSError, match="refused by address 3"):
        http_reader.connect(origin, rows, 101.0)
    assert [made.timeout for made in FakeSocket.made] == [1.0] * 3
    FakeSocket.made = []
    with pytest.raises(OSError, match="there is no address"):
        http_reader.connect(origin, rows, 100.0)
    assert FakeSocket.made == []


def test_each_read_gets_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, other = socket.socketpair()
    times = iter([1.0, 2.5, 4.0])
    monkeypatch.setattr(http_reader.time, "monotonic", lambda: next(times))
    stream = http_reader.DeadlineSocket(ours, 4.0)
    stream.sendall(b"abc")
    assert ours.gettimeout() == 3.0 and other.recv(9) == b"abc"
    other.sendall(b"de")
    stream.close()  # the client closes it before it has read the body
    reader = stream.makefile("rb")
    assert reader.readable() and reader.read(2) == b"de" and ours.gettimeout() == 1.5
    with pytest.raises(TimeoutError):
        reader.read(1)
    stream.end()
    assert ours.fileno() == -1
    other.close()
