"""`Watcher.settle`: afterwards the listener knows every change before the call, without waiting for
a quiet moment."""

import errno
import itertools
import os
import random
import shutil
import sys
import threading
import time
from pathlib import Path

import pytest

from symindex.files.watch import events, inotify
from symindex.files.watch.change import CannotWatchError
from symindex.files.watch.watcher import Watcher
from tests.support.files import write_files
from tests.support.waiting import SECONDS, until
from tests.support.watching import TREE, WANTED, Listener, make_tree, on_disk, running, watching

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="needs inotify: elsewhere the state is never certain"
)


@pytest.mark.nightly
def test_what_has_happened_is_known(tmp_path: Path) -> None:
    """This covers all kinds of changes, also in new folders, which become watched meanwhile."""
    root, chosen, numbers = make_tree(tmp_path, TREE), random.Random(1), itertools.count()
    with watching(root) as (watcher, listener):
        for _ in range(150):
            for _ in range(chosen.randrange(3)):
                folder = chosen.choice(
                    ["", "pkg/", f"new{chosen.randrange(9)}/", f"pkg/deep{chosen.randrange(3)}/er/"]
                )
                write_files(root, {f"{folder}f{chosen.randrange(4)}.py": f"x = {next(numbers)}\n"})
            if chosen.random() < 0.1:
                shutil.rmtree(root / f"new{chosen.randrange(9)}", ignore_errors=True)
            # After a folder disappears, the watcher watches the tree anew.
            if not watcher.settle(SECONDS):
                until(lambda: watcher.settle(SECONDS))
            assert listener.copy == on_disk(root)
        assert listener.errors == []


@pytest.mark.nightly
def test_it_does_not_wait_for_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inotify, "QUIET_SECONDS", SECONDS)
    monkeypatch.setattr(inotify, "LATEST_SECONDS", SECONDS)
    monkeypatch.setattr(inotify, "DUE_SECONDS", SECONDS)
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        began = time.monotonic()
        for number in range(20):
            (root / "a.py").write_text(f"a = 1{number}\n")
            assert watcher.settle(SECONDS)
            assert listener.copy == on_disk(root)
        assert time.monotonic() - began < SECONDS / 2


def test_a_rule_file_above_the_root_is_seen(tmp_path: Path) -> None:
    write_files(tmp_path, {".git/HEAD": "ref: refs/heads/main\n", ".gitignore": ""})
    root = make_tree(tmp_path, TREE)
    with watching(root) as (watcher, listener):
        (tmp_path / ".gitignore").write_text("b.py\n")
        assert not watcher.settle(SECONDS) or listener.copy == on_disk(root)
        until(lambda: watcher.settle(SECONDS))
        assert listener.copy == on_disk(root) and "b.py" not in listener.copy


@pytest.mark.nightly
def test_several_threads_may_ask(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    wrong: list[str] = []

    def ask(name: str) -> None:
        for number in range(50):
            (root / name).write_text(f"x = {number}\n")
            if not watcher.settle(SECONDS) or listener.copy.get(name) != f"x = {number}\n":
                wrong.append(f"{name} {number}")

    with watching(root) as (watcher, listener):
        threads = [threading.Thread(target=ask, args=(f"t{number}.py",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_it_is_not_certain_before_the_first_look_nor_after_the_end(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    looking, may_end = threading.Event(), threading.Event()

    def look(paths: frozenset[str] | None) -> None:
        looking.set()
        may_end.wait(SECONDS)

    watcher = Watcher(root, WANTED, look)
    assert not watcher.settle(0.0)
    with running(watcher):
        looking.wait(SECONDS)
        assert not watcher.settle(0.01)
        may_end.set()
        until(lambda: watcher.settle(SECONDS))
    assert not watcher.settle(SECONDS)


def test_a_failing_listener_makes_the_state_uncertain(tmp_path: Path) -> None:
    root = make_tree(tmp_path, TREE)
    listener = Listener(root)
    is_failing = False

    def fail_for_a(paths: frozenset[str] | None) -> None:
        """Fails also when everything is listed again, which would make the state certain."""
        if is_failing and (paths is None or "a.py" in paths):
            raise ValueError
        listener(paths)

    with running(Watcher(root, WANTED, fail_for_a, listener.errors.append)) as watcher:
        until(lambda: watcher.settle(SECONDS))
        is_failing = True
        (root / "a.py").write_text("a = 12\n")
        assert not watcher.settle(SECONDS)


@pytest.mark.parametrize("why", ["sweep", "one watch", "remote"])
def test_it_is_never_certain_without_prompt_events(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "sweep":
        monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    elif why == "remote":
        monkeypatch.setattr("symindex.files.watch.watcher.remote_type", lambda root: "nfs4")
    monkeypatch.setattr(events, "ONE_WATCH", why == "one watch")
    with watching(make_tree(tmp_path, TREE)) as (watcher, _):
        assert not watcher.settle(0.2)


def test_an_overflow_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel drops events when its queue is full; then everything is checked."""
    root = make_tree(tmp_path, TREE)
    source = inotify.Inotify()
    source.watch(str(root))
    n_queued = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    names = [str(root / f"{number}.txt") for number in range(2)]
    for name in names:
        Path(name).touch()
    for number in range(n_queued + 10):  # the kernel merges two identical events in a row
        os.utime(names[number % 2])
    assert source.wait(lambda: False) is None
    Path(names[0]).unlink()
    assert source.wait(lambda: False) == {(3, names[0])}
    source.close()


def test_a_closed_source_wakes_no_waiter(tmp_path: Path) -> None:
    source = inotify.Inotify()
    source.close()
    source.close()
    with open(tmp_path / "other", "wb") as other:  # it gets the number of the closed descriptor
        source.wake()
        assert os.fstat(other.fileno()).st_size == 0


def test_a_folder_that_has_gone_is_named(tmp_path: Path) -> None:
    source = inotify.Inotify()
    (tmp_path / "file").touch()
    for name in ("none", "file"):
        with pytest.raises(FileNotFoundError):
            source.watch(str(tmp_path / name))
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises((FileNotFoundError, CannotWatchError)) as raised:
        source.watch(str(tmp_path / "link"))
    assert getattr(raised.value, "errno", errno.ELOOP) in (errno.ENOENT, errno.ELOOP)
    source.close()
