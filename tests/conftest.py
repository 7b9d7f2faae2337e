"""Options and fixtures that all tests share."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.files.watch import events
from symindex.workspace import Workspace
from tests.support.exports import NASTY, SMALL
from tests.support.lsp_client import Client, TcpServer

Files = dict[str, str | bytes]

HANGS = """
name = "Hangs"
grammar = "cobol"
extensions = [".hang"]
"""
"""A language whose bundled grammar never returns on the single letter x, and never calls back."""


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


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the scenarios' repository, which the tests of a file may change."""
    source = Path(__file__).parent.parent / "fixtures" / "scenarios" / "repository"
    return Path(shutil.copytree(source, tmp_path_factory.mktemp("repository") / "tree"))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A tree of which all that is exported can be read at a glance."""
    return write_files(tmp_path / "small", SMALL)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of names, lines and encodings that are awkward to write into other formats."""
    return write_files(tmp_path_factory.mktemp("nasty") / "a tree", NASTY)


@pytest.fixture
def fast_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Watchers that wait less than they would: a test has few changes, and nothing else to do."""
    monkeypatch.setattr(events, "QUIET_MS", 10)
    monkeypatch.setattr(events, "DRAIN_MS", 20)
    monkeypatch.setattr("symindex.files.watch.watcher.TICK_SECONDS", 0.05)
    monkeypatch.setattr("symindex.files.watch.watcher.SWEEP_SECONDS", 0.05)
    monkeypatch.setattr("symindex.files.watch.watcher.SWEEP_SHARE", 1.0)
    monkeypatch.setattr("symindex.files.watch.watcher.OWED_SECONDS", 0.05)


@pytest.fixture(params=["folders", "one watch", "sweep"])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way to notice changes."""
    monkeypatch.setattr(events, "ONE_WATCH", request.param == "one watch")
    if request.param == "sweep":
        monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    return str(request.param)


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


def unprivileged() -> list[str]:
    """What stands before a command that file modes shall bind: takes the capabilities to override them from root, if this is."""
    capabilities = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={capabilities}", f"--inh-caps={capabilities}"] if os.geteuid() == 0 else []


def run_unprivileged(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """symindex run as a user whom file modes bind."""
    command = [*unprivileged(), sys.executable, "-m", "symindex", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Editors:
    """Makes clients of one server over TCP. Those that a test made say goodbye by the book at its end."""

    def __init__(self, server: TcpServer) -> None:
        self.server = server
        self._made: list[Client] = []

    def connect(self) -> Client:
        """A client that has said nothing yet."""
        self._made.append(self.server.connect())
        return self._made[-1]

    def start(self, *folders: Path, **more: Any) -> Client:
        """One whose handshake is done. more: as of `Client.initialize`."""
        client = self.connect()
        client.initialize(*folders, **more)
        return client

    def start_indexed(self, *folders: Path, **more: Any) -> Client:
        """One whose folders, which were new, have been indexed."""
        client = self.start(*folders, **more)
        client.wait_indexed(len(folders))
        return client

    def end(self) -> None:
        for client in self._made:
            if not client.is_ended and not client.has_left:
                client.leave()


def own_environment(home: Path) -> dict[str, str]:
    """That of a process which keeps its index below a folder, and knows a language that never ends on the file `x`."""
    write_files(home / "grammars" / "hangs", {"language.toml": HANGS, "symbols.scm": "(comment) @doc\n"})
    own = {
        "HOME": home,
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "SYMINDEX_GRAMMARS": home / "grammars",
    }
    return {**os.environ, **{name: str(path) for name, path in own.items()}}


@pytest.fixture(scope="module")
def lsp_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TcpServer]:
    """A language server for all tests of a file."""
    server = TcpServer(["--log-level", "info"], env=own_environment(tmp_path_factory.mktemp("home")))
    yield server
    assert server.process.poll() is None
    log = server.log()
    assert server.stop() == ""
    assert "Traceback" not in log


@pytest.fixture
def editors(lsp_server: TcpServer) -> Iterator[Editors]:
    """Clients of that server."""
    made = Editors(lsp_server)
    yield made
    made.end()
