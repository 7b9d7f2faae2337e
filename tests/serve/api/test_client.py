"""The client of a service: its answers are those of a workspace, and each failure is one line."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import msgspec
import pytest

from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import RequestError, StorageError
from symindex.protocol.recall import TextHit
from symindex.serve.api import client, methods
from symindex.serve.api.client import RemoteAnswers
from symindex.serve.streams import FLEET_TOKEN
from symindex.workspace.answers import Answers, search_plan
from symindex.workspace.watched_tree import WatchedTrees
from tests.support.command import run_python
from tests.support.files import write_files
from tests.support.fleet_server import TOKEN, FleetServer
from tests.support.waiting import until

CODE = {
    "app.py": "class Store:\n    '''Keeps the parsed cookies.'''\n    def put(self, thing): pass\n",
    "use.py": "from app import Store\n\nclass Shelf(Store): pass\n\ndef use():\n    Store().put(1)\n",
    "README.md": "# Shop\n\nHow the cookies are parsed and kept.\n",
}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Answers, RemoteAnswers]]:
    """The same repositories in this process and behind a service."""
    folder = tmp_path_factory.mktemp("fleet")
    roots = [write_files(folder / name, CODE) for name in ("shop", "bank")]
    here = FollowedWorkspace(WatchedTrees(lambda *_: lambda: None))
    for root in roots:
        here.folders.add(root, "", str(folder / "here"))
    server = FleetServer(folder / "there", *roots, token=TOKEN)
    there = RemoteAnswers(server.address, TOKEN)
    for answers in (here, there):
        until(partial(_has_both, answers), "both repositories")
    yield here, there
    there.close()
    server.stop()
    here.close()


def _has_both(answers: Answers) -> bool:
    found = answers.search("Store"), answers.search("Shelf")
    return all(one.total == 2 and not one.notices for one in found)


ASKED: dict[str, Callable[[Answers], Any]] = {
    "name": lambda answers: answers.search("Store", max_items=1),
    "all": lambda answers: answers.search("", include=["id", "signature", "spans", "facets"]),
    "words": lambda answers: answers.search("where are the cookies parsed"),
    "nothing": lambda answers: answers.search("zzzzz"),
    "misspelt": lambda answers: answers.search("Storre"),
    "filtered": lambda answers: answers.search("put", paths=["shop/**"], kinds=["method"]),
    "phrasings": lambda answers: answers.search("put", phrasings=["store", "keep"]),
    "symbol": lambda answers: answers.symbol("shop/app.py#Store", siblings=True),
    "ambiguous": lambda answers: answers.symbol("Store"),
    "lines": lambda answers: answers.symbol("shop/README.md:1-3"),
    "outline": lambda answers: answers.outline("shop", depth=2, include=["signature"]),
    "references": lambda answers: answers.references("Store", max_items=2),
    "grep": lambda answers: answers.grep("cookies", where="comments", seconds=5.0),
    "trace": lambda answers: answers.trace('File "shop/app.py", line 3, in put'),
    "map": lambda answers: answers.map("shop", focus=["put"]),
    "subtypes": lambda answers: answers.hierarchy("shop/app.py#Store"),
    "callers": lambda answers: answers.hierarchy("shop/app.py#Store.put", direction="callers"),
    "item": lambda answers: answers.fetch("shop/README.md", source="project"),
    "no item": lambda answers: answers.fetch("nothing"),
    "items": lambda answers: answers.fetch(query="shop", scope="readme", source="project"),
    "recall": lambda answers: answers.recall(["how are cookies kept", "store"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_the_answers_are_those_of_a_workspace(
    name: str, both: tuple[Answers, RemoteAnswers]
) -> None:
    here, there = (ASKED[name](answers) for answers in both)
    assert type(there) is type(here)
    assert msgspec.to_builtins(there) == msgspec.to_builtins(here)


@pytest.mark.slow
def test_the_page_of_a_front_end_is_that_of_a_workspace(
    both: tuple[Answers, RemoteAnswers],
) -> None:
    """Lean pages, further fields and the pages after them."""
    from symindex.protocol.search import SearchRequest

    for rule in ({"lean_rows": 2, "include": ("flags",)}, {"most": 1}, {"include": ("spans",)}):
        here, there = (
            search_plan(answers, answers.source.plan(SearchRequest(query="Store"), **rule))
            for answers in both
        )
        assert there == here
        if there.pagination_id:
            request = SearchRequest(query="Store", pagination_id=there.pagination_id)
            here, there = (search_plan(answers, answers.source.plan(request)) for answers in both)
            assert there == here
    sentence = both[1].search("where are the cookies parsed and burnt")
    assert sentence.text and all(isinstance(hit, TextHit) for hit in sentence.text)


@pytest.mark.slow
def test_errors_are_those_of_a_workspace(both: tuple[Answers, RemoteAnswers]) -> None:
    asked: list[Callable[[Answers], Any]] = [
        lambda answers: answers.search("(a"),
        lambda answers: answers.search("a", kinds=["x"]),
        lambda answers: answers.search("lang:nothing a"),
        lambda answers: answers.symbol(""),
        lambda answers: answers.symbol(5),  # type: ignore[arg-type]
        lambda answers: answers.outline("nothing.py"),
        lambda answers: answers.grep("(", regex=True),
        lambda answers: answers.references("a", max_items=-1),
    ]
    for ask in asked:
        messages = []
        for answers in both:
            with pytest.raises(RequestError) as caught:
                ask(answers)
            messages.append(str(caught.value))
        assert messages[0] == messages[1] and "\n" not in messages[0]


@pytest.mark.slow
def test_what_is_a_folder(both: tuple[Answers, RemoteAnswers]) -> None:
    source = both[1].source
    assert source.is_folder("") and source.is_folder("shop")
    assert not source.is_folder("shop/app.py") and not source.is_folder("nothing")
    assert both[1].status() is None


@pytest.mark.slow
def test_limits_of_a_client(
    both: tuple[Answers, RemoteAnswers], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = both[1]
    assert there.grep("cookies", seconds=methods.MOST_SECONDS).at_least == 4
    for seconds in (methods.MOST_SECONDS + 1, 0.0, float("nan")):
        with pytest.raises(RequestError, match="a fleet takes a number up to 30"):
            there.grep("cookies", seconds=seconds)
    with pytest.raises(RequestError, match=r"the request has 1,048,\d+ bytes: a fleet takes at"):
        there.trace("x" * methods.MOST_BODY)
    with pytest.raises(RequestError, match="related: a fleet does not answer this"):
        there.related("note:1")


@contextmanager
def answering(*parts: bytes, keeps: bool = False) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers each connection with the next of these bytes. Yields its address, and
    what it was sent."""
    received: list[bytes] = []
    kept: list[socket.socket] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def serve() -> None:
            for part in parts:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                connection.settimeout(10)
                received.append(_request(connection))
                connection.sendall(part)
                if keeps:
                    kept.append(connection)
                else:
                    connection.close()

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", received
        finally:
            for connection in kept:
                connection.close()


