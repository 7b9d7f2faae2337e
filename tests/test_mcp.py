"""The agent door: what is answered, in either protocol, and how little it costs."""

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

import jsonschema
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from symindex.building import Building
from symindex.cancel import NotWantedError
from symindex.errors import StorageError
from symindex.serve.mcp import greeting, server
from symindex.serve.mcp.desk import Answer, Desk
from symindex.serve.mcp.tools import BY_NAME, TOOLS
from symindex.tokens import MOST_TOKENS, estimate_tokens
from tests.conftest import write_files
from tests.mcp_client import LEGACY, META, MODERN, McpClient

REPOSITORY = Path(__file__).parent.parent / "fixtures" / "scenarios" / "repository"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("mcp") / "tree"
    shutil.copytree(REPOSITORY, root)
    return root


@pytest.fixture(scope="module", params=[MODERN, LEGACY])
def client(request: pytest.FixtureRequest, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpClient]:
    with McpClient([tree], tmp_path_factory.mktemp("indexes"), request.param) as client:
        yield client
        assert client.odd == []


@pytest.fixture
def desk(tree: Path, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk([tree], str(tmp_path / "indexes"))
    yield desk
    desk.close()


def test_discovery_is_answered_before_anything_is_loaded(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    with McpClient([root], tmp_path / "indexes", MODERN) as client:
        client.ask("tools/list", {})
        answered = time.monotonic() - client.started
        assert "`only`" in client.text("search", query="only")
        loaded = time.monotonic() - client.started
    assert answered < loaded / 2  # a ratio, for machines differ; tests/bench has the seconds


def test_what_is_answered_early_is_what_the_sdk_answers(client: McpClient) -> None:
    early = greeting.greet(
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}}
    )  # fmt: skip
    tools = client.ask("tools/list", {})  # the SDK is there by now
    client.text("status")
    assert client.ask("tools/list", {}) == tools
    assert tools["tools"] == TOOLS
    if client.version == MODERN:
        assert client.ask("server/discover", {}) == early == client.greeting
    else:
        assert client.greeting["protocolVersion"] == LEGACY
        assert client.greeting["serverInfo"]["name"] == "symindex"
        assert client.greeting["instructions"] == greeting.INSTRUCTIONS


def test_the_revisions_are_those_of_the_sdk() -> None:
    assert list(greeting.HANDSHAKES) == list(HANDSHAKE_PROTOCOL_VERSIONS)
    assert list(MODERN_PROTOCOL_VERSIONS) == [greeting.MODERN]


def test_the_tools_are_few_read_only_and_cheap() -> None:
    assert len(TOOLS) <= 6
    assert all(tool["annotations"] == {"readOnlyHint": True, "openWorldHint": False} for tool in TOOLS)
    assert estimate_tokens(json.dumps(TOOLS)) < 1_800  # tests/test_tokens.py compares the estimate with a public tokenizer
    for tool in TOOLS:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "calc"}),
    ("search", {"query": "calc", "max_items": 2}),
    ("search", {"query": "Auth.login"}),
    ("search", {"query": "nothing_like_it"}),
    ("search", {"query": "", "kinds": ["class"]}),
    ("search", {"queries": ["Cart", "calc"]}),
    ("symbol", {"symbol": "Cart.recalculate"}),
    ("symbol", {"symbol": "src/cart.py:120", "siblings": True}),
    ("symbol", {"symbol": "Crt"}),
    ("outline", {"path": "src"}),
    ("outline", {"path": "src/cart.py", "signatures": True}),
    ("references", {"name": "Cart"}),
    ("references", {"name": "no_such_name"}),
    ("status", {}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_data_conforms_to_the_declared_schema(client: McpClient, tool: str, arguments: dict[str, Any]) -> None:
    client.until("status", "Up to date")
    result = client.call(tool, **arguments)
    jsonschema.validate(result["structuredContent"], BY_NAME[tool]["outputSchema"])
    assert not result["isError"] and len(result["content"]) == 1
    assert result["content"][0]["text"] != json.dumps(result["structuredContent"])  # which would be paid for twice


PLAIN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("search", {"query": "calc", "kinds": "function"}, {"query": "calc", "kinds": ["function"]}),
    ("search", {"query": "calc", "kind": "class, function"}, {"query": "calc", "kinds": ["class", "function"]}),
    ("search", {"query": "calc", "max_items": "2"}, {"query": "calc", "max_items": 2}),
    ("search", {"query": "calc", "limit": 2.0}, {"query": "calc", "max_items": 2}),
    ("search", {"query": "calc", "paths": "src/**", "languages": None}, {"query": "calc", "path": ["src/**"]}),
    ("search", {"query": 5}, {"query": "5"}),
    ("symbol", {"id": "Cart", "siblings": "true"}, {"symbol": "Cart", "siblings": True}),
    ("outline", {"file": "src/cart.py"}, {"path": "src/cart.py"}),
]


