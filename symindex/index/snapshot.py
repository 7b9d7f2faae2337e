"""A snapshot: the indexes that together hold a space at one moment, and which of their files still count.

The first part is the large base; those behind it hold the files that have changed since, each hiding what the parts before it
know of the same paths. Whoever has a snapshot keeps it: an update makes another one.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Final, TypeVar

import numpy as np

from symindex.extract.records import FileSymbols
from symindex.files.skips import SKIP_CODES, Skip, SkipReason, Terms
from symindex.files.walk import FoundFiles
from symindex.index.arrays import I64, Mask, Numbers
from symindex.index.columns import Index
from symindex.index.manifest import KnownFiles
from symindex.index.rows import Rows

_Read = TypeVar("_Read")


class Part:
    """An index within a snapshot.

    base: the number, among all rows of the snapshot, of its first row. live: by file, whether it counts; `None` if all do.
    file_order: what `file_order` is, asked when it is needed. prefix: what stands before its paths where they are shown.
    """

    def __init__(self, index: Index, base: int, live: Mask | None, file_order: Callable[[], I64], prefix: str = "") -> None:
        self.prefix = prefix
        self.index = index
        self.base = base
        self.live = live
        self._find_order = file_order
        self._known: dict[str, Numbers] = {}  # shared by all that are moved from this one

    @cached_property
    def file_order(self) -> I64:
        """By file: a number that grows with the path, across all parts."""
        return self._find_order()

    @cached_property
    def n_symbols(self) -> int:
        """How many symbols count."""
        if self.live is None:
            return self.index.n_symbols
        return int(np.diff(self.index.file_first)[self.live].sum())

    @cached_property
    def n_files(self) -> int:
        """How many files count."""
        return self.index.n_files if self.live is None else int(np.count_nonzero(self.live))

    @property
    def live_rows(self) -> Mask:
        """By row: whether its file counts."""
        rows = self._known.get("live_rows")
        if rows is None:
            rows = np.ones(self.index.n_symbols, dtype=bool)
            rows[self.hidden_rows] = False
            self._known["live_rows"] = rows
        return rows

    @property
    def hidden_rows(self) -> I64:
        """The rows of files that do not count: few, as a rule, and found without looking at the others."""
        rows = self._known.get("hidden_rows")
        if rows is None:
            hidden = np.flatnonzero(~self.live) if self.live is not None else np.empty(0, dtype=np.int64)
            first = self.index.file_first
            of_files = [self.index.row_at[first[number] : first[number + 1]] for number in hidden.tolist()]
            rows = np.concatenate(of_files).astype(np.int64) if of_files else np.empty(0, dtype=np.int64)
            self._known["hidden_rows"] = rows
        return rows

    @property
    def hidden_names(self) -> tuple[I64, I64]:
        """The numbers of the names that such rows have, in order, and how many rows of each are hidden."""
        names, counts = self._known.get("hidden_names"), self._known.get("hidden_counts")
        if names is None or counts is None:
            names, counts = np.unique(self.index.name_of(self.hidden_rows), return_counts=True)
            self._known["hidden_counts"], self._known["hidden_names"] = counts, names
        return names, counts

    def moved(self, base: int, order: int, prefix: str) -> "Part":
        """The same in a snapshot of several trees. order: what is added to `file_order`."""
        moved = Part(self.index, base, self.live, lambda: self.file_order + order, prefix + self.prefix)
        moved._known = self._known
        return moved

    def counts(self, file: int) -> bool:
        """Whether a file counts."""
        return self.live is None or bool(self.live[file])

    def live_files(self) -> list[int]:
        """The numbers of the files that count."""
        return list(range(self.index.n_files)) if self.live is None else np.flatnonzero(self.live).tolist()


TREE_SHIFT: Final = 56
"""The order of a tree's files, the number of a file of the base in the upper 32 bits (`index/overlay`), needs fewer."""


