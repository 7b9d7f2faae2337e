"""Lists all files below a root that git's rules and the settings admit, whatever they contain. A
search for text reads them.

Listing a tree takes as long as searching it. So the listing is cached per folder, and a folder is
listed again only when its mtime, or that of its ignore file, has changed. A folder's mtime changes
when a file appears or disappears.
"""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.git_repository import rules_above
from symindex.files.ignore.gitignore import RULE_NAMES, IgnoreRules
from symindex.files.skips import Skip, SkipReason
from symindex.files.walk import FileFilter, Folder, Walk, enter_folder


class _AnyFile(FileFilter):
    """A filter that selects files of any name."""

    def takes(self, name: str) -> bool:
        return True


@dataclass
class _FolderListing:
    """The listing of one folder.

    time: the mtimes of the folder and of its ignore files. above: the rules in force in its parent.
    has_rules: whether it contains an ignore file. files: their paths. inner: the folders to enter.
    fault: why it could not be listed; then it is listed again the next time.
    """

    time: tuple[int, ...]
    above: IgnoreRules
    has_rules: bool
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
        self._top = rules_above(root, []).under(file_filter.selection)
        self._folders: dict[str, _FolderListing] = {}
        self._paths: list[str] = []
        self._lock = threading.Lock()

    def paths(self) -> list[str]:
        """Returns the current paths of the files, sorted and relative to the root."""
        with self._lock:
            previous, self._folders = self._folders, {}
            with Beneath(self._root) as tree:
                is_new = [listed for listed in self._list(tree, previous) if listed]
            if is_new or len(previous) != len(self._folders):
                self._paths = sorted(
                    path for listed in self._folders.values() for path in listed.files
                )
            return self._paths

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
                and cached.time == self._time_of(base, cached.has_rules)
            )
            listed = cached if cached is not None and is_same else self._read(tree, base, above)
            self._folders[base] = listed
            pending += listed.inner
            yield not is_same

    def _time_of(self, base: str, has_rules: bool) -> tuple[int, ...]:
        return self._stamp(base), *(self._stamp(base + name) for name in RULE_NAMES if has_rules)

    def _stamp(self, path: str) -> int:
        try:
            return os.lstat(f"{self._root}/{path}").st_mtime_ns
        except (OSError, ValueError):
            return 0

    def _read(self, tree: Beneath, base: str, above: IgnoreRules) -> _FolderListing:
        time, walk = self._stamp(base), Walk()
        enter_folder(tree, base, above, walk, _AnyFile(*self.file_filter))
        has_rules = not {base + name for name in RULE_NAMES}.isdisjoint(walk.files.paths)
        return _FolderListing(
            (time, *self._time_of(base, has_rules)[1:]),
            above,
            has_rules,
            list(walk.files.paths),
            walk.pending,
            next((skip for skip in walk.skips if skip.reason is SkipReason.UNREADABLE), None),
        )
