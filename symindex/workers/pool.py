"""The one pool of workers: the only module that starts them.

A pool carries out orders. Each slot has a thread and at most one worker, which is started when there is an order for it and stays
until there are none. A worker answers the tasks of an order in turn, so what it has died of, or hangs on, is the first task
without an answer: that one alone is given up or tried again, and the rest of the order goes to the next worker of the slot.

A slot also serves alone, for whoever has one order at a time.
"""

import math
import os
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, Generic, Self, TypeVar

import msgspec

from symindex.errors import StorageError
from symindex.files.skips import SkipReason, time_limit_words
from symindex.workers.child import Cause, Exit
from symindex.workers.framing import OUT_OF_TIME, Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.process import Process

WAITING: Final = 6 if OUT_OF_TIME else 1
"""By the clock a file may take so many times its limit, which is of the processor's time: others may be using that, or the file
stands on a slow disk."""

MOST_STARTS: Final = 3
"""A worker that is ended before it is ready, perhaps by somebody else, is started so many times."""

TICK_SECONDS: Final = 0.05
"""How often a slot that waits looks whether there is something for it: some orders become due by time alone."""

_Task = TypeVar("_Task")
_Order = TypeVar("_Order", bound="Order")  # type: ignore[type-arg]
_Result = TypeVar("_Result")


class Slot:
    """A place for one worker, which is replaced when it has ended. Used by one thread; any thread may `stop` it.

    answer_seconds: how long each answer may take by the clock. spare: where a worker is taken from, and left.
    most_starts: so many times is a worker started that ends before it is ready.
    exit: how the last worker has ended, where that was instead of answering the last order.
    """

    def __init__(
        self, job: Job, answer_seconds: float = math.inf, spare: "SpareWorker | None" = None, most_starts: int = MOST_STARTS
    ) -> None:
        self.exit: Exit | None = None
        self._job, self._spare, self._most_starts = job, spare, most_starts
        self._answer_seconds = answer_seconds
        self._process: Process | None = None
        self._owes_answers = False
        self._is_stopped = False

    @property
    def is_running(self) -> bool:
        """Whether there is a worker: it has been told all orders since there was none."""
        if self._process is not None and not self._process.is_alive:
            self.close()
        return self._process is not None

    def wait_at_most(self, seconds: float) -> None:
        """How long each answer may take from now on, those among them that are under way."""
        self._answer_seconds = seconds
        process = self._process
        if process is not None:
            process.answer_seconds = seconds

    def ask(self, order: bytes) -> Iterator[bytes]:
        """The answers to an order, as they come; where there are no more because the worker has ended, `exit` says how. Whoever
        leaves before the last one ends the worker. Raises StorageError where none can be started."""
        self.exit = None
        process = self.start()
        self._owes_answers = True
        try:
            yield from process.answers(order)
            self._owes_answers = process.ended
            if process.ended:
                self.exit = process.exit()
        finally:
            if self._owes_answers:
                self.close()

    def start(self) -> Process:
        """Starts a worker where there is none, and waits until it is ready. Raises StorageError."""
        if self._process is not None:
            return self._process
        spare = self._spare.take(self._job) if self._spare is not None else None
        if spare is not None:
            return self._hold(spare)
        for attempt in range(self._most_starts):
            process = self._hold(Process(self._job, self._answer_seconds))
            if process.begin() or self._is_stopped:
                return process
            words = process.exit().words
            self.close(is_told=attempt == self._most_starts - 1)
        raise StorageError(f"{sys.executable}: a worker process ended before it was ready ({words})")

    def _hold(self, process: Process) -> Process:
        self._process = process
        if self._is_stopped:  # too late for `stop` to see it
            process.kill()
        return process

    def stop(self) -> None:
        """Ends the worker, and any that is started later, whatever it is doing; who uses the slot sees that, and closes it."""
        self._is_stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self, is_told: bool = True) -> None:
        """Ends the worker and waits for that. is_told: whether a fault of ours that has ended it is shown."""
        process, self._process, self._owes_answers = self._process, None, False
        if process is not None:
            process.close(is_told)

    def leave(self) -> None:
        """Leaves an idle worker for the next time, where that is wanted; else as `close`."""
        process, is_idle = self._process, not (self._owes_answers or self._is_stopped)
        if process is not None and self._spare is not None and is_idle and self._spare.keep(process, self._job):
            self._process = None
        self.close()


class Order(Generic[_Task]):
    """Tasks that a worker is given together. left: those without an answer, in the order in which they are answered."""

    def __init__(self, tasks: Iterable[_Task]) -> None:
        self.left = deque(tasks)


