"""Messages of clients for agents, read without a server: arguments, ids, handshakes, lines, headers,
and how pages are fitted to a budget."""

import asyncio
import io
import json
import threading
from collections.abc import MutableMapping
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.serve import slow_bodies
from symindex.serve.mcp import fitted_pages, stdio_bootstrap
from symindex.serve.mcp.answers import failed_part, shorten_error, token_budget
from symindex.serve.mcp.arguments import read_arguments, without_empty
from symindex.serve.mcp.client_profiles import OWN_TOOLS, Offer, wants_data
from symindex.serve.mcp.fast_handshake import HANDSHAKES, MODERN, answer_at_once, name_of
from symindex.serve.mcp.http import _Guard, _security
from symindex.serve.mcp.ids_in_use import IdsInUse
from symindex.serve.mcp.search_calls import SearchCalls
from symindex.serve.mcp.stdio_bootstrap import Bootstrap, refuse
from symindex.text.token_budget import estimate_tokens
from tests.support.waiting import until

READ: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("search", {"q": "a", "lang": "go"}, {"query": "a", "language": ["go"]}),
    ("search", {"query": ["a", "b"]}, {"queries": ["a", "b"]}),
    ("hierarchy", {"symbol": "a", "direction": "Subclasses"}, {"symbol": "a", "direction": "subtypes"}),
    ("search", {"query": "null", "kinds": "null", "path": None}, {"query": "null"}),
    ("search", {"query": "a", "limit": "5", "max_items": None}, {"query": "a", "max_items": 5}),
    ("search", {"query": "a", "path": "file:///a%20b"}, {"query": "a", "path": ["/a b"]}),
    ("search", {"query": "a", "path": ["FILE://localhost/a", "b"]}, {"query": "a", "path": ["/a", "b"]}),
    ("search", {"query": "a", "kinds": [""]}, {"query": "a"}),
    ("symbol", {"id": ["a", "b"]}, {"symbols": ["a", "b"]}),
    ("symbol", {"name": "a"}, {"symbol": "a"}),
    ("references", {"identifier": "a"}, {"name": "a"}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "sent", "read"), READ)
def test_arguments_are_read_as_models_write_them(
    tool: str, sent: dict[str, Any], read: dict[str, Any]
) -> None:
    assert read_arguments(tool, sent) == read


def test_no_arguments_are_those_of_an_empty_call() -> None:
    assert read_arguments("status", None) == read_arguments("status", {}) == {}


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("x" * 101, {}, "'" + "x" * 100 + "'"),
    ("search", {"query": "a", "q": "b"}, "search: q is another name of query: give one of the two"),
    ("search", {"q": "b", "pattern": "a"}, "search: pattern is another name of query: give one of the two"),
    ("search", {"max_item": 1}, "search: unknown argument 'max_item'; did you mean max_items?; expected one of "),
    ("search", {"z" * 101: 1}, f"search: unknown argument {'z' * 100!r}; expected one of "),
    ("references", {}, "references: name is missing: "),
    ("references", {"name": "a", "role": "z" * 101}, "z" * 100),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "sent", "message"), WRONG)
