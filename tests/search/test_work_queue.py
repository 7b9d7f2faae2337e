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

    def stand_still(self: Process, message: bytes) -> Iterator[bytes]:
        if isinstance(msgspec.msgpack.decode(message, type=ScanFiles | ReadFiles), kind):
            os.kill(self._process.pid, signal.SIGSTOP)
            late.append(threading.Timer(8.0, os.kill, (self._process.pid, signal.SIGCONT)))
            late[-1].start()
        return original(self, message)

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


def scan_of(work: Work, files: int, size: int = 1) -> list[int]:
    """Adds files; returns how many files each order to search has."""
    work.add(FoundFile(f"f{number:04}.py", size, 0) for number in range(files))
    work.finish_adding()
    sizes = []
    while isinstance(order := work.next_order(False, 0.0), ScanFiles):
        sizes.append(len(order.paths))
    return sizes


def test_files_are_searched_in_batches_of_a_number_and_a_size() -> None:
    assert scan_of(Work("x"), 0) == []
    assert scan_of(Work("x"), 256) == [256] and scan_of(Work("x"), 513) == [256, 256, 1]
    assert scan_of(Work("x"), 5, 2_000_000) == [2, 2, 1]
    assert scan_of(Work("x"), 5, 1_999_999) == [3, 2]
    assert scan_of(Work("x"), 2, 4_000_000) == [1, 1]


def found(*candidates: tuple[int, int, int], paths: list[str] | None = None) -> Work:
    """Returns the state after all files were searched, with these candidates."""
    work = Work("shape")
    names = paths or [f"f{place:02}.py" for place in range(len(candidates))]
    work.add(FoundFile(path, 1, 0) for path in names)
    work.finish_adding()
    scan = work.next_order(False, 0.0)
    assert isinstance(scan, ScanFiles)
    work.scanned(scan, ScanAnswer([*candidates], []))
    return work


def reads(work: Work) -> list[list[str]]:
    orders = []
    while isinstance(order := work.next_order(True, 0.0), ReadFiles):
        orders.append(order.paths)
    return orders


def test_candidates_are_parsed_in_batches_the_likeliest_first() -> None:
    many = reads(found(*((place, 1, 1) for place in range(33))))
    assert [len(paths) for paths in many] == [16, 16, 1]
    large = reads(found(*((place, 1, 50_000) for place in range(7))))
    assert [len(paths) for paths in large] == [3, 3, 1]
    assert [len(paths) for paths in reads(found((0, 1, 100_000), (1, 1, 50_001)))] == [1, 1]
    assert [len(paths) for paths in reads(found((0, 1, 999_999), (1, 1, 1)))] == [1, 1]
    assert [len(paths) for paths in reads(found((0, 1, 999_999)))] == [1]
    assert [len(paths) for paths in reads(found((0, 1, 150_001), (1, 1, 150_002)))] == [1, 1]
    ranked = reads(
        found(
            (0, 1, 9), (1, 2, 9), (2, 1, 8), (3, 1, 8), paths=["a.py", "b.py", "c.py", "tests/d.py"]
        )
    )
    assert ranked == [["b.py", "c.py", "a.py", "tests/d.py"]]
    # A file of the name itself counts two more, one of its letters one more.
    named = reads(
        found(
            (0, 2, 1),
            (1, 1, 1),
            (2, 1, 1),
            (3, 1, 1),
            paths=["a.py", "Sha_pe.x.py", "shape.py", "shapes.py"],
        )
    )
    assert named == [["shape.py", "Sha_pe.x.py", "a.py", "shapes.py"]]


def test_what_is_done_next() -> None:
    work = Work("shape")
    work.add([FoundFile("a.py", 4_000_000, 0), FoundFile("b.py", 4_000_000, 0)])
    scan = work.next_order(True, 0.0)
    assert isinstance(scan, ScanFiles) and scan.paths == ["a.py"]
    work.scanned(scan, ScanAnswer([(0, GOOD - 1, 1)], []))
    # A candidate waits for the search of the others, or for its time.
    work.read_from = 5.0
    other = work.next_order(True, 4.9)
    assert isinstance(other, ScanFiles) and other.paths == ["b.py"]
    assert work.next_order(True, 4.9) is None
    read = work.next_order(False, 5.0)
    assert isinstance(read, ReadFiles) and read.paths == ["a.py"]
    work.was_read(ReadFiles(["a.py"]))
    assert not work.is_done()
    work.scanned(other, ScanAnswer([(0, GOOD, 1)], []))
    # The walk goes on, but this file probably has the definition.
    work.read_from = None
    good = work.next_order(False, 0.0)
    assert isinstance(good, ReadFiles) and good.paths == ["b.py"]
    work.was_read(read)
    work.was_read(good)
    assert not work.is_done() and not work.report().complete
    work.finish_adding()
    assert work.is_done() and work.report().complete


def test_what_was_not_read_is_counted() -> None:
    work = Work("shape")
    work.add([FoundFile(path, 1, 0) for path in ("z.py", "y.py", "x.py")])
    work.finish_adding()
    scan = work.next_order(False, 0.0)
    assert isinstance(scan, ScanFiles)
    work.scanned(scan, ScanAnswer([(2, 1, 1)], [0, 1]))
    work.give_up("w.py")
    work.give_up("v.py")
    report = work.report()
    assert (report.total_files, report.scanned_files, report.candidates) == (3, 1, 1)
    assert (report.unreadable, report.given_up) == (["y.py", "z.py"], ["v.py", "w.py"])


def test_a_scan_is_promising_while_files_are_left_that_may_define_the_name() -> None:
    work = found((0, GOOD, 1))
    assert work.is_promising(False) and work.is_promising(True)
    read = work.next_order(True, 0.0)
    assert isinstance(read, ReadFiles) and work.is_promising(True)
    work.parsed(FileSymbols("a.py", 1, 0), BEGINS_WITH_NAME)
    assert work.is_promising(False) and not work.is_promising(True)
    work.was_read(read)
    assert not work.is_promising(False)
    assert not found((0, GOOD - 1, 1)).is_promising(False)
    assert not Work("").is_promising(False) and Work("a").is_promising(False)
