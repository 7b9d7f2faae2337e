"""Our answers in the forms of Sibyl and context-mode, and the calls that a fake workspace gets."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from symindex.dialects.dialect import CallContext, Reply
from symindex.dialects.sibyl import LONGEST_CONTENT, PREVIEW, result
from symindex.dialects.table import dialect, reply_to
from symindex.dialects.throttle import Turn
from symindex.errors import RequestError
from symindex.protocol.freshness import CURRENT
from symindex.protocol.recall import (
    Related,
    TextHit,
    TextRequest,
    TextResponse,
    TextSection,
    check_text_request,
)


def hit(**more: Any) -> TextHit:
    fields: dict[str, Any] = {
        "id": "a.md:3", "title": "T", "source": "a.md", "line": 3, "content": "text", "score": 1.5,
        "content_type": "prose", "added": "", "type": "skill", "result_origin": "document",
    }  # fmt: skip
    return TextHit(**(fields | more))


RESULTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"id": "a.md:3", "type": "skill", "result_origin": "graph", "metadata": {"line": 3}}),
    ({"is_document": True}, {"type": "document", "result_origin": "document"}),
    ({"is_document": True, "result_origin": "graph"}, {"type": "skill", "result_origin": "graph"}),
    ({"type": "note", "result_origin": "note"}, {"type": "episode", "result_origin": "graph"}),
    ({"metadata": {"id": 7, "a": 1}, "added": "2026", "stale": True}, {"id": "7", "metadata": {"line": 3, "date": "2026", "a": 1, "stale": True}}),
    ({"metadata": {"id": ""}}, {"id": "a.md:3", "metadata": {"line": 3}}),
    ({"url": "http://x"}, {"url": "http://x", "name": "T", "score": 1.5, "source": "a.md"}),
    ({"content": "x" * LONGEST_CONTENT}, {"content": "x" * LONGEST_CONTENT, "metadata": {"line": 3}}),
    ({"content": "x" * (LONGEST_CONTENT + 1)}, {"content": "x" * LONGEST_CONTENT, "metadata": {"line": 3, "truncated": True}}),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), RESULTS)
def test_a_result_of_sibyl(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    shown = result(hit(**fields))
    assert {name: shown[name] for name in expected} == expected
    assert ("url" in shown) == ("url" in fields)


def test_a_preview_is_cut() -> None:
    assert result(hit(content="x" * PREVIEW), is_whole=False)["content"] == "x" * PREVIEW
    assert (
        result(hit(content="x" * (PREVIEW + 1)), is_whole=False)["content"] == "x" * PREVIEW + "…"
    )


class AnsweringOnce:
    """A workspace with fixed answers, which remembers the request."""

    def __init__(self, *sections: TextSection, related: Any = None, **more: Any) -> None:
        self.request = TextRequest(queries=[])
        self.sections, self.neighbours, self.more = [*sections], related, more

    def recall(self, request: TextRequest, freshness: Any) -> TextResponse:
        self.request = request
        return TextResponse(
            request=request, sections=self.sections, total=0, symbol_count=0, document_count=0,
            note_count=0, graph_count=0, usage_hint="", **self.more,
        )  # fmt: skip

    def related(self, _: str, freshness: Any) -> Any:
        return self.neighbours


def section(*items: TextHit, **more: Any) -> TextSection:
    fields: dict[str, Any] = {"query": "q", "items": [*items], "total": 9, "has_more": True}
    return TextSection(**(fields | more))


def called(
    name: str,
    tool: str,
    workspace: AnsweringOnce,
    in_shell: bool = False,
    turn: Turn | None = None,
    **given: Any,
) -> Reply:
    (chosen_tool,) = [
        dialect_tool for dialect_tool in dialect(name).tools if dialect_tool.name == tool
    ]
    context = CallContext(cast(Any, workspace), CURRENT, "S", turn, in_shell=in_shell)
    return chosen_tool.call(context, given)


def test_a_search_of_sibyl() -> None:
    workspace = AnsweringOnce(section(hit(), n_documents=4, notices=["two"]), notices=["one"])
    reply = called(
        "sibyl", "search", workspace, query="q", types=["task"], category="a, ,b", limit=7, offset=2
    )
    data = reply.data
    assert (data["total"], data["graph_count"], data["document_count"]) == (9, 5, 4)
    assert (data["limit"], data["offset"], data["has_more"], data["query"]) == (7, 2, True, "q")
    assert data["filters"] == {"types": ["task"], "category": "a, ,b"}
    assert data["notices"] == ["one", "two"] and reply.n_results == 1
    request = workspace.request
    assert (request.category, request.types, request.session) == (["a", "b"], ["task"], "S")
    assert (request.by_entity, request.limit, request.offset) == (True, 7, 2)
    assert "notices" not in called("sibyl", "search", AnsweringOnce(section()), query="q").data


HINTS: list[tuple[list[TextHit], bool, bool, str]] = [
    ([], True, False, "Nothing was found; try fewer words, types or filters"),
    ([hit()], False, False, 'Results show previews. To get full content, use: explore with mode "related" and the id of a result as entity_id'),
    ([hit()], False, True, "Results show previews. To get full content, use: `symindex symbol ID`"),
    ([hit()], True, True, "Results contain their full content. To see what is related to one, use: `symindex related ID`"),
    ([hit()], True, False, 'Results contain their full content. To see what is related to one, use: explore with mode "related" and the id of a result as entity_id'),
    ([hit(), hit(content="x" * 20_001)], True, True, "Truncated results contain 20,000 characters, others their full content. To get more, use: `symindex symbol ID`"),
]  # fmt: skip


@pytest.mark.parametrize(("hits", "is_whole", "in_shell", "expected"), HINTS)
def test_the_hint_of_sibyl(
    hits: list[TextHit], is_whole: bool, in_shell: bool, expected: str
) -> None:
    reply = called(
        "sibyl",
        "search",
        AnsweringOnce(section(*hits)),
        in_shell,
        query="q",
        include_content=is_whole,
    )
    assert reply.data["usage_hint"] == expected


def test_a_question_that_cannot_be_answered() -> None:
    reply = called("sibyl", "search", AnsweringOnce(section(error="no words")), query="q")
    assert reply.is_error and "search: no words" in reply.text


def test_explore_of_sibyl() -> None:
    listed = AnsweringOnce(section(hit()))
    reply = called("sibyl", "explore", listed, mode="list")
    assert (reply.data["mode"], len(reply.data["entities"]), reply.data["total"]) == ("list", 1, 9)
    assert listed.request.types == ["project"] and listed.request.include_content
    long = hit(content="x" * (LONGEST_CONTENT + 1))
    rows = [Related(relation="note", hit=long)] * 3
    workspace = AnsweringOnce(related=(long, rows))
    reply = called("sibyl", "explore", workspace, mode="related", entity_id="a", limit=2)
    assert (reply.data["mode"], reply.data["total"], reply.n_results) == ("related", 3, 3)
    assert len(reply.data["entity"]["content"]) == LONGEST_CONTENT + 1
    assert [row["relationship"] for row in reply.data["related"]] == ["note", "note"]
    assert len(reply.data["related"][0]["content"]) == LONGEST_CONTENT
    missing = called("sibyl", "explore", AnsweringOnce(), mode="related")
    assert "explore: entity_id is missing: use the id of a search result" in missing.text
    nothing = called("sibyl", "explore", AnsweringOnce(), mode="related", entity_id="e" * 101)
    assert f"explore: there is nothing with the id '{'e' * 100}': use the id of a" in nothing.text


def test_a_search_of_context_mode() -> None:
    workspace = AnsweringOnce(
        section(hit(content="a\n\n", added="2026-11-27T10:11:12Z"), hit(title=""), notices=["two"]),
        section(),
        section(error="no words"),
        notices=["one"],
    )
    reply = called("context-mode", "ctx_search", workspace, queries=["q"], source="log")
    assert reply.text == (
        "## `q`\n\n### `T`\n`a.md`:3, 2026-11-27 10:11 `a.md:3`\n```\na\n```\n\n"
        "###\n`a.md`:3 `a.md:3`\n```\ntext\n```\n\n> two\n\n"
        "## `q`\n\nNo results in sources with `log` in their label.\n\n"
        "## `q`\n\nno words\n\n> one\n"
    )
    assert (
        reply.n_results == 2 and "throttle" not in reply.data and len(reply.data["sections"]) == 3
    )
    request = workspace.request
    assert (request.limit, request.source, request.this_session, request.session) == (
        3,
        "log",
        True,
        "S",
    )
    bare = called("context-mode", "ctx_search", AnsweringOnce(section()), queries="q")
    assert bare.text == "## `q`\n\nNo results.\n"


def turn(most: int | None = None, is_refused: bool = False) -> Turn:
    return Turn(4, 8, 60.0, most, is_refused, 3.2)


def test_counted_calls_of_context_mode() -> None:
    workspace = AnsweringOnce(section())
    reply = called("context-mode", "ctx_search", workspace, turn=turn(), queries="q", limit=5)
    assert workspace.request.limit == 5 and reply.data["throttle"] == "call #4/8 in 60 s"
    assert reply.text.endswith("\n> call #4/8 in 60 s\n")
    reply = called("context-mode", "ctx_search", workspace, turn=turn(1), queries="q", limit=5)
    assert workspace.request.limit == 1
    assert reply.data["throttle"] == (
        "call #4/8 in 60 s; 1 result per query from now on; send several queries in one call"
    )
    refused = called("context-mode", "ctx_search", workspace, turn=turn(1, True), queries="q")
    assert refused.text == (
        "ctx_search: call #4/8 in 60 s: blocked; wait 4 s; read the results so far, then send "
        "several queries in one call"
    )
    missing = called("context-mode", "ctx_search", workspace)
    assert missing.text.startswith("ctx_search: queries is missing: send a list of questions")


def test_an_unknown_tool_is_named() -> None:
    with pytest.raises(RequestError) as caught:
        reply_to(cast(Any, SimpleNamespace()), dialect("lsap"), "x" * 101, {})
    assert str(caught.value).startswith(
        f"unknown tool of lsap '{'x' * 100}': expected one of search"
    )


def test_the_sizes_of_a_search_in_prose() -> None:
    one, several = TextRequest(queries=["a"]), TextRequest(queries=["a", "b"])
    assert (one.most, several.most, TextRequest(queries=["a"], limit=7).most) == (10, 3, 7)
    assert (one.room, several.room, TextRequest(queries=["a"], limit=50).room) == (
        1_500,
        1_500,
        600,
    )
    assert TextRequest(queries=["a"], max_characters=700).room == 80
    assert TextRequest(queries=["a"], limit=1, max_characters=81).room == 81
    assert TextRequest(queries=[], max_characters=900).room == 900
    assert not one.has_filters and TextRequest(queries=["a"], since="7d").has_filters
    filtered = TextRequest(
        queries=["a"], source_id="x", content_type="code", include_graph=False, by_entity=True
    )
    assert filtered.filters_given == ["source id", "content type", "include graph"]
    assert TextRequest(queries=["a"], include_graph=False).filters_given == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"queries": []}, "0 queries: give 1 to 20"), ({"queries": ["a"] * 21}, "21 queries: give 1 to 20"),
        ({"limit": 0}, "limit 0: expected 1 to 50"), ({"limit": 51}, "limit 51: expected 1 to 50"),
        ({"offset": -1}, "offset -1: expected 0 or more"),
        ({"max_characters": 0}, "max_characters 0: expected 1 or more"),
        ({"since": "x"}, "since 'x': expected a date as 2026-05-31, or 12h, 7d, 2w, 3mo, 1y"),
    ],
)  # fmt: skip
def test_a_search_in_prose_that_cannot_be_answered(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_text_request(TextRequest(**({"queries": ["a"]} | fields)))
    assert str(caught.value) == message
    for good in (
        {"limit": 1},
        {"limit": 50},
        {"offset": 0},
        {"max_characters": 1},
        {"since": "7d"},
    ):
        check_text_request(TextRequest(**({"queries": ["a"] * 20} | good)))
