"""A name in files that are not in the index: of a search that found nothing exact, the first of
these files that holds it.

The files are those that a walk or their reading has left out, and those below folders that git's
rules leave out, the nearest to the root first. The look is bounded in time, so an empty result says
nothing of a large tree.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import closing, read_up_to
from symindex.files.skips import Skip, SkipReason, name_of_escaped
from symindex.files.walk import (
    BARE_MARKS,
    DEPENDENCY_FOLDERS,
    DEPENDENCY_MARKS,
    VERSION_CONTROL,
    Wanted,
)
from symindex.search.unindexed.prefilter import ExactName

SECONDS: Final = 0.1
"""How long is looked. Some 500 files of usual size are read in that time."""

MOST_BYTES: Final = 16_000_000
"""So much of each file is looked at."""

MOST_ENTRIES: Final = 10_000
"""So many entries of one folder are listed."""

DEFINED: Final = 3
"""From this likeness on (`prefilter`), a place most likely defines the name."""

_MENTION: Final = 1
_LINE: Final = 2
"""The least likeness that counts in files of odd lines, where a definition looks like any mention;
and in others."""

_ODD_LINES: Final = frozenset((SkipReason.MINIFIED, SkipReason.TOO_LARGE))


def find_excluded(
    root: Path,
    left_out: Iterable[Skip],
    wanted: Wanted,
    name: str,
    lets_through: Callable[[str], bool],
) -> Skip | None:
    """The file that holds a name, with the reason of what was left out. left_out: files and
    folders. lets_through: whether a file is asked about."""
    looked_for, until = ExactName(name), time.monotonic() + SECONDS
    best: tuple[int, Skip | None] = 0, None
    with Beneath(root) as tree:
        for skip in _files(tree, left_out, wanted):
            if time.monotonic() > until:
                break
            if not lets_through(skip.path):
                continue
            path = name_of_escaped(skip.path) if skip.reason is SkipReason.BAD_NAME else skip.path
            likeness = looked_for.likeness(_read(tree, path))
            least = (
                _MENTION
                if skip.reason in _ODD_LINES
                else DEFINED
                if _is_dependency(skip)
                else _LINE
            )
            if likeness > best[0] and likeness >= least:
                best = likeness, skip
            if best[0] >= DEFINED:
                break
    return best[1]


def _read(tree: Beneath, path: str) -> bytes:
    try:
        with closing(tree.open_file(path)) as number:
            return read_up_to(number, MOST_BYTES)
    except OSError:
        return b""


def _files(tree: Beneath, left_out: Iterable[Skip], wanted: Wanted) -> Iterator[Skip]:
    """Files first, then what is in folders, level by level, so that no large folder keeps the
    others waiting; what is installed is looked at last."""
    folders: deque[Skip] = deque()
    of_dependencies: deque[Skip] = deque()
    for skip in left_out:
        if skip.path.endswith("/"):
            (of_dependencies if _is_dependency(skip) else folders).append(skip)
        elif _is_code(skip.path, wanted):
            yield skip
    while folders or of_dependencies:
        around = (folders or of_dependencies).popleft()
        names, inner = _list(tree, around.path, _is_dependency(around))
        for name in names:
            if _is_code(around.path + name, wanted):
                yield Skip(around.path + name, around.reason, around.detail)
        for name in inner:
            folder = Skip(f"{around.path}{name}/", around.reason, around.detail)
            (of_dependencies if _is_dependency(folder) else folders).append(folder)


def _is_dependency(skip: Skip) -> bool:
    """Whether a file or folder is, or lies in, a folder of installed dependencies: there a name
    that is only mentioned says nothing."""
    return skip.reason is SkipReason.DEPENDENCIES or not DEPENDENCY_FOLDERS.isdisjoint(
        skip.path.split("/")
    )


def _is_code(path: str, wanted: Wanted) -> bool:
    return "." in _name_of(path)[1:] and wanted.takes_path(path)


def _name_of(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _list(tree: Beneath, base: str, is_dependency: bool) -> tuple[list[str], list[str]]:
    """The files of a folder and the folders to look into, by name; none for a virtual environment
    or a cache that is found in another folder."""
    try:
        with os.scandir(tree.folder(base)) as entries:
            listed = [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in islice(entries, MOST_ENTRIES)
            ]
    except OSError:
        return [], []
    names = sorted(name for name, is_folder in listed if not is_folder)
    if (not is_dependency and not DEPENDENCY_MARKS.isdisjoint(names)) or dict(
        listed
    ).keys() >= BARE_MARKS:
        return [], []
    inner = sorted(name for name, is_folder in listed if is_folder and name not in VERSION_CONTROL)
    return names, inner
