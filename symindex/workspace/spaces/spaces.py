"""The other spaces of a project: the user's own roots, and the packages that the project depends
on.

They are opened when a request first needs them, so that a search of the project costs nothing for
them. Packages are indexed when a request needs them: at once if the caller waits for an index, else
by a background process; then the answer says how many packages it lacks.
"""

import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from symindex.errors import StorageError, SymindexError
from symindex.explore.targets.libraries import Library
from symindex.extract.languages.registry import Languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.snapshot import Snapshot, Space
from symindex.packages.dependencies import Dependencies
from symindex.packages.found.package import Package
from symindex.packages.indexes.environment import Environment
from symindex.packages.indexes.package_build import build_packages
from symindex.packages.indexes.sources import source_root
from symindex.protocol.search import LABEL_IN_PATH
from symindex.resolve.tree import Tree
from symindex.text.separators import SEPARATOR

if TYPE_CHECKING:
    from symindex.index.update import Progress

KNOWN_SECONDS: Final = 30.0
"""Time after which the dependencies of a project are read again."""

LOCK_SECONDS: Final = 600.0
"""Longest wait for another process that indexes packages."""

SOON_SECONDS: Final = 3.0
"""Longest wait for that process if the caller can ask again."""

FIRST_SECONDS: Final = 8.0
"""Longest wait, once, of a caller that can ask again for packages that are indexed in the
background."""

MOST_AT_ONCE: Final = 8
"""Largest number of packages that are indexed for one symbol."""

_LOOK_SECONDS: Final = 0.1

MOST_FAILURES: Final = 3
"""Number of packages that a notice names if they could not be indexed."""


class UserRoot(Protocol):
    """One of the user's own roots: an `IndexedRoot`."""

    @property
    def root(self) -> Path: ...

    @property
    def languages(self) -> Languages: ...

    @property
    def snapshot(self) -> Snapshot: ...


class SpacePart(NamedTuple):
    """The snapshot of a space. roots: the folder of each prefix of its paths. languages: those of
    its files."""

    snapshot: Snapshot
    space: Space
    roots: dict[str, Path]
    languages: Languages


