"""A scout: finds the few files of a tree that can answer a query, and parses the most promising of them first.

It is fed with files while the tree is walked. Its processes look through their bytes at once, and when all have been looked
through, or half the time is spent, they parse candidates, the best first. Whatever happens, the answer comes within the time
that was given, and says what part of the tree it rests on.
"""

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from symindex.errors import StorageError
from symindex.extract.languages.registry import Languages
from symindex.extract.path_flags import path_flags
from symindex.files.walk import FoundFile
from symindex.search.unindexed.prefilter import Sought
from symindex.search.unindexed.scan_job import Read, Scan, ScoutJob, languages_as_text
from symindex.search.unindexed.scan_process import ScoutProcess
from symindex.search.unindexed.work_queue import ScoutReport, Work
from symindex.workers.cancellation import check_wanted
from symindex.workers.process import usable_cores

SCAN_SHARE: Final = 0.5
"""After this share of the time candidates are parsed, though not every file has been looked through."""

LEAST_WORKERS: Final = 2
"""Even on one core: a grammar that never returns then keeps only one of them."""

MOST_WORKERS: Final = 8
"""More than these would wait for the disk, and for this process."""

LEAST_FILE_SECONDS: Final = 2.0
"""However little time there is for all, a file may take this long: the first of a language waits for its grammar."""

REPORT_SECONDS: Final = 0.1
"""How often there is a new report."""


