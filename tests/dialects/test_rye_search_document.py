"""Tests each statement of the document of rye_search: query language, scopes, spaces, weights,
ties, response, examples."""

from collections.abc import Iterator
from pathlib import Path
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
from tests.support.dialect_world import World, make_world

NAMES = {
    "query",
    "scope",
    "project_path",
    "space",
    "limit",
    "offset",
    "sort_by",
    "fields",
    "filters",
    "fuzzy",
    "proximity",
}
# The last appears twice: the user's item, and the system's, which it shadows.
CREATING = (
    "made/create_page",
    "rye/core/create_directive",
    "rye/core/create_report",
    "rye/core/create_tool",
    "rye/core/create_tool",
)
QUOKKA = {"query": "quokka", "scope": "knowledge.weights.*"}
NEAR = {"query": "gondola pulley", "scope": "knowledge.near.*"}
TIE = ("tie/m-project", "tie/z-project", "tie/a-user", "tie/a-system")
KNOWN = {"query": "read", "scope": "tool"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("rye"))


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[DialectServer]:
    with world.serve("rye") as server:
        yield server


def scores_rise(*ids: str) -> Check:
    """Each of these results has a higher score than the next."""

    def check(answer: Answer) -> None:
        scores = {row["id"]: row["score"] for row in answer.results}
        assert [scores[item_id] for item_id in ids] == sorted(
            {scores[item_id] for item_id in ids}, reverse=True
        ), scores

    return check


def scores_lie_in_range(answer: Answer) -> None:
    assert answer.results
    assert all(0 < row["score"] <= 1 for row in answer.results), answer.text


def rows(number: int) -> Check:
    def check(answer: Answer) -> None:
        assert len(answer.results) == number

    return check


def total_counts_matches(answer: Answer) -> None:
    assert answer.data["total"] > len(answer.results)


def names_rise(answer: Answer) -> None:
    names = [row["name"] for row in answer.results]
    folded = [name.replace("-", "").replace("_", "") for name in names]
    assert names and (names == sorted(names) or folded == sorted(folded)), names


def scores_fall(answer: Answer) -> None:
    scores = [row["score"] for row in answer.results]
    assert scores and scores == sorted(scores, reverse=True)


def ids_begin(prefix: str) -> Check:
    def check(answer: Answer) -> None:
        assert answer.ids and all(item_id.startswith(prefix) for item_id in answer.ids), answer.ids

    return check


def row_of(item_id: str, **expected: Any) -> Check:
    """The result with this id has these values."""

    def check(answer: Answer) -> None:
        (row,) = [row for row in answer.results if row["id"] == item_id]
        assert {name: row[name] for name in expected} == expected

    return check


def exactly_page(*ids: str) -> Check:
    def check(answer: Answer) -> None:
        assert answer.ids == list(ids)

    return check


def dates_fall(answer: Answer) -> None:
    assert answer.ids == ["dates/new", "dates/middle", "dates/old", "dates/undated"]


def find(query: str, scope: str = "tool", **more: Any) -> dict[str, Any]:
    return {"query": query, "scope": scope, **more}


