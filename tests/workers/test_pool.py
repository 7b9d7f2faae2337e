"""The time limit holds against a grammar that never returns, and a dead worker loses nothing."""

import os
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from msgspec import UNSET

from symindex.errors import RequestError, StorageError
from symindex.extract.languages.registry import load_languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.extract.symbols import LONGEST_PATH
from symindex.workers import (
    child,
    framing,
    memory_limit,
    parsing,
    pool,
    process,
    watchdog,
)
from symindex.workers.parsing import read_files
from symindex.workers.process import Process
from symindex.workspace.workspace import Workspace
from tests.support.command import SYMINDEX, run_program, run_python, started
from tests.support.files import write_files
from tests.support.hanging_language import HANGS
from tests.support.processes import needs_proc, processes_named, wait_for_ends
from tests.support.waiting import until

pytestmark = pytest.mark.own_workers


def read(
    root: Path, files: list[str], file_seconds: float = 10.0, n_workers: int = 2
) -> dict[str, FileSymbols]:
    tasks = [(ReadTask(path), 100) for path in files]
    results = parsing.read_files(
        root, tasks, max_file_bytes=1_000_000, file_seconds=file_seconds, n_workers=n_workers
    )
    assert [result.path for result in results] == files
    return {result.path: result for result in results}


@pytest.mark.nightly
@pytest.mark.slow
def test_a_grammar_that_never_returns_costs_its_file_and_no_other(
    tmp_path: Path, hanging_language: None
) -> None:
    root = write_files(
        tmp_path / "tree",
        {f"f{i}.py": f"def f{i}(): pass\n" for i in range(30)} | {"x.hang": "x", "y.hang": "x"},
    )
    results = read(root, ["x.hang", *(f"f{i}.py" for i in range(30)), "y.hang"], file_seconds=1.0)
    assert {path: result.skip for path, result in results.items() if result.skip} == {
        "x.hang": "gave no answer within the time limit",
        "y.hang": "gave no answer within the time limit",
    }
    assert results["x.hang"].detail == "1 s"
    assert all(next(iter(results[f"f{i}.py"].symbols)).name == f"f{i}" for i in range(30))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(
    not framing.OUT_OF_TIME, reason="this system does not count the processor time of a process"
)
def test_the_limit_is_of_the_processors_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is read on an idle machine is also read on a busy one."""
    root = write_files(tmp_path / "tree", {"a.py": "x1 = 1\n"})
    original = Process.answers

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        os.kill(self._process.pid, signal.SIGSTOP)
        threading.Timer(1.5, os.kill, (self._process.pid, signal.SIGCONT)).start()
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    assert not read(root, ["a.py"], file_seconds=1.0)["a.py"].skip


@pytest.mark.nightly
def test_a_file_that_is_waited_for_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that does not respond uses no processor time."""
    root = write_files(tmp_path / "tree", {"a.py": "x1 = 1\n"})
    original, late = Process.answers, []

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        os.kill(self._process.pid, signal.SIGSTOP)
        late.append(
            threading.Timer(8.0, os.kill, (self._process.pid, signal.SIGCONT))
        )  # in case nothing kills it
        late[-1].start()
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    result = read(root, ["a.py"], file_seconds=0.1)["a.py"]
    assert [timer.cancel() for timer in late] == [None]  # tried once
    assert (result.skip, result.detail) == ("gave no answer within the time limit", "0.1 s")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_given_up_file_is_reported_and_not_tried_again_until_it_changes(
    tmp_path: Path, hanging_language: None
) -> None:
    root = write_files(
        tmp_path / "tree",
        {"a.py": "x1 = 1\n", "x.hang": "x", "symindex.toml": "file_seconds = 0.5\n"},
    )
    with Workspace(root, tmp_path / "index") as workspace:
        report = workspace.refresh()
        assert [(row.reason, row.paths) for row in report.skipped if row.paths] == [
            ("gave no answer within the time limit", ["x.hang (0.5 s)"])
        ]
        assert workspace.refresh().read == 0
        assert workspace.search("x1").total == 1


