"""Workers that are forked: what they need is prepared once, and they end as others do, for the same causes."""

import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest

from symindex.extract.records import FileSymbols, ReadTask
from symindex.workers import parsing, template
from symindex.workers.child import Cause, Exit
from symindex.workers.pool import Slot, SpareWorker
from symindex.workers.template import ForkedProcess, Template
from tests.support.command import started
from tests.support.files import write_files
from tests.support.processes import processes_named, wait_for_ends
from tests.support.waiting import until
from tests.workers.test_orders import ENDS, JOB, Words, encoded

pytestmark = [
    pytest.mark.own_workers,
    pytest.mark.skipif(not template.can_fork_workers(), reason="this system cannot fork workers"),
]

PREPARE = encoded("prepare")


class Prepared(Words):
    """Orders that need something."""

    def __init__(self, orders: list[list[str]], n_slots: int, prepare: bytes = PREPARE) -> None:
        super().__init__(orders, n_slots)
        self._template = Template(JOB)
        self.needs = prepare
        for slot in self._slots:
            slot._template = self._template

    def next_order(self, slot: int):  # type: ignore[no-untyped-def]
        order = super().next_order(slot)
        if order is not None:
            order.prepare = self.needs
        return order


def template_of(pool: Words) -> int:
    """The number of the process that forks a pool's workers."""
    assert pool._template is not None and pool._template._process is not None
    return pool._template._process._process.pid


def test_what_all_workers_need_is_prepared_once() -> None:
    pool = Prepared([["prepared", "pid", "wait"]] * 3, n_slots=3)
    pool.wait_at_most(2.0)
    found = pool.all()
    workers = {pid for word, pid in found if word == "pid"}
    assert len(workers) == 3
    assert [pid for word, pid in found if word == "prepared"] == [str(template_of(pool))] * 3
    assert str(template_of(pool)) not in workers


def test_a_worker_that_lacks_something_gives_way_to_one_that_has_it() -> None:
    forks = Template(JOB)
    slot = Slot(JOB, 60.0, template=forks)
    assert list(slot.ask(encoded("prepared"))) == [b"nothing"]
    (first,) = slot.ask(encoded("pid"))
    (prepared, second) = slot.ask(encoded("prepared", "pid"), PREPARE)
    assert prepared != b"nothing" and second != first
    assert list(slot.ask(encoded("pid"), PREPARE)) == list(slot.ask(encoded("pid"))) == [second]
    slot.close()
    forks.close()


@pytest.mark.parametrize(("word", "cause"), ENDS)
def test_a_forked_worker_ends_as_others_do(word: str, cause: Cause) -> None:
    pool = Prepared([["one", word, "two"]], n_slots=1)
    assert pool.all() == [("one", "one"), (word, cause.name), ("two", "two")]
    assert pool._template is not None and pool._template.prepared == {PREPARE}


def test_a_forked_worker_has_the_limits_of_its_job() -> None:
    quick = JOB.__class__(JOB.module, b"", processor_seconds=0.3, most_memory=JOB.most_memory)
    forks = Template(quick)
    slot = Slot(quick, 60.0, template=forks)
    began = time.monotonic()
    assert list(slot.ask(encoded("one", "compute"), PREPARE)) == [b"one"]
    assert slot.exit is not None and slot.exit.cause is Cause.OUT_OF_TIME and time.monotonic() - began < 30
    process = slot.start()
    assert isinstance(process, ForkedProcess)
    limits = Path(f"/proc/{process._process.pid}/limits").read_text()
    assert f"Max address space         {JOB.most_memory} " in limits
    slot.close()
    assert process.peak_bytes > 1_000_000
    forks.close()


def test_a_killed_template_is_survived() -> None:
    """What it has forked is lost with it, like what somebody has killed; others are started."""
    forks = Template(JOB)
    slot = Slot(JOB, 60.0, template=forks)
    (pid,) = slot.ask(encoded("pid"), PREPARE)
    assert forks._process is not None
    os.kill(forks._process._process.pid, signal.SIGKILL)
    until(lambda: not slot.is_running, "the worker's end")
    wait_for_ends([int(pid)])
    assert list(slot.ask(encoded("one", "prepared"), PREPARE)) == [b"one", b"nothing"]
    assert not forks.is_usable and not isinstance(slot.start(), ForkedProcess)
    slot.close()
    forks.close()


