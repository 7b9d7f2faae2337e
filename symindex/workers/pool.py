"""Reads many files in worker processes, and holds the time limit for each file from outside.

A worker answers the files of its batch in order, so the file that it hangs on is the first one without an answer. The system ends
a worker that computes for longer than the limit, and the watchman one that waits for much longer; the file is reported, and the
rest of the batch goes to a new worker. A worker that dies by itself (a crash of a grammar, or killed from outside) is treated
alike, but its file is tried once more. One that somebody else has killed says nothing of its file, which is tried some times, and
at the next refresh again.
"""

import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

import msgspec

from symindex.errors import StorageError
from symindex.extract.languages.registry import grammar_folders
from symindex.extract.records import FileSymbols, ReadTask, given_up
from symindex.files.access.beneath import Beneath
from symindex.files.skips import SkipReason, time_limit_words
from symindex.text.decoding import decoder_of
from symindex.workers.child import CRASH_SIGNALS
from symindex.workers.framing import OUT_OF_TIME, Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.process import Process, usable_cores

BATCH_BYTES: Final = 400_000
"""Source bytes in a batch: some 0.1 s of work, enough to hide the trip through the pipe."""

BATCH_FILES: Final = 64

FILES_PER_WORKER: Final = 40
"""Fewer files than this are not worth another process, which takes 0.1 s to start."""

START_SECONDS: Final = 60.0
"""How long a new process may take to say that it is ready; usually 0.1 s, but machines can be busy."""

WAITING: Final = 6 if OUT_OF_TIME else 1
"""By the clock a file may take so many times its limit, which is of the processor's time: others may be using that, or the file
stands on a slow disk."""

MOST_STARTS: Final = 3
"""A worker that is ended before it is ready, perhaps by somebody else, is started so many times."""

MOST_CRASHES: Final = 2
"""A file that so many workers have crashed at is not read until it changes."""

MOST_KILLS: Final = 4
"""A file whose worker was killed so many times from outside is left for the next refresh."""

ANSWER_SECONDS: Final = 1.0
"""How long an idle worker may take to show that it is there; usually less than a millisecond."""

ASLEEP_SECONDS: Final = 1.0
"""When the watchman is late by more than this, this process was stopped (Ctrl-Z), and the clocks with it."""


