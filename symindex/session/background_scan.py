"""Scouts in threads of the background, for a session that answers many clients' searches meanwhile."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from symindex.protocol import SearchRequest
from symindex.search.unindexed.work_queue import ScoutReport
from symindex.session.indexed_root import IndexedRoot
from symindex.workers.cancellation import NotWantedError, wanted_until

FRESH_SECONDS: Final = 3.0
"""How long what a scout has found may be answered again."""


N_THREADS: Final = 4


class BackgroundScouts:
    """What sends them, until it is closed."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(N_THREADS, thread_name_prefix="symindex-scout")
        self._lock = threading.Lock()
        self._is_closed = False

    def send(self, workspace: IndexedRoot, request: SearchRequest) -> "BackgroundScout":
        """A scout for a request. Raises NotWantedError when this is closed: who asked has left."""
        with self._lock:
            if self._is_closed:
                raise NotWantedError
            return BackgroundScout(self._threads, workspace, request)

    def close(self) -> None:
        """Sends no more, and waits for none."""
        with self._lock:
            self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)


class BackgroundScout:
    """One request, looked for from now on."""

    def __init__(self, threads: ThreadPoolExecutor, workspace: IndexedRoot, request: SearchRequest) -> None:
        self._ended = threading.Event()
        self._began = time.monotonic()
        self.future: Future[ScoutReport] = threads.submit(self._run, workspace, request)

    def _run(self, workspace: IndexedRoot, request: SearchRequest) -> ScoutReport:
        with wanted_until(self._ended):
            return workspace.scout(request)

    def report(self) -> ScoutReport | None:
        """What it has found, when it has; `None` where it was ended before. Raises what it has raised."""
        with suppress(NotWantedError):
            return self.future.result()
        return None

    @property
    def is_fresh(self) -> bool:
        """Whether what it has found is still good enough."""
        if not self.future.done() or self._ended.is_set() or self.future.exception() is not None:
            return False
        report = self.future.result()
        return (report.complete or report.is_enough) and time.monotonic() < self._began + FRESH_SECONDS

    def end(self) -> None:
        """Nobody waits for it any more; what it has found remains."""
        if not self.future.done():
            self._ended.set()
