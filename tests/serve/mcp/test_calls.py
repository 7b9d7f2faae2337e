"""What a call of a tool asks of the workspace: budgets, shares, limits and how long it waits; the
server's turns and progress; the limits of an HTTP connection by a clock that the test sets."""

import asyncio
import errno
import gc
import json
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h11
import msgspec
import pytest
from msgspec import UNSET

from symindex.cancellation import NotWantedError
from symindex.dialects.throttle import Throttle, Turn
from symindex.editor.merged_view import Folder
from symindex.errors import RequestError
from symindex.protocol.changes import ChangedFile, ChangedRequest, ChangedResponse
from symindex.protocol.fetch import FetchResponse
from symindex.protocol.freshness import SOON
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.serve import listening, slow_bodies, uvicorn_limits
from symindex.serve.mcp import fitted_pages, http, run, server, transport
from symindex.serve.mcp.answers import LEAST_TOKENS, ToolAnswer
from symindex.serve.mcp.client_profiles import OWN_TOOLS, Offer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.search_calls import SearchCalls, _freshness
from symindex.serve.mcp.tools import TOOLS, WRITE_TOOLS
from symindex.text.token_budget import MOST_TOKENS, estimate_tokens
from symindex.workspace.answers import search_plan
from tests.support.files import write_files
from tests.support.followed import indexed_tree
from tests.support.waiting import until