def kill_workers_when_asked(
    monkeypatch: pytest.MonkeyPatch, times: int, by: int = signal.SIGKILL
) -> list[int]:
    """Kills each worker during its first batch, the given number of times."""
    killed: list[int] = []
    original = Process.answers

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        if len(killed) < times:
            killed.append(self._process.pid)
            os.kill(self._process.pid, by)
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    return killed


@pytest.mark.nightly
def test_a_killed_worker_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_files(tmp_path, {f"f{i}.py": f"def f{i}(): pass\n" for i in range(50)})
    killed = kill_workers_when_asked(monkeypatch, 1)
    results = read(root, [f"f{i}.py" for i in range(50)], n_workers=1)
    assert len(killed) == 1
    assert all(not result.skip and len(result.symbols) == 1 for result in results.values())


@pytest.mark.nightly
@pytest.mark.slow
def test_a_file_that_crashes_its_worker_twice_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path, {f"f{i}.py": f"def f{i}(): pass\n" for i in range(3)})
    kill_workers_when_asked(monkeypatch, 10, signal.SIGSEGV)
    results = read(root, ["f0.py", "f1.py", "f2.py"], n_workers=1)
    assert {(result.skip, result.detail) for result in results.values()} == {
        ("crashed the process that parsed it", "signal 11")
    }