class Scout:
    """Looks for one query in one tree. Use it as a context manager: leaving it ends its processes.

    Args:
        root: the folder that the files' paths are relative to.
        sought: what a file must hold (`search/unindexed/scan_query`).
        languages: those that files are read in.
        max_file_bytes: larger files are left out.
        file_seconds: no file is waited for longer.
        n_workers: processes; as many as this process may use cores, within bounds, unless told.
    """

    def __init__(
        self,
        root: Path,
        sought: Sought,
        languages: Languages,
        *,
        max_file_bytes: int,
        file_seconds: float,
        n_workers: int | None = None,
    ) -> None:
        texts = languages_as_text(languages)
        self._job = ScoutJob(os.fsencode(root), texts, sorted(languages.chosen), sought, max_file_bytes, file_seconds)
        self._languages = languages
        self._file_seconds = file_seconds
        self._work = Work(sought.name, sought.any_is_enough)
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._processes: dict[int, ScoutProcess] = {}
        self._failure: BaseException | None = None
        slots = range(n_workers or min(max(usable_cores(), LEAST_WORKERS), MOST_WORKERS))
        self._threads = [threading.Thread(target=self._serve, args=(slot,), daemon=True) for slot in slots]
        self._threads.append(threading.Thread(target=self._watch, daemon=True))
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Scout":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends every process, whatever it is doing."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()
            processes = list(self._processes.values())
        for process in processes:
            process.kill()
        for thread in self._threads:
            if thread.ident is not None:  # else Ctrl-C came before it was started
                thread.join()

    def feed(self, files: Iterable[FoundFile]) -> None:
        """More files of the tree; may be called from any thread."""
        with self._changed:
            self._work.add(files)
            self._changed.notify_all()

    def feed_done(self) -> None:
        """There are no more files."""
        with self._changed:
            self._work.finish_adding()
            self._changed.notify_all()

    def search(
        self, budget_seconds: float, patience_seconds: float = 0.0, most_seconds: float = 0.0, any_will_do: bool = False
    ) -> ScoutReport:
        """What is found within `budget_seconds`; earlier if all candidates are parsed by then.

        patience_seconds: as long as this is not enough (`ScoutReport.is_enough`), it goes on up to this time, if that is longer.
        most_seconds: and up to this while it is promising: files are left to look through, or some that most likely define the
            name. any_will_do: not if some name begins so at least.
        Raises StorageError where no process can be started.
        """
        report = None
        for report in self.reports(max(budget_seconds, patience_seconds), budget_seconds, most_seconds, any_will_do):
            if report.is_enough and report.seconds >= budget_seconds:
                break
        assert report is not None
        return report

    def reports(
        self, budget_seconds: float, first_seconds: float = 0.0, most_seconds: float = 0.0, any_will_do: bool = False
    ) -> Iterator[ScoutReport]:
        """A report as soon as there is enough and whenever there is more, and a last one when all is done or the time
        is spent.

        first_seconds: of the budget, when an answer is hoped for; it decides when parsing begins. most_seconds: it goes on up to
        this time while it is promising, as of `search`; so any_will_do.
        """
        started = time.monotonic()
        deadline = started + budget_seconds
        self._file_seconds = min(self._job.file_seconds, max(budget_seconds / 2, most_seconds / 2, LEAST_FILE_SECONDS))
        n_parsed = 0
        with self._changed:
            self._work.read_from = started + (first_seconds or budget_seconds) * SCAN_SHARE
        while True:
            check_wanted()
            with self._changed:
                # A short timeout also because a wait without one cannot be interrupted by Ctrl-C on every system.
                self._changed.wait_for(self._is_over, min(REPORT_SECONDS, max(deadline - time.monotonic(), 0.0)))
                if deadline <= time.monotonic() < started + most_seconds and self._work.is_promising(any_will_do):
                    deadline = time.monotonic() + REPORT_SECONDS
                is_last = self._is_over() or time.monotonic() >= deadline
                report = self._work.report(time.monotonic() - started)
            if self._failure is not None:
                raise self._failure
            if is_last or (report.is_enough and report.parsed > n_parsed):
                n_parsed = report.parsed
                yield report
            if is_last:
                return

    def _is_over(self) -> bool:
        return self._failure is not None or self._work.is_done() or self._stopped.is_set()

    def _serve(self, slot: int) -> None:
        try:
            process = self._start(slot)  # while there is nothing to do yet
            while (order := self._next_order(slot)) is not None:
                if process.ended:
                    process.close()
                    process = self._start(slot)
                if isinstance(order, Scan):
                    self._scan(process, order)
                else:
                    self._read(process, order)
        except BaseException as error:  # handed to the caller's thread, which raises it
            self._failure = error
        finally:
            with self._changed:
                last = self._processes.pop(slot, None)
                self._changed.notify_all()
            if last is not None:
                last.close()

    def _start(self, slot: int) -> ScoutProcess:
        process = ScoutProcess(self._job)
        with self._changed:
            self._processes[slot] = process
        if self._stopped.is_set():  # too late for `close` to see this process
            process.kill()
        if not process.wait_ready() and not self._stopped.is_set():
            raise StorageError(f"{sys.executable}: a worker process ended before it was ready ({process.last_words()})")
        return process

    def _next_order(self, slot: int) -> Scan | Read | None:
        """What to do next, when there is anything; `None` when nothing is left."""
        with self._changed:
            while not self._is_over():
                order = self._work.next_order(slot % 2 == 0, time.monotonic())
                if order is not None:
                    return order
                self._changed.wait(0.05)
        return None

    def _scan(self, process: ScoutProcess, order: Scan) -> None:
        answer = process.scan(order)
        holders = answer.holders if answer is not None else []
        candidates = [self._work.rank(order.files[place][0], promise, size) for place, promise, size in holders]
        with self._changed:
            self._work.scanned(order, answer, candidates)
            self._changed.notify_all()

    def _read(self, process: ScoutProcess, order: Read) -> None:
        n_done = 0
        for file in process.read(order):
            n_done += 1
            file.flags |= path_flags(file.path, self._languages.by_id.get(file.language))
            best_match = self._work.best_match(file)
            with self._changed:
                self._work.parsed(file, best_match)
        with self._changed:
            if not self._stopped.is_set():
                self._work.was_read(order, order.paths[n_done:])
            self._changed.notify_all()

    def _watch(self) -> None:
        """Ends processes whose file takes longer than the limit."""
        while not self._stopped.wait(min(0.05, self._file_seconds / 4)):
            with self._changed:
                processes = list(self._processes.values())
            for process in processes:
                process.end_if_late(self._file_seconds)
