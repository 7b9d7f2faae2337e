"""Repositories of which several branches are read: a file that is the same in more than one is
shown once, in the first branch by name.

A request that names a branch, or a repository, gets all of its files.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
import numpy as np

from symindex.fleet.stored.generation import RepositoryState
from symindex.index.columns.arrays import Mask
from symindex.index.repositories import Repositories
from symindex.index.snapshot import Part, Snapshot

_NAMES_REPOSITORIES: Final = re.compile(r"\b(?:repo|branch):")


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
    return Snapshot(parts, snapshot.generation, snapshot.repositories)


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


def names_a_branch(texts: Iterable[str], groups: Sequence[Sequence[str]]) -> bool:
    """Whether a request with these texts is about named repositories or branches."""
    names = [name for group in groups for name in group]
    return any(
        _NAMES_REPOSITORIES.search(text) or any(name in text for name in names) for text in texts
    )


def texts_in(value: object) -> Iterator[str]:
    """Yields the texts in a request, or in a list of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, msgspec.Struct):
        yield from texts_in([getattr(value, name) for name in value.__struct_fields__])
