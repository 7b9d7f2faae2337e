"""Selects files by the paths of a request: files, folders and globs, without those with a leading
`!`.

A path that exists means itself, whatever signs it contains; any other is a glob, or the end of a
path.
"""

import glob
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from symindex.resolve.tree import Tree, is_glob, shown_path
from symindex.search.answer.filters import shown_path_filter


class ChosenPaths(NamedTuple):
    """The paths of a request.

    Attributes:
        shown: as answers show them.
        keeps: whether a file is selected, by its shown path.
        unmatched: paths that match no known file.
    """

    shown: list[str]
    keeps: Callable[[str], bool]
    unmatched: list[str]

    @property
    def notices(self) -> list[str]:
        """Notices about paths that match no file."""
        return [f"no file matches {path}" for path in self.unmatched]


def given_paths(tree: Tree, given: str | Sequence[str]) -> list[str]:
    """Returns the paths of a request as answers show them. Raises RequestError for a path outside
    the roots."""
    entries = [given] if isinstance(given, str) else given
    return [
        "!" * entry.startswith("!") + shown_path(tree, entry.removeprefix("!")) for entry in entries
    ]


def choose_paths(tree: Tree, given: str | Sequence[str], all_paths: Collection[str]) -> ChosenPaths:
    """Returns the files that the paths of a request select. all_paths: those of all files, as they
    are shown. Raises RequestError for a path outside the roots."""
    shown = given_paths(tree, given)
    globs = [
        "!" * entry.startswith("!") + _as_glob(entry.removeprefix("!"), all_paths)
        for entry in shown
    ]
    unmatched = [
        path
        for path, pattern in zip(shown, globs, strict=True)
        if not any(map(shown_path_filter([pattern.removeprefix("!")], tree.snapshot), all_paths))
    ]
    return ChosenPaths(shown, shown_path_filter(globs, tree.snapshot), unmatched)


def _as_glob(path: str, all_paths: Collection[str]) -> str:
    if not path:
        return "*"
    if any(known_path == path or known_path.startswith(f"{path}/") for known_path in all_paths):
        return f"/{glob.escape(path)}"
    return path if is_glob(path) else f"**/{path}"
