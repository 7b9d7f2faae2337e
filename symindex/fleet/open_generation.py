"""A generation with its indexes mapped: shards, and what stands beside them, as one snapshot."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from symindex.errors import IndexFileError, StorageError, shown
from symindex.files.skips import Skip, SkipReason
from symindex.fleet.branches import branched, shown_once
from symindex.fleet.cache import LocalCache
from symindex.fleet.stored.generation import Built, Generation
from symindex.fleet.texts import PackedTexts
from symindex.index.build import salt_hash
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.repositories import Repositories, Repository
from symindex.index.snapshot import Part, Snapshot
from symindex.workspace.limited import ANYWHERE, Limit, limited_to

if TYPE_CHECKING:
    from symindex.recall.recall import Recall


class OpenGeneration:
    """See the module. An index that cannot be read is left out.

    served: name -> object of the repositories in the snapshot. every: the snapshot of all files.
    branched: repositories of which several branches are read. snapshot: with the files that are
    equal in several shown once. texts: their files. skips: files that no index names. recall:
    answers questions from their documents, once somebody has asked.
    """

    def __init__(self, generation: Generation, cache: LocalCache, rules: bytes) -> None:
        self.generation = generation
        self.recall: Recall | None = None
        self._missing: list[tuple[Sequence[str], str]] = []
        built = {
            name: state.built
            for name, state in generation.repositories.items()
            if state.built is not None
        }
        for name in _inside_others(built):
            del built[name]
            self._missing.append(([name], "its name lies within that of another"))
        self._starts = _starts_of(built)
        self._parts: list[Part] = []
        self._first = 0
        absent: set[str] = set()
        for shard in generation.shards:
            live = [
                name
                for name, object_ in shard.members.items()
                if name in built and built[name].object == object_
            ]
            if live:
                try:
                    self._add(cache.shard(shard.object), list(shard.members), live)
                except (StorageError, IndexFileError) as error:
                    absent.update(live)
                    self._missing.append((live, str(error)))
        loose = {name: one for name, one in generation.loose().items() if name in built}
        for name, object_ in loose.items():
            try:
                self._add(cache.repository(object_), [name], [name])
            except (StorageError, IndexFileError) as error:
                absent.add(name)
                self._missing.append(([name], str(error)))
        self.served: dict[str, str] = {
            name: one.object for name, one in built.items() if name not in absent
        }
        self.skips: list[Skip] = [
            Skip(f"{name}/{path}", SkipReason(reason))
            for name in self.served
            for path, reason in built[name].skips
        ]
        # The generation of one index with the files of all.
        salt = salt_hash(rules)
        sums = (built[name].generation - salt for name in self.served)
        table = _table(generation, self.served)
        self.every: Snapshot = Snapshot(self._parts, (sum(sums) + salt) % 2**64).with_repositories(
            table
        )
        self.branched: list[list[str]] = branched(
            generation.repositories[name] for name in self.served
        )
        self.snapshot: Snapshot = shown_once(self.every, self.branched)
        self.texts: PackedTexts = PackedTexts(cache, self.served)

    def _add(self, index: Index, members: Sequence[str], live: Sequence[str]) -> None:
        """Adds an index. members: the repositories in it. live: those of them that count."""
        is_live = None if len(live) == len(members) else _files_of(index, live)
        order = partial(self._order_of, index, members)
        self._parts.append(Part(index, self._first, is_live, order))
        self._first += index.n_symbols

    @property
    def missing(self) -> list[str]:
        """What is left out, in lines that name the repositories."""
        return self.missing_of(ANYWHERE)

    def missing_of(self, limit: Limit) -> list[str]:
        """Returns what is left out of the repositories to which a request is limited."""
        if not self._missing:
            return []
        chosen = limited_to(limit.paths, self.generation.repositories)
        told = (
            ([name for name in names if (not chosen or name in chosen) and limit.lets(name)], why)
            for names, why in self._missing
        )
        return [_tell_missing(names, why) for names, why in told if names]

    def has_folder(self, path: str) -> bool:
        """Whether a path without a slash at its end is a folder."""
        indexes = (part.index for part in self._parts)
        return any(low < high for low, high in (_range_of(index, path) for index in indexes))

    def _order_of(self, index: Index, members: Sequence[str]) -> I64:
        """Returns numbers that grow with the paths, across all parts."""
        order = np.zeros(index.n_files, dtype=np.int64)
        for name in members:
            low, high = _range_of(index, name)
            start = self._starts.get(name, 0)
            order[low:high] = np.arange(start, start + high - low)
        return order


def _table(generation: Generation, served: Iterable[str]) -> Repositories:
    """Returns the served repositories as requests may name them."""
    states = (generation.repositories[name] for name in served)
    return Repositories(
        Repository(state.name, state.branch, state.built.commit)
        for state in states
        if state.built is not None
    )


def _inside_others(names: Iterable[str]) -> list[str]:
    """Returns the names that lie within another, as `acme/web` within `acme`: a path could mean
    either. A whole run lets only one of them stay."""
    inside: list[str] = []
    outer = ""
    for name in sorted(names, key=lambda name: f"{name}/"):
        if outer and name.startswith(f"{outer}/"):
            inside.append(name)
        else:
            outer = name
    return inside


def _starts_of(built: dict[str, Built]) -> dict[str, int]:
    """Returns by repository the number of its first file among all, in the order of paths."""
    starts: dict[str, int] = {}
    start = 0
    for name in sorted(built, key=lambda name: f"{name}/"):
        starts[name] = start
        start += built[name].files
    return starts


def _range_of(index: Index, name: str) -> tuple[int, int]:
    """Returns the range of a repository's files. "0" is the character after the slash."""
    return index.paths.place_of(f"{name}/"), index.paths.place_of(f"{name}0")


def _files_of(index: Index, names: Sequence[str]) -> Mask:
    live = np.zeros(index.n_files, dtype=bool)
    for name in names:
        low, high = _range_of(index, name)
        live[low:high] = True
    return live


_SHOWN_NAMES: Final = 5


def _tell_missing(names: Iterable[str], why: str) -> str:
    names = sorted(names)
    some = ", ".join(names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    return shown(f"not searched: {some}{more} ({why})")
