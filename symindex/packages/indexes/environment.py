"""An environment: the packages of a project as one thing to search. Their indexes are parts of one
snapshot, and a table says which of them have a name.

A project has hundreds of packages, and most questions are about one. So an index is opened only
when a snapshot needs it, and the table tells which packages define a name without opening any. The
table is made from the hashes next to each index, once for each set of packages, and shared by the
projects with the same set.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
import numpy as np

from symindex.errors import IndexFileError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.arrays import distinct_of
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import pack
from symindex.index.columns.layout import Blob
from symindex.index.snapshot import Snapshot
from symindex.index.store import Store, read_table, write_table
from symindex.packages.ecosystems.node import TYPES
from symindex.packages.found.package import Package
from symindex.packages.indexes.content_key import KEY_BYTES
from symindex.packages.indexes.environment_base import MOST_PARTS, MergedBase, assemble, merge
from symindex.packages.indexes.locations import Locations
from symindex.packages.indexes.name_table import (
    EnvironmentNames,
    hash_of,
    keep_pointer,
    numbers_with,
)
from symindex.packages.indexes.package_store import BASES, ENVIRONMENTS, PackageNames, PackageStore

MOST_PACKAGES: Final = 65_535
"""Most packages: their numbers have 16 bits."""

_SEPARATOR: Final = re.compile(r"::|[./#:]")


class PackageSet(msgspec.Struct, array_like=True, frozen=True, kw_only=True, eq=False):
    """The places of the indexes that a base was merged from, in order. Stored next to the base."""

    places: list[str]


class PackageStatus(NamedTuple):
    """A package in its environment.

    state: `indexed`, `missing` (nothing to index), `waiting` (not built yet) or `failed`. why: the
    reason for the last three. left_out: reason -> number of files. place: the folder of its index.
    """

    package: Package
    state: str
    files: int = 0
    symbols: int = 0
    n_bytes: int = 0
    left_out: Mapping[str, int] = MappingProxyType({})
    why: str = ""
    place: str = ""


class Environment:
    """The packages of a project as they were stored when `open` made this; it never changes.

    packages: all, by label. by_place: folder of the index -> package, for the packages whose
    content is known; packages with the same content are one.
    """

    def __init__(
        self, packages: Sequence[Package], store: PackageStore, locations: Locations
    ) -> None:
        self.packages: list[Package] = sorted(
            packages, key=lambda package: (package.label, str(package.root))
        )[:MOST_PACKAGES]
        self.by_place: dict[str, Package] = {}
        self._store, self._locations = store, locations
        self._place_of: dict[Package, str] = {}
        self._opened: dict[str, Index] = {}
        self._problems: dict[str, str] = {}
        for package in self.packages:
            key = locations.key_of(package) if package.root is not None else None
            if key is not None:
                place = self._place_of[package] = store.place_of(package, key)
                self.by_place.setdefault(place, package)

    @property
    def place(self) -> Path:
        """The folder of all package indexes."""
        return self._store.top.path

    @classmethod
    def open(cls, packages: Sequence[Package], store: PackageStore) -> "Environment":
        """Opens the environment of these packages, as far as they are indexed. Reads one file, and
        some stats per package. Does not raise for damaged files: they count as missing."""
        return cls(packages, store, Locations(store.top))

    def _place_of_set(self, kind: str, places: Sequence[str]) -> str:
        """Returns the folder for data about a set of indexes, relative to the top."""
        digest = hashlib.blake2b(
            "\0".join(sorted(places)).encode() + self._store.rules, digest_size=KEY_BYTES
        )
        return f"{kind}/{digest.hexdigest()}"

    def keep_pointer(self, folder: PrivateFolder) -> None:
        """Writes a pointer to the table of names next to the index of a project (see
        `name_table`)."""
        places = [place for place in self.names.places if place in self.by_place]
        if not places or len(places) != len(self.names.places):
            return
        packages = [self.by_place[place] for place in places]
        order = sorted(range(len(packages)), key=lambda number: _by_nearness(packages[number]))
        table = self._place_of_set(ENVIRONMENTS, places)
        keep_pointer(
            folder, table, self._store.rules, [package.label for package in packages], order
        )

    @cached_property
    def names(self) -> EnvironmentNames:
        """The table of names, made and stored if there is none."""
        places = sorted(filter(self._store.has, self.by_place))
        place = self._place_of_set(ENVIRONMENTS, places)
        folder = self._store.folder(place)
        with suppress(IndexFileError, StorageError):
            stored = read_table(folder, self._store.rules, EnvironmentNames)
            if stored is not None and stored.places == places:
                self._store.note_use(place, places)
                return stored
        table = join_names(
            (package_place, names)
            for package_place in places
            if (names := self._store.names(package_place)) is not None
        )
        with suppress(StorageError):  # Without it, the table is made again next time.
            write_table(folder, self._store.rules, table)
        self._store.mark_used(places)
        return table

    def packages_with(self, name: str) -> list[Package]:
        """Returns the packages that define this name, ignoring case and separators; rarely one that
        does not."""
        places = (self.names.places[number] for number in numbers_with(self.names, name))
        packages = [self.by_place[place] for place in places if place in self.by_place]
        return sorted(packages, key=_by_nearness)

    @cached_property
    def _by_module(self) -> dict[str, list[Package]]:
        by_module: dict[str, list[Package]] = {}
        for package in sorted(self.packages, key=_by_nearness):
            for module in package.modules:
                by_module.setdefault(module, []).append(package)
        return by_module

    def packages_of(self, qualified: str) -> list[tuple[Package, str, str]]:
        """Returns the packages whose module a qualified name begins with, each with the module and
        the rest of the name: for `httpx.Client.get` the package httpx, `httpx` and `Client.get`.
        The longest module counts; the nearest package comes first."""
        ends = [
            len(qualified),
            *(match.start() for match in reversed(list(_SEPARATOR.finditer(qualified)))),
        ]
        # Code writes `React.memo`, but the package's name is `react`.
        for module_of in (str, str.lower):
            for end in ends:
                module = module_of(qualified[:end])
                if packages := self._by_module.get(module):
                    rest = (
                        _SEPARATOR.sub("", qualified[end:], count=1) if end < len(qualified) else ""
                    )
                    return [(package, module, rest) for package in packages]
        return []

    def snapshot(self, packages: Iterable[Package] | None = None) -> Snapshot:
        """Returns a snapshot of some packages, or of all. Indexes that cannot be opened are left
        out, and count as missing from then on. Paths begin with the label of their package. If
        there are more than a few packages, a merged base replaces those that it contains."""
        chosen = (
            {self._place_of.get(package) for package in packages}
            if packages is not None
            else set(self.by_place)
        )
        prefixes = {place: prefix for place, prefix in self._prefixes.items() if place in chosen}
        base = self._base if len(prefixes) > MOST_PARTS else None
        return assemble(base, prefixes, self._open)

    @cached_property
    def _base(self) -> MergedBase | None:
        """The base that covers most of the packages: that of this set, or of a similar one."""
        best, best_place = (frozenset[str](), 0), ""
        for place, _ in self._store.sets(BASES) if self._prefixes else ():
            places = places_in(self._store, place)
            covered = places & self._prefixes.keys()
            if (len(covered), -len(places)) > (len(best[0]), -best[1]):
                best, best_place = (covered, len(places)), place
        index = self._store.open(best_place)[0] if best_place else None
        if index is None:
            return None
        self._store.note_use(best_place)
        return MergedBase(index, *best)

    @property
    def wants_base(self) -> bool:
        """Whether a search of all packages would need many parts, or read much that belongs to
        other packages."""
        lacking = len(self._prefixes) - (len(self._base.places) if self._base is not None else 0)
        return lacking > MOST_PARTS or (
            self._base is not None and self._base.n_places > 2 * len(self._base.places)
        )

    def save_base(self) -> None:
        """Merges all indexes and stores the result, for searches of all packages. Raises
        StorageError. Call it while `PackageStore.building` is held."""
        for place in self._prefixes:
            self._open(place)
        self.drop_damaged()  # An index made from damaged ones would get a valid checksum.
        prefixes = {
            place: prefix for place, prefix in self._prefixes.items() if place in self._opened
        }
        index = merge(
            [(self._opened[place], prefix) for place, prefix in prefixes.items()], self._store.rules
        )
        folder = self._store.folder(self._place_of_set(BASES, list(prefixes)))
        write_table(folder, self._store.rules, PackageSet(places=sorted(prefixes)))
        Store(folder, self._store.rules).save_base(index)
        self.__dict__.pop("_base", None)  # Forgets the value of the `cached_property`.

    @cached_property
    def _prefixes(self) -> dict[str, str]:
        """Place of an index -> prefix of its paths. Packages with the same label but other content
        are numbered."""
        counts: dict[str, int] = {}
        prefixes = {}
        indexed = set(self.names.places)
        for place, package in sorted(
            self.by_place.items(), key=lambda item: (item[1].label, item[0])
        ):
            if place in indexed:
                number = counts[package.label] = counts.get(package.label, 0) + 1
                prefixes[place] = (
                    f"{package.label}~{number}/" if number > 1 else f"{package.label}/"
                )
        return prefixes

    def prefix_of(self, package: Package) -> str:
        """Returns the prefix of an indexed package's paths, or an empty text."""
        return self._prefixes.get(self._place_of.get(package, ""), "")

    def package_at(self, path: str) -> tuple[Package, str] | None:
        """Returns the package that contains a path of an answer, and the path relative to its
        root."""
        for place, prefix in self._prefixes.items():
            if path.startswith(prefix):
                return self.by_place[place], path.removeprefix(prefix)
        return None

    def _open(self, place: str) -> Index | None:
        index = self._opened.get(place)
        if index is None and place not in self._problems:
            index, problem = self._store.open(place)
            if index is None:
                self._problems[place] = problem
            else:
                self._opened[place] = index
        return index

    def drop_damaged(self) -> list[Package]:
        """Deletes the indexes that differ from what was written, and returns their packages. Called
        after an error in reading."""
        damaged = [
            place
            for place, index in self._opened.items()
            if self._store.drop_if_damaged(place, index)
        ]
        for place in damaged:
            del self._opened[place]
            self._problems[place] = "was damaged; it will be rebuilt"
        return [self.by_place[place] for place in damaged]

    @cached_property
    def _indexed(self) -> frozenset[str]:
        return frozenset(self.names.places)

    def is_indexed(self, package: Package) -> bool:
        place = self._place_of.get(package)
        return place is not None and place in self._indexed and place not in self._problems

    def missing(self) -> list[Package]:
        """Returns the packages that a build may index now: those that are installed and not
        indexed, except those that have failed and not changed since."""
        return [
            package
            for package in self.packages
            if package.root is not None
            and not self.is_indexed(package)
            and not self._locations.has_failed(package)
        ]

    def status(self) -> list[PackageStatus]:
        """Returns every package with the state of its index."""
        return [self._status(package) for package in self.packages]

    def _status(self, package: Package) -> PackageStatus:
        if package.root is None:
            return PackageStatus(package, "missing", why=package.missing or "not installed")
        place = self._place_of.get(package, "")
        names = self._store.names(place) if self.is_indexed(package) else None
        if names is not None:
            n_bytes = self._store.size_of(place)
            return PackageStatus(
                package, "indexed", names.files, names.symbols, n_bytes, names.left_out, place=place
            )
        location = self._locations.find(package)
        if location is not None and location.failed:
            return PackageStatus(package, "failed", why=location.failed)
        return PackageStatus(package, "waiting", why=self._problems.get(place) or "not indexed yet")


