"""Reads many files in worker processes, with a time limit for each; the caller's side of
`workers/parse_job`.

A file that takes too long or too much memory is reported as such. One whose parser crashes is tried
once more. One whose worker was killed from outside is tried a few times, and again at the next
refresh.
"""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from symindex.extract.languages.registry import Languages, load_languages, pack_languages
from symindex.extract.records import FileSymbols, ReadTask, given_up
from symindex.files.access.beneath import Beneath
from symindex.files.forked_walk import usable_cores
from symindex.text.decoding import decoder_of
from symindex.workers.child import Cause, Exit
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.parse_job import Parse, ParseSetup
from symindex.workers.pool import WAITING, Order, Pool, SpareWorker, cut_batches, skip_of

if TYPE_CHECKING:
    pass

BATCH_BYTES: Final = 400_000
"""BatchSource bytes in a batch: about 0.1 s of work, so that the trip through the pipe does not
matter."""

FILES_PER_WORKER: Final = 40
"""How many files justify another process, which takes 0.1 s to start."""

MOST_CRASHES: Final = 2
"""After how many crashes to skip a file until it changes."""

MOST_KILLS: Final = 4
"""After how many kills from outside to leave a file to the next refresh."""

MOST_TRIES: Final = {Cause.CRASHED: MOST_CRASHES, Cause.KILLED: MOST_KILLS}


def read_files(
    root: Path,
    tasks: Sequence[tuple[ReadTask, int]],
    *,
    max_file_bytes: int,
    file_seconds: float,
    languages: Languages | None = None,
    n_workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    spare: SpareWorker | None = None,
    meanwhile: Callable[[], None] = lambda: None,
    take: Callable[[list[FileSymbols]], None] | None = None,
) -> list[FileSymbols]:
    """Reads and extracts files in parallel; returns the results in the order of the tasks.

    tasks: each with the file's size in bytes. file_seconds: the limit of processor time for one
    file, so that the result does not depend on what else runs. languages: those to read; default:
    all. n_workers: the most processes; default: the cores that this process may use. progress:
    called in this thread with the number of finished files. spare: supplies a worker, and keeps one
    for the next time. meanwhile: called once, in this thread, while the workers start. take: called
    in this thread with results as they come, in any order; these are not returned.
    """
    if not tasks:
        return []
    n_workers = max(1, min(n_workers or usable_cores(), -(-len(tasks) // FILES_PER_WORKER)))
    languages = languages or load_languages()
    job = parse_job(languages, max_file_bytes, file_seconds)
    results: dict[str, FileSymbols] = {}
    n_done = 0
    batches = _Batches(root, tasks)
    with Parsing(job, n_workers, batches, spare) as pool:
        meanwhile()
        for fresh in pool.results(tick_seconds=1.0):
            n_done += len(fresh)
            if fresh and progress is not None:
                progress(n_done)
            if take is None:
                results.update((result.path, result) for _, result in fresh)
            elif fresh:
                take([result for _, result in fresh])
    return [] if take is not None else [results[task.path] for task, _ in tasks]


def parse_job(languages: Languages, max_file_bytes: int, file_seconds: float) -> Job:
    """Returns the parsing job with these limits."""
    setup = ParseSetup(
        pack_languages(languages),
        sorted(languages.chosen),
        max_file_bytes,
        languages.packed_item_types,
    )
    return Job(_MODULE, msgspec.msgpack.encode(setup), file_seconds, worker_memory())


_MODULE: Final = "symindex.workers.parse_job"


def begin_spare() -> SpareWorker:
    """Starts a worker before its work is known. Raises StorageError."""
    return SpareWorker(Job(_MODULE, b"", most_memory=worker_memory()))


class Batch(Order[ReadTask]):
    """Files of one folder. tree: the number of the folder in the pool."""

    def __init__(self, tree: int, root: Path, tasks: Sequence[ReadTask]) -> None:
        super().__init__(tasks)
        self.tree = tree
        self.root = root


class BatchSource(Protocol):
    """Supplies the batches."""

    def next_for(self, slot: int) -> Batch | None:
        """Returns the next batch for a slot; `None` if there is none now."""

    @property
    def is_ended(self) -> bool:
        """Whether no more batches will follow."""


class Parsing(Pool[Batch, tuple[int, FileSymbols]]):
    """The pool of parsers. Each result comes with the number of its folder."""

    hands_over_by_order = (
        True  # waking the caller's thread for each file would take longer than parsing many files
    )

    def __init__(
        self, job: Job, n_slots: int, source: BatchSource, spare: SpareWorker | None = None
    ) -> None:
        super().__init__(job, n_slots, WAITING * job.processor_seconds, spare)
        self._source, self._file_seconds = source, job.processor_seconds
        self._decode = decoder_of(FileSymbols).decode
        self._tries: Counter[tuple[int, str, Cause]] = Counter()

    def next_order(self, slot: int) -> Batch | None:
        return self._source.next_for(slot)

    def is_all_given_out(self) -> bool:
        return self._source.is_ended

    def encode(self, order: Batch) -> bytes:
        return msgspec.msgpack.encode(Parse(os.fsencode(order.root), list(order.left)))

    def take(self, order: Batch, answer: bytes) -> list[tuple[int, FileSymbols]]:
        order.left.popleft()
        return [(order.tree, self._decode(answer))]

    def lose(self, order: Batch, exit: Exit) -> list[tuple[int, FileSymbols]]:
        task = order.left.popleft()
        self._tries[order.tree, task.path, exit.cause] += 1
        if self._tries[order.tree, task.path, exit.cause] < MOST_TRIES.get(exit.cause, 1):
            order.left.append(task)
            return []
        with Beneath(order.root) as tree:
            return [(order.tree, given_up(tree, task.path, *skip_of(exit, self._file_seconds)))]


class _Batches:
    """The remaining work, grouped by file extension.

    Loading a language takes a worker as long as reading a megabyte. So each worker stays with the
    extension that it began with, and then takes another: the one with the most bytes that no worker
    has begun.
    """

    def __init__(self, root: Path, tasks: Sequence[tuple[ReadTask, int]]) -> None:
        self._root = root
        groups: dict[str, list[tuple[ReadTask, int]]] = {}
        # Large files first, so that a large one does not keep a single worker busy at the end.
        for task in sorted(tasks, key=lambda pair: (-pair[1], pair[0].path)):
            groups.setdefault(os.path.splitext(task[0].path)[1].lower(), []).append(task)
        sized = sorted(
            (-sum(n_bytes for _, n_bytes in group), ending) for ending, group in groups.items()
        )
        self._waiting = {ending: cut_batches(groups[ending], BATCH_BYTES) for _, ending in sized}
        self._begun: dict[int, str] = {}

    is_ended = True

    def next_for(self, slot: int) -> Batch | None:
        ending = self._begun.get(slot)
        if ending is None or ending not in self._waiting:
            if not self._waiting:
                return None
            begun = set(self._begun.values())
            fresh = [waiting for waiting in self._waiting if waiting not in begun]
            ending = (
                fresh[0]
                if fresh
                else max(self._waiting, key=lambda waiting: len(self._waiting[waiting]))
            )
            self._begun[slot] = ending
        batches = self._waiting[ending]
        batch = batches.popleft()
        if not batches:
            del self._waiting[ending]
        return Batch(0, self._root, batch)
