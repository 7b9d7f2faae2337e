"""Searches many files for a name in worker processes: the caller's side of
`explore/references/mention_job`.

Files are sent in batches, and results come in the same order, so a caller may stop when it has
enough.
"""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Final, NamedTuple

import msgspec

from symindex.cancellation import check_wanted
from symindex.errors import StorageError
from symindex.explore.references.mention_job import FileMentions, FileToSearch, MentionSetup
from symindex.files.forked_walk import usable_cores
from symindex.files.skips import SkipReason
from symindex.text.decoding import decoder_of
from symindex.workers.child import Cause, Exit
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import WAITING, Order, Pool, cut_batches

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
    """Searches files for one name. Use it as a context manager: leaving it ends its processes.

    Args:
        setup: of each process.
        file_seconds: limit of processor time for each file.
        sizes: of the files in bytes, in the order of the results.
        file: returns the file of a number.
        without: the numbers of files that are known not to contain the name (`known_files`): they
            are results, but are not searched.
        n_workers: most processes. By default one for each usable core, or fewer for few bytes.
    """

    def __init__(
        self,
        setup: MentionSetup,
        file_seconds: float,
        sizes: Sequence[int],
        file: Callable[[int], FileToSearch],
        n_workers: int | None = None,
        without: Set[int] = frozenset(),
    ) -> None:
        self._n_files = len(sizes)
        self._without = without
        searched = [pair for pair in enumerate(sizes) if pair[0] not in without]
        n_bytes = sum(size for _, size in searched)
        self._batches = cut_batches(searched, BATCH_BYTES)
        self._file = file
        self._file_seconds = file_seconds
        n_workers = min(
            n_workers or min(usable_cores(), 1 + n_bytes // WORKER_BYTES), len(self._batches)
        )
        job = Job(
            "symindex.explore.references.mention_job",
            msgspec.msgpack.encode(setup),
            file_seconds,
            worker_memory(),
        )
        super().__init__(job, n_workers, WAITING * file_seconds)

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
            while number in early or number in self._without:
                yield early.pop(number) if number in early else SearchedFile(number, None)
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


_SCANNED = decoder_of(list[bool | str])
_MENTIONS = decoder_of(FileMentions)
