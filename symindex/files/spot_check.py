"""Checks some files of a tree that was walked before, for callers that know that nothing else has
changed.

The rules that the walk found in the folders decide whether the files are selected. If these are not
enough, the tree has to be walked again: for a folder that the walk did not enter, a link, a file
that decides about others, or a file that the walk left out.
"""

import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from symindex.errors import is_unicode
from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.files.ignore.gitignore import RULE_NAMES
from symindex.files.walk import (
    DEPENDENCY_FOLDERS,
    DEPENDENCY_MARKS,
    VERSION_CONTROL,
    FileFilter,
    FoundFile,
    Walk,
)


class SpotCheck(NamedTuple):
    """found: the files that exist. missing: the paths of those that do not."""

    found: list[FoundFile]
    missing: list[str]


def spot_check(
    root: Path, paths: Iterable[str], walk: Walk, file_filter: FileFilter
) -> SpotCheck | None:
    """Looks at some files; returns `None` if the tree has to be walked.

    paths: relative to `root`. walk: a walk of this tree with this filter.
    """
    skipped = {skip.path for skip in walk.skips}
    check = SpotCheck([], [])
    with Beneath(root) as tree:
        for path in sorted(set(paths)):
            name_start = path.rfind("/") + 1
            rules = walk.folders.get(path[:name_start])
            if (
                rules is None
                or path in skipped
                or f"{path}/" in walk.folders
                or not _may_be_taken(path, file_filter)
            ):
                return None
            if rules.is_ignored(path):
                return None
            try:
                tree.folder(path[:name_start])  # fails if the folder is gone, or a link by now
                try:
                    status = tree.lstat(path)
                except FileNotFoundError:
                    check.missing.append(path)
                    continue
            except OSError:
                return None
            if not stat.S_ISREG(status.st_mode) or status.st_size > file_filter.max_file_bytes:
                return None
            check.found.append(
                FoundFile(path, status.st_size, status.st_mtime_ns, change_stamp(status))
            )
    return check


def is_selected(path: str, walk: Walk | None, file_filter: FileFilter) -> bool:
    """Whether a walk would select a file with this path, as far as the last walk knows its
    folders."""
    *folders, name = path.split("/")
    if not _may_be_taken(path, file_filter) or not VERSION_CONTROL.isdisjoint(folders):
        return False
    if walk is None:
        return DEPENDENCY_FOLDERS.isdisjoint(folders)
    base = ""
    for part in [*(folder + "/" for folder in folders), name]:
        rules = walk.folders.get(base)
        if rules is None:  # a new folder, or one of dependencies that git does not track
            return DEPENDENCY_FOLDERS.isdisjoint(folders)
        if rules.is_ignored(base + part):
            return False
        base += part
    return True


def _may_be_taken(path: str, file_filter: FileFilter) -> bool:
    """Whether a file with this path may contain symbols and does not decide about other files."""
    name = path[path.rfind("/") + 1 :]
    return (
        is_unicode(name)
        and file_filter.takes_path(path)
        and name not in {*RULE_NAMES, *DEPENDENCY_MARKS, *VERSION_CONTROL}
    )
