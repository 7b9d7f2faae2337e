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

from symindex.errors import RequestError, SymindexError, shown
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.extract.texts.file_text import digest_of
from symindex.files.access.beneath import Beneath
from symindex.files.skips import UNREAD, SkipReason
from symindex.files.walk import MAX_FILE_BYTES, FoundFile
from symindex.fleet.building.reading_plan import FILE_SECONDS, KnownContent, ReadingPlan
from symindex.fleet.building.shards import merge_indexes
from symindex.fleet.stored.repository_object import make_object
from symindex.fleet.stored.source_pack import PackTable, join, pack
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
    for that. known: its key, for the next run. is_new: whether the object was written now. part:
    the name of the object of a portion, if that was all to do. portion, n_portions: its number, and
    how many there are; 0 for a whole repository.
    """

    name: str
    built: BuiltObject | None = None
    why: str = ""
    known: KnownContent = KnownContent()
    is_new: bool = False
    part: str = ""
    portion: int = 0
    n_portions: int = 0


class Portion(NamedTuple):
    """A part of a plan: its number, from 0, and its files."""

    plan: ReadingPlan
    number: int
    files: list[FoundFile]


class MadePortion(NamedTuple):
    """What a portion gives: an index, and a source pack. left_out: as in `BuiltObject`."""

    indexed: Index
    pack: tuple[PackTable, list[bytes]]
    left_out: Counter[str]
    source_bytes: int


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
    portions: list[Portion] = []

    def every() -> Iterator[Portion]:
        for plan in plans:
            for portion in portions_of(plan):
                portions.append(portion)
                yield portion

    making: dict[str, dict[int, MadePortion]] = {}
    problems: dict[str, str] = {}
    for number, results in read_portions(every(), languages, n_workers):
        plan, made_by, _ = portions[number]
        name = plan.tree.name
        made = making.setdefault(name, {})
        try:
            made[made_by] = make_portion(portions[number], results, rules)
        except (RepositoryChangedError, OSError) as error:
            problems.setdefault(name, shown(str(error)))
            made[made_by] = _NOTHING
        if len(made) < count_portions(plan):
            continue
        parts = [part for _, part in sorted(making.pop(name).items())]
        if name in problems:
            yield Result(name, why=problems.pop(name))
            continue
        try:
            built = write_object(store, plan.key, rules, parts, plan.left_out, plan.skips)
        except RequestError as error:
            yield Result(name, why=str(error))
        else:
            yield Result(name, built, known=plan.known, is_new=True)


def read_portions(
    portions: Iterable[Portion], languages: Languages, n_workers: int | None
) -> Iterator[tuple[int, list[FileSymbols]]]:
    """Reads the files of portions with one pool of workers. Yields the number of each with its
    results."""
    return read_trees(
        map(_tasks_of, portions),
        languages=languages,
        max_file_bytes=MAX_FILE_BYTES,
        file_seconds=FILE_SECONDS,
        n_workers=n_workers,
    )


def portions_of(plan: ReadingPlan) -> Iterator[Portion]:
    """Divides the files of a plan, in their order."""
    files: list[FoundFile] = []
    size = number = 0
    for file in plan.files:
        if files and size >= PORTION_BYTES:
            yield Portion(plan, number, files)
            files, size, number = [], 0, number + 1
        files.append(file)
        size += file.size
    yield Portion(plan, number, files)


def count_portions(plan: ReadingPlan) -> int:
    """Returns how many portions a plan has."""
    return sum(1 for _ in portions_of(plan))


def _tasks_of(portion: Portion) -> TreeTasks:
    tasks = [(ReadTask(file.path), file.size) for file in portion.files]
    return TreeTasks(Path(portion.plan.tree.root), tasks)


def make_portion(portion: Portion, results: list[FileSymbols], rules: bytes) -> MadePortion:
    """Makes the index and the source pack of a portion. results: of the workers; they are used up.
    Raises RepositoryChangedError, and OSError for a file that has become unreadable."""
    plan = portion.plan
    _check_unchanged(plan, results)
    left_out = Counter(str(result.skip) for result in results if result.skip in UNREAD)
    source_bytes = sum(result.size for result in results)
    digests = {result.path: result.digest for result in results if not result.skip}
    for result in results:
        result.mtime_ns = result.stamp = 0  # These differ from one machine to the next.
        result.path = f"{plan.tree.name}/{result.path}"
        result.items = [
            (number, msgspec.structs.replace(facts, id=f"{plan.tree.name}/{facts.id}"))
            for number, facts in result.items
        ]
    index = build_index(hand_over(results), (), rules)
    return MadePortion(index, pack(_sources(plan, digests)), left_out, source_bytes)


def _sources(plan: ReadingPlan, digests: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yields the files that were indexed, as they were."""
    with Beneath(Path(plan.tree.root)) as tree:
        for path, digest in sorted(digests.items()):
            data = tree.read(path, MAX_FILE_BYTES)
            if digest_of(data) != digest:
                raise RepositoryChangedError(_changed(path))
            yield path, data


def write_object(
    store: Store,
    key: str,
    rules: bytes,
    portions: list[MadePortion],
    left_out: dict[str, int],
    skips: list[tuple[str, str]],
) -> BuiltObject:
    """Joins the portions of a repository, in order, and writes its object. left_out, skips: of the
    plan. Raises StorageError, and RequestError for too many files."""
    counts = Counter(left_out)
    for portion in portions:
        counts.update(portion.left_out)
    source_bytes = sum(portion.source_bytes for portion in portions)
    source = join([portion.pack for portion in portions])
    index = portions[0].indexed
    if len(portions) > 1:
        index = merge_indexes([portion.indexed for portion in portions], rules)
    portions.clear()
    content = b"".join(index_file(index, rules))
    generation = index.columns.generation
    files = index.n_files, index.n_symbols, source_bytes
    name, pieces = make_object(
        key, rules, (content, generation), files, (dict(counts), skips), source
    )
    store.write(name, b"".join(pieces))
    return BuiltObject(
        object=name,
        n_bytes=sum(map(len, pieces)),
        index_bytes=len(content),
        files=index.n_files,
        symbols=index.n_symbols,
        source_bytes=source_bytes,
        left_out=dict(sorted(counts.items())),
        skips=skips,
        generation=generation,
    )


def _changed(path: str) -> str:
    return f"{path}: changed while it was read; the next run tries again"


def _check_unchanged(plan: ReadingPlan, results: Sequence[FileSymbols]) -> None:
    """Raises RepositoryChangedError if a result must not be stored."""
    for result in results:
        if result.skip == SkipReason.KILLED:
            raise RepositoryChangedError(f"{result.path}: {result.skip}; the next run tries again")
        expected = plan.digests.get(result.path, b"")
        if expected and result.digest and result.digest != expected:
            raise RepositoryChangedError(_changed(result.path))


_NOTHING: Final = MadePortion(build_index([]), pack([]), Counter(), 0)
