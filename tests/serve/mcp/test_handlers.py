"""The code that answers the agents' tools: budgets and pages, roots and links, trees without an
index, cancelled calls."""

import asyncio
import functools
import gc
import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symindex.cancellation import NotWantedError, check_wanted
from symindex.editor import folders_source
from symindex.errors import RequestError, StorageError
from symindex.protocol.freshness import SOON, Freshness
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.search.answer.plan import Plan
from symindex.serve.mcp import server
from symindex.serve.mcp.answers import ToolAnswer
from symindex.serve.mcp.client_profiles import OWN_TOOLS
from symindex.serve.mcp.fitted_pages import ROW_TOKENS
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.search_calls import BATCH_SECONDS, NAME_SECONDS
from symindex.text.token_budget import MOST_TOKENS, estimate_tokens
from symindex.workspace.answers import Answers, search_plan
from symindex.workspace.build_process import Building
from tests.support.files import write_files
from tests.support.waiting import SECONDS, until, until_indexed


@pytest.fixture
def handlers(repository: Path, tmp_path: Path) -> Iterator[ToolHandlers]:
    handlers = ToolHandlers([repository], str(tmp_path / "indexes"))
    yield handlers
    handlers.workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_budget_cuts_whole_rows_and_says_how_to_get_the_others(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(300))}
    )
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    seen: list[str] = []
    try:
        until_indexed(handlers)
        arguments: dict[str, Any] = {"query": "wanted", "max_tokens": 400, "max_items": 100}
        while True:
            answer = handlers.answer("search", arguments, threading.Event())
            assert estimate_tokens(answer.text) <= 400
            rows = re.findall(
                r"^\| `(wanted_\d+)` \| function \| a\.py:\d+ \|$", answer.text, re.MULTILINE
            )
            assert rows and f"Found 300 results (showing {len(rows)})" in answer.text
            seen += rows
            hint = re.search(
                r"> More results available. Use `pagination_id=([\w-]+)` for next page.",
                answer.text,
            )
            if hint is None:
                break
            arguments["pagination_id"] = hint[1]
    finally:
        handlers.workspace.close()
    assert (
        seen == sorted(set(seen), key=lambda name: (len(name), int(name[7:]))) and len(seen) == 300
    )


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("max_items", [None, 50, 100_000])
def test_a_token_leads_on_from_the_call_that_it_comes_from(
    tmp_path: Path, max_items: int | None
) -> None:
    """This holds even if only a few of the requested rows fit."""
    root = write_files(
        tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(120))}
    )
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    seen: list[str] = []
    try:
        until_indexed(handlers)
        arguments: dict[str, Any] = {"query": "wanted", "max_tokens": 300, "max_items": max_items}
        for _ in range(120):
            answer = handlers.answer("search", arguments, threading.Event())
            assert not answer.is_error, answer.text
            seen += [item.name for item in answer.data.items]
            arguments["pagination_id"] = answer.data.pagination_id
            if not answer.data.has_more:
                break
    finally:
        handlers.workspace.close()
    assert seen == [f"wanted_{i}" for i in range(120)]


@pytest.mark.slow
@pytest.mark.usefixtures("fast_watch")
def test_a_shorter_page_has_all_notices_of_the_full_one(tmp_path: Path) -> None:
    """The notice that the index has changed since the previous page appears on a short page as
    well."""
    root = write_files(
        tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(120))}
    )
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    ask = functools.partial(handlers.answer, "search", given_up=threading.Event())
    try:
        until_indexed(handlers)
        arguments = {"query": "wanted", "max_tokens": 300, "max_items": 50}
        token = ask({**arguments}).data.pagination_id
        write_files(root, {"b.py": "def later(): pass\n"})
        until(lambda: ask({"query": "later"}).data.total == 1, "the new file in the index")
        answer = ask({**arguments, "pagination_id": token})
        assert 0 < len(answer.data.items) < 300 // ROW_TOKENS
        said = "the index has changed since the last page; this page continues after the last item that was shown"
        assert answer.data.notices == [said] and f"> {said}\n" in answer.text
    finally:
        handlers.workspace.close()