def read_files(
    root: Path,
    tasks: Sequence[tuple[ReadTask, int]],
    *,
    max_file_bytes: int,
    file_seconds: float,
    languages: Collection[str] = (),
    n_workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    spare: "SpareWorker | None" = None,
) -> list[FileSymbols]:
    """Reads and extracts files in parallel; the results come in the order of the tasks.

    tasks: each with the file's size in bytes, by which work is shared out.
    file_seconds: the time limit for one file: of computing, so that what is given up does not depend on what else runs.
    languages: ids of those that are read; default: all.
    n_workers: processes at most; as many as this process may use cores, unless told.
    progress: called with the number of files done so far, from the calling thread.
    spare: where a worker is taken from, and left for the next time.
    """
    if not tasks:
        return []
    n_workers = max(1, min(n_workers or usable_cores(), -(-len(tasks) // FILES_PER_WORKER)))
    folders = [os.fsencode(folder) for folder in grammar_folders()]
    job = Job(os.fsencode(root), folders, max_file_bytes, file_seconds, sorted(languages))
    pool = _Pool(job, _Batches(tasks), file_seconds, spare)
    results: dict[str, FileSymbols] = {}
    try:
        for result in pool.run(n_workers):
            results[result.path] = result
            if progress is not None:
                progress(len(results))
    finally:
        pool.stop()
    return [results[task.path] for task, _ in tasks]


class _Batches:
    """The work that is left, by the endings of the files' names.

    To make ready for a language takes a worker as long as reading a megabyte, so each goes on with the endings that it has begun
    with, and takes up others, those with the most bytes first, when there are none left.
    """

    def __init__(self, tasks: Sequence[tuple[ReadTask, int]]) -> None:
        groups: dict[str, list[tuple[ReadTask, int]]] = {}
        for task in tasks:
            groups.setdefault(os.path.splitext(task[0].path)[1].lower(), []).append(task)
        sized = sorted((-sum(n_bytes for _, n_bytes in group), ending) for ending, group in groups.items())
        self._waiting = {ending: _cut(groups[ending]) for _, ending in sized}
        self._begun: dict[int, str] = {}

    def next_for(self, slot: int) -> list[ReadTask] | None:
        """The next batch for the worker with this number; `None` where all are given out."""
        ending = self._begun.get(slot)
        if ending is None or ending not in self._waiting:
            if not self._waiting:
                return None
            begun = set(self._begun.values())
            fresh = [other for other in self._waiting if other not in begun]
            ending = fresh[0] if fresh else max(self._waiting, key=lambda other: len(self._waiting[other]))
            self._begun[slot] = ending
        batches = self._waiting[ending]
        batch = batches.popleft()
        if not batches:
            del self._waiting[ending]
        return batch


def _cut(tasks: Sequence[tuple[ReadTask, int]]) -> deque[list[ReadTask]]:
    """Large files first, so that none is left over at the end to keep one process busy alone."""
    batches: deque[list[ReadTask]] = deque()
    batch: list[ReadTask] = []
    size = 0
    for task, n_bytes in sorted(tasks, key=lambda pair: (-pair[1], pair[0].path)):
        if batch and (size + n_bytes > BATCH_BYTES or len(batch) >= BATCH_FILES):
            batches.append(batch)
            batch, size = [], 0
        batch.append(task)
        size += n_bytes
    batches.append(batch)
    return batches


class _Pool:
    """Batches in, results out: one thread a worker process, one watchman for all their clocks."""

    def __init__(self, job: Job, batches: _Batches, file_seconds: float, spare: "SpareWorker | None") -> None:
        self._job = job
        self._spare = spare
        self._batches = batches
        self._file_seconds = file_seconds
        # By batches: to wake the caller's thread for every file takes longer than many a file.
        self._results: SimpleQueue[list[FileSymbols] | BaseException | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._workers: dict[int, _Worker] = {}
        self._threads: list[threading.Thread] = []
        self._crashes: Counter[str] = Counter()
        self._kills: Counter[str] = Counter()
        self._stopped = threading.Event()

    def run(self, n_workers: int) -> Iterator[FileSymbols]:
        """The results as they come, until every file has one."""
        self._threads = [threading.Thread(target=self._serve, args=(slot,), daemon=True) for slot in range(n_workers)]
        self._threads.append(threading.Thread(target=self._watch, daemon=True))
        for thread in self._threads:
            thread.start()
        running = n_workers
        while running:
            try:
                # A timeout, because a wait without one cannot be interrupted by Ctrl-C on every system.
                result = self._results.get(timeout=1.0)
            except Empty:
                continue
            if isinstance(result, BaseException):
                raise result
            if result is None:
                running -= 1
            else:
                yield from result

    def stop(self) -> None:
        """Ends every worker, whatever it is doing."""
        self._stopped.set()
        with self._lock:
            workers = list(self._workers.values())
        for worker in workers:
            worker.kill()
        for thread in self._threads:
            if thread.ident is not None:  # else Ctrl-C came before it was started
                thread.join()

    def _next_batch(self, slot: int) -> list[ReadTask] | None:
        with self._lock:
            return self._batches.next_for(slot) if not self._stopped.is_set() else None

    def _serve(self, slot: int) -> None:
        worker: _Worker | None = None
        try:
            while (batch := self._next_batch(slot)) is not None:
                while batch and not self._stopped.is_set():
                    if worker is None:
                        worker = self._start_worker(slot)
                    batch = self._read_batch(worker, batch)
                    if worker.ended:
                        worker.close()
                        worker = None
        except BaseException as error:  # handed to the caller's thread, which raises it
            self._results.put(error)
        finally:
            if worker is not None and not self._leave(slot, worker):
                worker.close()
            self._results.put(None)

    def _leave(self, slot: int, worker: "_Worker") -> bool:
        """Leaves an idle worker for the next time, where that is wanted."""
        if self._spare is None or self._stopped.is_set() or not self._spare.keep(worker, self._job):
            return False
        with self._lock:
            del self._workers[slot]
        return True

    def _start_worker(self, slot: int) -> "_Worker":
        spare = self._spare.take(self._job) if self._spare is not None else None
        for attempt in range(MOST_STARTS):
            worker = spare or _Worker(self._job)
            with self._lock:
                self._workers[slot] = worker
            if self._stopped.is_set():  # too late for `stop` to see this worker
                worker.kill()
            if spare is not None:  # it was ready before
                return spare
            worker.deadline = time.monotonic() + START_SECONDS
            if worker.wait_ready() or self._stopped.is_set():
                return worker
            words = worker.last_words()
            worker.close(is_told=attempt == MOST_STARTS - 1)
        raise StorageError(f"{sys.executable}: a worker process ended before it was ready ({words})")

    def _read_batch(self, worker: "_Worker", batch: list[ReadTask]) -> list[ReadTask]:
        """Has one batch read; what is returned is left to do, by another worker."""
        worker.deadline = time.monotonic() + WAITING * self._file_seconds
        worker.send_batch(batch)
        results: list[FileSymbols] = []
        for done, task in enumerate(batch):
            result = worker.next_result()
            if result is not None:
                worker.deadline = time.monotonic() + WAITING * self._file_seconds
                results.append(result)
                continue
            self._results.put(results)
            if self._stopped.is_set():
                return []
            rest = batch[done + 1 :]
            skip = self._why_ended(worker, task)
            if skip is not None:
                self._results.put([skip])
            else:
                rest.append(task)
            return rest
        worker.deadline = None
        self._results.put(results)
        return []

    def _why_ended(self, worker: "_Worker", task: ReadTask) -> FileSymbols | None:
        """What is said of the file at which a worker has ended; `None` where it is to be tried again."""
        if worker.timed_out or worker.is_out_of_time:
            return self._given_up(task, SkipReason.TIME_LIMIT, time_limit_words(self._file_seconds))
        if worker.is_out_of_memory(worker_memory()):
            return self._given_up(task, SkipReason.MEMORY, f"{worker_memory() // 1_000_000:,} MB")
        ended_by = worker.end_signal()
        if ended_by and ended_by not in CRASH_SIGNALS:
            self._kills[task.path] += 1
            return self._given_up(task, SkipReason.KILLED) if self._kills[task.path] == MOST_KILLS else None
        self._crashes[task.path] += 1
        return self._given_up(task, SkipReason.CRASHED, worker.last_words()) if self._crashes[task.path] == MOST_CRASHES else None

    def _given_up(self, task: ReadTask, reason: SkipReason, detail: str = "") -> FileSymbols:
        with Beneath(os.fsdecode(self._job.root)) as tree:
            return given_up(tree, task.path, reason, detail)

    def _watch(self) -> None:
        """Ends workers whose file takes longer than the limit."""
        pause = min(0.05, self._file_seconds / 4)
        before = time.monotonic()
        while not self._stopped.wait(pause):
            with self._lock:
                workers = list(self._workers.values())
            now = time.monotonic()
            asleep, before = now - before, now
            for worker in workers:
                deadline = worker.deadline
                if deadline is not None and asleep > pause + ASLEEP_SECONDS:
                    worker.deadline = deadline = deadline + asleep
                if deadline is not None and now > deadline and not worker.timed_out:
                    worker.timed_out = True
                    worker.kill()


class _Worker(Process):
    """One worker process and its clock."""

    def __init__(self, job: Job) -> None:
        self._decoder = decoder_of(FileSymbols)
        self.deadline: float | None = None
        self.timed_out = False
        super().__init__("symindex.workers.parse_job", msgspec.msgpack.encode(job), worker_memory())

    def wait_ready(self) -> bool:
        """Waits for the empty frame that says that the worker has loaded its languages."""
        return self.receive() is not None

    def send_batch(self, batch: list[ReadTask]) -> None:
        """Hands a batch over."""
        self.send(msgspec.msgpack.encode(batch))

    def shows_itself(self) -> bool:
        """Whether an idle worker still answers: one that is being killed is alive for the system until it is gone."""
        late = threading.Timer(ANSWER_SECONDS, self.kill)
        late.start()
        try:
            self.send(msgspec.msgpack.encode([]))
            return self.receive() == b""
        finally:
            late.cancel()

    def next_result(self) -> FileSymbols | None:
        """The next file's; `None` where the process has ended instead."""
        frame = self.receive()
        return self._decoder.decode(frame) if frame is not None else None

    @property
    def is_out_of_time(self) -> bool:
        """Whether the system has ended it because it computed for longer than its file may take; waits for its end."""
        return OUT_OF_TIME != 0 and self.end_signal() == OUT_OF_TIME

    def close(self, is_told: bool = True) -> None:
        """As of `Process`; its time is over."""
        self.deadline = None
        super().close(is_told)


class SpareWorker:
    """Keeps one idle worker between calls of `read_files`, for whoever reads a file now and then: starting one takes longer than
    reading most files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._job: Job | None = None

    def take(self, job: Job) -> _Worker | None:
        """The worker, if there is one and it was started for the same job."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None and (self._job != job or not worker.shows_itself()):
            worker.close()
            return None
        return worker

    def keep(self, worker: _Worker, job: Job) -> bool:
        """Takes charge of an idle worker; `False` if there is one already."""
        with self._lock:
            if self._worker is not None or not worker.is_alive:
                return False
            self._worker, self._job = worker, job
            return True

    def close(self) -> None:
        """Ends the worker."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()
