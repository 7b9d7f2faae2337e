"""The memory of a project in the dialects of context-mode and Sibyl: explore, errors, calls counted
per connection."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

import symindex
from symindex.dialects.table import call
from symindex.errors import RequestError
from tests.support.files import write_files
from tests.support.mcp_http import HttpServer

FILES = {
    "shop.md": "---\ntype: project\nid: proj_1\n---\n# Shop\n\nThe shop.\n",
    "login.md": "---\ntype: task\nid: task_1\nproject: proj_1\n---\n# Log in\n\nCalls `OAuthFlow`.\n",
    "rate.md": "# Rates\n\nEach rate is limited.\n",
    "oauth.py": "class OAuthFlow:\n    pass\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("explore") / "tree", FILES)


@pytest.fixture
def workspace(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[symindex.Workspace]:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(root.parent / "data"))
    with symindex.open(root, root.parent / "index") as workspace:
        yield workspace


def test_explore_lists_entities_and_shows_related_ones(workspace: symindex.Workspace) -> None:
    listed = call(workspace, "sibyl", "explore", mode="list", types=["project"])
    assert [row["id"] for row in listed["entities"]] == ["proj_1"]
    assert [row["id"] for row in call(workspace, "sibyl", "explore")["entities"]] == ["proj_1"]
    project = call(workspace, "sibyl", "explore", mode="related", entity_id="proj_1")
    assert project["entity"]["content"] == "# Shop\n\nThe shop." and [
        row["id"] for row in project["related"]
    ] == ["task_1"]
    task = call(workspace, "sibyl", "explore", mode="related", entity_id="task_1")
    assert [(row["relationship"], row["name"]) for row in task["related"]] == [
        ("belongs_to", "Shop"),
        ("mentions", "OAuthFlow"),
    ]
    assert "item_type" not in task["entity"]["metadata"]


def test_a_listed_entity_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    sections = "".join(f"## Part {number}\n\nText {number}.\n\n" for number in range(3))
    shop = {"shop.md": f"---\ntype: project\nid: proj_1\n---\n# Shop\n\n{sections}"}
    with symindex.open(write_files(tmp_path / "tree", shop), tmp_path / "index") as workspace:
        (entity,) = call(workspace, "sibyl", "explore", mode="list")["entities"]
        assert entity["content"].count("## Part") == 3


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("explore", {"mode": "related"}, "entity_id is missing"),
        (
            "explore",
            {"mode": "related", "entity_id": "proj_2"},
            "there is nothing with the id 'proj_2'",
        ),
        ("explore", {"mode": "walk"}, "list, related"),
        (
            "search",
            {"query": "shop", "types": ["gadget"]},
            "unknown type 'gadget': expected one of .*pattern.*task",
        ),
        ("search", {"query": "shop", "limit": 51}, "expected 1 to 50"),
        (
            "search",
            {"query": "shop", "colour": "red"},
            "unknown argument 'colour'; expected one of query, types",
        ),
        ("search", {"query": ""}, "the query is empty"),
    ],
)
def test_a_mistake_is_an_error_of_one_line(
    workspace: symindex.Workspace, tool: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(RequestError, match=message) as refused:
        call(workspace, "sibyl", tool, **given)
    assert "\n" not in str(refused.value)


async def _counters(port: int, mode: Any) -> list[str]:
    counters = []
    for _ in range(2):
        async with Client(f"http://127.0.0.1:{port}/mcp", mode=mode) as client:
            for _ in range(2):
                result = await client.call_tool("ctx_search", {"queries": ["rate"]})
                counters += re.findall(r"call #(\d+)/8", result.content[0].text)  # type: ignore[union-attr]
    return counters


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_calls_are_counted_by_connection(
    root: Path, tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    server = HttpServer(root, tmp_path / "index", "--http", "0", "--dialect", "context-mode")
    try:
        assert anyio.run(_counters, server.port, mode) == ["1", "2", "1", "2"]
    finally:
        server.stop()
