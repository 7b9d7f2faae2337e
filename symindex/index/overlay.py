"""Overlays: small indexes of files that have changed since the base was built, and lists of the
base's files that they hide.

An update adds an overlay and leaves the base alone. Many overlays are joined into one; when they
have outgrown a share of the base, all are merged with it. An overlay overrides all parts before it,
for its own paths.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from symindex.extract.records import FileSymbols
from symindex.index.columns.arrays import I64, Mask, distinct_of
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import pack, read_below
from symindex.index.columns.layout import Columns
from symindex.index.snapshot import Part, Snapshot

if TYPE_CHECKING:
    from symindex.index.kept_files import KeptFiles

MOST_OVERLAYS: Final = 8
"""Most overlays before they are joined into one: each slows every search a little."""

SHARE: Final = 0.1
"""Share of the base's symbols at which overlays are merged with it into a new base."""

FEW_SYMBOLS: Final = 5_000
"""Number of symbols in overlays that is never worth a new base."""


class Overlay(msgspec.Struct, array_like=True, frozen=True, kw_only=True, eq=False):
    """An overlay as it is stored.

    base: the checksum of the base that it belongs to. first, last: the updates that it covers,
    numbered from 1. hidden (u32): numbers of the base's files that no longer count, in order.
    removed: deleted paths, for the overlays before. generation: of the whole, with this overlay as
    the last one.
    """

    base: bytes
    first: int
    last: int
    hidden: memoryview
    removed: list[str]
    generation: int
    columns: Columns

    @property
    def hidden_files(self) -> I64:
        return np.frombuffer(self.hidden[: len(self.hidden) // 4 * 4], dtype="<u4").astype(np.int64)


class Layers:
    """A base and its overlays, oldest first, and the snapshot that they form.

    known_indexes: the indexes of the first overlays, with what searches have computed from them.
    """

    def __init__(
        self,
        base: Index,
        checksum: bytes,
        overlays: Sequence[Overlay] = (),
        known_indexes: Sequence[Index] = (),
    ) -> None:
        self.base = base
        self.checksum = checksum
        self.overlays: tuple[Overlay, ...] = tuple(overlays)
        self._indexes = [
            *known_indexes,
            *(Index(overlay.columns) for overlay in self.overlays[len(known_indexes) :]),
        ]
        self.snapshot: Snapshot = self._assemble()

    def _assemble(self) -> Snapshot:
        if not self.overlays:
            return Snapshot.of(self.base)
        live = np.ones(self.base.n_files, dtype=bool)
        for overlay in self.overlays:
            live[
                read_below(overlay.hidden_files, self.base.n_files, "hidden files of an overlay")
            ] = False
        hidden: set[str] = set()
        paths: set[str] = set()
        counting: list[Mask | None] = []
        for overlay, index in zip(reversed(self.overlays), reversed(self._indexes), strict=True):
            is_live: Mask = np.array([path not in hidden for path in index.paths.all], dtype=bool)
            counting.append(None if is_live.all() else is_live)
            paths.update(index.paths.all)
            hidden.update(index.paths.all, overlay.removed)
        order = _FileOrder(self.base, self.checksum, paths)
        parts = [Part(self.base, 0, live, order.of_base)]
        for index, mask in zip(self._indexes, reversed(counting), strict=True):
            parts.append(
                Part(
                    index,
                    parts[-1].base + parts[-1].index.n_symbols,
                    mask,
                    partial(order.of_overlay, index),
                )
            )
        return Snapshot(parts, self.overlays[-1].generation)

    @property
    def last(self) -> int:
        return self.overlays[-1].last if self.overlays else 0

    def update(
        self,
        fresh: Sequence[FileSymbols],
        touched: Mapping[str, tuple[int, int, int]] | None = None,
        removed: Sequence[str] = (),
    ) -> Overlay:
        """Returns the overlay for some changes: newly read files, the new size, mtime and stamp of
        files that were only touched, and deleted paths."""
        # Imported here and below because a search builds nothing.
        from symindex.index.build import build_index, file_hash

        touched_rows: dict[int, tuple[Index, list[int]]] = {}
        generation = self.snapshot.generation
        touched = touched or {}
        gone = [*(file.path for file in fresh), *touched, *removed]
        for path in gone:
            location = self.snapshot.find(path)
            if location is not None:
                part, number = location
                generation -= file_hash(part.index.file(number))
                if path in touched:
                    touched_rows.setdefault(id(part), (part.index, []))[1].append(number)
        sources = [
            (index, np.array(sorted(numbers), dtype=np.int64))
            for index, numbers in touched_rows.values()
        ]
        index = build_index(fresh, sources, b"", touched)
        return Overlay(
            base=self.checksum,
            first=self.last + 1,
            last=self.last + 1,
            hidden=_hidden_by(gone, self.base),
            removed=sorted(removed),
            generation=(generation + sum(map(file_hash, map(index.file, range(index.n_files)))))
            % 2**64,
            columns=index.columns,
        )

    def with_overlay(self, overlay: Overlay) -> "Layers":
        return Layers(self.base, self.checksum, [*self.overlays, overlay], self._indexes)

    def joined(self) -> Overlay:
        """Returns all overlays as one."""
        from symindex.index.build import build_index

        hidden = distinct_of(np.concatenate([overlay.hidden_files for overlay in self.overlays]))
        return Overlay(
            base=self.checksum,
            first=1,
            last=self.last,
            hidden=pack(hidden, "<u4"),
            removed=[],  # No overlay comes before it.
            generation=self.snapshot.generation,
            columns=build_index([], live_sources(self.snapshot.parts[1:])).columns,
        )

    def merged(self, salt: bytes) -> Index:
        """Returns a new base, equal to an index of all these files built from scratch."""
        from symindex.index.build import build_index

        return build_index([], live_sources(self.snapshot.parts), salt)

    @property
    def wants_merge(self) -> bool:
        """Whether the overlays have outgrown their share."""
        count = sum(index.n_symbols for index in self._indexes) + sum(
            len(overlay.hidden_files) for overlay in self.overlays
        )
        return count > max(FEW_SYMBOLS, SHARE * self.base.n_symbols)

    @property
    def wants_join(self) -> bool:
        return len(self.overlays) > MOST_OVERLAYS


def move_overlays(base: Index, checksum: bytes, overlays: Sequence[Overlay]) -> list[Overlay]:
    """Returns overlays moved to another base, which covers all overlays before them."""
    moved = []
    for number, overlay in enumerate(overlays, start=1):
        hidden = _hidden_by([*Index(overlay.columns).paths.all, *overlay.removed], base)
        moved.append(
            msgspec.structs.replace(
                overlay, base=checksum, first=number, last=number, hidden=hidden
            )
        )
    return moved


def _hidden_by(paths: Iterable[str], base: Index) -> memoryview:
    """Returns `Overlay.hidden` for an overlay with these paths."""
    return pack(
        sorted({number for path in paths if (number := base.paths.find(path)) is not None}), "<u4"
    )


def live_sources(parts: Iterable[Part]) -> "list[KeptFiles]":
    """Returns the live files of several parts, as sources of a build."""
    return [(part.index, np.array(part.live_files(), dtype=np.int64)) for part in parts]


class _FileOrder:
    """Orders the files of base and overlays by path, as `Part.file_order`.

    A file of the base has its number in the upper 32 bits, and all lower bits set. A file of an
    overlay has the number of the next file of the base, and in the lower bits its rank among all
    paths of overlays; so it comes before that file.
    """

    def __init__(self, base: Index, checksum: bytes, paths: set[str]) -> None:
        self._base = base
        self._key = ("order", checksum.hex())
        self._paths = paths
        self._rank: dict[str, int] = {}

    def of_base(self) -> I64:
        return (np.arange(self._base.n_files, dtype=np.int64) << 32) | (2**32 - 1)

    def of_overlay(self, index: Index) -> I64:
        if not self._rank:
            self._rank = {path: number for number, path in enumerate(sorted(self._paths))}
        upper = index.memo.get(self._key)  # An overlay outlives many later ones.
        if upper is None:
            places = [self._base.paths.place_of(path) for path in index.paths.all]
            upper = index.memo[self._key] = np.array(places, dtype=np.int64) << 32
        ranks = np.array([self._rank[path] for path in index.paths.all], dtype=np.int64)
        return np.asarray(upper | ranks, dtype=np.int64)
