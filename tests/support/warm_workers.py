"""Workers that parse files, left by one test to the next: starting one takes longer than most
tests.

A pool that is given no spare worker takes one from here, as long as it does the same job, and
leaves its own behind. So tests of one process share what a server's updates share. A test that is
about the workers themselves is marked `own_workers`.
"""

import functools
import threading
import time
from typing import Any, Final

import pytest

from symindex.extract.records import SETTLED_NS
from symindex.workers.framing import Job
from symindex.workers.pool import Pool
from symindex.workers.process import Process

MOST_KEPT: Final = 4
"""How many processes; the one that has waited longest is ended for one more."""


class WarmWorkers:
    """As `SpareWorker`, for more than one worker. is_on: whether tests are given any."""

    is_on = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Process] = []

    def take(self, job: Job) -> Process | None:
        with self._lock:
            process = next((each for each in reversed(self._kept) if each.job == job), None)
            if process is None or not self.is_on:
                return None
            self._kept.remove(process)
        time.sleep(
            SETTLED_NS / 1e9
            # less than a worker takes to start: what a test has just written may be known by its
            # mtime
        )
        if process.responds():
            return process
        process.close()
        return None

    def keep(self, process: Process) -> bool:
        if not (self.is_on and process.is_alive):
            return False
        with self._lock:
            self._kept.append(process)
            left = self._kept.pop(0) if len(self._kept) > MOST_KEPT else None
        if left is not None:
            left.close()
        return True

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for process in kept:
            process.close()


WARM: Final = WarmWorkers()


def give_to_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every pool use them that has no spare worker of its own."""
    original = Pool.__init__

    @functools.wraps(original)
    def made(self: Any, job: Job, n_slots: int, answer_seconds: float, spare: Any = None) -> None:
        original(self, job, n_slots, answer_seconds, spare or WARM)  # type: ignore[arg-type]

    monkeypatch.setattr(Pool, "__init__", made)
