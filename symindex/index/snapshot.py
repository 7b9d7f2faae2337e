"""A snapshot: the indexes that together contain a tree at one moment, and which of their files
still count.

The first part is the large base. Each later part contains files that have changed since, and hides
the same paths in the parts before it. A snapshot never changes: an update makes another one.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from enum import IntEnum
from functools import cached_property
from itertools import product, repeat
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np

from symindex.extract.records import FileSymbols
from symindex.files.skips import SKIP_CODES, Skip, SkipReason
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import join_ranges
from symindex.index.columns.rows import RowDetails, RowFacts, Rows, facts_at
from symindex.index.repositories import Repositories

_Read = TypeVar("_Read")


class Space(IntEnum):
    """Where rows come from, in the order in which answers list them."""

    PROJECT = 0
    USER = 1
    SYSTEM = 2
    REGISTRY = 3

    @property
    def word(self) -> str:
        """The space as requests and answers name it."""
        return self.name.lower()


class HiddenRows:
    """The rows of an index whose files do not count: usually few, and found without reading the
    others."""

    def __init__(self, index: Index, live: Mask | None) -> None:
        self._index = index
        self._live = live

    @cached_property
    def rows(self) -> I64:
        hidden = (
            np.flatnonzero(~self._live) if self._live is not None else np.empty(0, dtype=np.int64)
        )
        first = self._index.file_first[hidden].astype(np.int64)
        return self._index.row_at[
            join_ranges(first, self._index.file_first[hidden + 1] - first)
        ].astype(np.int64)

    @cached_property
    def live(self) -> Mask:
        """A mask over rows: whether the row is visible."""
        live = np.ones(self._index.n_symbols, dtype=bool)
        live[self.rows] = False
        return live

    @cached_property
    def names(self) -> tuple[I64, I64]:
        """The numbers of their names, in order, and how many of the rows have each."""
        names, counts = np.unique(self._index.name_of(self.rows), return_counts=True)
        return names, counts


class TextsInFiles(Protocol):
    """The texts of sections and items, which are not in the index, for one request."""

    def narrow(self, rows: Mask) -> None:
        """Limits all further calls to the rows in the mask."""

    def holding(self, places: I64, holds: Callable[[str], bool]) -> I64:
        """Returns the places whose texts pass a test, as far as they can be read."""


class Part:
    """An index within a snapshot.

    base: the number, among all rows of the snapshot, of its first row. live: by file, whether it
    counts; `None` if all do. file_order: computes the property with that name. prefix: of its paths
    in answers. tree: the number of its tree, in the order of the trees. texts: of its sections and
    items, if the request may read files. repositories: of the snapshot, if it has a table of them.
    """

    texts: TextsInFiles | None = None
    repositories: Repositories | None = None
    tree = 0

    def __init__(
        self,
        index: Index,
        base: int,
        live: Mask | None,
        file_order: Callable[[], I64],
        prefix: str = "",
        space: Space = Space.PROJECT,
    ) -> None:
        self.prefix = prefix
        self.space = space
        self.index = index
        self.base = base
        self.live = live
        self.hidden: HiddenRows = HiddenRows(index, live)
        self._find_order = file_order

    @cached_property
    def file_order(self) -> I64:
        """By file: a number that grows with the path, across all parts."""
        return self._find_order()

    @cached_property
    def n_symbols(self) -> int:
        """The number of live symbols."""
        if self.live is None:
            return self.index.n_symbols
        return int(np.diff(self.index.file_first)[self.live].sum())

    @cached_property
    def n_files(self) -> int:
        """The number of live files."""
        return self.index.n_files if self.live is None else int(np.count_nonzero(self.live))

    def moved(self, base: int, order: int, prefix: str, tree: int = 0) -> "Part":
        """Returns this part as a part of a snapshot of several trees. order, tree: added to
        `file_order` and `tree`."""
        moved = Part(
            self.index,
            base,
            self.live,
            lambda: self.file_order + order,
            prefix + self.prefix,
            self.space,
        )
        moved.hidden, moved.tree = self.hidden, self.tree + tree
        # Its names are the beginnings of paths in answers.
        moved.repositories = self.repositories if not prefix else None
        return moved

    def with_texts(self, texts: TextsInFiles) -> "Part":
        """Returns this part for a request that may read files."""
        part = copy(self)
        part.texts = texts
        return part

    def documents(self, base: int) -> "Part | None":
        """Returns the sections and items of its files as a part of another snapshot, or `None`."""
        index, files = self.index.documents, self.index.document_files
        if index is None:
            return None
        live = None if self.live is None else self.live[files]
        documents = Part(index, base, live, lambda: self.file_order[files], self.prefix, self.space)
        documents.tree, documents.repositories = self.tree, self.repositories
        return documents

    def rows_written(self, name: str) -> list[RowFacts]:
        """Returns the live rows whose name equals this one, ignoring case."""
        rows = self.index.rows_of_names(np.array(self.index.names_written(name), dtype=np.int64))
        if self.live is not None and len(rows):
            rows = rows[self.live[self.index.file_of(rows)]]
        return Rows(self.index, rows).facts() if len(rows) else []

    def may_have_name(self, name: str) -> bool:
        """Whether a row, which may be of a file that has changed since, has exactly this name."""
        names = self.index.names
        return any(names[number] == name for number in self.index.names_written(name))

    def files_read(self, chosen: Mask | None) -> I64:
        """Returns the numbers of the files that were read and have a language. chosen: which files
        count, by number; `None` for all."""
        is_read = (self.index.u8("file_skip") == 0) & (self.index.u8("file_language") != 0)
        return np.flatnonzero(is_read if chosen is None else is_read & chosen)

    def read_files(self, chosen: Mask | None) -> list[tuple[int, str, str]]:
        """Returns the numbers, shown paths and languages of the files that `files_read` returns."""
        index, numbers = self.index, self.files_read(chosen)
        paths = [self.prefix + path for path in index.paths.take(numbers)]
        return [*zip(numbers.tolist(), paths, index.languages_of(numbers), strict=True)]

    def counts(self, file: int) -> bool:
        return self.live is None or bool(self.live[file])

    def live_files(self) -> list[int]:
        """Returns the numbers of the live files."""
        return (
            list(range(self.index.n_files))
            if self.live is None
            else np.flatnonzero(self.live).tolist()
        )


class ShownRow(NamedTuple):
    """A row that an answer shows: the part that contains it, its RowFacts, and the 0-based line of
    its name."""

    part: Part
    number: int
    name: str
    container: str
    traits: int
    file: int
    path: str
    language: str
    line: int


FILE_SHIFT: Final = 32
"""Lowest bit of a file's order that counts files of a base; the bits below are for overlays
(`index/overlay`)."""


class Snapshot:
    """The parts, oldest first. repositories: to which the files belong, if that is known. memo:
    results that searches have computed from all parts together."""

    def __init__(
        self, parts: Sequence[Part], generation: int, repositories: Repositories | None = None
    ) -> None:
        self.parts: tuple[Part, ...] = tuple(parts)
        self.generation = generation
        self.repositories = repositories
        self.memo: dict[str, Any] = {}
        self._bases = [part.base for part in self.parts]

    @classmethod
    def of(cls, index: Index) -> "Snapshot":
        """Returns a snapshot of one index."""
        return cls(
            [Part(index, 0, None, lambda: np.arange(index.n_files))], index.columns.generation
        )

    @classmethod
    def joined(
        cls, snapshots: Sequence["Snapshot"], prefixes: Sequence[str], spaces: Sequence[Space] = ()
    ) -> "Snapshot":
        """Joins the snapshots of several trees. prefixes: of each tree's paths in answers; only a
        tree without one keeps its repositories. spaces: the new space of each tree, if given."""
        parts: list[Part] = []
        tables = (
            snapshot.repositories
            for snapshot, prefix in zip(snapshots, prefixes, strict=True)
            if not prefix
        )
        first = generation = files = trees = 0
        for number, (snapshot, prefix) in enumerate(zip(snapshots, prefixes, strict=True)):
            for part in snapshot.parts:
                parts.append(part.moved(first, files << FILE_SHIFT, prefix, trees))
                if spaces:
                    parts[-1].space = spaces[number]
                first += part.index.n_symbols
            # Each tree uses as many numbers as it has files: a fixed range per tree would limit
            # their number.
            n_trees = max((part.tree for part in snapshot.parts), default=0) + 1
            files += sum(part.index.n_files for part in snapshot.parts) + n_trees
            trees += n_trees
            generation = (generation * 31 + snapshot.generation) % 2**64
        if len(snapshots) == 1:
            generation = snapshots[0].generation
        return cls(parts, generation, next(filter(None, tables), None))

    @cached_property
    def documents(self) -> "Snapshot":
        """The sections and items of the same files."""
        parts: list[Part] = []
        base = 0
        for part in self.parts:
            if (inner := part.documents(base)) is not None:
                parts.append(inner)
                base += inner.index.n_symbols
        return Snapshot(parts, self.generation, self.repositories)

    @cached_property
    def everything(self) -> "Snapshot":
        """The symbols, followed by the sections and items."""
        parts = list(self.parts)
        base = parts[-1].base + parts[-1].index.n_symbols if parts else 0
        parts += [part.moved(base + part.base, 0, "") for part in self.documents.parts]
        return Snapshot(parts, self.generation, self.repositories)

    def with_repositories(self, repositories: Repositories) -> "Snapshot":
        """Returns this snapshot with a table of its repositories: the paths of each begin with its
        name."""
        parts = [copy(part) for part in self.parts]
        for part in parts:
            part.repositories = repositories
        return Snapshot(parts, self.generation, repositories)

    def with_texts(self, texts: Callable[[Part], TextsInFiles | None]) -> "Snapshot":
        """Returns this snapshot for a request that may read files. texts: part -> its texts, or
        `None` if it has no sections and items."""
        snapshot = copy(self)
        pairs = [(part, texts(part)) for part in self.parts]
        snapshot.parts = tuple(
            part if texts_of_part is None else part.with_texts(texts_of_part)
            for part, texts_of_part in pairs
        )
        return snapshot

    @cached_property
    def has_spaces(self) -> bool:
        """Whether a part belongs to another space than the project."""
        return any(part.space is not Space.PROJECT for part in self.parts)

    @property
    def n_symbols(self) -> int:
        return sum(part.n_symbols for part in self.parts)

    @property
    def n_files(self) -> int:
        """The number of files, including skipped ones."""
        return sum(part.n_files for part in self.parts)

    def locate(self, row: int) -> tuple[Part, int]:
        """Returns the part that contains a row of the snapshot, and the row's number there."""
        part = self.parts[bisect_right(self._bases, row) - 1]
        return part, row - part.base

    def by_part(self, rows: I64) -> Iterator[tuple[Part, I64, I64]]:
        """Yields the rows part by part: the part, the positions in `rows`, and the row numbers in
        the part."""
        for part in self.parts:
            places = np.flatnonzero((rows >= part.base) & (rows < part.base + part.index.n_symbols))
            if len(places):
                yield part, places, rows[places] - part.base

    def read(self, rows: I64, reader: Callable[[Part, Rows], Iterable[_Read]]) -> list[_Read]:
        """Reads rows of the snapshot, in their order. The reader is called once per part, with all
        rows of the part."""
        by_place: dict[int, _Read] = {}
        for part, places, local in self.by_part(rows):
            results = reader(part, Rows(part.index, local))
            if len(places) == len(rows):
                return [*results]
            by_place.update(zip(places.tolist(), results, strict=True))
        return [by_place[place] for place in sorted(by_place)]

    def shown(self, rows: I64) -> list[ShownRow]:
        """Returns the facts of rows of the snapshot, in their order."""

        def shown(part: Part, rows: Rows) -> Iterable[ShownRow]:
            return map(ShownRow, repeat(part), *rows.fact_columns(), rows.lines)

        return self.read(rows, shown)

    def shown_at(self, row: int) -> ShownRow:
        """Returns the facts of one row of the snapshot; faster than as one of several."""
        part, number = self.locate(row)
        return ShownRow(part, *facts_at(part.index, number), part.index.name_row(number))

    def details(self, rows: I64, wanted: Collection[str]) -> list[RowDetails]:
        """Returns the details of rows of the snapshot, in their order. wanted: see
        `Rows.details`."""
        return self.read(rows, lambda _, rows: rows.details(wanted))

    def find(self, path: str) -> tuple[Part, int] | None:
        """Returns the part that contains a path of an answer, and the file's number there, or
        `None`."""
        for part in reversed(self.parts):  # Newer parts hide older ones.
            if path.startswith(part.prefix):
                number = part.index.paths.find(path.removeprefix(part.prefix))
                if number is not None and part.counts(number):
                    return part, number
        return None

    def files_and_counts(self) -> Iterator[tuple[FileSymbols, int]]:
        """Yields every live file and the number of its symbols, part by part."""
        for part in self.parts:
            counts = np.diff(part.index.file_first).tolist()
            for number in part.live_files():
                yield part.index.file(number), counts[number]

    def files_left_out(self, *reasons: SkipReason) -> list[Skip]:
        """Returns the files that were read and left out for one of these reasons, by their paths in
        answers; does not look at other files."""
        skips = []
        for part, reason in product(self.parts, reasons):
            paths, details = part.index.paths, part.index.columns.skip_details
            numbers = np.flatnonzero(
                part.index.u8("file_skip") == 1 + SKIP_CODES.index(reason)
            ).tolist()
            skips += [
                Skip(part.prefix + paths[number], reason, details.get(number, ""))
                for number in numbers
                if part.counts(number)
            ]
        return sorted(skips)
