"""Options and fixtures that all tests share; code that tests import is in `tests/support`."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from symindex.files.watch import events
from symindex.workspace.workspace import Workspace
from tests.support.exports import NASTY, SMALL
from tests.support.files import Files, Maker, write_files
from tests.support.hanging_language import own_environment, write_hanging_language
from tests.support.lanes import Lanes
from tests.support.lsp_client import Editors, TcpServer
from tests.support.processes import reset_signals
from tests.support.warm_workers import WARM, give_to_pools


def pytest_configure(config: pytest.Config) -> None:
    """Runs in each process that runs tests. Their children may store bytecode: else each of the
    thousands compiles the package anew."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    reset_signals()
    # A test that is slow because the machine is busy is no failure; each has pytest's timeout.
    hypothesis.settings.register_profile(
        "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile("busy")
    config.pluginmanager.register(Lanes(config), "symindex-lanes")


@pytest.fixture(scope="session", autouse=True)
def _warm_workers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        give_to_pools(patched)
        yield
    WARM.close()


def pytest_runtest_setup(item: pytest.Item) -> None:
    WARM.is_on = item.get_closest_marker("own_workers") is None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the test files that wait for servers and processes first, so that no process ends up
    alone with one of them."""
    items.sort(
        key=lambda item: (
            not item.nodeid.startswith("tests/serve/"),
            not item.nodeid.startswith("tests/workers/"),
        )
    )


def pytest_collection_finish() -> None:
    """Freezes the collected tests, so that the garbage collector does not scan thousands of them
    again and again."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="rewrite the marks of fixtures/symbols, and the scores of tests/search, to what is found",
    )
    parser.addoption(
        "--nightly", action="store_true", help="run the tests of the nightly lane, too"
    )


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps every test away from the user's own cache and configuration."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.delenv("SYMINDEX_DATA_DIR", raising=False)
    monkeypatch.delenv("SYMINDEX_GRAMMARS", raising=False)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the scenario repository, which the tests of one file may change."""
    source = Path(__file__).parent.parent / "fixtures" / "scenarios" / "repository"
    return Path(shutil.copytree(source, tmp_path_factory.mktemp("repository") / "tree"))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A tree small enough to read everything that is exported from it at a glance."""
    return write_files(tmp_path / "small", SMALL)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with names, lines and encodings that are awkward to write in other formats."""
    return write_files(tmp_path_factory.mktemp("nasty") / "a tree", NASTY)


@pytest.fixture
def hanging_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A language that never finishes the file `x`, in this process and its workers."""
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(write_hanging_language(tmp_path / "grammars")))


@pytest.fixture
def fast_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the delays of watchers: a test makes few changes and does nothing else."""
    monkeypatch.setattr("symindex.files.watch.inotify.QUIET_SECONDS", 0.01)
    monkeypatch.setattr("symindex.files.watch.inotify.DUE_SECONDS", 0.05)
    monkeypatch.setattr("symindex.files.watch.whole_tree.QUIET_SECONDS", 0.01)
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


@pytest.fixture
def make_workspace(tmp_path: Path) -> Iterator[Maker]:
    """Makes a workspace of the given files, and indexes it."""
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


@pytest.fixture(scope="module")
def lsp_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TcpServer]:
    """One language server for all tests of a file."""
    server = TcpServer(
        ["--log-level", "info"], env=own_environment(tmp_path_factory.mktemp("home"))
    )
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
