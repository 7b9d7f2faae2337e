"""Reads many folders with one pool of workers: for packages, most of which are too small for
processes of their own.

A folder begins while the previous one is still being read, so memory does not grow with their
number, and the results of a folder are handed over as soon as they are complete.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.forked_walk import usable_cores
from symindex.workers.parsing import BATCH_BYTES, Batch, Parsing, parse_job
from symindex.workers.pool import cut_batches

AHEAD_BYTES: Final = 8_000_000
"""How many bytes of source wait for the workers: some seconds of work, while this process makes an
index."""

TICK_SECONDS: Final = 0.1


class TreeTasks(NamedTuple):
    """The files to read in one folder, each with its size in bytes."""

    root: Path
    tasks: Sequence[tuple[ReadTask, int]]


class _Stream:
    """The waiting batches, folder by folder. Hold the pool's `changed` to use it."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Batch, int]] = deque()
        self.n_bytes = 0
        self.is_ended = False

    def add(self, number: int, tree: TreeTasks) -> None:
        # Large files first, so that a large one does not keep a single worker busy at the end.
        tasks = sorted(tree.tasks, key=lambda task: (-task[1], task[0].path))
        sizes = {task.path: size for task, size in tasks}
        for batch in cut_batches(tasks, BATCH_BYTES):
            size = sum(sizes[task.path] for task in batch)
            self.waiting.append((Batch(number, tree.root, batch), size))
            self.n_bytes += size

    def next_for(self, slot: int) -> Batch | None:
        if not self.waiting:
            return None
        batch, size = self.waiting.popleft()
        self.n_bytes -= size
        return batch


def read_trees(
    trees: Iterable[TreeTasks],
    *,
    languages: Languages,
    max_file_bytes: int,
    file_seconds: float,
    n_workers: int | None = None,
) -> Iterator[tuple[int, list[FileSymbols]]]:
    """Reads the files of many folders. Yields the number of each folder with its results, in the
    order of its tasks, when they are complete. Consumes `trees` as the work goes on. The other
    arguments are those of `workers/parsing.read_files`. Closing the iterator ends the workers."""
    stream, coming = _Stream(), enumerate(trees)
    lacking: dict[int, int] = {}
    orders: dict[int, list[str]] = {}
    results_of: dict[int, dict[str, FileSymbols]] = {}
    job = parse_job(languages, max_file_bytes, file_seconds)

    with Parsing(job, n_workers or usable_cores(), stream) as pool:
        results = pool.results(TICK_SECONDS)
        while True:
            while stream.n_bytes < AHEAD_BYTES and not stream.is_ended:
                number, tree = next(coming, (-1, None))
                with pool.changed:
                    if tree is None:
                        stream.is_ended = True
                    elif tree.tasks:
                        lacking[number], results_of[number] = len(tree.tasks), {}
                        orders[number] = [task.path for task, _ in tree.tasks]
                        stream.add(number, tree)
                    pool.changed.notify_all()
                if tree is not None and not tree.tasks:
                    yield number, []
            fresh = next(results, None)
            if fresh is None:
                return
            for number, result in fresh:
                results_of[number][result.path] = result
            for number in sorted({number for number, _ in fresh}):
                if len(results_of[number]) == lacking[number]:
                    by_path = results_of.pop(number)
                    yield number, [by_path[path] for path in orders.pop(number)]
