"""How a dialect is chosen: exactly its tools are offered; there may be several dialects; by default
there is none."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dialect_client import DialectServer, environment, refused, types_of
from tests.support.files import write_files

TOOLS = {
    "rye": {"rye_search", "rye_fetch"},
    "context-mode": {"ctx_search"},
    "sibyl": {"search", "explore"},
    "lsap": {"search"},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(
        tmp_path_factory.mktemp("choice") / "tree",
        {
            ".git/HEAD": "ref: refs/heads/main\n",
            "a.py": "def main(): pass\n",
            "b.py": "def main(): pass\n",
        },
    )


@pytest.fixture(scope="module")
def own(root: Path) -> Iterator[DialectServer]:
    with serve(root) as server:
        yield server


def serve(root: Path, *dialects: str) -> DialectServer:
    return DialectServer(root, dialects, environment(root.parent / "home"))


@pytest.mark.sample(2)
@pytest.mark.parametrize("dialect", TOOLS)
def test_a_dialect_offers_exactly_its_tools(root: Path, dialect: str) -> None:
    with serve(root, dialect) as server:
        assert set(server.tools) == TOOLS[dialect]


@pytest.mark.nightly
def test_several_dialects_offer_the_tools_of_each(root: Path) -> None:
    with serve(root, "rye", "context-mode", "lsap") as server:
        assert set(server.tools) == {"rye_search", "rye_fetch", "ctx_search", "search"}
        assert not server.call("ctx_search", {"queries": ["main"]}).is_error
        assert not server.call("search", {"query": "main"}).is_error


@pytest.mark.nightly
def test_the_default_offers_only_our_own_tools(root: Path) -> None:
    with serve(root) as server:
        assert not {"rye_search", "rye_fetch", "ctx_search"} & set(server.tools)
        assert len(server.tools) == 6


@pytest.mark.nightly
def test_a_tool_of_another_dialect_is_refused(root: Path) -> None:
    with serve(root, "context-mode") as server:
        refused("rye_search")(
            server.call("rye_search", {"query": "a", "scope": "tool", "project_path": str(root)})
        )


def test_an_unknown_dialect_is_refused_with_the_known_ones(root: Path) -> None:
    command = [sys.executable, "-m", "symindex", "mcp", "--root", str(root), "--dialect", "klingon"]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(root.parent / "home"),
        timeout=60,
    )
    assert done.returncode == 2
    assert all(name in done.stderr for name in ("rye", "context-mode", "sibyl", "lsap"))
    assert "Traceback" not in done.stderr


@pytest.mark.nightly
def test_the_hint_for_more_is_an_argument_of_the_tool(own: DialectServer) -> None:
    assert "pagination_id=" in own.call("search", {"query": "main", "max_items": 1}).text


@pytest.mark.parametrize("empty", [[], "", False, None], ids=repr)
def test_an_empty_value_of_an_optional_argument_of_our_own_tools_is_absent(
    own: DialectServer, empty: object
) -> None:
    for name in set(own.properties("search")) - {"query", "queries"}:
        if types_of(own.properties("search")[name]) - {"boolean"} or empty is not False:
            answer = own.call("search", {"query": "main", name: empty})
            assert not answer.is_error and "main" in answer.text, f"{name}: {answer.text}"
