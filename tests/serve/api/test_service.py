"""The service over HTTP: what it answers, and the clients that it refuses."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.serve.api.methods import METHODS, MOST_BODY
from symindex.serve.api.service import MOST_ADDRESS
from tests.support.files import write_files
from tests.support.fleet_server import TOKEN, FleetServer

pytestmark = pytest.mark.slow

FILES = {
    "app.py": "class Store:\n    '''Keeps things.'''\n    def put(self): pass\n\ndef use(store):\n    store.put()\n",
    "README.md": "# Shop\n\nHow things are kept.\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetServer]:
    folder = tmp_path_factory.mktemp("fleet")
    roots = [write_files(folder / name, FILES) for name in ("shop", "bank")]
    server = FleetServer(folder / "indexes", *roots)
    server.wait_for("Store", 2)
    yield server
    server.stop()


CALLS: dict[str, dict[str, Any]] = {
    "search": {"query": "Store"},
    "symbol": {"symbol": "shop/app.py#Store"},
    "outline": {"path": "shop/app.py"},
    "references": {"name": "put"},
    "grep": {"pattern": "things"},
    "trace": {"text": 'File "shop/app.py", line 3, in put'},
    "map": {"path": "shop"},
    "folder": {"path": "shop"},
    "hierarchy": {"symbol": "shop/app.py#Store.put", "direction": "callers"},
    "fetch": {"item_id": "shop/README.md"},
    "recall": {"queries": ["how are things kept"]},
}


def test_each_method_answers_with_the_fields_of_its_response(server: FleetServer) -> None:
    assert CALLS.keys() == METHODS.keys()
    for name, fields in CALLS.items():
        status, answer = server.call(name, **fields)
        assert status == 200, (name, answer)
        response = METHODS[name].responses[0]
        assert answer.keys() <= {*response.__struct_encode_fields__}, name


def test_what_is_served(server: FleetServer) -> None:
    status, headers, body = server.ask("/v1/status")
    assert (status, headers["x-symindex-api"]) == (200, "1")
    assert json.loads(body)["methods"] == [*METHODS]
    assert server.ask("/healthz", Host="10.0.0.7:8080")[::2] == (200, b'{"status":"ok"}\n')


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"[]", "the body is not an object: expected the fields of a SearchRequest"),
        (b"", "the body is not valid JSON: Input data was truncated"),
        (b"[" * 100_000, "the body is not valid JSON: maximum recursion depth exceeded"),
        (b'{"query": "\xff"}', "the body is not valid JSON"),
        (b'{"query": 5}', "query is 5: expected a string"),
        (b'{"query": "a", "kinds": "class"}', "kinds is 'class': expected a list, as ['class']"),
        (b'{"query": "a", "root": "/"}', "Object contains unknown field `root`"),
        (b'{"query": "a", "max_items": 0}', "max_items is 0: it must be 1 or more"),
        (b'{"query": "kind:"}', ""),
        (b'{"query": "a", "space": "user"}', "a fleet has no space 'user': leave out space"),
    ],
)
def test_requests_without_an_answer(server: FleetServer, body: bytes, error: str) -> None:
    status, _, answered = server.ask("/v1/search", body)
    told = json.loads(answered)
    assert (status, [*told]) == (400, ["error"])
    assert told["error"].startswith(error) and "\n" not in told["error"]


@pytest.mark.parametrize(
    ("path", "headers", "method", "status"),
    [
        ("/v1/search", {"Host": "evil.example"}, "POST", 421),
        ("/v1/search", {"Host": "a b"}, "POST", 421),
        ("/v1/search", {"Origin": "http://evil.example"}, "POST", 403),
        ("/v1/search", {"Origin": "null"}, "POST", 403),
        ("/v1/search", {"Content_Type": "text/plain"}, "POST", 415),
        ("/v1/search", {"Content_Type": ""}, "POST", 415),
        ("/v1/search", {}, "GET", 405),
        ("/v1/search", {}, "DELETE", 405),
        ("/v1/status", {}, "POST", 405),
        ("/v1/status/", {}, "GET", 404),
        ("/v1/nothing", {}, "POST", 404),
        ("/v1", {}, "GET", 404),
        ("/v1/", {}, "GET", 404),
        ("/v1/search?seconds=5", {}, "POST", 200),
        ("/v1/grep?page={}", {}, "POST", 400),
        ("/v1/search?x=1", {}, "POST", 400),
        ("/v1/search?page=[]", {}, "POST", 400),
        ("/v1/search?page={%22most%22:0}", {}, "POST", 400),
        ("/v1/search?page={%22include%22:[%22x%22]}", {}, "POST", 400),
    ],
)
def test_clients_that_are_refused(
    server: FleetServer, path: str, headers: dict[str, str], method: str, status: int
) -> None:
    body = b'{"pattern": "a"}' if "grep" in path else b'{"query": "a"}'
    answered = server.ask(path, body, method, **headers)
    assert (answered[0], answered[1]["content-type"]) == (status, "application/json")
    if status != 200:
        assert [*json.loads(answered[2])] == ["error"]


def test_a_fleet_writes_nothing_and_shows_only_its_repositories(server: FleetServer) -> None:
    for fields, error in (
        ({"destination": "user"}, "fetch: a fleet copies nothing"),
        ({"force": True}, "fetch: a fleet copies nothing"),
        ({"source": "registry"}, "fetch: a fleet has no space 'registry'"),
        ({"source": "user"}, "fetch: a fleet has no space 'user'"),
    ):
        status, answer = server.call("fetch", item_id="shop/README.md", **fields)
        assert status == 400 and answer["error"].startswith(error)


@pytest.mark.parametrize("in_pieces", [False, True])
def test_how_long_a_request_may_be(server: FleetServer, in_pieces: bool) -> None:
    for length, status in ((MOST_BODY, 200), (MOST_BODY + 1, 413), (10 * MOST_BODY, 413)):
        body = b'{"query": "a"}' + b" " * (length - 14)
        pieces = iter([body[:1000], body[1000:]])
        try:
            answered = server.ask("/v1/search", pieces if in_pieces else body)
        except (BrokenPipeError, ConnectionResetError):  # it did not wait for the rest
            assert status == 413
            continue
        assert answered[0] == status


def test_a_length_that_is_none_is_refused(server: FleetServer) -> None:
    for length in ("-1", "1e3", "9" * 400):
        assert server.ask("/v1/search", b"{}", Content_Length=length)[0] in (400, 413)


def test_how_long_an_address_may_be(server: FleetServer) -> None:
    start = "/v1/nothing"
    assert server.ask(start + "x" * (MOST_ADDRESS - len(start)))[0] == 404
    assert server.ask(start + "x" * (MOST_ADDRESS + 1 - len(start)))[0] == 400


def test_a_client_that_leaves_or_waits_harms_nobody(server: FleetServer) -> None:
    head = b"POST /v1/grep HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for rest in (
        b"Content-Length: 50\r\n\r\n{",
        b"Content-Length: 15\r\n\r\n" + b'{"pattern":"a"}',
    ):
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(head + rest)
    slow = socket.create_connection(("127.0.0.1", server.port))
    slow.sendall(head + b"Content-Length: 50\r\n\r\n{")
    started = time.monotonic()
    assert server.call("search", query="Store")[0] == 200
    assert time.monotonic() - started < 5
    slow.close()


def test_headers_that_two_servers_read_differently(server: FleetServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("POST", "/v1/search")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "2")
    connection.putheader("Content-Length", "2")
    connection.endheaders(b"{}")
    assert connection.getresponse().status == 400
    connection.close()


def test_only_a_token_admits_where_there_is_one(tmp_path: Path) -> None:
    root = write_files(tmp_path / "shop", FILES)
    server = FleetServer(tmp_path / "indexes", root, token=TOKEN)
    try:
        request = b'{"query": "Store"}'
        for given in ("", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN):
            for path in ("/v1/search", "/mcp", "/v1/status"):
                status, headers, _ = server.ask(path, request, "POST", Authorization=given)
                assert (status, headers["www-authenticate"]) == (401, "Bearer"), (given, path)
            if given != TOKEN:  # the page takes it so, too
                assert server.ask("/", Authorization=given)[0] == 303  # to the login
        assert server.ask("/v1/search", request)[0] == 200
        assert server.ask("/healthz", Authorization="")[0] == 200
        assert server.ask("/")[0] == 200
    finally:
        assert TOKEN not in server.stop()