def test_a_template_that_is_killed_in_mid_answer_is_no_fault_of_the_task() -> None:
    forks = Template(JOB)
    slot = Slot(JOB, 60.0, template=forks)
    for answer in slot.ask(encoded("one", "wait"), PREPARE):
        assert answer == b"one" and forks._process is not None
        os.kill(forks._process._process.pid, signal.SIGKILL)
        slot.stop()
    assert slot.exit == Exit(Cause.KILLED, "signal 9")
    slot.close()
    forks.close()


@pytest.mark.parametrize("word", ["segv", "exit", "wait"])
def test_a_template_that_ends_or_hangs_while_it_prepares_is_given_up(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "PREPARE_SECONDS", 0.3)
    pool = Prepared([["one"], ["two"]], n_slots=2, prepare=encoded(word))
    assert sorted(pool.all()) == [("one", "one"), ("two", "two")]
    assert pool._template is not None and not pool._template.is_usable


def test_what_cannot_be_prepared_is_left_to_the_workers() -> None:
    pool = Prepared([["one"]], n_slots=1, prepare=b"no order")
    assert pool.all() == [("one", "one")]
    assert pool._template is not None and pool._template.prepared


def test_a_process_with_threads_does_not_fork() -> None:
    """A child would have the locks of threads that it does not have."""
    pool = Prepared([["one"], ["prepared"]], n_slots=1, prepare=encoded("prepare", "thread"))
    assert pool.all() == [("one", "one"), ("prepared", "nothing")]
    assert pool._template is not None and not pool._template.is_usable


def test_a_forked_worker_does_not_stay_when_its_pool_is_left() -> None:
    """Its template ends, and with it the only process that can tell how a worker ends."""
    spare = SpareWorker()
    pool = Prepared([["one"]], n_slots=1)
    for slot in pool._slots:
        slot._spare = spare
    assert pool.all() == [("one", "one")]
    assert spare._process is None


def test_leaving_ends_a_template_that_prepares() -> None:
    began = time.monotonic()
    with Prepared([["one"]], n_slots=1, prepare=encoded("wait")) as pool:
        until(lambda: pool._template is not None and pool._template._has_begun, "the template")
    assert time.monotonic() - began < template.PREPARE_SECONDS / 2
    assert not any(thread.is_alive() for thread in pool._threads)


@pytest.mark.slow
def test_forked_workers_die_with_the_process_that_wants_them() -> None:
    script = """
        from tests.workers.test_template import Prepared
        with Prepared([["wait"], ["wait"]], n_slots=2) as pool:
            for some in pool.results(0.1):
                pass
    """
    with started([sys.executable, "-c", textwrap.dedent(script)]) as parent:
        until(lambda: len(processes_named(parent.pid, "word_job")) == 3, "a template and two workers")
        running = processes_named(parent.pid, "word_job")
        parent.kill()
    wait_for_ends(running, 10)


def read_tree(root: Path, n_workers: int) -> list[FileSymbols]:
    tasks = [(ReadTask(path.name), path.stat().st_size) for path in sorted(root.iterdir())]
    return parsing.read_files(root, tasks, max_file_bytes=1_000_000, file_seconds=10.0, n_workers=n_workers)


def test_files_of_a_language_for_which_workers_are_forked_have_the_same_symbols(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A template is asked for where workers will share a language, and for one that is read by a single worker it is not."""
    files = {f"f{number}.py": f"def f{number}(): pass\n" for number in range(200)} | {"g.go": "package g\nfunc G() {}\n"}
    root = write_files(tmp_path, files)
    asked: list[bytes] = []
    fork = Template.fork

    def note(self: Template, answer_seconds: float, order: bytes) -> ForkedProcess | None:
        asked.append(order)
        return fork(self, answer_seconds, order)

    monkeypatch.setattr(Template, "fork", note)
    shared = read_tree(root, 2)
    needs = {order for order in asked if order}
    assert len(needs) == 1 and b"python" in needs.pop()
    del asked[:]
    assert shared == read_tree(root, 1) and not asked
    monkeypatch.setattr(template, "can_fork_workers", lambda: False)
    assert shared == read_tree(root, 2)
