"""Where a name is mentioned in many files: the caller's side of `explore/mention_job`.

Files are given out in batches, in their order, and what was found comes in that order too, so that who has enough may leave.
"""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from symindex.errors import StorageError
from symindex.explore.mention_job import FileToLook, Looked, MentionSetup, Scanned
from symindex.files.skips import SkipReason
from symindex.text.decoding import decoder_of
from symindex.workers.cancellation import check_wanted
from symindex.workers.child import Cause, Exit
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import WAITING, Order, Pool, usable_cores

BATCH_FILES: Final = 64
BATCH_BYTES: Final = 500_000
"""Files and bytes that are looked through at a time: some milliseconds, if none of them holds the name."""

WORKER_BYTES: Final = 2_000_000
"""Less than this is not worth one more process, which takes 0.1 s to start."""

TICK_SECONDS: Final = 0.1
"""How often is looked whether the answer is still wanted, and in time."""

MOST_EXITS: Final = 3
"""So many processes one after the other may end, whatever the reason, before they have looked at the bytes of a batch."""


class FileSeen(NamedTuple):
    """A file that was looked through. number: its place among all. looked: what there is in it, `None` where it does not hold the
    name."""

    number: int
    looked: Looked | None


class _Batch(Order[int]):
    """Numbers of files. n_exits: of processes that had not even looked at the bytes. is_scanned: one has: `left` are the files
    that hold the name."""

    def __init__(self, numbers: list[int]) -> None:
        super().__init__(numbers)
        self.n_exits = 0
        self.is_scanned = False


class Lookers(Pool[_Batch, FileSeen]):
    """Looks for one name in files. Use it as a context manager: leaving it ends its processes.

    Args:
        setup: of each process.
        file_seconds: of the processor's time, for each file.
        sizes: of the files in bytes, in the order in which the results come.
        file: that of a number.
        n_workers: processes; as many as this process may use cores, one where there is little to do, unless told.
    """

    def __init__(
        self,
        setup: MentionSetup,
        file_seconds: float,
        sizes: Sequence[int],
        file: Callable[[int], FileToLook],
        n_workers: int | None = None,
    ) -> None:
        self._n_files = len(sizes)
        self._batches = _batches(sizes)
        self._file = file
        self._file_seconds = file_seconds
        n_workers = min(n_workers or min(usable_cores(), 1 + sum(sizes) // WORKER_BYTES), len(self._batches))
        job = Job("symindex.explore.mention_job", msgspec.msgpack.encode(setup), file_seconds, worker_memory())
        super().__init__(job, n_workers, WAITING * file_seconds)

    def in_order(self, seconds: float, progress: Callable[[int, int], object] | None = None) -> Iterator[FileSeen]:
        """The files as they are done, from the first on, until `seconds` are over; one of them in any case.

        progress: told how many are done, of how many. Raises StorageError where no process can be started.
        """
        deadline = time.monotonic() + seconds
        early: dict[int, FileSeen] = {}
        number = 0
        for some in self.results(TICK_SECONDS):
            check_wanted()
            early.update((seen.number, seen) for seen in some)
            began_at = number
            while number in early:
                yield early.pop(number)
                number += 1
                if time.monotonic() >= deadline:
                    return
            if progress is not None and number > began_at:
                progress(number, self._n_files)
            if number and time.monotonic() >= deadline:
                return

    def next_order(self, slot: int) -> _Batch | None:
        return _Batch(self._batches.popleft()) if self._batches else None

    def encode(self, order: _Batch) -> bytes:
        order.is_scanned = False
        return msgspec.msgpack.encode([self._file(number) for number in order.left])

    def take(self, order: _Batch, answer: bytes) -> list[FileSeen]:
        if order.is_scanned:
            return [FileSeen(order.left.popleft(), _LOOKED.decode(answer))]
        order.is_scanned = True
        scanned = _SCANNED.decode(answer)
        numbers, holders = list(order.left), set(scanned.holders)
        order.left = deque(numbers[place] for place in scanned.holders)
        problems = dict(scanned.unreadable)
        return [
            FileSeen(number, Looked(problem=problems[place]) if place in problems else None)
            for place, number in enumerate(numbers)
            if place not in holders
        ]

    def lose(self, order: _Batch, exit: Exit) -> list[FileSeen]:
        if order.is_scanned:
            order.n_exits = 0
            return [FileSeen(order.left.popleft(), Looked(problem=self._why(exit)))]
        order.n_exits += 1
        if order.n_exits == MOST_EXITS:
            raise StorageError(f"{sys.executable}: a worker process ended ({exit.words})")
        return []

    def _why(self, exit: Exit) -> str:
        if exit.cause is Cause.OUT_OF_MEMORY:
            return SkipReason.MEMORY
        if exit.cause is Cause.OUT_OF_TIME:
            return f"took longer than {self._file_seconds:g} s"
        return f"ended the process that read it ({exit.words})"


_SCANNED = decoder_of(Scanned)
_LOOKED = decoder_of(Looked)


def _batches(sizes: Sequence[int]) -> deque[list[int]]:
    """The numbers of the files, cut into batches."""
    batches: deque[list[int]] = deque()
    n_bytes = BATCH_BYTES
    for number, size in enumerate(sizes):
        if n_bytes >= BATCH_BYTES or len(batches[-1]) >= BATCH_FILES:
            batches.append([])
            n_bytes = 0
        batches[-1].append(number)
        n_bytes += size
    return batches