EXAMPLES = [
    case(
        "example: fuzzy",
        find("direcive", "directive", fuzzy={"enabled": True, "max_distance": 2}),
        has("rye/core/create_directive"),
    ),
    case(
        "example: proximity",
        find("thread orchestrator", proximity={"enabled": True, "max_distance": 5}),
        has("rye/agent/thread_orchestrator"),
    ),
    case("example: all directives", find("create", "directive"), exactly(*CREATING)),
    case(
        "example: a namespace",
        find("read write", "tool.rye.file-system.*"),
        exactly("rye/file-system/read", "rye/file-system/write"),
        ids_begin("rye/file-system/"),
    ),
    case(
        "example: field-specific queries",
        find("thread", fields={"category": "agent"}),
        exactly(
            "rye/agent/thread_orchestrator",
            "rye/agent/thread_directive",
            "rye/agent/directive_thread",
        ),
    ),
    case(
        "example: project space only",
        find("deploy", "directive", space="project"),
        exactly("deploy/service"),
        every("source", "project"),
    ),
    case(
        "example: pages",
        find("*", "knowledge", limit=5, offset=10, sort_by="name"),
        rows(5),
        names_rise,
        told(limit=5, offset=10),
    ),
    case(
        "example: exclusion",
        find("file NOT temporary"),
        has("files/shuffle", "rye/file-system/read", "rye/file-system/write"),
        lacks("files/temporary"),
    ),
    case("example: phrase", find('"thread directive"'), exactly("rye/agent/thread_directive")),
]
SCOPES = [
    case("scope: directive", find("create OR deploy", "directive"), every("type", "directive")),
    case("scope: tool", find("read", "tool"), every("type", "tool")),
    case("scope: knowledge", find("numbat", "knowledge"), every("type", "knowledge")),
    case(
        "scope: tool.rye.core.*",
        find("*", "tool.rye.core.*"),
        exactly("rye/core/registry", "rye/core/threads/limits"),
    ),
    case("scope: directive.rye.*", find("*", "directive.rye.*"), exactly(*CREATING[1:])),
    case(
        "scope: rye.search.directive.*",
        find("create", "rye.search.directive.*"),
        exactly(*CREATING),
    ),
    case(
        "scope: rye.search.tool.rye.core.*",
        find("*", "rye.search.tool.rye.core.*"),
        exactly("rye/core/registry", "rye/core/threads/limits"),
    ),
    case(
        "scope: rye.search.knowledge.rye.core.*",
        find("*", "rye.search.knowledge.rye.core.*"),
        exactly("rye/core/tool-metadata-reference"),
    ),
    case("scope: not the namespace core-extra", find("gauge", "tool.rye.core.*"), exactly()),
    case(
        "scope: dots are separators",
        find("*", "tool.rye.core.threads.*"),
        exactly("rye/core/threads/limits"),
    ),
    case("scope: an empty namespace", find("*", "tool.nothing.here.*"), exactly()),
    case("scope: a kind works as a type", find("AuthService", "class.src.auth.*"), rows(1)),
    case(
        "scope: a type that nothing has is refused with the known ones",
        find("x", "widget"),
        refused("widget", "directive", "tool", "knowledge"),
    ),
]
SPACES = [
    case(
        "space: all is the default",
        find("custom"),
        told(space="all"),
        every("source", "project", "user", "system"),
    ),
    case("space: all holds the three", find("numbat", "knowledge", space="all"), exactly(*TIE)),
    case(
        "space: project",
        find("numbat", "knowledge", space="project"),
        exactly(*TIE[:2]),
        told(space="project"),
    ),
    case(
        "space: user",
        find("numbat", "knowledge", space="user"),
        exactly("tie/a-user"),
        every("source", "user"),
    ),
    case(
        "space: system",
        find("numbat", "knowledge", space="system"),
        exactly("tie/a-system"),
        every("source", "system"),
    ),
    case(
        "space: one that is none is refused with the legal ones",
        find("read", space="galaxy"),
        refused("project", "user", "system", "all"),
    ),
]
QUERIES = [
    case("query: blanks are AND", find("system file", "tool.files.*"), exactly("files/shuffle")),
    case("query: AND", find("system AND file", "tool.files.*"), exactly("files/shuffle")),
    case(
        "query: blanks are AND across fields",
        find("marmot edelweiss", "knowledge"),
        exactly("split/two-fields"),
    ),
    case(
        "query: across fields scores above zero",
        find("marmot edelweiss", "knowledge"),
        scores_lie_in_range,
    ),
    case("query: all words or nothing", find("marmot zeppelin", "knowledge"), exactly()),
    case(
        "query: OR",
        find("temporary OR directory", "tool.files.*"),
        exactly("files/temporary", "files/directory", "files/reader"),
    ),
    case("query: NOT", find("directory NOT read", "tool.files.*"), exactly("files/directory")),
    case(
        "query: AND NOT", find("directory AND NOT read", "tool.files.*"), exactly("files/directory")
    ),
    case(
        "query: parentheses",
        find("(file OR directory) AND read", "tool.files.*"),
        exactly("files/reader"),
    ),
    case("query: ignores case", find("NUMBAT", "knowledge"), exactly(*TIE)),
    case(
        "query: a phrase is contiguous",
        find('"create directive"', "directive"),
        exactly("rye/core/create_directive"),
    ),
    case(
        "query: a phrase in the other order",
        find('"directive create"', "directive.rye.*"),
        exactly(),
    ),
    case("query: words of a phrase apart", find('"moves system"', "tool.files.*"), exactly()),
    case(
        "query: file* finds file, filesystem, file-system",
        find("file*", limit=50),
        has("wild/filesystem", "rye/file-system/read", "files/shuffle"),
    ),
    case("query: *search", find("*search", "tool.wild.*"), exactly("wild/websearch")),
    case(
        "query: *thread* contains",
        find("*thread*", limit=50),
        has("wild/threading_pool", "my/agentless_thread", "rye/agent/thread_directive"),
    ),
    case(
        "query: * matches all",
        find("*", "tool.files.*"),
        exactly(*(f"files/{name}" for name in ("temporary", "directory", "reader", "shuffle"))),
    ),
    case(
        "query: a wildcard inside a term",
        find("dir*ory", "tool.files.*"),
        exactly("files/directory", "files/reader"),
    ),
    case("query: a wildcard with AND", find("thread* AND workers"), exactly("wild/threading_pool")),
    case(
        "query: a wildcard with NOT",
        find("web* NOT disks", "tool.wild.*"),
        exactly("wild/websearch"),
    ),
    case(
        "query: a phrase with NOT",
        find('"create a" NOT report', "directive.rye.*"),
        lacks("rye/core/create_report"),
    ),
    case(
        "query: a phrase with OR",
        find('"make a directory" OR moves', "tool"),
        exactly("files/directory", "files/shuffle"),
    ),
    case(
        "query: groups within groups",
        find("((file OR directory) AND (read OR moves))", "tool.files.*"),
        has("files/reader"),
    ),
    case(
        "query: no fuzziness unless asked", find("direcive", "directive"), exactly(), told(total=0)
    ),
    case(
        "query: content beyond the first 200 characters",
        find("nautilus", "knowledge"),
        exactly("deep/long"),
    ),
    case("query: a parenthesis left open is refused", find("(file OR dir"), refused()),
    case("query: a quotation left open is refused", find('"file system'), refused()),
    case("query: an operator without its operand is refused", find("file AND"), refused()),
    case("query: required", {"scope": "tool"}, refused("query")),
    case("scope: required", {"query": "read"}, refused("scope")),
]
OPTIONS = [
    case(
        "limit: 10 is the default",
        find("*", "knowledge"),
        rows(10),
        told(limit=10),
        total_counts_matches,
    ),
    case("limit", find("*", "knowledge", limit=3), rows(3), told(limit=3), total_counts_matches),
    case("offset: 0 is the default", KNOWN, told(offset=0)),
    case(
        "offset: skips",
        find("note", "knowledge.notes.*", sort_by="name", limit=2, offset=3),
        exactly_page("notes/n-04", "notes/n-05"),
    ),
    case("offset: past the end", find("numbat", "knowledge", offset=50), rows(0), told(total=4)),
    case("sort_by: score is the default", find("quokka", "knowledge"), scores_fall),
    case("sort_by: score", find("quokka", "knowledge", sort_by="score"), scores_fall),
    case("sort_by: name", find("*", "tool", sort_by="name", limit=50), names_rise),
    case(
        "sort_by: date, the newest first, what has none last",
        find("ibex", "knowledge", sort_by="date"),
        dates_fall,
    ),
    case(
        "sort_by: one that is none is refused with the legal ones",
        find("read", sort_by="size"),
        refused("score", "date", "name"),
    ),
    *[
        case(
            f"fields: {name} alone",
            find("*", "knowledge.weights.*", fields={name: "quokka"}),
            exactly(f"weights/{item_id}"),
        )
        for name, item_id in [
            ("title", "in-title"),
            ("name", "quokka"),
            ("description", "in-description"),
            ("category", "in-category"),
            ("content", "in-content"),
        ]
    ],
    case(
        "fields: with the query",
        find("quokka", "knowledge", fields={"title": "plain"}),
        has("weights/in-content"),
        lacks("weights/in-title"),
    ),
    case(
        "fields: several must all match",
        find("*", "knowledge", fields={"title": "plain", "category": "quokka"}),
        exactly("weights/in-category"),
    ),
    case(
        "fields: a wildcard",
        find("*", "knowledge.weights.*", fields={"title": "quok*"}),
        exactly("weights/in-title"),
    ),
    case(
        "filters: exact",
        find("okapi", "knowledge", filters={"category": "meta"}),
        exactly("meta/ann"),
    ),
    case(
        "filters: no part of a value",
        find("okapi", "knowledge", filters={"category": "met"}),
        exactly(),
    ),
    case(
        "filters: author",
        find("okapi", "knowledge", filters={"author": "ann"}),
        exactly("meta/ann"),
    ),
    case(
        "filters: version",
        find("okapi", "knowledge", filters={"version": "2.0.1"}),
        exactly("meta/annabel"),
    ),
    case(
        "filters: all must match",
        find("okapi", "knowledge", filters={"author": "ann", "version": "2.0.1"}),
        exactly(),
    ),
]
FUZZY = [
    case(
        "fuzzy: enabled false is off",
        find("direcive", "directive", fuzzy={"enabled": False, "max_distance": 2}),
        exactly(),
    ),
    case(
        "fuzzy: words of documents",
        find("confguration", "knowledge", fuzzy={"enabled": True, "max_distance": 1}),
        exactly("fuzzy/settings"),
    ),
    case(
        "fuzzy: up to the distance",
        find("cnfgratin", "knowledge", fuzzy={"enabled": True, "max_distance": 4}),
        has("fuzzy/settings"),
    ),
    case(
        "fuzzy: not beyond the distance",
        find("cnfgratin", "knowledge", fuzzy={"enabled": True, "max_distance": 3}),
        lacks("fuzzy/settings"),
    ),
    case(
        "fuzzy: distance 2 finds two errors",
        find("confgurtion", "knowledge", fuzzy={"enabled": True, "max_distance": 2}),
        has("fuzzy/settings"),
    ),
    case(
        "fuzzy: distance 1 does not",
        find("confgurtion", "knowledge", fuzzy={"enabled": True, "max_distance": 1}),
        lacks("fuzzy/settings"),
    ),
    case(
        "fuzzy: a short word is guarded",
        find("a", "knowledge.fuzzy.*", fuzzy={"enabled": True, "max_distance": 2}),
        lacks("fuzzy/zz"),
    ),
    case(
        "fuzzy: each of several words",
        find("numbta diggs", "knowledge", fuzzy={"enabled": True, "max_distance": 2}),
        has(*TIE),
    ),
    case(
        "fuzzy: blanks stay AND",
        find("numbta marmot", "knowledge", fuzzy={"enabled": True, "max_distance": 2}),
        exactly(),
    ),
    case(
        "fuzzy: exact matches stay",
        find("numbat", "knowledge", fuzzy={"enabled": True, "max_distance": 2}),
        has(*TIE),
    ),
]
PROXIMITY = [
    case(
        "proximity: off, all",
        NEAR,
        has("near/gap-0", "near/gap-5", "near/gap-30"),
        lacks("near/single"),
    ),
    case(
        "proximity: 5 words between",
        {**NEAR, "proximity": {"enabled": True, "max_distance": 5}},
        has("near/gap-0", "near/gap-2", "near/gap-5"),
    ),
    case(
        "proximity: 6 words are too many for 5",
        {**NEAR, "proximity": {"enabled": True, "max_distance": 5}},
        lacks("near/gap-6", "near/gap-30"),
    ),
    case(
        "proximity: none between",
        {**NEAR, "proximity": {"enabled": True, "max_distance": 0}},
        has("near/gap-0"),
        lacks("near/gap-2"),
    ),
    case(
        "proximity: either order",
        {**NEAR, "proximity": {"enabled": True, "max_distance": 5}},
        has("near/reverse"),
    ),
    case(
        "proximity: one of the words is not enough",
        {**NEAR, "proximity": {"enabled": True, "max_distance": 5}},
        lacks("near/single"),
    ),
    case(
        "proximity: enabled false is off",
        {**NEAR, "proximity": {"enabled": False, "max_distance": 5}},
        has("near/gap-30"),
    ),
]
SCORING = [
    case(
        "weights: title above content",
        QUOKKA,
        scores_rise("weights/in-title", "weights/in-content"),
    ),
    case(
        "weights: name above description",
        QUOKKA,
        scores_rise("weights/quokka", "weights/in-description"),
    ),
    case(
        "weights: title above description",
        QUOKKA,
        scores_rise("weights/in-title", "weights/in-description"),
    ),
    case(
        "weights: description above category",
        QUOKKA,
        scores_rise("weights/in-description", "weights/in-category"),
    ),
    case(
        "weights: category above content",
        QUOKKA,
        scores_rise("weights/in-category", "weights/in-content"),
    ),
    case("scores lie between 0 and 1", QUOKKA, scores_lie_in_range),
    case("ties: project, user, system, then the id", find("numbat", "knowledge"), in_order(*TIE)),
    case(
        "ties: a page keeps the order",
        find("numbat", "knowledge", limit=2, offset=1),
        exactly_page("tie/z-project", "tie/a-user"),
    ),
]
RESPONSE = [
    case("response: query", find("read file"), told(query="read file")),
    case("response: scope", find("read file"), told(scope="tool")),
    case(
        "response: space, limit, offset", find("read file"), told(space="all", limit=10, offset=0)
    ),
    case("response: search_type", find("read file"), told(search_type="keyword")),
    case(
        "response: total counts all",
        find("read file", "tool.rye.file-system.*", limit=1),
        rows(1),
        told(total=2),
    ),
    case("result: id without extension", find("read contents"), exactly("rye/file-system/read")),
    case(
        "result: as in the document",
        find("read contents"),
        row_of(
            "rye/file-system/read",
            name="read",
            description="Read file contents",
            category="file-system",
            type="tool",
            source="system",
        ),
    ),
    case("result: type directive", find("create", "directive"), every("type", "directive")),
    case("response: nothing found is no error", find("xyzzyplugh"), exactly()),
]


