"""Every example of rye_search's page, as it is written there, on symbols: the same calls with scopes that symbols have. Scopes of
items (directives, tools, knowledge) find the items of those types, and no symbols.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from symindex.errors import RequestError
from symindex.render.rye import RYE_NEEDS, RyeResponse, as_rye
from symindex.workspace import Workspace
from tests.support.files import Files, write_files

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
    ".ai/tools/rye/core/registry.py": '__version__ = "1.0.0"\n"""Registers tools."""\n',
    ".ai/tools/rye/core-extra/registry.py": '"""Another registry of tools."""\n',
    ".ai/directives/rye/registry/publish.md": "---\ntitle: Publish to the registry\nOwner: team blue\n---\n# Publish\n",
    ".ai/knowledge/rye/core/registries.md": "---\ntitle: The registry\n---\nWhat a registry is.\n",
    "tmp/temporary.py": "def temporary_file(): pass\ndef create_directory(): pass\ndef deploy(): 'Deploys.'\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("rye")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as made:
        made.refresh()
        yield made


def rye_search(workspace: Workspace, query: str, scope: str = "symbol", **options: Any) -> RyeResponse:
    return as_rye(workspace.search(query, scope=scope, include=[*RYE_NEEDS], **options))


def names(response: RyeResponse) -> set[str]:
    return {result.name for result in response.results}


ITEMS = {
    "directive": {"directive rye/registry/publish"},
    "tool": {"tool rye/core/registry", "tool rye/core-extra/registry"},
    "knowledge": {"knowledge rye/core/registries"},
    "tool.rye.core.*": {"tool rye/core/registry"},
    "directive.rye.*": {"directive rye/registry/publish"},
    "rye.search.directive.*": {"directive rye/registry/publish"},
    "rye.search.tool.rye.core.*": {"tool rye/core/registry"},
    "rye.search.knowledge.rye.core.*": {"knowledge rye/core/registries"},
}
"""The scopes of the page's tables, and the types and ids of what they find for `registry`."""


@pytest.mark.parametrize("scope", ITEMS)
def test_scopes_of_items(scope: str, workspace: Workspace) -> None:
    results = rye_search(workspace, "registry", scope).results
    assert {f"{each.type} {each.id}" for each in results} == ITEMS[scope] and len(results) == len(ITEMS[scope])


def test_any_field_of_metadata_is_a_field(workspace: Workspace) -> None:
    for options in ({"fields": {"Owner": "blue"}}, {"filters": {"owner": "team blue"}}):
        assert names(rye_search(workspace, "registry", "directive", **options)) == {"publish"}
    with pytest.raises(RequestError, match=r"neither symbols nor items have a field 'ownr': expected one of Owner, author,"):
        rye_search(workspace, "registry", "directive", fields={"ownr": "blue"})


def test_a_scope_of_no_type_says_which_types_there_are(workspace: Workspace) -> None:
    with pytest.raises(RequestError, match=r"unknown type 'tol': expected one of adr, agent, all, .*, tool, "):
        rye_search(workspace, "registry", "tol.rye.core.*")


@pytest.mark.parametrize(
    "scope", ["symbol.rye.core.*", "function.rye.core.*", "rye.search.symbol.rye.core.*", "symbol.rye.core*"]
)
def test_the_same_scopes_of_symbols(scope: str, workspace: Workspace) -> None:
    assert names(rye_search(workspace, "registry", scope)) == {"registry_core"}
    assert names(rye_search(workspace, "registry", "symbol.rye.*")) == {"registry_core", "registry_extra"}


SYNTAX: dict[str, tuple[set[str], set[str]]] = {
    "file AND system": ({"file_system"}, {"deploy", "temporary_file"}),
    "file OR directory": ({"file_system", "temporary_file", "create_directory", "read", "write"}, {"deploy"}),
    "file NOT temporary": ({"file_system", "read", "write"}, {"temporary_file"}),
    "(file OR dir) AND read": ({"read", "file_system"}, {"temporary_file", "create_directory"}),
    '"file system"': ({"file_system"}, {"filesystem", "temporary_file"}),
    '"create directive"': ({"create_directive"}, {"create_directory", "directive"}),
    "file*": ({"file_system", "filesystem", "read"}, {"deploy"}),
    "*search": ({"search", "websearch"}, {"deploy"}),
    "*thread*": ({"thread_orchestrator", "ThreadRunner", "thread_directive", "far"}, {"deploy"}),
}
"""Of "Query Syntax": what is found, and what is not."""


@pytest.mark.parametrize("query", SYNTAX)
def test_query_syntax(query: str, workspace: Workspace) -> None:
    found = names(rye_search(workspace, query))
    held, left = SYNTAX[query]
    assert found >= held
    assert found & left == set()