@pytest.mark.slow
def test_queries_without_room_are_named(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(120))}
    )
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    try:
        until_indexed(handlers)
        queries, n_calls = [f"wanted_{i}" for i in range(9)], 0
        while queries:
            answer = handlers.answer(
                "search", {"queries": queries, "max_tokens": 200}, threading.Event()
            )
            assert estimate_tokens(answer.text) <= 300
            assert all(
                f"# Search: `{query}`" in answer.text
                for query in queries[: len(answer.data["batch"])]
            )
            hint = re.search(
                r"> Not answered for lack of space: .*? Ask again: `search (\{.*\})`\.", answer.text
            )
            queries, n_calls = json.loads(hint[1])["queries"] if hint else [], n_calls + 1
        assert 3 <= n_calls <= 9
    finally:
        handlers.workspace.close()


@pytest.mark.slow
def test_an_absolute_path_is_of_the_innermost_root_and_may_go_by_a_link(tmp_path: Path) -> None:
    outer = write_files(
        tmp_path / "outer", {"a.py": "def in_outer(): pass\n", "sub/b.py": "def in_inner(): pass\n"}
    )
    os.symlink(outer, tmp_path / "link")
    handlers = ToolHandlers([outer, outer / "sub"], str(tmp_path / "indexes"))
    try:
        until_indexed(handlers)
        for top in (outer, tmp_path / "link"):
            assert (
                "`sub/b.py#in_inner`"
                in handlers.answer(
                    "symbol", {"symbol": f"{top}/sub/b.py:1"}, threading.Event()
                ).text
            )
            assert (
                "`outer/a.py#in_outer`"
                in handlers.answer("symbol", {"symbol": f"{top}/a.py:1"}, threading.Event()).text
            )
    finally:
        handlers.workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such names")
def test_an_error_shows_what_is_in_names(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"\x1b[31mred\nline.py": "def only(): pass\n"})
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    try:
        until_indexed(handlers)
        answer = handlers.answer("outline", {"path": "red\nline.py"}, threading.Event())
        assert answer.is_error and answer.text.endswith("nearest: \\x1b[31mred\\nline.py")
    finally:
        handlers.workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("tool", ["search", "symbol", "outline", "references", "status"])
