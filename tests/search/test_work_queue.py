"""What a scan has done and what remains: lost files, stalled processes, names in the case that was
typed."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from symindex.extract.records import FileSymbols
from symindex.files.walk import FoundFile
from symindex.search.unindexed.before_index import describe_scan
from symindex.search.unindexed.prefilter import GOOD
from symindex.search.unindexed.scan_job import ReadFiles, ScanAnswer, ScanFiles
from symindex.search.unindexed.work_queue import AS_TYPED, BEGINS_WITH_NAME, SAME_NAME, Work
from symindex.workers.process import Process
from tests.support.files import write_files
from tests.support.scanning import look_for, names_of


def test_an_answer_without_files_that_were_lost_is_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that scanned them was killed."""
    original = Process.answers

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        self.kill()
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    report = look_for(
        write_files(tmp_path, {"a.py": "def found(): pass\n", "b.py": "b = 1\n"}), "found"
    )
    assert (report.complete, report.total_files, report.scanned_files) == (False, 2, 0)
    assert "0 of 2 files were read" in describe_scan(report, "found")


@pytest.fixture
def late() -> Iterator[list[threading.Timer]]:
    """Timers that resume a stopped process if nothing has killed it."""
    timers: list[threading.Timer] = []
    yield timers
    for timer in timers:
        timer.cancel()


@pytest.mark.parametrize("order", ["scan", "read"])
def test_a_stalled_process_is_ended(
    order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: list[threading.Timer]
) -> None:
    """A process may stall on a disk that does not respond. Only its current files are lost."""
    original, kind = Process.answers, {"scan": ScanFiles, "read": ReadFiles}[order]

    def stand_still(self: Process, told: bytes) -> Iterator[bytes]:
        if isinstance(msgspec.msgpack.decode(told, type=ScanFiles | ReadFiles), kind):
            os.kill(self._process.pid, signal.SIGSTOP)
            late.append(threading.Timer(8.0, os.kill, (self._process.pid, signal.SIGCONT)))
            late[-1].start()
        return original(self, told)

    monkeypatch.setattr(Process, "answers", stand_still)
    report = look_for(
        write_files(tmp_path, {"a.py": "def found(): pass\n"}),
        "found",
        file_seconds=0.5,
        n_workers=1,
    )
    assert names_of(report) == []
    assert (report.complete, report.scanned_files, report.given_up) == (
        (False, 0, []) if order == "scan" else (True, 1, ["a.py"])
    )


CASES = [
    ("Shape", BEGINS_WITH_NAME, False),
    ("Shape", SAME_NAME, False),
    ("Shape", AS_TYPED, True),
    ("shape", BEGINS_WITH_NAME, False),
    ("shape", SAME_NAME, True),
    ("shape", AS_TYPED, True),
]


@pytest.mark.parametrize(("name", "best_match", "is_enough"), CASES)
def test_typed_capitals_are_deliberate(name: str, best_match: int, is_enough: bool) -> None:
    """The scan goes on while a remaining file may contain the name in the case that was typed."""
    work = Work(name)
    work.add([FoundFile("left.py", 1, 0)])
    work.finish_adding()
    scan = work.next_order(True, 0.0)
    assert isinstance(scan, ScanFiles)
    work.scanned(scan, ScanAnswer([(0, GOOD, 1)], []))
    work.parsed(FileSymbols("b.py", 1, 0), best_match)
    report = work.report()
    assert report.is_enough == is_enough
    read = work.next_order(True, 0.0)
    assert isinstance(read, ReadFiles) and not work.is_done()
    assert (
        work.report().is_enough == report.is_enough
    )  # a file being parsed may contain the name just as a waiting file may
    work.was_read(read)
    assert work.is_done() and work.report().is_enough
