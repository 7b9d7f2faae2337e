"""Searches files that are not in the index for a name of which the index has no exact match, and
finds the first file that contains it.

These are the files that a walk or their reading excluded, and those in folders that git's rules
exclude, the nearest to the root first. The time is limited, so an empty result proves nothing about
a large tree.
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
    FileFilter,
)
from symindex.search.unindexed.prefilter import ExactName

SECONDS: Final = 0.1
"""Time limit, in seconds. About 500 files of usual size are read in this time."""

MOST_BYTES: Final = 16_000_000
"""Bytes of each file that are read."""

MOST_ENTRIES: Final = 10_000
"""Entries of one folder that are listed."""

DEFINED: Final = 3
"""Least likeness (`prefilter`) of a place that probably defines the name."""

_MENTION: Final = 1
_LINE: Final = 2
"""Least likeness that counts: in files with very long lines, where a definition looks like any
mention, and in other files."""

_ODD_LINES: Final = frozenset((SkipReason.MINIFIED, SkipReason.TOO_LARGE))


def find_excluded(
    root: Path,
    left_out: Iterable[Skip],
    wanted: FileFilter,
    name: str,
    lets_through: Callable[[str], bool],
) -> Skip | None:
    """Returns the file that contains a name, with the reason why it was excluded. left_out: the
    excluded files and folders. lets_through: whether the request is about a file."""
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


def _files(tree: Beneath, left_out: Iterable[Skip], wanted: FileFilter) -> Iterator[Skip]:
    """Yields excluded files first, then the files in excluded folders, level by level, so that no
    large folder delays the others. Installed dependencies come last."""
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
    """Whether a file or folder is, or is inside, a folder of installed dependencies, in which a
    mere mention of the name means nothing."""
    return skip.reason is SkipReason.DEPENDENCIES or not DEPENDENCY_FOLDERS.isdisjoint(
        skip.path.split("/")
    )


def _is_code(path: str, wanted: FileFilter) -> bool:
    return "." in _name_of(path)[1:] and wanted.takes_path(path)


def _name_of(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _list(tree: Beneath, base: str, is_dependency: bool) -> tuple[list[str], list[str]]:
    """Returns the files of a folder and the folders to search in it, by name; nothing for a virtual
    environment or a cache inside another folder."""
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
