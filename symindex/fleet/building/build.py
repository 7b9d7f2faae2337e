"""Builds the objects of many repositories with one pool of workers, and writes each to the store as
soon as it is complete.

A large repository is read in portions, whose indexes are merged at the end, so memory is bounded by
a portion and not by a repository. The result has the same bytes either way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from symindex.errors import IndexFileError, SymindexError, shown
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.extract.texts.file_text import digest_of
from symindex.files.access.beneath import Beneath
from symindex.files.skips import UNREAD, SkipReason
from symindex.files.walk import MAX_FILE_BYTES, FoundFile
from symindex.fleet.building.reading_plan import FILE_SECONDS, KnownContent, ReadingPlan
from symindex.fleet.building.shards import merge_indexes
from symindex.fleet.stored.repository_object import make_object
from symindex.fleet.stored.source_pack import pack
from symindex.fleet.stored.store import Store
from symindex.index.build import build_index
from symindex.index.columns.columns import Index
from symindex.index.intake import hand_over
from symindex.index.store import index_file
from symindex.workers.many_trees import TreeTasks, read_trees

PORTION_BYTES: Final = 200_000_000
"""Bytes of source in a portion of a repository."""


class BuiltObject(msgspec.Struct, frozen=True, kw_only=True):
    """A repository's object in the store.

    object: its name. n_bytes, index_bytes: sizes of the object and of the index in it. files,
    symbols, source_bytes: what was indexed. left_out: reason -> number of files that were not read.
    skips: the first of those that the index does not name, each with the reason. generation: of the
    index.
    """

    object: str
    n_bytes: int = 0
    index_bytes: int = 0
    files: int = 0
    symbols: int = 0
    source_bytes: int = 0
    left_out: dict[str, int] = {}
    skips: list[tuple[str, str]] = []
    generation: int = 0


class Result(msgspec.Struct, frozen=True):
    """What became of a repository.

    name: of the repository. built: its object; `None` if it could not be indexed. why: the reason
    for that. known: its key, for the next run. is_new: whether the object was written now.
    """

    name: str
    built: BuiltObject | None = None
    why: str = ""
    known: KnownContent = KnownContent()
    is_new: bool = False


class _Portion(NamedTuple):
    """A part of a plan, and its files."""

    plan: ReadingPlan
    files: list[FoundFile]


class RepositoryChangedError(SymindexError):
    """A tree that changed while it was read."""


def build_repositories(
    plans: Iterable[ReadingPlan],
    store: Store,
    languages: Languages,
    rules: bytes,
    n_workers: int | None = None,
) -> Iterator[Result]:
    """Builds the objects of repositories and writes them. Yields a result for each, as it is done.

    plans: consumed as the work goes on. languages, rules: all languages, and the digest of their
    rules. n_workers: processes that parse; default: one per core. Raises StorageError if the store
    refuses.
    """
    special: dict[bytes, list[ReadingPlan]] = {}

    def ordinary() -> Iterator[ReadingPlan]:
        for plan in plans:
            digest = plan.languages.reading_digest
            if digest == languages.reading_digest:
                yield plan
            else:
                special.setdefault(digest, []).append(plan)

    yield from _build_alike(ordinary(), store, languages, rules, n_workers)
    for group in special.values():
        yield from _build_alike(group, store, group[0].languages, rules, n_workers)


def _build_alike(
    plans: Iterable[ReadingPlan],
    store: Store,
    languages: Languages,
    rules: bytes,
    n_workers: int | None,
) -> Iterator[Result]:
    """Builds repositories that are read by the same rules."""
    portions: list[_Portion] = []

    def trees() -> Iterator[TreeTasks]:
        for plan in plans:
            for portion in _portions(plan):
                portions.append(portion)
                tasks = [(ReadTask(file.path), file.size) for file in portion.files]
                yield TreeTasks(Path(plan.tree.root), tasks)

    making: dict[str, _Making] = {}
    reading = read_trees(
        trees(),
        languages=languages,
        max_file_bytes=MAX_FILE_BYTES,
        file_seconds=FILE_SECONDS,
        n_workers=n_workers,
    )
    for number, results in reading:
        plan = portions[number].plan
        made = making.setdefault(plan.tree.name, _Making(plan, rules))
        made.add(results)
        if made.n_files < len(plan.files):
            continue
        del making[plan.tree.name]
        try:
            built = made.write(store)
            yield Result(plan.tree.name, built, known=plan.known, is_new=True)
        except (RepositoryChangedError, IndexFileError, OSError) as error:
            yield Result(plan.tree.name, why=shown(str(error)))


def _portions(plan: ReadingPlan) -> Iterator[_Portion]:
    """Divides the files of a plan, in their order."""
    files: list[FoundFile] = []
    size = 0
    for file in plan.files:
        if files and size >= PORTION_BYTES:
            yield _Portion(plan, files)
            files, size = [], 0
        files.append(file)
        size += file.size
    yield _Portion(plan, files)


class _Making:
    """The object of a repository while its portions arrive. n_files: how many files have."""

    def __init__(self, plan: ReadingPlan, rules: bytes) -> None:
        self.n_files = 0
        self._plan, self._rules = plan, rules
        self._indexes: list[Index] = []
        self._left_out = Counter(plan.left_out)
        self._source_bytes = 0
        self._digests: dict[str, bytes] = {}
        self._problem = ""

    def add(self, results: list[FileSymbols]) -> None:
        """Adds the files of a portion."""
        self.n_files += len(results)
        self._problem = self._problem or _problem(self._plan, results)
        self._left_out.update(str(result.skip) for result in results if result.skip in UNREAD)
        for result in results:
            result.mtime_ns = result.stamp = 0  # These differ from one machine to the next.
            self._source_bytes += result.size
            if not result.skip:
                self._digests[result.path] = result.digest
            result.path = f"{self._plan.tree.name}/{result.path}"
        self._indexes.append(build_index(hand_over(results), (), self._rules))

    def write(self, store: Store) -> BuiltObject:
        """Writes the object. Raises RepositoryChangedError, and OSError for a file that has become
        unreadable."""
        if self._problem:
            raise RepositoryChangedError(self._problem)
        index = self._indexes[0]
        if len(self._indexes) > 1:
            index = merge_indexes(self._indexes, self._rules)
        self._indexes = []
        content = b"".join(index_file(index, self._rules))
        counts = index.n_files, index.n_symbols, self._source_bytes
        left_out = dict(self._left_out)
        generation = index.columns.generation
        name, pieces = make_object(
            self._plan.key,
            self._rules,
            (content, generation),
            counts,
            (left_out, self._plan.skips),
            pack(self._sources()),
        )
        store.write(name, b"".join(pieces))
        return BuiltObject(
            object=name,
            n_bytes=sum(map(len, pieces)),
            index_bytes=len(content),
            files=counts[0],
            symbols=counts[1],
            source_bytes=counts[2],
            left_out=left_out,
            skips=self._plan.skips,
            generation=generation,
        )

    def _sources(self) -> Iterator[tuple[str, bytes]]:
        """Yields the files that were indexed, as they were."""
        with Beneath(Path(self._plan.tree.root)) as tree:
            for path, digest in sorted(self._digests.items()):
                data = tree.read(path, MAX_FILE_BYTES)
                if digest_of(data) != digest:
                    raise RepositoryChangedError(_changed(path))
                yield path, data


def _changed(path: str) -> str:
    return f"{path}: changed while it was read; the next run tries again"


def _problem(plan: ReadingPlan, results: Sequence[FileSymbols]) -> str:
    """Returns why a result must not be stored, or an empty text."""
    for result in results:
        if result.skip == SkipReason.KILLED:
            return f"{result.path}: {result.skip}; the next run tries again"
        expected = plan.digests.get(result.path, b"")
        if expected and result.digest and result.digest != expected:
            return _changed(result.path)
    return ""
