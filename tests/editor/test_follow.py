"""A workspace that follows the disk and its settings until it is closed."""

import json
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.files.watch.watcher import STOP_SECONDS
from symindex.workspace.workspace import Workspace
from tests.support.command import SYMINDEX, started
from tests.support.files import Maker, write_files
from tests.support.rows import ids_in_order
from tests.support.waiting import SECONDS, until
from tests.support.watching import make_tree, read

pytestmark = pytest.mark.usefixtures("fast_watch")


def ids(workspace: Workspace) -> list[str]:
    snapshot = workspace.source.indexed.snapshot  # one moment: each update replaces the snapshot
    return ids_in_order(snapshot)


def test_a_workspace_follows_the_disk(make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n", "b.py": "def two(): pass\n"})
    reports: list[object] = []
    watcher = workspace.source.indexed.follow(reports.append)
    until(lambda: watcher.has_looked)
    (workspace.root / "a.py").write_text("def uno(): pass\n")
    until(lambda: ids(workspace) == ["a.py#uno", "b.py#two"])
    (workspace.root / "b.py").unlink()
    write_files(workspace.root, {"c/d.py": "class Three: pass\n"})
    until(lambda: ids(workspace) == ["a.py#uno", "c/d.py#Three"])
    until(lambda: reports)
    with Workspace(workspace.root, tmp_path / "fresh") as fresh:
        fresh.refresh()
        assert ids(fresh) == ids(workspace)
    workspace.close()
    assert not watcher.is_watching


@pytest.mark.nightly
def test_searches_go_on_while_a_workspace_follows(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def name0(): pass\n", "b.py": "def other(): pass\n"})
    workspace.follow()
    for number in range(1, 4):
        (workspace.root / "a.py").write_text(f"def name{number}(): pass\n" * number)
        until(
            lambda: (
                workspace.search("other").total == 1
                and workspace.search(f"name{number}", fuzzy=False).total  # noqa: B023
            )
        )
        workspace.refresh()  # from another thread than the follower's


def test_settings_are_followed(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n", "b.py": "def two(): pass\n" * 10})
    errors: list[Exception] = []
    workspace.follow(on_error=errors.append)
    (workspace.root / "symindex.toml").write_text("max_file_bytes = 50\n")
    until(lambda: ids(workspace) == ["a.py#one"])
    (workspace.root / "symindex.toml").write_text("max_file_byte = 50\n")
    until(lambda: errors)
    assert "max_file_byte" in str(errors[0])
    (workspace.root / "a.py").write_text("def uno(): pass\n")
    until(lambda: ids(workspace) == ["a.py#uno"])  # invalid settings change nothing


@pytest.mark.sample(2)
@pytest.mark.slow
def test_a_changed_selection_is_followed(mode: str, make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace({
        "a.py": "a = 1\n", "src/b.py": "b = 1\n", "src/gen/c.py": "c = 1\n", "src/gen/.gitignore": "!c.py\n",
        "src/d.go": "package d\n\nfunc D() {}\n", "tool": "#!/bin/sh\ne() { :; }\n",
    })  # fmt: skip
    root, errors = workspace.root, list[Exception]()
    watcher = workspace.source.indexed.follow(on_error=errors.append)

    def is_index_of(*symbols: str) -> Callable[[], bool]:
        return lambda: ids(workspace) == sorted(symbols)

    every = ("a.py#a", "src/b.py#b", "src/d.go#D", "src/gen/c.py#c", "tool#e")
    for text, left in [
        ("exclude = ['src/gen']", ("a.py#a", "src/b.py#b", "src/d.go#D", "tool#e")),
        ("include = ['src/**']", ("src/b.py#b", "src/d.go#D", "src/gen/c.py#c")),
        ("include = ['src/**']\nexclude = ['gen/']\nlanguages = ['python']", ("src/b.py#b",)),
        ("languages = ['go', 'bash']", ("src/d.go#D", "tool#e")),
        ("", every),
    ]:
        (root / "symindex.toml").write_text(text + "\n")
        until(is_index_of(*left))
        with Workspace(root, tmp_path / "fresh") as fresh:
            assert fresh.refresh().skipped == workspace.refresh().skipped
            assert ids(fresh) == ids(workspace)
    # The watched folders have changed with the settings: a folder that was excluded is watched
    # again, and the other way round.
    (root / "src/gen/c.py").write_text("c2 = 1\n")
    until(is_index_of("a.py#a", "src/b.py#b", "src/d.go#D", "src/gen/c.py#c2", "tool#e"))
    (root / "symindex.toml").write_text("exclude = ['gen', 'tool']\nlimit = 0\n")
    until(lambda: errors)
    assert "limit is 0" in str(errors[0]) and len(ids(workspace)) == 5
    (root / "symindex.toml").write_text("exclude = ['gen', 'tool']\n")
    until(is_index_of("a.py#a", "src/b.py#b", "src/d.go#D"))
    write_files(root, {"src/gen/new.py": "new = 1\n", "src/b.py": "b2 = 1\n"})
    until(is_index_of("a.py#a", "src/b.py#b2", "src/d.go#D"))
    assert watcher.is_watching and len(errors) == 1


def test_invalid_settings_are_reported_once_and_have_their_defaults(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    problems: list[str] = []
    with Workspace(root, tmp_path / "index", on_problem=problems.append) as workspace:
        workspace.refresh()
        workspace.follow()
        write_files(root, {"symindex.toml": "exclude = ['b.py']\nlimit = 0\ninclude = 'a'\n"})
        until(lambda: ids(workspace) == ["a.py#a"])
        write_files(root, {"symindex.toml": "exclude = []\nlimit = 5\n"})
        until(lambda: ids(workspace) == ["a.py#a", "b.py#b"])
        assert workspace.source.indexed.settings.limit == 5
    assert [line.partition(": ")[2].partition(":")[0] for line in problems] == [
        "limit is 0",
        "include is 'a'",
    ]


@pytest.mark.nightly
def test_what_cannot_be_stored_is_tried_again(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    errors: list[Exception] = []
    workspace.follow(on_error=errors.append)
    away = workspace.source.indexed.folder.with_name("away")
    workspace.source.indexed.folder.rename(away)
    workspace.source.indexed.folder.write_text("in the way\n")
    (workspace.root / "a.py").write_text("def uno(): pass\n")
    until(lambda: errors)
    workspace.source.indexed.folder.unlink()
    away.rename(workspace.source.indexed.folder)
    until(lambda: ids(workspace) == ["a.py#uno"])


def test_unfollowing_does_not_wait_for_a_refresh(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    begun, refresh = threading.Event(), workspace.source.indexed.refresh

    def slow_refresh(progress: Callable[[int, int], None], **_: object) -> object:
        begun.set()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            progress(1, 2)
            time.sleep(0.005)
        return refresh()

    monkeypatch.setattr(workspace.source.indexed, "refresh", slow_refresh)
    errors: list[Exception] = []
    watcher = workspace.source.indexed.follow(on_error=errors.append)
    assert begun.wait(SECONDS)
    before = time.monotonic()
    workspace.unfollow()
    assert time.monotonic() - before < STOP_SECONDS
    assert not watcher.is_watching and errors == []


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs Ctrl-C as a signal")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_index_watch_until_ctrl_c(form: list[str], tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "def one(): pass\n"})
    command = [*SYMINDEX, "index", "--watch", "--root", root, "--index-dir", tmp_path / "index"]
    with (
        open(tmp_path / "out", "w+") as out,
        open(tmp_path / "error", "w+") as error,
        started([*command, *form], stdout=out, stderr=error) as process,  # type: ignore[list-item]
    ):
        until(lambda: read(tmp_path / "out").count("\n") >= 1)
        (root / "a.py").write_text("def uno(): pass\ndef due(): pass\n")
        until(
            lambda: (
                "\n"
                in read(tmp_path / ("error" if not form else "out")).partition(
                    "\n" if form else "s: "
                )[2]
            )
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
    lines = read(tmp_path / "error").splitlines()
    assert lines[0].startswith(f"symindex: watching {root}")
    assert lines[-1] == "symindex: stopped watching; the index is at its last update"
    if form:
        first, second = [json.loads(line) for line in read(tmp_path / "out").splitlines()]
        assert (first["symbols"], second["symbols"], second["read"], second["removed"]) == (
            1,
            2,
            1,
            0,
        )
        assert len(lines) == 2
    else:
        assert lines[1].startswith("updated in ") and lines[1].endswith(" s: 1 file read, 0 gone")
