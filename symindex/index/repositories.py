"""The repositories of a snapshot: which of its files belong to which.

The paths of a repository begin with its name and a slash, as answers show them, whether it has an
index of its own or shares one with others. So its files are a range of each index.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from symindex.errors import RequestError
from symindex.index.columns.arrays import I64
from symindex.index.columns.columns import Index
from symindex.text.escaping import shorten

_ODD: Final = frozenset({"", ".", ".."})
"""Parts that a path in an index cannot have."""

_LONGEST_SHOWN: Final = 100
"""Longest name, in characters, that a message repeats in full."""


class Repository(NamedTuple):
    """A repository at a commit. name: unique, such as `pallets/click`. branch, commit: empty if
    they are unknown."""

    name: str
    branch: str = ""
    commit: str = ""

    @property
    def prefix(self) -> str:
        """The beginning of its paths in answers."""
        return f"{self.name}/"


class FileRange(NamedTuple):
    """The files of a repository in an index, from number `start` to `end`, without `end`."""

    repository: Repository
    start: int
    end: int


class Repositories:
    """An immutable table of repositories, in the order of their paths. Raises RequestError for a
    name that is no path, occurs twice, or lies within another."""

    def __init__(self, repositories: Iterable[Repository] = ()) -> None:
        self._all = tuple(sorted(repositories, key=lambda repository: repository.prefix))
        self._prefixes = [repository.prefix for repository in self._all]
        for repository in self._all:
            if "\0" in repository.name or _ODD.intersection(repository.name.split("/")):
                raise RequestError(
                    f"repository {shorten(repository.name, _LONGEST_SHOWN)!r}: a name looks like"
                    " owner/project, without empty parts or dots alone"
                )
        for one, other in pairwise(self._prefixes):
            if other.startswith(one):
                raise RequestError(
                    f"repositories {one[:-1]} and {other[:-1]}: each must have a name of its own"
                    " that does not lie within another"
                )
        self._ranges: WeakKeyDictionary[Index, dict[str, tuple[FileRange, ...]]] = (
            WeakKeyDictionary()
        )
        self._tops: WeakKeyDictionary[Index, dict[str, tuple[I64, list[str]]]] = WeakKeyDictionary()

    def __iter__(self) -> Iterator[Repository]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def of(self, path: str) -> Repository | None:
        """Returns the repository of a path as answers show it, `None` if it is in none."""
        number = bisect_right(self._prefixes, path) - 1
        is_inside = number >= 0 and path.startswith(self._prefixes[number])
        return self._all[number] if is_inside else None

    def ranges(self, index: Index, prefix: str) -> tuple[FileRange, ...]:
        """Returns the files of an index by repository. prefix: of its paths in answers."""
        cached = self._ranges.setdefault(index, {})
        if prefix not in cached:
            cached[prefix] = tuple(self._find_ranges(index, prefix))
        return cached[prefix]

    def _find_ranges(self, index: Index, prefix: str) -> Iterator[FileRange]:
        paths, number = index.paths, 0
        while number < len(paths):
            path = prefix + paths[number]
            repository = self.of(path)
            if repository is not None:
                # "0" is the character after the slash.
                end = _number_of(index, prefix, repository.name + "0")
                yield FileRange(repository, number, end)
                number = end
                continue
            following = bisect_right(self._prefixes, path)
            if following == len(self._all):
                return
            number = _number_of(index, prefix, self._prefixes[following])

    def top_folders(self, index: Index, prefix: str) -> tuple[I64, list[str]]:
        """Returns by folder of an index the number of the folder at the root of a repository that
        it is in, and these as paths in answers with a final slash; the first is empty, for folders
        that are in none."""
        cached = self._tops.setdefault(index, {})
        if prefix not in cached:
            numbers: dict[str, int] = {"": 0}
            of_folders = [
                numbers.setdefault(self._top_of(prefix + folder), len(numbers))
                for folder in index.folders.all
            ]
            cached[prefix] = np.array(of_folders, dtype=np.int64), [*numbers]
        return cached[prefix]

    def _top_of(self, folder: str) -> str:
        repository = self.of(folder)
        if repository is None:
            return ""
        top, slash, _ = folder.removeprefix(repository.prefix).partition("/")
        return f"{repository.prefix}{top}/" if slash else ""


def _number_of(index: Index, prefix: str, shown: str) -> int:
    """Returns the number of the first file whose path in answers is not less than `shown`."""
    if shown.startswith(prefix):
        return index.paths.place_of(shown.removeprefix(prefix))
    return 0 if shown < prefix else index.n_files