class Pool(ABC, Generic[_Order, _Result]):
    """Orders in, results out; what they are, a subclass says. Use it as a context manager: leaving it ends its workers, whatever
    they are doing.

    Args:
        job: of each worker.
        n_slots: workers at most.
        answer_seconds, spare: as of `Slot`.
        starts_early: workers are started though there is no order yet.

    changed: told whenever something was handed over or an order is done, and to be told by whoever has more to do.
    hands_over_by_order: results wait for the end of their order.
    """

    hands_over_by_order = False

    def __init__(
        self, job: Job, n_slots: int, answer_seconds: float, spare: "SpareWorker | None" = None, starts_early: bool = False
    ) -> None:
        self.changed = threading.Condition()
        self._starts_early = starts_early
        self._slots = [Slot(job, answer_seconds, spare) for _ in range(n_slots)]
        self._threads = [threading.Thread(target=self._serve, args=(number,), daemon=True) for number in range(n_slots)]
        self._n_serving = n_slots
        self._results: list[_Result] = []
        self._failure: BaseException | None = None
        self._is_stopped = False

    @abstractmethod
    def next_order(self, slot: int) -> _Order | None:
        """What a slot does next, if there is anything now. Called with `changed` held."""

    def is_all_given_out(self) -> bool:
        """Where there is no order now: whether there will be none. Called with `changed` held."""
        return True

    def encode(self, order: _Order) -> bytes:
        """What a worker is told: what is left of an order."""
        return msgspec.msgpack.encode(list(order.left))

    @abstractmethod
    def take(self, order: _Order, answer: bytes) -> list[_Result]:
        """Takes the tasks from an order that an answer answers; what is handed over for that."""

    @abstractmethod
    def lose(self, order: _Order, exit: Exit) -> list[_Result]:
        """A worker has ended at the first task that is left: takes it from the order to give it up, or moves it to try it again;
        what is handed over. Raises StorageError where there is no hope."""

    def finish(self, order: _Order) -> None:
        """Nothing of an order is left."""

    def __enter__(self) -> Self:
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends every worker, whatever it is doing, and waits for that."""
        with self.changed:
            self._is_stopped = True
            self.changed.notify_all()
        for slot in self._slots:
            slot.stop()
        for thread in self._threads:
            if thread.ident is not None:  # else Ctrl-C came before it was started
                thread.join()

    def wait_at_most(self, seconds: float) -> None:
        """How long each answer may take from now on."""
        for slot in self._slots:
            slot.wait_at_most(seconds)

    @property
    def is_over(self) -> bool:
        """Whether nothing is done any more: all is done, or this was stopped, or a slot has failed."""
        return self._is_stopped or not self._n_serving or self._failure is not None

    def check(self) -> None:
        """Raises what has ended a slot, as StorageError where no worker could be started."""
        if self._failure is not None:
            raise self._failure

    def results(self, tick_seconds: float) -> Iterator[list[_Result]]:
        """What is handed over, until all is done; and nothing now and then, so that who waits can look at something else. Raises
        as `check`."""
        is_over = False
        while not is_over:
            with self.changed:
                # With a timeout also because a wait without one cannot be interrupted by Ctrl-C on every system.
                self.changed.wait_for(lambda: self._results or self.is_over, tick_seconds)
                results, self._results = self._results, []
                is_over = self.is_over
            self.check()
            yield results

    def _serve(self, number: int) -> None:
        slot = self._slots[number]
        try:
            if self._starts_early:
                slot.start()
            while (order := self._wait_for_order(number)) is not None:
                self._carry_out(order, slot)
        except BaseException as error:  # raised in the thread that waits for results
            self._failure = self._failure or error
        finally:
            slot.leave()
            with self.changed:
                self._n_serving -= 1
                self.changed.notify_all()

    def _wait_for_order(self, number: int) -> _Order | None:
        with self.changed:
            while not self.is_over:
                order = self.next_order(number)
                if order is not None or self.is_all_given_out():
                    return order
                self.changed.wait(TICK_SECONDS)
        return None

    def _carry_out(self, order: _Order, slot: Slot) -> None:
        results: list[_Result] = []
        while order.left:
            for answer in slot.ask(self.encode(order)):
                results += self.take(order, answer)
                if results and not self.hands_over_by_order:
                    self._hand_over(results)
                    results = []
            if self._is_stopped:
                return
            if order.left:
                assert slot.exit is not None, "a worker has left tasks without an answer"
                self._hand_over(results + self.lose(order, slot.exit))
                results = []
        self.finish(order)
        self._hand_over(results)

    def _hand_over(self, results: list[_Result]) -> None:
        with self.changed:
            self._results += results
            self.changed.notify_all()


class SpareWorker:
    """Keeps one idle worker between pools, for whoever reads a file now and then: starting one takes longer than reading most
    files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._job: Job | None = None

    def take(self, job: Job) -> Process | None:
        """The worker, if there is one and it was started for the same job."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and (self._job != job or not process.shows_itself()):
            process.close()
            return None
        return process

    def keep(self, process: Process, job: Job) -> bool:
        """Takes charge of an idle worker; `False` if there is one already."""
        with self._lock:
            if self._process is not None or not process.is_alive:
                return False
            self._process, self._job = process, job
            return True

    def close(self) -> None:
        """Ends the worker."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()


def skip_of(exit: Exit, file_seconds: float) -> tuple[SkipReason, str]:
    """What is said of a file that a worker has ended at: why it was left out, and more of that."""
    if exit.cause is Cause.OUT_OF_TIME:
        return SkipReason.TIME_LIMIT, time_limit_words(file_seconds)
    if exit.cause is Cause.OUT_OF_MEMORY:
        return SkipReason.MEMORY, f"{worker_memory() // 1_000_000:,} MB"
    return (SkipReason.KILLED, "") if exit.cause is Cause.KILLED else (SkipReason.CRASHED, exit.words)


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
