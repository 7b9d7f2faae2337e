"""The four front ends (command line, language server, MCP server, Python) give the same answer."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

import symindex
from symindex.protocol.explore import OutlineRequest, ReferencesRequest, SymbolRequest
from symindex.protocol.search import SearchRequest
from symindex.render.hints import Hints, command_hint, tool_hint
from symindex.render.markdown import render_search
from symindex.render.outline import render_outline
from symindex.render.references import render_references
from symindex.render.symbol import render_symbol
from symindex.workspace.workspace import Workspace
from tests.support.command import run_symindex
from tests.support.files import write_files
from tests.support.lsp_client import Editors
from tests.support.mcp_client import McpClient
from tests.support.waiting import until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent / "fixtures" / "scenarios" / "repository"
BUDGET = 2_000


@pytest.fixture(scope="module")
def index_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("indexes")


@pytest.fixture(scope="module")
def workspace(index_dir: Path) -> Iterator[Workspace]:
    with symindex.open(ROOT, index_dir) as workspace:
        workspace.refresh()
        yield workspace


@pytest.fixture(scope="module")
def agent(workspace: Workspace, index_dir: Path) -> Iterator[McpClient]:
    with McpClient([ROOT], index_dir) as client:
        client.until("status", "Up to date")
        yield client


def run(index_dir: Path, *words: str) -> str:
    """Returns what a command prints."""
    return run_symindex(
        *words, "--root", ROOT, "--index-dir", index_dir, cwd=ROOT, check=True
    ).stdout


def shell(index_dir: Path) -> Hints:
    """Returns the form in which a command prints the next one."""
    return partial(command_hint, always={"root": str(ROOT), "index_dir": str(index_dir)})


def plain(answer: Any) -> Any:
    """Returns an answer as JSON represents it."""
    return json.loads(msgspec.json.encode(answer))


def but_the_token(answer: Any) -> Any:
    """Reduces a page's token to whether it exists: its value depends on when the front end read the
    index."""
    return {**answer, "pagination_id": answer["pagination_id"] is not None}


def in_editor(editors: Editors, index_dir: Path, method: str, params: Any) -> Any:
    """Returns what an editor receives once the index exists."""
    client = editors.start(ROOT, options={"indexDir": str(index_dir)})
    until(
        lambda: "notices" not in client.call("symindex/search", {"query": "Cart"}),
        "an answer from the index",
    )
    return client.call(method, params)


SEARCHES: list[tuple[dict[str, Any], list[str]]] = [
    ({"query": "calculate_t"}, ["calculate_t"]),
    (
        {"query": "calc", "max_items": 2, "start_index": 1},
        ["calc", "--max-items", "2", "--start-index", "1"],
    ),
    (
        {"query": "", "kinds": ["class", "method"], "max_items": 9},
        ["--kind", "class", "--kind", "method", "--max-items", "9"],
    ),
    (
        {"query": "Auth", "paths": ["!tests"], "languages": ["python"]},
        ["Auth", "--path", "!tests", "--lang", "python"],
    ),
    ({"query": "path:src NOT kind:class"}, ["path:src NOT kind:class"]),
    ({"query": "recalculat0r", "fuzzy": False}, ["recalculat0r", "--no-fuzzy"]),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("fields", "words"), SEARCHES)
def test_search(
    fields: dict[str, Any],
    words: list[str],
    workspace: Workspace,
    agent: McpClient,
    editors: Editors,
    index_dir: Path,
) -> None:
    response = workspace.search(SearchRequest(**fields))
    printed = run_symindex(
        "search", *words, "--json", "--root", str(ROOT), "--index-dir", str(index_dir)
    )
    assert printed.returncode == (0 if response.items else 1)
    assert json.loads(printed.stdout) == plain(response)
    assert but_the_token(in_editor(editors, index_dir, "symindex/search", fields)) == but_the_token(
        plain(response)
    )
    if "fuzzy" not in fields:
        given = {
            {"paths": "path", "languages": "language"}.get(name, name): value
            for name, value in fields.items()
        }
        result = agent.call("search", **given)
        assert but_the_token(result["structuredContent"]) == but_the_token(plain(response))
        text = result["content"][0]["text"]
        assert without_token(text) == without_token(render_search(response, "pagination_id"))


def without_token(text: str) -> str:
    """Removes the token of the next page, which belongs to the request that made it."""
    return re.sub(r"pagination_id=[\w-]+", "pagination_id=", text)


OUTLINES: list[tuple[dict[str, Any], list[str]]] = [
    ({"path": "", "depth": 5}, ["--depth", "5"]),
    ({"path": "src/auth", "depth": 2}, ["src/auth", "--depth", "2"]),
    ({"path": "src/**", "kinds": ["class"]}, ["src/**", "--kind", "class"]),
    ({"path": "src/cart.py", "include": ["signature"]}, ["src/cart.py", "--signatures"]),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("fields", "words"), OUTLINES)
def test_outline(
    fields: dict[str, Any],
    words: list[str],
    workspace: Workspace,
    agent: McpClient,
    editors: Editors,
    index_dir: Path,
) -> None:
    response = workspace.outline(OutlineRequest(**fields, max_tokens=BUDGET))
    budget = ["--max-tokens", str(BUDGET)]
    assert json.loads(run(index_dir, "outline", *words, *budget, "--json")) == plain(response)
    assert run(index_dir, "outline", *words, *budget) == render_outline(response, shell(index_dir))
    assert in_editor(
        editors, index_dir, "symindex/outline", {**fields, "max_tokens": BUDGET}
    ) == plain(response)
    given = {name: value for name, value in fields.items() if name != "include"}
    result = agent.call("outline", **given, **({"signatures": True} if "include" in fields else {}))
    assert result["structuredContent"] == plain(response)
    assert result["content"][0]["text"] == render_outline(response, tool_hint)


@pytest.mark.nightly
@pytest.mark.parametrize("symbol", ["Cart", "src/cart.py:120", "AuthService.login", "Crt"])
def test_symbol(symbol: str, workspace: Workspace, agent: McpClient, index_dir: Path) -> None:
    response = workspace.symbol(SymbolRequest(symbol=symbol, siblings=True, max_tokens=BUDGET))
    words = [symbol, "--siblings", "--max-tokens", str(BUDGET)]
    if response.symbol is not None:
        assert json.loads(run(index_dir, "symbol", *words, "--json")) == plain(response)
        assert run(index_dir, "symbol", *words) == render_symbol(response, shell(index_dir))
    result = agent.call("symbol", symbol=symbol, siblings=True)
    assert result["structuredContent"] == plain(response)
    assert result["content"][0]["text"] == render_symbol(response, tool_hint)


@pytest.mark.nightly
def test_references(workspace: Workspace, agent: McpClient, index_dir: Path) -> None:
    response = workspace.references(ReferencesRequest(name="Cart"))
    assert response.files
    assert json.loads(run(index_dir, "refs", "Cart", "--json")) == plain(response)
    assert run(index_dir, "refs", "Cart") == render_references(response)
    result = agent.call("references", name="Cart")
    assert result["structuredContent"] == plain(response)
    assert result["content"][0]["text"] == render_references(response)


@pytest.mark.nightly
def test_status(workspace: Workspace, agent: McpClient, index_dir: Path) -> None:
    of_one_moment: Callable[[Any], Any] = lambda report: {**report, "age_seconds": 0}  # noqa: E731
    report = of_one_moment(plain(workspace.status()))
    assert report["symbols"] and report["languages"]
    assert of_one_moment(json.loads(run(index_dir, "status", "--json"))) == report
    (row,) = agent.call("status")["structuredContent"]["roots"]
    assert of_one_moment(row["report"]) == report


@pytest.mark.nightly
def test_files_that_a_trees_settings_admit_are_shown(tmp_path: Path) -> None:
    """All front ends show a file above the default size limit if the settings of the tree admit
    it."""
    source = "def only(): return 'shown'\n" + 'x = """\n' + "a line\n" * 350_000 + '"""\nonly()\n'
    root = write_files(
        tmp_path / "tree", {"large.py": source, "symindex.toml": "max_file_bytes = 5_000_000\n"}
    )
    with McpClient([root], tmp_path / "indexes") as agent:
        agent.until("status", "Up to date")
        assert "return 'shown'" in agent.text("symbol", symbol="only")
        assert agent.call("references", name="only")["structuredContent"]["total"] == 2


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_a_tree_with_an_undecodable_name(editors: Editors, tmp_path: Path) -> None:
    """All front ends can write messages that contain the tree's name."""
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/tr\xffee"))
    root.mkdir()
    write_files(root, {"a.py": "def only(): pass\n", "symindex.toml": 'index_dir = "elsewhere"\n'})
    index_dir = Path(os.fsdecode(os.fsencode(tmp_path) + b"/ind\xfeexes"))
    said = f"{tmp_path}/tr\ufffdee/symindex.toml: index_dir is ignored"
    for words in (
        ["search", "only"],
        ["search", "nowhere"],
        ["outline"],
        ["symbol", "only"],
        ["refs", "only"],
        ["index"],
        ["status"],
    ):
        done = run_symindex(*words, "--json", "--root", root, "--index-dir", index_dir, text=False)
        assert (done.returncode, done.stderr) == (int("nowhere" in words), b""), done  # type: ignore[comparison-overlap]
        assert said in json.dumps(json.loads(done.stdout), ensure_ascii=False) or words == [
            "status"
        ]
    with McpClient([root], index_dir) as agent:
        agent.until("status", "Up to date")
        assert "a.py:1" in agent.text("search", query="only") and "only" in agent.text("outline")
        assert f"{tmp_path}/tr\ufffdee" in agent.text("status")
    other = write_files(tmp_path / "other", {"b.py": "def other(): pass\n"})
    editor = editors.start_indexed(root, other, options={"indexDir": str(tmp_path / "editors")})
    response = editor.call("symindex/search", {"query": "only"})
    assert [item["file_path"] for item in response["items"]] == ["tr\ufffdee/a.py"]
    assert [row["name"] for row in editor.call("workspace/symbol", {"query": "only"})] == ["only"]