def _request(connection: socket.socket) -> bytes:
    """Reads a whole request: a connection that is closed with unread bytes is reset."""
    data = connection.recv(65_536)
    length = re.search(rb"(?i)content-length: *(\d+)", data)
    while length is not None and len(data.partition(b"\r\n\r\n")[2]) < int(length[1]):
        more = connection.recv(65_536)
        if not more:
            break
        data += more
    return data


def _http(status: str, body: bytes, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def _error(text: str) -> bytes:
    return json.dumps({"error": text}).encode()


OURS = {"X_Symindex_Api": "1"}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (_http("200 OK", b"<html>"), "answers with 200, but not as a fleet of symindex does"),
        (_http("404 Not Found", b"<html>"), "answers with 404, but not as a fleet of symindex"),
        (_http("200 OK", b"{}", **OURS), "its answer cannot be read by symindex"),
        (_http("200 OK", b"[" * 9_999, **OURS), "its answer cannot be read by symindex"),
        (_http("200 OK", b"{}", X_Symindex_Api="2"), "speaks version 2 of the interface"),
        (_http("401 No", _error("x")), "wants a token: set SYMINDEX_FLEET_TOKEN"),
        (_http("503 Busy", _error("the server is busy"), **OURS), ": the server is busy"),
        (_http("503 Busy", b""), "is busy: try again in a moment"),
        (_http("429 Wait", b"", **OURS), "is busy: try again in a moment"),
        (_http("421 Host", _error("unknown host"), **OURS), "refuses (421): unknown host"),
        (_http("500 Oh", _error("a\n\x1b[31mb"), **OURS), "refuses (500): a \\x1b[31mb"),
        (_http("302 Found", b"", Location="http://evil.example/"), "leads elsewhere (302)"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "does not answer in HTTP"),
        (b"", "ended the connection without an answer"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", "ends its answer too early"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "answers with more than"),
        (_http("200 OK", b"", Content_Encoding="gzip"), "the document is encoded as 'gzip'"),
    ],
)
def test_each_failure_is_one_line(answer: bytes, told: str) -> None:
    with answering(answer) as (address, received), closing(RemoteAnswers(address, "")) as answers:
        with pytest.raises(StorageError, match=re.escape(told)) as caught:
            answers.symbol("a")
        assert str(caught.value).startswith(f"{address}: ") and "\n" not in str(caught.value)
        assert b"Authorization" not in received[0]


