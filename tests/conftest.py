"""Options and fixtures that all tests share."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from symindex.workspace import Workspace

Files = dict[str, str | bytes]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the marks of fixtures/symbols to what is extracted")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own cache and configuration."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.delenv("SYMINDEX_GRAMMARS", raising=False)


def write_files(root: Path, files: Files) -> Path:
    """Writes files (text or bytes) below `root`; a leading line break of a text is dropped."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.removeprefix("\n").encode())
    return root


Maker = Callable[[Files], Workspace]


@pytest.fixture
def make_workspace(tmp_path: Path) -> Iterator[Maker]:
    """Makes a workspace of the given files, indexed."""
    made: list[Workspace] = []

    def make(files: Files) -> Workspace:
        root = write_files(tmp_path / f"tree{len(made)}", files)
        root.mkdir(exist_ok=True)
        workspace = Workspace(root, tmp_path / f"index{len(made)}")
        workspace.refresh()
        made.append(workspace)
        return workspace

    yield make
    for workspace in made:
        workspace.close()


def run_unprivileged(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """symindex run as a user whom file modes bind: root without the capabilities to override them, if this is root."""
    capabilities = "-dac_override,-dac_read_search"
    prefix = ["setpriv", f"--bounding-set={capabilities}", f"--inh-caps={capabilities}"] if os.geteuid() == 0 else []
    return subprocess.run([*prefix, sys.executable, "-m", "symindex", *arguments], capture_output=True, text=True, check=False)
