"""A look at some files of a tree that was walked before, for whoever knows that nothing else has changed.

Whether they are wanted is told by what the walk has learnt of their folders. Where that does not suffice, the tree is to be
walked again: a folder it did not enter, a link, whatever decides about other files, or what the walk has reported as left out.
"""

import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.files.walk import DEPENDENCY_FOLDERS, DEPENDENCY_MARKS, VERSION_CONTROL, FoundFile, Walk, Wanted


class Glance(NamedTuple):
    """The files that are there, and the paths where none is."""

    found: list[FoundFile]
    missing: list[str]


def glance_at(root: Path, paths: Iterable[str], walk: Walk, wanted: Wanted) -> Glance | None:
    """Looks at some files, named relative to `root` as a walk names them; `None` where the tree has to be walked.

    walk: of this tree and with the same `wanted`.
    """
    with Beneath(root) as tree:
        return _glance(tree, paths, walk, wanted)


def _glance(tree: Beneath, paths: Iterable[str], walk: Walk, wanted: Wanted) -> Glance | None:
    reported = {skip.path for skip in walk.skips}
    seen = Glance([], [])
    for path in sorted(set(paths)):
        at = path.rfind("/") + 1
        base, name = path[:at], path[at:]
        rules = walk.folders.get(base)
        if (
            rules is None
            or path in reported
            or f"{path}/" in walk.folders
            or not _is_plain(name, wanted)
            or rules.is_ignored(path)
        ):
            return None
        try:
            tree.folder(base)
        except OSError:  # it is not where it was, or a link
            return None
        try:
            status = tree.lstat(path)
        except FileNotFoundError:
            seen.missing.append(path)
            continue
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode) or status.st_size > wanted.max_file_bytes:
            return None
        seen.found.append(FoundFile(path, status.st_size, status.st_mtime_ns, change_stamp(status)))
    return seen


def is_wanted(path: str, walk: Walk | None, wanted: Wanted) -> bool:
    """Whether a walk would take a file of that path, by what is known of the folders around it. walk: the last one, if any."""
    *folders, name = path.split("/")
    if not _is_plain(name, wanted) or not (VERSION_CONTROL | DEPENDENCY_FOLDERS).isdisjoint(folders):
        return False
    if walk is None:
        return True
    base = ""
    for part in [*(folder + "/" for folder in folders), name]:
        rules = walk.folders.get(base)
        if rules is None:  # a folder that is new
            return True
        if rules.is_ignored(base + part):
            return False
        base += part
    return True


def _is_plain(name: str, wanted: Wanted) -> bool:
    """Whether a file of this name may hold symbols, and decides about no other."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return wanted.takes(name) and name not in (".gitignore", *DEPENDENCY_MARKS, *VERSION_CONTROL)
