"""Which files the paths of a request mean: files, folders and globs, several of them, without those
with a leading `!`.

A path that is there means itself, whatever signs it holds; else it is a glob, or the end of a path.
"""

import glob
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from symindex.explore.tree import Tree, is_glob, shown_path
from symindex.search.answer.filters import shown_path_filter


class ChosenPaths(NamedTuple):
    """shown: as answers show them. keeps: whether a file is meant, by its shown path. unmatched:
    those that no known file matches."""

    shown: list[str]
    keeps: Callable[[str], bool]
    unmatched: list[str]

    @property
    def notices(self) -> list[str]:
        """What to say of those that no file matches."""
        return [f"no file matches {path}" for path in self.unmatched]


def given_paths(tree: Tree, given: str | Sequence[str]) -> list[str]:
    """The paths of a request as answers show them. Raises RequestError for what leads out of the
    roots."""
    entries = [given] if isinstance(given, str) else given
    return [
        "!" * each.startswith("!") + shown_path(tree, each.removeprefix("!")) for each in entries
    ]


def choose_paths(tree: Tree, given: str | Sequence[str], known: Collection[str]) -> ChosenPaths:
    """The files that the paths of a request mean. known: the shown paths of all files. Raises
    RequestError."""
    shown = given_paths(tree, given)
    globs = ["!" * each.startswith("!") + _as_glob(each.removeprefix("!"), known) for each in shown]
    unmatched = [
        path
        for path, pattern in zip(shown, globs, strict=True)
        if not any(map(shown_path_filter([pattern.removeprefix("!")], tree.snapshot), known))
    ]
    return ChosenPaths(shown, shown_path_filter(globs, tree.snapshot), unmatched)


def _as_glob(path: str, known: Collection[str]) -> str:
    if not path:
        return "*"
    if any(each == path or each.startswith(f"{path}/") for each in known):
        return f"/{glob.escape(path)}"
    return path if is_glob(path) else f"**/{path}"
