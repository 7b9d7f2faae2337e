"""A scan: finds the few files of a source tree that can answer a query, and parses the likeliest
first.

It receives files while the tree is walked, and its processes search their bytes at once. When all
files have been searched, or half of the time has passed, the processes parse candidates, the
likeliest first. The answer always comes within the time limit, and says which part of the tree it
covers.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from symindex.cancellation import check_wanted
from symindex.extract.languages.registry import Languages, pack_languages
from symindex.extract.records import FileSymbols
from symindex.files.forked_walk import usable_cores
from symindex.files.walk import FoundFile
from symindex.search.unindexed.prefilter import Prefilter
from symindex.search.unindexed.scan_job import ReadFiles, ScanAnswer, ScanFiles, ScanSetup
from symindex.search.unindexed.work_queue import ScanReport, Work
from symindex.text.decoding import decoder_of
from symindex.workers.child import Exit
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import LEAST_FILE_SECONDS, Order, Pool

SCAN_SHARE: Final = 0.5
"""Share of the time after which candidates are parsed, even if not every file has been searched."""

LEAST_WORKERS: Final = 2
"""Fewest processes, even on one core, so that a grammar that never returns blocks only one of
them."""

MOST_WORKERS: Final = 8
"""Most processes: more would wait for the disk and for this process."""

REPORT_SECONDS: Final = 0.1
"""Seconds between two checks of whether enough was found."""


class ScanSeconds(NamedTuple):
    """Time limits of a scan, in seconds.

    first: when it answers if it has found enough (`ScanReport.is_enough`), or earlier if it is
    done. enough: how long it waits for that. most: how long it continues while it is promising
    (`Work.is_promising`, which has the parameter any_will_do).
    """

    first: float
    enough: float = 0.0
    most: float = 0.0
    any_will_do: bool = False


class _ScanOrder(Order[str]):
    """An order of a process. left: the paths of a ReadFiles; a single task for a ScanFiles, which
    is lost as a whole."""

    def __init__(self, ordered: ScanFiles | ReadFiles) -> None:
        super().__init__(ordered.paths if isinstance(ordered, ReadFiles) else [""])
        self.ordered = ordered


class TreeScan(Pool[_ScanOrder, None]):
    """Searches one source tree for one query. Use it as a context manager: leaving it ends its
    processes.

    Args:
        root: the folder that the files' paths are relative to.
        prefilter: what a file must contain (`search/unindexed/scan_query`).
        languages: the languages in which files are read.
        max_file_bytes: larger files are skipped.
        file_seconds: the time limit of one file.
        n_workers: the number of processes; by default one for each usable core, within bounds.
    """

    starts_early = True

    def __init__(
        self,
        root: Path,
        prefilter: Prefilter,
        languages: Languages,
        *,
        max_file_bytes: int,
        file_seconds: float,
        n_workers: int | None = None,
    ) -> None:
        setup = ScanSetup(
            os.fsencode(root),
            pack_languages(languages),
            sorted(languages.chosen),
            prefilter,
            max_file_bytes,
        )
        processor_seconds = 2 * file_seconds + 1
        job = Job(
            "symindex.search.unindexed.scan_job",
            msgspec.msgpack.encode(setup),
            processor_seconds,
            worker_memory(),
        )
        self._file_seconds = file_seconds
        self._work = Work(prefilter.name, prefilter.any_is_enough)
        n_workers = n_workers or min(max(usable_cores(), LEAST_WORKERS), MOST_WORKERS)
        super().__init__(job, n_workers, file_seconds)

    def feed(self, files: Iterable[FoundFile]) -> None:
        """Adds files of the tree. May be called from any thread."""
        with self.changed:
            self._work.add(files)
            self.changed.notify_all()

    def feed_done(self) -> None:
        with self.changed:
            self._work.finish_adding()
            self.changed.notify_all()

    def search(self, seconds: ScanSeconds) -> ScanReport:
        """Returns what is found within a time. Raises StorageError if no process can be started."""
        started = time.monotonic()
        deadline = started + max(seconds.first, seconds.enough)
        self.wait_at_most(
            min(
                self._file_seconds,
                max(max(seconds.first, seconds.enough, seconds.most) / 2, LEAST_FILE_SECONDS),
            )
        )
        with self.changed:
            self._work.read_from = started + (seconds.first or seconds.enough) * SCAN_SHARE
        while True:
            check_wanted()
            with self.changed:
                # The timeout is short, because on some systems Ctrl-C does not interrupt a longer
                # wait.
                self.changed.wait_for(
                    self._has_all, min(REPORT_SECONDS, max(deadline - time.monotonic(), 0.0))
                )
                now = time.monotonic()
                if deadline <= now < started + seconds.most and self._work.is_promising(
                    seconds.any_will_do
                ):
                    deadline = now + REPORT_SECONDS
                report = self._work.report()
                is_last = (
                    self._has_all()
                    or now >= deadline
                    or (report.is_enough and now >= started + seconds.first)
                )
            self.check()
            if is_last:
                return report

    def _has_all(self) -> bool:
        return self.is_over or self._work.is_done()

    def next_order(self, slot: int) -> _ScanOrder | None:
        ordered = self._work.next_order(slot % 2 == 0, time.monotonic())
        return _ScanOrder(ordered) if ordered is not None else None

    def is_all_given_out(self) -> bool:
        return self._work.is_done()

    def encode(self, order: _ScanOrder) -> bytes:
        return msgspec.msgpack.encode(
            order.ordered if isinstance(order.ordered, ScanFiles) else ReadFiles(list(order.left))
        )

    def take(self, order: _ScanOrder, answer: bytes) -> list[None]:
        order.left.popleft()
        if isinstance(order.ordered, ScanFiles):
            scanned = _SCANNED.decode(answer)
            with self.changed:
                self._work.scanned(order.ordered, scanned)
            return []
        file = _FILE.decode(answer)
        best_match = self._work.best_match(file)
        with self.changed:
            self._work.parsed(file, best_match)
            if not order.left:
                self._work.was_read(order.ordered)
        return []

    def lose(self, order: _ScanOrder, exit: Exit) -> list[None]:
        """Gives up a lost file without another try: an answer in time is worth more."""
        path = order.left.popleft()
        with self.changed:
            if isinstance(order.ordered, ScanFiles):
                self._work.scanned(order.ordered, None)
            else:
                self._work.give_up(path)
                if not order.left:
                    self._work.was_read(order.ordered)
        return []


_SCANNED = decoder_of(ScanAnswer)
_FILE = decoder_of(FileSymbols)
