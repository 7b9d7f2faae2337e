"""Every example on rye_search's page, as written there: on items of all three spaces, and again
with scopes of symbols."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from symindex.dialects.rye_page import RYE_NEEDS, RyeResponse, as_rye
from symindex.errors import RequestError
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, write_files
from tests.support.items_world import LABEL, live_in, make_world

TREE: Files = {
    "rye/core/registry.py": "def registry_core(): 'Keeps the tools.'\n",
    "rye/core-extra/more.py": "def registry_extra(): 'More tools.'\n",
    "rye/file-system/read.py": "def read(): 'Read the contents of a file, or write them.'\ndef file_system(): pass\n",
    "rye/file-system/write.py": "def write(): 'Write to a file.'\n",
    "rye/agent/threads.py": (
        "class ThreadRunner:\n    'Runs a thread.'\n"
        "def thread_orchestrator(): pass\n"
        "def far(): 'A thread that has long been waiting for the other orchestrator.'\n"
        "def create_directive(): 'Create a directive for a thread.'\n"
        "def thread_directive(): pass\n"
        "def directive(): pass\n"
    ),
    "web/search.js": "function websearch() {}\nfunction search() {}\nfunction filesystem() {}\n",
    "tmp/temporary.py": "def temporary_file(): pass\ndef create_directory(): pass\ndef deploy(): 'Deploys.'\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("rye")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as made:
        made.refresh()
        yield made


def rye_search(
    workspace: Workspace, query: str, scope: str = "symbol", **options: Any
) -> RyeResponse:
    return as_rye(workspace.search(query, scope=scope, include=[*RYE_NEEDS], **options))


def names(response: RyeResponse) -> set[str]:
    return {result.name for result in response.results}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "scope",
    [
        "symbol.rye.core.*",
        "function.rye.core.*",
        "rye.search.symbol.rye.core.*",
        "symbol.rye.core*",
    ],
)
def test_the_same_scopes_of_symbols(scope: str, workspace: Workspace) -> None:
    assert names(rye_search(workspace, "registry", scope)) == {"registry_core"}
    assert names(rye_search(workspace, "registry", "symbol.rye.*")) == {
        "registry_core",
        "registry_extra",
    }


SYNTAX: dict[str, tuple[set[str], set[str]]] = {
    "file AND system": ({"file_system"}, {"deploy", "temporary_file"}),
    "file OR directory": (
        {"file_system", "temporary_file", "create_directory", "read", "write"},
        {"deploy"},
    ),
    "file NOT temporary": ({"file_system", "read", "write"}, {"temporary_file"}),
    "(file OR dir) AND read": ({"read", "file_system"}, {"temporary_file", "create_directory"}),
    '"file system"': ({"file_system"}, {"filesystem", "temporary_file"}),
    '"create directive"': ({"create_directive"}, {"create_directory", "directive"}),
    "file*": ({"file_system", "filesystem", "read"}, {"deploy"}),
    "*search": ({"search", "websearch"}, {"deploy"}),
    "*thread*": ({"thread_orchestrator", "ThreadRunner", "thread_directive", "far"}, {"deploy"}),
}
"""The examples of "Query Syntax": what each finds, and what it does not find."""


@pytest.mark.parametrize("query", SYNTAX)
def test_query_syntax(query: str, workspace: Workspace) -> None:
    result_names = names(rye_search(workspace, query))
    held, left = SYNTAX[query]
    assert result_names >= held
    assert result_names & left == set()


def test_implicit_and_ranks_rows_with_all_words_first(workspace: Workspace) -> None:
    """`file system` means `file AND system`; if that finds few rows, rows with some of the words
    follow, and a notice says so."""
    response = rye_search(workspace, "file system")
    assert response.results[0].name == "file_system"
    assert (
        response.notices is None
        or not response.notices
        or any("words" in said for said in response.notices)
    )


def test_scores_are_normalised_and_never_nothing(workspace: Workspace) -> None:
    scores = [result.score for result in rye_search(workspace, "thread").results]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 < score <= 1.0 for score in scores)


def test_ties_are_broken_by_the_id(workspace: Workspace) -> None:
    tied = rye_search(workspace, "kind:function", "function.web.*").results
    assert [result.name for result in tied] == ["search", "websearch", "filesystem"]
    assert len({result.score for result in tied}) == 1


def test_fuzzy_matching(workspace: Workspace) -> None:
    """`direcive` finds `directive`."""
    response = rye_search(workspace, "direcive", fuzzy={"enabled": True, "max_distance": 2})
    assert {"directive", "create_directive", "thread_directive"} <= names(response)
    assert (
        names(rye_search(workspace, "direcive", fuzzy={"enabled": False, "max_distance": 2}))
        == set()
    )


def test_proximity_search(workspace: Workspace) -> None:
    response = rye_search(
        workspace, "thread orchestrator", proximity={"enabled": True, "max_distance": 5}
    )
    assert names(response) == {"thread_orchestrator"}
    farther = rye_search(
        workspace, "thread orchestrator", proximity={"enabled": True, "max_distance": 8}
    )
    assert names(farther) == {"thread_orchestrator", "far"}
    with pytest.raises(RequestError, match="needs two words"):
        rye_search(workspace, "thread", proximity={"enabled": True, "max_distance": 5})


def test_response_fields(workspace: Workspace) -> None:
    response = rye_search(workspace, "read file", "symbol.rye.file-system", limit=10)
    assert list(response.__struct_fields__)[:8] == [
        "results", "total", "query", "scope", "space", "limit", "offset", "search_type",
    ]  # fmt: skip
    first = response.results[0]
    assert list(first.__struct_fields__) == [
        "id", "name", "description", "category", "score", "type", "source", "preview", "shadows", "shadowed_by",
    ]  # fmt: skip
    assert (response.query, response.scope, response.space) == (
        "read file",
        "symbol.rye.file-system",
        "all",
    )
    assert (response.limit, response.offset, response.search_type) == (10, 0, "keyword")
    assert response.total == len(response.results)
    assert (first.id, first.name, first.type, first.source) == (
        "rye/file-system/read.py#read",
        "read",
        "function",
        "project",
    )
    assert (first.category, first.description) == (
        "rye/file-system",
        "Read the contents of a file, or write them.",
    )
    assert first.preview == "def read() Read the contents of a file, or write them."


EXAMPLES: list[tuple[str, dict[str, Any], set[str]]] = [
    ("create", {}, {"create_directive", "create_directory"}),
    ("read write", {"scope": "symbol.rye.file-system.*"}, {"read", "write"}),
    ("thread", {"fields": {"category": "agent"}}, {"ThreadRunner", "thread_orchestrator"}),
    ("deploy", {"space": "project"}, {"deploy"}),
    ("file NOT temporary", {}, {"file_system", "read", "write"}),
    ('"thread directive"', {}, {"thread_directive"}),
]
"""The calls in "Examples", with a scope of symbols."""


@pytest.mark.parametrize(("query", "options", "held"), EXAMPLES)
def test_examples(
    query: str, options: dict[str, Any], held: set[str], workspace: Workspace
) -> None:
    result_names = names(rye_search(workspace, query, **options))
    assert result_names >= held
    assert result_names & ({"temporary_file"} if "NOT" in query else {"websearch"}) == set()


def test_paginated_search(workspace: Workspace) -> None:
    everything = [result.name for result in rye_search(workspace, "*", sort_by="name").results]
    page = rye_search(workspace, "*", limit=5, offset=10, sort_by="name")
    assert [result.name for result in page.results] == everything[10:15]
    assert (page.limit, page.offset, page.total) == (5, 10, len(everything))
    assert everything == sorted(everything, key=lambda name: name.replace("_", "").lower())


# ---- items


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patched:
        made = make_world(tmp_path_factory.mktemp("world"))
        live_in(made, patched)
        with made.open() as opened:
            yield opened


@pytest.fixture(autouse=True)
def _in_the_world(world: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets another home folder for each test."""
    monkeypatch.setenv("HOME", str(Path(world.root).parent / "home"))