class Snapshot:
    """The parts, oldest first."""

    def __init__(self, parts: Sequence[Part], generation: int) -> None:
        self.parts = tuple(parts)
        self.generation = generation
        self._bases = [part.base for part in self.parts]

    @classmethod
    def of(cls, index: Index) -> "Snapshot":
        """One index alone."""
        return cls([Part(index, 0, None, lambda: np.arange(index.n_files))], index.generation)

    @classmethod
    def joined(cls, snapshots: Sequence["Snapshot"], prefixes: Sequence[str]) -> "Snapshot":
        """The snapshots of several trees as one. prefixes: of each, what stands before its paths where they are shown."""
        parts: list[Part] = []
        first = generation = 0
        for number, (snapshot, prefix) in enumerate(zip(snapshots, prefixes, strict=True)):
            for part in snapshot.parts:
                parts.append(part.moved(first, number << TREE_SHIFT, prefix))
                first += part.index.n_symbols
            generation = (generation * 31 + snapshot.generation) % 2**64
        return cls(parts, generation if len(snapshots) != 1 else snapshots[0].generation)

    @property
    def n_symbols(self) -> int:
        """How many symbols."""
        return sum(part.n_symbols for part in self.parts)

    @property
    def n_files(self) -> int:
        """How many files, the skipped ones among them."""
        return sum(part.n_files for part in self.parts)

    def locate(self, row: int) -> tuple[Part, int]:
        """The part of a row of the snapshot, and its row there."""
        part = self.parts[bisect_right(self._bases, row) - 1]
        return part, row - part.base

    def by_part(self, rows: I64) -> Iterator[tuple[Part, I64, I64]]:
        """Rows of the snapshot part by part: the part, which of them stand in it, and their rows there."""
        for part in self.parts:
            places = np.flatnonzero((rows >= part.base) & (rows < part.base + part.index.n_symbols))
            if len(places):
                yield part, places, rows[places] - part.base

    def read(self, rows: I64, reader: Callable[[Part, Rows], Iterable[_Read]]) -> list[_Read]:
        """What a reader makes of rows of the snapshot, in their order; it is given those of a part at once."""
        found: dict[int, _Read] = {}
        for part, places, local in self.by_part(rows):
            found.update(zip(places.tolist(), reader(part, Rows(part.index, local)), strict=True))
        return [each for _, each in sorted(found.items(), key=itemgetter(0))]

    def find(self, path: str) -> tuple[Part, int] | None:
        """The part that knows a path, as it is shown, and the file's number there."""
        for part in reversed(self.parts):  # what is newer hides what is older
            if path.startswith(part.prefix):
                number = part.index.find_file(path.removeprefix(part.prefix))
                if number is not None and part.counts(number):
                    return part, number
        return None

    def symbol_id(self, row: int) -> str:
        """As Index.symbol_id."""
        part, local = self.locate(row)
        return part.index.symbol_id(local)

    def files(self) -> list[FileSymbols]:
        """Every file, in the order of the paths."""
        return sorted(
            (part.index.file(number) for part in self.parts for number in part.live_files()), key=lambda file: file.path
        )

    def files_and_counts(self) -> Iterator[tuple[FileSymbols, int]]:
        """Every file and the number of its symbols, part by part."""
        for part in self.parts:
            counts = np.diff(part.index.file_first).tolist()
            for number in part.live_files():
                yield part.index.file(number), counts[number]

    def skipped_files(self) -> list[FileSymbols]:
        """The files that were looked at and have no symbols for some reason, in the order of the paths."""
        found: list[FileSymbols] = []
        for part in self.parts:
            skipped = np.flatnonzero(part.index.u8("file_skip")).tolist()
            found.extend(part.index.file(number) for number in skipped if part.counts(number))
        return sorted(found, key=lambda file: file.path)

    def files_left_out(self, reason: SkipReason) -> list[Skip]:
        """The files that were left out for one reason, by the paths that are shown; found without looking at the others."""
        code, found = 1 + SKIP_CODES.index(reason), []
        for part in self.parts:
            for number in np.flatnonzero(part.index.u8("file_skip") == code).tolist():
                if part.counts(number):
                    found.append(Skip(part.prefix + part.index.paths[number], reason))
        return sorted(found)

    def agrees(self, files: FoundFiles, terms: Terms) -> bool:
        """Whether these are all the files and none has changed: the usual case, found out quickly. Where there are several parts
        it is not looked into. terms: as for Index.known_files."""
        return len(self.parts) == 1 and self.parts[0].index.agrees(files, terms)

    def known_files(self, terms: Terms) -> KnownFiles:
        """Every file, part by part; see Index.known_files."""
        parts = [_live_only(part.index.known_files(terms), part.live) for part in self.parts]
        if len(parts) == 1:
            return parts[0]
        paths, sizes, mtimes, stamps, digests, try_again = zip(*parts, strict=True)
        return KnownFiles(
            list(chain.from_iterable(paths)),
            np.concatenate(sizes),
            np.concatenate(mtimes),
            np.concatenate(stamps),
            np.concatenate(digests),
            np.concatenate(try_again),
        )

    def column_bytes(self) -> dict[str, int]:
        """The size of every column, over all parts."""
        sizes: dict[str, int] = {}
        for part in self.parts:
            for name, size in part.index.column_bytes().items():
                sizes[name] = sizes.get(name, 0) + size
        return sizes


def _live_only(known: KnownFiles, live: Mask | None) -> KnownFiles:
    if live is None:
        return known
    paths = [known.paths[number] for number in np.flatnonzero(live).tolist()]
    return KnownFiles(
        paths, known.sizes[live], known.mtimes[live], known.stamps[live], known.digests[live], known.try_again[live]
    )
