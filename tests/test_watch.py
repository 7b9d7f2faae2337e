"""Watching: a listener that looks at what it is told, and at nothing else, ends up with what is on disk.

No test waits for a fixed time: each waits for what should come, for at most `LIMIT` seconds, and looks at what came before it.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import watchfiles._rust_notify

from symindex.source import events, watch
from symindex.source.events import remote_type
from symindex.source.languages import load_languages
from symindex.source.selection import Selection
from symindex.source.walk import Wanted, walk_tree
from symindex.source.watch import Watcher
from symindex.workspace import Workspace
from tests.conftest import Files, Maker, write_files

LIMIT = 60.0
WANTED = Wanted.of(load_languages(), 10**6)
MODES = ["folders", "one watch", "sweep"]


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "QUIET_MS", 10)
    monkeypatch.setattr(events, "DRAIN_MS", 20)
    monkeypatch.setattr(watch, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(watch, "SWEEP_SECONDS", 0.05)
    monkeypatch.setattr(watch, "SWEEP_SHARE", 1.0)
    monkeypatch.setattr(watch, "OWED_SECONDS", 0.05)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way to notice changes."""
    monkeypatch.setattr(events, "ONE_WATCH", request.param == "one watch")
    if request.param == "sweep":
        monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    return str(request.param)