AGENT = {
    f"rye/agent/{name}"
    for name in ("threads/thread_orchestrator", "threads/far", "threads/thread_directive")
}

SCOPES = {
    "directive": {"rye/core/create_directive", "rye/core/create_tool", "deploy", "mine/review"},
    "tool": {
        "rye/core/registry",
        "rye/core-extra/x",
        "rye/bash",
        "rye/file-system/read",
        "my-project/report",
    },
    "knowledge": {"rye/core/tool-metadata-reference", "notes/note-01", "twice"},
    "tool.rye.core.*": {"rye/core/registry"},
    "tool.rye.core": {"rye/core/registry"},
    "tool.rye.core*": {"rye/core/registry"},
    "directive.rye.*": {"rye/core/create_directive", "rye/core/directive", "rye/core/create_tool"},
    "rye.search.directive.*": {"rye/core/create_directive", "deploy"},
    "rye.search.tool.rye.core.*": {"rye/core/registry"},
    "rye.search.knowledge.rye.core.*": {"rye/core/tool-metadata-reference"},
    "rye.fetch.directive.*": {"rye/core/create_directive", "deploy"},
    "rye.fetch.tool.rye.core.*": {"rye/core/registry"},
    "rye.fetch.knowledge.rye.core.*": {"rye/core/tool-metadata-reference"},
}
"""The scopes of the page's two tables, and the least that each contains. A scope with a namespace
contains nothing else."""