class Spaces:
    """The other spaces of the project in a folder.

    Args:
        root: the folder of the project.
        folder: the folder of its index, next to those of other projects.
        user_roots: the user's own roots, each with the prefix of its paths in answers.
    """

    def __init__(
        self, root: Path, folder: PrivateFolder, user_roots: Sequence[tuple[str, UserRoot]] = ()
    ) -> None:
        self._root, self._folder = root, folder
        self._user_roots = user_roots
        self._lock = threading.Lock()
        self._dependencies: Dependencies | None = None
        self._environment: Environment | None = None
        self._read_at = 0.0
        self._notices: list[str] = []
        self._waits_until: float | None = None

    def _read_dependencies(self) -> Dependencies:
        """Returns the dependencies of the project, read at most `KNOWN_SECONDS` ago. The lock is
        held."""
        if self._dependencies is None or time.monotonic() - self._read_at > KNOWN_SECONDS:
            self._dependencies, self._environment = (
                Dependencies(self._root, self._folder.path.parent),
                None,
            )
            self._read_at = time.monotonic()
        return self._dependencies

    def environment(self) -> Environment:
        """Returns the packages, as far as they are indexed."""
        with self._lock:
            dependencies = self._read_dependencies()
            if self._environment is None:
                self._environment = dependencies.environment()
                self._environment.keep_pointer(self._folder)
            return self._environment

    def build(
        self, packages: Iterable[Package], waits: bool, progress: "Progress | None" = None
    ) -> list[str]:
        """Indexes packages: here if the caller waits, else in the background, for which the first
        callers wait briefly. Returns notices, also about indexes that cannot be written."""
        listed = [*packages]
        if not listed:
            return []
        return (
            self._build_here(listed, progress, LOCK_SECONDS)
            if waits
            else self._build_in_background(listed)
        )

    def _build_in_background(self, packages: Sequence[Package]) -> list[str]:
        with self._lock:
            dependencies = self._read_dependencies()
        is_new = dependencies.start_build()
        if self._waits_until is None:
            self._waits_until = time.monotonic() + FIRST_SECONDS
        n_left = len(packages)
        while n_left and time.monotonic() < self._waits_until:
            time.sleep(_LOOK_SECONDS)
            with self._lock:
                self._environment = None
            n_left = len(
                [package for package in self.environment().missing() if package in packages]
            )
        if not n_left:
            return []
        state = (
            "are being indexed in the background"
            if is_new
            else "are being indexed by another process"
        )
        total = len(dependencies.found.packages)
        return [
            f"{n_left} of {total} packages {state}: they were not searched; ask again to search"
            " them"
        ]

    def _build_here(
        self, packages: Sequence[Package], progress: "Progress | None", wait_seconds: float
    ) -> list[str]:
        with self._lock:
            dependencies = self._read_dependencies()
        try:
            report = build_packages(
                packages,
                dependencies.store,
                dependencies.languages,
                progress,
                wait_seconds=wait_seconds,
            )
        except (StorageError, OSError) as error:
            return [f"packages could not be indexed: {error}"]
        with self._lock:
            self._environment = None
        if report.is_waiting:
            return ["another process is indexing packages; ask again when it has finished"]
        failures = [
            f"{label} could not be indexed: {why}" for label, why in report.failed[:MOST_FAILURES]
        ]
        n_more = len(report.failed) - len(failures)
        return [
            *failures,
            *(
                [f"{n_more} more packages could not be indexed: `symindex deps` says why"]
                if n_more > 0
                else []
            ),
        ]

    def repair(self) -> bool:
        """Drops the damaged indexes of packages, after a reading error; they are built again when a
        request needs them. Returns whether there were any."""
        with self._lock:
            environment, self._environment = self._environment, None
        return environment is not None and bool(environment.drop_damaged())

    def system(self) -> SpacePart:
        """Returns all packages that are indexed."""
        return self._part(self.environment(), None)

    def _part(self, environment: Environment, packages: Iterable[Package] | None) -> SpacePart:
        chosen = environment.packages if packages is None else [*packages]
        snapshot = environment.snapshot(packages)
        with self._lock:
            dependencies = self._read_dependencies()
        store = dependencies.store
        placed = (
            (environment.prefix_of(package), source_root(package, store)) for package in chosen
        )
        roots = {prefix: root for prefix, root in placed if prefix and root is not None}
        return SpacePart(snapshot, Space.SYSTEM, roots, dependencies.languages)

    def user(self) -> list[SpacePart]:
        """Returns the user's own roots. A root that cannot be read is left out, with a notice."""
        parts = []
        for prefix, indexed in self._user_roots:
            try:
                snapshot = Snapshot.joined([indexed.snapshot], [prefix])
            except SymindexError as error:
                self._notices.append(f"user space: {error}")
                continue
            parts.append(SpacePart(snapshot, Space.USER, {prefix: indexed.root}, indexed.languages))
        return parts

    def take_notices(self) -> list[str]:
        """Returns notices about roots that were left out since the last call."""
        notices, self._notices = self._notices, []
        return notices

    def parts(self, spaces: frozenset[Space]) -> list[SpacePart]:
        """Returns the parts of these spaces."""
        user = self.user() if Space.USER in spaces else []
        return [*user, *([self.system()] if Space.SYSTEM in spaces else [])]

    @property
    def languages(self) -> Languages:
        """The languages of packages."""
        with self._lock:
            return self._read_dependencies().languages

    def packages_for(self, text: str) -> list[Package]:
        """Returns the packages that may contain a symbol, likeliest first: by a label in its id, a
        module, or the name itself."""
        environment = self.environment()
        if (label := LABEL_IN_PATH.match(text)) is not None:
            return [
                package
                for package in environment.packages
                if package.label == label[0].partition("~")[0]
            ]
        of_module = [package for package, *_ in environment.packages_of(text)]
        if of_module:
            return of_module
        name = SEPARATOR.split(text)[-1]
        return environment.packages_with(name)[:MOST_AT_ONCE] if name else []

    def build_for_symbol(self, packages: Sequence[Package], waits: bool = True) -> list[str]:
        """Indexes packages that are not indexed yet; returns notices. One package takes seconds at
        most, for which every caller waits. waits: whether to wait for another process that is
        indexing, too."""
        environment = self.environment()
        waiting = [package for package in environment.missing() if package in packages]
        return (
            self._build_here(waiting[:MOST_AT_ONCE], None, LOCK_SECONDS if waits else SOON_SECONDS)
            if waiting
            else []
        )

    def open_module(self, text: str) -> list[tuple[Library, str, str]]:
        """Returns the libraries whose module a qualified name begins with, in the form that
        `Libraries` takes. Damaged indexes are built again."""
        offering = self.environment().packages_of(text)
        self.build_for_symbol([package for package, *_ in offering], waits=False)
        opened = []
        for package, module, rest in offering:
            for _ in range(2):
                environment = self.environment()
                part = self._part(environment, [package])
                if part.snapshot.parts or package.root is None:
                    break
                self.build_for_symbol([package], waits=False)
            prefix = environment.prefix_of(package)
            if part.snapshot.parts and prefix:
                opened.append(
                    (
                        Library(package, Tree(part.snapshot, self.languages, part.roots), prefix),
                        module,
                        rest,
                    )
                )
        return opened

    def part_for_symbol(self, text: str, packages: Sequence[Package]) -> tuple[SpacePart, str]:
        """Returns the packages that are indexed, and the part of a name after their module."""
        environment = self.environment()
        rest = (
            next((rest for *_, rest in environment.packages_of(text)), "")
            if LABEL_IN_PATH.match(text) is None
            else ""
        )
        return self._part(
            environment, [package for package in packages if environment.is_indexed(package)]
        ), rest

    def prefix_of(self, package: Package) -> str:
        """Returns the prefix of the paths of a package; empty if it is not indexed."""
        return self.environment().prefix_of(package)
