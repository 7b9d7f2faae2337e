"""Runs that make indexes: not all at once, however many trees a client has; one that waits for its turn can be ended."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.session import build_process
from symindex.session.build_process import Building, CancelledError
from tests.support.waiting import until


class Slow:
    """A slot whose process goes on until it is stopped, or may end."""

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


def test_runs_wait_for_their_turn_and_can_be_ended_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_process, "Slot", Slow)
    ends: list[str] = []
    runs = [Building(tmp_path, tmp_path) for _ in range(build_process.AT_ONCE + 4)]

    def run(each: Building) -> None:
        try:
            each.run(lambda *_: None)
            ends.append("done")
        except CancelledError:
            ends.append("cancelled")

    threads = [threading.Thread(target=run, args=(each,)) for each in runs]
    for thread in threads[: build_process.AT_ONCE]:
        thread.start()
    until(lambda: Slow.running == build_process.AT_ONCE, "as many as may run")
    for thread in threads[build_process.AT_ONCE :]:
        thread.start()
    runs[-1].cancel()  # which waits
    threads[-1].join(10)
    runs[0].cancel()  # which runs
    threads[0].join(10)
    assert ends == ["cancelled", "cancelled"]
    until(lambda: Slow.running == build_process.AT_ONCE, "the next one")
    Slow.may_end.set()
    for thread in threads:
        thread.join(10)
    assert sorted(ends[2:]) == ["done"] * (build_process.AT_ONCE + 2) and Slow.most == build_process.AT_ONCE
