"""Builds the indexes of packages: one process of a user at a time, with one pool of workers. Each
index is stored when it is complete.

If the process ends early, the stored indexes stay, and the next build continues after them. What a
worker has read must have the digests in the index's key; a package that changes meanwhile is left
to the next build.
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
from symindex.packages.found.package_documents import DocumentEndings
from symindex.packages.found.package_files import find_package_files
from symindex.packages.indexes.content_key import content_key, read_digests, stamp_of_files
from symindex.packages.indexes.environment import Environment, hashes_of, last_uses
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
from symindex.packages.indexes.sources import UnpackBudget, remove_unknown, unpack_source
from symindex.workers.isolation import python_command
from symindex.workers.many_trees import TreeTasks, read_trees

if TYPE_CHECKING:
    import subprocess

FILE_SECONDS: Final = 10.0
"""Time to read one file, in seconds. It is a constant: a project's settings must not decide what
others find."""

NICENESS: Final = 10
"""Niceness of builds in the background: other processes come first. On Linux it also sets the
priority of reading and writing."""

MOST_SETS: Final = 20
"""Most sets of packages whose tables and bases are kept. A base is as large as the packages'
indexes."""

SAVE_SECONDS: Final = 5.0
"""Interval between writing the records of places, in seconds. Packages without a record are read
again, but not parsed."""

SAME: Final = "the same as another file of the package"

Progress = Callable[[int, int], None]
"""Called with the number of finished packages, and of all."""


class BuildReport(msgspec.Struct, kw_only=True):
    """The result of a build.

    built, known: how many packages were indexed now, and before. failed: label and reason of each
    other. is_waiting: another process was building, and nothing was done.
    """

    built: int = 0
    known: int = 0
    symbols: int = 0
    seconds: float = 0.0
    failed: list[tuple[str, str]] = []
    is_waiting: bool = False


class _PackagePlan(NamedTuple):
    """A package that is being read. marks, stamp: see `locations`. digests: path -> digest, of the
    files that are read."""

    package: Package
    key: bytes
    marks: bytes
    stamp: bytes
    digests: dict[str, bytes]
    left_out: dict[str, int]


class _Build:
    """One build. plans: in the order in which their files are read."""

    def __init__(self, store: PackageStore, languages: Languages) -> None:
        file_filter = languages.wanted(MAX_FILE_BYTES)
        data_of, code_of = (
            {
                end
                for language in languages.by_id.values()
                if language.is_data is is_data
                for end in language.rules.extensions
            }
            for is_data in (True, False)
        )
        # Nobody searches for keys in the data files of a package, only for its definitions.
        self._store, self._file_filter = (
            store,
            file_filter._replace(extensions=file_filter.extensions - (data_of - code_of)),
        )
        formats = load_formats()
        data = frozenset(
            extension
            for row in formats.by_id.values()
            if not row.reader
            for extension in row.extensions
        )
        self._formats = DocumentEndings(
            formats.document_extensions, data - self._file_filter.extensions
        )
        self.locations = Locations(store.top)
        self._unpack_budget = UnpackBudget()
        self.report = BuildReport()
        self.plans: list[_PackagePlan] = []
        self._under_way: set[str] = set()
        self._saved_at = time.monotonic()

    @property
    def n_done(self) -> int:
        return self.report.built + self.report.known + len(self.report.failed)

    def trees(self, packages: Sequence[Package]) -> Iterator[TreeTasks]:
        """Yields the files of the packages that are not indexed."""
        for package in packages:
            try:
                planned = self._plan(package)
            except (OSError, SymindexError) as error:
                self._fail(
                    package, (error.strerror if isinstance(error, OSError) else "") or str(error)
                )
                continue
            if planned is None:
                self.report.known += 1
                continue
            plan, root, sizes = planned
            self.plans.append(plan)
            yield TreeTasks(root, [(ReadTask(path), sizes[path]) for path in plan.digests])

    def _plan(self, package: Package) -> tuple[_PackagePlan, Path, dict[str, int]] | None:
        """Plans the reading of a package: the plan, its folder, and path -> size of its files.
        Returns `None` if its content is indexed already."""
        marks, location = marks_of(package), self.locations.find(package)
        opened = unpack_source(package, self._store, self.locations, self._unpack_budget)
        assert opened.root is not None and package.root is not None
        package_files = find_package_files(opened, self._file_filter, self._formats)
        stamp = stamp_of_files(package_files.files, package_files.began_ns)
        if (
            location is not None
            and stamp
            and location.files == stamp
            and self._has(package, location.key)
        ):
            self.locations.note(package, marks, stamp, location.key)
            return None
        digests = read_digests(opened, package_files.files, MAX_FILE_BYTES)
        paths = [file.path for file in package_files.files]
        key = content_key(package, zip(paths, digests, strict=True))
        if self._has(package, key):
            self.locations.note(package, marks, stamp, key)
            return None
        self._under_way.add(self._store.place_of(package, key))
        distinct = _distinct(paths, digests)
        left_out = dict(package_files.left_out)
        if opened is not package:
            left_out |= skipped_members(package.root)
        if len(distinct) < len(paths):
            left_out[SAME] = len(paths) - len(distinct)
        sizes = {file.path: file.size for file in package_files.files}
        return _PackagePlan(package, key, marks, stamp, distinct, left_out), opened.root, sizes

    def _has(self, package: Package, key: bytes) -> bool:
        """Whether a sound index exists, or is being made."""
        place = self._store.place_of(package, key)
        return place in self._under_way or (
            self._store.names(place) is not None and self._store.open(place)[0] is not None
        )

    def finish(self, plan: _PackagePlan, results: list[FileSymbols]) -> None:
        """Stores the index of a package whose files have been read."""
        package, problem = plan.package, _problem(plan, results)
        if problem:
            self._fail(package, problem)
            return
        n_bytes, left_out = sum(result.size for result in results), Counter(plan.left_out)
        left_out.update(result.skip for result in results if result.skip in UNREAD)
        for result in results:  # These differ from one copy of the package to the next.
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
    """Returns path -> digest of the files to read. Of several with the same content, the one with
    the shortest path is read."""
    first: dict[bytes, str] = {}
    for path, digest in sorted(
        zip(paths, digests, strict=True), key=lambda item: (len(item[0]), item[0])
    ):
        first.setdefault(digest or path.encode("utf-8", "surrogateescape"), path)
    distinct = set(first.values())
    return {path: digest for path, digest in zip(paths, digests, strict=True) if path in distinct}


def _problem(plan: _PackagePlan, results: Sequence[FileSymbols]) -> str:
    """Returns why the content read differs from that of the key, or an empty text."""
    for result in results:
        if result.skip == SkipReason.KILLED:
            return f"{result.path}: {result.skip}; the next build tries again"
        expected = plan.digests[result.path]
        is_lost = result.skip in _WITHOUT_DIGEST and not result.digest
        if result.digest != expected and not is_lost:
            return f"{result.path}: changed while it was read; the next build tries again"
    return ""


_WITHOUT_DIGEST: Final = frozenset((SkipReason.TIME_LIMIT, SkipReason.CRASHED, SkipReason.MEMORY))
"""Reasons for which a worker stops at a file without reporting its content."""


def build_packages(
    packages: Sequence[Package],
    store: PackageStore,
    languages: Languages,
    progress: Progress | None = None,
    *,
    wait_seconds: float = 0.0,
    n_workers: int | None = None,
) -> BuildReport:
    """Indexes the packages that are not indexed yet; the report lists the failures.

    wait_seconds: how long to wait for another build. n_workers: see `read_files`. Raises
    StorageError if nothing can be written. The process may be killed at any moment.
    """
    begun = time.perf_counter()
    installed = [package for package in packages if package.root is not None]
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
        for number, results in read_trees(build.trees(installed), **limits):  # type: ignore[arg-type]  # of their types
            build.finish(build.plans[number], results)
            if progress is not None:
                progress(build.n_done, len(installed))
        build.locations.save()
        environment = Environment.open(packages, store)
        # Made here, with the table of names, so that the first search need not.
        if environment.wants_base:
            environment.save_base()
    build.report.seconds = round(time.perf_counter() - begun, 3)
    return build.report


def prune(
    store: PackageStore,
    most_bytes: int = MOST_BYTES,
    kept_seconds: float = KEPT_SECONDS,
    wait_seconds: float = 0.0,
) -> list[str]:
    """Deletes the indexes that have not been used for `kept_seconds`, and the least recently used
    ones beyond `most_bytes`. Returns their places. A process that reads a deleted index can go on.
    Nothing is deleted while another process builds."""
    with store.building(wait_seconds) as is_ours:
        if not is_ours:
            return []
        dropped = [
            stored.place
            for stored in least_used(store.stored(last_uses(store)), most_bytes, kept_seconds)
        ]
        old = [
            place
            for kind in (ENVIRONMENTS, BASES)
            for rank, (place, used) in enumerate(store.sets(kind))
            if rank >= MOST_SETS or time.time() - used > kept_seconds
        ]
        for place in (*dropped, *old):
            store.remove(place)
        remove_unknown(store, Locations(store.top))
        return dropped


def lower_priority() -> None:
    """Lowers the priority of this process, which builds in the background, and of its workers."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICENESS)


def start_package_build(root: str | os.PathLike[str], store: PackageStore) -> bool:
    """Starts a process that indexes the packages of the project at `root`, unless one is building
    for any project. It outlives this one. Returns whether it was started. The store must be in the
    folder of indexes that the process is given."""
    import subprocess  # Imported here because the indexes usually exist.

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
    _BUILDING[:] = [
        process,
        *(process_before for process_before in _BUILDING if process_before.poll() is None),
    ]
    return True


_BUILDING: Final[list["subprocess.Popen[bytes]"]] = []
"""Started processes that may still run: an unreferenced Popen would warn."""