def _by_nearness(package: Package) -> tuple[bool, bool, int, str, str]:
    """A sort key for packages with the same name: types before the package that they describe, then
    direct dependencies, then the least nested; equal ones by label and root."""
    depth = len(package.root.parts) if package.root is not None else 0
    return (
        not package.name.startswith(TYPES),
        not package.is_direct,
        depth,
        package.label,
        str(package.root),
    )


def hashes_of(index: Index) -> Blob:
    """Returns the hashes of an index's names, for `PackageNames.hashes`."""
    hashes = np.array([hash_of(name) for name in index.names.all], dtype=np.uint64)
    return pack(distinct_of(hashes), "<u8")


def join_names(tables: Iterable[tuple[str, PackageNames]]) -> EnvironmentNames:
    """Joins the names of several indexes, given with their places in order, into one table."""
    places: list[str] = []
    hashes, numbers = [np.empty(0, dtype=np.uint64)], [np.empty(0, dtype=np.uint16)]
    for place, names in tables:
        own_hashes = np.frombuffer(names.hashes, dtype="<u8")
        hashes.append(own_hashes.astype(np.uint64))
        numbers.append(np.full(len(own_hashes), len(places), dtype=np.uint16))
        places.append(place)
    every, number = np.concatenate(hashes), np.concatenate(numbers)
    order = np.argsort(every, kind="stable")
    return EnvironmentNames(
        places=places, hashes=pack(every[order], "<u8"), numbers=pack(number[order], "<u2")
    )


def last_uses(store: PackageStore) -> dict[str, float]:
    """Returns place of an index -> when an environment last used it."""
    used: dict[str, float] = {}
    for place, touched in store.sets(ENVIRONMENTS):
        with suppress(IndexFileError, StorageError):
            table = read_table(store.folder(place), store.rules, EnvironmentNames)
            for index_place in table.places if table is not None else ():
                used[index_place] = max(used.get(index_place, 0.0), touched)
    return used


def places_in(store: PackageStore, place: str) -> frozenset[str]:
    """Returns the places of the indexes that a base was merged from."""
    with suppress(IndexFileError, StorageError):
        table = read_table(store.folder(place), store.rules, PackageSet)
        return frozenset(table.places if table is not None else ())
    return frozenset()
