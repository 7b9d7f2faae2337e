"""Deadlines by the clock: one thread for all that this process waits for, which sleeps while it waits for nothing.

Time in which this process was stopped (Ctrl-Z) does not count: the thread sees that it comes late itself, and sets its clock
back.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

LOOK_SECONDS: Final = 0.05
"""How often deadlines are looked at."""

ASLEEP_SECONDS: Final = 1.0
"""When the watchdog is late by more than this, this process was stopped, and the clocks with it."""


EndIfLate = Callable[[float], None]
"""Ends something if it is late; is told what `Watchdog.clock` says."""


class Watchdog:
    """See the module."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: set[EndIfLate] = set()
        self._has_work = threading.Event()
        self._thread: threading.Thread | None = None
        self._asleep = 0.0

    def clock(self) -> float:
        """Seconds, without those in which this process was stopped while something was waited for."""
        return time.monotonic() - self._asleep

    @contextmanager
    def watching(self, end_if_late: EndIfLate) -> Iterator[None]:
        """Looks after it meanwhile."""
        with self._lock:
            self._watched.add(end_if_late)
            self._has_work.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="symindex-watchdog", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._watched.discard(end_if_late)

    def _watch(self) -> None:
        while self._has_work.wait():
            before = time.monotonic()
            while watched := self._now_watched():
                _PAUSE.wait(LOOK_SECONDS)
                now = time.monotonic()
                if now - before > LOOK_SECONDS + ASLEEP_SECONDS:
                    self._asleep += now - before
                before = now
                for end_if_late in watched:
                    end_if_late(self.clock())

    def _now_watched(self) -> list[EndIfLate]:
        with self._lock:
            if not self._watched:
                self._has_work.clear()
            return list(self._watched)


_PAUSE: Final = threading.Event()
"""Never set."""

WATCHDOG: Final = Watchdog()
