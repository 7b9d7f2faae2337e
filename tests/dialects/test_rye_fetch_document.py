"""Tests each statement of the document of rye_fetch: items by id, the cascade, errors, query mode,
shadows, examples."""

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
    "project_path",
    "item_id",
    "item_type",
    "source",
    "destination",
    "version",
    "query",
    "scope",
    "limit",
    "offset",
    "sort_by",
    "fields",
    "filters",
    "fuzzy",
    "proximity",
}
BASH = {"item_id": "rye/bash", "item_type": "tool"}
NUMBAT = {"query": "numbat", "scope": "knowledge"}
TIE = ("tie/m-project", "tie/z-project", "tie/a-user", "tie/a-system")
CREATING = (
    "made/create_page",
    "rye/core/create_directive",
    "rye/core/create_report",
    "rye/core/create_tool",
    "rye/core/create_tool",
)
CORE = ("rye/core/registry", "rye/core/threads/limits")
NEAR = {"query": "gondola pulley", "scope": "knowledge.near.*"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("rye"))


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[DialectServer]:
    with world.serve("rye") as server:
        yield server


def metadata(**expected: str) -> Check:
    def check(answer: Answer) -> None:
        fields = answer.data["metadata"]
        assert {name: fields.get(name) for name in expected} == expected

    return check


def has_no_version(answer: Answer) -> None:
    assert not answer.data["metadata"].get("version")


def content(part: str) -> Check:
    def check(answer: Answer) -> None:
        assert part in answer.data["content"]

    return check


def path_ends(tail: str) -> Check:
    """The path is absolute, equals that in the metadata, and is that of the file whose content is
    shown."""

    def check(answer: Answer) -> None:
        data = answer.data
        path = Path(data["path"])
        assert path.is_absolute() and path.as_posix().endswith(tail)
        assert data["metadata"]["path"] == data["path"]
        assert data["content"] == path.read_text()

    return check


def fails(**expected: Any) -> Check:
    """The response is the one that the document gives for errors."""

    def check(answer: Answer) -> None:
        assert "Traceback" not in answer.text
        response = answer._replace(is_error=False).data
        assert {name: response.get(name) for name in expected} == expected

    return check


def not_found(item: str) -> Check:
    def check(answer: Answer) -> None:
        response = answer._replace(is_error=False).data
        assert response["status"] == "error" and response["item_id"] == item
        assert response["error"].startswith(f"Item not found: {item}")

    return check


def rows(number: int) -> Check:
    def check(answer: Answer) -> None:
        assert len(answer.results) == number

    return check


def names_rise(answer: Answer) -> None:
    names = [row["name"] for row in answer.results]
    folded = [name.replace("-", "").replace("_", "") for name in names]
    assert names and (names == sorted(names) or folded == sorted(folded)), names


def success(source: str) -> Check:
    return told(status="success", source=source)


