"""Scans in background threads, for a session that answers many searches at the same time."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from symindex.cancellation import NotWantedError, wanted_until
from symindex.search.unindexed.work_queue import ScanReport
from symindex.workspace.indexed_root import IndexedRoot

if TYPE_CHECKING:
    from symindex.search.answer.plan import Plan

FRESH_SECONDS: Final = 3.0
"""How long the result of a scan may be used for the same request again: some clients repeat it
until they are content."""

SCANS: Final = 3
"""How many scans follow each other where none comes to its end, as on a busy machine: the index
takes longer."""

SCAN_SECONDS: Final = 5.0
"""How long an answer waits, at most, for the first folders to open and for their scans. It says
what it lacks."""

SCANNED: Final = 8
"""How many folders without an index are scanned for an answer. A scan starts processes, and that
takes longer than to index a small folder; of hundreds, the others are found as soon as they are
indexed."""

N_THREADS: Final = 4


class BackgroundScan:
    """One request, searched for from now on."""

    def __init__(
        self, threads: ThreadPoolExecutor, root: IndexedRoot, plan: "Plan", prefix: str
    ) -> None:
        self._abandoned = threading.Event()
        self._began = time.monotonic()
        self.future: Future[ScanReport] = threads.submit(self._run, root, plan, prefix)

    def _run(self, root: IndexedRoot, plan: "Plan", prefix: str) -> ScanReport:
        from symindex.search.unindexed.before_index import (
            scan_for_editor,
        )  # here, because an index is mostly there

        with wanted_until(self._abandoned):
            return scan_for_editor(
                root.root, plan, root.languages, root.wanted, root.settings.file_seconds, prefix
            )

    def report(self) -> ScanReport | None:
        """Waits for the result; `None` where the scan was abandoned. Raises what the scan has
        raised."""
        with suppress(NotWantedError):
            return self.future.result()
        return None

    @property
    def is_fresh(self) -> bool:
        """Whether its result may be used again."""
        if (
            not self.future.done()
            or self._abandoned.is_set()
            or self.future.exception() is not None
        ):
            return False
        report = self.future.result()
        return (
            report.complete or report.is_enough
        ) and time.monotonic() < self._began + FRESH_SECONDS

    def abandon(self) -> None:
        """Nobody waits for it any more; a result that is there remains."""
        if not self.future.done():
            self._abandoned.set()


class BackgroundScans:
    """Starts scans until it is closed."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(N_THREADS, thread_name_prefix="symindex-scan")
        self._lock = threading.Lock()
        self._is_closed = False
        self._last: dict[tuple[object, ...], BackgroundScan] = {}

    def send(self, root: IndexedRoot, plan: "Plan", prefix: str) -> BackgroundScan:
        """A scan for a plan, or the last one for it while that is fresh. prefix: what stands
        before the root's paths in answers. Raises NotWantedError after `close`."""
        key = (
            root,
            prefix,
            plan.text,
            plan.language_words,
            plan.paths,
        )
        with self._lock:
            if self._is_closed:
                raise NotWantedError
            self._last = {other: scan for other, scan in self._last.items() if scan.is_fresh}
            scan = self._last.get(key) or BackgroundScan(self._threads, root, plan, prefix)
            self._last[key] = scan
            return scan

    def close(self) -> None:
        """Starts no more, and waits for none."""
        with self._lock:
            self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
