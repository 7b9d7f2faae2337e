"""Runs that build indexes: only a few at a time, however many trees a client has; a waiting run can
be cancelled. A process continues with the next tree."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.errors import StorageError
from symindex.workers.pool import Slot
from symindex.workspace import build_process
from symindex.workspace.build_process import Building, CancelledError
from tests.support.files import write_files
from tests.support.waiting import until


class Slow:
    """A slot whose process runs until it is stopped, or until it may end."""

    running = most = 0
    may_end = threading.Event()
    lock = threading.Lock()

    exit = None

    def __init__(self, *_: Any, **__: Any) -> None:
        self._stopped = threading.Event()

    def ask(self, _: bytes) -> Iterator[bytes]:
        with Slow.lock:
            Slow.running += 1
            Slow.most = max(Slow.most, Slow.running)
        try:
            until(lambda: Slow.may_end.is_set() or self._stopped.is_set(), "an end")
            if not self._stopped.is_set():
                yield msgspec.msgpack.encode([0, 0, []])
        finally:
            with Slow.lock:
                Slow.running -= 1

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        pass


def test_runs_wait_for_their_turn_and_can_be_ended_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_process, "Slot", Slow)
    ends: list[str] = []
    runs = [Building(tmp_path, tmp_path) for _ in range(build_process.AT_ONCE + 4)]

    def run(building: Building) -> None:
        try:
            building.run(lambda *_: None)
            ends.append("done")
        except CancelledError:
            ends.append("cancelled")

    threads = [threading.Thread(target=run, args=(building,)) for building in runs]
    for thread in threads[: build_process.AT_ONCE]:
        thread.start()
    until(lambda: Slow.running == build_process.AT_ONCE, "as many as may run")
    for thread in threads[build_process.AT_ONCE :]:
        thread.start()
    runs[-1].cancel()  # still waiting
    threads[-1].join(10)
    runs[0].cancel()  # already running
    threads[0].join(10)
    assert ends == ["cancelled", "cancelled"]
    until(lambda: Slow.running == build_process.AT_ONCE, "the next one")
    Slow.may_end.set()
    for thread in threads:
        thread.join(10)
    assert (
        sorted(ends[2:]) == ["done"] * (build_process.AT_ONCE + 2)
        and Slow.most == build_process.AT_ONCE
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_a_process_goes_on_with_the_trees_that_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process also continues after a tree that cannot be built, and ends after the last one."""
    made: list[Slot] = []

    class Counted(Slot):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            made.append(self)

    monkeypatch.setattr(build_process, "Slot", Counted)
    monkeypatch.setattr(build_process, "AT_ONCE", 1)
    turns = build_process._Turns()
    monkeypatch.setattr(build_process, "_TURNS", turns)
    roots = [
        write_files(tmp_path / f"tree{number}", {"a.py": "def f(): pass\n"}) for number in range(5)
    ]
    (tmp_path / "tree2").rename(tmp_path / "gone")
    failures: list[str] = []

    def run(root: Path) -> None:
        try:
            Building(root, tmp_path / "indexes").run(lambda *_: None)
        except StorageError as error:
            failures.append(str(error))

    assert turns._free.acquire(timeout=10)  # makes all of them wait
    threads = [threading.Thread(target=run, args=(root,)) for root in roots]
    for thread in threads:
        thread.start()
    until(lambda: turns._n_waiting == len(roots), "all wait")
    turns._free.release()
    for thread in threads:
        thread.join(60)
    assert len(failures) == 1 and "tree2" in failures[0]
    assert len([*(tmp_path / "indexes").rglob("symbols.index")]) == 4
    assert len(made) == 1 and not made[0].is_running and not turns._idle