CREATE = {"item_id": "rye/core/create_directive", "source": "project"}
READ = {"item_type": "tool", "item_id": "rye/file-system/read", "source": "system"}
REFERENCE = {
    "item_type": "knowledge",
    "item_id": "rye/core/tool-metadata-reference",
    "source": "system",
}
CUSTOM = {"item_id": "my/custom-tool"}
BY_ID = [
    case(
        "example: a directive of the project",
        CREATE,
        success("project"),
        content("Steps that create a directive."),
    ),
    case(
        "example: a system tool",
        READ,
        success("system"),
        content("Read file contents"),
        path_ends(".ai/tools/rye/file-system/read.py"),
    ),
    case(
        "example: a knowledge entry",
        REFERENCE,
        success("system"),
        content("Each tool has a version."),
    ),
    case(
        "id: the content is raw",
        CREATE,
        content("---\ntitle: Create Directive\n"),
        path_ends("/.ai/directives/rye/core/create_directive.md"),
    ),
    case(
        "metadata: of Markdown",
        CREATE,
        metadata(name="create_directive", extension=".md", version="1.0.0"),
    ),
    case("metadata: of Python", BASH, metadata(name="bash", extension=".py", version="1.2.0")),
    case(
        "metadata: of YAML", {"item_id": "meta/listed"}, metadata(name="listed", extension=".yaml")
    ),
    case(
        "metadata: a version in an attribute",
        {"item_id": "meta/xml_style"},
        metadata(version="2.5.0"),
    ),
    case(
        "metadata: no version", {"item_id": "meta/unversioned"}, success("project"), has_no_version
    ),
    case("item_type: detected", {"item_id": "rye/bash"}, success("system"), metadata(name="bash")),
    case(
        "item_type: directive",
        {"item_id": "rye/core/create_report", "item_type": "directive"},
        success("project"),
    ),
    case(
        "item_type: another type does not have it",
        {"item_id": "rye/bash", "item_type": "knowledge"},
        not_found("rye/bash"),
    ),
    case(
        "item_type: one that is none is refused with the legal ones",
        {**BASH, "item_type": "gadget"},
        refused("directive", "tool", "knowledge"),
    ),
    case(
        "source: the cascade begins with the project",
        CUSTOM,
        success("project"),
        metadata(version="3.0.0"),
    ),
    case(
        "source: then the user",
        {"item_id": "rye/core/create_tool"},
        success("user"),
        metadata(version="1.0.0"),
    ),
    case("source: only the user has it", {"item_id": "my/mine"}, success("user")),
    case("source: then the system", {"item_id": "rye/bash"}, success("system")),
    case(
        "source: project",
        {**CUSTOM, "source": "project"},
        success("project"),
        metadata(version="3.0.0"),
    ),
    case("source: user", {**CUSTOM, "source": "user"}, success("user"), metadata(version="2.0.0")),
    case(
        "source: system",
        {**CUSTOM, "source": "system"},
        success("system"),
        metadata(version="1.0.0"),
    ),
    case("source: no other space is asked", {**BASH, "source": "project"}, not_found("rye/bash")),
    case(
        "source: one that is none is refused with the legal ones",
        {**BASH, "source": "moon"},
        refused("project", "user", "system", "registry"),
    ),
    case(
        "source: registry, when none is configured, is an error",
        {**BASH, "source": "registry"},
        refused("registr"),
    ),
    case(
        "error: as in the document",
        {"item_id": "my-project/missing-tool", "item_type": "tool"},
        fails(
            status="error",
            error="Item not found: my-project/missing-tool",
            item_type="tool",
            item_id="my-project/missing-tool",
        ),
    ),
    case(
        "error: without a type",
        {"item_id": "my-project/missing-tool"},
        fails(status="error", item_id="my-project/missing-tool"),
    ),
    case(
        "error: an id cannot leave its folder",
        {"item_id": "../../../../etc/passwd", "item_type": "tool"},
        refused(),
    ),
    case(
        "modes: both at once are refused",
        {**BASH, "query": "x", "scope": "tool"},
        refused("item_id", "query"),
    ),
    case("modes: neither is refused", {}, refused("item_id", "query")),
    case("modes: a query needs a scope", {"query": "x"}, refused("scope")),
    case("modes: a scope needs a query", {"scope": "tool"}, refused("query")),
    case("integrity: an unsigned item loads", CREATE, success("project")),
]


def find(query: str, scope: str = "tool", **more: Any) -> dict[str, Any]:
    return {"query": query, "scope": scope, **more}


