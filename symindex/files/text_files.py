"""All files below a root that the rules of git and the settings let through, whatever is in them: a
search for text reads them.

Listing a tree takes as long as searching it. So the listing is kept by folder, and a folder is
listed again only when its time has changed, as it does when a file comes or goes, or when its
ignore file has.
"""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.git_repository import rules_above
from symindex.files.ignore.gitignore import RULE_NAMES, IgnoreRules
from symindex.files.walk import Folder, Walk, Wanted, enter_folder


class _Everything(Wanted):
    """Takes files whatever their names."""

    def takes(self, name: str) -> bool:
        return True


@dataclass
class _Listed:
    """A folder. time: of the folder and of its ignore files. above: the rules in force in its
    parent. has_rules: whether there is an ignore file. files: their paths. inner: the folders to
    enter."""

    time: tuple[int, ...]
    above: IgnoreRules
    has_rules: bool
    files: list[str]
    inner: list[Folder]


class TextFiles:
    """The listing of one root. wanted: whose limit of size and selection count. Its methods may be
    called from any thread."""

    def __init__(self, root: Path, wanted: Wanted) -> None:
        self.wanted = wanted
        self._root = root
        self._top = rules_above(root, []).under(wanted.selection)
        self._folders: dict[str, _Listed] = {}
        self._paths: list[str] = []
        self._lock = threading.Lock()

    def paths(self) -> list[str]:
        """The paths of the files as they are now, in order, relative to the root."""
        with self._lock:
            before, self._folders = self._folders, {}
            with Beneath(self._root) as tree:
                is_new = [listed for listed in self._list(tree, before) if listed]
            if is_new or len(before) != len(self._folders):
                self._paths = sorted(
                    path for listed in self._folders.values() for path in listed.files
                )
            return self._paths

    def _list(self, tree: Beneath, before: dict[str, _Listed]) -> Iterator[bool]:
        """Lists the folders; for each, whether it had to be read."""
        pending: list[Folder] = [("", self._top)]
        while pending:
            base, above = pending.pop()
            known = before.get(base)
            is_same = (
                known is not None
                and known.above is above
                and known.time == self._time_of(base, known.has_rules)
            )
            listed = known if known is not None and is_same else self._read(tree, base, above)
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

    def _read(self, tree: Beneath, base: str, above: IgnoreRules) -> _Listed:
        time, walk = self._stamp(base), Walk()
        enter_folder(tree, base, above, walk, _Everything(*self.wanted))
        has_rules = not {base + name for name in RULE_NAMES}.isdisjoint(walk.files.paths)
        return _Listed(
            (time, *self._time_of(base, has_rules)[1:]),
            above,
            has_rules,
            list(walk.files.paths),
            walk.pending,
        )