@pytest.mark.sample(4)
@pytest.mark.parametrize("scope", SCOPES)
def test_scopes_of_items(scope: str, world: Workspace) -> None:
    response = rye_search(world, "*", scope, limit=None)
    ids = {result.id for result in response.results}
    assert ids >= SCOPES[scope]
    assert {result.type for result in response.results} == {
        re.sub(r"^rye\.\w+\.", "", scope).split(".")[0]
    }
    if "core" in scope or scope == "directive.rye.*":
        assert ids == SCOPES[scope]


def test_several_scopes_and_wrong_ones(world: Workspace) -> None:
    several = as_rye(
        world.search("*", scope=["tool.rye.core.*", "directive.mine.*"], include=[*RYE_NEEDS])
    )
    assert {result.id for result in several.results} == {"rye/core/registry", "mine/review"}
    with pytest.raises(
        RequestError,
        match=r"unknown type 'tol': expected one of .*directive, .*knowledge, .*tool, ",
    ):
        rye_search(world, "registry", "tol.rye.*")


ITEM_SYNTAX: dict[str, tuple[set[str], set[str]]] = {
    "file AND temporary": ({"temporary"}, {"read", "write", "directory"}),
    "file OR directory": ({"temporary", "directory", "read", "write"}, {"bash"}),
    "file NOT temporary": ({"read", "write"}, {"temporary"}),
    "(file OR dir*) AND read": ({"read", "write"}, {"temporary", "directory"}),
    '"temporary file"': ({"temporary"}, {"read"}),
    '"thread directive"': ({"thread_directive"}, {"directive_thread", "far"}),
    "file*": ({"temporary", "read", "write"}, {"bash"}),
    "*search": ({"websearch"}, {"registry"}),
    "*thread*": (
        {"thread_orchestrator", "far", "thread_directive", "directive_thread", "thread_web"},
        {"bash"},
    ),
}


@pytest.mark.parametrize("query", ITEM_SYNTAX)
def test_query_syntax_of_items(query: str, world: Workspace) -> None:
    result_names = names(rye_search(world, query, "tool", limit=None))
    held, left = ITEM_SYNTAX[query]
    assert result_names >= held
    assert result_names & left == set()


ITEM_EXAMPLES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("create", "directive", {}, ["rye/core/create_directive", "rye/core/create_tool"]),
    ("read write", "tool.rye.file-system.*", {}, ["rye/file-system/read", "rye/file-system/write"]),
    (
        "thread", "tool", {"fields": {"category": "agent"}},
        ["rye/agent/directive_thread", *sorted(AGENT)],
    ),
    ("deploy", "directive", {"space": "project"}, ["deploy"]),
    ("file NOT temporary", "tool", {}, ["rye/file-system/read", "rye/file-system/write"]),
    ('"thread directive"', "tool", {}, ["rye/agent/threads/thread_directive"]),
    (
        # the description of "both" calls it a directive
        "direcive", "directive", {"fuzzy": {"enabled": True, "max_distance": 2}},
        ["both", "rye/core/create_directive", "rye/core/directive"],
    ),
    ("direcive", "directive", {"fuzzy": {"enabled": False}}, []),
    (
        "thread orchestrator", "tool", {"proximity": {"enabled": True, "max_distance": 5}},
        ["rye/agent/threads/thread_orchestrator"],
    ),
    (
        "thread orchestrator", "tool", {"proximity": {"enabled": True, "max_distance": 20}},
        ["rye/agent/threads/far", "rye/agent/threads/thread_orchestrator"],
    ),
    ("*", "tool", {"filters": {"category": "my-project"}}, ["my-project/report"]),
    ("*", "tool", {"filters": {"category": "agent", "version": ">=1.2"}}, sorted(AGENT - {"rye/agent/threads/thread_directive"})),
    ("*", "tool", {"filters": {"category": "agent", "version": ">1.9"}}, ["rye/agent/threads/thread_orchestrator"]),
    ("*", "tool.rye.agent.threads.*", {"filters": {"version": "!1.2.0"}}, sorted(AGENT - {"rye/agent/threads/far"})),
    ("waiting", "tool", {}, ["rye/agent/threads/far", "rye/agent/threads/thread_orchestrator"]),
]  # fmt: skip
"""The calls in "Examples", "Fuzzy Matching" and "Proximity Search", and more filters, with the ids
of the results in alphabetical order."""


