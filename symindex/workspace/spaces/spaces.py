"""The spaces beside a project: the person's own roots, and the packages that the project depends
on.

They are opened when a request first needs them, so that a search of the project costs nothing for
them. Packages that are not indexed yet are indexed when they are asked for: at once where the
caller waits for an index, else by a process in the background, and the answer says how many it
lacks.
"""

import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from symindex.errors import StorageError, SymindexError
from symindex.explore.resolve.libraries import Library
from symindex.explore.tree import Tree
from symindex.extract.languages.registry import Languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.snapshot import Snapshot, Space
from symindex.packages.dependencies import Dependencies
from symindex.packages.found.package import Package
from symindex.packages.indexes.environment import Environment
from symindex.packages.indexes.package_build import build_packages
from symindex.packages.indexes.sources import source_root
from symindex.protocol.search import LABEL_IN_PATH
from symindex.text.separators import SEPARATOR

if TYPE_CHECKING:
    from symindex.index.update import Progress

KNOWN_SECONDS: Final = 30.0
"""So long what a project depends on is believed to be the same."""

LOCK_SECONDS: Final = 600.0
"""How long to wait for another process that indexes packages."""

SOON_SECONDS: Final = 3.0
"""The same where the caller can ask again."""

FIRST_SECONDS: Final = 8.0
"""So long a caller who can ask again waits, once, for packages that are indexed in the
background."""

MOST_AT_ONCE: Final = 8
"""So many packages are indexed for one symbol."""

_LOOK_SECONDS: Final = 0.1

MOST_FAILURES: Final = 3
"""So many packages are named that could not be indexed."""


class UserRoot(Protocol):
    """A root of the person's own, as `IndexedRoot` is one."""

    @property
    def root(self) -> Path: ...

    @property
    def languages(self) -> Languages: ...

    @property
    def snapshot(self) -> Snapshot: ...


class SpacePart(NamedTuple):
    """The snapshot of a space. roots: the folder of each prefix of its paths. languages: of its
    files."""

    snapshot: Snapshot
    space: Space
    roots: dict[str, Path]
    languages: Languages


class Spaces:
    """The spaces beside the project in a folder.

    Args:
        root: of the project. folder: of its index, beside those of the others.
        user_roots: the person's own, opened, with what their paths begin with.
    """

    def __init__(
        self, root: Path, folder: PrivateFolder, user_roots: Sequence[tuple[str, UserRoot]] = ()
    ) -> None:
        self._root, self._folder = root, folder
        self._user_roots = user_roots
        self._lock = threading.Lock()
        self._dependencies: Dependencies | None = None
        self._environment: Environment | None = None
        self._found_at = 0.0
        self._notices: list[str] = []
        self._waits_until: float | None = None

    def _found(self) -> Dependencies:
        """What the project depends on, as it was found a while ago at most. The lock is held."""
        if self._dependencies is None or time.monotonic() - self._found_at > KNOWN_SECONDS:
            self._dependencies, self._environment = (
                Dependencies(self._root, self._folder.path.parent),
                None,
            )
            self._found_at = time.monotonic()
        return self._dependencies

    def environment(self) -> Environment:
        """The packages, as far as they are indexed."""
        with self._lock:
            dependencies = self._found()
            if self._environment is None:
                self._environment = dependencies.environment()
                self._environment.keep_pointer(self._folder)
            return self._environment

    def build(
        self, packages: Iterable[Package], waits: bool, progress: "Progress | None" = None
    ) -> list[str]:
        """Indexes some packages, here if the caller waits, else in the background, for which the
        first callers wait a while; returns notices. What cannot be written is one of them."""
        wanted = [*packages]
        if not wanted:
            return []
        return (
            self._build_here(wanted, progress, LOCK_SECONDS)
            if waits
            else self._build_beside(wanted)
        )

    def _build_beside(self, wanted: Sequence[Package]) -> list[str]:
        with self._lock:
            dependencies = self._found()
        is_new = dependencies.start_build()
        if self._waits_until is None:
            self._waits_until = time.monotonic() + FIRST_SECONDS
        left = len(wanted)
        while left and time.monotonic() < self._waits_until:
            time.sleep(_LOOK_SECONDS)
            with self._lock:
                self._environment = None
            left = len([package for package in self.environment().waiting() if package in wanted])
        if not left:
            return []
        what = (
            "are being indexed in the background"
            if is_new
            else "are not indexed yet, and a process is at it"
        )
        total = len(dependencies.found.packages)
        return [
            f"{left} of {total} packages {what}: they were not searched; ask again for what they"
            " hold"
        ]

    def _build_here(
        self, wanted: Sequence[Package], progress: "Progress | None", wait_seconds: float
    ) -> list[str]:
        with self._lock:
            dependencies = self._found()
        try:
            report = build_packages(
                wanted,
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
            return ["another process is indexing packages; ask again for what is lacking here"]
        told = [
            f"{label} could not be indexed: {why}" for label, why in report.failed[:MOST_FAILURES]
        ]
        more = len(report.failed) - len(told)
        return [
            *told,
            *(
                [f"{more} more packages could not be indexed: `symindex deps` says why"]
                if more > 0
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
        """All packages that are indexed."""
        return self._part(self.environment(), None)

    def _part(self, environment: Environment, packages: Iterable[Package] | None) -> SpacePart:
        chosen = environment.packages if packages is None else [*packages]
        snapshot = environment.snapshot(packages)
        with self._lock:
            dependencies = self._found()
        store = dependencies.store
        placed = ((environment.prefix_of(each), source_root(each, store)) for each in chosen)
        roots = {prefix: root for prefix, root in placed if prefix and root is not None}
        return SpacePart(snapshot, Space.SYSTEM, roots, dependencies.languages)

    def user(self) -> list[SpacePart]:
        """The person's own roots. One that cannot be read is left out, with a notice."""
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
        """What was left out, since the last call."""
        taken, self._notices = self._notices, []
        return taken

    def parts(self, spaces: frozenset[Space]) -> list[SpacePart]:
        """Those of some spaces."""
        user = self.user() if Space.USER in spaces else []
        return [*user, *([self.system()] if Space.SYSTEM in spaces else [])]

    @property
    def languages(self) -> Languages:
        """The languages of packages."""
        with self._lock:
            return self._found().languages

    def packages_for(self, text: str) -> list[Package]:
        """The packages that a symbol's name or id may lie in, the likeliest first: by a label, a
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
        """Indexes some packages where they are not yet; returns notices. One takes seconds at most,
        for which everybody waits. waits: also for another process that is at it."""
        environment = self.environment()
        waiting = [package for package in environment.missing() if package in packages]
        return (
            self._build_here(waiting[:MOST_AT_ONCE], None, LOCK_SECONDS if waits else SOON_SECONDS)
            if waiting
            else []
        )

    def open_module(self, text: str) -> list[tuple[Library, str, str]]:
        """The libraries whose module a qualified name begins with, as `Libraries` takes them. What
        is damaged is built anew."""
        known = self.environment().packages_of(text)
        self.build_for_symbol([package for package, *_ in known], waits=False)
        opened = []
        for package, module, rest in known:
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
        """Those of some packages that are indexed, and what is left of a name behind their
        module."""
        environment = self.environment()
        rest = (
            next((rest for *_, rest in environment.packages_of(text)), "")
            if LABEL_IN_PATH.match(text) is None
            else ""
        )
        return self._part(
            environment, [each for each in packages if environment.is_indexed(each)]
        ), rest

    def prefix_of(self, package: Package) -> str:
        """What the paths of a package begin with; empty where it is not indexed."""
        return self.environment().prefix_of(package)
