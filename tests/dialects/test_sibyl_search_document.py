"""Tests each statement of the document of Sibyl's search: entities and documents, filters, time,
pages, response, examples."""

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.dialect_client import (
    Answer,
    Arguments,
    Check,
    DialectServer,
    case,
    every,
    exactly,
    has,
    in_order,
    lacks,
    refused,
    told,
    types_of,
)
from tests.support.dialect_knowledge import STATUSES, TYPES, date, make_knowledge
from tests.support.dialect_world import World

FILTERS = (
    "types",
    "language",
    "category",
    "status",
    "project",
    "assignee",
    "source",
    "source_id",
    "source_name",
    "since",
)
FLAGS = ("include_content", "include_documents", "include_graph", "use_enhanced", "boost_recent")
RESPONSE = {
    "results",
    "total",
    "query",
    "filters",
    "graph_count",
    "document_count",
    "limit",
    "offset",
    "has_more",
    "usage_hint",
}
WALRUS = [f"topic_walrus_{number:02}" for number in range(12)]
KIWIS = [f"{kind}_kiwi" for kind in TYPES]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_knowledge(tmp_path_factory.mktemp("sibyl"))


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[DialectServer]:
    with world.serve("sibyl") as server:
        yield server


def ask(query: str, **more: Any) -> dict[str, Any]:
    return {"query": query, **more}


def tasks(query: str, **more: Any) -> dict[str, Any]:
    return {"query": query, "types": ["task"], **more}


def rows(number: int) -> Check:
    def check(answer: Answer) -> None:
        assert len(answer.results) == number

    return check


def counts_add_up(answer: Answer) -> None:
    data = answer.data
    assert data["graph_count"] + data["document_count"] == data["total"]
    assert data["has_more"] == (data["offset"] + len(data["results"]) < data["total"])


def says(text: str) -> Check:
    """The content of a result contains a text."""

    def check(answer: Answer) -> None:
        assert any(text in row["content"].replace("**", "") for row in answer.results), answer.text

    return check


def says_not(text: str) -> Check:
    def check(answer: Answer) -> None:
        assert not any(text in row["content"].replace("**", "") for row in answer.results), (
            answer.text
        )

    return check


def first(entity_id: str) -> Check:
    def check(answer: Answer) -> None:
        assert answer.ids[0] == entity_id, answer.ids

    return check


def origins(*expected: str) -> Check:
    def check(answer: Answer) -> None:
        assert {row["result_origin"] for row in answer.results} == set(expected), answer.text

    return check


def nothing(answer: Answer) -> None:
    assert (
        answer.data["results"] == []
        and answer.data["total"] == 0
        and answer.data["has_more"] is False
    )


def without_results(answer: Answer) -> None:
    """Nothing is found, or the request is refused with a message; the document leaves this open."""
    if answer.is_error:
        assert answer.refusal
    else:
        nothing(answer)


