"""The one pool of workers: the only module that starts them.

A pool carries out orders. Each slot has a thread and at most one worker, started for the first
order and kept until there are no more. A worker answers the tasks of an order in turn. So the task
that makes it crash or hang is the first one without an answer. That task alone is given up or tried
again; the rest of the order goes to the next worker of the slot.

A slot can also be used directly, for one order at a time.
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
"""How many times its limit a file may take by the clock. The limit is of processor time: other
processes may use the processor, and the file may be on a slow disk."""

LEAST_FILE_SECONDS: Final = 2.0
"""How many seconds a file may take however little time there is in all: the first one of a language
waits for its grammar."""

MOST_STARTS: Final = 3
"""How many times to start a worker that ends before it is ready; it may have been killed from
outside."""

TICK_SECONDS: Final = 0.05
"""How often a slot without an order asks for one again, in seconds: some orders become due by time
alone."""

_Task = TypeVar("_Task")
_Order = TypeVar("_Order", bound="Order")  # type: ignore[type-arg]
_Result = TypeVar("_Result")


class Slot:
    """A place for one worker, which is replaced when it has ended. One thread uses it; any thread
    may `stop` it.

    answer_seconds: how long each answer may take by the clock. spare: supplies a worker, and keeps
    an idle one. most_starts: how many times to start a worker that ends before it is ready. exit:
    how the worker has ended, if it did so before answering all of the last order.
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
        """Whether there is a worker. It has then received all orders since `is_running` was last
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
        """Sends an order and yields its answers as they come. If the worker ends before the last
        one, `exit` says how. Leaving the iterator before the last answer ends the worker. Raises
        StorageError if no worker can be started."""
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
        """Starts a worker if there is none, and waits until it is ready. Raises StorageError."""
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
        if self._is_stopped:  # `stop` was called too early to see it
            process.kill()
        return process

    def stop(self) -> None:
        """Ends the worker and any that is started later, whatever it is doing. The thread that uses
        the slot must `close` it."""
        self._is_stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self, shows_fault: bool = True) -> None:
        """Ends the worker and waits for its end. shows_fault: as in `Process.close`."""
        process, self._process, self._owes_answers = self._process, None, False
        if process is not None:
            process.close(shows_fault)

    def leave(self) -> None:
        """Leaves an idle worker to `spare` if that accepts it; else closes it."""
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
        self.left: deque[_Task] = deque(tasks)


BATCH_TASKS: Final = 64


def cut_batches(tasks: Iterable[tuple[_Task, int]], most_bytes: int) -> deque[list[_Task]]:
    """Cuts tasks, each given with its size, into batches of at most `most_bytes`, or of a single
    task."""
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
        n_slots: the most workers.
        answer_seconds, spare: as in `Slot`.

    changed: notified when there are results or a slot has finished; notify it when there are more
    orders. hands_over_by_order: whether results are handed over at the end of their order.
    starts_early: whether workers start before there is an order.
    """

    hands_over_by_order = starts_early = False

    def __init__(
        self,
        job: Job,
        n_slots: int,
        answer_seconds: float,
        spare: "SpareWorker | None" = None,
    ) -> None:
        self.changed: threading.Condition = threading.Condition()
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
        """Returns the next order for a slot, if there is one now. Called with `changed` held."""

    def is_all_given_out(self) -> bool:
        """Whether no order will follow, when there is none now. Called with `changed` held."""
        return True

    @abstractmethod
    def encode(self, order: _Order) -> bytes:
        """Encodes an order, or the rest of it, for a worker."""

    @abstractmethod
    def take(self, order: _Order, answer: bytes) -> list[_Result]:
        """Removes the tasks that an answer is for from an order; returns their results."""

    @abstractmethod
    def lose(self, order: _Order, exit: Exit) -> list[_Result]:
        """Called when a worker has ended at the first remaining task: removes the task from the
        order to give it up, or moves it to the end to try it again; returns results. Raises
        StorageError to fail the pool."""

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
        """Ends all workers, whatever they are doing, and waits until they have ended."""
        with self.changed:
            self._is_stopped = True
            self.changed.notify_all()
        for slot in self._slots:
            slot.stop()
        for thread in self._threads:
            if thread.ident is not None:  # otherwise Ctrl-C came before it was started
                thread.join()

    def wait_at_most(self, seconds: float) -> None:
        """Sets `answer_seconds` of all slots."""
        for slot in self._slots:
            slot.wait_at_most(seconds)

    @property
    def is_over(self) -> bool:
        """Whether all work is done, the pool was stopped, or a slot has failed."""
        return self._is_stopped or not self._n_serving or self._failure is not None

    def check(self) -> None:
        """Raises the error of a slot that has failed: StorageError if no worker could be
        started."""
        if self._failure is not None:
            raise self._failure

    def results(self, tick_seconds: float) -> Iterator[list[_Result]]:
        """Yields the results as they come, until all work is done; an empty list every
        `tick_seconds`, so that the caller can check other things. Raises like `check`."""
        is_over = False
        while not is_over:
            with self.changed:
                # The timeout is also needed because on some systems Ctrl-C cannot interrupt a wait
                # without one.
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
    """Keeps one idle worker between pools, for files that are read now and then: starting a worker
    takes longer than most files."""

    def __init__(self, ahead: Job | None = None) -> None:
        """ahead: the module and the memory limit of the first job, as far as they are known. That
        worker starts at once and loads the module meanwhile. Raises StorageError if none can be
        started."""
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._has_begun = ahead is None
        if ahead is not None:
            self._process = Process(ahead, math.inf)

    def take(self, job: Job) -> Process | None:
        """Hands over the worker, if there is one, it was started for the same job, and it still
        answers."""
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
        """Accepts an idle worker; returns `False` if there is one already."""
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
    """Returns why a file is left out at which a worker has ended, and the detail."""
    if exit.cause is Cause.OUT_OF_TIME:
        return SkipReason.TIME_LIMIT, time_limit_words(file_seconds)
    if exit.cause is Cause.OUT_OF_MEMORY:
        return SkipReason.MEMORY, f"{worker_memory() // 1_000_000:,} MB"
    return (
        (SkipReason.KILLED, "") if exit.cause is Cause.KILLED else (SkipReason.CRASHED, exit.words)
    )
