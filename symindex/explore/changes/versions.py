"""Comparing versions of many files: the caller's side of `explore/changes/version_job`."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

import msgspec

from symindex.cancellation import check_wanted
from symindex.explore.changes.version_job import Difference, Versions
from symindex.extract.languages.registry import Languages, pack_languages
from symindex.files.forked_walk import usable_cores
from symindex.text.decoding import decoder_of
from symindex.workers.child import Exit
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import WAITING, Order, Pool

_DIFFERENCES = decoder_of(list[Difference])

Compared = tuple[int, list[Difference] | str]
"""The number of a file, and how its symbols differ, or why that cannot be told."""


class VersionPool(Pool[Order[int], Compared]):
    """Compares files one by one. versions: gives those of a number, when its turn comes."""

    def __init__(
        self,
        languages: Languages,
        n_files: int,
        versions: Callable[[int], Versions],
        file_seconds: float,
    ) -> None:
        self._left = deque(range(n_files))
        self._versions = versions
        job = Job(
            "symindex.explore.changes.version_job",
            pack_languages(languages),
            file_seconds,
            worker_memory(),
        )
        super().__init__(job, max(1, min(usable_cores(), n_files // 8)), WAITING * file_seconds)

    def all(self) -> Iterator[Compared]:
        """The results, in no order."""
        for some in self.results(0.1):
            check_wanted()
            yield from some

    def next_order(self, slot: int) -> Order[int] | None:
        return Order([self._left.popleft()]) if self._left else None

    def encode(self, order: Order[int]) -> bytes:
        return msgspec.msgpack.encode(self._versions(order.left[0]))

    def take(self, order: Order[int], answer: bytes) -> Sequence[Compared]:  # type: ignore[override]
        return [(order.left.popleft(), _DIFFERENCES.decode(answer))]

    def lose(self, order: Order[int], exit: Exit) -> Sequence[Compared]:  # type: ignore[override]
        return [(order.left.popleft(), f"ended the process that read it ({exit.words})")]
