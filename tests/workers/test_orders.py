"""The pool itself, with a job for tests: what happens to orders when workers end, hang, or are
abandoned."""

import os
import subprocess
import sys
import textwrap
import time
from collections import deque
from collections.abc import Iterable

import msgspec
import pytest

from symindex.errors import StorageError
from symindex.workers import pool as pool_module
from symindex.workers.child import Cause, Exit
from symindex.workers.framing import OUT_OF_TIME, Job, read_frame, write_frame
from symindex.workers.pool import MOST_STARTS, Order, Pool, Slot, SpareWorker
from symindex.workers.process import Process
from tests.support.command import started
from tests.support.waiting import until
from tests.workers.word_job import WORK_SECONDS

pytestmark = pytest.mark.own_workers

MODULE = "tests.workers.word_job"
JOB = Job(MODULE, b"", processor_seconds=30.0, most_memory=500_000_000)


class Words(Pool[Order[str], tuple[str, str]]):
    """A pool that answers each word with a word, or with the reason for having none."""

    def __init__(
        self,
        orders: Iterable[list[str]],
        n_slots: int = 1,
        seconds: float = 60.0,
        job: Job = JOB,
        spare: SpareWorker | None = None,
    ) -> None:
        super().__init__(job, n_slots, seconds, spare)
        self.orders = deque(orders)
        self.more_will_come = False

    def next_order(self, slot: int) -> Order[str] | None:
        return Order(self.orders.popleft()) if self.orders else None

    def is_all_given_out(self) -> bool:
        return not self.more_will_come

    def encode(self, order: Order[str]) -> bytes:
        return encoded(*order.left)

    def take(self, order: Order[str], answer: bytes) -> list[tuple[str, str]]:
        return [(order.left.popleft(), answer.decode())]

    def lose(self, order: Order[str], exit: Exit) -> list[tuple[str, str]]:
        return [(order.left.popleft(), exit.cause.name)]

    def all(self) -> list[tuple[str, str]]:
        with self:
            return [result for some in self.results(1.0) for result in some]


def encoded(*words: str) -> bytes:
    return msgspec.msgpack.encode(words)


ENDS = [
    ("segv", Cause.CRASHED),
    ("exit", Cause.CRASHED),
    ("term", Cause.KILLED),
    ("kill", Cause.KILLED),
    ("memory", Cause.OUT_OF_MEMORY),
]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("word", "cause"), ENDS)
def test_what_ends_a_worker_is_the_first_task_without_an_answer(word: str, cause: Cause) -> None:
    """Only this task is blamed, for the right reason, and the next worker does the rest of its
    order."""
    results = Words([["one", "two", word, "three"], ["four"]]).all()
    assert results == [
        ("one", "one"),
        ("two", "two"),
        (word, cause.name),
        ("three", "three"),
        ("four", "four"),
    ]


@pytest.mark.nightly
def test_several_ends_in_one_order_are_each_reported() -> None:
    assert Words([["segv", "term", "one", "segv"]]).all() == [
        ("segv", "CRASHED"),
        ("term", "KILLED"),
        ("one", "one"),
        ("segv", "CRASHED"),
    ]


@pytest.mark.nightly
def test_what_is_waited_for_too_long_is_ended_by_the_clock() -> None:
    """The worker computes nothing, so no limit of processor time ends it."""
    began = time.monotonic()
    assert Words([["one", "wait", "two"]], seconds=0.5).all() == [
        ("one", "one"),
        ("wait", "OUT_OF_TIME"),
        ("two", "two"),
    ]
    assert time.monotonic() < began + 60


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(
    not OUT_OF_TIME, reason="this system does not count the processor time of a process"
)
def test_what_computes_too_long_is_ended_by_the_system() -> None:
    """The system ends it long before the clock would, and the limit applies to one answer, not to a
    whole order."""
    job = msgspec.structs.replace(JOB, processor_seconds=2 * WORK_SECONDS)
    results = Words([["work"] * 4, ["one", "compute", "two"]], job=job).all()
    assert results == [("work", "work")] * 4 + [
        ("one", "one"),
        ("compute", "OUT_OF_TIME"),
        ("two", "two"),
    ]


def test_a_time_limit_can_change_while_the_answer_is_awaited() -> None:
    with Words([["wait"]]) as words:
        until(lambda: words._slots[0]._owes_answers, "the order")
        words.wait_at_most(0.1)
        assert [result for some in words.results(1.0) for result in some] == [
            ("wait", "OUT_OF_TIME")
        ]


def test_a_worker_that_was_late_and_answered_is_not_late_for_the_next_order() -> None:
    """The clock may find the worker late just as it answers, when the next order has not used any
    time yet."""
    slot = Slot(JOB, 60.0)
    assert list(slot.ask(encoded("one"))) == [b"one"]
    process = slot.start()
    process._late_since = 1.0
    process.kill()
    assert list(slot.ask(encoded("two"))) == []
    assert slot.exit == Exit(Cause.KILLED, "signal 9")


@pytest.mark.nightly
@pytest.mark.slow
def test_all_slots_work_and_share_no_worker() -> None:
    results = Words([["pid", "wait"]] * 3, n_slots=3, seconds=2.0).all()
    assert len({pid for word, pid in results if word == "pid"}) == 3


