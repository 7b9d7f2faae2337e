"""The one pool of workers: the only module that starts them.

A pool carries out orders. Each slot has a thread and at most one worker, started for the first
order and kept until there are no more. A worker answers the tasks of an order in turn. So what it
has died of, or hangs on, is the first task without an answer. That task alone is given up or tried
again; the rest of the order goes to the next worker of the slot.

A slot is also used directly, where there is one order at a time.
"""

import math
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, Generic, Self, TypeVar

from symindex.errors import StorageError
from symindex.files.skips import SkipReason, time_limit_words
from symindex.workers.child import Cause, Exit
from symindex.workers.framing import OUT_OF_TIME, Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.process import Process

WAITING: Final = 6 if OUT_OF_TIME else 1
"""A file may take so many times its limit by the clock. The limit is of the processor's time, which
others may be using, and the file may be on a slow disk."""

LEAST_FILE_SECONDS: Final = 2.0
"""A file may take this long however little time there is in all: the first one of a language waits
for its grammar."""

MOST_STARTS: Final = 3
"""How many times a worker is started that ends before it is ready; it may have been killed from
outside."""

TICK_SECONDS: Final = 0.05
"""How often a slot without an order asks for one again: some become due by time alone."""

_Task = TypeVar("_Task")
_Order = TypeVar("_Order", bound="Order")  # type: ignore[type-arg]
_Result = TypeVar("_Result")


class Slot:
    """A place for one worker, which is replaced when it has ended. Used by one thread; any thread
    may `stop` it.

    answer_seconds: how long each answer may take by the clock. spare: where a worker is taken from,
    and left. most_starts: how many times a worker is started that ends before it is ready. exit:
    how the worker has ended, where it did so before answering all of the last order.
    """

    def __init__(
        self,
        job: Job,
        answer_seconds: float = math.inf,
        spare: "SpareWorker | None" = None,
        most_starts: int = MOST_STARTS,
    ) -> None:
        self.exit: Exit | None = None
        self._job, self._spare, self._most_starts = job, spare, most_starts
        self._answer_seconds = answer_seconds
        self._process: Process | None = None
        self._owes_answers = False
        self._is_stopped = False

    @property
    def is_running(self) -> bool:
        """Whether there is a worker; it has then had all orders since `is_running` was last
        `False`."""
        if self._process is not None and not self._process.is_alive:
            self.close()
        return self._process is not None

    def wait_at_most(self, seconds: float) -> None:
        """Sets `answer_seconds`, also for an answer that is being waited for."""
        self._answer_seconds = seconds
        process = self._process
        if process is not None:
            process.answer_seconds = seconds

    def ask(self, order: bytes) -> Iterator[bytes]:
        """The answers to an order, as they come. Where the worker ends before the last one, `exit`
        says how. Leaving the iterator before the last answer ends the worker. Raises StorageError
        where no worker can be started."""
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
            spare.answer_seconds = self._answer_seconds
            return self._hold(spare)
        for attempt in range(self._most_starts):
            process = self._hold(Process(self._job, self._answer_seconds))
            if process.begin() or self._is_stopped:
                return process
            words = process.exit().words
            self.close(shows_fault=attempt == self._most_starts - 1)
        raise StorageError(
            f"{sys.executable}: a worker process ended before it was ready ({words})"
        )

    def _hold(self, process: Process) -> Process:
        self._process = process
        if self._is_stopped:  # too late for `stop` to see it
            process.kill()
        return process

    def stop(self) -> None:
        """Ends the worker, and any that is started later, whatever it is doing. The thread that
        uses the slot `close`s it."""
        self._is_stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self, shows_fault: bool = True) -> None:
        """Ends the worker and waits for its end. shows_fault: as of `Process.close`."""
        process, self._process, self._owes_answers = self._process, None, False
        if process is not None:
            process.close(shows_fault)

    def leave(self) -> None:
        """Leaves an idle worker to `spare`, if that takes one; else closes it."""
        process, is_idle = self._process, not (self._owes_answers or self._is_stopped)
        if (
            process is not None
            and self._spare is not None
            and is_idle
            and self._spare.keep(process)
        ):
            self._process = None
        self.close()


class Order(Generic[_Task]):
    """Tasks that are sent to a worker together. left: those without an answer, in the order of the
    answers."""

    def __init__(self, tasks: Iterable[_Task]) -> None:
        self.left = deque(tasks)


BATCH_TASKS: Final = 64


def cut_batches(tasks: Iterable[tuple[_Task, int]], most_bytes: int) -> deque[list[_Task]]:
    """Tasks, each given with its size, in batches of at most so many bytes or a single task."""
    batches: deque[list[_Task]] = deque()
    size = 0
    for task, n_bytes in tasks:
        if not batches or size + n_bytes > most_bytes or len(batches[-1]) >= BATCH_TASKS:
            batches.append([])
            size = 0
        batches[-1].append(task)
        size += n_bytes
    return batches