@pytest.mark.nightly
def test_a_large_parent_does_not_make_a_crash_a_lack_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system counts the memory that a process had before it became another program."""
    large = bytearray(200_000_000)
    monkeypatch.setenv(memory_limit.MEMORY_VARIABLE, "300")
    root = write_files(tmp_path, {"a.py": "a = 1\n"})
    kill_workers_when_asked(monkeypatch, 10, signal.SIGSEGV)
    assert read(root, ["a.py"])["a.py"].skip == "crashed the process that parsed it"
    assert len(large) > 0


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_killed_worker_does_not_condemn_its_file(
    by: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is missing for at most one refresh, and answers meanwhile say so."""
    root = write_files(tmp_path / "tree", {"lost.py": "def lost(): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        kill_workers_when_asked(monkeypatch, parsing.MOST_KILLS, by)
        report = workspace.refresh()
        assert [(row.reason, row.paths) for row in report.skipped] == [
            ("not read yet: the process that parsed it was killed", ["lost.py"])
        ]
        write_files(root, {"other.py": "def other(): pass\n"})
        workspace.refresh(paths=["other.py"])
        assert workspace.search("lost").total == 1  # even if only another file has changed
        assert workspace.search("lost").notices is UNSET


@pytest.mark.nightly
def test_a_worker_that_is_killed_before_it_is_ready_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path, {"a.py": "def found(): pass\n"})
    original = Process.begin
    killed: list[int] = []

    def begin(self: Process) -> bool:
        if len(killed) < pool.MOST_STARTS - 1:
            killed.append(self._process.pid)
            os.kill(self._process.pid, signal.SIGKILL)
            self.wait()
            return False
        return original(self)

    monkeypatch.setattr(Process, "begin", begin)
    assert len(read(root, ["a.py"])["a.py"].symbols) == 1


@pytest.mark.slow
def test_an_answer_says_what_was_left_out_because_a_worker_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
        write_files(root, {"src/lost.py": "def lost(): pass\n"})
        kill_workers_when_asked(monkeypatch, parsing.MOST_KILLS)
        workspace.refresh()
        lost_notices = [
            "1 file was not read and may contain more: src/lost.py (not read yet: the process that parsed it was killed); "
            "the next refresh tries again"
        ]
        assert workspace.search("found").notices == lost_notices
        notices = workspace.search("found", paths=["src"]).notices
        assert notices is not UNSET and notices[:1] == lost_notices
        assert workspace.search("found", paths=["!src"]).notices is UNSET


@pytest.mark.nightly
@pytest.mark.slow
def test_a_worker_that_is_being_killed_is_not_handed_out(tmp_path: Path) -> None:
    """The system reports a stopped process with a pending deadly signal as alive."""
    root = write_files(tmp_path, {"a.py": "def found(): pass\n"})
    spare = pool.SpareWorker()
    options: dict[str, Any] = {"max_file_bytes": 1000, "file_seconds": 10.0, "spare": spare}
    parsing.read_files(root, [(ReadTask("a.py"), 10)], **options)
    kept = spare._process
    assert kept is not None
    os.kill(kept._process.pid, signal.SIGSTOP)
    assert kept.is_alive
    assert spare.take(kept_job(spare)) is None
    spare.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_worker_that_was_kept_serves_any_root_but_only_its_own_job(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    elsewhere = write_files(tmp_path / "elsewhere", {"a.py": "def other(): pass\n"})
    spare = pool.SpareWorker()
    tasks = [(ReadTask("a.py"), 10)]
    options: dict[str, Any] = {"max_file_bytes": 1000, "file_seconds": 10.0, "spare": spare}

    def read_again(root: Path = root, **more: Any) -> list[str]:
        (result,) = read_files(root, tasks, **{**options, **more})
        return [symbol.name for symbol in result.symbols] or [result.skip]

    assert read_again() == ["found"]
    kept = spare._process
    assert read_again(elsewhere) == ["other"] and read_again() == ["found"]
    assert spare._process is kept
    assert read_again(max_file_bytes=5) == ["larger than the size limit"]
    go = load_languages().choose(["go"])
    assert read_again(languages=go) == ["left out by the settings (include, exclude, languages)"]
    spare.close()


def kept_job(spare: pool.SpareWorker) -> framing.Job:
    """Returns the job of the spare worker."""
    assert spare._process is not None
    return spare._process.job


BOMB: Final = "\n".join(["x=>" * 25] * 2000)
"""Java in which every arrow may belong to a lambda: a parser that follows all readings needs
gigabytes."""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("peak", ["known", "unknown"])
def test_a_file_that_needs_too_much_memory_costs_itself_and_no_other(
    peak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parser fails to allocate memory and crashes. If this process was once larger, its peak is
    unknown."""
    monkeypatch.setattr(child, "_own_peak", lambda: 0 if peak == "known" else 2**40)
    monkeypatch.setenv(memory_limit.MEMORY_VARIABLE, "600")
    root = write_files(tmp_path / "tree", {"Bomb.java": BOMB, "a.py": "def found(): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        report = workspace.refresh()
        assert [(row.reason, row.paths) for row in report.skipped] == [
            ("needed more memory than a parsing process may use", ["Bomb.java (600 MB)"])
        ]
        assert workspace.search("found").total == 1
        assert workspace.refresh().read == 0
        answer = workspace.references("x")
    assert "Bomb.java (needed more memory" in str(answer.notices)


def test_the_limit_of_memory_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory_limit.worker_memory() == 1_000_000_000
    for text in ("99", "-1", "1e9", "many", "9" * 10):
        monkeypatch.setenv(memory_limit.MEMORY_VARIABLE, text)
        with pytest.raises(
            RequestError,
            match=r"SYMINDEX_WORKER_MEMORY is '.*': it must be megabytes, at least 100",
        ):
            memory_limit.worker_memory()


@pytest.mark.slow
def test_memory_is_watched_where_the_system_sets_no_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS is such a system."""
    monkeypatch.setattr(process, "WATCHES_MEMORY", True)
    monkeypatch.setenv(memory_limit.MEMORY_VARIABLE, "150")
    monkeypatch.setattr(process, "limit_of", lambda most_memory: 0)
    root = write_files(tmp_path, {"Bomb.java": BOMB})
    assert (
        read(root, ["Bomb.java"])["Bomb.java"].skip
        == "needed more memory than a parsing process may use"
    )


@pytest.mark.nightly
def test_names_of_what_is_nested_do_not_grow_without_limit(tmp_path: Path) -> None:
    """A qualified name contains the names around it, so all of them together would grow with the
    square of the depth."""
    depth = 2000
    source = "".join(f"class Name{level} {{\n" for level in range(depth)) + "}\n" * depth
    deep = read(write_files(tmp_path, {"Deep.java": source}), ["Deep.java"])["Deep.java"]
    assert len(deep.symbols) == depth
    longest = max(symbol.qualified_name for symbol in deep.symbols)
    assert max(len(symbol.container) for symbol in deep.symbols) == LONGEST_PATH
    assert longest.startswith("Name0.Name1.") and "…" in longest


@pytest.mark.nightly
@pytest.mark.slow
def test_what_is_found_in_a_file_has_its_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that makes the index stores all of it, and has no memory limit."""
    deep = "".join(f"class {'N' * 190}{level} {{\n" for level in range(3))
    source = deep + "enum E {\n" + "A,\n" * 100_000 + "}\n}}}\n"
    results = read(
        write_files(tmp_path, {"Wide.java": source, "a.py": "def found(): pass\n"}),
        ["Wide.java", "a.py"],
    )
    assert results["Wide.java"].skip == "needed more memory than a parsing process may use"
    assert results["Wide.java"].detail.startswith("symbols of ")
    assert len(results["a.py"].symbols) == 1


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(
    not framing.CAN_SIGNAL_END,
    reason="this system does not notify a busy process of a closed pipe",
)
@needs_proc
def test_workers_die_with_their_parent_whatever_they_do(
    tmp_path: Path, hanging_language: None
) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "symindex.toml": "file_seconds = 100\n"})
    with started([*SYMINDEX, "index", "--root", root, "--index-dir", tmp_path / "index"]) as parent:
        until(lambda: processes_named(parent.pid, "parse_job"), "a worker")
        busy = processes_named(parent.pid, "parse_job")
        parent.kill()
    wait_for_ends(busy, 10)


def test_the_limits_of_a_windows_job_have_the_right_layout() -> None:
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION has 144 bytes; the flags are at 16, and a process's
    memory at 112."""
    packed = process.pack_limits(0x2100, 10**9)
    assert len(packed) == 144
    assert int.from_bytes(packed[16:20], "little") == 0x2100
    assert int.from_bytes(packed[112:120], "little") == 10**9


def test_a_worker_that_cannot_start_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"a.py": ""})
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(
        StorageError,
        match=r"/bin/false: a worker process ended before it was ready \(exit code 1\)",
    ):
        read(tmp_path, ["a.py"])


@pytest.mark.nightly
def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    script = f"""
        import symindex
        with symindex.open({str(tmp_path / "tree")!r}, {str(tmp_path / "index")!r}) as workspace:
            print([item.name for item in workspace.search("found").items])
    """
    write_files(tmp_path, {"script.py": textwrap.dedent(script)})
    done = run_program([sys.executable, str(tmp_path / "script.py")], check=True)
    assert done.stdout == "['found']\n"


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"symbols.scm": ""}, "No such file or directory"),
        ({"language.toml": "name = 'X'\n", "symbols.scm": ""}, "missing required field `grammar`"),
        ({"language.toml": HANGS + "colour = 1\n", "symbols.scm": ""}, "unknown field `colour`"),
        (
            {"language.toml": HANGS.replace("cobol", "klingon"), "symbols.scm": ""},
            "grammar 'klingon': no such grammar in the pack",
        ),
        ({"language.toml": HANGS + "attributes = '('\n", "symbols.scm": ""}, "attributes: "),
        (
            {"language.toml": HANGS, "symbols.scm": "(comment) @colour\n"},
            "unknown capture @colour: expected one of @body, @container,",
        ),
        ({"language.toml": HANGS, "symbols.scm": "(no_such_node) @doc\n"}, "Invalid node type"),
        (
            {"language.toml": HANGS, "symbols.scm": "(comment) @name\n"},
            "a pattern captures one @definition",
        ),
        (
            {"language.toml": HANGS, "symbols.scm": "((comment) @doc (#set! doc nowhere))\n"},
            "unknown setting doc nowhere",
        ),
    ],
)
def test_a_broken_language_folder_says_what_is_wrong(
    files: dict[str, str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from symindex.extract.languages.registry import load_languages

    write_files(tmp_path / "grammars" / "broken", dict(files))
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "grammars"))
    (fault,) = load_languages().faults
    assert complaint in fault
    assert "\n" not in fault


