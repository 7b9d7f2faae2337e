"""How a process is limited, judged and ended, with substitutes for the system: limits of memory and
time, exit codes, the import path, spare workers, the clock."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import Mock

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError, StorageError
from symindex.files.skips import SkipReason
from symindex.workers import (
    child,
    isolation,
    memory_limit,
    pool,
    process,
    watchdog,
    worker,
)
from symindex.workers.child import Cause, Child, Exit
from symindex.workers.framing import END, OUT_OF_TIME, Job, read_frame, write_frame
from symindex.workers.pool import Slot, SpareWorker, cut_batches
from symindex.workers.process import Process
from symindex.workers.watchdog import Watchdog

resource: Any = pytest.importorskip("resource")

NO_LIMIT: Final = resource.RLIM_INFINITY


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=300)), st.data())
def test_frames_are_read_as_they_were_written(frames: list[bytes], data: st.DataObject) -> None:
    stream = io.BytesIO()
    for frame in frames:
        write_frame(stream, frame)
    written = stream.getvalue()
    end = data.draw(st.integers(0, len(written)))
    received, stream = [], io.BytesIO(written[:end])
    while (frame_read := read_frame(stream)) is not None:
        received.append(frame_read)
    n_whole, size = 0, 0
    for frame in frames:
        size += 4 + len(frame)
        n_whole += size <= end
    assert received == frames[:n_whole]


@pytest.mark.parametrize(
    ("text", "n_bytes"), [("", 10**9), ("100", 10**8), ("101", 101 * 10**6), ("9" * 9, 999_999_999_000_000)]
)  # fmt: skip
def test_the_memory_of_workers_is_the_users(
    text: str, n_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMINDEX_WORKER_MEMORY", text)
    assert memory_limit.worker_memory() == n_bytes


@pytest.mark.parametrize("text", ["99", "1" * 10, "1e3", "-5", "٣٣٣", "x" * 41])
def test_other_values_for_the_memory_of_workers_are_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMINDEX_WORKER_MEMORY", text)
    with pytest.raises(RequestError) as caught:
        memory_limit.worker_memory()
    assert str(caught.value) == (
        f"SYMINDEX_WORKER_MEMORY is {text[:40]!r}: it must be megabytes, at least 100"
    )


class Limits:
    """The limits of this process, soft and hard, and a record of those that were set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, soft: int, hard: int) -> None:
        self.now, self.set = (soft, hard), list[tuple[int, int]]()
        monkeypatch.setattr(resource, "getrlimit", lambda _: self.now)
        monkeypatch.setattr(resource, "setrlimit", self._set)

    def _set(self, which: int, limits: tuple[int, int]) -> None:
        assert which == resource.RLIMIT_AS
        self.now = limits
        self.set.append(limits)


