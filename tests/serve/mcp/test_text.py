"""Text, notes and writing through the MCP server, and the throttle."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.dialects.throttle import Throttle, Turn
from symindex.errors import RequestError
from symindex.serve.mcp.answers import ToolAnswer
from symindex.serve.mcp.client_profiles import OWN_TOOLS
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.tools import WRITES
from symindex.text.token_budget import estimate_tokens
from symindex.workspace.workspace import open_notes
from tests.support.mcp_client import McpClient
from tests.support.pdf import pdf_of


@pytest.fixture
def handlers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ToolHandlers]:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv(WRITES, raising=False)
    root = tmp_path / "tree"
    root.mkdir()
    (root / "guide.md").write_text(
        "# Rate limits\n\nRequests are throttled per user.\n\n" + "## More\n\nthrottled " * 200
    )
    (root / "main.py").write_text("class Throttle:\n    pass\n")
    tool_handlers = ToolHandlers([root], str(tmp_path / "index"))
    yield tool_handlers
    tool_handlers.workspace.close()


def call(handlers: ToolHandlers, tool: str, turn: Turn | None = None, **given: Any) -> ToolAnswer:
    return handlers.answer(tool, given, threading.Event(), turn)


@pytest.mark.nightly
def test_questions_are_answered_from_text_within_the_budget(handlers: ToolHandlers) -> None:
    answer = call(
        handlers,
        "search",
        query="how are requests throttled",
        **{"in": "text"},  # type: ignore[arg-type]
        max_tokens=300,
    )
    assert (
        not answer.is_error and "Rate limits" in answer.text and estimate_tokens(answer.text) <= 300
    )
    both = call(
        handlers,
        "search",
        queries=["throttled requests", "class of throttle"],
        sort="timeline",
        limit=1,
    )
    assert both.text.count("# Search:") == 2
    filtered = call(
        handlers,
        "search",
        query="throttled",
        types=["document"],
        include_graph=False,
        source_name="guide",
    )
    assert {item.source for item in filtered.data.sections[0].items} == {"guide.md"}
    assert call(handlers, "search", query="Throttle").data.items[0].name == "Throttle"
    fallen = call(handlers, "search", query="how are requests throttled")
    assert "In text:" in fallen.text or "throttled" in fallen.text
    for wrong in ({"in": "texts"}, {"in": "text", "since": "soon"}, {"in": "text", "colour": 1}):
        refused = call(handlers, "search", query="x", **wrong)
        assert refused.is_error and "\n" not in refused.text


def test_ids_of_notes_and_of_added_content_are_shown_by_symbol(
    handlers: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WRITES, "1")
    call(handlers, "note", text="The throttle is per user, MARKED", category="decision")
    call(handlers, "add", source="handbook", text="# Throttles\n\nEach has a window, STORED.\n")
    hits = (
        call(handlers, "search", query="throttle user window", **{"in": "all"})  # type: ignore[arg-type]
        .data.sections[0]
        .items
    )
    shown = {hit.id: call(handlers, "symbol", symbol=hit.id).text for hit in hits}
    assert "MARKED" in shown["note:1"] and "STORED" in shown["chunk:1"]


def test_writing_is_off_unless_it_is_turned_on(
    handlers: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool, given in (("note", {"text": "x"}), ("add", {"source": "s", "text": "x"})):
        assert f"{WRITES}=1" in call(handlers, tool, **given).text  # type: ignore[arg-type]
    assert "note" not in json.dumps([tool["name"] for tool in OWN_TOOLS.tools_for("x")])
    monkeypatch.setenv(WRITES, "1")
    assert [tool["name"] for tool in OWN_TOOLS.tools_for("claude")][-2:] == ["note", "add"]
    assert all(not tool["annotations"]["readOnlyHint"] for tool in OWN_TOOLS.tools_for("x")[-2:])
    assert (
        call(
            handlers,
            "note",
            text="We cache for an hour",
            category="decision",
            links=["main.py#Throttle"],
        ).text
        == "note 1\n"
    )
    assert not call(
        handlers, "add", source="manual", text="# Quotas\n\nA quota is a limit of requests."
    ).is_error
    answer = call(handlers, "search", query="what is a quota", **{"in": "all"})  # type: ignore[arg-type]
    assert "manual" in answer.text
    assert "note:1" in call(handlers, "search", query="cache hour", **{"in": "notes"}).text  # type: ignore[arg-type]
    for given in (
        {"source": "s"},
        {"source": "s", "text": "x", "url": "http://example.org"},
        {"source": "", "text": "x"},
    ):
        assert call(handlers, "add", **given).is_error  # type: ignore[arg-type]
    assert (
        "not a public address" in call(handlers, "add", source="s", url="http://127.0.0.1:1/").text
    )
    assert call(handlers, "note", text="x", category="A B").is_error


def test_a_note_of_an_agent_is_kept_without_secrets(
    handlers: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WRITES, "1")
    secret = "ghp_" + "a1B2" * 9
    given = {
        "text": f"push with {secret}",
        "session": f"s-{secret}",
        "links": [f"https://bob:hunter22@example.org/{secret}"],
    }
    answer = call(handlers, "note", **given)  # type: ignore[arg-type]
    assert (
        answer.text.startswith("note 1\n> text that looks like keys or passwords was replaced")
        and "3 github, 1 url-password" in answer.text
    )
    assert answer.data["notices"] == [answer.text.splitlines()[1].removeprefix("> ")]
    with open_notes(handlers.workspace.folders.all[0].root) as notes:
        kept = json.dumps([msgspec.to_builtins(note) for note in notes.export()])
    assert secret[:12] not in kept and "hunter22" not in kept and "push with [secret]" in kept
    for wrong in ({"category": secret.lower()[:40]}, {"session": secret * 40}):
        assert call(handlers, "note", text="x", **wrong).is_error  # type: ignore[arg-type]
    begun = time.process_time()
    assert call(handlers, "note", text="token=" * 650).text.startswith("note 2\n")
    assert time.process_time() - begun < 3


@pytest.mark.nightly
@pytest.mark.slow
def test_adding_a_bomb_delays_no_other_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WRITES, "1")
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    root = tmp_path / "tree"
    root.mkdir()
    (root / "main.py").write_text("class Throttle:\n    pass\n")
    long_page = pdf_of("words", 200_000, is_compressed=False).decode("latin-1")
    with McpClient([root], tmp_path / "index") as client:
        client.text("search", query="Throttle")
        for number, text in enumerate(["<!---->" * 60 + "<x", *[long_page] * 20]):
            client.begin(
                "tools/call",
                {"name": "add", "arguments": {"source": f"bomb {number}", "text": text}},
            )
        assert "Throttle" in client.text("search", query="Throttle")
        assert "Throttle" in client.text("search", query="how is a throttle made", **{"in": "all"})


def test_the_throttle_tapers_and_then_refuses() -> None:
    one, other = "one", "other"
    assert Throttle({}).take(one) is None
    throttle = Throttle(
        {"SYMINDEX_SEARCH_MAX_RESULTS_AFTER": "2", "SYMINDEX_SEARCH_BLOCK_AFTER": "3"}
    )
    turns = [throttle.take(one) for _ in range(5)]
    assert [turn and (turn.number, turn.most, turn.is_refused) for turn in turns] == [
        (1, None, False), (2, None, False), (3, 1, False), (4, 1, True), (4, 1, True)
    ]  # fmt: skip
    assert turns[0] and turns[0].told == "call #1/3 in 60 s"
    fresh = throttle.take(other)
    assert fresh is not None and fresh.number == 1
    short = Throttle({"SYMINDEX_SEARCH_WINDOW_MS": "1", "SYMINDEX_SEARCH_BLOCK_AFTER": "1"})
    short.take(one)
    threading.Event().wait(0.01)
    turn = short.take(one)
    assert turn is not None and not turn.is_refused
    theirs = Throttle({"CONTEXT_MODE_SEARCH_BLOCK_AFTER": "1"})
    assert [turn and turn.is_refused for turn in (theirs.take(one), theirs.take(one))] == [
        False,
        True,
    ]
    for wrong in ("0", "-1", "many", "1.5"):
        with pytest.raises(RequestError, match="WINDOW_MS"):
            Throttle({"SYMINDEX_SEARCH_WINDOW_MS": wrong})


def test_after_the_soft_cap_a_query_gets_one_result(handlers: ToolHandlers) -> None:
    turn = Turn(4, 8, 60, most=1, is_refused=False)
    assert (
        call(handlers, "search", turn, query="throttled", **{"in": "text"}, limit=10).text.count(
            "`guide.md`"
        )
        == 1
    )
    assert len(call(handlers, "search", turn, query="", max_items=5).data["items"]) == 1
    for arguments in ({"query": "throttled", "in": "text"}, {"query": "Throttle"}):
        assert call(handlers, "search", turn, **arguments).data["throttle"] == turn.told


@pytest.mark.nightly
def test_pages_say_that_a_file_is_broken_or_conflicted(
    handlers: ToolHandlers, tmp_path: Path
) -> None:
    root = tmp_path / "tree"
    (root / "A.java").write_text(
        "class A {\n    void f() {\n        g();\n\n    void wrecked() {\n    }\n}\n"
    )
    (root / "b.py").write_text(
        "class B:\n<<<<<<< HEAD\n    def ours(self):\n=======\n    def theirs(self):\n>>>>>>> x\n        return 1\n"
    )
    notice = "is broken at line 5; members may appear outside of their class"
    assert notice in call(handlers, "outline", path="A.java").text
    assert notice in call(handlers, "search", query="wrecked").text
    assert notice in call(handlers, "symbol", id="A.java#A.wrecked").text
    for page in call(handlers, "outline", path="b.py"), call(handlers, "search", query="theirs"):
        assert "contains the markers of an unfinished merge" in page.text
    assert "broken" not in call(handlers, "search", query="Throttle").text


def test_phrasings_of_a_question(handlers: ToolHandlers) -> None:
    answer = call(handlers, "search", query="limit visitors", phrasings=["throttle", "("])
    assert answer.text.startswith("# Search: `limit visitors` and 2 other phrasings\n")
    assert "\nmain.py\n- 1 `Throttle` (class, by 2): `class Throttle`\n" in answer.text
    assert answer.data.items[0].phrasings == [2]
    assert call(handlers, "search", phrasings="throttle").data.items == (
        call(handlers, "search", query="throttle").data.items
    )
    text: dict[str, Any] = {"in": "text", "query": "visitors", "phrasings": ["rate limits"]}
    assert "guide.md`:1, by 2" in call(handlers, "search", **text).text
    refused = call(handlers, "search", queries=["a", "b"], phrasings=["c"])
    assert refused.is_error and "phrasings belong to one query: send it as query" in refused.text


@pytest.mark.nightly
def test_the_hint_on_phrasings(handlers: ToolHandlers) -> None:
    given: dict[str, Any]
    hint = "> Say it in the words of the code, in several ways: `phrasings: [...]`\n"
    for given in ({"query": "throttle zzqq"}, {"queries": ["throttle zzqq", "throttle qqzz"]}):
        assert call(handlers, "search", **given).text.count(hint) == 1
    for given in (
        {"query": "throttle"},
        {"query": "throttle zzqq", "phrasings": ["qqzz throttle"]},
    ):
        assert hint not in call(handlers, "search", **given).text


def test_a_search_without_arguments_says_what_to_give(handlers: ToolHandlers) -> None:
    given: dict[str, Any]
    hint = "> No query: these symbols are used most. Give a name or words as `query`.\n"
    for given in ({}, {"query": ""}, {"queries": []}, {"phrasings": [], "kinds": None}):
        assert call(handlers, "search", **given).text.endswith(f"\n{hint}")
    for given in ({"query": "throttle"}, {"kinds": ["class"]}):
        assert hint not in call(handlers, "search", **given).text
    given = {"in": "text"}
    assert call(handlers, "search", **given).text == (
        "the request: give a query, or several as queries"
    )