FUZZY = {"enabled": True, "max_distance": 2}
CLOSE = {"enabled": True, "max_distance": 5}
BY_QUERY = [
    case(
        "example: fuzzy",
        find("direcive", "directive", fuzzy=FUZZY),
        has("rye/core/create_directive"),
    ),
    case(
        "example: proximity",
        find("thread orchestrator", proximity=CLOSE),
        has("rye/agent/thread_orchestrator"),
    ),
    case("example: all directives", find("create", "directive"), exactly(*CREATING)),
    case(
        "example: a namespace",
        find("read write", "tool.rye.file-system.*"),
        exactly("rye/file-system/read", "rye/file-system/write"),
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
        find("deploy", "directive", source="project"),
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
        has("files/shuffle", "rye/file-system/read"),
        lacks("files/temporary"),
    ),
    case("example: phrase", find('"thread directive"'), exactly("rye/agent/thread_directive")),
    case("scope: directive", find("create", "directive"), every("type", "directive")),
    case("scope: tool", find("read", "tool"), every("type", "tool")),
    case("scope: knowledge", NUMBAT, every("type", "knowledge")),
    case("scope: tool.rye.core.*", find("*", "tool.rye.core.*"), exactly(*CORE)),
    case("scope: directive.rye.*", find("*", "directive.rye.*"), exactly(*CREATING[1:])),
    case(
        "scope: rye.fetch.directive.*", find("create", "rye.fetch.directive.*"), exactly(*CREATING)
    ),
    case(
        "scope: rye.fetch.tool.rye.core.*", find("*", "rye.fetch.tool.rye.core.*"), exactly(*CORE)
    ),
    case(
        "scope: rye.fetch.knowledge.rye.core.*",
        find("*", "rye.fetch.knowledge.rye.core.*"),
        exactly("rye/core/tool-metadata-reference"),
    ),
    case("scope: not the namespace core-extra", find("gauge", "tool.rye.core.*"), exactly()),
    case("query: blanks are AND", find("system file", "tool.files.*"), exactly("files/shuffle")),
    case("query: AND", find("system AND file", "tool.files.*"), exactly("files/shuffle")),
    case(
        "query: OR",
        find("temporary OR directory", "tool.files.*"),
        exactly("files/temporary", "files/directory", "files/reader"),
    ),
    case("query: NOT", find("directory NOT read", "tool.files.*"), exactly("files/directory")),
    case(
        "query: parentheses",
        find("(file OR directory) AND read", "tool.files.*"),
        exactly("files/reader"),
    ),
    case(
        "query: phrase",
        find('"create directive"', "directive"),
        exactly("rye/core/create_directive"),
    ),
    case(
        "query: file*",
        find("file*", limit=50),
        has("wild/filesystem", "rye/file-system/read", "files/shuffle"),
    ),
    case("query: *search", find("*search", "tool.wild.*"), exactly("wild/websearch")),
    case(
        "query: *thread*",
        find("*thread*", limit=50),
        has("wild/threading_pool", "my/agentless_thread", "rye/agent/thread_directive"),
    ),
    case("query: a syntax error is refused", find("(file OR"), refused()),
    case("query: no fuzziness unless asked", find("direcive", "directive"), exactly()),
    case("source: all is the default", NUMBAT, exactly(*TIE), told(space="all")),
    case("source: all", {**NUMBAT, "source": "all"}, exactly(*TIE)),
    case("source: local", {**NUMBAT, "source": "local"}, exactly(*TIE)),
    case("source: project", {**NUMBAT, "source": "project"}, exactly(*TIE[:2])),
    case(
        "source: user", {**NUMBAT, "source": "user"}, exactly("tie/a-user"), every("source", "user")
    ),
    case(
        "source: system",
        {**NUMBAT, "source": "system"},
        exactly("tie/a-system"),
        every("source", "system"),
    ),
    case(
        "source: one that is none is refused with the legal ones",
        {**NUMBAT, "source": "moon"},
        refused("project", "local", "registry", "all"),
    ),
    case("limit: 10 is the default", find("*", "knowledge"), rows(10), told(limit=10)),
    case("limit", find("*", "knowledge", limit=3), rows(3), told(limit=3)),
    case("offset", {**NUMBAT, "offset": 3}, rows(1), told(offset=3, total=4)),
    case("sort_by: name", find("*", "tool", sort_by="name", limit=50), names_rise),
    case(
        "sort_by: date",
        find("ibex", "knowledge", sort_by="date"),
        in_order("dates/new", "dates/middle", "dates/old", "dates/undated"),
    ),
    case(
        "fields: title alone",
        find("*", "knowledge.weights.*", fields={"title": "quokka"}),
        exactly("weights/in-title"),
    ),
    case(
        "filters: exact", find("okapi", "knowledge", filters={"author": "ann"}), exactly("meta/ann")
    ),
    case(
        "fuzzy: up to the distance",
        find("cnfgratin", "knowledge", fuzzy={"enabled": True, "max_distance": 4}),
        has("fuzzy/settings"),
    ),
    case(
        "proximity: 5 words between",
        {**NEAR, "proximity": CLOSE},
        has("near/gap-0", "near/gap-5"),
        lacks("near/gap-6", "near/gap-30"),
    ),
    case("ties: project, user, system, then the id", NUMBAT, in_order(*TIE)),
    case(
        "response: echo",
        find("read file"),
        told(
            query="read file", scope="tool", space="all", limit=10, offset=0, search_type="keyword"
        ),
    ),
    case("response: nothing found is no error", find("xyzzyplugh"), exactly()),
]


@pytest.mark.sample(72)
@pytest.mark.parametrize(("arguments", "check"), [*BY_ID, *BY_QUERY])
def test_rye_fetch(server: DialectServer, world: World, arguments: Arguments, check: Check) -> None:
    check(server.call("rye_fetch", world.call(**arguments)))