@pytest.mark.parametrize(("hard", "limit"), [(NO_LIMIT, 500), (400, 400), (600, 500)])
def test_a_process_limits_itself_within_what_the_system_allows(
    hard: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(monkeypatch, NO_LIMIT, hard)
    memory_limit.limit_memory(0)
    assert limits.set == []
    memory_limit.limit_memory(500)
    assert limits.set == [(limit, limit)]


@pytest.mark.parametrize(
    ("soft", "hard", "least"),
    [(NO_LIMIT, NO_LIMIT, 130), (120, NO_LIMIT, 120), (NO_LIMIT, 110, 110), (200, 300, 130)],
)
def test_a_block_may_use_so_much_more_than_the_process_has(
    soft: int, hard: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(monkeypatch, soft, hard)
    monkeypatch.setattr(memory_limit, "_address_space", lambda _: 100)
    with pytest.raises(ZeroDivisionError), memory_limit.limited_beyond(30):
        assert limits.now == (least, hard)
        raise ZeroDivisionError
    assert limits.now == (soft, hard)


def test_where_the_system_tells_no_memory_a_block_has_no_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = Limits(monkeypatch, NO_LIMIT, NO_LIMIT)

    def fail(_: object) -> int:
        raise FileNotFoundError

    monkeypatch.setattr(memory_limit, "_address_space", fail)
    with memory_limit.limited_beyond(30):
        pass
    assert memory_limit.is_near_limit(1) is False
    monkeypatch.setitem(sys.modules, "resource", None)
    with memory_limit.limited_beyond(30):
        pass
    assert memory_limit.is_near_limit(1) is False
    assert limits.set == []


@pytest.mark.parametrize(
    ("used", "limit", "is_near"), [(101, 300, True), (100, 300, False), (10**9, NO_LIMIT, False)]
)
def test_a_process_is_near_its_limit_from_a_third_of_it(
    used: int, limit: int, is_near: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_limit, "_address_space", lambda _: used)
    monkeypatch.setattr(resource, "prlimit", lambda *_: (limit, NO_LIMIT))
    assert memory_limit.is_near_limit(1) is is_near


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs Linux")
def test_the_memory_of_this_process_as_the_system_tells_it() -> None:
    import psutil

    address_space, memory = memory_limit._address_space("self"), psutil.Process().memory_info()
    assert abs(address_space - memory.vms) < 100_000_000 and address_space > memory.rss
    assert memory_limit.is_over_limit(os.getpid(), memory.rss // 2)
    assert not memory_limit.is_over_limit(os.getpid(), 100 * memory.rss)
    assert not memory_limit.is_over_limit(2**22 + 1, 0)


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (b"tree-sitter failed to allocate 10 bytes", True),
        (b"  File\nMemoryError\n", True),
        (b"terminate called: std::bad_alloc", True),
        (b"ValueError: no", False),
        (b"", False),
    ],
)
def test_the_last_words_of_a_process_without_memory(output: bytes, says: bool) -> None:
    assert memory_limit.says_out_of_memory(output) is says


@pytest.mark.parametrize(
    ("watches", "platform", "limit"),
    [(False, "linux", 5), (True, "darwin", 0), (False, "win32", 0), (True, "linux", 0)],
)
def test_a_process_sets_its_own_limit_where_the_system_enforces_one(
    watches: bool, platform: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "WATCHES_MEMORY", watches)
    monkeypatch.setattr(process.sys, "platform", platform)
    assert process.limit_of(5) == limit


class Ended(Process):
    """A worker that has ended with a code, after some output."""

    def __init__(self, code: int, job: Job, output: bytes = b"", peak: int = 0) -> None:
        self._code, self.job, self.peak_bytes = code, job, peak
        self._output = io.BytesIO(output)
        self._late_since = self._waits_since = None
        self._is_near_limit = self._is_over_limit = False

    def wait(self) -> int:
        return self._code


JOB: Final = Job("m", b"", most_memory=900)
SEGV, TERM, PROF = -signal.SIGSEGV, -signal.SIGTERM, -OUT_OF_TIME


def ended(code: int, **changed: Any) -> Ended:
    job = msgspec.structs.replace(JOB, **changed.pop("job", {}))
    made = Ended(code, job, changed.pop("output", b""), changed.pop("peak", 0))
    for name, value in changed.items():
        setattr(made, name, value)
    return made


ENDS: list[tuple[Ended, Cause]] = [
    (ended(SEGV), Cause.CRASHED),
    (ended(3), Cause.CRASHED),
    (ended(0), Cause.CRASHED),
    (ended(TERM), Cause.KILLED),
    (ended(PROF), Cause.OUT_OF_TIME),
    (ended(-9, _late_since=1.0, _waits_since=1.0), Cause.OUT_OF_TIME),
    (ended(-9, _late_since=1.0, _waits_since=2.0), Cause.KILLED),
    (ended(-9, _waits_since=2.0), Cause.KILLED),
    (ended(SEGV, peak=301), Cause.OUT_OF_MEMORY),
    (ended(SEGV, peak=300), Cause.CRASHED),
    (ended(TERM, peak=301), Cause.KILLED),
    (ended(3, peak=301), Cause.CRASHED),
    (ended(SEGV, peak=301, job={"answer_memory": 1200}), Cause.CRASHED),
    (ended(SEGV, peak=401, job={"answer_memory": 1200}), Cause.OUT_OF_MEMORY),
    (ended(SEGV, peak=301, job={"most_memory": 0}), Cause.CRASHED),
    (ended(SEGV, _is_near_limit=True), Cause.OUT_OF_MEMORY),
    (ended(TERM, _is_near_limit=True), Cause.KILLED),
    (ended(-9, _is_over_limit=True), Cause.OUT_OF_MEMORY),
    (ended(1, output=b"MemoryError"), Cause.OUT_OF_MEMORY),
    (ended(1, output=b"MemoryError" + b"x" * 3989), Cause.OUT_OF_MEMORY),
    (ended(1, output=b"MemoryError" + b"x" * 3990), Cause.CRASHED),
]


@pytest.mark.parametrize("number", range(len(ENDS)))
def test_why_a_worker_has_ended(number: int) -> None:
    worker_process, cause = ENDS[number]
    code = worker_process._code
    words = f"signal {-code}" if code < 0 else f"exit code {code}"
    assert worker_process.exit() == Exit(cause, words)


class Watched(Ended):
    """A worker that counts how often it is killed."""

    n_killed = 0
    answer_seconds = 5.0
    _limit = 0.0
    _process: Any = SimpleNamespace(pid=1)

    def kill(self) -> None:
        self.n_killed += 1


@pytest.mark.parametrize(
    ("waits_since", "limit", "now", "is_late"),
    [
        (None, 0.0, 10**9, False),
        (10.0, 0.0, 15.0, False),
        (10.0, 0.0, 15.1, True),
        (10.0, 60.0, 70.0, False),
        (10.0, 60.0, 70.1, True),
    ],
)
def test_an_answer_may_take_as_long_as_its_limit(
    waits_since: float | None, limit: float, now: float, is_late: bool
) -> None:
    watched = Watched(-9, Job("m", b""))
    watched._waits_since, watched._limit = waits_since, limit
    watched.check_limits(now)
    assert watched.n_killed == is_late
    assert watched.exit().cause is (Cause.OUT_OF_TIME if is_late else Cause.KILLED)


@pytest.mark.parametrize(
    ("most_memory", "watches", "is_over", "is_near", "n_killed", "cause"),
    [
        (900, True, True, False, 1, Cause.OUT_OF_MEMORY),
        (900, True, False, False, 0, Cause.CRASHED),
        (900, False, True, False, 0, Cause.CRASHED),
        (0, True, True, False, 0, Cause.CRASHED),
        (900, False, False, True, 0, Cause.OUT_OF_MEMORY),
        (0, False, False, True, 0, Cause.CRASHED),
    ],
)
def test_the_memory_of_a_worker_is_checked_if_it_has_a_limit(
    most_memory: int,
    watches: bool,
    is_over: bool,
    is_near: bool,
    n_killed: int,
    cause: Cause,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "WATCHES_MEMORY", watches)
    monkeypatch.setattr(process, "is_over_limit", lambda *_: is_over)
    monkeypatch.setattr(process, "is_near_limit", lambda _: is_near)
    watched = Watched(SEGV, msgspec.structs.replace(JOB, most_memory=most_memory))
    watched.check_limits(1.0)
    is_near = False
    watched.check_limits(2.0)  # what was near its limit once counts until the next answer
    assert (watched.n_killed // 2, watched.exit().cause) == (n_killed, cause)
    watched._begin_wait(0.0)
    assert not watched._is_near_limit


def sleeping() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sleep", "1000"])


def test_a_child_is_waited_for_and_killed_once() -> None:
    running = Child(sleeping())
    assert running.is_running() and running.peak_bytes == 0
    running.kill()
    assert running.wait() == -9 and not running.is_running()
    running.kill()
    assert running.wait() == -9
    done = Child(subprocess.Popen(["sh", "-c", "exit 3"]))
    assert done.wait() == 3 and done.wait() == 3


def test_the_peak_of_a_child_counts_beyond_that_of_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for inherited, peak in ((999, 1000), (1000, 0), (1001, 0)):
        monkeypatch.setattr(child, "_own_peak", lambda inherited=inherited: inherited)
        for platform, unit in (("linux", 1024), ("darwin", 1)):
            made = Child(sleeping())
            usage = SimpleNamespace(ru_maxrss=1000)
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(child.sys, "platform", platform)
                patched.setattr(os, "wait4", lambda *_, usage=usage: (1, 9, usage))
                patched.setattr(os, "waitid", lambda *_: None)
                assert made.wait() == -9
            assert made.peak_bytes == peak * unit
            made._process.returncode = None
            made._process.kill()
            made._process.wait()


def test_a_child_that_somebody_else_has_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Child(sleeping())
    os.kill(made._process.pid, signal.SIGKILL)
    os.waitpid(made._process.pid, 0)
    assert made.wait() == 0 and not made.is_running()
    made.kill()
    monkeypatch.setattr(child, "_TELLS_USAGE", False)
    assert child._own_peak() == 0
    plain = Child(sleeping())
    assert plain.is_running()
    plain.kill()
    assert plain.wait() == -9 and plain.peak_bytes == 0


SIZES = st.lists(st.integers(0, 9), max_size=200)


@settings(max_examples=30)
@given(SIZES, st.integers(1, 20))
def test_batches_are_as_long_as_their_limits_allow(sizes: list[int], most: int) -> None:
    """Compared with adding one task after the other as long as it fits."""
    expected: list[list[int]] = []
    for number, size in enumerate(sizes):
        last = expected[-1] if expected else []
        is_full = sum(sizes[task] for task in last) + size > most or len(last) == 64
        if is_full or not expected:
            expected.append([])
        expected[-1].append(number)
    assert list(cut_batches(enumerate(sizes), most)) == expected


@pytest.mark.parametrize(
    ("end", "reason", "detail"),
    [
        (Exit(Cause.OUT_OF_TIME, "signal 9"), SkipReason.TIME_LIMIT, "2.5 s"),
        (Exit(Cause.OUT_OF_MEMORY, "signal 9"), SkipReason.MEMORY, "1,234 MB"),
        (Exit(Cause.KILLED, "signal 9"), SkipReason.KILLED, ""),
        (Exit(Cause.CRASHED, "signal 11"), SkipReason.CRASHED, "signal 11"),
    ],
)
def test_why_a_file_is_left_out(
    end: Exit, reason: SkipReason, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMINDEX_WORKER_MEMORY", "1234")
    assert pool.skip_of(end, 2.5) == (reason, detail)


class Stand:
    """A worker without a process. begins, lives: what it says."""

    made: Final[list["Stand"]] = []

    def __init__(self, job: Job, answer_seconds: float = 1.0, begins: bool = True) -> None:
        self.job, self.answer_seconds, self.begins = job, answer_seconds, begins
        self.is_alive, self.ended = True, False
        self.closed: list[bool] = []
        self.n_kills = 0
        Stand.made.append(self)

    def begin(self) -> bool:
        return self.begins

    def responds(self) -> bool:
        return self.is_alive

    def takes(self, job: Job) -> bool:
        return self.job.module == job.module

    def answers(self, order: bytes) -> Any:
        yield from (order[number : number + 1] for number in range(len(order)))

    def kill(self) -> None:
        self.n_kills += 1

    def exit(self) -> Exit:
        return Exit(Cause.CRASHED, "exit code 3")

    def close(self, shows_fault: bool = True) -> None:
        self.closed.append(shows_fault)
        self.is_alive = False


@pytest.fixture
def stands(monkeypatch: pytest.MonkeyPatch) -> list[Stand]:
    """The workers that are started: none has a process."""
    Stand.made.clear()
    monkeypatch.setattr(pool, "Process", Stand)
    return Stand.made


def test_a_spare_worker_is_kept_once_and_taken_once(stands: list[Any]) -> None:
    spare: Any = SpareWorker()
    job = Job("m", b"1")
    assert spare.take(job) is None
    first, second = Stand(job), Stand(job)
    first.is_alive = False
    assert not spare.keep(first)
    first.is_alive = True
    assert spare.keep(first) and not spare.keep(second)
    assert spare.take(job) is first and spare.take(job) is None
    assert spare.keep(first) and spare.take(Job("m", b"2")) is None
    assert first.closed == [True]
    second.is_alive = True
    assert spare.keep(second)
    second.is_alive = False
    assert spare.take(job) is None and second.closed == [True]
    third: Any = Stand(job)
    spare.keep(third)
    spare.close()
    spare.close()
    assert third.closed == [True]


@pytest.mark.parametrize(
    ("begins", "module", "is_taken"), [(True, "m", True), (False, "m", False), (True, "n", False)]
)
def test_a_worker_that_was_started_ahead_takes_the_first_job(
    begins: bool, module: str, is_taken: bool, stands: list[Any]
) -> None:
    spare: Any = SpareWorker(Job("m", b""))
    (ahead,) = stands
    ahead.begins = begins
    ahead.responds = lambda: False  # it has no job yet, so it is not asked
    assert (spare.take(Job(module, b"1")) is ahead) is is_taken
    assert ahead.closed == ([] if is_taken else [True])
    later = Stand(Job("m", b"1"), begins=False)
    assert spare.keep(later)
    assert spare.take(Job("m", b"1")) is later


def test_a_slot_starts_a_worker_three_times_and_shows_the_fault_of_the_last(
    stands: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stand, "begin", lambda self: False)
    with pytest.raises(StorageError) as caught:
        Slot(JOB).start()
    assert str(caught.value) == (
        f"{sys.executable}: a worker process ended before it was ready (exit code 3)"
    )
    assert [made.closed for made in stands] == [[False], [False], [True]]
    stands.clear()
    with pytest.raises(StorageError):
        Slot(JOB, most_starts=1).start()
    assert [made.closed for made in stands] == [[True]]


def test_a_slot_leaves_an_idle_worker_and_no_other(stands: list[Any]) -> None:
    spare = SpareWorker()
    slot = Slot(JOB, 7.0, spare)
    assert list(slot.ask(b"ab")) == [b"a", b"b"] and slot.exit is None
    slot.leave()
    (first,) = stands
    assert first.closed == [] and spare._process == first and not slot.is_running
    next_slot = Slot(JOB, 3.0, spare)
    assert next_slot.start() == first and first.answer_seconds == 3.0
    next_slot.wait_at_most(4.0)
    assert first.answer_seconds == 4.0
    answers = next_slot.ask(b"ab")
    assert next(answers) == b"a"
    next_slot.leave()  # an answer is owed
    assert first.closed == [True] and spare._process is None
    stopped = Slot(JOB, 3.0, spare)
    second: Any = stopped.start()
    stopped.stop()
    stopped.leave()
    assert (second.n_kills, second.closed, spare._process) == (1, [True], None)
    alone = Slot(JOB)
    third: Any = alone.start()
    alone.leave()
    assert third.closed == [True]


def test_a_slot_whose_worker_ends_says_how(stands: list[Any]) -> None:
    slot = Slot(JOB)
    process_of: Any = slot.start()
    process_of.ended = True
    assert list(slot.ask(b"a")) == [b"a"]
    assert slot.exit == Exit(Cause.CRASHED, "exit code 3")
    assert process_of.closed == [True] and not slot.is_running
    assert list(slot.ask(b"b")) == [b"b"] and slot.exit is None and len(stands) == 2


@pytest.mark.parametrize(
    ("gap", "is_watched", "passed"), [(1.0, True, 1.0), (1.06, True, 0.0), (1.06, False, 1.06)]
)
def test_time_in_which_this_process_was_stopped_does_not_count(
    gap: float, is_watched: bool, passed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    clock = Watchdog()
    monkeypatch.setattr(watchdog, "time", SimpleNamespace(monotonic=lambda: now))
    if is_watched:
        clock._checks.add(lambda _: None)
    clock._looked_at = now
    began = clock.clock()
    now += gap
    assert clock.clock() - began == pytest.approx(passed)
    now += 0.5
    assert clock.clock() - began == pytest.approx(passed + 0.5)


def test_the_checks_of_a_watchdog_are_called_while_their_blocks_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import threading

    monkeypatch.setattr(watchdog, "LOOK_SECONDS", 0.001)
    dog, was_called = Watchdog(), threading.Event()
    for _ in range(2):
        was_called.clear()
        with dog.watching(lambda _: was_called.set()):
            assert was_called.wait(20.0)
            thread = dog._thread
            assert thread is not None and thread.daemon
        assert dog._checks == set()
    assert dog._thread is thread


@pytest.fixture
def own_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Sets this process's import path, in a current folder that exists."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)

    def set_path(*folders: str) -> list[str]:
        monkeypatch.setattr(sys, "path", list(folders))
        return sys.path

    return set_path


LIBRARY: Final = os.path.dirname(os.__file__)


def test_the_current_folder_is_left_out_before_pythons_own_library(
    own_path: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"/kept{os.pathsep}sub")
    package = isolation.PACKAGE_PARENT
    here, sub = str(tmp_path), str(tmp_path / "sub")
    path = own_path("", "/kept", here, sub, LIBRARY, here, package)
    isolation.leave_out_current_folder()
    assert path == ["/kept", LIBRARY, here, package]
    path = own_path(sub, LIBRARY)
    isolation.leave_out_current_folder()
    assert path == [LIBRARY, package]
    path = own_path(here, package)  # without the library nothing is known to come before it
    isolation.leave_out_current_folder()
    assert path == [here, package]


def test_a_deleted_current_folder_is_left_out_as_nothing(
    own_path: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> str:
        raise FileNotFoundError

    path = own_path("", "/kept", LIBRARY, isolation.PACKAGE_PARENT)
    monkeypatch.setattr(os, "getcwd", fail)
    isolation.leave_out_current_folder()
    assert path == ["", "/kept", LIBRARY, isolation.PACKAGE_PARENT]


@pytest.mark.parametrize("is_read_only", [True, False])
def test_the_command_of_a_process_names_the_folders_of_libraries(
    is_read_only: bool,
    own_path: Callable[..., list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outside = tmp_path / "outside"
    for folder in ("outside/msgspec", "outside/two/click", "plain/other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "msgspec").mkdir()
    own_path(
        "", "relative", str(tmp_path), str(outside), str(tmp_path / "plain"), str(outside / "two")
    )
    monkeypatch.setattr(sys, "dont_write_bytecode", is_read_only)
    command = isolation.python_command("a.module", ["x", "y"])
    flags = ["-I", "-B"] if is_read_only else ["-I"]
    start = len(flags) + 3
    assert command[: start - 1] == [sys.executable, *flags, "-c"]
    assert command[start:] == [
        "a.module", isolation.PACKAGE_PARENT, "2", str(outside), str(outside / "two"), "x", "y"
    ]  # fmt: skip
    assert isolation.python_command("m")[-1] == str(outside / "two")


class Serving:
    """Runs the loop of a worker with a handler; records its frames and the limits of time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, job: Job) -> None:
        self.limits: list[float] = []
        self.stream = io.BytesIO()
        self.job = job
        monkeypatch.setattr(worker, "_limit_processor_time", self.limits.append)
        monkeypatch.setattr(worker.gc, "isenabled", lambda: True)

    def frames(self, *orders: bytes) -> list[bytes]:
        def echo(order: bytes, send: Callable[[bytes], None]) -> None:
            for number in range(len(order)):
                send(order[number : number + 1])

        worker._serve(self.job, echo, iter(orders), self.stream)
        self.stream.seek(0)
        return list(iter(lambda: read_frame(self.stream), None))


def test_each_answer_of_a_worker_has_its_own_time_and_an_empty_order_needs_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    serving = Serving(monkeypatch, Job("m", b"", 2.0))
    assert serving.frames(b"ab", b"", b"c") == [b"a", b"b", END, END, b"c", END]
    assert serving.limits == [2.0, 2.0, 2.0, 0, 2.0, 2.0, 0]


def test_a_worker_that_keeps_data_limits_the_memory_of_each_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited: list[int] = []
    limits = worker.limited_beyond

    def record(more: int) -> Any:
        limited.append(more)
        return limits(1 << 40)

    monkeypatch.setattr(worker, "limited_beyond", record)
    Serving(monkeypatch, Job("m", b"", answer_memory=70)).frames(b"a", b"", b"b")
    assert limited == [70, 70]
    Serving(monkeypatch, Job("m", b"")).frames(b"a")
    assert limited == [70, 70]


@pytest.mark.parametrize(
    ("most_memory", "is_set", "flags"), [(10**9, 1, 0x2100), (0, 1, 0x2000), (10**9, 0, 0x2100)]
)
def test_on_windows_a_worker_is_in_a_job_that_limits_and_ends_it(
    most_memory: int, is_set: int, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job whose limits the system refuses is not used."""
    import ctypes

    calls: list[Any] = []

    class Kernel:
        def __init__(self) -> None:
            self.CreateJobObjectW = Mock(return_value=77)

        def SetInformationJobObject(self, job: Any, kind: int, limits: bytes, size: int) -> int:
            calls.append((job.value, kind, int.from_bytes(limits[16:20], "little"), size))
            return is_set

        def AssignProcessToJobObject(self, job: Any, handle: Any) -> None:
            calls.append((job.value, handle.value))

        def CloseHandle(self, job: Any) -> None:
            calls.append(job.value)

    assert process._job_for(5, most_memory) == 0
    monkeypatch.setattr(process.sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "WinDLL", lambda _: Kernel(), raising=False)
    assert process._job_for(5, most_memory) == 77
    assert calls == [(77, 9, flags, 144), (77 if is_set else None, 5)]
    process._close_job(0)
    process._close_job(77)
    assert calls[2:] == [77]