@pytest.mark.parametrize(("query", "scope", "options", "ids"), ITEM_EXAMPLES)
def test_examples_of_items(
    query: str, scope: str, options: dict[str, Any], ids: list[str], world: Workspace
) -> None:
    response = rye_search(world, query, scope, **options)
    assert sorted(result.id for result in response.results) == ids
    assert response.total == len(ids)
    scores = [result.score for result in response.results]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 < score <= 1.0 for score in scores)


def test_pages_of_items(world: Workspace) -> None:
    everything = rye_search(world, "*", "knowledge", sort_by="name", limit=None)
    page = rye_search(world, "*", "knowledge", limit=5, offset=10, sort_by="name")
    assert [result.id for result in page.results] == [
        f"notes/note-{number}" for number in range(10, 15)
    ]
    assert page.results == everything.results[10:15]
    assert (page.limit, page.offset, page.total) == (5, 10, len(everything.results))


def test_response_fields_of_items(world: Workspace) -> None:
    response = rye_search(world, "read file", "tool", limit=10)
    assert (response.query, response.scope, response.space) == ("read file", "tool", "all")
    assert (response.limit, response.offset, response.search_type, response.total) == (
        10,
        0,
        "keyword",
        3,
    )
    first = response.results[0]
    assert (first.id, first.name, first.description) == (
        "rye/file-system/read",
        "read",
        "Read file contents",
    )
    assert (first.category, first.type, first.source) == ("file-system", "tool", "system")
    assert "Read file contents" in first.preview
    assert 0.0 < first.score <= 1.0


@pytest.mark.nightly
def test_equal_items_come_by_space_then_by_id(world: Workspace) -> None:
    tied = rye_search(world, "*", "knowledge.notes.*", limit=None).results
    assert len({result.score for result in tied}) == 1
    assert [result.id for result in tied] == sorted(result.id for result in tied)
    for scope in (
        "tool",
        "directive",
        ["tool", "directive", "knowledge"],
    ):  # of all folders and types
        every = rye_search(world, "*", scope, limit=None).results  # type: ignore[arg-type]
        order = [
            (("project", "user", "system").index(result.source), result.id) for result in every
        ]
        assert (
            order == sorted(order)
            and len({result.score for result in every}) == 1
            and len(order) > 5
        )
        pages = [
            rye_search(world, "*", scope, limit=4, offset=offset).results  # type: ignore[arg-type]
            for offset in range(0, len(order), 4)
        ]
        assert [result.id for page in pages for result in page] == [item_id for _, item_id in order]
    deploys = rye_search(world, "name:deploy", "directive").results
    assert len({result.score for result in deploys}) == 1
    assert [result.source for result in deploys] == ["project", "user"]


@pytest.mark.parametrize(
    ("query", "space", "source", "shadows", "shadowed_by"),
    [
        ("*", "all", "project", [{"space": "user"}, {"space": f"system:{LABEL}"}], UNSET),
        ("our own", "all", "project", [{"space": "user"}, {"space": f"system:{LABEL}"}], UNSET),
        ("*", "project", "project", [{"space": "user"}, {"space": f"system:{LABEL}"}], UNSET),
        ("likes", "user", "user", UNSET, "project"),
        ("*", "system", "system", UNSET, "project"),
    ],
)
def test_shadows(
    query: str, space: str, source: str, shadows: Any, shadowed_by: Any, world: Workspace
) -> None:
    """Shadowed items are reported whether or not the others match or are in the searched space."""
    results = rye_search(world, query, "tool.rye.bash", space=space).results
    (one,) = [result for result in results if result.source == source]
    assert (one.shadows, one.shadowed_by) == (shadows, shadowed_by)
    others = rye_search(world, "*", "tool.rye.file-system.*").results
    assert all(result.shadows is UNSET and result.shadowed_by is UNSET for result in others)


def test_a_search_for_symbols_is_about_the_project_alone(world: Workspace) -> None:
    assert {item.name for item in world.search("login").items} == {"login"}
    assert not any(item.file_path.startswith("pypi:") for item in world.search("*").items)