def test_other_arguments_are_refused(tool: str, sent: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_arguments(tool, sent)
    assert message in str(caught.value) and "z" * 101 not in str(caught.value)


def test_empty_values_say_nothing() -> None:
    sent: dict[str, Any] = {
        "query": "null",
        "kinds": "null",
        "a": None,
        "b": "",
        "c": [],
        "fuzzy": "",
        "d": 0,
        "e": "x",
    }
    assert without_empty(sent) == {"query": "null", "d": 0, "e": "x"}
    assert without_empty(None) == {}


@pytest.mark.parametrize(
    ("sent", "budget"),
    [
        ({}, None),
        ({"max_tokens": 99}, 100),
        ({"max_tokens": 101}, 101),
        ({"max_tokens": "500"}, 500),
    ],
)
def test_the_budget_of_an_answer(sent: dict[str, Any], budget: int | None) -> None:
    from symindex.serve.mcp.tools import MAX_TOKENS

    assert token_budget(sent) == (budget or MAX_TOKENS)
    assert token_budget({"max_tokens": 10**9}) == token_budget({"max_tokens": 10**10}) < 10**9


@pytest.mark.parametrize(("n", "shown"), [(1000, "a" * 1000), (1001, "a" * 500 + "…" + "a" * 500)])
def test_an_error_has_a_thousand_characters_at_most(n: int, shown: str) -> None:
    assert shorten_error("a" * n) == shown
    part = failed_part("Search", "q" * 101, "m\x1b")
    assert part == f"# Search: `{'q' * 100}…`\n> m\\x1b\n"


@pytest.mark.parametrize(
    ("client", "choice", "wants"),
    [
        ("claude-code", "auto", False),
        ("Visual Studio Code", "auto", False),
        ("my claude", "auto", True),
        ("", "auto", True),
        ("claude-code", "always", True),
        ("other", "never", False),
    ],
)
def test_which_clients_get_data(client: str, choice: Any, wants: bool) -> None:
    assert wants_data(client, choice) is wants
    tools = Offer(choice).tools_for(client)
    assert tools and all(("outputSchema" in tool) is wants for tool in tools)
    assert Offer(choice, has_own=False).tools_for(client) == []
    assert Offer(choice, has_own=False).instructions == "" != Offer(choice).instructions


META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "claude", "version": "1"},
}
CLIENT = {"name": "c", "version": "1"}
HELLO = {"capabilities": {}, "clientInfo": CLIENT, "protocolVersion": HANDSHAKES[0]}


def request(method: str, params: Any = None, **changed: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 0, "method": method, "params": params} | changed


def test_a_handshake_is_answered_in_the_version_of_the_client() -> None:
    for version in HANDSHAKES:
        answer = answer_at_once(request("initialize", HELLO | {"protocolVersion": version}))
        assert answer is not None and answer["protocolVersion"] == version
        assert answer["capabilities"] == {"tools": {"listChanged": False}}
    unknown = answer_at_once(request("initialize", HELLO | {"protocolVersion": "1"}))
    assert unknown is not None and unknown["protocolVersion"] == "2025-11-25"


def test_discovery_without_a_handshake() -> None:
    response = answer_at_once(request("server/discover", {"_meta": META}))
    assert response is not None and response["supportedVersions"] == [MODERN]
    assert (response["ttlMs"], response["cacheScope"], response["resultType"]) == (
        0,
        "private",
        "complete",
    )
    listed = answer_at_once(request("tools/list", {"_meta": META}))
    assert listed is not None and "outputSchema" not in listed["tools"][0]
    other = answer_at_once(
        request("tools/list", {"_meta": META | {"io.modelcontextprotocol/clientInfo": 1}})
    )
    assert other is not None and "outputSchema" in other["tools"][0]


NOT_AT_ONCE: list[Any] = [
    [],
    request("initialize", HELLO, jsonrpc="1.0"),
    {"jsonrpc": "2.0", "method": "initialize", "params": HELLO},
    request("initialize", [1]),
    request("initialize", HELLO | {"capabilities": 1}),
    request("initialize", HELLO | {"clientInfo": {"name": "c"}}),
    request("initialize", HELLO | {"protocolVersion": 1}),
    request("tools/call", HELLO),
    request("tools/list"),
    request("tools/list", {"_meta": META, "cursor": "x"}),
    request("tools/call", {"_meta": META}),
    request("server/discover", {"_meta": META | {"io.modelcontextprotocol/protocolVersion": "1"}}),
    request(
        "server/discover", {"_meta": META | {"io.modelcontextprotocol/clientCapabilities": []}}
    ),
    request("server/discover"),
    request("server/discover", {"_meta": 1}),
]


@pytest.mark.parametrize("number", range(len(NOT_AT_ONCE)))
def test_other_requests_wait_for_the_server(number: int) -> None:
    assert answer_at_once(NOT_AT_ONCE[number]) is None


