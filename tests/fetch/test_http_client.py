"""A client of one server: connections that stay open, and servers that end them."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from symindex.errors import StorageError
from symindex.fetch import http_client
from symindex.fetch.http_client import HttpClient

ANSWER = b"HTTP/1.1 200 OK\r\nX-One: 1\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """Answers on each connection as often as it may. requests: what each connection was sent."""

    def __init__(self, often: int = 1_000, answer: bytes = ANSWER) -> None:
        self._often, self._answer = often, answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self.requests: list[list[bytes]] = []
        self.address: str = f"http://127.0.0.1:{self._listening.getsockname()[1]}/folder/"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._connections.append(connection)
            self.requests.append([])
            threading.Thread(
                target=self._serve, args=(connection, self.requests[-1]), daemon=True
            ).start()

    def _serve(self, connection: socket.socket, requests: list[bytes]) -> None:
        # The end of a test may close it, or have closed the others before this one was accepted.
        with connection, suppress(OSError):
            self._answer_on(connection, requests)

    def _answer_on(self, connection: socket.socket, requests: list[bytes]) -> None:
        for _ in range(self._often):
            received = b""
            while b"\r\n\r\n" not in received:
                data = connection.recv(65_536)
                if not data:
                    return
                received += data
            requests.append(received)
            connection.sendall(self._answer)
        connection.close()

    def close(self) -> None:
        self._listening.close()
        for connection in self._connections:
            connection.close()


@pytest.fixture
def server() -> Iterator[Server]:
    with closing(Server()) as server:
        yield server


def ask(client: HttpClient) -> bytes:
    answer = client.ask("GET", "/v1/status", b"", 10.0)
    assert (answer.status, answer.headers["x-one"]) == (200, "1")
    return answer.body


def test_one_connection_answers_many_requests(server: Server) -> None:
    with closing(HttpClient(server.address, "a-token", 100)) as client:
        assert [ask(client) for _ in range(5)] == [b"ok"] * 5
    assert [len(requests) for requests in server.requests] == [5]
    sent = server.requests[0][0].split(b"\r\n")
    assert sent[0] == b"GET /folder/v1/status HTTP/1.1"
    assert b"Authorization: Bearer a-token" in sent and b"Accept-Encoding: identity" in sent


def test_a_request_is_sent_again_if_a_kept_connection_has_ended() -> None:
    with closing(Server(often=1)) as server, closing(HttpClient(server.address, "", 100)) as client:
        assert [ask(client) for _ in range(4)] == [b"ok"] * 4
        assert [len(requests) for requests in server.requests] == [1, 1, 1, 1]


def test_a_new_connection_that_ends_is_an_error() -> None:
    with (
        closing(Server(often=0)) as server,
        closing(HttpClient(server.address, "", 100)) as client,
        pytest.raises(StorageError, match=r"ended the connection|Connection reset"),
    ):
        ask(client)


def test_a_connection_that_the_server_closes_is_not_kept() -> None:
    closed = ANSWER.replace(b"X-One", b"Connection: close\r\nX-One")
    with (
        closing(Server(answer=closed)) as server,
        closing(HttpClient(server.address, "", 100)) as client,
    ):
        ask(client)
        assert client._idle == []


def test_how_many_connections_wait_and_for_how_long(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "MOST_IDLE", 2)
    with closing(HttpClient(server.address, "", 100)) as client:
        streams = [client._open(10**9) for _ in range(3)]
        assert [client._keep(kept.connection, kept.stream) for kept in streams] == [
            True,
            True,
            False,
        ]
        streams[2].stream.end()
        monkeypatch.setattr(http_client, "IDLE_SECONDS", -1.0)
        assert client._take() is None and client._idle == []


def test_threads_have_connections_of_their_own(server: Server) -> None:
    with closing(HttpClient(server.address, "", 100)) as client:
        bodies: list[bytes] = []
        threads = [
            threading.Thread(target=lambda: bodies.extend(ask(client) for _ in range(20)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert bodies == [b"ok"] * 80
        assert 1 <= len(server.requests) <= 80


@pytest.mark.parametrize(("most", "is_whole"), [(2, True), (1, False)])
def test_how_long_an_answer_may_be(server: Server, most: int, is_whole: bool) -> None:
    with closing(HttpClient(server.address, "", most)) as client:
        if is_whole:
            assert ask(client) == b"ok"
        else:
            with pytest.raises(StorageError, match="answers with more than 1 bytes; ask for less"):
                ask(client)


def test_a_port_that_is_not_usual_and_an_address_of_six() -> None:
    assert http_client._host_of(HttpClient("https://example.org", "", 1).origin) == "example.org"
    assert http_client._host_of(HttpClient("http://[::1]:81/", "", 1).origin) == "[::1]:81"


def test_a_long_reason_is_cut() -> None:
    most = 2 * http_client._LONGEST_REASON
    for length in (most, most + 1):
        told = http_client._reason(ValueError("x" * length))
        assert len(told) == most