@pytest.mark.parametrize(("tool", "given", "meant"), PLAIN)
def test_what_is_plainly_meant_is_taken(client: McpClient, tool: str, given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert client.text(tool, **given) == client.text(tool, **meant)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("search", {"query": "a", "kinds": ["klass"]}, "unknown kind 'klass': legal are array, boolean, class"),
    ("search", {"query": "a", "language": ["pyhton"]}, "pyhton"),
    ("search", {"query": "a", "max_items": "many"}, "search: max_items is 'many': expected a whole number"),
    ("search", {"query": "a", "max_items": 0}, "max_items is 0: it must be 1 or more"),
    ("search", {"query": "a", "max_items": 2.5}, "search: max_items is 2.5: expected a whole number"),
    ("search", {"query": "a", "max_items": True}, "expected a whole number"),
    ("search", {"query": "a", "max_items": 10**399}, "a number of that size means nothing here"),
    ("search", {"query": "a", "max_items": float("inf")}, "max_items is inf: expected a whole number"),
    ("search", {"query": "a", "max_tokens": float("nan")}, "max_tokens is nan: expected a whole number"),
    ("search", {"query": "a", "path": ["a"] * 100_000}, "search: path has 100,000 parts: at most 100 are taken"),
    ("outline", {"path": "x" * 100_000}, "outline: path has 100,000 characters: at most 4,000 are taken"),
    ("references", {"name": "x" * 100_000}, "references: name has 100,000 characters: at most 4,000 are taken"),
    ("symbol", {"symbol": "x" * 100_000}, "symbol: symbol has 100,000 characters: at most 4,000 are taken"),
    ("search", {"query": {"a": 1}}, "search: query is {'a': 1}: expected a text"),
    ("search", {"queri": "a"}, "search: unknown argument 'queri'; did you mean"),
    ("search", {"query": "a", "pagination_id": "x"}, "pagination_id 'x' is not a token of symindex"),
    ("search", {"query": "kind:"}, "expected"),
    ("search", {"query": "x" * 100_000}, "search: query has 100,000 characters: at most 4,000 are taken"),
    ("search", {"queries": ["a"] * 21}, "21 queries: at most 20"),
    ("search", {"queries": ["a", "b"], "pagination_id": "x"}, "belongs to one query"),
    ("symbol", {}, "symbol: symbol is missing"),
    ("symbol", {"symbol": "../outside.py#x"}, "leads out of the root"),
    ("symbol", {"symbol": "/etc/passwd:1"}, "is outside of the root"),
    ("symbol", {"symbol": "Cart", "lines": "9-1"}, "lines '9-1'"),
    ("symbol", {"symbol": "Cart", "siblings": "perhaps"}, "expected true or false"),
    ("outline", {"path": ".."}, "leads out of the root"),
    ("outline", {"path": "/etc"}, "is outside of the root"),
    ("outline", {"path": "src/crat.py"}, "no file or folder 'src/crat.py'; nearest: src/cart.py"),
    ("outline", {"path": "src", "depth": -1}, "depth is -1"),
    ("outline", {"path": "a\0b"}, "NUL"),
    ("nonsense", {}, "unknown tool 'nonsense': legal are outline"),
    ("status", {"deep": True}, "it takes none"),
]


@pytest.mark.parametrize(("tool", "given", "said"), REFUSED)
def test_errors_say_how_to_mend_the_call(client: McpClient, tool: str, given: dict[str, Any], said: str) -> None:
    text = client.error(tool, **given)
    assert said in text and "\n" not in text and "Traceback" not in text


def test_a_token_belongs_to_its_query(client: McpClient) -> None:
    client.until("status", "Up to date")
    page = client.call("search", query="calc", max_items=2)["structuredContent"]
    rest = client.call("search", query="calc", max_items=2, pagination_id=page["pagination_id"])["structuredContent"]
    assert [item["name"] for item in rest["items"]] == ["calculate_tax", "calculate_total"]
    said = client.error("search", query="Cart", max_items=2, pagination_id=page["pagination_id"])
    assert "pagination_id belongs to another search than 'Cart'" in said


