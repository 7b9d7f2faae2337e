"""The cache is deleted while it is in use: between any two steps, once or every time, everything
that exists is found."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import UnsetType

from symindex.files.access.private_folder import PrivateFolder
from symindex.index import store as store_module
from symindex.index.store import Store
from symindex.packages.indexes.environment import Environment
from symindex.packages.indexes.package_store import PackageStore
from symindex.recall.content.tree_files import TreeFiles
from symindex.workspace.workspace import Workspace
from tests.support.libraries import make, python_project
from tests.support.lsp_client import start_server
from tests.support.mcp_client import McpClient
from tests.support.waiting import delete_in_use, until

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot delete an open file"),
]

TREE = python_project({"web-1.0": {"web/__init__.py": "def fetch_page(url):\n    return url\n"}})

STEPS = {
    "a folder is opened": (PrivateFolder, "_open_folder"),
    "a folder is made": (PrivateFolder, "make"),
    "a file is written": (PrivateFolder, "write"),
    "a file is found good": (store_module, "_note_checked"),
    "an overlay is stored": (Store, "save_overlay"),
    "a text is read": (TreeFiles, "chunk"),
    "a package is stored": (PackageStore, "save"),
    "packages are opened": (Environment, "snapshot"),
}
"""The steps after which the cache is deleted."""

SAID = {
    "a folder is opened": "this answer was made without a stored index",
    "a package is stored": "not searched: another process is deleting their indexes",
}
"""The notices of an answer if the cache is deleted every time."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    root = make(tmp_path / "project", TREE)
    (root / "limits.py").write_text('class RateLimiter:\n    """Limits rates."""\n')
    (root / "guide.md").write_text("# Rates\n\nEach user has a bucket of tokens.\n")
    return root


def deleting(
    step: str, cache: Path, times: float, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], int]:
    """Deletes the cache after each of the first `times` calls of a step; returns a function that
    gives the number of deletions."""
    owner, name = STEPS[step]
    made = getattr(owner, name)
    n_deleted = 0

    def call(*given: Any, **named: Any) -> Any:
        nonlocal n_deleted
        result = made(*given, **named)
        if n_deleted < times and os.path.isdir(cache):
            shutil.rmtree(cache)
            n_deleted += 1
        return result

    monkeypatch.setattr(owner, name, call)
    return lambda: n_deleted


def lacks_packages(notices: Sequence[str] | UnsetType) -> bool:
    """Whether an answer says that packages are missing."""
    return SAID["a package is stored"] in repr(notices) or "packages could not be indexed" in repr(
        notices
    )


def ask(root: Path, cache: Path) -> list[str]:
    """Searches for everything that exists, before and after a change; returns the notices."""
    notices: list[str] = []
    with Workspace(root, cache) as workspace:
        for name in ("RateLimiter", "newest"):
            symbols = workspace.search(name)
            assert [item.name for item in symbols.items] == [name]
            text = workspace.recall("bucket of tokens", within="text")
            assert [hit.source for hit in text.sections[0].items] == ["guide.md"]
            packages = workspace.search("fetch_page", space="system")
            notices += [*(symbols.notices or []), *(text.notices or []), *(packages.notices or [])]
            assert [item.name for item in packages.items] == ["fetch_page"] or lacks_packages(
                packages.notices
            )
            (root / "new.py").write_text("def newest(): pass\n")
            workspace.close()
    return notices


@pytest.mark.parametrize("step", STEPS)
def test_a_cache_that_is_deleted_once_costs_nothing(
    step: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    n_deleted = deleting(step, cache, 1, monkeypatch)
    assert ask(root, cache) == []
    assert n_deleted()


@pytest.mark.parametrize("step", STEPS)
def test_a_cache_that_is_deleted_every_time_is_answered_without(
    step: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    n_deleted = deleting(step, cache, float("inf"), monkeypatch)
    assert SAID.get(step, "") in " ".join(ask(root, cache))
    assert n_deleted()


@pytest.mark.slow
def test_a_server_goes_on_without_its_cache(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with McpClient([root], cache) as agent:
        agent.until("search", "limits.py", query="RateLimiter")
        for number in range(3):
            until(lambda: [*cache.rglob("symbols.index")], "an index that is stored")
            delete_in_use(cache)
            assert "limits.py" in agent.text("search", query="RateLimiter")
            assert "guide.md" in agent.text("search", query="who has a bucket of tokens")
            (root / f"new{number}.py").write_text(f"def newest{number}(): pass\n")
            agent.until("search", f"new{number}.py", query=f"newest{number}")
            (root / "guide.md").write_text(
                f"# Rates\n\nEach user has a bucket of tokens, and {number} more bottle{number}.\n"
            )
            agent.until("search", f"more bottle{number}.", query=f"who has more bottle{number}")


@pytest.mark.slow
def test_an_editors_server_goes_on_without_its_cache(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    editor = start_server(["--index-dir", str(cache)])
    editor.initialize(root)
    for number in range(3):
        until(lambda: [*cache.rglob("symbols.index")], "an index that is stored")
        delete_in_use(cache)
        assert "RateLimiter" in repr(editor.call("workspace/symbol", {"query": "RateLimiter"}))
        (root / f"new{number}.py").write_text(f"def newest{number}(): pass\n")
        editor.until_names(f"newest{number}", [f"newest{number}"])
    assert editor.leave() == 0
