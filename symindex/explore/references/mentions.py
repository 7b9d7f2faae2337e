"""Searches many files for a name in worker processes: the caller's side of
`explore/references/mention_job`.

Files are sent in batches, and results come in the same order, so a caller may stop when it has
enough.
"""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from symindex.cancellation import check_wanted
from symindex.errors import StorageError
from symindex.explore.references.candidates import CandidateFile, order_of
from symindex.explore.references.mention_job import FileMentions, Sought
from symindex.extract.languages.registry import pack_languages
from symindex.files.forked_walk import usable_cores
from symindex.files.skips import SkipReason
from symindex.resolve.tree import Tree
from symindex.text.decoding import decoder_of
from symindex.workers.child import Cause, Exit
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import LEAST_FILE_SECONDS, WAITING, Order, Pool, cut_batches

BATCH_BYTES: Final = 500_000
"""Total size of the files in a batch, in bytes: takes a few milliseconds if none contains the
name."""

WORKER_BYTES: Final = 2_000_000
"""Bytes per process: fewer do not pay for the 0.1 s that a process takes to start."""

TICK_SECONDS: Final = 0.1
"""Interval of the checks for the deadline and for cancellation, in seconds."""

MOST_EXITS: Final = 3
"""Most processes in a row that may end, for any reason, before one has searched the bytes of a
batch."""


class SearchedFile(NamedTuple):
    """A file by its number, and its mentions; `None` if the name is not in its bytes."""

    number: int
    mentions: FileMentions | None


class _Batch(Order[int]):
    """Numbers of files. is_scanned: whether the bytes were searched, so that `left` are the files
    that contain the name. n_exits: processes in a row that ended before that."""

    n_exits = 0
    is_scanned = False


class MentionSearch(Pool[_Batch, SearchedFile]):
    """Searches files of a tree for names or a text. Use it as a context manager: leaving it ends
    its processes, but one that is idle stays with the tree (`Tree.spare`).

    Args:
        files: to search, in the order of the results.
        file_seconds: limit of processor time for each file.
        n_workers: most processes. By default one for each usable core, or fewer for few bytes.
    """

    def __init__(
        self,
        tree: Tree,
        sought: Sought,
        files: Sequence[CandidateFile],
        file_seconds: float,
        n_workers: int | None = None,
    ) -> None:
        self._tree, self._sought, self._files = tree, sought, files
        n_bytes = sum(file.size for file in files)
        self._batches = cut_batches(
            ((number, file.size) for number, file in enumerate(files)), BATCH_BYTES
        )
        self._file_seconds = file_seconds
        n_workers = min(
            n_workers or min(usable_cores(), 1 + n_bytes // WORKER_BYTES), len(self._batches)
        )
        job = Job(
            "symindex.explore.references.mention_job",
            pack_languages(tree.languages),
            file_seconds,
            worker_memory(),
        )
        super().__init__(job, n_workers, WAITING * file_seconds, tree.spare())

    def in_order(
        self, seconds: float, progress: Callable[[int, int], object] | None = None
    ) -> Iterator[SearchedFile]:
        """Yields the files in order until `seconds` are over, at least one. Raises StorageError if
        no process can be started.

        progress: called with the number of finished files and the number of all.
        """
        deadline = time.monotonic() + seconds
        early: dict[int, SearchedFile] = {}
        number = 0
        for batch in self.results(TICK_SECONDS):
            check_wanted()
            early.update((searched.number, searched) for searched in batch)
            began_at = number
            while number in early:
                yield early.pop(number)
                number += 1
                if time.monotonic() >= deadline:
                    return
            if progress is not None and number > began_at:
                progress(number, len(self._files))
            if number and time.monotonic() >= deadline:
                return

    def next_order(self, slot: int) -> _Batch | None:
        return _Batch(self._batches.popleft()) if self._batches else None

    def encode(self, order: _Batch) -> bytes:
        order.is_scanned = False
        files = [order_of(self._tree, self._files[number]) for number in order.left]
        return msgspec.msgpack.encode((self._sought, files))

    def take(self, order: _Batch, answer: bytes) -> list[SearchedFile]:
        if order.is_scanned:
            return [SearchedFile(order.left.popleft(), _MENTIONS.decode(answer))]
        order.is_scanned = True
        scanned = [*zip(order.left, _SCANNED.decode(answer), strict=True)]
        order.left = deque(number for number, result in scanned if result is True)
        return [
            SearchedFile(number, FileMentions(problem=result) if isinstance(result, str) else None)
            for number, result in scanned
            if result is not True
        ]

    def lose(self, order: _Batch, exit: Exit) -> list[SearchedFile]:
        if order.is_scanned:
            order.n_exits = 0
            return [SearchedFile(order.left.popleft(), FileMentions(problem=self._why(exit)))]
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


def real_roots(tree: Tree) -> list[bytes]:
    """Returns the roots of a tree as the job needs them, in the order of `candidates.order_of`."""
    return [os.fsencode(os.path.realpath(root)) for root in tree.roots.values()]


def most_file_seconds(file_seconds: float, seconds: float) -> float:
    """Returns how long one file may take of an answer that takes at most `seconds`."""
    return min(file_seconds, max(seconds / 2, LEAST_FILE_SECONDS))


_SCANNED = decoder_of(list[bool | str])
_MENTIONS = decoder_of(FileMentions)
