"""What a project depends on: its packages, found anew each time, and their shared indexes.

Nothing of this is loaded by a search of the project. Indexes are built by `build`, which a command
calls and waits for, or by `start_build` in a process of its own.
"""

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from symindex.extract.languages.language_cache import keep_languages, load_kept_languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.locations import index_folder, packages_folder
from symindex.files.walk import check_root
from symindex.packages.found.ecosystems import Found, find_packages
from symindex.packages.indexes.deps_report import DepsReport, report_packages
from symindex.packages.indexes.environment import Environment
from symindex.packages.indexes.package_build import (
    BuildReport,
    Progress,
    build_packages,
    lower_priority,
    prune,
    start_package_build,
)
from symindex.packages.indexes.package_store import PackageStore

WAIT_SECONDS = 3_600.0
"""How long a build that somebody waits for stands behind that of another project."""


class Dependencies:
    """The packages of the project in a folder. index_dir: as for `IndexedRoot`; the indexes of
    packages are beside those of roots. Raises RequestError for a root that is no folder."""

    def __init__(
        self, root: str | os.PathLike[str], index_dir: str | os.PathLike[str] | None = None
    ) -> None:
        self.root = check_root(Path(root))
        top = packages_folder(index_dir)
        self._top = PrivateFolder(top, self.root)
        self._index = PrivateFolder(index_folder(self.root, index_dir), self.root)
        self.languages = load_kept_languages(self._top)
        self.store = PackageStore(top, rules_digest(self.languages, ()), self.root)

    @cached_property
    def found(self) -> Found:
        """The packages, and what is to be said of how they were found."""
        return find_packages(self.root)

    def environment(self) -> Environment:
        """The packages as they are indexed now."""
        return Environment.open(self.found.packages, self.store)

    def report(self, ecosystems: Sequence[str] = ()) -> DepsReport:
        """Each package and its state. Raises RequestError for an ecosystem that no package is
        of."""
        return report_packages(str(self.root), self.environment(), self.found.notices, ecosystems)

    def build(
        self,
        progress: Progress | None = None,
        ecosystems: Sequence[str] = (),
        is_background: bool = False,
    ) -> BuildReport:
        """Indexes what is not indexed yet, in this process. is_background: at a low priority, and
        not at all where another process builds. Raises StorageError."""
        if is_background:
            lower_priority()
        packages = [
            each for each in self.found.packages if not ecosystems or each.ecosystem in ecosystems
        ]
        wait_seconds = 0.0 if is_background else WAIT_SECONDS
        report = build_packages(
            packages, self.store, self.languages, progress, wait_seconds=wait_seconds
        )
        if not report.is_waiting:
            keep_languages(self.languages, self._top)
            prune(self.store)
            self.environment().keep_pointer(self._index)
        return report

    def start_build(self) -> bool:
        """Starts a process that does so, unless one is building for any project; whether it was
        started."""
        return start_package_build(self.root, self.store)

    def prune(self) -> int:
        """Drops the indexes that have not been used for long, and the least recently used beyond a
        bound; how many."""
        return len(prune(self.store))
