"""A scout in a thread of the background, for a session that answers many clients' searches meanwhile."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from symindex.cancel import NotWantedError, wanted_until
from symindex.protocol import SearchRequest
from symindex.scout.work import ScoutReport
from symindex.workspace import Workspace

FRESH_SECONDS: Final = 3.0
"""How long what a scout has found may be answered again."""


class BackgroundScout:
    """One request, looked for from now on."""

    def __init__(self, threads: ThreadPoolExecutor, workspace: Workspace, request: SearchRequest) -> None:
        self._ended = threading.Event()
        self._began = time.monotonic()
        self.future: Future[ScoutReport] = threads.submit(self._run, workspace, request)

    def _run(self, workspace: Workspace, request: SearchRequest) -> ScoutReport:
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
