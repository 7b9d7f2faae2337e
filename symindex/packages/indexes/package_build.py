"""Builds the indexes of packages: one process of a user at a time, one pool of workers, each index
stored when it is whole.

Whatever ends the process, the indexes that were stored stay, and the next build goes on behind
them. What a worker has read must have the digest that gave the index its key; a package that
changes meanwhile is left to the next build.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from symindex.errors import StorageError, SymindexError, shown
from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.skips import UNREAD, SkipReason
from symindex.files.walk import MAX_FILE_BYTES
from symindex.index.build import build_index
from symindex.index.intake import hand_over
from symindex.packages.found.archives import skipped_members
from symindex.packages.found.package import Package
from symindex.packages.found.package_documents import Formats
from symindex.packages.found.package_files import find_package_files
from symindex.packages.indexes.content_key import content_key, read_digests, stamp_of_files
from symindex.packages.indexes.environment import Environment, hashes_of, uses
from symindex.packages.indexes.locations import Locations, marks_of
from symindex.packages.indexes.package_store import (
    BASES,
    ENVIRONMENTS,
    KEPT_SECONDS,
    MOST_BYTES,
    PackageNames,
    PackageStore,
    least_used,
)
from symindex.packages.indexes.sources import Allowance, remove_unknown, unpack_source
from symindex.workers.isolation import python_command
from symindex.workers.many_trees import TreeTasks, read_trees

if TYPE_CHECKING:
    import subprocess

FILE_SECONDS: Final = 10.0
"""The limits are the same for all: settings of a project must not decide what others find."""

NICENESS: Final = 10
"""Whatever else runs goes first. Linux derives the priority of reading and writing from this,
too."""

MOST_SETS: Final = 20
"""How many sets of packages keep their tables and bases. A base takes as much as the indexes of the
packages."""

SAVE_SECONDS: Final = 5.0
"""How often the records of places are written; with what was not yet written, packages are read
once more, but not parsed."""

SAME: Final = "the same as another file of the package"

Progress = Callable[[int, int], None]
"""Called with the number of packages that are done and of all."""


class BuildReport(msgspec.Struct, kw_only=True):
    """What a build did. built, known: how many packages were indexed now, and before. failed: the
    label of each other, and why. is_waiting: another process was building, and nothing was done."""

    built: int = 0
    known: int = 0
    symbols: int = 0
    seconds: float = 0.0
    failed: list[tuple[str, str]] = []
    is_waiting: bool = False


class _Plan(NamedTuple):
    """A package that is being read. marks, stamp: as of `locations`. digests: by path, of the files
    that are read."""

    package: Package
    key: bytes
    marks: bytes
    stamp: bytes
    digests: dict[str, bytes]
    left_out: dict[str, int]


class _Build:
    """One run. plans: in the order in which their files are read."""

    def __init__(self, store: PackageStore, languages: Languages) -> None:
        wanted = languages.wanted(MAX_FILE_BYTES)
        data_of, code_of = (
            {
                end
                for each in languages.by_id.values()
                if each.is_data is is_data
                for end in each.rules.extensions
            }
            for is_data in (True, False)
        )
        # Nobody looks for a key of the data of a package; what it defines is wanted.
        self._store, self._wanted = (
            store,
            wanted._replace(extensions=wanted.extensions - (data_of - code_of)),
        )
        known = load_formats()
        data = frozenset(
            extension
            for row in known.by_id.values()
            if not row.reader
            for extension in row.extensions
        )
        self._formats = Formats(known.document_extensions, data - self._wanted.extensions)
        self.locations = Locations(store.top)
        self._allowance = Allowance()
        self.report = BuildReport()
        self.plans: list[_Plan] = []
        self._under_way: set[str] = set()
        self._saved_at = time.monotonic()

    @property
    def n_done(self) -> int:
        return self.report.built + self.report.known + len(self.report.failed)

    def trees(self, packages: Sequence[Package]) -> Iterator[TreeTasks]:
        """The files of those packages that are not indexed."""
        for package in packages:
            try:
                found = self._plan(package)
            except (OSError, SymindexError) as error:
                self._fail(
                    package, (error.strerror if isinstance(error, OSError) else "") or str(error)
                )
                continue
            if found is None:
                self.report.known += 1
                continue
            plan, root, sizes = found
            self.plans.append(plan)
            yield TreeTasks(root, [(ReadTask(path), sizes[path]) for path in plan.digests])

    def _plan(self, package: Package) -> tuple[_Plan, Path, dict[str, int]] | None:
        """What is to be read of a package, in which folder, and the sizes of its files; `None`
        where there is an index of its content."""
        marks, known = marks_of(package), self.locations.find(package)
        opened = unpack_source(package, self._store, self.locations, self._allowance)
        assert opened.root is not None and package.root is not None
        found = find_package_files(opened, self._wanted, self._formats)
        stamp = stamp_of_files(found.files, found.began_ns)
        if known is not None and stamp and known.files == stamp and self._has(package, known.key):
            self.locations.note(package, marks, stamp, known.key)
            return None
        digests = read_digests(opened, found.files, MAX_FILE_BYTES)
        paths = [file.path for file in found.files]
        key = content_key(package, zip(paths, digests, strict=True))
        if self._has(package, key):
            self.locations.note(package, marks, stamp, key)
            return None
        self._under_way.add(self._store.place_of(package, key))
        distinct = _distinct(paths, digests)
        left_out = dict(found.left_out)
        if opened is not package:
            left_out |= skipped_members(package.root)
        if len(distinct) < len(paths):
            left_out[SAME] = len(paths) - len(distinct)
        sizes = {file.path: file.size for file in found.files}
        return _Plan(package, key, marks, stamp, distinct, left_out), opened.root, sizes

    def _has(self, package: Package, key: bytes) -> bool:
        """Whether there is a sound index, or one is being made."""
        place = self._store.place_of(package, key)
        return place in self._under_way or (
            self._store.names(place) is not None and self._store.open(place)[0] is not None
        )

    def finish(self, plan: _Plan, results: list[FileSymbols]) -> None:
        """Stores the index of a package whose files were read."""
        package, problem = plan.package, _problem(plan, results)
        if problem:
            self._fail(package, problem)
            return
        n_bytes, left_out = sum(result.size for result in results), Counter(plan.left_out)
        left_out.update(result.skip for result in results if result.skip in UNREAD)
        for result in results:  # what differs from one copy of the package to the next
            result.mtime_ns = result.stamp = 0
            result.digest = plan.digests[result.path]
        index = build_index(hand_over(results), (), self._store.rules)
        names = PackageNames(
            ecosystem=package.ecosystem,
            name=package.name,
            version=package.version,
            files=index.n_files,
            symbols=index.n_symbols,
            source_bytes=n_bytes,
            left_out=dict(left_out),
            hashes=hashes_of(index),
        )
        self._store.save(self._store.place_of(package, plan.key), index, names)
        self.locations.note(package, plan.marks, plan.stamp, plan.key)
        self.report.built += 1
        self.report.symbols += index.n_symbols
        if time.monotonic() > self._saved_at + SAVE_SECONDS:
            self.locations.save()
            self._saved_at = time.monotonic()

    def _fail(self, package: Package, why: str) -> None:
        self.report.failed.append((package.label, shown(why)))
        self.locations.note(package, marks_of(package), b"", b"", shown(why))


def _distinct(paths: Sequence[str], digests: Sequence[bytes]) -> dict[str, bytes]:
    """The files to read: of several with the same content the one with the shortest path."""
    first: dict[bytes, str] = {}
    for path, digest in sorted(
        zip(paths, digests, strict=True), key=lambda each: (len(each[0]), each[0])
    ):
        first.setdefault(digest or path.encode("utf-8", "surrogateescape"), path)
    kept = set(first.values())
    return {path: digest for path, digest in zip(paths, digests, strict=True) if path in kept}


def _problem(plan: _Plan, results: Sequence[FileSymbols]) -> str:
    """Why what was read is not what the key stands for; empty where it is."""
    for result in results:
        if result.skip == SkipReason.KILLED:
            return f"{result.path}: {result.skip}; the next build tries again"
        expected = plan.digests[result.path]
        is_lost = result.skip in _WITHOUT_DIGEST and not result.digest
        if result.digest != expected and not is_lost:
            return f"{result.path}: changed while it was read; the next build tries again"
    return ""


_WITHOUT_DIGEST: Final = frozenset((SkipReason.TIME_LIMIT, SkipReason.CRASHED, SkipReason.MEMORY))
"""The reasons by which a worker ends at a file without a word of its content."""


def build_packages(
    packages: Sequence[Package],
    store: PackageStore,
    languages: Languages,
    progress: Progress | None = None,
    *,
    wait_seconds: float = 0.0,
    n_workers: int | None = None,
) -> BuildReport:
    """Indexes those of the packages that are not indexed yet; what a package lacks is in the
    report.

    wait_seconds: how long to wait for another process that builds. n_workers: as of `read_files`.
    Raises StorageError where nothing can be written. May be ended at any moment.
    """
    begun = time.perf_counter()
    wanted = [package for package in packages if package.root is not None]
    with store.building(wait_seconds) as is_ours:
        if not is_ours:
            return BuildReport(is_waiting=True)
        build = _Build(store, languages)
        limits = {
            "languages": languages,
            "max_file_bytes": MAX_FILE_BYTES,
            "file_seconds": FILE_SECONDS,
            "n_workers": n_workers,
        }
        for number, results in read_trees(build.trees(wanted), **limits):  # type: ignore[arg-type]  # of their types
            build.finish(build.plans[number], results)
            if progress is not None:
                progress(build.n_done, len(wanted))
        build.locations.save()
        environment = Environment.open(packages, store)
        if (
            environment.wants_base
        ):  # so that the first search finds it made, and the table of names as well
            environment.save_base()
    build.report.seconds = round(time.perf_counter() - begun, 3)
    return build.report


def prune(
    store: PackageStore,
    most_bytes: int = MOST_BYTES,
    kept_seconds: float = KEPT_SECONDS,
    wait_seconds: float = 0.0,
) -> list[str]:
    """Deletes what has not been used for that time, and the least recently used beyond the size;
    returns the places. Whoever is reading an index goes on with it. Nothing is deleted while
    another process builds."""
    with store.building(wait_seconds) as is_ours:
        if not is_ours:
            return []
        dropped = [
            each.place for each in least_used(store.stored(uses(store)), most_bytes, kept_seconds)
        ]
        old = [
            place
            for kind in (ENVIRONMENTS, BASES)
            for at, (place, used) in enumerate(store.sets(kind))
            if at >= MOST_SETS or time.time() - used > kept_seconds
        ]
        for place in (*dropped, *old):
            store.remove(place)
        remove_unknown(store, Locations(store.top))
        return dropped


def lower_priority() -> None:
    """For a process that builds in the background, and its workers."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICENESS)


def start_package_build(root: str | os.PathLike[str], store: PackageStore) -> bool:
    """Starts a process that indexes what the project at `root` depends on, unless one is building
    for any project; whether it was started. It outlives this one. The store's folder is below the
    folder of indexes that the process is given."""
    import subprocess  # here, because the indexes are mostly there

    try:
        with store.building(0) as is_free:
            if not is_free:
                return False
    except StorageError:
        return False
    arguments = [
        "deps",
        "--build",
        "--background",
        "--root",
        os.fspath(root),
        "--index-dir",
        str(store.top.path.parent),
    ]
    nowhere = subprocess.DEVNULL
    try:
        command = python_command("symindex.__main__", arguments)
        process = subprocess.Popen(
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )
    except OSError:
        return False
    _BUILDING[:] = [process, *(other for other in _BUILDING if other.poll() is None)]
    return True


_BUILDING: Final[list["subprocess.Popen[bytes]"]] = []
"""The processes that were started and may still run: an unreferenced Popen would warn."""
