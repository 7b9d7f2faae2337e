"""A check of some files of a tree that was walked before, for callers that know that nothing else
has changed.

The rules that the walk found in their folders decide whether they are wanted. The tree has to be
walked again where these do not suffice: for a folder that the walk did not enter, a link, a file
that decides about others, or one that the walk left out.
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
    FoundFile,
    Walk,
    Wanted,
)


class SpotCheck(NamedTuple):
    """The files that are there, and the paths where none is."""

    found: list[FoundFile]
    missing: list[str]


def spot_check(root: Path, paths: Iterable[str], walk: Walk, wanted: Wanted) -> SpotCheck | None:
    """Looks at some files, whose paths are relative to `root`; `None` where the tree has to be
    walked.

    walk: of this tree and with the same `wanted`.
    """
    skipped = {skip.path for skip in walk.skips}
    seen = SpotCheck([], [])
    with Beneath(root) as tree:
        for path in sorted(set(paths)):
            at = path.rfind("/") + 1
            rules = walk.folders.get(path[:at])
            if (
                rules is None
                or path in skipped
                or f"{path}/" in walk.folders
                or not _may_be_taken(path, wanted)
            ):
                return None
            if rules.is_ignored(path):
                return None
            try:
                tree.folder(path[:at])  # fails where it is gone, or a link by now
                try:
                    status = tree.lstat(path)
                except FileNotFoundError:
                    seen.missing.append(path)
                    continue
            except OSError:
                return None
            if not stat.S_ISREG(status.st_mode) or status.st_size > wanted.max_file_bytes:
                return None
            seen.found.append(
                FoundFile(path, status.st_size, status.st_mtime_ns, change_stamp(status))
            )
    return seen


def is_wanted(path: str, walk: Walk | None, wanted: Wanted) -> bool:
    """Whether a walk would take a file of that path, as far as the last walk knows the folders
    around it."""
    *folders, name = path.split("/")
    if not _may_be_taken(path, wanted) or not VERSION_CONTROL.isdisjoint(folders):
        return False
    if walk is None:
        return DEPENDENCY_FOLDERS.isdisjoint(folders)
    base = ""
    for part in [*(folder + "/" for folder in folders), name]:
        rules = walk.folders.get(base)
        if rules is None:  # a folder that is new, or one of dependencies that git does not track
            return DEPENDENCY_FOLDERS.isdisjoint(base.split("/"))
        if rules.is_ignored(base + part):
            return False
        base += part
    return True


def _may_be_taken(path: str, wanted: Wanted) -> bool:
    """Whether a file of this path may hold something, and decides about no other file."""
    name = path[path.rfind("/") + 1 :]
    return (
        is_unicode(name)
        and wanted.takes_path(path)
        and name not in {*RULE_NAMES, *DEPENDENCY_MARKS, *VERSION_CONTROL}
    )
