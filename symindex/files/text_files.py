"""Lists all files below a root that git's rules and the settings admit, whatever they contain. A
search for text reads them.

Listing a tree takes as long as searching it. So the listing is cached per folder, and a folder is
listed again only when it has changed, or a file with rules for it: its ignore files, and what git
says of a repository. A folder changes when a file appears or disappears. Files of any size are
listed, because a size may change without that.
"""

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.files.ignore.git_repository import files_above, git_state, rules_above
from symindex.files.ignore.gitignore import RULE_NAMES, IgnoreRules
from symindex.files.ignore.nested_repository import files_of_repository
from symindex.files.skips import Skip, SkipReason
from symindex.files.walk import FileFilter, Folder, Walk, enter_folder

_SETTLED_NS: Final = 2_000_000_000
"""Age from which the stamp of a folder is reliable: a younger one may change again without a new
stamp."""

_Stamp = tuple[int, ...]
"""What changes with a file or folder; empty if there is none."""


class _AnyFile(FileFilter):
    """A filter that selects files of any name."""

    def takes(self, name: str) -> bool:
        return True


@dataclass
class _FolderListing:
    """The listing of one folder.

    stamps: of the folder and of `rule_files`, the files with rules that exist in it; empty if the
    folder may change again without a new stamp. above: the rules in force in its parent. files:
    their paths. inner: the folders to enter.
    fault: why it could not be listed; then it is listed again the next time.
    """

    stamps: list[_Stamp]
    above: IgnoreRules
    rule_files: list[str]
    files: list[str]
    inner: list[Folder]
    fault: Skip | None = None


class TextFiles:
    """The listing of one root. Any thread may call the methods.

    file_filter: the filter whose size limit and selection apply.
    """

    def __init__(self, root: Path, file_filter: FileFilter) -> None:
        self.file_filter = file_filter
        self._root = root
        self._above: list[Path] = []
        self._above_stamps: list[_Stamp] = []
        self._top = IgnoreRules()
        self._folders: dict[str, _FolderListing] = {}
        self._paths: list[str] = []
        self._lock = threading.Lock()

    def paths(self) -> list[str]:
        """Returns the current paths of the files, sorted and relative to the root."""
        with self._lock:
            self._read_above()
            previous, self._folders = self._folders, {}
            with Beneath(self._root) as tree:
                is_new = [listed for listed in self._list(tree, previous) if listed]
            if is_new or len(previous) != len(self._folders):
                self._paths = sorted(
                    path for listed in self._folders.values() for path in listed.files
                )
            return self._paths

    def _read_above(self) -> None:
        """Reads the rules above the folders again if one of their files has changed."""
        if self._above and [*map(_stamp, self._above)] == self._above_stamps:
            return
        began = time.time_ns()
        self._above = [*files_above(self._root), *git_state(self._root)]
        stamps = [*map(_stamp, self._above)]
        self._top = rules_above(self._root, []).under(self.file_filter.selection)
        self._above_stamps = stamps if _are_settled(stamps, began) else []

    def unlisted(self) -> list[Skip]:
        """Returns the folders that the last listing could not read."""
        with self._lock:
            return [listed.fault for listed in self._folders.values() if listed.fault is not None]

    def _list(self, tree: Beneath, previous: dict[str, _FolderListing]) -> Iterator[bool]:
        """Lists the folders; yields for each whether it had to be read."""
        pending: list[Folder] = [("", self._top)]
        while pending:
            base, above = pending.pop()
            cached = previous.get(base)
            is_same = (
                cached is not None
                and cached.above is above
                and cached.fault is None
                and cached.stamps == self._stamps(base, cached.rule_files)
            )
            listed = cached if cached is not None and is_same else self._read(tree, base, above)
            self._folders[base] = listed
            pending += listed.inner
            yield not is_same

    def _stamps(self, base: str, rule_files: Iterable[str]) -> list[_Stamp]:
        return [_stamp(f"{self._root}/{path}") for path in (base, *rule_files)]

    def _read(self, tree: Beneath, base: str, above: IgnoreRules) -> _FolderListing:
        began, walk = time.time_ns(), Walk()
        rule_files = [base + name for name in RULE_NAMES]
        rule_files = [path for path in rule_files if _stamp(f"{self._root}/{path}")]
        rule_files += files_of_repository(tree, base)
        stamps = self._stamps(base, rule_files)
        any_size = self.file_filter._replace(max_file_bytes=sys.maxsize)
        enter_folder(tree, base, above, walk, _AnyFile(*any_size))
        return _FolderListing(
            stamps if _are_settled(stamps, began) else [],
            above,
            rule_files,
            list(walk.files.paths),
            walk.pending,
            next((skip for skip in walk.skips if skip.reason is SkipReason.UNREADABLE), None),
        )


def _stamp(path: str | Path) -> _Stamp:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return ()
    return status.st_mtime_ns, status.st_size, change_stamp(status)


def _are_settled(stamps: Iterable[_Stamp], began_ns: int) -> bool:
    """Whether none of the files can change again without a new stamp. began_ns: when they were
    looked at."""
    return all(stamp[0] < began_ns - _SETTLED_NS for stamp in stamps if stamp)
