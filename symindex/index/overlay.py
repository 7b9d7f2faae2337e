"""Overlays: small indexes of files that have changed since the base was built, and what they hide of it.

An update does not touch the base. It adds an overlay; a few overlays are joined into one, and all are merged with the base when
they have grown past a share of it. What an overlay says of a path counts for all parts before it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import numpy as np

from symindex.extract.records import FileSymbols
from symindex.index.arrays import I64, Mask
from symindex.index.columns import Index
from symindex.index.integer_columns import read_below
from symindex.index.layout import Columns
from symindex.index.snapshot import Part, Snapshot

if TYPE_CHECKING:
    from symindex.index.build import Source

MOST_OVERLAYS: Final = 8
"""More than this are joined into one: each costs every search a little."""

SHARE: Final = 0.1
"""When overlays hold more than this share of the base's symbols, all are merged into a new base."""

FEW_SYMBOLS: Final = 5_000
"""So many are never worth a new base."""


class Overlay(msgspec.Struct, array_like=True, frozen=True, kw_only=True, eq=False):
    """An overlay as it is stored.

    base: the checksum of the base that it belongs to. first, last: it stands for the updates of these numbers, counted from 1 on.
    hidden u32: numbers of the base's files that no longer count, in order. removed: paths that are gone, for the overlays before.
    generation: of the whole, with this overlay as the last one.
    """

    base: bytes
    first: int
    last: int
    hidden: memoryview
    removed: list[str]
    generation: int
    columns: Columns


class Update(NamedTuple):
    """What has changed: files read anew, files that were only touched with their size, mtime and stamp, paths that are gone."""

    fresh: Sequence[FileSymbols]
    touched: Mapping[str, tuple[int, int, int]]
    removed: Sequence[str]


