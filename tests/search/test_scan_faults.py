"""A scan under faults and time limits: grammars and walks that never end, processes that die, files
that change, Ctrl-C."""

import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from symindex.errors import StorageError
from symindex.extract.languages.registry import load_languages
from symindex.files.walk import FileFilter, FoundFile, walk_tree
from symindex.search.unindexed import before_index as early_module
from symindex.search.unindexed.before_index import describe_scan, scan_tree
from symindex.search.unindexed.prefilter import Finder
from symindex.search.unindexed.scan import ScanSeconds, TreeScan
from symindex.search.unindexed.scan_job import ReadFiles, ScanFiles, scan_files
from symindex.search.unindexed.scan_query import make_prefilter
from symindex.workers.process import Process
from tests.support.command import started
from tests.support.files import Files, write_files
from tests.support.processes import needs_proc, processes_named
from tests.support.scanning import MOST_BYTES, look_for, names_of, plan_of, request_of
from tests.support.waiting import until

pytestmark = pytest.mark.own_workers


@pytest.mark.nightly
@pytest.mark.slow
def test_the_time_limit_holds_for_grammars_that_never_return(
    tmp_path: Path, hanging_language: None
) -> None:
    files: Files = {f"x{i}.hang": "x" for i in range(4)}
    root = write_files(tmp_path / "tree", {**files, "a.py": "x = 1\n"})
    started = time.monotonic()
    report = look_for(root, "x", seconds=1.0)
    assert time.monotonic() - started < 8
    assert report.candidates == 5 and not report.complete


@pytest.mark.nightly
@pytest.mark.slow
def test_a_file_that_takes_too_long_is_given_up_and_no_other(
    tmp_path: Path, hanging_language: None
) -> None:
    root = write_files(
        tmp_path / "tree",
        {"x.hang": "x", "y.hang": "x", "a.py": "x = 1\n", "b.py": "def x(): pass\n"},
    )
    report = look_for(root, "x", file_seconds=1.0)
    assert report.given_up == ["x.hang", "y.hang"]
    assert report.complete and names_of(report) == ["x", "x"]


def test_the_time_limit_holds_for_a_walk_that_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"a.py": "x = 1\n"})

    def walk_for_ever(
        root: Path, wanted: FileFilter, watch: Callable[[list[FoundFile]], object]
    ) -> None:
        while True:
            watch([FoundFile("a.py", 6, 1)])
            time.sleep(0.01)

    monkeypatch.setattr(early_module, "walk_tree", walk_for_ever)
    wanted = load_languages().wanted(MOST_BYTES)
    prefilter = make_prefilter(plan_of(request_of("x")))
    assert prefilter is not None
    report = scan_tree(
        tmp_path,
        prefilter,
        plan_of(request_of("x")),
        load_languages(),
        wanted,
        10.0,
        ScanSeconds(1.0),
    )
    assert not report.walked
    assert "files found so far" in describe_scan(report, "x")


def test_a_killed_process_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Process.answers
    killed = []  # type: ignore[var-annotated]

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        ordered = msgspec.msgpack.decode(order, type=ScanFiles | ReadFiles)
        if isinstance(ordered, ReadFiles) and not killed:
            killed.append(ordered.paths[0])
            self.kill()
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    write_files(tmp_path, {f"f{i}.py": f"def found{i}(): pass\n" for i in range(30)})
    report = look_for(tmp_path, "found")
    assert report.given_up == killed and len(report.files) == 29


@pytest.mark.nightly
def test_an_answer_is_not_complete_where_files_were_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process died during its scan, so its files may contain matches."""
    original = Process.answers
    killed: list[ScanFiles] = []

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        ordered = msgspec.msgpack.decode(order, type=ScanFiles | ReadFiles)
        if isinstance(ordered, ScanFiles) and not killed:
            killed.append(ordered)
            self.kill()
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    monkeypatch.setattr("symindex.search.unindexed.work_queue.SCAN_FILES", 10)
    write_files(tmp_path, {f"f{i}.py": f"def found{i}(): pass\n" for i in range(30)})
    report = look_for(tmp_path, "found")
    assert not report.complete
    assert report.scanned_files == len(report.files) == 20
    assert not set(killed[0].paths) & {file.path for file in report.files}


def test_a_process_that_cannot_start_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"a.py": "x = 1\n"})
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(
        StorageError,
        match=r"/bin/false: a worker process ended before it was ready \(exit code 1\)",
    ):
        look_for(tmp_path, "x")


def test_files_that_change_after_the_walk(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            path: "x = 1\n"
            for path in ("gone.py", "grown.py", "shrunk.py", "folder.py", "pipe.py", "huge.py")
        },
    )
    languages = load_languages()
    files = walk_tree(tmp_path, languages.wanted(MOST_BYTES)).files
    (tmp_path / "gone.py").unlink()
    (tmp_path / "grown.py").write_text("x = 1\n" * 1000 + "def found(): pass\n")
    (tmp_path / "shrunk.py").write_text("")
    (tmp_path / "folder.py").unlink()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "pipe.py").unlink()
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "huge.py").write_text("found = 1\n" * 300_000)
    prefilter = make_prefilter(plan_of(request_of("found")))
    assert prefilter is not None
    answer = scan_files(str(tmp_path), [file.path for file in files], Finder(prefilter), MOST_BYTES)
    assert [files[place].path for place, _, _ in answer.candidates] == ["grown.py"]
    assert [files[place].path for place in answer.unreadable] == ["folder.py", "gone.py", "pipe.py"]


@pytest.mark.nightly
def test_leaving_ends_every_process(tmp_path: Path, hanging_language: None) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "a.py": "x = 1\n"})
    languages = load_languages()
    prefilter = make_prefilter(plan_of(request_of("x")))
    assert prefilter is not None
    with TreeScan(
        root, prefilter, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=2
    ) as scan:
        scan.feed(walk_tree(root, languages.wanted(MOST_BYTES)).files)
        scan.feed_done()
        while not scan.search(ScanSeconds(0.1)).candidates:
            pass
        processes = [slot._process._process for slot in scan._slots if slot._process is not None]
        assert processes
    assert all(process.returncode is not None for process in processes)
    assert (
        scan.search(ScanSeconds(60.0)).complete is False
    )  # a later request is answered at once with the results so far


@pytest.mark.nightly
@pytest.mark.slow
@needs_proc
def test_ctrl_c_ends_it(tmp_path: Path, hanging_language: None) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "y.hang": "x"})
    script = f"""
        from pathlib import Path
        from tests.support.scanning import look_for
        print("ready", flush=True)
        look_for(Path({str(root)!r}), "x", seconds=60.0, file_seconds=60.0)
    """
    with started([sys.executable, "-c", textwrap.dedent(script)], process_group=0) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        until(lambda: len(processes_named(process.pid, "scan_job")) == 2, "the workers")
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert errors.strip().endswith("KeyboardInterrupt")
