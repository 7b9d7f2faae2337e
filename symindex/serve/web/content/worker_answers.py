"""Answers that worker processes compute from a text, and that are kept.

A text of a source tree can make a lexer of Pygments or a parser of Markdown run without end, or use
all memory. Here that costs only the answer: workers have limits of time and memory.
"""

import math
import queue
import threading
import time
from collections import OrderedDict
from hashlib import blake2b
from typing import Final, NamedTuple

from symindex.errors import StorageError
from symindex.workers.child import Cause
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import Slot

MOST_WORKERS: Final = 2
"""Most processes of one kind. Further requests wait for one of them."""

WAIT_SECONDS: Final = 5.0
"""How long a request waits for a worker."""

CLOCK: Final = 3
"""The time limit by the clock, as a multiple of the limit of processor time: other processes may
use the processor."""

MOST_KEPT_BYTES: Final = 32_000_000
"""Most bytes of answers to keep. The answer about a text of code takes two thirds of its size."""

_ENTRY_BYTES: Final = 300
"""What an answer takes in memory in addition to its own bytes."""

RETRY_SECONDS: Final = 60.0
"""After how long a text is tried again that a worker has given up: a busy machine may have been the
reason."""

_FAULTS: Final = {
    Cause.OUT_OF_TIME: "took too long",
    Cause.OUT_OF_MEMORY: "needed too much memory",
    Cause.CRASHED: "crashed",
    Cause.KILLED: "was interrupted",
}


class WorkerAnswer(NamedTuple):
    """What a worker answered. fault: why there is no answer, as the end of a sentence; empty if
    there is one."""

    data: bytes
    fault: str = ""


class _Kept(NamedTuple):
    answer: WorkerAnswer
    until: float


class WorkerAnswers:
    """Asks workers, at most two at the same time, and keeps their answers. Any thread may use it.

    module: that of the workers' job, which gives one answer to an order, depending on nothing else.
    seconds: processor time for one answer. Raises RequestError if the user's limit of memory is
    invalid.
    """

    def __init__(self, module: str, seconds: float) -> None:
        job = Job(module, b"", seconds, worker_memory())
        self._slots: list[Slot] = [Slot(job, CLOCK * seconds) for _ in range(MOST_WORKERS)]
        # The slot that was used last has a worker, if any has.
        self._free: queue.LifoQueue[Slot] = queue.LifoQueue()
        for slot in self._slots:
            self._free.put(slot)
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self._kept_bytes = 0

    def ask(self, order: bytes) -> WorkerAnswer:
        """Returns the answer to an order, which may not be empty."""
        key = blake2b(order, digest_size=32).digest()
        if (kept := self._find(key)) is not None:
            return kept
        try:
            slot = self._free.get(timeout=WAIT_SECONDS)
        except queue.Empty:
            return WorkerAnswer(b"", "had to wait for other texts for too long")
        try:
            # Another request may have computed it meanwhile.
            return self._find(key) or self._compute(key, order, slot)
        finally:
            self._free.put(slot)

    def _compute(self, key: bytes, order: bytes, slot: Slot) -> WorkerAnswer:
        try:
            data = b"".join(slot.ask(order))
        except StorageError:
            return WorkerAnswer(b"", "could not be started")
        if slot.exit is None:
            answer = WorkerAnswer(data)
            self._keep(key, answer, math.inf)
            return answer
        answer = WorkerAnswer(b"", _FAULTS[slot.exit.cause])
        if slot.exit.cause is not Cause.KILLED:
            self._keep(key, answer, time.monotonic() + RETRY_SECONDS)
        return answer

    def _find(self, key: bytes) -> WorkerAnswer | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.until < time.monotonic():
                return None
            self._kept.move_to_end(key)
            return kept.answer

    def _keep(self, key: bytes, answer: WorkerAnswer, until: float) -> None:
        """Keeps an answer; drops those that were not asked for the longest if they are too
        large."""
        with self._lock:
            self._kept_bytes -= _size_of(self._kept.pop(key, None))
            self._kept[key] = kept = _Kept(answer, until)
            self._kept_bytes += _size_of(kept)
            while self._kept_bytes > MOST_KEPT_BYTES:
                _, dropped = self._kept.popitem(last=False)
                self._kept_bytes -= _size_of(dropped)

    def close(self) -> None:
        """Ends the workers at once. Later requests get only answers that were kept."""
        for slot in self._slots:
            slot.stop()
        for slot in [self._free.get() for _ in self._slots]:
            slot.close()
            self._free.put(slot)


def _size_of(kept: _Kept | None) -> int:
    return _ENTRY_BYTES + len(kept.answer.data) if kept is not None else 0