@pytest.mark.parametrize(
    ("info", "name"),
    [
        (CLIENT, "c"),
        ({"name": "c"}, ""),
        ({"version": "1"}, ""),
        ({"name": 1, "version": "1"}, ""),
        ({"name": "c", "version": 1}, ""),
        (None, ""),
    ],
)
def test_the_name_of_a_client(info: Any, name: str) -> None:
    assert name_of(info) == name


REFUSED: list[tuple[bytes, Any, int]] = [
    (b'{"id": 5}', 5, -32600),
    (b'{"id": "a"}', "a", -32600),
    (b'{"id": 1.5}', None, -32600),
    (b"[1]", None, -32600),
    (b"{", None, -32700),
    (b'{"id": 7, "x": "\\ud800"}', 7, -32700),
    (b'{"id": 7, "x": 1e999}', 7, -32700),
    (b"[" * 100_000, None, -32700),
    (b'{"id": 8, "x": "\xff"}', 8, -32700),
]


@pytest.mark.parametrize(("line", "message_id", "code"), REFUSED)
def test_an_invalid_message_is_refused_with_its_id(line: bytes, message_id: Any, code: int) -> None:
    refusal = msgspec.json.decode(refuse(line))
    assert (refusal["id"], refusal["error"]["code"]) == (message_id, code)
    assert refusal["jsonrpc"] == "2.0" and "\n" not in refusal["error"]["message"]


def talk(
    *lines: bytes, offer: Offer = OWN_TOOLS
) -> tuple[list[Any], list[bytes | None], Bootstrap]:
    """Sends lines before the server is there. Returns the answers, what the server gets, and the
    bootstrap."""
    target, received = io.BytesIO(), list[bytes | None]()
    bootstrap = Bootstrap(io.BytesIO(b"".join(lines)), target, offer)
    until(lambda: None in bootstrap._kept, "the end of the lines")
    bootstrap.move_to(received.append)
    return [json.loads(line) for line in target.getvalue().splitlines()], received, bootstrap


def line(message: Any) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def test_discovery_is_answered_before_the_server_is_there() -> None:
    hello = line(request("initialize", HELLO, id=1))
    listing, call = line(request("tools/list", id=2)), line(request("tools/call", id=3))
    answers, received, bootstrap = talk(hello, b"\n", listing, call)
    assert [answer["id"] for answer in answers] == [1, 2]
    assert (
        answers[0]["result"]["protocolVersion"] == HANDSHAKES[0] and answers[1]["result"]["tools"]
    )
    assert received == [hello, call, None]
    assert not bootstrap.was_answered(2)
    assert bootstrap.was_answered(1) and not bootstrap.was_answered(1)


def test_without_an_answered_handshake_later_messages_keep_their_order() -> None:
    odd = line(request("initialize", HELLO | {"protocolVersion": 1}, id=1))
    listing = line(request("tools/list", id=2))
    modern = line(request("tools/list", {"_meta": META}, id=3))
    answers, received, _ = talk(odd, listing, modern)
    assert answers == [] and received == [odd, listing, modern, None]
    answers, received, _ = talk(modern)
    assert [answer["id"] for answer in answers] == [3] and received == [None]
    bad = line(request("tools/list", {"_meta": META}, id=1.5))
    answers, received, _ = talk(bad, b"{\n")
    assert answers == [] and received == [bad, b"{\n", None]


def test_a_line_longer_than_the_limit_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio_bootstrap, "LONGEST_BYTES", 10)
    fits, long, next_line = b"x" * 10 + b"\n", b"y" * 55 + b"\n", b"z\n"
    answers, received, _ = talk(fits, long, next_line, b"w" * 10)
    assert received == [fits, next_line, b"w" * 10, None]
    assert [answer["error"]["message"] for answer in answers] == [
        "the message is longer than 16 MiB"
    ]