def test_a_budget_cuts_whole_rows_and_says_how_to_get_the_others(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(300))})
    desk = Desk([root], str(tmp_path / "indexes"))
    seen: list[str] = []
    try:
        until_ready(desk)
        arguments: dict[str, Any] = {"query": "wanted", "max_tokens": 400, "max_items": 100}
        while True:
            answer = desk.answer("search", arguments, threading.Event())
            assert estimate_tokens(answer.text) <= 400
            rows = re.findall(r"^\| `(wanted_\d+)` \| function \| a\.py:\d+ \|$", answer.text, re.MULTILINE)
            assert rows and f"Found 300 results (showing {len(rows)})" in answer.text
            seen += rows
            hint = re.search(r"> More results available. Use `start_index=(\d+)` for next page.", answer.text)
            if hint is None:
                break
            arguments["start_index"] = hint[1]
    finally:
        desk.close()
    assert seen == sorted(set(seen), key=lambda name: (len(name), int(name[7:]))) and len(seen) == 300


@pytest.mark.parametrize("max_items", [None, 50, 100_000])
def test_a_token_leads_on_from_the_call_that_it_comes_from(tmp_path: Path, max_items: int | None) -> None:
    """However few of the rows that were asked for there was room for."""
    root = write_files(tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(120))})
    desk = Desk([root], str(tmp_path / "indexes"))
    seen: list[str] = []
    try:
        until_ready(desk)
        arguments: dict[str, Any] = {"query": "wanted", "max_tokens": 300, "max_items": max_items}
        for _ in range(120):
            answer = desk.answer("search", arguments, threading.Event())
            assert not answer.is_error, answer.text
            seen += [item.name for item in answer.data.items]
            arguments["pagination_id"] = answer.data.pagination_id
            if not answer.data.has_more:
                break
    finally:
        desk.close()
    assert seen == [f"wanted_{i}" for i in range(120)]


def test_queries_without_room_are_named(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "".join(f"def wanted_{i}(): pass\n" for i in range(120))})
    desk = Desk([root], str(tmp_path / "indexes"))
    try:
        until_ready(desk)
        queries, n_calls = [f"wanted_{i}" for i in range(9)], 0
        while queries:
            answer = desk.answer("search", {"queries": queries, "max_tokens": 200}, threading.Event())
            assert estimate_tokens(answer.text) <= 300
            assert all(f"# Search: `{query}`" in answer.text for query in queries[: len(answer.data["batch"])])
            hint = re.search(r"> No room for .*? Ask again: `search (\{.*\})`\.", answer.text)
            queries, n_calls = json.loads(hint[1])["queries"] if hint else [], n_calls + 1
        assert 3 <= n_calls <= 9
    finally:
        desk.close()


def test_an_absolute_path_is_of_the_innermost_root_and_may_go_by_a_link(tmp_path: Path) -> None:
    outer = write_files(tmp_path / "outer", {"a.py": "def in_outer(): pass\n", "sub/b.py": "def in_inner(): pass\n"})
    os.symlink(outer, tmp_path / "link")
    desk = Desk([outer, outer / "sub"], str(tmp_path / "indexes"))
    try:
        until_ready(desk)
        for top in (outer, tmp_path / "link"):
            assert "`sub/b.py#in_inner`" in desk.answer("symbol", {"symbol": f"{top}/sub/b.py:1"}, threading.Event()).text
            assert "`outer/a.py#in_outer`" in desk.answer("symbol", {"symbol": f"{top}/a.py:1"}, threading.Event()).text
    finally:
        desk.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_an_error_shows_what_is_in_names(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"\x1b[31mred\nline.py": "def only(): pass\n"})
    desk = Desk([root], str(tmp_path / "indexes"))
    try:
        until_ready(desk)
        answer = desk.answer("outline", {"path": "red\nline.py"}, threading.Event())
        assert answer.is_error and answer.text.endswith("nearest: \\x1b[31mred\\nline.py")
    finally:
        desk.close()