class Pool(ABC, Generic[_Order, _Result]):
    """Orders in, results out; a subclass defines both. Use it as a context manager: leaving it ends
    its workers, whatever they are doing.

    Args:
        n_slots: how many workers at most.
        answer_seconds, spare: as of `Slot`.

    changed: notified when there are results or a slot has finished; to be notified when there are
    more orders. hands_over_by_order: results are handed over at the end of their order.
    starts_early: workers are started before there is an order.
    """

    hands_over_by_order = starts_early = False

    def __init__(
        self,
        job: Job,
        n_slots: int,
        answer_seconds: float,
        spare: "SpareWorker | None" = None,
    ) -> None:
        self.changed = threading.Condition()
        self._slots = [Slot(job, answer_seconds, spare) for _ in range(n_slots)]
        self._threads = [
            threading.Thread(target=self._serve, args=(number,), daemon=True)
            for number in range(n_slots)
        ]
        self._n_serving = n_slots
        self._results: list[_Result] = []
        self._failure: BaseException | None = None
        self._is_stopped = False

    @abstractmethod
    def next_order(self, slot: int) -> _Order | None:
        """The next order for a slot, if there is one now. Called with `changed` held."""

    def is_all_given_out(self) -> bool:
        """Where there is no order now: whether none will follow. Called with `changed` held."""
        return True

    @abstractmethod
    def encode(self, order: _Order) -> bytes:
        """An order, or what is left of it, as it is sent to a worker."""

    @abstractmethod
    def take(self, order: _Order, answer: bytes) -> list[_Result]:
        """Removes the tasks from an order that an answer is for; returns their results."""

    @abstractmethod
    def lose(self, order: _Order, exit: Exit) -> list[_Result]:
        """Called when a worker has ended at the first task that is left: removes it from the order
        to give it up, or moves it to its end to try it again; returns results. Raises StorageError
        to fail the pool."""

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
        """Ends all workers, whatever they are doing, and waits for that."""
        with self.changed:
            self._is_stopped = True
            self.changed.notify_all()
        for slot in self._slots:
            slot.stop()
        for thread in self._threads:
            if thread.ident is not None:  # else Ctrl-C came before it was started
                thread.join()

    def wait_at_most(self, seconds: float) -> None:
        """As of `Slot`."""
        for slot in self._slots:
            slot.wait_at_most(seconds)

    @property
    def is_over(self) -> bool:
        """Whether all is done, or the pool was stopped, or a slot has failed."""
        return self._is_stopped or not self._n_serving or self._failure is not None

    def check(self) -> None:
        """Raises the error of a slot that has failed: StorageError where no worker could be
        started."""
        if self._failure is not None:
            raise self._failure

    def results(self, tick_seconds: float) -> Iterator[list[_Result]]:
        """The results as they come, until all is done; an empty list every `tick_seconds`, so that
        the caller can check other things. Raises as `check`."""
        is_over = False
        while not is_over:
            with self.changed:
                # With a timeout also because a wait without one cannot be interrupted by Ctrl-C on
                # every system.
                self.changed.wait_for(lambda: self._results or self.is_over, tick_seconds)
                results, self._results = self._results, []
                is_over = self.is_over
            self.check()
            yield results

    def _serve(self, number: int) -> None:
        slot = self._slots[number]
        try:
            if self.starts_early:
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
        self._hand_over(results)

    def _hand_over(self, results: list[_Result]) -> None:
        with self.changed:
            self._results += results
            self.changed.notify_all()


class SpareWorker:
    """Keeps one idle worker between pools, where a file is read now and then: starting a worker
    takes longer than most files."""

    def __init__(self, ahead: Job | None = None) -> None:
        """ahead: what is known of the job for which the first worker will be taken: its module and
        its limit of memory. That worker is started at once, and loads the module meanwhile. Raises
        StorageError where none can be started."""
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._has_begun = ahead is None
        if ahead is not None:
            self._process = Process(ahead, math.inf)

    def take(self, job: Job) -> Process | None:
        """The worker, if there is one, it was started for the same job, and it still answers."""
        with self._lock:
            process, self._process = self._process, None
            has_begun, self._has_begun = self._has_begun, True
        if process is None:
            return None
        is_ready = (
            process.job == job and process.responds()
            if has_begun
            else process.takes(job) and process.begin()
        )
        if not is_ready:
            process.close()
            return None
        return process

    def keep(self, process: Process) -> bool:
        """Takes charge of an idle worker; `False` if there is one already."""
        with self._lock:
            if self._process is not None or not process.is_alive:
                return False
            self._process = process
            return True

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()


def skip_of(exit: Exit, file_seconds: float) -> tuple[SkipReason, str]:
    """Why a file at which a worker has ended is left out, and the detail of that."""
    if exit.cause is Cause.OUT_OF_TIME:
        return SkipReason.TIME_LIMIT, time_limit_words(file_seconds)
    if exit.cause is Cause.OUT_OF_MEMORY:
        return SkipReason.MEMORY, f"{worker_memory() // 1_000_000:,} MB"
    return (
        (SkipReason.KILLED, "") if exit.cause is Cause.KILLED else (SkipReason.CRASHED, exit.words)
    )
