"""Scans in background threads, for a client that sends many searches at the same time."""

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
"""Seconds for which the result of a scan answers the same request again: some clients repeat a
request until they are satisfied."""

MOST_SCANS: Final = 3
"""Largest number of scans for one answer if none of them finishes, as on a busy machine, where the
index takes longer."""

SCAN_SECONDS: Final = 5.0
"""Longest wait of an answer, in seconds, for the first folders to open and for their scans. A
notice names what the answer lacks."""

MOST_FOLDERS_SCANNED: Final = 8
"""Largest number of folders without an index that are scanned for an answer. A scan starts
processes, which takes longer than indexing a small folder. Of hundreds of folders, the others are
searched as soon as they are indexed."""

N_THREADS: Final = 4


class BackgroundScan:
    """The scan for one request. It starts at once."""

    def __init__(
        self, threads: ThreadPoolExecutor, root: IndexedRoot, plan: "Plan", prefix: str
    ) -> None:
        self._abandoned = threading.Event()
        self._began = time.monotonic()
        self.future: Future[ScanReport] = threads.submit(self._run, root, plan, prefix)

    def _run(self, root: IndexedRoot, plan: "Plan", prefix: str) -> ScanReport:
        from symindex.search.unindexed.before_index import (
            scan_for_editor,
        )  # deferred, because there usually is an index

        with wanted_until(self._abandoned):
            return scan_for_editor(
                root.root, plan, root.languages, root.wanted, root.settings.file_seconds, prefix
            )

    def report(self) -> ScanReport | None:
        """Waits for the result; returns `None` if the scan was abandoned. Raises the error of the
        scan."""
        with suppress(NotWantedError):
            return self.future.result()
        return None

    @property
    def is_fresh(self) -> bool:
        """Whether the result may answer the same request again."""
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
        """Stops the scan, because nobody waits for it any more. A finished result remains."""
        if not self.future.done():
            self._abandoned.set()


class BackgroundScans:
    """Starts scans, until it is closed."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(N_THREADS, thread_name_prefix="symindex-scan")
        self._lock = threading.Lock()
        self._is_closed = False
        self._last: dict[tuple[object, ...], BackgroundScan] = {}

    def send(self, root: IndexedRoot, plan: "Plan", prefix: str) -> BackgroundScan:
        """Starts a scan for a plan, or returns the last one for it while that is fresh. prefix: of
        the root's paths in answers. Raises NotWantedError after `close`."""
        key = (
            root,
            prefix,
            root.wanted,
            plan.text,
            plan.query,
            plan.options.sort_by,
            plan.language_words,
            plan.paths,
        )
        with self._lock:
            if self._is_closed:
                raise NotWantedError
            self._last = {last_key: scan for last_key, scan in self._last.items() if scan.is_fresh}
            scan = self._last.get(key) or BackgroundScan(self._threads, root, plan, prefix)
            self._last[key] = scan
            return scan

    def close(self) -> None:
        """Starts no more scans. Does not wait for running ones."""
        with self._lock:
            self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