class Listener:
    """Remembers what it was told, and keeps a copy of the tree by it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told: list[frozenset[str] | None] = []
        self.copy: dict[str, str] = {}
        self.errors: list[Exception] = []

    def __call__(self, paths: frozenset[str] | None) -> None:
        disk = on_disk(self.root)
        if paths is None:
            self.copy = disk
        else:
            kept = {path: text for path, text in self.copy.items() if path not in paths}
            self.copy = kept | {path: disk[path] for path in paths if path in disk}
        self.told.append(paths)

    def wait_until_same(self) -> None:
        wait_until(lambda: self.copy == on_disk(self.root))


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def on_disk(root: Path) -> dict[str, str]:
    return {file.path: read(root / file.path) for file in walk_tree(root, WANTED).files}


def wait_until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@contextmanager
def watching(root: Path, rule_files: tuple[Path, ...] = ()) -> Iterator[tuple[Watcher, Listener]]:
    listener = Listener(root)
    with Watcher(root, WANTED, listener, listener.errors.append, rule_files) as watcher:
        wait_until(lambda: listener.told)
        assert listener.told == [None]
        yield watcher, listener
    assert not watcher.is_watching


def make_tree(tmp_path: Path, files: Files) -> Path:
    root = write_files(tmp_path / "tree", files).resolve()
    root.mkdir(exist_ok=True)
    return root


TREE: Files = {"a.py": "a = 1\n", "b.py": "b = 1\n", "pkg/c.py": "c = 1\n", "pkg/sub/d.py": "d = 1\n", ".gitignore": "out/\n"}


def save_by_rename(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text)
    os.replace(temporary, path)


def save_as_vim_does(path: Path, text: str) -> None:
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    path.write_text(text)
    backup.unlink()


def replace_folder_by_file(root: Path) -> None:
    shutil.rmtree(root / "pkg" / "sub")
    (root / "pkg" / "sub").write_text("#!/usr/bin/env python\n")


def replace_file_by_folder(root: Path) -> None:
    (root / "b.py").unlink()
    write_files(root, {"b.py/inner.py": "inner = 1\n"})


def move_in(root: Path) -> None:
    shutil.move(write_files(root.parent / "elsewhere", {"one/two/e.py": "e = 1\n"}), root / "moved")


def make_and_rename(root: Path) -> None:
    write_files(root, {"first/f.py": "f = 1\n"})
    (root / "first").rename(root / "second")
    write_files(root, {"second/g.py": "g = 1\n"})


def swap_folders(root: Path) -> None:
    write_files(root, {"left/x.py": "left = 1\n", "right/x.py": "right_ = 1\n"})
    (root / "left").rename(root / "between")
    (root / "right").rename(root / "left")
    (root / "between").rename(root / "right")


CHANGES: dict[str, Callable[[Path], object]] = {
    "create": lambda root: write_files(root, {"new.py": "new = 1\n"}),
    "create in a folder": lambda root: write_files(root, {"pkg/sub/new.py": "new = 1\n"}),
    "edit": lambda root: (root / "a.py").write_text("a = 11\n"),
    "append": lambda root: (root / "pkg" / "c.py").write_text("c = 1\ncc = 1\n"),
    "delete": lambda root: (root / "a.py").unlink(),
    "rename": lambda root: (root / "a.py").rename(root / "pkg" / "z.py"),
    "rename to another language": lambda root: (root / "a.py").rename(root / "a.unknown"),
    "save by rename": lambda root: save_by_rename(root / "a.py", "a = 111\n"),
    "save as vim does": lambda root: save_as_vim_does(root / "pkg" / "c.py", "c = 1111\n"),
    "new folder with files": lambda root: write_files(root, {"n/x.py": "x = 1\n", "n/m/y.py": "y = 1\n"}),
    "new folders, deep": lambda root: write_files(root, {"1/2/3/4/5/6/x.py": "x = 1\n"}),
    "folder renamed": lambda root: (root / "pkg").rename(root / "package"),
    "folder deleted": lambda root: shutil.rmtree(root / "pkg"),
    "folder replaced by a file": replace_folder_by_file,
    "file replaced by a folder": replace_file_by_folder,
    "folder moved in": move_in,
    "folder moved out": lambda root: (root / "pkg").rename(root.parent / "out of it"),
    "folder made and renamed": make_and_rename,
    "folders swapped": swap_folders,
    "ignore file changed": lambda root: (root / ".gitignore").write_text("out/\npkg/\n"),
    "ignore file deleted": lambda root: (root / ".gitignore").unlink(),
    "folder becomes a virtual environment": lambda root: write_files(root, {"pkg/pyvenv.cfg": "home = /usr\n"}),
    "link": lambda root: (root / "link.py").symlink_to("a.py"),
}


def test_every_change_is_told(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, {})
    with watching(root) as (watcher, listener):
        for name, change in CHANGES.items():
            for entry in list(root.iterdir()):
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            write_files(root, TREE)
            listener.wait_until_same()
            change(root)
            try:
                listener.wait_until_same()
            except AssertionError:
                raise AssertionError(f"{name}: {listener.copy} is not {on_disk(root)}") from None
        assert watcher.mode == ("sweep" if mode == "sweep" else "events")
        assert listener.errors == []
    # The copies that the walks make would hide a watcher that always says "everything".
    assert any(told == {"a.py"} for told in listener.told)


def test_paths_are_named(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (_, listener):
        (root / "a.py").write_text("a = 12\n")
        wait_until(lambda: listener.told[1:])
        write_files(root, {"pkg/new/x.py": "x = 1\n"})
        wait_until(lambda: listener.told[-1] != {"a.py"})
    # A write may be told twice: that the file is empty, and what it then holds.
    assert list(dict.fromkeys(listener.told)) == [None, {"a.py"}, {"pkg/new/x.py"}]


def test_what_is_left_out_wakes_nobody(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE | {"out/o.py": "o = 1\n", "node_modules/m/i.js": "let i\n", ".git/objects/x": "x"})
    with watching(root) as (_, listener):
        write_files(root, {
            "out/o.py": "o = 12\n", "out/p.py": "p = 1\n", "out/q/q.py": "q = 1\n", "node_modules/m/i.js": "let ii\n",
            "node_modules/n/i.js": "let i\n", ".git/objects/x": "xx", ".git/refs/y": "y", "pkg/__pycache__/c.pyc": "c",
            "log.unknown": "1", "pkg/out/r.py": "r = 1\n", "pkg/node_modules/i.js": "let i\n",
        })  # fmt: skip
        shutil.rmtree(root / "out" / "q")
        (root / "a.py").write_text("a = 12\n")
        wait_until(lambda: listener.told[1:])
    assert list(dict.fromkeys(listener.told)) == [None, {"a.py"}]


@pytest.mark.parametrize("name", [".git/HEAD", ".git/index", ".git/info/exclude", "settings.toml"])
def test_files_that_change_everything(name: str, mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE | {".git/HEAD": "ref: one\n"})
    with watching(root, rule_files=(root / "settings.toml",)) as (_, listener):
        write_files(root, {name: "pkg/\n"})
        wait_until(lambda: listener.told[1:])
        assert listener.told[1] is None or mode == "sweep"  # a sweep compares before it looks
        listener.wait_until_same()


def test_an_ignore_file_above_the_root_counts(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, {".git/HEAD": "ref: one\n", "in/a.py": "a = 1\n", "in/b.py": "b = 1\n"}) / "in"
    with watching(root) as (_, listener):
        (root.parent / ".gitignore").write_text("b.py\n")
        wait_until(lambda: listener.copy.keys() == {"a.py"})


def test_a_root_that_goes_and_comes_back(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        shutil.rmtree(root)
        wait_until(lambda: "is not there" in "".join(watcher.notices))
        assert (watcher.mode, watcher.is_watching) == ("", True)
        write_files(root, {"again.py": "again = 1\n"})
        listener.wait_until_same()
        (root / "again.py").write_text("again = 12\n")
        listener.wait_until_same()
        root.rename(tmp_path / "old")
        write_files(root, {"other.py": "other = 1\n"})
        listener.wait_until_same()
        (root / "other.py").write_text("other = 12\n")
        listener.wait_until_same()
        assert watcher.notices == [] or mode == "sweep"


def test_a_burst_of_10_000_files(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {f"d{i}/f.py": "f = 1\n" for i in range(10)})
    with watching(root) as (_, listener):
        for i in range(10_000):
            folder = root / f"d{i % 20}"
            if i < 20:
                folder.mkdir(exist_ok=True)
            (folder / f"g{i}.py").touch()
        wait_until(lambda: len(listener.copy) == 10_010)
        (root / "d3" / "f.py").write_text("f = 12\n")
        wait_until(lambda: listener.copy["d3/f.py"] == "f = 12\n")
    assert all(told is None or len(told) <= events.MANY_PATHS for told in listener.told)


def test_constant_writing_is_told_while_it_goes_on(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (_, listener):
        end = time.monotonic() + LIMIT
        number = 0
        while len(listener.told) < 3 and time.monotonic() < end:
            number += 1
            (root / f"f{number % 500}.py").write_text("f" * number)
            time.sleep(0.001)  # a writer that never pauses for as long as the watcher waits for quiet
        assert len(listener.told) >= 3
        listener.wait_until_same()


def test_a_listener_that_fails_is_asked_again(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    faults = [ValueError("no\nspace"), OSError("still none")]
    listener = Listener(root)

    def fail_at_first(paths: frozenset[str] | None) -> None:
        if listener.told and faults:
            raise faults.pop(0)
        listener(paths)

    with Watcher(root, WANTED, fail_at_first, listener.errors.append) as watcher:
        wait_until(lambda: listener.told)
        (root / "a.py").write_text("a = 12\n")
        wait_until(lambda: len(listener.errors) == 2)
        listener.wait_until_same()
        assert [str(error) for error in listener.errors] == ["no\nspace", "still none"]
        assert listener.told[1] is None  # what it could not take is not lost
        wait_until(lambda: not any("failed" in notice for notice in watcher.notices))
        (root / "b.py").write_text("b = 12\n")
        listener.wait_until_same()


def test_what_a_listener_could_not_take_comes_with_the_next_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "OWED_SECONDS", LIMIT)
    root = make_tree(tmp_path, TREE)
    listener = Listener(root)

    def fail_for_a(paths: frozenset[str] | None) -> None:
        if paths == {"a.py"}:
            raise ValueError
        listener(paths)

    with Watcher(root, WANTED, fail_for_a, listener.errors.append):
        wait_until(lambda: listener.told)
        (root / "a.py").write_text("a = 12\n")
        wait_until(lambda: listener.errors)
        (root / "b.py").write_text("b = 12\n")
        listener.wait_until_same()


def test_a_failure_without_a_listener_for_it_is_noticed(tmp_path: Path) -> None:
    def fail(paths: frozenset[str] | None) -> None:
        raise ValueError("no\nspace")

    root = make_tree(tmp_path, TREE)
    with Watcher(root, WANTED, fail) as watcher:
        wait_until(lambda: watcher.notices)
        assert watcher.notices == [f"{root}: an update failed: no space"]


def test_one_call_at_a_time_and_none_after_the_end(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    at_work = threading.Lock()
    calls: list[bool] = []
    is_over = threading.Event()

    def listen(paths: frozenset[str] | None) -> None:
        calls.append(at_work.acquire(blocking=False) and not is_over.is_set())
        time.sleep(0.01)
        at_work.release()

    def write() -> None:
        number = 0
        while not is_written.is_set():
            number += 1
            (root / f"f{number % 3000}.py").write_text("f")

    is_written = threading.Event()
    writer = threading.Thread(target=write)
    watcher = Watcher(root, WANTED, listen)
    watcher.start()
    watcher.start()  # the second is no other
    writer.start()
    try:
        wait_until(lambda: len(calls) > 3)
        watcher.stop()
        is_over.set()
        assert not watcher.is_watching
        assert all(thread.name != "symindex-watch" for thread in threading.enumerate())
        n_calls = len(calls)
        watcher.stop()
    finally:
        is_written.set()
        writer.join()
    assert len(calls) == n_calls and all(calls)
    is_over.clear()
    watcher.start()  # and it can be started again
    wait_until(lambda: len(calls) > n_calls)
    watcher.stop()


def test_a_listener_may_stop_its_watcher(tmp_path: Path) -> None:
    watcher = Watcher(make_tree(tmp_path, TREE), WANTED, lambda paths: watcher.stop())
    watcher.start()
    wait_until(lambda: not watcher.is_watching)


REFUSALS = [
    (OSError('OS file watch limit reached. about ["/t"] (Error { kind: MaxFilesWatch })'), "max_user_watches"),
    (watchfiles._rust_notify.WatchfilesRustInternalError("Error: Too many open files (os error 24)"), "max_user_instances"),
    (PermissionError("Permission denied (os error 13)"), "Permission denied"),
    (ValueError("something\nnew"), "something new"),
]


@pytest.mark.parametrize(("refusal", "words"), REFUSALS, ids=[words for _, words in REFUSALS])
def test_sweeps_where_watching_is_refused_until_it_is_not(
    refusal: Exception, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_tree(tmp_path, TREE)
    real = watchfiles._rust_notify.RustNotify

    def refuse(*arguments: object) -> object:
        raise refusal

    monkeypatch.setattr(watchfiles._rust_notify, "RustNotify", refuse)
    monkeypatch.setattr(watch, "RETRY_SECONDS", 0.2)
    with watching(root) as (watcher, listener):
        assert watcher.mode == "sweep"
        (notice,) = watcher.notices
        assert words in notice and "\n" not in notice
        (root / "a.py").write_text("a = 12\n")
        listener.wait_until_same()
        monkeypatch.setattr(watchfiles._rust_notify, "RustNotify", real)
        wait_until(lambda: watcher.mode == "events")
        assert watcher.notices == []
        (root / "b.py").write_text("b = 12\n")
        listener.wait_until_same()


def test_sweeps_without_watchfiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles._rust_notify", None)
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        assert watcher.mode == "sweep" and "watchfiles cannot be loaded" in watcher.notices[0]
        (root / "a.py").write_text("a = 12\n")
        listener.wait_until_same()


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_a_name_that_is_no_text_ends_nothing(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        for number in range(3):
            with open(os.fsencode(root) + b"/caf\xe9.py", "w") as file:
                file.write("x" * number)
            (root / "a.py").write_text(f"a = 1{number}\n")
            listener.wait_until_same()
        wait_until(lambda: watcher.mode == "events")


def test_a_quiet_tree_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For what the system lost without a word."""
    monkeypatch.setattr(watch, "SAFETY_SECONDS", 0.05)
    monkeypatch.setattr(watch, "SAFETY_SHARE", 1.0)
    with watching(make_tree(tmp_path, TREE)) as (_, listener):
        wait_until(lambda: len(listener.told) > 2)
        assert set(listener.told) == {None}