def test_orders_may_come_late() -> None:
    """The slots wait while no work is available but more will come."""
    with Words([["one"]], n_slots=2) as words:
        words.more_will_come = True
        results = [
            result for _, some in zip(range(3), words.results(0.1), strict=False) for result in some
        ]
        with words.changed:
            words.orders.append(["two"])
            words.more_will_come = False
            words.changed.notify_all()
        results += [result for some in words.results(0.1) for result in some]
    assert results == [("one", "one"), ("two", "two")]


def test_leaving_ends_what_hangs() -> None:
    with Words([["wait"], ["wait"]], n_slots=2) as words:
        until(lambda: all(slot._owes_answers for slot in words._slots), "both orders")
        processes = [slot.start()._process for slot in words._slots]
    assert [process.returncode for process in processes] == [-9, -9]
    assert not any(thread.is_alive() for thread in words._threads)


def test_a_fault_of_ours_is_raised_where_results_are_waited_for() -> None:
    class Faulty(Words):
        def take(self, order: Order[str], answer: bytes) -> list[tuple[str, str]]:
            raise ZeroDivisionError

    spare = SpareWorker()
    with pytest.raises(ZeroDivisionError):
        Faulty([["one", "two"]], spare=spare).all()
    assert spare._process is None  # it would give the remaining answer to the next user


@pytest.mark.nightly
def test_a_worker_that_cannot_start_is_retried_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Process] = []
    begin = Process.begin
    monkeypatch.setattr(Process, "begin", lambda self: (started.append(self), begin(self))[1])
    with pytest.raises(
        StorageError, match=r"a worker process ended before it was ready \(exit code 3\)"
    ):
        Words([["one"]], job=Job(MODULE, b"broken")).all()
    assert len(started) == MOST_STARTS


def test_a_spare_worker_is_taken_for_the_same_job_only() -> None:
    """The worker of another job would answer for that job."""
    spare = SpareWorker()
    ((_, first),) = Words([["pid"]], spare=spare).all()
    ((_, same),) = Words([["pid"]], spare=spare).all()
    assert same == first
    ((_, other),) = Words(
        [["pid"]], job=msgspec.structs.replace(JOB, setup=b"other"), spare=spare
    ).all()
    assert other != first
    spare.close()


def test_a_slot_is_left_in_the_middle_of_an_answer() -> None:
    """Its worker would continue with answers that nobody reads, so the next order gets another
    worker."""
    slot = Slot(JOB)
    for answer in slot.ask(encoded("pid", "two", "three")):
        first = answer
        break
    assert list(slot.ask(encoded("pid"))) not in ([first], [])
    slot.close()


def test_whether_a_slot_has_the_worker_that_was_told_everything() -> None:
    slot = Slot(JOB)
    assert not slot.is_running
    (pid,) = slot.ask(encoded("pid"))
    assert slot.is_running
    os.kill(int(pid), 9)
    until(lambda: not slot.is_running, "its end to be seen")
    assert list(slot.ask(encoded("one"))) == [b"one"] and slot.exit is None
    slot.close()


def test_a_slot_that_was_stopped_keeps_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even if the stop came while the worker was starting and not yet visible."""
    slot = Slot(JOB)
    started: list[Process] = []

    def start_late(*arguments: object) -> Process:
        process = Process(*arguments)  # type: ignore[arg-type]
        slot.stop()
        started.append(process)
        return process

    monkeypatch.setattr(pool_module, "Process", start_late)
    assert list(slot.ask(encoded("one"))) == []
    assert slot.exit is not None and slot.exit.cause is Cause.KILLED
    assert not started[0].is_alive


def test_the_watchdog_sleeps_while_nothing_is_awaited() -> None:
    """A server without work does not wake up."""
    from symindex.workers.watchdog import WATCHDOG

    slot = Slot(JOB)
    list(slot.ask(encoded("one")))
    until(lambda: not WATCHDOG._has_work.is_set(), "the watchdog's sleep")
    slot.close()


def test_a_worker_ends_with_its_input_if_the_system_cannot_notify_it() -> None:
    """On macOS, for example, the worker then ends in the middle of its work, since nobody waits for
    it."""
    script = f"""
        import sys
        sys.path.insert(0, {str(pool_module.__file__).rpartition("/symindex/")[0]!r})
        from symindex.workers import worker
        worker.CAN_SIGNAL_END = False
        worker.main()
    """
    command = [sys.executable, "-c", textwrap.dedent(script), "-1", "0", MODULE]
    with started(command, stdin=subprocess.PIPE, text=False) as process:
        assert process.stdin is not None and process.stdout is not None
        write_frame(process.stdin, msgspec.msgpack.encode(JOB))
        write_frame(process.stdin, encoded("one", "wait"))
        assert [read_frame(process.stdout), read_frame(process.stdout)] == [b"", b"one"]
        process.stdin.close()
        assert process.wait(30) == 0


def test_lists_of_processes_show_the_jobs_of_workers() -> None:
    slot = Slot(JOB)
    command = slot.start()._process.args
    slot.close()
    assert isinstance(command, list) and command[-1] == MODULE
