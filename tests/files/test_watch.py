"""A listener that checks only the reported paths arrives at the state on the disk.

No test waits for a fixed time: each waits for the expected event, for at most `SECONDS` seconds,
and checks the events before it.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.files.ignore.selection import Selection
from symindex.files.watch import events
from symindex.files.watch.watcher import Watcher
from tests.support.files import write_files
from tests.support.waiting import SECONDS, until
from tests.support.watching import TREE, WANTED, is_swept, make_tree, on_disk, running, watching

pytestmark = pytest.mark.usefixtures("fast_watch")


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
    "new folder with files": lambda root: write_files(
        root, {"n/x.py": "x = 1\n", "n/m/y.py": "y = 1\n"}
    ),
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
    "folder becomes a virtual environment": lambda root: write_files(
        root, {"pkg/pyvenv.cfg": "home = /usr\n"}
    ),
    "link": lambda root: (root / "link.py").symlink_to("a.py"),
}


@pytest.mark.sample(2)
@pytest.mark.slow
def test_every_change_is_reported(mode: str, tmp_path: Path) -> None:
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
        assert is_swept(watcher) == (mode == "sweep")
        assert listener.errors == []
    # The listener's own walks would hide a watcher that always reports "everything".
    assert frozenset({"a.py"}) in listener.told


@pytest.mark.sample(2)
def test_paths_are_named(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (_, listener):
        (root / "a.py").write_text("a = 12\n")
        until(lambda: listener.told[1:])
        write_files(root, {"pkg/new/x.py": "x = 1\n"})
        until(lambda: listener.told[-1] != frozenset({"a.py"}))
    # A write may be reported twice: for the empty file, and for its content.
    assert list(dict.fromkeys(listener.told)) == [None, {"a.py"}, {"pkg/new/x.py"}]


def test_excluded_paths_wake_no_listener(mode: str, tmp_path: Path) -> None:
    root = make_tree(
        tmp_path,
        {**TREE, "out/o.py": "o = 1\n", "node_modules/m/i.js": "let i\n", ".git/objects/x": "x"},
    )
    with watching(root) as (_, listener):
        write_files(root, {
            "out/o.py": "o = 12\n", "out/p.py": "p = 1\n", "out/q/q.py": "q = 1\n", "node_modules/m/i.js": "let ii\n",
            "node_modules/n/i.js": "let i\n", ".git/objects/x": "xx", ".git/refs/y": "y", "pkg/__pycache__/c.pyc": "c",
            "log.unknown": "1", "pkg/out/r.py": "r = 1\n", "pkg/node_modules/i.js": "let i\n",
        })  # fmt: skip
        shutil.rmtree(root / "out" / "q")
        (root / "a.py").write_text("a = 12\n")
        until(lambda: listener.told[1:])
    assert list(dict.fromkeys(listener.told)) == [None, {"a.py"}]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "name", [".git/HEAD", ".git/index", ".git/info/exclude", "settings.unknown"]
)
def test_files_that_change_everything(name: str, mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, {**TREE, ".git/HEAD": "ref: one\n"})
    with watching(root, rule_files=(root / "settings.unknown",)) as (_, listener):
        write_files(root, {name: "pkg/\n"})
        until(lambda: listener.told[1:])
        # a sweep compares files before it reports
        assert listener.told[1] is None or mode == "sweep"
        listener.wait_until_same()


@pytest.mark.sample(2)
def test_an_ignore_file_above_the_root_counts(mode: str, tmp_path: Path) -> None:
    root = (
        make_tree(tmp_path, {".git/HEAD": "ref: one\n", "in/a.py": "a = 1\n", "in/b.py": "b = 1\n"})
        / "in"
    )
    with watching(root) as (_, listener):
        (root.parent / ".gitignore").write_text("b.py\n")
        until(lambda: listener.copy.keys() == {"a.py"})


@pytest.mark.sample(2)
def test_a_root_that_goes_and_comes_back(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        shutil.rmtree(root)
        until(lambda: "does not exist" in "".join(watcher.notices))
        assert watcher.is_watching
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


@pytest.mark.nightly
@pytest.mark.slow
def test_a_burst_of_10_000_files(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {f"d{i}/f.py": "f = 1\n" for i in range(10)})
    with watching(root) as (_, listener):
        for i in range(10_000):
            folder = root / f"d{i % 20}"
            if i < 20:
                folder.mkdir(exist_ok=True)
            (folder / f"g{i}.py").touch()
        until(lambda: len(listener.copy) == 10_010)
        (root / "d3" / "f.py").write_text("f = 12\n")
        until(lambda: listener.copy["d3/f.py"] == "f = 12\n")
    assert all(paths is None or len(paths) <= events.MANY_PATHS for paths in listener.told)


@pytest.mark.nightly
def test_constant_writing_is_reported_while_it_continues(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (_, listener):
        end = time.monotonic() + SECONDS
        number = 0
        while len(listener.told) < 3 and time.monotonic() < end:
            number += 1
            (root / f"f{number % 500}.py").write_text("f" * number)
            time.sleep(0.001)  # a writer that pauses for less than the watcher's quiet time
        assert len(listener.told) >= 3
        listener.wait_until_same()


@pytest.mark.slow
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
    watcher.start()  # the second call starts no other thread
    writer.start()
    try:
        until(lambda: len(calls) > 3)
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
    watcher.start()  # it can be started again
    until(lambda: len(calls) > n_calls)
    watcher.stop()


def test_a_listener_may_stop_its_watcher(tmp_path: Path) -> None:
    watcher = Watcher(make_tree(tmp_path, TREE), WANTED, lambda paths: watcher.stop())
    watcher.start()
    until(lambda: not watcher.is_watching)


def test_excluded_files_wake_no_listener(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    reports: list[frozenset[str] | None] = []
    wanted = WANTED._replace(selection=Selection((), ("pkg",)))
    with running(Watcher(root, wanted, reports.append)) as watcher:
        until(lambda: reports == [None])
        write_files(
            root,
            {"pkg/c.py": "c = 2\n", "pkg/sub/new.py": "", "pkg/more/new.py": "", "a.py": "a = 2\n"},
        )
        until(lambda: frozenset({"a.py"}) in reports)
        assert not is_swept(watcher) and set(reports) == {None, frozenset({"a.py"})}
        watcher.file_filter = WANTED
        until(lambda: reports[-1] is None)
        until(lambda: watcher.file_filter is watcher._watched)
        write_files(root, {"pkg/more/new.py": "n = 3\n"})
        until(lambda: frozenset({"pkg/more/new.py"}) in reports or reports.count(None) > 2)