@pytest.mark.sample(110)
@pytest.mark.parametrize(
    ("arguments", "check"),
    [*EXAMPLES, *SCOPES, *SPACES, *QUERIES, *OPTIONS, *FUZZY, *PROXIMITY, *SCORING, *RESPONSE],
)
def test_rye_search(
    server: DialectServer, world: World, arguments: Arguments, check: Check
) -> None:
    check(server.call("rye_search", world.call(**arguments)))


ABSENT: list[Any] = ["", [], False, None]
OPTIONAL = ["space", "limit", "offset", "sort_by", "fields", "filters", "fuzzy", "proximity"]


@pytest.mark.parametrize("name", OPTIONAL)
@pytest.mark.parametrize("empty", [*ABSENT, {}], ids=repr)
def test_an_empty_value_is_absent(
    server: DialectServer, world: World, name: str, empty: Any
) -> None:
    given = world.call(**KNOWN)
    assert (
        server.call("rye_search", {**given, name: empty}).data
        == server.call("rye_search", given).data
    )


@pytest.mark.parametrize(
    ("name", "kind", "default"),
    [
        ("query", "string", None),
        ("scope", "string", None),
        ("project_path", "string", None),
        ("space", "string", "all"),
        ("limit", "integer", 10),
        ("offset", "integer", 0),
        ("sort_by", "string", "score"),
        ("fields", "object", {}),
        ("filters", "object", {}),
        ("fuzzy", "object", {}),
        ("proximity", "object", {}),
    ],
)
def test_the_schema_has_each_parameter(
    server: DialectServer, name: str, kind: str, default: Any
) -> None:
    schema = server.properties("rye_search")[name]
    assert kind in types_of(schema)
    assert schema.get("default") == default
    assert schema["description"]