def test_the_longest_line_has_16_mib() -> None:
    whole = b"x" * (16 * 1024 * 1024)
    answers, received, _ = talk(whole + b"\n", whole + b"y\n")
    assert [len(some or b"") for some in received] == [len(whole) + 1, 0] and len(answers) == 1


def test_messages_after_the_server_is_there_go_to_it_and_a_broken_pipe_is_the_end() -> None:
    is_there = threading.Event()

    class Source(io.BytesIO):
        n_read = 0

        def readline(self, size: Any = -1) -> bytes:
            self.n_read += 1
            if self.n_read == 2:
                assert is_there.wait(20.0)
            if self.n_read == 3:
                raise OSError
            return line(request("initialize", HELLO, id=self.n_read))

    target, received = io.BytesIO(), list[bytes | None]()
    bootstrap = Bootstrap(Source(), target, Offer())
    until(lambda: bootstrap._kept)
    bootstrap.move_to(received.append)
    is_there.set()
    until(lambda: None in received)
    assert len(received) == 3 and target.getvalue().count(b"\n") == 1
    target.close()
    bootstrap.write(b"to nobody")


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (20, "search: a pagination_id belongs to one query: send only that query"),
        (21, "search: 21 queries: at most 20 are answered per call"),
    ],
)
def test_a_call_has_twenty_queries_at_most(n: int, message: str) -> None:
    nothing: Any = None
    calls = SearchCalls(nothing)
    for queries in ({"queries": ["q"] * n}, {"query": "q", "queries": ["q"] * (n - 1)}):
        with pytest.raises(RequestError) as caught:
            calls.search({**queries, "pagination_id": "x"})
        assert str(caught.value) == message


Message = MutableMapping[str, Any]


def post(session: bytes, *bodies: Message, method: str = "POST") -> tuple[Message, Any]:
    """The scope of a request and its `receive`."""
    waiting = [*bodies]

    async def receive() -> Message:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    headers = [(b"mcp-session-id", session)] if session else []
    return {"type": "http", "method": method, "headers": headers}, receive


def body(data: bytes, more: bool = False) -> Message:
    return {"type": "http.request", "body": data, "more_body": more}


class App:
    """An application that reads its request and answers when it may."""

    def __init__(self, answers: bool = True) -> None:
        self.answers = answers
        self.bodies: list[bytes] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        data, is_whole = b"", False
        while not is_whole:
            message = await receive()
            if message["type"] != "http.request":
                break
            data += message["body"]
            is_whole = not message["more_body"]
        self.bodies.append(data)
        await self.may_answer.wait()
        if self.answers:
            await send({"type": "http.response.start", "status": 200})
            await send({"type": "http.response.body", "body": b"a", "more_body": True})
            await send({"type": "http.response.body", "body": b"b"})


async def statuses(ids: IdsInUse, *requests: tuple[Message, Any]) -> list[Any]:
    codes: list[Any] = []
    for scope, receive in requests:
        sent: list[Message] = []

        async def send(message: Message, sent: list[Message] = sent) -> None:
            sent.append(message)

        await ids(scope, receive, send)
        codes.append(sent[0]["status"] if sent else None)
        if sent and sent[0]["status"] == 400:
            refusal = json.loads(sent[1]["body"])
            assert refusal["error"] == {
                "code": -32600,
                "message": "the id of this request is in use: give each request of a session its own id",
            }
            headers = dict(sent[0]["headers"])
            assert headers[b"content-length"] == b"%d" % len(sent[1]["body"])
            assert headers[b"content-type"] == b"application/json"
    return codes