@pytest.mark.nightly
@pytest.mark.slow
def test_a_file_that_was_given_up_is_tried_again_with_another_limit(
    tmp_path: Path, hanging_language: None
) -> None:
    root = write_files(
        tmp_path / "tree",
        {"a.py": "x1 = 1\n", "x.hang": "x", "symindex.toml": "file_seconds = 1.0\n"},
    )
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
    write_files(root, {"symindex.toml": "file_seconds = 1.5\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        report = workspace.refresh()
        assert report.read == 1
        assert ["x.hang (1.5 s)"] in [row.paths for row in report.skipped]
        assert workspace.refresh().read == 0


def test_an_index_that_is_empty_because_all_was_given_up_says_so(
    tmp_path: Path, hanging_language: None
) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "symindex.toml": "file_seconds = 0.2\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        assert workspace.search("x").notices == [
            "the index is empty: 1 skipped, such as x.hang (gave no answer within the time limit); see `symindex status`"
        ]


@pytest.mark.nightly
def test_a_worker_whose_caller_was_killed_ends_even_in_a_grammar_that_never_returns(
    tmp_path: Path, hanging_language: None
) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "symindex.toml": "file_seconds = 0.2\n"})
    script = f"""
        import os
        from symindex.workers.process import Process
        from symindex.workspace.workspace import Workspace
        sent = []
        def send(self, frame, original=Process.send):
            original(self, frame)
            sent.append(frame)
            if len(sent) == 2:  # the job, and what it has to do
                print(self._process.pid, flush=True)
                os.kill(os.getpid(), 9)
        Process.send = send
        Workspace({str(root)!r}, {str(tmp_path / "index")!r}).refresh()
    """
    done = run_python(textwrap.dedent(script))
    worker = int(done.stdout)
    wait_for_ends([worker])