class Asked:
    """A workspace that notes each request and its options, and answers with `answer`."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.requests: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.folders = SimpleNamespace(check_any_there=lambda: None)
        self.source = SimpleNamespace(is_folder=lambda path: path in ("", "src"), shown_paths=list)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*arguments: Any, **options: Any) -> Any:
            self.requests.append((name, arguments, options))
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return ask


@pytest.fixture
def asked() -> Iterator[tuple[ToolHandlers, Asked]]:
    made = ToolHandlers([], None)
    workspace = Asked(RequestError("no answer"))
    own = made.workspace
    made.workspace = workspace  # type: ignore[assignment]
    made.answers = workspace  # type: ignore[assignment]
    made._searches = SearchCalls(workspace)  # type: ignore[arg-type]
    yield made, workspace
    own.close()


OUTLINES: list[tuple[dict[str, Any], str, Any, dict[str, Any]]] = [
    ({}, "map", "", {"focus": [], "max_tokens": 1_920}),
    ({"path": "src", "max_tokens": 500}, "map", "src", {"focus": [], "max_tokens": 420}),
    ({"path": ["a.py", "b.py"], "focus": "x"}, "map", ["a.py", "b.py"], {"focus": ["x"], "max_tokens": 1_920}),
    ({"path": "a.py"}, "outline", "a.py", {"depth": None, "kinds": None, "max_tokens": 2_000}),
    ({"path": "src", "depth": 2}, "outline", "src", {"depth": 2, "kinds": None, "max_tokens": 2_000}),
    ({"path": "src", "kinds": ["class"]}, "outline", "src", {"depth": None, "kinds": ["class"], "max_tokens": 2_000}),
    ({"path": ["src", "b.py"]}, "outline", ["src", "b.py"], {"depth": None, "kinds": None, "max_tokens": 2_000}),
    ({"path": "src", "signatures": True}, "outline", "src", {"include": ["signature"], "max_tokens": 2_000}),
    ({"path": "src", "signatures": False}, "map", "src", {"max_tokens": 1_920}),
    ({"since": "HEAD"}, "changed", "HEAD", {"path": "", "tests": False, "max_items": 333}),
    ({"since": "v1", "path": "src", "tests": True, "max_tokens": 10}, "changed", "v1", {"path": "src", "tests": True, "max_items": 16}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OUTLINES)))
def test_what_an_outline_asks_for(number: int, asked: tuple[ToolHandlers, Asked]) -> None:
    handlers, workspace = asked
    given, method, first, options = OUTLINES[number]
    answer = handlers.answer("outline", given, threading.Event())
    assert answer == ToolAnswer("no answer", is_error=True)
    ((name, arguments, asked_with),) = workspace.requests
    assert (name, arguments) == (method, (first,))
    assert {option: asked_with[option] for option in options} == options
    assert asked_with["freshness"] == SOON


CALLS: list[tuple[str, dict[str, Any], str, dict[str, Any], dict[str, Any]]] = [
    ("hierarchy", {"symbol": "A", "depth": 3}, "hierarchy", {}, {"depth": 3, "seconds": 10.0}),
    ("hierarchy", {"symbol": "A"}, "hierarchy", {}, {"seconds": 10.0}),
    ("references", {"name": "a"}, "references", {"name": "a", "max_items": 50}, {"seconds": 10.0}),
    ("references", {"name": "a", "max_items": 7}, "references", {"max_items": 7}, {"seconds": 10.0}),
    ("references", {"name": "a", "in": "code"}, "grep", {"pattern": "a", "where": "code", "regex": False, "ignore_case": False}, {"seconds": 10.0}),
    ("references", {"name": "a", "regex": True}, "grep", {"where": "all", "regex": True}, {"seconds": 10.0}),
    ("references", {"name": "a", "ignore_case": True}, "grep", {"ignore_case": True}, {"seconds": 10.0}),
    ("references", {"name": "a", "regex": False, "ignore_case": False}, "references", {}, {}),
    ("symbol", {"symbol": "A", "max_tokens": 300}, "symbol", {}, {"max_tokens": 300}),
    ("symbol", {"symbol": "A", "path": ["x"], "lines": "1-2", "siblings": True}, "symbol", {}, {"path": ["x"], "lines": "1-2", "siblings": True}),
    ("symbol", {"symbol": "A", "code": False, "history": True}, "symbol", {}, {"code": False, "history": True}),
    ("symbol", {"symbol": "a\nb"}, "trace", {}, {}),
    ("symbol", {"symbol": "\na\n"}, "symbol", {}, {}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_what_other_tools_ask_for(number: int, asked: tuple[ToolHandlers, Asked]) -> None:
    handlers, workspace = asked
    tool, given, method, fields, options = CALLS[number]
    assert handlers.answer(tool, given, threading.Event()).is_error
    name, arguments, asked_with = workspace.requests[0]
    assert name == method
    for field, value in fields.items():
        assert getattr(arguments[0], field) == value
    assert {option: asked_with[option] for option in options} == options
    assert asked_with["freshness"] == SOON


def test_several_symbols_share_the_budget(
    asked: tuple[ToolHandlers, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one does not need goes to the next ones; each has a hundred tokens at least."""
    handlers, _ = asked
    shares: list[int] = []

    def one(symbol: str, arguments: Any, budget: int) -> ToolAnswer:
        shares.append(budget)
        if symbol == "c":
            raise RequestError("not there")
        return ToolAnswer("word " * (30 if symbol == "a" else 700), symbol)

    monkeypatch.setattr(handlers, "_one_symbol", one)
    given = {"symbol": "a", "symbols": ["b", "c", "d"], "max_tokens": 800}
    answer = handlers.answer("symbol", given, threading.Event())
    assert shares == [200, (800 - 30) // 3, LEAST_TOKENS, LEAST_TOKENS]
    assert answer.data == {"batch": ["a", "b", None, "d"]} and not answer.is_error
    assert "# Symbol: `c`\n> not there\n" in answer.text
    shares.clear()
    assert handlers.answer("symbol", {"symbols": ["x"]}, threading.Event()).data == "x"
    assert shares == [2_000]
    for count, message in ((20, ""), (21, "symbol: 21 symbols: at most 20 are shown per call")):
        answer = handlers.answer("symbol", {"symbols": ["x"] * count}, threading.Event())
        assert answer.is_error is bool(message) and message in answer.text


def test_an_item_is_cut_to_its_budget_and_says_so(
    asked: tuple[ToolHandlers, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers, workspace = asked
    monkeypatch.setattr(
        "symindex.serve.mcp.reading_handlers.render_fetch", lambda item: item.content
    )
    for n_words, room, n_kept in (
        (90, 250, 90),
        (100, 250, 100),
        (101, 250, 100),
        (101, 100, 100),
        (900, 350, 200),
    ):
        item = FetchResponse(
            item_type="skill", item_id="a", content="word " * n_words, metadata={}, path="", source="project",
            digest="", integrity=None,  # type: ignore[arg-type]
        )  # fmt: skip
        workspace.answer = item
        answer = handlers._item("a", room)
        assert answer is not None and estimate_tokens(answer.text) == n_kept
        n_characters = len(item.content)
        cut = f"showing {n_characters:,} of {5 * n_words:,} characters; increase max_tokens to see more"
        assert item.notices == (UNSET if n_kept == n_words else [cut])
        assert answer.data == {"symbol": None, "others": [], "total": 1, "item": item}


@pytest.mark.parametrize(
    ("text", "item_type", "item_id"),
    [
        ("skill:a", "skill", "a"),
        (" skill:a:b ", "skill", "a:b"),
        ("a/b:c", None, "a/b:c"),
        ("skill:", None, "skill:"),
        ("a", None, "a"),
    ],
)
def test_the_item_that_a_text_names(
    text: str, item_type: str | None, item_id: str, asked: tuple[ToolHandlers, Asked]
) -> None:
    handlers, workspace = asked
    assert handlers._item(text, 500) is None
    ((_, (request,), options),) = workspace.requests
    assert (request.item_type, request.item_id) == (item_type, item_id)
    assert options == {"freshness": SOON}


def turn(number: int = 4, most: int | None = 1, is_refused: bool = False) -> Turn:
    return Turn(number, 8, 60, most=most, is_refused=is_refused)


def test_the_turn_of_a_search_is_in_its_answer(
    asked: tuple[ToolHandlers, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers, _ = asked
    given: list[Any] = []

    def search(arguments: Any) -> ToolAnswer:
        given.append(arguments.get("max_items"))
        return ToolAnswer("text\n\n", {"items": []})

    monkeypatch.setitem(handlers._tools, "search", search)
    for most, sent, read in (
        (1, {}, 1),
        (1, {"max_items": 5}, 1),
        (5, {"max_items": 2}, 2),
        (None, {}, None),
    ):
        answer = handlers.answer(
            "search", {"query": "a", **sent}, threading.Event(), turn(most=most)
        )
        notice = turn(most=most).told
        assert answer == ToolAnswer(f"text\n\n> {notice}\n", {"items": [], "throttle": notice})
        assert given.pop() == read
    answer = handlers.answer("search", {"query": "a"}, threading.Event(), turn(9, is_refused=True))
    assert answer.is_error and answer.text == turn(9, is_refused=True).told and not given
    assert handlers.answer("search", {"query": "a"}, threading.Event()).text == "text\n\n"


def test_which_calls_are_counted(asked: tuple[ToolHandlers, Asked]) -> None:
    handlers, _ = asked
    throttle = Throttle({"SYMINDEX_SEARCH_BLOCK_AFTER": "1"})
    counted = [handlers.turn(throttle, tool, "c") for tool in ("search", "symbol", "search")]
    assert [some and some.is_refused for some in counted] == [False, None, True]


@pytest.mark.parametrize(
    ("query", "given", "seconds"),
    [
        ("Cart", {}, 6.0),
        (" Cart.add ", {}, 6.0),
        ("a::b#c->d/e?", {}, 6.0),
        ("two words", {}, 0.0),
        ("Cart*", {}, 0.0),
        ("", {}, 0.0),
        ("Cart", {"phrasings": ["x"]}, 10.0),
    ],
)
def test_how_long_a_query_waits_for_the_first_index(
    query: str, given: dict[str, Any], seconds: float
) -> None:
    assert _freshness(query, given) == SOON._replace(first_index=seconds)


def test_queries_share_the_budget_until_it_is_used_up(
    asked: tuple[ToolHandlers, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers, _ = asked
    searches = handlers._searches
    shares: list[tuple[str, int, float]] = []
    lengths = {"a": 60, "b": 100, "c": 120}

    def one(query: str, arguments: Any, budget: int, freshness: Any = SOON) -> Any:
        shares.append((query, budget, freshness.first_index))
        if query not in lengths:
            raise RequestError("no answer")
        return {"query": query}, "word " * lengths[query]

    monkeypatch.setattr(searches, "_search_one", one)
    answer = searches.search(
        {"queries": ["a", "b", "c", "d", "e"], "max_tokens": 350, "kinds": ["class"]}
    )
    assert shares == [("a", 100, 0.0), ("b", 100, 10.0), ("c", 100, 0.0)]
    assert [part["query"] for part in answer.data["batch"]] == ["a", "b", "c"]
    assert "> Not answered for lack of space: 2 queries. Ask again: " in answer.text
    assert '"queries": ["d", "e"]' in answer.text and '"max_tokens": 350' in answer.text
    assert not answer.is_error
    answer = searches.search({"query": "a", "queries": ["x"]})
    assert answer.data["batch"][1] == {"request": {"query": "x"}, "error": "no answer"}
    assert "query 2 of 2: no answer" in answer.text and not answer.is_error
    assert shares[3:] == [("a", 1_000, 0.0), ("x", 1_940, 10.0)]
    for queries in (["x"], ["x", "y"]):
        with pytest.raises(RequestError, match=r"^no answer$"):
            searches.search({"queries": queries})
    shares.clear()
    assert searches.search({"queries": ["a"], "pagination_id": "t"}).data["batch"]
    assert shares == [("a", 2_000, 0.0)]


def test_a_question_has_as_many_characters_as_its_budget_has_room_for(
    asked: tuple[ToolHandlers, Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers, workspace = asked
    tried: list[tuple[int, int | None]] = []

    def render(_: object) -> str:
        request = workspace.requests[-1][1][0]
        tried.append((request.max_characters, request.limit))
        return "word " * request.max_characters

    workspace.answer = "response"
    monkeypatch.setattr("symindex.serve.mcp.search_calls.render_text_search", render)
    answer = handlers._searches.search_text({"query": "why", "max_tokens": 200}, 3)
    assert [n for n, _ in tried] == [600, 300, 150]
    assert tried[0][1] == 3 and estimate_tokens(answer.text) == 150
    tried.clear()
    handlers._searches.search_text({"query": "why", "max_items": 2}, 3)
    assert tried[0][1] == 2
    monkeypatch.setattr(
        "symindex.serve.mcp.search_calls.render_text_search",
        lambda some: render(some) + "word " * 999,
    )
    tried.clear()
    answer = handlers._searches.search_text({"query": "why", "max_tokens": 200}, None)
    assert [n for n, _ in tried] == [600, 300, 150] and estimate_tokens(answer.text) == 200


def changes(*counts: int) -> ChangedResponse:
    symbols: list[Any] = [[f"s{n}" for n in range(count)] for count in counts]
    files = [
        ChangedFile(file_path=f"f{number}.py", status="changed", symbols=names)
        for number, names in enumerate(symbols)
    ]
    total = sum(counts)
    return ChangedResponse(
        request=ChangedRequest(since="HEAD"), commit="c", files=files, total=total
    )


@pytest.mark.parametrize(
    ("most", "counts"),
    [(0, []), (1, [1]), (2, [2]), (3, [2, 1]), (5, [2, 3]), (6, [2, 3, 1]), (9, [2, 3, 1])],
)
def test_the_first_changed_symbols(most: int, counts: list[int]) -> None:
    cut = fitted_pages._with_symbols(changes(2, 3, 1), most)
    assert [len(file.symbols) for file in cut.files] == counts


@pytest.mark.parametrize("room", [1, 3, 7, 10, 40, 61, 1_000])
def test_changes_are_cut_until_they_fit(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One symbol is shown in any case; the budget that is proposed has room for all."""
    proposed: list[int] = []

    def render(response: ChangedResponse, hints: object, max_tokens: int = 0) -> str:
        if max_tokens:
            proposed.append(max_tokens)
        return "word " * (1 + 3 * sum(len(file.symbols) for file in response.files))

    monkeypatch.setattr(fitted_pages, "render_changed", render)
    response, text = fitted_pages.fit_changed(changes(8, 12), room, None)  # type: ignore[arg-type]
    n_shown = sum(len(file.symbols) for file in response.files)
    assert text == render(response, None)
    assert estimate_tokens(text) <= room or n_shown == 1
    assert n_shown == 20 if room >= 61 else n_shown < 20
    assert len({*proposed}) == 1 and proposed[0] == min(61 * 20 * 3 // 40 + 100, MOST_TOKENS)


def test_tools_that_write_say_so() -> None:
    assert [tool["annotations"]["readOnlyHint"] for tool in TOOLS] == [True] * len(TOOLS)
    assert [tool["annotations"]["readOnlyHint"] for tool in WRITE_TOOLS] == [False, False]
    assert not any(tool["annotations"]["openWorldHint"] for tool in TOOLS + WRITE_TOOLS)


def context(session_id: str = "", address: Any = ("h", 5), name: str | None = "claude") -> Any:
    request = SimpleNamespace(
        headers={"mcp-session-id": session_id} if session_id else {},
        client=SimpleNamespace(host=address[0], port=address[1]) if address else None,
    )
    client = SimpleNamespace(client_info=SimpleNamespace(name=name)) if name is not None else None
    return SimpleNamespace(request=request, session=SimpleNamespace(client_params=client))


def test_what_distinguishes_the_clients_of_a_server() -> None:
    assert server._connection(context("s")) == "s"
    assert server._connection(context()) == "h:5"
    assert server._connection(context(address=None)) == ""
    assert server._connection(SimpleNamespace(request=None)) == ""  # type: ignore[arg-type]
    assert server._client(context()) == "claude" and server._client(context(name=None)) == ""


def test_progress_is_told_when_there_is_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every half second, and only if more files were read."""
    states = [None, (0, 0), (0, 9), (4, 9), (4, 9), (9, 9)]
    reports: list[tuple[float, float | None]] = []
    waits: list[float] = []

    class Session:
        async def report_progress(self, done: float, total: float | None, _: str) -> None:
            reports.append((done, total))

    class Folders:
        @property
        def progress(self) -> Any:
            return states.pop(0)

    async def check() -> ToolAnswer:
        work: asyncio.Future[ToolAnswer] = asyncio.get_running_loop().create_future()

        async def wait(tasks: Any, timeout: float) -> Any:
            waits.append(timeout)
            if not states:
                work.set_result(ToolAnswer("done"))
            return ({work} if work.done() else set()), set()

        monkeypatch.setattr(asyncio, "wait", wait)
        some: Any = SimpleNamespace(session=Session())
        return await server._with_progress(work, Folders(), some)  # type: ignore[arg-type]

    assert asyncio.run(check()) == ToolAnswer("done")
    assert reports == [(0, None), (4, 9), (9, 9)] and {*waits} == {0.5}


@pytest.mark.parametrize(
    ("tool", "most"), [("references", 3), ("add", 2), ("search", 16), ("symbol", 16)]
)
def test_so_many_calls_of_a_tool_run_at_the_same_time(tool: str, most: int) -> None:
    may_end, lock = threading.Event(), threading.Lock()
    running: list[str] = []

    class Handlers:
        workspace = SimpleNamespace(folders=SimpleNamespace(progress=None))

        def turn(self, *_: object) -> None: ...

        def answer(self, name: str, *_: object) -> ToolAnswer:
            with lock:
                running.append(name)
            may_end.wait(20)
            return ToolAnswer("done", {"x": 1})

    async def check() -> list[Any]:
        made: Any = server.make_server(Handlers(), Offer("always"))  # type: ignore[arg-type]
        handler = made.get_request_handler("tools/call").handler
        params = SimpleNamespace(name=tool, arguments={})
        calls = [asyncio.ensure_future(handler(context(), params)) for _ in range(most + 2)]
        try:
            await asyncio.to_thread(until, lambda: len(running) >= most, "calls", 20.0)
            await asyncio.sleep(0.02)
            assert len(running) == most
        finally:
            may_end.set()
        return await asyncio.gather(*calls)

    answers = asyncio.run(check())
    assert len(answers) == most + 2 and answers[0].structured_content == {"x": 1}


def test_garbage_is_collected_again_after_loading() -> None:
    with run._without_collecting():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), run._without_collecting():
        raise KeyError
    assert gc.isenabled()
    gc.unfreeze()


def test_only_faults_of_the_sdk_are_logged() -> None:
    from starlette.requests import ClientDisconnect

    def record(error: Exception | None) -> logging.LogRecord:
        info = (type(error), error, None) if error is not None else None
        return logging.LogRecord("x", logging.ERROR, "f", 1, "m", None, info)

    assert [http._is_fault(record(error)) for error in (None, KeyError(), ClientDisconnect())] == [
        True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("host", "hosts", "message"),
    [
        ("0.0.0.0", [], "--http 0.0.0.0: use --allowed-host to name the host that clients use"),
        ("", [], "--http : use --allowed-host to name the host that clients use"),
        ("::", ["a.example"], ""),
        ("127.0.0.1", [], ""),
    ],
)
def test_a_server_on_every_address_needs_the_name_of_its_host(
    host: str, hosts: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listen(*_: object) -> Any:
        raise RequestError("listens")

    monkeypatch.setattr(listening, "listen", listen)
    monkeypatch.setattr(listening, "take_token", lambda _: "t" * 20)
    with pytest.raises(RequestError) as caught:
        http.run_http(host, 0, hosts, [], None, OWN_TOOLS)
    assert str(caught.value) == (message or "listens")


def test_a_body_has_a_thousand_chunks_at_most() -> None:
    def read(n_chunks: int) -> Any:
        connection = uvicorn_limits._CountingConnection(h11.SERVER)
        head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.receive_data(head + b"1\r\na\r\n" * n_chunks + b"0\r\n\r\n")
        while not isinstance(connection.next_event(), h11.EndOfMessage):
            pass
        return connection

    connection = read(1_000)
    with pytest.raises(h11.RemoteProtocolError, match="a body has more than 1,000 chunks"):
        read(1_001)
    connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
    connection.send(h11.EndOfMessage())
    connection.start_next_cycle()
    connection.receive_data(
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
    )
    assert isinstance(connection.next_event(), h11.Request)
    connection.next_event()
    assert connection._n_chunks == 1  # each request has its own count


@pytest.mark.parametrize(
    ("error", "is_short"),
    [
        (errno.EMFILE, True),
        (errno.ENFILE, True),
        (errno.ENOBUFS, True),
        (errno.ENOMEM, True),
        (errno.EPERM, False),
    ],
)
def test_a_lack_of_resources_is_logged_on_one_line(
    error: int, is_short: bool, caplog: pytest.LogCaptureFixture
) -> None:
    passed: list[Any] = []
    loop: Any = SimpleNamespace(default_exception_handler=passed.append)
    caplog.set_level(logging.WARNING, "symindex.mcp")
    uvicorn_limits._tell(loop, {"exception": OSError(error, "why")})
    assert bool(caplog.messages) is is_short and bool(passed) is not is_short
    if is_short:
        assert caplog.messages == ["cannot accept a connection: why"]
    uvicorn_limits._tell(loop, {"message": "other"})
    assert passed[-1] == {"message": "other"}


class Timer:
    def __init__(self, seconds: float, function: Callable[[], object]) -> None:
        self.seconds, self.function, self.is_cancelled = seconds, function, False

    def cancel(self) -> None:
        self.is_cancelled = True


class Transport:
    """A connection that notes what happens to it."""

    def __init__(self) -> None:
        self.is_aborted, self.size = False, 0

    def abort(self) -> None:
        self.is_aborted = True

    def get_write_buffer_size(self) -> int:
        return self.size


def protocol() -> tuple[Any, Transport, list[Timer]]:
    timers: list[Timer] = []

    def call_later(seconds: float, function: Callable[[], object]) -> Timer:
        timers.append(Timer(seconds, function))
        return timers[-1]

    made: Any = object.__new__(uvicorn_limits.LimitedProtocol)
    transport = Transport()
    made.loop = SimpleNamespace(call_later=call_later)
    made.transport, made._patience, made._taking = transport, None, None
    return made, transport, timers


def test_a_client_has_ten_seconds_for_a_header() -> None:
    made, transport, timers = protocol()
    made._wait_for_header()
    made._wait_for_header()
    assert [timer.seconds for timer in timers] == [listening.HEADER_SECONDS] * 2
    assert [timer.is_cancelled for timer in timers] == [True, False]
    timers[1].function()
    assert transport.is_aborted


def test_a_client_that_reads_nothing_of_its_answer_for_a_minute_is_dropped() -> None:
    made, transport, timers = protocol()
    transport.size = 50
    made._watch_taking(100)
    timers[0].function()
    assert not transport.is_aborted and len(timers) == 2
    timers[1].function()  # 50 as before
    assert transport.is_aborted and [timer.seconds for timer in timers] == [60.0, 60.0]


def test_the_configuration_of_the_http_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy is believed, and nobody waits longer than a client may take."""
    for most, backlog in ((256, 32), (4, 1)):
        monkeypatch.setattr(
            listening, "most_connections", lambda asked, most=most: min(asked, most)
        )
        configured = uvicorn_limits.configure(None, "A_TOKEN")
        assert (configured.proxy_headers, configured.access_log) == (False, False)
        assert (configured.backlog, configured.timeout_graceful_shutdown) == (backlog, 4)
        made: Any = configured.http
        assert made.args[0].most == most and made.args[1] == "A_TOKEN"


def test_pages_of_a_real_tree_fit_their_budget(tmp_path: Path) -> None:
    tree = indexed_tree(
        write_files(
            tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(60))}
        ),
        tmp_path / "index",
    )
    handlers = ToolHandlers([], None)
    handlers.workspace.folders.all = (Folder(tree.root, tree.root, "tree", tree),)
    try:
        for more, shown in (({}, 15), ({"max_items": 40}, 40), ({"max_items": 3}, 3)):
            answer = handlers.answer("search", {"query": "wanted", **more}, threading.Event())
            assert isinstance(answer.data, SearchResponse)
            assert answer.data.items is not None and len(answer.data.items) <= shown
        seen: list[str] = []
        given: dict[str, Any] = {"query": "wanted", "max_items": 60, "max_tokens": 400}
        while True:
            answer = handlers.answer("search", given, threading.Event())
            assert estimate_tokens(answer.text) <= 400 and answer.data.items
            seen += [row.name for row in answer.data.items]
            if not answer.data.pagination_id:
                break
            given["pagination_id"] = answer.data.pagination_id
        assert sorted(seen) == sorted(f"wanted_{i}" for i in range(60))
        # Of the rows of a page, as many fit as a page of so many rows has room for.
        plan = handlers.workspace.source.plan(SearchRequest(query="wanted", max_items=60))
        page = search_plan(handlers.workspace, plan)
        for room in (1, 100, 150, 151, 152, 300, 5_000):
            count = fitted_pages._how_many_fit(page, plan, room)

            def cost(n_rows: int) -> int:
                shown = msgspec.structs.replace(page, items=page.items[:n_rows], total=61)
                return estimate_tokens(fitted_pages._rendered(shown, plan))

            spread = fitted_pages.TOKEN_SPREAD
            assert count == 1 or cost(count) <= room - spread + 4
            assert count == 60 or cost(count + 1) > 0.8 * (room - spread)
    finally:
        handlers.close()


def test_a_server_without_its_own_tools_names_those_that_it_has() -> None:
    handlers = ToolHandlers([], None, Offer(has_own=False))
    try:
        answer = handlers.answer("x" * 101, {}, threading.Event())
        assert answer.is_error and "x" * 100 in answer.text and "x" * 101 not in answer.text
    finally:
        handlers.close()


@pytest.mark.parametrize(
    ("error", "text"),
    [(NotWantedError(), "the call was cancelled"), (None, "done")],
)
def test_a_call_that_nobody_wants_any_more_is_an_error(error: Any, text: str) -> None:
    class Handlers:
        workspace = SimpleNamespace(folders=SimpleNamespace(progress=None))

        def turn(self, *_: object) -> None: ...

        def answer(self, *_: object) -> ToolAnswer:
            if error is not None:
                raise error
            return ToolAnswer("done", {"x": 1})

    made: Any = server.make_server(Handlers(), Offer("auto"))  # type: ignore[arg-type]
    call = made.get_request_handler("tools/call").handler
    params = SimpleNamespace(name="search", arguments={})
    for client, data in (("claude-code", None), ("other", {"x": 1})):
        answer = asyncio.run(call(context(name=client), params))
        assert answer.is_error is (error is not None) and answer.content[0].text == text
        assert answer.structured_content == (data if error is None else None)


def test_a_message_that_cannot_be_encoded_is_an_error_of_its_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Message:
        id = 5

        def model_dump_json(self, **_: object) -> str:
            raise ValueError("half a pair")

    message: Any = Message()
    assert json.loads(transport._encoded(message)) == {
        "jsonrpc": "2.0",
        "id": 5,
        "error": {
            "code": -32603,
            "message": "internal error: the answer cannot be encoded as JSON",
        },
    }
    assert "cannot send a message" in caplog.text


def test_a_request_with_an_invalid_id_is_not_taken_for_a_notification() -> None:
    message = transport._read(b'{"jsonrpc": "2.0", "method": "m"}')
    assert getattr(message, "method", "") == "m"
    for line in (b'{"jsonrpc": "2.0", "id": 1.5, "method": "m"}', b"{"):
        with pytest.raises(ValueError):
            transport._read(line)


@pytest.mark.parametrize("fails", [False, True])
def test_a_server_that_ends_waits_for_its_trees_a_while(
    fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that closes them keeps the process from ending no longer than that."""
    waited: list[tuple[bool, float]] = []
    closed: list[str] = []

    class Thread(threading.Thread):
        def join(self, timeout: float | None = None) -> None:
            waited.append((self.daemon, timeout or 0.0))
            super().join(timeout)

    class Handlers:
        def __init__(self, *_: object) -> None: ...

        def close(self) -> None:
            closed.append("closed")

    def run_until_stopped(work: Any) -> int:
        work.close()
        if fails:
            raise KeyError
        return 0

    monkeypatch.setattr(transport, "make_handlers", Handlers)
    monkeypatch.setattr(transport, "run_until_stopped", run_until_stopped)
    for name in ("set_up_logging", "ignore_signals"):
        monkeypatch.setattr(transport, name, lambda *_: None)
    monkeypatch.setattr(transport, "tell_fault", lambda _: 7)
    monkeypatch.setattr(transport.threading, "Thread", Thread)
    bootstrap: Any = None
    assert transport.run_stdio(bootstrap, [], None, OWN_TOOLS) == (7 if fails else 0)
    assert closed == ["closed"] and waited == [(True, 5.0)]


def test_connections_that_are_open_when_a_server_stops_are_ended() -> None:
    aborted: list[int] = []
    made: Any = object.__new__(uvicorn_limits.LimitedServer)

    class Connection:
        def __init__(self, number: int) -> None:
            self.transport = SimpleNamespace(abort=lambda: aborted.append(number))

    made.server_state = SimpleNamespace(connections=[Connection(1), Connection(2)])
    made._hang_up()
    assert aborted == [1, 2]


def test_what_an_http_server_allows_and_how_it_greets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options: dict[str, Any] = {}
    ended: list[Any] = []

    class Bound:
        def __enter__(self) -> Any:
            return SimpleNamespace(getsockname=lambda: ("::1", 8123))

        def __exit__(self, *_: object) -> None: ...

    class Server:
        def __init__(self, configured: Any) -> None:
            ended.append(configured)

        def run(self, sockets: Any) -> None:
            ended.append(len(sockets))

    handlers = SimpleNamespace(close=lambda: ended.append("closed"))
    app = SimpleNamespace(streamable_http_app=lambda **given: options.update(given))
    monkeypatch.setattr(listening, "listen", lambda *_: Bound())
    monkeypatch.setattr(listening, "take_token", lambda _: "")
    monkeypatch.setattr(http, "make_handlers", lambda *_: handlers)
    monkeypatch.setattr(http, "make_server", lambda *_: app)
    monkeypatch.setattr(http, "LimitedServer", Server)
    monkeypatch.setattr(http, "set_up_logging", lambda _: None)
    monkeypatch.setattr(http, "configure", lambda _, token_variable: bool(token_variable))
    assert http.run_http("::1", 0, [], [], None, OWN_TOOLS) == 0
    assert ended == [True, 1, "closed"]
    assert capsys.readouterr().err == "symindex: listening on http://[::1]:8123/mcp\n"
    assert options.pop("transport_security").allowed_hosts[:2] == ["127.0.0.1", "127.0.0.1:*"]
    assert options == {
        "host": "::1",
        "max_request_body_size": 1 << 20,
        "session_idle_timeout": 600.0,
        "max_sessions": 1000,
    }


def test_a_body_may_take_half_a_minute() -> None:
    async def check() -> None:
        loop = asyncio.get_running_loop()
        limits: list[Any] = []
        messages = [{"more_body": True}, {"more_body": False}, {}]

        async def receive() -> Any:
            return messages.pop(0)

        timeout_at = asyncio.timeout_at

        def note(when: float | None) -> Any:
            limits.append(None if when is None else round(when - loop.time()))
            return timeout_at(when)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(asyncio, "timeout_at", note)
            timed = slow_bodies.in_time(receive)
            for _ in range(3):
                await timed()
        assert limits == [30, 30, None]

    asyncio.run(check())


FIRST: list[tuple[dict[str, Any], int, int]] = [
    ({}, 2_000, 15), ({}, 100, 12), ({}, 80, 10), ({"is_sentence": True}, 2_000, 5),
    ({"max_items": 40}, 2_000, 40), ({"max_items": 40}, 100, 12), ({"max_items": 3, "is_sentence": True}, 2_000, 3),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "room", "first"), FIRST)
def test_how_many_rows_a_search_looks_at_first(
    fields: dict[str, Any], room: int, first: int
) -> None:
    asked: list[int] = []

    def of_any_size(n_rows: int, **_: object) -> None:
        asked.append(n_rows)

    def search(_: object) -> Any:
        raise RequestError("no answer")

    plan: Any = SimpleNamespace(
        **{"max_items": None, "is_sentence": False, **fields}, of_any_size=of_any_size
    )
    with pytest.raises(RequestError):
        fitted_pages.fit_search(plan, room, search)
    assert asked == [first]


@pytest.mark.parametrize("tool", ["add", "references", "note"])
def test_tools_that_write_are_off_by_default(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYMINDEX_MCP_WRITE", raising=False)
    handlers = ToolHandlers([], None)
    try:
        answer = handlers.answer(tool, {"text": "x", "source": "a", "name": "b"}, threading.Event())
        is_off = (
            f"{tool}: this tool is off; the user enables it with SYMINDEX_MCP_WRITE=1"
            in answer.text
        )
        assert is_off is (tool != "references") and answer.is_error
        monkeypatch.setenv("SYMINDEX_MCP_WRITE", "1")
        for given in ({"source": "a"}, {"source": "a", "text": "x", "url": "y"}):
            answer = handlers.answer("add", given, threading.Event())
            assert answer.text == "add: give either text or url, not both"
    finally:
        handlers.close()