def test_a_fault_is_told_in_one_line(desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    until_ready(desk)
    monkeypatch.setattr("symindex.serve.mcp.desk.outline", lambda *_: {}["missing"])
    answer = desk.answer("outline", {}, threading.Event())
    assert answer.is_error and answer.text.startswith("a fault of symindex: KeyError at test_mcp.py:")
    assert capsys.readouterr().err.count("\n") == 1


def test_pages_of_references_hold_all_of_them(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {f"m{n}.py": "import wanted\n" + "wanted()\n" * 20 for n in range(6)})
    desk = Desk([root], str(tmp_path / "indexes"))
    seen: list[tuple[str, int]] = []
    try:
        until_ready(desk)
        arguments: dict[str, Any] = {"name": "wanted", "max_tokens": 300}
        for _ in range(100):
            answer = desk.answer("references", arguments, threading.Event())
            assert estimate_tokens(answer.text) <= 330
            seen += [(file.file_path, item.line) for file in answer.data.files for item in file.items]
            hint = re.search(r"> More results available. Use `pagination_id=([\w-]+)` for next page.", answer.text)
            if hint is None:
                break
            arguments["pagination_id"] = hint[1]
    finally:
        desk.close()
    assert seen == [(f"m{n}.py", line) for n in range(6) for line in range(1, 22)]


def until_ready(desk: Desk) -> None:
    until = time.monotonic() + 60
    n_roots = len(desk.answer("status", {}, threading.Event()).data["roots"])
    while (said := desk.answer("status", {}, threading.Event()).text).count("Up to date") < n_roots:
        assert time.monotonic() < until, said
        time.sleep(0.02)


def test_several_roots(tmp_path: Path) -> None:
    one = write_files(tmp_path / "one", {"a.py": "def in_one(): pass\n"})
    two = write_files(tmp_path / "two", {"sub/b.go": "package b\nfunc InTwo() {}\n"})
    desk = Desk([one, two], str(tmp_path / "indexes"))
    try:
        until_ready(desk)
        ask = lambda tool, **arguments: desk.answer(tool, arguments, threading.Event())  # noqa: E731
        assert "| `in_one` | function | one/a.py:1 |" in ask("search", query="in").text
        assert "two/sub/b.go:2" in ask("search", query="InTwo", path="two/**").text
        assert "two/sub/b.go:2" in ask("search", query="InTwo", path="sub/**").text
        assert "without the filters on kind, language and path there are 1" in ask("search", query="InTwo", path="one/**").text
        assert "func InTwo()" in ask("symbol", symbol="two/sub/b.go#InTwo").text
        assert "function `in_one`" in ask("outline", path="one").text
        assert [item.name for item in ask("outline").data.items] == ["one", "two/sub"]
        assert "begin with `two/`" in ask("status").text
        shutil.rmtree(two)
        assert "The root is not there." in ask("status").text
        assert not ask("search", query="in_one").is_error
        shutil.rmtree(one)
        assert "the root is not there" in ask("search", query="in_one").text
    finally:
        desk.close()


def test_edits_are_seen(tree: Path, client: McpClient) -> None:
    client.until("status", "Up to date")
    path = tree / "src" / "fresh.py"
    path.write_text("def quite_fresh(): pass\n")
    try:
        client.until("search", "`quite_fresh`", query="quite_fresh")
        path.write_text("\n\ndef quite_fresh(): return 1\n")
        client.until("symbol", "return 1", symbol="quite_fresh")
    finally:
        path.unlink()
    client.until("search", "No symbol matches", query="quite_fresh")


def test_calls_do_not_wait_for_each_other_and_can_be_given_up(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {f"m{n}.py": "def f(): pass\n" * 1_000 for n in range(30)})
    with McpClient([root], tmp_path / "indexes", LEGACY) as client:
        slow = client.begin("tools/call", {"name": "outline", "arguments": {}})
        quick = client.begin("tools/call", {"name": "status", "arguments": {}})
        assert "# Status" in client.wait(quick)["result"]["content"][0]["text"]
        given_up = client.begin("tools/call", {"name": "outline", "arguments": {}})
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": given_up}})
        assert "30,000 symbols" in client.wait(slow)["result"]["content"][0]["text"]


@pytest.fixture
def unready(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk whose tree is being indexed until the test has ended."""
    ended = threading.Event()

    def build(_: Building, progress: Callable[[int, int], None]) -> list[str]:
        progress(3, 9)
        ended.wait(60)
        return []

    monkeypatch.setattr(Building, "run", build)
    desk = Desk([tree], str(tmp_path / "indexes"))
    yield desk
    ended.set()
    desk.close()


def test_a_call_that_is_given_up_ends(unready: Desk) -> None:
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


def test_what_has_no_index_is_not_called_empty(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> list[str]:
        raise StorageError("no room on the disk")

    monkeypatch.setattr(Building, "run", fail)
    desk = Desk([tree], str(tmp_path / "indexes"))
    ask = functools.partial(desk.answer, given_up=threading.Event())
    try:
        said = f"{tree}: there is no index (indexing: failed)"
        for query in ("calculate_tax", "zqzqzq"):
            assert said in ask("search", {"query": query}).text
        assert "| `calculate_tax` | function |" in ask("search", {"query": "calculate_tax"}).text
        for tool, arguments in (("outline", {}), ("symbol", {"symbol": "Cart"}), ("references", {"name": "Cart"})):
            answer = ask(tool, arguments)
            assert answer.is_error and said in answer.text
        assert "Indexing failed" in ask("status", {}).text and "no room on the disk" in ask("status", {}).text
    finally:
        desk.close()


def test_a_long_call_tells_how_far_it_is(unready: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[float, float | None]] = []
    answered = asyncio.Event()

    class Session:
        async def report_progress(self, done: float, total: float | None, _: str) -> None:
            told.append((done, total))
            answered.set()

    async def wait() -> Answer:
        work = asyncio.ensure_future(answer())
        return await server._with_progress(work, unready, SimpleNamespace(session=Session()))

    async def answer() -> Answer:
        await answered.wait()
        return Answer("done")

    until = time.monotonic() + 60
    while unready.progress != (3, 9):
        assert time.monotonic() < until, unready.progress
        time.sleep(0.01)
    monkeypatch.setattr(server, "PROGRESS_SECONDS", 0.01)
    assert asyncio.run(wait()) == Answer("done")
    assert told == [(3, 9)]


def test_a_session_of_many_calls_while_files_change(tmp_path: Path) -> None:
    """Four at a time, 200 in all: each is answered, none with a fault, and none with a symbol that never was."""
    root = write_files(tmp_path / "tree", {f"m{n}.py": f"class C{n}:\n    def method_{n}(self): pass\n" for n in range(40)})
    faults: list[Any] = []
    with McpClient([root], tmp_path / "indexes", LEGACY) as client:
        client.until("status", "Up to date")  # before that an answer is a part, and says so

        def work(worker: int) -> None:
            for number in range(50):
                n = (worker * 50 + number) % 40
                tool, arguments = [
                    ("search", {"query": f"method_{n}"}),
                    ("symbol", {"symbol": f"C{n}"}),
                    ("outline", {"path": f"m{n}.py"}),
                    ("status", {}),
                    ("search", {"queries": [f"C{n}", "method"], "max_tokens": 300}),
                ][number % 5]
                result = client.call(tool, **arguments)
                if result["isError"] or (tool == "search" and f"C{n}" not in result["content"][0]["text"]):
                    faults.append((tool, arguments, result))

        workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in workers:
            thread.start()
        version = 0
        while any(thread.is_alive() for thread in workers):
            version += 1
            for n in range(0, 40, 7):
                # As editors save: a file that is cut short for a moment would be read as it is then.
                write_files(tmp_path, {"saved": "\n" * version + f"class C{n}:\n    def method_{n}(self): return {version}\n"})
                os.replace(tmp_path / "saved", root / f"m{n}.py")
            time.sleep(0.02)
        assert client.odd == []
    assert faults == []
    assert client.process.returncode == 0


BROKEN = [
    b"\n",
    b"not json\n",
    b'{"jsonrpc": "2.0", "id": 900, "method": 5}\n',
    b"[1, 2]\n",
    b'{"jsonrpc": "2.0", "id": 901}\n',
    b"\xff\xfe\x00\n",
    b'{"jsonrpc":"2.0","id":902,"method":"tools/call","params":{"name":"search","arguments":{"query":"'
    + b"[" * 50_000
    + b'"}}}\n',
]


def test_broken_messages_harm_nobody(client: McpClient) -> None:
    for message in BROKEN:
        client.send(message)
    assert "# Search" in client.text("search", query="calc")
    assert client.odd == []


def as_call(arguments: bytes) -> bytes:
    call = b'{"jsonrpc":"2.0","id":777,"method":"tools/call","params":{"name":"search","arguments":'
    return call + arguments + b"}}\n"


UNREADABLE = [
    (b"[" * 200_000 + b"\n", None, "no JSON that can be read: maximum recursion depth"),
    (as_call(b'{"query":' + b"[" * 3_000 + b"]" * 3_000 + b"}"), None, "recursion depth"),
    (as_call(rb'{"query":"\ud800"}'), 777, "no JSON that can be read"),
    (as_call(b'{"query":"\xff"}'), 777, "no JSON that can be read"),
    (as_call(b'{"query":' + b"9" * 5_000 + b"}"), None, "no JSON that can be read"),
    (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]\n', None, "no message of JSON-RPC 2.0"),
    (b'{"jsonrpc":"2.0","id":778,"method":5}\n', 778, "no message of JSON-RPC 2.0"),
]


@pytest.mark.parametrize("when", ["first", "later"])
def test_what_cannot_be_read_is_answered_and_harms_nobody(tree: Path, tmp_path: Path, when: str) -> None:
    """Neither while the SDK is being loaded, nor after that."""
    with McpClient([tree], tmp_path / "indexes", MODERN) as client:
        if when == "later":
            client.text("status")
        for message, number, said in UNREADABLE:
            client.send(message)
            error = client.wait(number)["error"]
            assert said in error["message"], message[:100]
        assert "# Search" in client.text("search", query="calc")
    assert client.odd == [] and client.process.returncode == 0


def n_waiting(pipe: Any) -> int:
    """How many bytes could be read."""
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_the_end_of_a_client_that_reads_nothing(tree: Path, tmp_path: Path) -> None:
    process = McpClient.start([tree], tmp_path / "indexes")
    assert process.stdin is not None
    call = {"name": "search", "arguments": {"queries": ["a", "calc", "get", ""] * 5, "max_tokens": 9_000}, "_meta": META}
    try:
        for number in range(40):  # more than the pipe takes
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        until = time.monotonic() + 60
        while n_waiting(process.stdout) < 60_000:
            assert time.monotonic() < until
            time.sleep(0.05)
        process.stdin.close()
        assert process.wait(30) == 0
    finally:
        process.kill()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def test_what_is_too_long_is_no_message(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    with McpClient([root], tmp_path / "indexes", LEGACY) as client:
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (40 << 20) + b'"}\n')
        assert "longer than 16 MiB" in client.wait(None)["error"]["message"]
        assert "`only`" in client.text("search", query="only")


NOBODY: Any = SimpleNamespace(session=SimpleNamespace(client_params=None))
"""The context of a call of a client that has not said who it is."""


def test_a_call_that_its_client_gives_up_leaves_no_trace(unready: Desk, caplog: pytest.LogCaptureFixture) -> None:
    async def give_up() -> None:
        call = server.make_server(unready, "auto").get_request_handler("tools/call")
        assert call is not None
        asked = asyncio.ensure_future(call.handler(NOBODY, SimpleNamespace(name="outline", arguments={})))
        await asyncio.sleep(0.2)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await asyncio.sleep(0.2)
        gc.collect()

    asyncio.run(give_up())
    assert caplog.records == []  # as "Future exception was never retrieved"


def test_a_budget_has_an_end(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "".join(f"def wanted_number_{i}(): pass\n" for i in range(9_000))})
    desk = Desk([root], str(tmp_path / "indexes"))
    try:
        until_ready(desk)
        for tool, arguments in (("search", {"query": "wanted", "max_items": 10**9}), ("outline", {})):
            text = desk.answer(tool, {**arguments, "max_tokens": 10**9}, threading.Event()).text
            assert MOST_TOKENS / 2 < estimate_tokens(text) <= MOST_TOKENS
    finally:
        desk.close()


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    write_files(tmp_path / "outside", {"secret.py": "def secret(): pass\n"})
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    os.symlink(tmp_path / "outside", root / "link")
    os.symlink(tmp_path / "outside" / "secret.py", root / "secret.py")
    desk = Desk([root], str(tmp_path / "indexes"))
    try:
        until_ready(desk)
        for path in ("link/secret.py", "secret.py", "link"):
            answer = desk.answer("outline", {"path": path}, threading.Event())
            assert answer.is_error and "leads out of the root by a link" in answer.text
        assert "No symbol" in desk.answer("search", {"query": "secret"}, threading.Event()).text
    finally:
        desk.close()


def test_a_pattern_that_could_take_for_ever(desk: Desk) -> None:
    until_ready(desk)
    began = time.process_time()
    for query in ("*a" * 200 + "b", "(" * 300 + "a" + ")" * 300, "a OR " * 900 + "b", "\x1b[31m\u202e", "NOT " * 500 + "a"):
        assert desk.answer("search", {"query": query}, threading.Event()).text
    assert time.process_time() - began < 10


def test_the_instructions_are_short() -> None:
    assert estimate_tokens(greeting.INSTRUCTIONS) < 300