def test_an_id_is_in_use_until_its_answer_is_sent() -> None:
    async def check() -> None:
        app = App()
        ids = IdsInUse(app, 1000)
        one, text_one, two = (b'{"id": %b, "method": "m"}' % name for name in (b"1", b'"1"', b"2"))
        app.may_answer.clear()
        first = asyncio.ensure_future(statuses(ids, post(b"s", body(one))))
        while not app.bodies:
            await asyncio.sleep(0)
        app.may_answer.set()
        refused = await statuses(ids, post(b"s", body(one)), post(b"s", body(text_one)))
        assert refused == [400, 400]
        others = [
            post(b"s", body(two)),
            post(b"t", body(one)),
            post(b"", body(one)),
            post(b"s", body(one), method="GET"),
        ]
        assert await statuses(ids, *others) == [200] * 4
        assert await first == [200]
        assert await statuses(ids, post(b"s", body(one))) == [200]
        reserved = b'{"id": "_GET_stream", "method": "m"}'
        assert await statuses(ids, post(b"s", body(reserved))) == [400]
        for other in (
            b'{"id": 1}',
            b'{"method": "m"}',
            b"[]",
            b"{",
            b"[" * 500,
            b'{"id": 1.5, "method": "m"}',
        ):
            assert await statuses(ids, post(b"s", body(other)), post(b"s", body(other))) == [
                200,
                200,
            ]

    asyncio.run(check())


def test_the_id_of_a_request_that_fails_stays_in_use_for_a_minute() -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("broken")

    async def check() -> None:
        delays: list[Any] = []
        loop: Any = asyncio.get_running_loop()
        loop.call_later = lambda *call: delays.append(call)
        with pytest.raises(RuntimeError, match="broken"):
            await statuses(IdsInUse(fail, 1000), post(b"s", body(b'{"id": 1, "method": "m"}')))
        assert [seconds for seconds, *_ in delays] == [60.0]

    asyncio.run(check())


def test_the_id_of_a_client_that_left_stays_in_use_for_a_minute() -> None:
    async def check() -> None:
        delays: list[Any] = []
        loop: Any = asyncio.get_running_loop()
        loop.call_later = lambda *call: delays.append(call)
        app = App(answers=False)
        ids = IdsInUse(app, 1000)
        one = b'{"id": 1, "method": "m"}'
        assert await statuses(ids, post(b"s", body(one)), post(b"s", body(one))) == [None, 400]
        ((seconds, forget, argument),) = delays
        assert seconds == 60.0
        forget(argument)
        assert await statuses(ids, post(b"s", body(one))) == [None]

    asyncio.run(check())


def test_the_application_receives_each_body_as_it_was_sent() -> None:
    async def check() -> None:
        app = App()
        one = b'{"id": 1, "method": "m"}'
        limited = IdsInUse(app, len(one))
        await statuses(limited, post(b"s", body(one[:5], True), body(one[5:])))
        await statuses(limited, post(b"s", body(one, True), body(b" rest")))
        await statuses(limited, post(b"s", body(one + b" ", True), body(b"rest")))
        await statuses(limited, post(b"s", body(one, True), {"type": "http.disconnect"}))
        assert app.bodies == [one, one + b" rest", one + b" rest", one]

    asyncio.run(check())


GOOD = {"host": "localhost:8000", "authorization": "Bearer secret"}
HEADERS: list[tuple[dict[str, str | list[str]], int]] = [
    ({}, 200),
    ({"origin": "http://localhost:1"}, 200),
    ({"host": "[::1]:65535"}, 200),
    ({"authorization": "Bearer other"}, 401),
    ({"authorization": []}, 401),
    ({"authorization": ["Bearer secret", "Bearer secret"]}, 400),
    ({"host": "a@b"}, 421),
    ({"host": "localhost:123456"}, 421),
    ({"origin": "null"}, 403),
    ({"origin": "http://a b"}, 403),
    ({"content-length": "1"}, 200),
    ({"transfer-encoding": "chunked"}, 200),
    ({"content-length": "1", "transfer-encoding": "chunked"}, 400),
    ({"x": ["1", "2"]}, 200),
]