def test_the_schema_has_no_other_parameter(server: DialectServer) -> None:
    assert set(server.properties("rye_search")) == NAMES
    assert set(server.tools["rye_search"]["inputSchema"]["required"]) == {
        "query",
        "scope",
        "project_path",
    }


def test_an_unknown_argument_is_refused_with_the_legal_ones(
    server: DialectServer, world: World
) -> None:
    refused("spaces", *NAMES)(server.call("rye_search", world.call(**KNOWN, spaces="all")))


def test_a_project_path_elsewhere_gives_nothing_of_this_project(
    server: DialectServer, world: World, tmp_path: Path
) -> None:
    answer = server.call(
        "rye_search", {**find("numbat", "knowledge"), "project_path": str(tmp_path / "other")}
    )
    assert answer.is_error or "m-project" not in answer.text


def test_proximity_of_one_word_is_refused_or_without_effect(
    server: DialectServer, world: World
) -> None:
    answer = server.call(
        "rye_search",
        world.call(
            query="gondola", scope="knowledge", proximity={"enabled": True, "max_distance": 5}
        ),
    )
    assert (answer.is_error and answer.refusal) or "near/single" in answer.ids


def test_the_preview_is_cut(server: DialectServer, world: World) -> None:
    (row,) = server.call("rye_search", world.call(query="nautilus", scope="knowledge")).results
    assert 0 < len(row["preview"]) < 2000


def test_each_result_has_the_documents_fields(server: DialectServer, world: World) -> None:
    for row in server.call("rye_search", world.call(query="numbat", scope="knowledge")).results:
        assert set(row) >= {
            "id",
            "name",
            "description",
            "category",
            "score",
            "type",
            "source",
            "preview",
        }


def test_data_and_text_agree(server: DialectServer, world: World) -> None:
    answer = server.call("rye_search", world.call(**KNOWN))
    assert answer.structured == answer.data
