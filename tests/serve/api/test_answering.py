"""One call: its limits, and what each error becomes."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.cancellation import check_wanted
from symindex.errors import StorageError
from symindex.protocol.explore import OutlineRequest, ReferencesRequest
from symindex.serve.api import answering, methods, service
from symindex.serve.api.answering import answer, describe
from symindex.serve.api.methods import METHODS, bounded
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    root = write_files(
        tmp_path / "shop", {"a.py": "def one(): pass\ndef two(): one()\nx = one()\n"}
    )
    with Workspace(root, tmp_path / "indexes") as workspace:
        yield workspace


def call(
    workspace: Any, name: str, /, parameters: dict[str, str] | None = None, **fields: Any
) -> tuple[int, Any]:
    reply = answer(workspace, name, parameters or {}, msgspec.json.encode(fields))
    return reply.status, json.loads(reply.body)


def test_the_rows_of_a_search(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for most, n_items in ((3, 3), (2, 2)):
        monkeypatch.setattr(answering, "MOST_ROWS", most)
        for asked in (None, 3):
            status, response = call(workspace, "search", query="", max_items=asked)
            assert (status, len(response["items"]), response["total"]) == (200, n_items, 3)
            assert response["has_more"] == (most == 2)
            assert response["request"]["max_items"] == asked


def test_the_rows_of_other_answers(workspace: Workspace) -> None:
    for asked, is_told in ((methods.MOST_ROWS, False), (methods.MOST_ROWS + 1, True)):
        status, response = call(workspace, "references", name="one", max_items=asked)
        assert (status, response["request"]["max_items"]) == (200, asked)
        told = "at most 10,000 rows are sent at once" in response.get("notices", [])
        assert told == is_told
    references = METHODS["references"]
    assert bounded(references, ReferencesRequest(name="a")).max_items == methods.MOST_ROWS
    outline = METHODS["outline"]
    for tokens in (7, methods.MOST_TOKENS, methods.MOST_TOKENS + 1, None):
        given = bounded(outline, OutlineRequest(max_tokens=tokens)).max_tokens
        assert given == min(tokens or methods.MOST_TOKENS, methods.MOST_TOKENS)


def test_the_time_of_a_pass(workspace: Workspace) -> None:
    for seconds, status in (
        ("", 200),
        ("0.5", 200),
        (f"{methods.MOST_SECONDS:g}", 200),
        (f"{methods.MOST_SECONDS + 1:g}", 400),
        ("0", 400),
        ("-1", 400),
        ("nan", 400),
        ("soon", 400),
    ):
        parameters = {"seconds": seconds} if seconds else {}
        assert call(workspace, "grep", parameters, pattern="one")[0] == status, seconds
    asked: list[float] = []

    class Asked:
        def grep(self, request: Any, *, seconds: float, freshness: Any) -> Any:
            asked.append(seconds)

    call(Asked(), "grep", pattern="one")
    assert asked == [answering._DEFAULT_SECONDS]


def test_the_bytes_of_an_answer(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    # The second answer is that of a warm index.
    length = [len(answer(workspace, "map", {}, b"{}").body) - 1 for _ in range(2)][1]
    for most, status in ((length, 200), (length - 1, 400)):
        monkeypatch.setattr(answering, "MOST_ANSWER", most)
        answered, response = call(workspace, "map")
        assert answered == status
    assert response["error"].startswith(f"the answer has {length:,} bytes: at most {length - 1:,}")


def test_what_is_served(workspace: Workspace) -> None:
    described = json.loads(describe(workspace).body)
    assert described["status"]["files"] == 1
    assert json.loads(describe(object()).body)["status"] is None  # type: ignore[arg-type]


def test_errors_that_are_not_the_client_s(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def map(self, *_: object, **__: object) -> Any:
            raise self.error

    reply = answer(Broken(StorageError("s3://a: denies\nreading")), "map", {}, b"{}")  # type: ignore[arg-type]
    assert (reply.status, reply.retry_seconds) == (503, 10)
    assert reply.body == b'{"error":"s3://a: denies reading"}\n'
    assert capsys.readouterr().err == ""
    reply = answer(Broken(KeyError("x")), "map", {}, b"{}")  # type: ignore[arg-type]
    assert reply.status == 500 and b"internal error at " in reply.body
    assert capsys.readouterr().err.count("\n") == 1


async def _ask(app: Any, name: str, body: bytes = b"{}") -> tuple[int, dict[str, str], Any]:
    sent: list[dict[str, Any]] = []
    received = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if received:
            return received.pop()
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/v1/{name}",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }
    await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, json.loads(sent[1]["body"])


class Endless:
    """Answers that take for ever, unless nobody wants them any more."""

    def map(self, *_: object, **__: object) -> Any:
        while True:
            check_wanted()
            time.sleep(0.01)


def test_an_answer_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "ANSWER_SECONDS", 0.2)
    app = service.make_service(Endless())  # type: ignore[arg-type]
    status, headers, answered = asyncio.run(_ask(app, "map"))
    assert (status, headers["retry-after"]) == (503, "5")
    assert answered == {"error": "the answer takes more than 0.2 s: ask for less"}


def test_a_server_that_is_busy_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.serve.lanes.WAIT_SECONDS", 0.1)
    monkeypatch.setattr("symindex.serve.lanes.MOST_WAITING", 2)
    monkeypatch.setattr(service, "ANSWER_SECONDS", 0.6)
    app = service.make_service(Endless())  # type: ignore[arg-type]

    async def crowd() -> list[int]:
        n_places = service.PLACES["page"]
        asked = [_ask(app, "map") for _ in range(n_places + 3)]
        return sorted(status for status, _, _ in await asyncio.gather(*asked))

    # Some work until their time is up, two wait in vain, and one is sent away.
    assert asyncio.run(crowd()) == [429] + [503] * (service.PLACES["page"] + 2)