@pytest.mark.parametrize(("changed", "status"), HEADERS)
def test_which_headers_a_request_may_have(changed: dict[str, str | list[str]], status: int) -> None:
    accepted: list[str] = []

    async def check() -> list[Message]:
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        headers = [
            (name.encode(), value.encode())
            for name, values in ({**GOOD} | changed).items()
            for value in ([values] if isinstance(values, str) else values)
        ]
        scope = {
            "type": "http",
            "headers": headers,
            "state": {"symindex.accept": lambda: accepted.append("yes")},
        }
        _, receive = post(b"", body(b"x"))
        await _Guard(App(), "secret")(scope, receive, send)
        return sent

    sent = asyncio.run(check())
    assert sent[0]["status"] == status
    assert accepted == (["yes"] if status == 200 else [])
    if status != 200:
        headers = dict(sent[0]["headers"])
        assert headers[b"connection"] == b"close" and headers[b"content-type"] == b"text/plain"
        assert headers[b"content-length"] == b"%d" % len(sent[1]["body"])
        assert (headers.get(b"www-authenticate") == b"Bearer") is (status == 401)


def test_a_guard_without_a_token_asks_for_none_and_passes_other_events_on() -> None:
    async def check() -> None:
        app, sent = App(), list[Message]()

        async def send(message: Message) -> None:
            sent.append(message)

        scope: Any = {"type": "lifespan"}
        await _Guard(app, "")(scope, post(b"", body(b"1"))[1], send)
        scope = {
            "type": "http",
            "headers": [(b"host", b"h")],
            "state": {"symindex.accept": lambda: None},
        }
        await _Guard(app, "")(scope, post(b"", body(b"2"))[1], send)
        assert app.bodies == [b"1", b"2"]

    asyncio.run(check())


@pytest.mark.nightly
def test_a_body_that_does_not_arrive_in_time_counts_as_a_client_that_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def check() -> None:
        monkeypatch.setattr(slow_bodies, "BODY_SECONDS", 0.02)
        waiting = [body(b"a", True)]

        async def receive() -> Message:
            if waiting:
                return waiting.pop(0)
            await asyncio.sleep(0.5)
            return {"type": "late"}

        timed = slow_bodies.in_time(receive)
        assert (await timed())["body"] == b"a"
        assert await timed() == {"type": "http.disconnect"}
        waiting.append(body(b"b"))
        timed = slow_bodies.in_time(receive)
        assert (await timed())["body"] == b"b"
        assert await timed() == {"type": "late"}  # after the body, an answer may take long

    asyncio.run(check())


def test_hosts_and_origins_are_those_that_were_named() -> None:
    settings = _security(["a.example", "::1", "[::2]"])
    assert settings.allowed_hosts == [
        "a.example", "a.example:*", "[::1]", "[::1]:*", "[::2]", "[::2]:*"
    ]  # fmt: skip
    assert settings.allowed_origins[:4] == [
        "http://a.example", "http://a.example:*", "https://a.example", "https://a.example:*"
    ]  # fmt: skip
    assert len(settings.allowed_origins) == 12


@given(st.integers(0, 40), st.integers(1, 60), st.integers(1, 50))
def test_a_page_fits_its_budget_or_has_one_row(n_rows: int, room: int, most: int) -> None:
    asked: list[int] = []

    def ask(n_items: int) -> Any:
        asked.append(n_items)
        return SimpleNamespace(
            files=[SimpleNamespace(items=["word"] * min(n_rows, n_items))],
            notices=[f"notice {len(asked)}", "both"],
        )

    def write(page: Any) -> str:
        return "word " * len(page.files[0].items)

    page, text = fitted_pages.fit(ask, write, room, most)
    assert text == write(page) and asked[0] == most
    first = min(n_rows, most)
    cost = estimate_tokens("word " * first)
    if cost <= room or first <= 1:
        assert asked == [most] and page.notices == ["notice 1", "both"]
    else:
        assert asked[1:] == [max(first * room // cost, 1)]
        assert page.notices == ["notice 1", "both", "notice 2"]


def test_how_many_rows_are_looked_at_first() -> None:
    assert [fitted_pages._first_references(None, room) for room in (0, 39, 40, 79, 80)] == [
        1,
        1,
        1,
        1,
        2,
    ]
    assert fitted_pages._first_references(7, 1) == 7