def test_time_in_which_the_caller_was_stopped_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-Z and `fg` the clock has advanced, but no file is given up."""
    root = write_files(tmp_path, {f"f{i}.py": f"def f{i}(): pass\n" for i in range(20)})
    passed = 0.0
    original = Process.send

    def send(self: Process, frame: bytes) -> None:
        nonlocal passed
        passed += 1000.0
        time.sleep(0.2)  # long enough for the watchdog to check
        original(self, frame)

    monkeypatch.setattr(Process, "send", send)
    monkeypatch.setattr(
        watchdog,
        "time",
        SimpleNamespace(monotonic=lambda: time.monotonic() + passed, sleep=time.sleep),
    )
    results = read(root, [f"f{i}.py" for i in range(20)], n_workers=1)
    assert not [result.path for result in results.values() if result.skip]


def test_ctrl_c_before_the_threads_are_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: threading.Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        read(write_files(tmp_path, {"a.py": ""}), ["a.py"])


def test_workers_keep_the_extensions_that_they_started_with() -> None:
    sizes = {"go": 3, "c": 2, "": 1}
    tasks = [
        (ReadTask(f"{n}.{ending}" if ending else f"{n}"), parsing.BATCH_BYTES)
        for ending, k in sizes.items()
        for n in range(k)
    ]
    batches = parsing._Batches(Path("."), tasks)
    given: list[str] = []
    for slot in (0, 1, 1, 1, 0, 1):
        batch = batches.next_for(slot)
        assert batch is not None
        given += [f"{slot} {task.path}" for task in batch.left]
    assert given == ["0 0.go", "1 0.c", "1 1.c", "1 0", "0 1.go", "1 2.go"]
    assert batches.next_for(0) is None
