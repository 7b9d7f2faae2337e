"""Compares versions of files: renames by content, symbols in worker processes
(`explore/changes/version_job`)."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

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
"""The number of a file, with the differences of its symbols, or the reason why there are none."""


class VersionPool(Pool[Order[int], Compared]):
    """Compares files one by one. versions: returns the two versions of a file by its number, when
    its turn comes."""

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
        """Yields the results in any order."""
        for batch in self.results(0.1):
            check_wanted()
            yield from batch

    def next_order(self, slot: int) -> Order[int] | None:
        return Order([self._left.popleft()]) if self._left else None

    def encode(self, order: Order[int]) -> bytes:
        return msgspec.msgpack.encode(self._versions(order.left[0]))

    def take(self, order: Order[int], answer: bytes) -> Sequence[Compared]:  # type: ignore[override]
        return [(order.left.popleft(), _DIFFERENCES.decode(answer))]

    def lose(self, order: Order[int], exit: Exit) -> Sequence[Compared]:  # type: ignore[override]
        return [(order.left.popleft(), f"ended the process that read it ({exit.words})")]


MOST_RENAMED_FILES: Final = 100
"""Most files that are gone, or new, for renames to be searched: each is compared with each."""

MOST_RENAMED_BYTES: Final = 500_000
"""Largest file that is compared for renames."""

LEAST: Final = 0.5
"""Share of a file's bytes that must be in common lines for a rename."""


def find_renames(
    gone: Sequence[tuple[str, bytes]], new: Sequence[tuple[str, bytes]]
) -> dict[int, int]:
    """Returns for the number of a renamed file that of its old one: the pairs of files with the
    most lines in common, as git finds them. gone, new: paths and contents."""
    lines = [[Counter(data.split(b"\n")) for _, data in files] for files in (gone, new)]
    sizes = [[len(data) for _, data in files] for files in (gone, new)]
    pairs: list[tuple[float, bool, int, int]] = []
    for number, new_lines in enumerate(lines[1]):
        check_wanted()
        for old_number, old_lines in enumerate(lines[0]):
            smallest, largest = sorted((sizes[1][number], sizes[0][old_number]))
            if smallest < LEAST * largest or not smallest:
                continue
            shared = sum(
                min(count, new_lines[line]) * (len(line) + 1)
                for line, count in old_lines.items()
                if line in new_lines and line
            )
            if shared >= LEAST * largest:
                has_new_name = _name_of(gone[old_number][0]) != _name_of(new[number][0])
                pairs.append((-shared / largest, has_new_name, number, old_number))
    # The most similar pairs first; each file is in one pair.
    old_of: dict[int, int] = {}
    for _, _, number, old_number in sorted(pairs):
        if number not in old_of and old_number not in old_of.values():
            old_of[number] = old_number
    return old_of


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]
