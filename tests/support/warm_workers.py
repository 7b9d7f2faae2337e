"""Workers that one test leaves to the next, because starting one takes longer than most tests.

A pool without a spare worker takes one from here if it does the same job, and returns its own at
the end. So the tests of a process share workers as the updates of a server do. The mark
`own_workers` excludes tests of the workers themselves.
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
"""Most processes that are kept; one more ends the one that has waited longest."""


class WarmWorkers:
    """Does what `SpareWorker` does, for several workers. is_on: whether tests get any."""

    is_on = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Process] = []

    def take(self, job: Job) -> Process | None:
        with self._lock:
            process = next(
                (candidate for candidate in reversed(self._kept) if candidate.job == job), None
            )
            if process is None or not self.is_on:
                return None
            self._kept.remove(process)
        # A file that the test has just written must be recognisable by its mtime. This still takes
        # less time than starting a worker.
        time.sleep(SETTLED_NS / 1e9)
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
    """Makes every pool without a spare worker of its own use these workers."""
    original = Pool.__init__

    @functools.wraps(original)
    def made(self: Any, job: Job, n_slots: int, answer_seconds: float, spare: Any = None) -> None:
        original(self, job, n_slots, answer_seconds, spare or WARM)  # type: ignore[arg-type]

    monkeypatch.setattr(Pool, "__init__", made)
