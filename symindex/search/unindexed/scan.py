"""A scout: finds the few files of a tree that can answer a query, and parses the most promising of them first.

It is fed with files while the tree is walked. Its processes look through their bytes at once, and when all have been looked
through, or half the time is spent, they parse candidates, the best first. Whatever happens, the answer comes within the time
that was given, and says what part of the tree it rests on.
"""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from symindex.extract.languages.packed import pack_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols
from symindex.files.walk import FoundFile
from symindex.search.unindexed.prefilter import Sought
from symindex.search.unindexed.scan_job import Read, Scan, Scanned, ScanSetup
from symindex.search.unindexed.work_queue import ScoutReport, Work
from symindex.text.decoding import decoder_of
from symindex.workers.cancellation import check_wanted
from symindex.workers.child import Exit
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import Order, Pool, usable_cores

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


class _Order(Order[str]):
    """left: the paths of a Read, or one task for a Scan, which is lost as a whole."""

    def __init__(self, ordered: Scan | Read) -> None:
        super().__init__(ordered.paths if isinstance(ordered, Read) else [""])
        self.ordered = ordered


class Scout(Pool[_Order, None]):
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
        setup = ScanSetup(os.fsencode(root), pack_languages(languages), sorted(languages.chosen), sought, max_file_bytes)
        processor_seconds = 2 * file_seconds + 1
        job = Job("symindex.search.unindexed.scan_job", msgspec.msgpack.encode(setup), processor_seconds, worker_memory())
        self._file_seconds = file_seconds
        self._work = Work(sought.name, sought.any_is_enough)
        n_workers = n_workers or min(max(usable_cores(), LEAST_WORKERS), MOST_WORKERS)
        super().__init__(job, n_workers, file_seconds, starts_early=True)

    def feed(self, files: Iterable[FoundFile]) -> None:
        """More files of the tree; may be called from any thread."""
        with self.changed:
            self._work.add(files)
            self.changed.notify_all()

    def feed_done(self) -> None:
        """There are no more files."""
        with self.changed:
            self._work.finish_adding()
            self.changed.notify_all()

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
        self.wait_at_most(min(self._file_seconds, max(budget_seconds / 2, most_seconds / 2, LEAST_FILE_SECONDS)))
        n_parsed = 0
        with self.changed:
            self._work.read_from = started + (first_seconds or budget_seconds) * SCAN_SHARE
        while True:
            check_wanted()
            with self.changed:
                # A short timeout also because a wait without one cannot be interrupted by Ctrl-C on every system.
                self.changed.wait_for(self._has_all, min(REPORT_SECONDS, max(deadline - time.monotonic(), 0.0)))
                if deadline <= time.monotonic() < started + most_seconds and self._work.is_promising(any_will_do):
                    deadline = time.monotonic() + REPORT_SECONDS
                is_last = self._has_all() or time.monotonic() >= deadline
                report = self._work.report(time.monotonic() - started)
            self.check()
            if is_last or (report.is_enough and report.parsed > n_parsed):
                n_parsed = report.parsed
                yield report
            if is_last:
                return

    def _has_all(self) -> bool:
        return self.is_over or self._work.is_done()

    def next_order(self, slot: int) -> _Order | None:
        ordered = self._work.next_order(slot % 2 == 0, time.monotonic())
        return _Order(ordered) if ordered is not None else None

    def is_all_given_out(self) -> bool:
        return self._work.is_done()

    def encode(self, order: _Order) -> bytes:
        return msgspec.msgpack.encode(order.ordered if isinstance(order.ordered, Scan) else Read(list(order.left)))

    def take(self, order: _Order, answer: bytes) -> list[None]:
        order.left.popleft()
        if isinstance(order.ordered, Scan):
            self._scanned(order.ordered, _SCANNED.decode(answer))
            return []
        file = _FILE.decode(answer)
        best_match = self._work.best_match(file)
        with self.changed:
            self._work.parsed(file, best_match)
        return []

    def lose(self, order: _Order, exit: Exit) -> list[None]:
        """An answer in time is worth more than one more try for a file."""
        path = order.left.popleft()
        if isinstance(order.ordered, Scan):
            self._scanned(order.ordered, None)
            return []
        with self.changed:
            self._work.give_up(path)
        return []

    def _scanned(self, scan: Scan, answer: Scanned | None) -> None:
        holders = answer.holders if answer is not None else []
        candidates = [self._work.rank(scan.files[place][0], promise, size) for place, promise, size in holders]
        with self.changed:
            self._work.scanned(scan, answer, candidates)

    def finish(self, order: _Order) -> None:
        if isinstance(order.ordered, Read):
            with self.changed:
                self._work.was_read(order.ordered)


_SCANNED = decoder_of(Scanned)
_FILE = decoder_of(FileSymbols)