def shadowed(server: DialectServer, world: World, source: str) -> Any:
    """Returns the result for the custom tool in one space."""
    rows = server.call("rye_fetch", world.call(query="custom", scope="tool", source="all")).results
    (row,) = [row for row in rows if row["id"] == "my/custom-tool" and row["source"] == source]
    return row


def test_the_winner_lists_the_items_it_shadows(server: DialectServer, world: World) -> None:
    shadows = shadowed(server, world, "project")["shadows"]
    assert sorted(shadow["space"].split(":")[0] for shadow in shadows) == ["system", "user"]


def test_the_shadowed_system_space_is_named_with_its_package(
    server: DialectServer, world: World
) -> None:
    (space,) = [
        shadow["space"]
        for shadow in shadowed(server, world, "project")["shadows"]
        if shadow["space"].startswith("system")
    ]
    assert "ryeos-core" in space


@pytest.mark.parametrize("source", ["user", "system"])
def test_a_shadowed_item_names_the_winning_source(
    server: DialectServer, world: World, source: str
) -> None:
    row = shadowed(server, world, source)
    assert row["shadowed_by"] == "project"
    assert not row.get("shadows")


def test_the_winner_is_not_shadowed(server: DialectServer, world: World) -> None:
    assert not shadowed(server, world, "project").get("shadowed_by")


def test_an_item_of_one_space_has_no_shadow_marks(server: DialectServer, world: World) -> None:
    for row in server.call("rye_fetch", world.call(**NUMBAT)).results:
        assert not row.get("shadows") and not row.get("shadowed_by")


def test_the_winner_comes_before_the_items_it_shadows(server: DialectServer, world: World) -> None:
    rows = server.call("rye_fetch", world.call(query="custom", scope="tool")).results
    assert [row["source"] for row in rows if row["id"] == "my/custom-tool"] == [
        "project",
        "user",
        "system",
    ]


def test_both_tools_have_one_query_mode(server: DialectServer, world: World) -> None:
    searched = server.call("rye_search", world.call(**NUMBAT)).data
    fetched = server.call("rye_fetch", world.call(**NUMBAT)).data
    assert searched["results"] == fetched["results"] and searched["total"] == fetched["total"]


@pytest.mark.parametrize("empty", ["", [], {}, False, None], ids=repr)
@pytest.mark.parametrize(
    "name",
    [
        "item_type",
        "source",
        "destination",
        "version",
        *sorted(
            NAMES - {"project_path", "item_id", "source", "item_type", "destination", "version"}
        ),
    ],
)
def test_an_empty_value_is_absent_with_an_id(
    server: DialectServer, world: World, name: str, empty: Any
) -> None:
    answer = server.call("rye_fetch", world.call(item_id="rye/bash", **{name: empty}))
    assert answer.data["status"] == "success" and answer.data["source"] == "system"


@pytest.mark.parametrize("empty", ["", [], {}, False, None], ids=repr)
@pytest.mark.parametrize(
    "name",
    [
        "item_id",
        "item_type",
        "source",
        "destination",
        "version",
        "limit",
        "offset",
        "sort_by",
        "fields",
        "filters",
        "fuzzy",
        "proximity",
    ],
)
def test_an_empty_value_is_absent_with_a_query(
    server: DialectServer, world: World, name: str, empty: Any
) -> None:
    exactly(*TIE)(server.call("rye_fetch", world.call(**NUMBAT, **{name: empty})))


@pytest.mark.parametrize(
    ("name", "kind", "default"),
    [
        ("project_path", "string", None),
        ("item_id", "string", None),
        ("item_type", "string", None),
        ("source", "string", None),
        ("destination", "string", None),
        ("version", "string", None),
        ("query", "string", None),
        ("scope", "string", None),
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
    schema = server.properties("rye_fetch")[name]
    assert kind in types_of(schema)
    assert schema.get("default") == default
    assert schema["description"]


def test_the_schema_has_no_other_parameter(server: DialectServer) -> None:
    assert set(server.properties("rye_fetch")) == NAMES
    assert set(server.tools["rye_fetch"]["inputSchema"].get("required", ())) == {"project_path"}


def test_an_unknown_argument_is_refused_with_the_legal_ones(
    server: DialectServer, world: World
) -> None:
    refused("id", "item_id", "item_type", "destination")(
        server.call("rye_fetch", world.call(id="rye/bash"))
    )
