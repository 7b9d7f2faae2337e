"""Repositories of which several branches are read: a file that is the same in more than one is
shown once, in the first branch by name.

A request that names a branch, or a repository, gets all of its files.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from symindex.fleet.stored.generation import RepositoryState
from symindex.index.columns.arrays import Mask
from symindex.index.repositories import Repositories
from symindex.index.snapshot import Part, Snapshot
from symindex.search.answer.plan import Plan

_NAMES_REPOSITORIES: Final = re.compile(r"\b(?:repo|branch):")


class BranchedSnapshot(Snapshot):
    """A snapshot in which every file is shown once. every: the one with the files of all branches;
    a path finds them in either."""

    def __init__(
        self,
        parts: Sequence[Part],
        generation: int,
        repositories: Repositories | None,
        every: Snapshot,
    ) -> None:
        super().__init__(parts, generation, repositories)
        self.every = every

    def find(self, path: str) -> tuple[Part, int] | None:
        """See `Snapshot.find`."""
        return self.every.find(path)


def branched(states: Iterable[RepositoryState]) -> list[list[str]]:
    """Returns the names of repositories with one location, in groups of more than one, by name."""
    by_location: dict[str, list[str]] = {}
    for state in states:
        if state.built is not None:
            by_location.setdefault(state.location or state.name, []).append(state.name)
    return [sorted(names) for names in by_location.values() if len(names) > 1]


def shown_once(snapshot: Snapshot, groups: Sequence[Sequence[str]]) -> Snapshot:
    """Returns the snapshot without the copies of files in other branches. groups: names, as
    `branched` returns them."""
    if not groups:
        return snapshot
    places = _places(snapshot)
    hidden: dict[int, Mask] = {}
    for names in groups:
        known: set[tuple[str, bytes]] = set()
        for name in names:
            if name not in places:
                continue
            number, start, end = places[name]
            part = snapshot.parts[number]
            digests = np.frombuffer(part.index.columns.file_digest, dtype="V16")[start:end]
            paths = part.index.paths.take(np.arange(start, end))
            files = [
                (path[len(name) :], digest.tobytes())
                for path, digest in zip(paths, digests, strict=True)
            ]
            mask = hidden.setdefault(number, np.zeros(part.index.n_files, dtype=bool))
            mask[start:end] = [any(file[1]) and file in known for file in files]
            known.update(files)
    parts = [_without(part, hidden.get(number)) for number, part in enumerate(snapshot.parts)]
    return BranchedSnapshot(parts, snapshot.generation, snapshot.repositories, snapshot)


def _places(snapshot: Snapshot) -> dict[str, tuple[int, int, int]]:
    """Returns by repository the number of its part, and the range of its files."""
    table = snapshot.repositories or Repositories()
    return {
        repository.name: (number, start, end)
        for number, part in enumerate(snapshot.parts)
        for repository, start, end in table.ranges(part.index, part.prefix)
        if part.live is None or part.live[start:end].any()
    }


def _without(part: Part, hidden: Mask | None) -> Part:
    """Returns a part without some of its files."""
    if hidden is None or not hidden.any():
        return part
    live = ~hidden if part.live is None else part.live & ~hidden
    shown = Part(part.index, part.base, live, lambda: part.file_order, part.prefix, part.space)
    shown.repositories = part.repositories
    return shown


def names_a_branch(plan: Plan, groups: Sequence[Sequence[str]]) -> bool:
    """Whether a search is about named repositories or branches."""
    texts = [plan.request.query, *plan.paths]
    names = [name for group in groups for name in group]
    return any(
        _NAMES_REPOSITORIES.search(text) or any(name in text for name in names) for text in texts
    )