def test_a_long_error_of_a_service_is_cut() -> None:
    for length, is_whole in ((client._MOST_ERROR, True), (client._MOST_ERROR + 1, False)):
        answer = _http("400 Bad", _error("x" * length), **OURS)
        with answering(answer) as (address, _), closing(RemoteAnswers(address, "")) as answers:
            with pytest.raises(RequestError) as caught:
                answers.symbol("a")
            assert ("x" * length in str(caught.value)) == is_whole
            assert len(str(caught.value)) <= client._MOST_ERROR + 1


def test_an_error_of_the_service_is_a_request_error() -> None:
    with answering(_http("400 Bad", _error("no such kind"), **OURS)) as (address, received):
        answers = RemoteAnswers(address, "a-token-for-this-test")
        with closing(answers), pytest.raises(RequestError, match=r"^no such kind$"):
            answers.symbol("a")
        assert b"Authorization: Bearer a-token-for-this-test\r\n" in received[0]


def test_the_token_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FLEET_TOKEN, "from-the-environment")
    with answering(_http("401 No", b"")) as (address, received):
        with closing(RemoteAnswers(address)) as answers, pytest.raises(StorageError):
            answers.symbol("a")
        assert b"Bearer from-the-environment\r\n" in received[0]


@pytest.mark.parametrize(
    ("address", "token", "error"),
    [
        ("http://code.example.org", "secret", "a token is sent only to this machine or over https"),
        ("http://a:b@example.org/", "", "contains a user name or a password"),
        ("http://example.org/?x=1", "", "leave out what follows the"),
        ("http://exa mple.org", "", "is not an address"),
        ("https://example.org", "a\nb", "the token has characters that no header may contain"),
    ],
)
def test_addresses_that_are_refused(address: str, token: str, error: str) -> None:
    with pytest.raises(RequestError, match=error):
        RemoteAnswers(address, token)
    RemoteAnswers("https://example.org/folder/", "secret")


def test_a_service_that_is_slow_or_sends_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "WAIT_SECONDS", 0.3)
    monkeypatch.setattr(client, "MOST_ANSWER", 100)
    with (
        answering(b"HTTP/1.1 200 OK\r\n", keeps=True) as (address, _),
        closing(RemoteAnswers(address, "")) as answers,
        pytest.raises(StorageError, match=r"did not answer within 0\.3 s"),
    ):
        answers.symbol("a")
    monkeypatch.setattr(client, "WAIT_SECONDS", 10.0)
    body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"64\r\n" + b"x" * 100
    for end, error in (
        (b"\r\n0\r\n\r\n", "not as a fleet"),
        (b"\r\n1\r\nx\r\n", "more than 100 b"),
    ):
        with (
            answering(body + end) as (address, _),
            closing(RemoteAnswers(address, "")) as answers,
            pytest.raises(StorageError, match=error),
        ):
            answers.symbol("a")


def test_a_service_that_is_not_there() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(StorageError, match=r"cannot be reached: Connection refused; check the"):
        RemoteAnswers(f"http://127.0.0.1:{port}", "").search("a")


def test_the_client_loads_no_server() -> None:
    code = "import sys, symindex.serve.api.client; print({'starlette', 'uvicorn', 'mcp'} & {*sys.modules})"
    assert run_python(code).stdout == "set()\n"