def test_notices_about_a_root_escape_its_name(
    handlers: ToolHandlers, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    until_indexed(handlers)
    notices = ["/a\x1b[31mb\nc: the index was damaged, and is being rebuilt"]
    monkeypatch.setattr(
        handlers.workspace.folders, "take_notices", lambda: [notices.pop()] if notices else []
    )  # only once, like the real function
    arguments = {
        "search": {"query": "Cart"},
        "symbol": {"symbol": "Cart"},
        "references": {"name": "Cart"},
    }.get(tool, {})
    text = handlers.answer(tool, arguments, threading.Event()).text
    assert (
        "> /a\\x1b[31mb\\nc: the index was damaged, and is being rebuilt\n" in text
        and "\x1b" not in text
    )


@pytest.mark.slow
def test_a_fault_is_reported_on_one_line(
    handlers: ToolHandlers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    until_indexed(handlers)
    nothing: dict[str, str] = {}
    renderer = "symindex.serve.mcp.reading_handlers.render_outline"
    monkeypatch.setattr(renderer, lambda *_: nothing["missing"])
    answer = handlers.answer("outline", {"depth": 9}, threading.Event())
    assert answer.is_error
    assert re.match(
        r"internal error at symindex\.serve\.mcp\.reading_handlers:\d+: KeyError: 'missing'; a different call",
        answer.text,
    )
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.nightly
@pytest.mark.slow
def test_pages_of_references_hold_all_of_them(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree", {f"m{n}.py": "import wanted\n" + "wanted()\n" * 20 for n in range(3)}
    )
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    seen: list[tuple[str, int]] = []
    try:
        until_indexed(handlers)
        arguments: dict[str, Any] = {"name": "wanted", "max_tokens": 300}
        for _ in range(100):
            answer = handlers.answer("references", arguments, threading.Event())
            assert estimate_tokens(answer.text) <= 330
            seen += [
                (file.file_path, item.line) for file in answer.data.files for item in file.items
            ]
            hint = re.search(
                r"> More results available. Use `pagination_id=([\w-]+)` for next page.",
                answer.text,
            )
            if hint is None:
                break
            arguments["pagination_id"] = hint[1]
    finally:
        handlers.workspace.close()
    assert seen == [(f"m{n}.py", line) for n in range(3) for line in range(1, 22)]


@pytest.mark.slow
def test_several_roots(tmp_path: Path) -> None:
    one = write_files(tmp_path / "one", {"a.py": "def in_one(): pass\n"})
    two = write_files(tmp_path / "two", {"sub/b.go": "package b\nfunc InTwo() {}\n"})
    handlers = ToolHandlers([one, two], str(tmp_path / "indexes"))
    try:
        until_indexed(handlers)
        ask = lambda tool, **arguments: handlers.answer(tool, arguments, threading.Event())  # noqa: E731
        assert "| `in_one` | function | one/a.py:1 |" in ask("search", query="in").text
        assert "two/sub/b.go:2" in ask("search", query="InTwo", path="two/**").text
        assert "two/sub/b.go:2" in ask("search", query="InTwo", path="sub/**").text
        assert "without paths `one/**`: 1" in ask("search", query="InTwo", path="one/**").text
        assert "func InTwo()" in ask("symbol", symbol="two/sub/b.go#InTwo").text
        assert (
            "function `in_one`" in ask("outline", path="one/a.py").text
            and "`def in_one()`" in ask("outline", path="one").text
        )
        assert [item.name for item in ask("outline", depth=9).data.items] == ["one", "two/sub"]
        assert {file.file_path for file in ask("outline").data.files} == {
            "one/a.py",
            "two/sub/b.go",
        }
        assert "begin with `two/`" in ask("status").text
        shutil.rmtree(two)
        assert "The root does not exist." in ask("status").text
        assert not ask("search", query="in_one").is_error
        shutil.rmtree(one)
        assert "the root does not exist" in ask("search", query="in_one").text
    finally:
        handlers.workspace.close()


@pytest.fixture
def unready(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ToolHandlers]:
    """Handlers of a tree whose indexing ends only after the test."""
    ended = threading.Event()

    def build(_: Building, progress: Callable[[int, int], None]) -> list[str]:
        progress(3, 9)
        ended.wait(60)
        return []

    monkeypatch.setattr(Building, "run", build)
    handlers = ToolHandlers([repository], str(tmp_path / "indexes"))
    yield handlers
    ended.set()
    handlers.workspace.close()


def test_a_call_that_is_given_up_ends(unready: ToolHandlers) -> None:
    given_up, ends = threading.Event(), []

    def call() -> None:
        with pytest.raises(NotWantedError):
            unready.answer("outline", {}, given_up)
        ends.append("given up")

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive() and not ends
    given_up.set()
    thread.join(20)
    assert ends == ["given up"]


def test_what_has_no_index_is_not_called_empty(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> list[str]:
        raise StorageError("no room on the disk")

    monkeypatch.setattr(Building, "run", fail)
    handlers = ToolHandlers([repository], str(tmp_path / "indexes"))
    ask = functools.partial(handlers.answer, given_up=threading.Event())
    try:
        said = f"{repository}: there is no index (indexing: failed)"
        for query in ("calculate_tax", "zqzqzq"):
            assert said in ask("search", {"query": query}).text
        assert "| `calculate_tax` | function |" in ask("search", {"query": "calculate_tax"}).text
        for tool, arguments in (
            ("outline", {}),
            ("symbol", {"symbol": "Cart"}),
            ("references", {"name": "Cart"}),
        ):
            answer = ask(tool, arguments)
            assert answer.is_error and said in answer.text
        assert (
            "Indexing failed" in ask("status", {}).text
            and "no room on the disk" in ask("status", {}).text
        )
    finally:
        handlers.workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_several_queries_wait_for_the_index(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first query is answered without the index, the others from the index: without it, each of
    them would delay the index further."""
    run, may_build = Building.run, threading.Event()

    def build(building: Building, progress: Callable[[int, int], None]) -> list[str]:
        may_build.wait(60)
        return run(building, progress)

    monkeypatch.setattr(Building, "run", build)
    handlers = ToolHandlers([repository], str(tmp_path / "indexes"))
    waited: list[float] = []

    def search_patiently(
        answers: Answers, plan: Plan, freshness: Freshness, **more: Any
    ) -> SearchResponse:
        if freshness.first_index:
            waited.append(freshness.first_index)
            may_build.set()
            freshness = freshness._replace(first_index=60.0)
        return search_plan(answers, plan, freshness, **more)

    monkeypatch.setattr("symindex.serve.mcp.search_calls.search_plan", search_patiently)
    try:
        answer = handlers.answer(
            "search", {"queries": ["Cart", "calc", "login"]}, threading.Event()
        )
        first, *others = answer.text.split("# Search: ")[1:]
        assert "still being built" in first and len(others) == 2
        assert not any("still being built" in text for text in others)
        assert waited == [BATCH_SECONDS]
    finally:
        may_build.set()
        handlers.workspace.close()


@pytest.mark.parametrize(
    ("query", "seconds"),
    [
        ("Cart", NAME_SECONDS),
        ("Cart.total", NAME_SECONDS),
        ("cart total", 0.0),
        ("kind:class", 0.0),
    ],
)
def test_only_a_query_that_is_a_name_waits_for_the_first_index(
    query: str, seconds: float, unready: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    def search(answers: Answers, plan: Plan, freshness: Freshness, **more: Any) -> SearchResponse:
        waited.append(freshness.first_index)
        raise RequestError("not searched")

    monkeypatch.setattr("symindex.serve.mcp.search_calls.search_plan", search)
    assert unready.answer("search", {"query": query}, threading.Event()).is_error
    assert waited == [seconds]


def test_scans_that_do_not_end_are_left_for_the_index(
    unready: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most MOST_SCANS scans are waited for, each SCAN_SECONDS; each view names the folder that
    is missing."""
    monkeypatch.setattr(folders_source, "SCAN_SECONDS", 0.05)
    monkeypatch.setattr(folders_source, "MOST_SCANS", 2)
    until(lambda: bool(unready.workspace.folders.opened), "a root")
    ended, n_scans = threading.Event(), 0

    def scan(*_: Any) -> None:
        nonlocal n_scans
        n_scans += 1
        ended.wait(60)
        check_wanted()

    monkeypatch.setattr("symindex.search.unindexed.before_index.scan_for_editor", scan)
    try:
        source = unready.workspace.source
        views = [*source.unindexed_views(source.plan(SearchRequest(query="cart")), SOON)]
        assert [len(view.missing) for view in views] == [1, 1]
        assert n_scans == 2
    finally:
        ended.set()


def test_references_that_take_too_long_are_counted_so_far(
    handlers: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After REFERENCE_SECONDS an answer says how to go on."""
    until_indexed(handlers)
    ask = functools.partial(handlers.answer, given_up=threading.Event())
    calls: list[dict[str, Any]] = [{"name": "price"}, {"name": "Cart", "in": "all"}]
    assert not any("out of time" in ask("references", call).text for call in calls)
    monkeypatch.setattr("symindex.serve.mcp.reading_handlers.REFERENCE_SECONDS", 0.0)
    bare, text = (ask("references", call).text for call in calls)
    assert "out of time: at least" in bare and "the next page goes on from there" in bare
    assert "out of time: 0 of" in text and "; narrow with paths" in text


@pytest.mark.nightly
def test_the_wait_for_an_index_ends(unready: ToolHandlers) -> None:
    began = time.monotonic()
    next(
        unready.workspace.source.unindexed_views(
            unready.workspace.source.plan(SearchRequest(query="cart")),
            SOON._replace(first_index=0.2),
        )
    )
    assert 0.15 < time.monotonic() - began < 20


def test_a_long_call_tells_how_far_it_is(
    unready: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[tuple[float, float | None]] = []
    answered = asyncio.Event()

    class Session:
        async def report_progress(self, done: float, total: float | None, _: str) -> None:
            reports.append((done, total))
            answered.set()

    async def wait() -> ToolAnswer:
        work = asyncio.ensure_future(answer())
        return await server._with_progress(
            work,
            unready,
            SimpleNamespace(session=Session()),  # type: ignore[arg-type]
        )

    async def answer() -> ToolAnswer:
        await answered.wait()
        return ToolAnswer("done")

    until(
        lambda: unready.workspace.folders.progress == (3, 9),
        "progress",
        instead=lambda: unready.workspace.folders.progress,
    )
    monkeypatch.setattr(server, "PROGRESS_SECONDS", 0.01)
    assert asyncio.run(wait()) == ToolAnswer("done")
    assert reports == [(3, 9)]


NOBODY: Any = SimpleNamespace(session=SimpleNamespace(client_params=None), request=None)
"""The context of a call from a client that has not identified itself."""


@pytest.fixture
def calls(
    unready: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> tuple[threading.Event, threading.Event]:
    """Two events: a call that waits for the index has begun, and it has ended."""
    begun, ended, answer = threading.Event(), threading.Event(), unready.answer

    def told(tool: str, *arguments: Any) -> ToolAnswer:
        if tool != "outline":
            return answer(tool, *arguments)
        begun.set()
        try:
            return answer(tool, *arguments)
        finally:
            ended.set()

    monkeypatch.setattr(unready, "answer", told)
    return begun, ended


def test_a_call_that_its_client_gives_up_leaves_no_trace(
    unready: ToolHandlers,
    calls: tuple[threading.Event, threading.Event],
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun, ended = calls

    async def give_up() -> None:
        call = server.make_server(unready, OWN_TOOLS).get_request_handler("tools/call")
        assert call is not None
        asked = asyncio.ensure_future(
            call.handler(NOBODY, SimpleNamespace(name="outline", arguments={}))
        )
        assert await asyncio.to_thread(begun.wait, SECONDS)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert await asyncio.to_thread(ended.wait, SECONDS)
        await asyncio.sleep(0)  # lets the loop learn that the call has ended
        gc.collect()

    asyncio.run(give_up())
    assert caplog.records == []  # not even "Future exception was never retrieved"


def test_calls_do_not_wait_for_each_other(
    unready: ToolHandlers, calls: tuple[threading.Event, threading.Event]
) -> None:
    """One of the calls waits for an index."""

    async def ask() -> None:
        call = server.make_server(unready, OWN_TOOLS).get_request_handler("tools/call")
        assert call is not None
        slow = asyncio.ensure_future(
            call.handler(NOBODY, SimpleNamespace(name="outline", arguments={}))
        )
        assert await asyncio.to_thread(calls[0].wait, SECONDS)
        quick = call.handler(NOBODY, SimpleNamespace(name="status", arguments={}))
        assert "# Status" in (await asyncio.wait_for(quick, 20)).content[0].text  # type: ignore[union-attr]
        assert not slow.done()
        slow.cancel()

    asyncio.run(ask())


@pytest.mark.slow
def test_a_budget_has_an_end(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {"a.py": "".join(f"def wanted_number_{i}(): pass\n" for i in range(9_000))},
    )
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    try:
        until_indexed(handlers)
        for tool, arguments in (
            ("search", {"query": "wanted", "max_items": 10**9}),
            ("outline", {}),
        ):
            text = handlers.answer(tool, {**arguments, "max_tokens": 10**9}, threading.Event()).text
            assert MOST_TOKENS / 2 < estimate_tokens(text) <= MOST_TOKENS
    finally:
        handlers.workspace.close()


@pytest.mark.slow
def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    write_files(tmp_path / "outside", {"secret.py": "def secret(): pass\n"})
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    os.symlink(tmp_path / "outside", root / "link")
    os.symlink(tmp_path / "outside" / "secret.py", root / "secret.py")
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    try:
        until_indexed(handlers)
        for path in ("link/secret.py", "secret.py", "link"):
            answer = handlers.answer("outline", {"path": path}, threading.Event())
            assert answer.is_error and "leads out of the root by a link" in answer.text
        assert "No symbol" in handlers.answer("search", {"query": "secret"}, threading.Event()).text
    finally:
        handlers.workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_pattern_that_could_take_for_ever(handlers: ToolHandlers) -> None:
    until_indexed(handlers)
    began = time.process_time()
    for query in (
        "*a" * 200 + "b",
        "(" * 300 + "a" + ")" * 300,
        "a OR " * 900 + "b",
        "\x1b[31m\u202e",
        "NOT " * 500 + "a",
    ):
        assert handlers.answer("search", {"query": query}, threading.Event()).text
    assert time.process_time() - began < 10


@pytest.mark.nightly
@pytest.mark.slow
def test_a_number_that_was_not_sent_is_not_echoed(tmp_path: Path) -> None:
    """The data repeats neither this front end's default nor the number of rows that fit the budget,
    on the first page, the next page, and for references."""
    root = write_files(
        tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): wanted()\n" for i in range(60))}
    )
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    ask = functools.partial(handlers.answer, given_up=threading.Event())
    try:
        until_indexed(handlers)
        for budget in ({}, {"max_tokens": 200}):
            given: dict[str, Any] = {"query": "wanted", **budget}
            for _ in range(2):
                answer = ask("search", given)
                assert (
                    answer.data.has_more
                    and answer.data.max_items is answer.data.request.max_items is None
                )
                assert "\nFound 60 results\n" in answer.text
                given["pagination_id"] = answer.data.pagination_id
            for number in (50, 1):
                answer = ask("search", {"query": "wanted", **budget, "max_items": number})
                assert (
                    answer.data.has_more
                    and answer.data.max_items == answer.data.request.max_items == number
                )
                assert f"\nFound 60 results (showing {len(answer.data.items)})\n" in answer.text
        answer = ask("references", {"name": "wanted", "max_tokens": 200})
        assert (
            answer.data.has_more
            and answer.data.request.max_items is None
            and "showing" not in answer.text
        )
    finally:
        handlers.workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_query_that_cannot_be_answered_is_named_and_the_others_are_answered(
    handlers: ToolHandlers,
) -> None:
    until_indexed(handlers)
    ask = functools.partial(handlers.answer, "search", given_up=threading.Event())
    answer = ask({"queries": ["Cart", "(calc", "calc", "x" * 1_001]})
    assert not answer.is_error
    first, refused, last, long = answer.text.split("# Search: ")[1:]
    assert "| `Cart` | class |" in first and "| `calc` | function |" in last
    expected = "query, at the end: expected a parenthesis that closes the one at character 1"
    assert refused == f"`(calc`\n> query 2 of 4: {expected}\n\n"
    assert "query 4 of 4: the query has 1,001 characters" in long and len(long) < 300
    batch = answer.data["batch"]
    assert batch[1] == {"request": {"query": "(calc"}, "error": expected}
    assert [batch[0].request.query, batch[2].request.query] == ["Cart", "calc"]


@pytest.mark.slow
def test_an_error_common_to_all_queries_is_reported_once(handlers: ToolHandlers) -> None:
    until_indexed(handlers)
    ask = functools.partial(handlers.answer, "search", given_up=threading.Event())
    for given, said in (
        ({"queries": ["Cart", "calc"], "kinds": ["klass"]}, "unknown kind 'klass'"),
        ({"queries": ["(calc"]}, "query, at the end"),
    ):
        answer = ask(given)
        assert (
            answer.is_error
            and answer.data is None
            and answer.text.startswith(said)
            and "\n" not in answer.text
        )
    answer = ask({"queries": ["(calc", "name:"]})
    assert answer.is_error and "> query 1 of 2:" in answer.text and "> query 2 of 2:" in answer.text
    assert (
        ask({"queries": ["Cart", {"q": 1}]}).text
        == "search: queries, item 2, is {'q': 1}: expected a string"
    )


def test_a_file_uri_is_a_path(tmp_path: Path) -> None:
    root = write_files(tmp_path / "my tree", {"foo.ts": "class Foo { bar() {} }\n"})
    handlers = ToolHandlers([root], str(tmp_path / "indexes"))
    try:
        text = handlers.answer(
            "outline", {"path": (root / "foo.ts").as_uri()}, threading.Event()
        ).text
    finally:
        handlers.workspace.close()
    assert "class `Foo`" in text
