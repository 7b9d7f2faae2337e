"""Where a name is mentioned in many files: processes that look for it, seen from outside.

Files are given out in batches, in their order, and what was found comes in that order too, so that who has enough may leave. The
process that hangs on a file is ended, the file is told of, and the others go on in another process.
"""

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec

from symindex.errors import StorageError
from symindex.explore.mention_job import FileToLook, Looked, MentionJob, Scanned
from symindex.files.skips import SkipReason
from symindex.text.decoding import decoder_of
from symindex.workers.cancellation import check_wanted
from symindex.workers.framing import OUT_OF_TIME
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import WAITING
from symindex.workers.process import Process, usable_cores

BATCH_FILES: Final = 64
BATCH_BYTES: Final = 500_000
"""Files and bytes that are looked through at a time: some milliseconds, if none of them holds the name."""

WORKER_BYTES: Final = 2_000_000
"""Less than this is not worth one more process, which takes 0.1 s to start."""

TICK_SECONDS: Final = 0.1
"""How often is looked whether the answer is still wanted, and in time."""

_Answer = TypeVar("_Answer")


class LookerProcess(Process):
    """One process. waits_since: by the monotonic clock, since when it has owed an answer."""

    def __init__(self, job: MentionJob) -> None:
        self.waits_since: float | None = None
        super().__init__("symindex.explore.mention_job", msgspec.msgpack.encode(job), worker_memory())

    def answer(self, decode: Callable[[bytes], _Answer]) -> _Answer | None:
        """The next answer; `None` where it has ended instead."""
        self.waits_since = time.monotonic()
        frame = self.receive()
        self.waits_since = None
        return decode(frame) if frame is not None else None

    def close(self, is_told: bool = True) -> None:
        """Ends it, whatever it is doing, and waits for that."""
        self.kill()
        super().close(is_told)


_SCANNED = decoder_of(Scanned).decode
_LOOKED = decoder_of(Looked).decode


class FileSeen(NamedTuple):
    """A file that was looked through. number: its place among all. looked: what there is in it, `None` where it does not hold the
    name."""

    number: int
    looked: Looked | None


class Lookers:
    """Looks for one name in files. Use it as a context manager: leaving it ends its processes.

    Args:
        job: for each process.
        sizes: of the files in bytes, in the order in which the results come.
        file: that of a number.
        n_workers: processes; as many as this process may use cores, one where there is little to do, unless told.
    """

    def __init__(
        self, job: MentionJob, sizes: Sequence[int], file: Callable[[int], FileToLook], n_workers: int | None = None
    ) -> None:
        self._job = job
        self._file = file
        self._batches = _batches(sizes)
        self._changed = threading.Condition()
        self._stopped = False
        self._failure: BaseException | None = None
        self._is_done = bytearray(len(sizes))
        self._found: dict[int, Looked] = {}
        self._processes: dict[int, LookerProcess] = {}
        n_workers = n_workers or min(usable_cores(), 1 + sum(sizes) // WORKER_BYTES)
        slots = range(min(n_workers, len(self._batches)))
        self._threads = [threading.Thread(target=self._serve, args=(slot,), daemon=True) for slot in slots]

    def __enter__(self) -> "Lookers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._stopped = True
            processes = list(self._processes.values())
        for process in processes:
            process.kill()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def in_order(self, seconds: float, progress: Callable[[int, int], object] | None = None) -> Iterator[FileSeen]:
        """The files as they are done, from the first on, until `seconds` are over; one of them in any case.

        progress: told how many are done, of how many. Raises StorageError where no process can be started.
        """
        deadline = time.monotonic() + seconds
        number, n_files = 0, len(self._is_done)
        while number < n_files:
            check_wanted()
            self._end_late()
            with self._changed:
                self._changed.wait_for(lambda at=number: self._failure or self._is_done[at], TICK_SECONDS)  # type: ignore[misc]
                if self._failure is not None:
                    raise self._failure
                end = self._is_done.find(0, number)
                end = end if end >= 0 else n_files
            for at in range(number, end):
                yield FileSeen(at, self._found.pop(at, None))
                if time.monotonic() >= deadline:
                    return
            number = end
            if progress is not None:
                progress(number, n_files)
            if number and time.monotonic() >= deadline:
                return

    def _end_late(self) -> None:
        """Ends processes whose file takes longer than the limit by the clock, much longer where the system counts their time."""
        most = self._job.file_seconds * WAITING
        with self._changed:
            processes = list(self._processes.values())
        for process in processes:
            since = process.waits_since
            if since is not None and time.monotonic() - since > most:
                process.kill()

    def _serve(self, slot: int) -> None:
        process: LookerProcess | None = None
        try:
            while (batch := self._next_batch()) is not None:
                left: deque[int] = deque(batch)
                n_ends = 0  # of processes that had not even looked at the bytes
                while left and not self._stopped:
                    if process is None or process.ended:
                        process = self._start(slot, process)
                    n_before = len(left)
                    self._look(process, left)
                    n_ends = n_ends + 1 if process.ended and len(left) == n_before else 0
                    if n_ends == _MOST_ENDS and not self._stopped:
                        raise StorageError(f"{sys.executable}: a worker process ended ({process.last_words()})")
        except BaseException as error:  # handed to the caller's thread, which raises it
            self._failure = error
        finally:
            with self._changed:
                self._processes.pop(slot, None)
                self._changed.notify_all()
            if process is not None:
                process.close()

    def _start(self, slot: int, last: LookerProcess | None) -> LookerProcess:
        if last is not None:
            last.close()
        process = LookerProcess(self._job)
        with self._changed:
            self._processes[slot] = process
            if self._stopped:  # too late for `__exit__` to see this process
                process.kill()
        return process

    def _next_batch(self) -> list[int] | None:
        with self._changed:
            return self._batches.popleft() if self._batches and not self._stopped else None

    def _look(self, process: LookerProcess, left: deque[int]) -> None:
        """Has a process look through files, and takes those that are done from them."""
        numbers = list(left)
        process.send(msgspec.msgpack.encode([self._file(number) for number in numbers]))
        scanned = process.answer(_SCANNED)
        if scanned is None:
            return
        holders = set(scanned.holders)
        self._take({numbers[place]: Looked(problem=why) for place, why in scanned.unreadable})
        self._done([number for place, number in enumerate(numbers) if place not in holders])
        left.clear()
        left.extend(numbers[place] for place in scanned.holders)
        while left and not self._stopped:
            looked = process.answer(_LOOKED)
            if looked is None:
                if self._stopped:
                    return
                looked = Looked(problem=self._why_ended(process))
            number = left.popleft()
            self._take({number: looked})
            self._done([number])
            if process.ended:
                return

    def _why_ended(self, process: LookerProcess) -> str:
        if process.is_out_of_memory(worker_memory()):
            return SkipReason.MEMORY
        words = process.last_words()
        if words in (f"signal {OUT_OF_TIME}", f"signal {_KILLED}") or not OUT_OF_TIME:
            return f"took longer than {self._job.file_seconds:g} s"
        return f"ended the process that read it ({words})"

    def _take(self, found: dict[int, Looked]) -> None:
        self._found.update(found)

    def _done(self, numbers: list[int]) -> None:
        with self._changed:
            for number in numbers:
                self._is_done[number] = 1
            self._changed.notify_all()


_MOST_ENDS: Final = 3
"""So many processes one after the other may end, whatever the reason, before they have looked at the bytes of a batch."""

_KILLED: Final = 9


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
