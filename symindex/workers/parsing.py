"""Many files read in worker processes, with a time limit for each; the caller's side of
`workers/parse_job`.

A file that takes too long or too much memory is reported as that. One whose parser crashes is tried
once more. One whose worker was killed from outside is tried some times, and again at the next
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
"""Source bytes in a batch: some 0.1 s of work, so that the trip through the pipe does not count."""

FILES_PER_WORKER: Final = 40
"""Fewer files than this are not worth another process, which takes 0.1 s to start."""

MOST_CRASHES: Final = 2
"""How many workers may crash at a file, before it is left out until it changes."""

MOST_KILLS: Final = 4
"""How many times the worker of a file may be killed from outside, before the file is left to the
next refresh."""

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
    """Reads and extracts files in parallel; the results come in the order of the tasks.

    tasks: each with the file's size in bytes. file_seconds: the limit of the processor's time for
    one file, so that the result does not depend on what else runs. languages: those that are read;
    default: all. n_workers: processes at most; default: the cores that this process may use.
    progress: called in this thread with the number of files done. spare: where a worker is taken
    from, and left for the next time. meanwhile: called once, in this thread, while the workers
    begin. take: called in this thread with results as they come, in any order; those are not
    returned.
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
        for some in pool.results(tick_seconds=1.0):
            n_done += len(some)
            if some and progress is not None:
                progress(n_done)
            if take is None:
                results.update((result.path, result) for _, result in some)
            elif some:
                take([result for _, result in some])
    return [] if take is not None else [results[task.path] for task, _ in tasks]


def parse_job(languages: Languages, max_file_bytes: int, file_seconds: float) -> Job:
    """The job of parsing with these limits."""
    setup = ParseSetup(
        pack_languages(languages),
        sorted(languages.chosen),
        max_file_bytes,
        languages.packed_item_types,
    )
    return Job(_MODULE, msgspec.msgpack.encode(setup), file_seconds, worker_memory())


_MODULE: Final = "symindex.workers.parse_job"


def begin_spare() -> SpareWorker:
    """A worker that is started before it is known what it will read. Raises StorageError."""
    return SpareWorker(Job(_MODULE, b"", most_memory=worker_memory()))


class Batch(Order[ReadTask]):
    """Files of one folder, which has a number among those of the pool."""

    def __init__(self, tree: int, root: Path, tasks: Sequence[ReadTask]) -> None:
        super().__init__(tasks)
        self.tree, self.root = tree, root


class Source(Protocol):
    """Where the batches come from."""

    def next_for(self, slot: int) -> Batch | None:
        """The next batch for a slot; `None` where there is none now."""

    @property
    def is_ended(self) -> bool:
        """Whether none will follow."""


class Parsing(Pool[Batch, tuple[int, FileSymbols]]):
    """The pool of parsers. Each result comes with the number of its folder."""

    hands_over_by_order = (
        True  # waking the caller's thread for each file would take longer than many files
    )

    def __init__(
        self, job: Job, n_slots: int, source: Source, spare: SpareWorker | None = None
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
    """The work that is left, by the endings of the files' names.

    Loading a language takes a worker as long as reading a megabyte. So each worker goes on with the
    ending that it has begun with, and then takes another: the one with the most bytes that no
    worker has begun.
    """

    def __init__(self, root: Path, tasks: Sequence[tuple[ReadTask, int]]) -> None:
        self._root = root
        groups: dict[str, list[tuple[ReadTask, int]]] = {}
        # Large files first, so that no large one keeps a single worker busy at the end.
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
            fresh = [other for other in self._waiting if other not in begun]
            ending = (
                fresh[0]
                if fresh
                else max(self._waiting, key=lambda other: len(self._waiting[other]))
            )
            self._begun[slot] = ending
        batches = self._waiting[ending]
        batch = batches.popleft()
        if not batches:
            del self._waiting[ending]
        return Batch(0, self._root, batch)
