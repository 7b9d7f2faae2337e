"""Deadlines by the clock: one thread for everything that this process waits for, which sleeps while
it waits for nothing.

Time in which this process was stopped (Ctrl-Z) does not count: while something is waited for, the
clock is read so often that a long gap between two readings shows it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

LOOK_SECONDS: Final = 0.05
"""How often to check deadlines and memory, in seconds; a parser takes some 30 MB in that time."""

ASLEEP_SECONDS: Final = 1.0
"""A check that is late by more than this many seconds means that this process was stopped."""


class Watchdog:
    """Calls checks every LOOK_SECONDS while something is waited for. A check is called with the
    time of `clock`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._checks: set[Callable[[float], None]] = set()
        self._has_work = threading.Event()
        self._thread: threading.Thread | None = None
        self._looked_at = self._asleep = 0.0

    def clock(self) -> float:
        """Returns the time in seconds, without the time in which this process was stopped while
        something was waited for."""
        with self._lock:
            now = time.monotonic()
            if self._checks and now - self._looked_at > LOOK_SECONDS + ASLEEP_SECONDS:
                self._asleep += now - self._looked_at
            self._looked_at = now
            return now - self._asleep

    @contextmanager
    def watching(self, check: Callable[[float], None]) -> Iterator[None]:
        """Calls the check repeatedly while the block runs."""
        with self._lock:
            if not self._checks:
                self._looked_at = time.monotonic()
            self._checks.add(check)
            self._has_work.set()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._watch, name="symindex-watchdog", daemon=True
                )
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._checks.discard(check)

    def _watch(self) -> None:
        while self._has_work.wait():
            time.sleep(LOOK_SECONDS)
            now = self.clock()
            with self._lock:
                checks = list(self._checks)
                if not checks:
                    self._has_work.clear()
            for check in checks:
                check(now)


WATCHDOG: Final = Watchdog()