def scores_lie_in_range(answer: Answer) -> None:
    scores = [row["score"] for row in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def metadata(entity_id: str, **expected: Any) -> Check:
    def check(answer: Answer) -> None:
        (row,) = [row for row in answer.results if row["id"] == entity_id]
        assert {name: row["metadata"].get(name) for name in expected} == expected

    return check


def filters_told(**expected: Any) -> Check:
    def check(answer: Answer) -> None:
        assert {name: answer.data["filters"].get(name) for name in expected} == expected

    return check


OAUTH = ask("OAuth implementation patterns")
EXAMPLES = [
    case("example: basic search", OAUTH, first("pattern_abc123")),
    case(
        "example: its metadata",
        OAUTH,
        metadata("pattern_abc123", category="authentication", languages=["typescript", "python"]),
    ),
    case(
        "example: its response",
        OAUTH,
        told(query="OAuth implementation patterns", filters={}),
        counts_add_up,
    ),
    case(
        "example: tasks by status",
        tasks("authentication", project="proj_abc123", status="todo,doing"),
        exactly("task_login", "task_logout"),
    ),
    case(
        "example: documentation only",
        ask("Next.js middleware configuration", source_name="next-docs", include_graph=False),
        says("NEXTMARK"),
        every("type", "document"),
        origins("document"),
        told(graph_count=0),
    ),
    case(
        "example: language",
        ask("error handling patterns", types=["pattern", "rule"], language="python"),
        has("pattern_err_py", "rule_err_py"),
        lacks("pattern_err_go", "template_err"),
    ),
    case(
        "example: recent knowledge",
        ask("debugging insights", types=["episode"], since="7d"),
        exactly("episode_new"),
    ),
    case(
        "example: discovery",
        ask("API reference", types=["document"], source_name="api-docs"),
        says("APIMARK"),
        every("type", "document"),
    ),
]
ENTITIES = [
    *[
        case(
            f"types: {kind}",
            ask("kiwi", types=[kind]),
            exactly(f"{kind}_kiwi"),
            every("type", kind),
            origins("graph"),
        )
        for kind in TYPES
    ],
    case(
        "types: document",
        ask("middleware", types=["document"]),
        says("NEXTMARK"),
        every("type", "document"),
        origins("document"),
    ),
    case("types: several", ask("kiwi", types=["task", "rule"]), exactly("task_kiwi", "rule_kiwi")),
    case(
        "types: an entity and documents",
        ask("tarsier routes", types=["topic", "document"]),
        has("topic_tarsier"),
        says("TARSIERDOC"),
    ),
    case("types: all by default", ask("kiwi"), has(*KIWIS)),
    case(
        "types: one that is none is refused with the known ones",
        ask("kiwi", types=["gadget"]),
        refused("gadget", "pattern", "document"),
    ),
    *[
        case(f"status: {name}", tasks("sloth", status=name), exactly(f"task_{name}"))
        for name in STATUSES
    ],
    case(
        "status: comma-separated",
        tasks("sloth", status="backlog,review,archived"),
        exactly("task_backlog", "task_review", "task_archived"),
    ),
    case(
        "status: a blank behind the comma",
        tasks("sloth", status="todo, doing"),
        exactly("task_todo", "task_doing"),
    ),
    case("project", tasks("authentication", project="proj_xyz789"), exactly("task_scan")),
    case(
        "project: one that is none", tasks("authentication", project="proj_none"), without_results
    ),
    case("assignee", tasks("authentication", assignee="Ada"), exactly("task_login")),
    case("assignee: another", tasks("authentication", assignee="Grace"), exactly("task_logout")),
    case(
        "language",
        ask("error handling patterns", types=["pattern"], language="go"),
        exactly("pattern_err_go"),
    ),
    case(
        "language: one of several",
        ask("OAuth", types=["pattern"], language="typescript"),
        exactly("pattern_abc123"),
    ),
    case(
        "language: none of several",
        ask("OAuth", types=["pattern"], language="cobol"),
        without_results,
    ),
    case(
        "language: of all types",
        ask("error handling patterns", language="python"),
        lacks("pattern_err_go"),
    ),
    case("category", ask("OAuth", category="authentication"), exactly("pattern_abc123")),
    case("category: another", ask("OAuth", category="cooking"), without_results),
    case(
        "source: of the graph",
        ask("OAuth", source="handbook-of-auth", include_documents=False),
        exactly("pattern_abc123"),
    ),
    case("source_name: part of a label", ask("middleware", source_name="next"), says("NEXTMARK")),
    case("source_name: another", ask("middleware", source_name="api"), says_not("NEXTMARK")),
    case(
        "source_name: with documents alone",
        ask("API reference", source_name="api-docs", include_graph=False),
        origins("document"),
    ),
    case(
        "filters: several must all match",
        tasks("authentication", status="todo", project="proj_abc123"),
        exactly("task_login"),
    ),
    case("filters: are told", tasks("sloth", status="todo"), filters_told(types=["task"])),
    case("filters: empty without any", ask("kiwi"), told(filters={})),
]
TIMES = [
    case(
        "since: 7d",
        ask("debugging insights", types=["episode"], since="7d"),
        exactly("episode_new"),
    ),
    case(
        "since: 2w",
        ask("debugging insights", types=["episode"], since="2w"),
        exactly("episode_new", "episode_mid"),
    ),
    case(
        "since: an ISO date",
        ask("debugging insights", types=["episode"], since=date(30)),
        exactly("episode_new", "episode_mid"),
    ),
    case(
        "since: an ISO time",
        ask("debugging insights", types=["episode"], since=f"{date(5)}T00:00:00Z"),
        exactly("episode_new"),
    ),
    case("since: long ago", ask("debugging insights", types=["episode"], since=date(400)), rows(3)),
    case(
        "since: what is no time is refused",
        ask("debugging", since="whenever"),
        refused("since", "whenever"),
    ),
    case(
        "boost_recent: the newest first by default",
        ask("lemur", types=["topic"]),
        in_order("topic_lemur_new", "topic_lemur_year"),
    ),
    case(
        "boost_recent: the oldest last",
        ask("lemur", types=["topic"], boost_recent=True),
        in_order("topic_lemur_year", "topic_lemur_old"),
    ),
    case("boost_recent: off", ask("lemur", types=["topic"], boost_recent=False), rows(4)),
]
PAGES = [
    case(
        "limit: 10 is the default",
        ask("walrus", types=["topic"]),
        rows(10),
        told(limit=10, offset=0, total=12, has_more=True),
    ),
    case(
        "limit: 3",
        ask("walrus", types=["topic"], limit=3),
        rows(3),
        told(limit=3, total=12, has_more=True),
    ),
    case(
        "limit: 50",
        ask("walrus", types=["topic"], limit=50),
        rows(12),
        told(limit=50, total=12, has_more=False),
    ),
    case("limit: 1", ask("walrus", types=["topic"], limit=1), rows(1)),
    case("limit: 51 is refused", ask("walrus", limit=51), refused("limit", "50")),
    case("limit: 0 is refused", ask("walrus", limit=0), refused("limit")),
    case(
        "offset: skips",
        ask("walrus", types=["topic"], offset=10),
        rows(2),
        told(offset=10, total=12, has_more=False),
    ),
    case(
        "offset: past the end",
        ask("walrus", types=["topic"], offset=40),
        rows(0),
        told(total=12, has_more=False),
    ),
    case("offset: a negative number is refused", ask("walrus", offset=-1), refused("offset")),
]
CONTROLS = [
    case(
        "include_content: the full content by default",
        ask("OAuth", types=["pattern"]),
        says("OAUTHEND"),
    ),
    case(
        "include_content: true",
        ask("OAuth", types=["pattern"], include_content=True),
        says("OAUTHEND"),
    ),
    case(
        "include_content: false",
        ask("OAuth", types=["pattern"], include_content=False),
        has("pattern_abc123"),
        says_not("OAUTHEND"),
    ),
    case("include_documents: true by default", ask("tarsier routes"), origins("graph", "document")),
    case(
        "include_documents: false",
        ask("tarsier routes", include_documents=False),
        origins("graph"),
        told(document_count=0),
    ),
    case(
        "include_documents: false with documents alone",
        ask("middleware", types=["document"], include_documents=False),
        without_results,
    ),
    case(
        "include_graph: true by default",
        ask("tarsier routes", include_graph=True),
        has("topic_tarsier"),
    ),
    case(
        "include_graph: false",
        ask("tarsier routes", include_graph=False),
        origins("document"),
        told(graph_count=0),
    ),
    case(
        "include_graph: false with entities alone",
        ask("kiwi", types=["task"], include_graph=False),
        without_results,
    ),
    case(
        "merged: the best of both sources are on top",
        ask("tarsier routes", limit=2),
        origins("graph", "document"),
    ),
    case("use_enhanced: false", ask("kiwi", use_enhanced=False), has(*KIWIS)),
    case(
        "counts: of the graph",
        ask("kiwi", types=list(TYPES)),
        told(graph_count=7, document_count=0, total=7),
    ),
    case(
        "counts: of documents",
        ask("middleware", source_name="next-docs", include_graph=False),
        counts_add_up,
    ),
    case("counts: of both", ask("tarsier routes"), counts_add_up),
    case(
        "counts: beyond the page",
        ask("walrus", types=["topic"], limit=2),
        told(graph_count=12, document_count=0),
    ),
    case("scores fall, between 0 and 1", ask("error handling patterns"), scores_lie_in_range),
    case("query: is required", {"types": ["task"]}, refused("query")),
    case("query: nothing found is no error", ask("xyzzyplugh"), nothing),
    case(
        "arguments: one that is none is refused with the legal ones",
        ask("kiwi", kind="task"),
        refused("kind", "types", "language"),
    ),
]


@pytest.mark.sample(81)
@pytest.mark.parametrize(("arguments", "check"), [*EXAMPLES, *ENTITIES, *TIMES, *PAGES, *CONTROLS])
def test_search(server: DialectServer, arguments: Arguments, check: Check) -> None:
    check(server.call("search", arguments))


EMPTY = [(name, empty) for name in (*FILTERS, "limit", "offset") for empty in ("", [], False, None)]  # type: ignore[var-annotated]
EMPTY += [(name, empty) for name in FLAGS for empty in ("", [], None)]  # type: ignore[var-annotated]


@pytest.mark.parametrize(("name", "empty"), EMPTY, ids=repr)
def test_an_empty_value_is_absent(server: DialectServer, name: str, empty: Any) -> None:
    given = {"types": list(TYPES), name: empty}
    exactly(*KIWIS)(
        server.call(
            "search",
            ask("kiwi", **given)
            if name != "types"
            else ask("kiwi", include_documents=False, types=empty),
        )
    )


@pytest.mark.parametrize(
    ("name", "kind", "default"),
    [
        ("query", "string", None),
        ("types", "array", None),
        *[(name, "string", None) for name in FILTERS[1:]],
        ("limit", "integer", 10),
        ("offset", "integer", 0),
        *[(name, "boolean", True) for name in FLAGS],
    ],
)
def test_the_schema_has_each_parameter(
    server: DialectServer, name: str, kind: str, default: Any
) -> None:
    schema = server.properties("search")[name]
    assert types_of(schema) & ({kind, "number"} if kind == "integer" else {kind})
    assert schema.get("default") == default
    assert schema["description"]


def test_the_schema_has_no_other_parameter(server: DialectServer) -> None:
    schema = server.tools["search"]["inputSchema"]
    assert set(schema["properties"]) == {"query", *FILTERS, "limit", "offset", *FLAGS}
    assert schema["required"] == ["query"]


def test_the_tools_are_search_and_at_most_explore(server: DialectServer) -> None:
    assert {"search"} <= set(server.tools) <= {"search", "explore"}


def test_the_response_has_the_documents_fields(server: DialectServer) -> None:
    assert set(server.call("search", OAUTH).data) >= RESPONSE


def test_each_result_has_the_documents_fields(server: DialectServer) -> None:
    for row in server.call("search", ask("tarsier routes")).results:
        assert set(row) >= {"id", "type", "name", "content", "score", "result_origin", "metadata"}
        assert isinstance(row["metadata"], dict)


def test_a_result_is_as_the_document_shows_it(server: DialectServer) -> None:
    row = server.call("search", OAUTH).results[0]
    assert (row["id"], row["type"], row["name"], row["result_origin"]) == (
        "pattern_abc123",
        "pattern",
        "OAuth 2.0 PKCE Flow",
        "graph",
    )


def test_a_document_names_its_source(server: DialectServer) -> None:
    row = server.call(
        "search", ask("middleware configuration", types=["document"], source_name="next-docs")
    ).results[0]
    assert "next-docs" in row["source"]


def test_the_usage_hint_says_how_to_get_full_content(server: DialectServer) -> None:
    assert server.call("search", OAUTH).data["usage_hint"]


def test_find_the_project_then_its_tasks(server: DialectServer) -> None:
    (project,) = [
        row["id"] for row in server.call("search", ask("storefront", types=["project"])).results
    ]
    assert project == "proj_abc123"
    answer = server.call("search", tasks("authentication", project=project))
    exactly("task_login", "task_logout", "task_signup")(answer)


def test_pages_are_the_whole_list_once(server: DialectServer) -> None:
    pages = [
        server.call("search", ask("walrus", types=["topic"], limit=5, offset=start)).ids
        for start in (0, 5, 10)
    ]
    assert sorted(entity_id for page in pages for entity_id in page) == WALRUS


def lemurs(server: DialectServer, **more: Any) -> dict[str, float]:
    rows = server.call("search", ask("lemur", types=["topic"], **more)).results
    return {row["id"].removeprefix("topic_lemur_"): row["score"] for row in rows}


def test_without_the_boost_like_entities_have_like_scores(server: DialectServer) -> None:
    scores = lemurs(server, boost_recent=False).values()
    assert max(scores) == pytest.approx(min(scores), rel=0.1)


@pytest.mark.parametrize(("name", "age"), [("new", 1), ("year", 365), ("old", 3000)])
def test_the_boost_depends_on_the_age(server: DialectServer, name: str, age: int) -> None:
    scores = lemurs(server, boost_recent=True)
    assert scores[name] / scores["undated"] == pytest.approx(
        max(0.1, math.exp(-age / 365)), rel=0.1
    )


def test_data_and_text_agree(server: DialectServer) -> None:
    answer = server.call("search", OAUTH)
    assert answer.structured == answer.data


def explore(server: DialectServer, **arguments: Any) -> Answer:
    if "explore" not in server.tools:
        pytest.skip("the document describes explore elsewhere, so it need not be offered")
    return server.call("explore", arguments)


def test_explore_lists_projects(server: DialectServer) -> None:
    answer = explore(server, mode="list", types=["project"])
    assert not answer.is_error and "proj_abc123" in answer.text and "proj_xyz789" in answer.text


def test_explore_shows_related_entities(server: DialectServer) -> None:
    answer = explore(server, mode="related", entity_id="pattern_abc123")
    assert not answer.is_error and "pattern_abc123" in answer.text


@pytest.mark.nightly
def test_the_hint_of_each_front_end_works_as_shown(server: DialectServer, world: World) -> None:
    """The hint names a tool to agents and a command to the shell, and both exist."""
    if "explore" in server.tools:
        assert "explore" in server.call("search", OAUTH).data["usage_hint"]
    asked = json.dumps({"name": "search", "arguments": {**OAUTH, "include_content": False}})
    hint = json.loads(world.run("search", "--format", "sibyl", "--request", "-", given=asked))[
        "usage_hint"
    ]
    assert hint.endswith("`symindex symbol ID`") and "explore" not in hint
    assert "OAUTHEND" in world.run("symbol", "pattern_abc123")
