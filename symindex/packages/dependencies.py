"""The dependencies of a project: its packages, found anew each time, and their shared indexes.

A search of the project itself loads nothing of this. Indexes are built by `build`, which a command
calls and waits for, or by `start_build` in a separate process.
"""

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from symindex.extract.languages.language_cache import keep_languages, load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.locations import index_folder, packages_folder
from symindex.files.walk import check_root
from symindex.packages.found.ecosystems import FoundPackages, find_packages
from symindex.packages.indexes.deps_report import report_packages
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
from symindex.protocol.status import DepsReport

WAIT_SECONDS = 3_600.0
"""Longest wait for the build of another project, in seconds, if somebody waits for ours."""


class Dependencies:
    """The packages of the project in a folder. index_dir: as for `IndexedRoot`; the indexes of
    packages are next to those of roots. Raises RequestError for a root that is not a folder."""

    def __init__(
        self, root: str | os.PathLike[str], index_dir: str | os.PathLike[str] | None = None
    ) -> None:
        self.root: Path = check_root(Path(root))
        top = packages_folder(index_dir)
        self._top = PrivateFolder(top, self.root)
        self._index = PrivateFolder(index_folder(self.root, index_dir), self.root)
        self.languages: Languages = load_kept_languages(self._top)
        self.store: PackageStore = PackageStore(top, rules_digest(self.languages, ()), self.root)

    @cached_property
    def found(self) -> FoundPackages:
        """The packages, and notices about how they were found."""
        return find_packages(self.root)

    def environment(self) -> Environment:
        """Returns the packages as they are indexed now."""
        return Environment.open(self.found.packages, self.store)

    def report(self, ecosystems: Sequence[str] = ()) -> DepsReport:
        """Returns each package and its state. Raises RequestError for an ecosystem without packages
        here."""
        return report_packages(str(self.root), self.environment(), self.found.notices, ecosystems)

    def build(
        self,
        progress: Progress | None = None,
        ecosystems: Sequence[str] = (),
        is_background: bool = False,
    ) -> BuildReport:
        """Indexes in this process the packages that are not indexed yet. is_background: builds at a
        low priority, and not at all while another process builds. Raises StorageError."""
        if is_background:
            lower_priority()
        packages = [
            package
            for package in self.found.packages
            if not ecosystems or package.ecosystem in ecosystems
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
        """Starts a process that builds, unless one is building for any project. Returns whether it
        did."""
        return start_package_build(self.root, self.store)

    def prune(self) -> int:
        """Drops the indexes that have not been used for long, and the least recently used beyond a
        total size. Returns how many were dropped."""
        return len(prune(self.store))
