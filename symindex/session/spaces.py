"""The spaces beside a project: the person's own roots, and the packages that the project depends on.

They are opened when a request first needs them, so that a search of the project costs nothing for them. Packages that are not
indexed yet are indexed when they are asked for: at once where the caller waits for an index, else by a process in the background,
and the answer says how many it lacks.
"""

import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from symindex.errors import StorageError, SymindexError
from symindex.extract.languages.registry import Languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.dependencies.ecosystems import find_packages
from symindex.files.dependencies.package import Package
from symindex.index.packages.environment import Environment
from symindex.index.packages.package_build import build_packages, start_package_build
from symindex.index.packages.package_store import PackageStore
from symindex.index.snapshot import Snapshot, Space
from symindex.search.answer import PACKAGE
from symindex.text.separators import SEPARATOR

if TYPE_CHECKING:
    from symindex.index.update import Progress
    from symindex.session.indexed_root import IndexedRoot

KNOWN_SECONDS: Final = 30.0
"""So long what a project depends on is believed to be the same."""

LOCK_SECONDS: Final = 600.0
"""How long to wait for another process that indexes packages."""

MOST_AT_ONCE: Final = 8
"""So many packages are indexed for one symbol."""


class SpacePart(NamedTuple):
    """The snapshot of a space. roots: the folder of each prefix of its paths. languages: of its files."""

    snapshot: Snapshot
    space: Space
    roots: dict[str, Path]
    languages: Languages


class Spaces:
    """The spaces beside the project in a folder.

    Args:
        root: of the project. top: the folder of all indexes. languages: all, whatever the project reads.
        user_roots: the person's own, opened, with what their paths begin with.
    """

    def __init__(self, root: Path, top: Path, languages: Languages, user_roots: "Sequence[tuple[str, IndexedRoot]]" = ()) -> None:
        self._root = root
        self._languages = Languages(languages.by_id.values())
        self._store = PackageStore(top / "packages", rules_digest(self._languages, ()), root)
        self._user_roots = user_roots
        self._lock = threading.Lock()
        self._environment: Environment | None = None
        self._found_at = 0.0
        self._packages: Sequence[Package] = ()
        self.notices: list[str] = []

    def environment(self) -> Environment:
        """What the project depends on, as far as it is indexed."""
        with self._lock:
            if self._environment is None or time.monotonic() - self._found_at > KNOWN_SECONDS:
                found = find_packages(self._root)
                self._packages, self.notices = found.packages, found.notices
                self._environment = Environment.open(found.packages, self._store)
                self._found_at = time.monotonic()
            return self._environment

    def build(self, packages: Iterable[Package], waits: bool, progress: "Progress | None" = None) -> list[str]:
        """Indexes some packages, here if the caller waits, else in the background; returns notices. What cannot be written is
        one of them."""
        wanted = [*packages]
        if not wanted:
            return []
        if not waits:
            is_new = start_package_build(self._root, self._store)
            what = "are being indexed in the background" if is_new else "are not indexed yet, and a process is at it"
            return [f"{len(wanted)} of {len(self._packages)} packages {what}; ask again for what they hold"]
        try:
            build_packages(wanted, self._store, self._languages, progress, wait_seconds=LOCK_SECONDS)
        except (StorageError, OSError) as error:
            return [f"packages could not be indexed: {error}"]
        with self._lock:
            self._environment = Environment.open(self._packages, self._store)
        return []

    def system(self) -> SpacePart:
        """All packages that are indexed."""
        return self._part(self.environment(), None)

    def _part(self, environment: Environment, packages: Iterable[Package] | None) -> SpacePart:
        chosen = environment.packages if packages is None else [*packages]
        snapshot = environment.snapshot(packages)
        roots = {prefix: each.root for each in chosen if each.root is not None and (prefix := environment.prefix_of(each))}
        return SpacePart(snapshot, Space.SYSTEM, roots, self._languages)

    def user(self) -> list[SpacePart]:
        """The person's own roots. One that cannot be read is left out, with a notice."""
        parts = []
        for prefix, indexed in self._user_roots:
            try:
                snapshot = Snapshot.joined([indexed.snapshot], [prefix])
            except SymindexError as error:
                self.notices.append(f"user space: {error}")
                continue
            parts.append(SpacePart(snapshot, Space.USER, {prefix: indexed.root}, indexed.languages))
        return parts

    def parts(self, spaces: frozenset[Space]) -> list[SpacePart]:
        """Those of some spaces."""
        user = self.user() if Space.USER in spaces else []
        return [*user, *([self.system()] if Space.SYSTEM in spaces else [])]

    def packages_for(self, text: str) -> list[Package]:
        """The packages that a symbol's name or id may lie in: by a label, by a module, or by the name itself."""
        environment = self.environment()
        if (label := PACKAGE.match(text)) is not None:
            return [package for package in environment.packages if package.label == label[0].partition("~")[0]]
        of_module = [package for package, _ in environment.packages_of(text)]
        if of_module:
            return of_module
        name = SEPARATOR.split(text.rstrip("()"))[-1]
        return environment.packages_with(name)[:MOST_AT_ONCE] if name else []

    def package_part(self, text: str) -> tuple[SpacePart, str, list[str]] | None:
        """The packages that a symbol may lie in, indexed if need be; what is left of the text there; and notices. `None` where
        there are none. One package takes seconds at most, for which everybody waits."""
        packages = self.packages_for(text)
        if not packages:
            return None
        environment = self.environment()
        waiting = [package for package in packages if package.root is not None and not environment.is_indexed(package)]
        notices = self.build(waiting[:MOST_AT_ONCE], waits=True)
        environment = self.environment()
        rest = next((rest for _, rest in environment.packages_of(text)), "") if PACKAGE.match(text) is None else ""
        return self._part(environment, [each for each in packages if environment.is_indexed(each)]), rest, notices