def test_implicit_and_puts_what_holds_all_first(workspace: Workspace) -> None:
    """`file system` means `file AND system`; where that finds few, rows with some of the words follow, and the answer says so."""
    response = rye_search(workspace, "file system")
    assert response.results[0].name == "file_system"
    assert response.notices is None or not response.notices or any("words" in said for said in response.notices)


def test_scores_are_normalised_and_never_nothing(workspace: Workspace) -> None:
    scores = [result.score for result in rye_search(workspace, "thread").results]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 < score <= 1.0 for score in scores)


def test_ties_are_broken_by_the_id(workspace: Workspace) -> None:
    tied = rye_search(workspace, "kind:function", "function.web.*").results
    assert [each.name for each in tied] == ["search", "websearch", "filesystem"]
    assert len({each.score for each in tied}) == 1


def test_fuzzy_matching(workspace: Workspace) -> None:
    """`direcive` for `directive`."""
    found = rye_search(workspace, "direcive", fuzzy={"enabled": True, "max_distance": 2})
    assert {"directive", "create_directive", "thread_directive"} <= names(found)
    assert names(rye_search(workspace, "direcive", fuzzy={"enabled": False, "max_distance": 2})) == set()


def test_proximity_search(workspace: Workspace) -> None:
    found = rye_search(workspace, "thread orchestrator", proximity={"enabled": True, "max_distance": 5})
    assert names(found) == {"thread_orchestrator"}
    farther = rye_search(workspace, "thread orchestrator", proximity={"enabled": True, "max_distance": 8})
    assert names(farther) == {"thread_orchestrator", "far"}
    with pytest.raises(RequestError, match="needs two words"):
        rye_search(workspace, "thread", proximity={"enabled": True, "max_distance": 5})


def test_response_fields(workspace: Workspace) -> None:
    response = rye_search(workspace, "read file", "symbol.rye.file-system", limit=10)
    assert list(response.__struct_fields__)[:8] == [
        "results", "total", "query", "scope", "space", "limit", "offset", "search_type",
    ]  # fmt: skip
    first = response.results[0]
    assert list(msgspec.to_builtins(first)) == ["id", "name", "description", "category", "score", "type", "source", "preview"]
    assert list(first.__struct_fields__)[8:] == ["shadows", "shadowed_by"]
    assert (response.query, response.scope, response.space) == ("read file", "symbol.rye.file-system", "all")
    assert (response.limit, response.offset, response.search_type) == (10, 0, "keyword")
    assert response.total == len(response.results)
    assert (first.id, first.name, first.type, first.source) == ("rye/file-system/read.py#read", "read", "function", "project")
    assert (first.category, first.description) == ("rye/file-system", "Read the contents of a file, or write them.")
    assert first.preview == "def read() Read the contents of a file, or write them."


EXAMPLES: list[tuple[str, dict[str, Any], set[str]]] = [
    ("create", {}, {"create_directive", "create_directory"}),
    ("read write", {"scope": "symbol.rye.file-system.*"}, {"read", "write"}),
    ("thread", {"fields": {"category": "agent"}}, {"ThreadRunner", "thread_orchestrator"}),
    ("deploy", {"space": "project"}, {"deploy"}),
    ("file NOT temporary", {}, {"file_system", "read", "write"}),
    ('"thread directive"', {}, {"thread_directive"}),
]
"""The calls of "Examples", with a scope of symbols."""


@pytest.mark.parametrize(("query", "options", "held"), EXAMPLES)
def test_examples(query: str, options: dict[str, Any], held: set[str], workspace: Workspace) -> None:
    found = names(rye_search(workspace, query, **options))
    assert found >= held
    assert found & ({"temporary_file"} if "NOT" in query else {"websearch"}) == set()


def test_paginated_search(workspace: Workspace) -> None:
    everything = [result.name for result in rye_search(workspace, "*", sort_by="name").results]
    page = rye_search(workspace, "*", limit=5, offset=10, sort_by="name")
    assert [result.name for result in page.results] == everything[10:15]
    assert (page.limit, page.offset, page.total) == (5, 10, len(everything))
    assert everything == sorted(everything, key=lambda name: name.replace("_", "").lower())


def test_other_spaces_are_empty_so_far(workspace: Workspace) -> None:
    """An index holds the project alone; what is installed, and what is the user's own, is not in it."""
    for space in ("user", "system"):
        response = rye_search(workspace, "deploy", space=space)
        assert (response.total, response.space) == (0, space)
        assert any("space" in said for said in response.notices or [])