def test_remote_file_systems_are_known(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        "30 22 0:40 / /home/me rw - nfs4 server:/home rw,vers=4.2\n"
        "31 30 0:41 / /home/me/local\\040disk rw - ext4 /dev/vdb rw\n"
        "32 22 0:42 / /mnt/c rw master:3 - 9p drvfs rw\n"
        "33 22 0:43 / /mnt/s rw - fuse.sshfs me@host: rw\n"
        "a line of another kind\n"
    )
    table = {
        "/src": "", "/home/me": "nfs4", "/home/me/x": "nfs4", "/home/me/local disk/x": "", "/home/merry": "",
        "/mnt/c/x": "9p", "/mnt/s": "fuse.sshfs",
    }  # fmt: skip
    assert {place: remote_type(Path(place), mounts) for place in table} == table
    assert remote_type(Path("/"), tmp_path / "none") == ""


def test_a_remote_tree_is_looked_at_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "remote_type", lambda root: "nfs4")
    monkeypatch.setattr(watch, "REMOTE_SECONDS", 0.05)
    with watching(make_tree(tmp_path, TREE)) as (watcher, listener):
        wait_until(lambda: len(listener.told) > 3)
        assert "nfs4" in watcher.notices[0]


def test_nothing_is_lost_while_folders_are_being_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens after folders were listed, and before they are watched: at the start, and for a new folder."""
    monkeypatch.setattr(events, "ONE_WATCH", False)
    meanwhile: list[Files] = [{"late/one.py": "one = 1\n"}]
    real = events.Events._watch_folders

    def watch_late(self: events.Events) -> object:
        if meanwhile:
            write_files(root, meanwhile.pop())
        return real(self)

    monkeypatch.setattr(events.Events, "_watch_folders", watch_late)
    root = make_tree(tmp_path, TREE)
    with watching(root) as (_, listener):
        assert not meanwhile
        (root / "late" / "one.py").write_text("one = 11\n")
        listener.wait_until_same()
        meanwhile.append({"new/later/two.py": "two = 1\n", "a.py": "a = 12\n"})
        write_files(root, {"new/three.py": "three = 1\n"})
        wait_until(lambda: not meanwhile)
        listener.wait_until_same()
        (root / "new" / "later" / "two.py").write_text("two = 12\n")
        listener.wait_until_same()
    assert None not in listener.told[1:]  # the new folders were not found by looking at everything


def test_a_tree_that_does_not_rest_is_swept_until_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(10**6))
    real = events.walk_folders
    other = {"other/": None}
    monkeypatch.setattr(events, "walk_folders", lambda root, chosen: real(root, chosen) | (other if next(numbers) % 2 else {}))
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        assert (watcher.mode, watcher.notices) == ("sweep", [])
        monkeypatch.setattr(events, "walk_folders", real)
        wait_until(lambda: watcher.mode == "events")
        (root / "a.py").write_text("a = 12\n")
        listener.wait_until_same()


def ids(workspace: Workspace) -> list[str]:
    return [workspace.snapshot.symbol_id(row) for row in workspace.snapshot.in_order()]


def test_a_workspace_follows_the_disk(make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n", "b.py": "def two(): pass\n"})
    reports: list[object] = []
    watcher = workspace.follow(reports.append)
    wait_until(lambda: watcher.mode)
    (workspace.root / "a.py").write_text("def uno(): pass\n")
    wait_until(lambda: ids(workspace) == ["a.py#uno", "b.py#two"])
    (workspace.root / "b.py").unlink()
    write_files(workspace.root, {"c/d.py": "class Three: pass\n"})
    wait_until(lambda: ids(workspace) == ["a.py#uno", "c/d.py#Three"])
    wait_until(lambda: reports)
    with Workspace(workspace.root, tmp_path / "fresh") as fresh:
        fresh.refresh()
        assert ids(fresh) == ids(workspace)
    workspace.close()
    assert not watcher.is_watching


def test_searches_go_on_while_a_workspace_follows(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def name0(): pass\n", "b.py": "def other(): pass\n"})
    workspace.follow()
    for number in range(1, 4):
        (workspace.root / "a.py").write_text(f"def name{number}(): pass\n" * number)
        wait_until(lambda: workspace.search("other").total == 1 and workspace.search(f"name{number}", fuzzy=False).total)  # noqa: B023
        workspace.refresh()  # from another thread than the follower's


def test_settings_are_followed(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n", "b.py": "def two(): pass\n" * 10})
    errors: list[Exception] = []
    workspace.follow(on_error=errors.append)
    (workspace.root / "symindex.toml").write_text("max_file_bytes = 50\n")
    wait_until(lambda: ids(workspace) == ["a.py#one"])
    (workspace.root / "symindex.toml").write_text("max_file_byte = 50\n")
    wait_until(lambda: errors)
    assert "max_file_byte" in str(errors[0])
    (workspace.root / "a.py").write_text("def uno(): pass\n")
    wait_until(lambda: ids(workspace) == ["a.py#uno"])  # wrong settings change nothing


def test_a_changed_selection_is_followed(mode: str, make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace({
        "a.py": "a = 1\n", "src/b.py": "b = 1\n", "src/gen/c.py": "c = 1\n", "src/gen/.gitignore": "!c.py\n",
        "src/d.go": "package d\n\nfunc D() {}\n", "tool": "#!/bin/sh\ne() { :; }\n",
    })  # fmt: skip
    root, told = workspace.root, list[Exception]()
    watcher = workspace.follow(on_error=told.append)

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
        wait_until(is_index_of(*left))
        with Workspace(root, tmp_path / "fresh") as fresh:
            assert fresh.refresh().skipped == workspace.refresh().skipped
            assert ids(fresh) == ids(workspace)
    # What is watched has changed with the settings: a folder that was left out is watched again, and the other way round.
    (root / "src/gen/c.py").write_text("c2 = 1\n")
    wait_until(is_index_of("a.py#a", "src/b.py#b", "src/d.go#D", "src/gen/c.py#c2", "tool#e"))
    (root / "symindex.toml").write_text("exclude = ['gen', 'tool']\nlimit = 0\n")
    wait_until(lambda: told)
    assert "limit is 0" in str(told[0]) and len(ids(workspace)) == 5
    (root / "symindex.toml").write_text("exclude = ['gen', 'tool']\n")
    wait_until(is_index_of("a.py#a", "src/b.py#b", "src/d.go#D"))
    write_files(root, {"src/gen/new.py": "new = 1\n", "src/b.py": "b2 = 1\n"})
    wait_until(is_index_of("a.py#a", "src/b.py#b2", "src/d.go#D"))
    assert watcher.is_watching and len(told) == 1


def test_left_out_files_wake_nobody(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    told: list[frozenset[str] | None] = []
    wanted = WANTED._replace(selection=Selection((), ("pkg",)))
    with Watcher(root, wanted, told.append) as watcher:
        wait_until(lambda: told == [None])
        write_files(root, {"pkg/c.py": "c = 2\n", "pkg/sub/new.py": "", "pkg/more/new.py": "", "a.py": "a = 2\n"})
        wait_until(lambda: frozenset({"a.py"}) in told)
        assert watcher.mode == "events" and set(told) == {None, frozenset({"a.py"})}
        watcher.want(WANTED)
        wait_until(lambda: told[-1] is None)
        wait_until(lambda: watcher._wanted is watcher._watched)
        write_files(root, {"pkg/more/new.py": "n = 3\n"})
        wait_until(lambda: frozenset({"pkg/more/new.py"}) in told or told.count(None) > 2)


def test_wrong_settings_are_told_once_and_have_their_defaults(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    problems: list[str] = []
    with Workspace(root, tmp_path / "index", on_problem=problems.append) as workspace:
        workspace.refresh()
        workspace.follow()
        write_files(root, {"symindex.toml": "exclude = ['b.py']\nlimit = 0\ninclude = 'a'\n"})
        wait_until(lambda: ids(workspace) == ["a.py#a"])
        write_files(root, {"symindex.toml": "exclude = []\nlimit = 5\n"})
        wait_until(lambda: ids(workspace) == ["a.py#a", "b.py#b"])
        assert workspace.settings.limit == 5
    assert [line.partition(": ")[2].partition(":")[0] for line in problems] == ["limit is 0", "include is 'a'"]


def test_what_cannot_be_stored_is_tried_again(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    errors: list[Exception] = []
    workspace.follow(on_error=errors.append)
    away = workspace.folder.with_name("away")
    workspace.folder.rename(away)
    workspace.folder.write_text("in the way\n")
    (workspace.root / "a.py").write_text("def uno(): pass\n")
    wait_until(lambda: errors)
    workspace.folder.unlink()
    away.rename(workspace.folder)
    wait_until(lambda: ids(workspace) == ["a.py#uno"])


def test_unfollowing_does_not_wait_for_a_refresh(make_workspace: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    begun, refresh = threading.Event(), workspace.refresh

    def slow_refresh(progress: Callable[[int, int], None], **_: object) -> object:
        begun.set()
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            progress(1, 2)
            time.sleep(0.005)
        return refresh()

    monkeypatch.setattr(workspace, "refresh", slow_refresh)
    errors: list[Exception] = []
    watcher = workspace.follow(on_error=errors.append)
    assert begun.wait(LIMIT)
    before = time.monotonic()
    workspace.unfollow()
    assert time.monotonic() - before < watch.STOP_SECONDS
    assert not watcher.is_watching and errors == []


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C as a signal")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_index_watch_until_ctrl_c(form: list[str], tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "def one(): pass\n"})
    command = [sys.executable, "-m", "symindex", "index", "--watch", "--root", str(root), "--index-dir", str(tmp_path / "index")]
    with (
        open(tmp_path / "out", "w+") as out,
        open(tmp_path / "error", "w+") as error,
        subprocess.Popen([*command, *form], stdout=out, stderr=error) as process,
    ):
        wait_until(lambda: read(tmp_path / "out").count("\n") >= 1)
        (root / "a.py").write_text("def uno(): pass\ndef due(): pass\n")
        wait_until(lambda: "\n" in read(tmp_path / ("error" if not form else "out")).partition("\n" if form else "s: ")[2])
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 130
    lines = read(tmp_path / "error").splitlines()
    assert lines[-1] == "symindex: stopped following; the index is as its last update left it"
    if form:
        first, second = [json.loads(line) for line in read(tmp_path / "out").splitlines()]
        assert (first["symbols"], second["symbols"], second["read"], second["removed"]) == (1, 2, 1, 0)
        assert len(lines) == 1
    else:
        assert lines[0].startswith("updated in ") and lines[0].endswith(" s: 1 read, 0 gone")