class Layers:
    """A base and its overlays, oldest first, and the snapshot that they are.

    known: the indexes of the first overlays, with what searches have found out about them.
    """

    def __init__(self, base: Index, checksum: bytes, overlays: Sequence[Overlay] = (), known: Sequence[Index] = ()) -> None:
        self.base = base
        self.checksum = checksum
        self.overlays = tuple(overlays)
        self._indexes = [*known, *(Index(overlay.columns) for overlay in self.overlays[len(known) :])]
        self.snapshot = self._assemble()

    def _assemble(self) -> Snapshot:
        if not self.overlays:
            return Snapshot.of(self.base)
        live = np.ones(self.base.n_files, dtype=bool)
        for overlay in self.overlays:
            hidden_files = np.frombuffer(overlay.hidden[: len(overlay.hidden) // 4 * 4], dtype="<u4")
            live[read_below(hidden_files, self.base.n_files, "hidden files of an overlay")] = False
        order = _Order(self.base, self.checksum)
        parts = [Part(self.base, 0, live, lambda: (np.arange(self.base.n_files, dtype=np.int64) << 32) | _LAST)]
        first_row = self.base.n_symbols
        hidden: set[str] = set()
        newest_first: list[tuple[Index, Mask | None]] = []
        for overlay, index in zip(reversed(self.overlays), reversed(self._indexes), strict=True):
            paths = index.paths.all
            is_live: Mask = np.array([path not in hidden for path in paths], dtype=bool)
            newest_first.append((index, None if is_live.all() else is_live))
            order.add(paths)
            hidden.update(paths, overlay.removed)
        for index, counting in reversed(newest_first):
            parts.append(Part(index, first_row, counting, order.of(index)))
            first_row += index.n_symbols
        return Snapshot(parts, self.overlays[-1].generation)

    @property
    def last(self) -> int:
        """The number of the last update."""
        return self.overlays[-1].last if self.overlays else 0

    def find(self, path: str) -> tuple[Part, int] | None:
        """The part that knows a path, and the file's number there."""
        return self.snapshot.find(path)

    def update(self, update: Update) -> Overlay:
        """The overlay that makes these layers what they should be."""
        from symindex.index.build import build_index, file_hash  # here and below, because who only searches builds nothing

        kept: dict[int, tuple[Index, list[int]]] = {}
        generation = self.snapshot.generation
        gone = [*(file.path for file in update.fresh), *update.touched, *update.removed]
        for path in gone:
            known = self.find(path)
            if known is None:
                continue
            part, number = known
            generation -= file_hash(part.index.file(number))
            if path in update.touched:
                kept.setdefault(id(part), (part.index, []))[1].append(number)
        sources = [(index, np.array(sorted(numbers), dtype=np.int64)) for index, numbers in kept.values()]
        index = build_index(update.fresh, sources, b"", update.touched)
        hidden = sorted(found for path in gone if (found := self.base.find_file(path)) is not None)
        return Overlay(
            base=self.checksum,
            first=self.last + 1,
            last=self.last + 1,
            hidden=memoryview(np.array(hidden, dtype="<u4").tobytes()),
            removed=sorted(update.removed),
            generation=(generation + sum(map(file_hash, index.files()))) % 2**64,
            columns=index.columns,
        )

    def with_overlay(self, overlay: Overlay) -> "Layers":
        """These layers with one more."""
        return Layers(self.base, self.checksum, [*self.overlays, overlay], self._indexes)

    def with_joined(self, overlay: Overlay) -> "Layers":
        """These layers with one overlay in place of the first ones."""
        return Layers(self.base, self.checksum, [overlay, *(old for old in self.overlays if old.first > overlay.last)])

    def joined(self) -> Overlay:
        """All overlays as one."""
        from symindex.index.build import build_index

        index = build_index([], live_sources(self.snapshot.parts[1:]), b"")
        hidden = np.unique(np.concatenate([np.frombuffer(overlay.hidden, dtype="<u4") for overlay in self.overlays]))
        return Overlay(
            base=self.checksum,
            first=1,
            last=self.last,
            hidden=memoryview(hidden.astype("<u4").tobytes()),
            removed=[],  # there is no overlay before it
            generation=self.snapshot.generation,
            columns=index.columns,
        )

    def merged(self, salt: bytes) -> Index:
        """A base of its own: what an index of all these files would be if it were built from scratch."""
        from symindex.index.build import build_index

        return build_index([], live_sources(self.snapshot.parts), salt)

    @property
    def wants_merge(self) -> bool:
        """Whether the overlays have grown past their share."""
        count = sum(index.n_symbols for index in self._indexes) + sum(len(overlay.hidden) // 4 for overlay in self.overlays)
        return count > max(FEW_SYMBOLS, SHARE * self.base.n_symbols)

    @property
    def wants_join(self) -> bool:
        """Whether there are too many overlays."""
        return len(self.overlays) > MOST_OVERLAYS


def move_overlays(base: Index, checksum: bytes, overlays: Sequence[Overlay]) -> list[Overlay]:
    """Overlays, to lie on another base that stands for all before them."""
    moved: list[Overlay] = []
    for number, overlay in enumerate(overlays, start=1):
        paths = [*Index(overlay.columns).paths.all, *overlay.removed]
        hidden = sorted({found for path in paths if (found := base.find_file(path)) is not None})
        moved.append(
            msgspec.structs.replace(
                overlay, base=checksum, first=number, last=number, hidden=memoryview(np.array(hidden, dtype="<u4").tobytes())
            )
        )
    return moved


def live_sources(parts: Iterable[Part]) -> "list[Source]":
    """What counts in some parts, to build from."""
    return [(part.index, np.array(part.live_files(), dtype=np.int64)) for part in parts]


_LAST: Final = 2**32 - 1


class _Order:
    """Where the files of overlays stand among those of the base, by path: before the base's file i is below (i << 32) + _LAST."""

    def __init__(self, base: Index, checksum: bytes) -> None:
        self._base = base
        self._key = ("order", checksum.hex())
        self._paths: set[str] = set()
        self._rank: dict[str, int] = {}

    def add(self, paths: Iterable[str]) -> None:
        """Paths of an overlay."""
        self._paths.update(paths)

    def of(self, index: Index) -> Callable[[], I64]:
        """The order of an overlay's files, found out when it is asked for."""
        return lambda: self._numbers(index)

    def _numbers(self, index: Index) -> I64:
        if len(self._rank) != len(self._paths):
            self._rank = {path: number for number, path in enumerate(sorted(self._paths))}
        before = index.memo.get(self._key)  # an overlay outlives many that come after it
        if before is None:
            table = self._base.paths
            found = [table.place_of(path) for path in index.paths.all]
            before = index.memo[self._key] = np.array(found, dtype=np.int64) << 32
        ranks = np.array([self._rank[path] for path in index.paths.all], dtype=np.int64)
        return np.asarray(before | ranks, dtype=np.int64)
