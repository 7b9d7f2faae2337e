"""Watching while something fails: listeners, the system's watches, remote file systems, changes at
a bad moment."""

import errno
import itertools
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import watchfiles._rust_notify

from symindex.files.walk import FileFilter
from symindex.files.watch import events, inotify
from symindex.files.watch import watcher as watch
from symindex.files.watch.events import remote_type
from symindex.files.watch.watcher import Watcher
from tests.support.files import Files, write_files
from tests.support.waiting import SECONDS, until
from tests.support.watching import TREE, WANTED, Listener, is_swept, make_tree, running, watching

pytestmark = pytest.mark.usefixtures("fast_watch")


@pytest.mark.nightly
def test_a_listener_that_fails_is_asked_again(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    faults = [ValueError("no\nspace"), OSError("still none")]
    listener = Listener(root)

    def fail_at_first(paths: frozenset[str] | None) -> None:
        if listener.told and faults:
            raise faults.pop(0)
        listener(paths)

    with running(Watcher(root, WANTED, fail_at_first, listener.errors.append)) as watcher:
        until(lambda: listener.told)
        (root / "a.py").write_text("a = 12\n")
        until(lambda: len(listener.errors) == 2)
        listener.wait_until_same()
        assert [str(error) for error in listener.errors] == ["no\nspace", "still none"]
        assert listener.told[1] is None  # the changes before the failure are not lost
        until(lambda: not any("failed" in notice for notice in watcher.notices))
        (root / "b.py").write_text("b = 12\n")
        listener.wait_until_same()


def test_changes_that_a_listener_failed_on_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.files.watch.watcher.OWED_SECONDS", SECONDS)
    root = make_tree(tmp_path, TREE)
    listener = Listener(root)

    def fail_for_a(paths: frozenset[str] | None) -> None:
        if paths == frozenset({"a.py"}):
            raise ValueError
        listener(paths)

    with running(Watcher(root, WANTED, fail_for_a, listener.errors.append)):
        until(lambda: listener.told)
        (root / "a.py").write_text("a = 12\n")
        until(lambda: listener.errors)
        (root / "b.py").write_text("b = 12\n")
        listener.wait_until_same()


def test_a_failure_without_a_listener_for_it_is_noticed(tmp_path: Path) -> None:
    def fail(paths: frozenset[str] | None) -> None:
        raise ValueError("no\nspace")

    root = make_tree(tmp_path, TREE)
    with running(Watcher(root, WANTED, fail)) as watcher:
        until(lambda: watcher.notices)
        assert watcher.notices == [f"{root}: an update failed: no space"]


REFUSALS = [
    (OSError(errno.ENOSPC, "No space left on device"), "max_user_watches"),
    (OSError(errno.EMFILE, "Too many open files"), "max_user_instances"),
    (OSError(errno.ENOSYS, "Function not implemented"), "no file events"),
    (OSError(errno.EACCES, "Permission denied"), "Permission denied"),
    (AttributeError("inotify_init1"), "no file events"),
]


@pytest.mark.sample(5)
@pytest.mark.skipif(sys.platform != "linux", reason="needs inotify")
@pytest.mark.parametrize(("refusal", "words"), REFUSALS, ids=[str(error) for error, _ in REFUSALS])
@pytest.mark.parametrize("call_number", [0, 2])
def test_sweeps_where_watching_is_refused_until_it_is_not(
    call_number: int,
    refusal: Exception,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The system refuses its first call, or a later one that adds a folder."""
    if call_number and isinstance(refusal, AttributeError):
        pytest.skip("the calls exist or do not")
    root = make_tree(tmp_path, TREE)
    real = inotify.Inotify._call
    calls = itertools.count()

    def refuse(self: inotify.Inotify, *call: Any) -> int:
        if next(calls) >= call_number:
            raise refusal
        return real(self, *call)

    monkeypatch.setattr(inotify.Inotify, "_call", refuse)
    monkeypatch.setattr("symindex.files.watch.watcher.RETRY_SECONDS", 0.2)
    with watching(root) as (watcher, listener):
        assert is_swept(watcher) and not watcher.settle(0.1)
        (notice,) = watcher.notices
        assert words in notice and "\n" not in notice
        (root / "a.py").write_text("a = 12\n")
        listener.wait_until_same()
        monkeypatch.setattr(inotify.Inotify, "_call", real)
        until(lambda: not is_swept(watcher))
        assert watcher.notices == []
        (root / "b.py").write_text("b = 12\n")
        listener.wait_until_same()


def test_sweeps_where_a_whole_tree_cannot_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> object:
        raise ValueError("something\nnew")

    monkeypatch.setattr(events, "ONE_WATCH", True)
    monkeypatch.setattr(watchfiles._rust_notify, "RustNotify", refuse)
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        assert is_swept(watcher) and "something new" in watcher.notices[0]
        (root / "a.py").write_text("a = 12\n")
        listener.wait_until_same()


def test_sweeps_without_watchfiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "ONE_WATCH", True)
    monkeypatch.setitem(sys.modules, "watchfiles._rust_notify", None)
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        assert is_swept(watcher) and "watchfiles cannot be loaded" in watcher.notices[0]
        (root / "a.py").write_text("a = 12\n")
        listener.wait_until_same()


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_an_undecodable_name_ends_nothing(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        for number in range(3):
            with open(os.fsencode(root) + b"/caf\xe9.py", "w") as file:
                file.write("x" * number)
            (root / "a.py").write_text(f"a = 1{number}\n")
            listener.wait_until_same()
        until(lambda: not is_swept(watcher))


@pytest.mark.nightly
def test_a_quiet_tree_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may have dropped events without a message."""
    monkeypatch.setattr("symindex.files.watch.watcher.SAFETY_SECONDS", 0.05)
    monkeypatch.setattr("symindex.files.watch.watcher.SAFETY_SHARE", 1.0)
    with watching(make_tree(tmp_path, TREE)) as (_, listener):
        until(lambda: len(listener.told) > 2)
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


def test_a_remote_tree_is_checked_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.files.watch.watcher.remote_type", lambda root: "nfs4")
    monkeypatch.setattr("symindex.files.watch.watcher.REMOTE_SECONDS", 0.05)
    with watching(make_tree(tmp_path, TREE)) as (watcher, listener):
        until(lambda: len(listener.told) > 3)
        assert "nfs4" in watcher.notices[0]


def test_nothing_is_lost_while_folders_are_being_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The changes come after folders were listed and before they are watched, at the start and in a
    new folder."""
    monkeypatch.setattr(events, "ONE_WATCH", False)
    meanwhile: list[Files] = [{"late/one.py": "one = 1\n"}]
    real = events.Events._watch

    def watch_late(self: events.Events, *some: Any) -> set[str]:
        if meanwhile:
            write_files(root, meanwhile.pop())
        return real(self, *some)

    monkeypatch.setattr(events.Events, "_watch", watch_late)
    root = make_tree(tmp_path, TREE)
    with watching(root) as (_, listener):
        assert not meanwhile
        (root / "late" / "one.py").write_text("one = 11\n")
        listener.wait_until_same()
        meanwhile.append({"new/later/two.py": "two = 1\n", "a.py": "a = 12\n"})
        write_files(root, {"new/three.py": "three = 1\n"})
        until(lambda: not meanwhile)
        listener.wait_until_same()
        (root / "new" / "later" / "two.py").write_text("two = 12\n")
        listener.wait_until_same()
    assert None not in listener.told[1:]  # everything was checked only once


def test_a_root_has_changed_if_its_folder_is_another(tmp_path: Path) -> None:
    """A new folder at the root is noticed; files that come and go in the root, which also raise
    events, do not look like one."""
    root = make_tree(tmp_path, TREE)
    before = watch._stamps(root, [])
    (root / "new.py").touch()
    (root / "a.py").unlink()
    assert watch._stamps(root, []) == before
    root.rename(tmp_path / "old")
    missing = watch._stamps(root, [])
    root.mkdir()
    assert len({before, missing, watch._stamps(root, [])}) == 3


@pytest.mark.parametrize("field", ["st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns"])
def test_a_rule_file_has_changed_if_any_attribute_has(
    field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write within one tick of the clock changes only the size; a replacement by an older file
    changes only the stamp."""
    status = {"st_dev": 1, "st_ino": 2, "st_size": 3, "st_mtime_ns": 4, "st_ctime_ns": 5}
    monkeypatch.setattr(watch, "os", SimpleNamespace(stat=lambda path: SimpleNamespace(**status)))
    before = watch._stamps(None, [tmp_path / ".gitignore"])
    assert watch._stamps(None, [tmp_path / ".gitignore"]) == before
    status[field] += 1
    assert watch._stamps(None, [tmp_path / ".gitignore"]) != before


def test_a_tree_that_does_not_rest_is_swept_until_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = itertools.count()
    real = events.walk_folders
    watches: list[events.Events] = []

    class Counted(events.Events):
        def __init__(self, root: Path, wanted: FileFilter) -> None:
            super().__init__(root, wanted)
            watches.append(self)

    monkeypatch.setattr(watch, "Events", Counted)
    monkeypatch.setattr(
        events, "walk_folders", lambda *given: real(*given) | {f"new{next(numbers)}/": None}
    )
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        assert (watches, watcher.notices) == ([], [])
        monkeypatch.setattr(events, "walk_folders", real)
        until(lambda: watches)
        (root / "a.py").write_text("a = 12\n")
        listener.wait_until_same()


def test_a_refused_watch_and_a_failed_listener_are_tried_again_ever_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise ValueError("a\nb")

    made = Watcher(tmp_path, FileFilter(frozenset(), frozenset(), 1), fail)
    monkeypatch.setattr(watch, "OWED_SECONDS", 1.0)
    monkeypatch.setattr(watch.time, "monotonic", lambda: 1_000.0)
    refused, failed = [], []
    for _ in range(8):
        made._give_up(watch.CannotWatchError("why"), 60.0)
        refused.append(made._ask_at - 1_000.0)
        made._tell(None)
        assert made._owed_at is not None
        failed.append(made._owed_at - 1_000.0)
    assert refused == [60, 120, 240, 480, 600, 600, 600, 600]
    assert failed == [1, 2, 4, 8, 16, 32, 60, 60]
    assert made.notices == [
        f"{tmp_path}: cannot be watched and is checked from time to time: why",
        f"{tmp_path}: an update failed: a b",
    ]
