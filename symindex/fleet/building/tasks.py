"""Batches: the unit of work of every executor. A batch is a few dozen megabytes of source from many
repositories; running one writes their objects to the store and returns the results.

A batch is a message, so it can be sent to any process on any machine. A repository whose files are
not on that machine is fetched there.
"""

import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec

from symindex import __version__
from symindex.errors import RequestError, StorageError, SymindexError, shown
from symindex.extract.languages.language_cache import load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.fleet.building.build import (
    BuiltObject,
    RepositoryChangedError,
    Result,
    build_repositories,
    count_portions,
)
from symindex.fleet.building.portions import write_portion
from symindex.fleet.building.reading_plan import (
    KnownContent,
    ReadingPlan,
    TreeToRead,
    commit_key,
    make_plan,
)
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.checkout import Checkout
from symindex.fleet.sources.sync import held, sync
from symindex.fleet.stored.gc import YOUNG_SECONDS
from symindex.fleet.stored.repository_object import (
    FOLDER,
    HEAD_BYTES,
    check_object,
    head_length,
    key_of,
    read_head,
)
from symindex.fleet.stored.store import Store

HOLD_SECONDS: Final = 60.0
"""How long to wait for another process that brings a repository up to date, in seconds."""

OLD_SECONDS: Final = YOUNG_SECONDS / 2
"""Age of an object, in seconds, from which it is written again when a run finds it: else `gc` might
delete it before the run has said that it needs it."""

BATCH_BYTES: Final = 30_000_000
"""Bytes of source in a batch: some ten seconds of work of a core."""

EACH_BYTES: Final = 50_000
"""What a repository costs beside its source, as bytes of source: its plan, its requests to the
store."""


class Source(msgspec.Struct, frozen=True):
    """The files of a repository, as its last sync left them. root: the folder; empty if the commit
    was known, so that nothing was fetched. commit, tree, branch: as in `Checkout`."""

    root: str = ""
    commit: str = ""
    tree: str = ""
    branch: str = ""

    @classmethod
    def of(cls, checkout: Checkout) -> "Source":
        root = str(checkout.root) if checkout.has_files else ""
        return cls(root, checkout.commit, checkout.tree, checkout.branch)


class BatchItem(msgspec.Struct, frozen=True):
    """A repository in a batch.

    known: its key, from an earlier run. served: the name of the object that is served now; empty if
    there is none. n_bytes: an estimate of its source. is_damaged: whether its object in the store
    must be written again. portion, n_portions: the number of the only portion to read, and how many
    there are; 0 for all of it.
    """

    repository: Repository
    source: Source
    known: KnownContent = KnownContent()
    served: str = ""
    n_bytes: int = 0
    is_damaged: bool = False
    portion: int = 0
    n_portions: int = 0


class Batch(msgspec.Struct, frozen=True):
    """Work for one process.

    store: its address. folder: where sources are fetched to on a machine that lacks them. limits:
    of such a fetch. rules: by which the results are read. n_workers: processes that parse; 0 for
    one per core.
    """

    items: list[BatchItem]
    store: str
    folder: str
    limits: Limits
    rules: bytes
    n_workers: int = 0


def cut_batches(
    items: Sequence[BatchItem], n_bytes: int = BATCH_BYTES, each_bytes: int = EACH_BYTES
) -> list[list[BatchItem]]:
    """Divides items into batches, the large repositories first, so that none begins last.
    each_bytes: what each counts beside its source."""
    batches: list[list[BatchItem]] = []
    size = n_bytes
    for item in sorted(items, key=lambda item: (-item.n_bytes, item.repository.name)):
        if size >= n_bytes:
            batches.append([])
            size = 0
        batches[-1].append(item)
        size += item.n_bytes + each_bytes
    return batches


def run_batch(batch: Batch, store: Store | None = None) -> Iterator[Result]:
    """Indexes the repositories of a batch. Yields a result for each, as it is done. store: the open
    one, if there is one. Raises StorageError if the store refuses, or if symindex here is not the
    one that asks."""
    store = store or Store(batch.store)
    languages = load_kept_languages(PrivateFolder(Path(batch.folder)))
    rules = rules_digest(languages, ())
    if rules != batch.rules:
        raise StorageError(
            f"{platform.node()}: has symindex {__version__}, or languages, that differ from those"
            " of the machine that asks: install the same on all"
        )
    n_workers = batch.n_workers or None
    done: list[Result] = []
    # Until a repository is done, no other process may replace its files.
    holds: dict[str, ExitStack] = {}

    def plans() -> Iterator[ReadingPlan]:
        for item in batch.items:
            name = item.repository.name
            hold = holds[name] = ExitStack()
            try:
                plan = _plan(item, batch, languages, rules, hold)
            except (SymindexError, OSError) as error:
                done.append(Result(name, why=shown(str(error))))
                continue
            if isinstance(plan, Result):
                done.append(plan)
                continue
            if item.n_portions:
                done.append(_portion(store, item, plan, languages, rules, n_workers))
                continue
            found = None if item.is_damaged else find_object(store, plan.key)
            if found is not None:
                done.append(Result(name, found, known=plan.known))
                continue
            yield plan

    def taken(results: list[Result]) -> Iterator[Result]:
        while results:
            result = results.pop(0)
            holds.pop(result.name).close()
            yield result

    try:
        for result in build_repositories(plans(), store, languages, rules, n_workers):
            yield from taken(done)
            yield from taken([result])
        yield from taken(done)
    finally:
        for hold in holds.values():
            hold.close()


def _plan(
    item: BatchItem, batch: Batch, languages: Languages, rules: bytes, hold: ExitStack
) -> ReadingPlan | Result:
    """Returns the plan of an item, or a result if what is served is current. hold: keeps the files
    until it is closed."""
    name, source = item.repository.name, item.source
    if item.served:
        is_same = source.tree and key_of(item.served) == commit_key(name, source.tree, rules)
        if is_same or not source.root:
            return Result(name, BuiltObject(object=item.served))
    if not source.root or not Path(source.root).is_dir():
        source = Source.of(sync(item.repository, Path(batch.folder), batch.limits))
    hold.enter_context(held(item.repository, Path(batch.folder), HOLD_SECONDS))
    tree = TreeToRead(name, source.root, source.tree, item.repository.kind != "folder")
    plan = make_plan(tree, languages, rules, item.known)
    if item.served and key_of(item.served) == plan.key:
        return Result(name, BuiltObject(object=item.served), known=plan.known)
    return plan


def _portion(
    store: Store,
    item: BatchItem,
    plan: ReadingPlan,
    languages: Languages,
    rules: bytes,
    n_workers: int | None,
) -> Result:
    """Makes the object of one portion."""
    name, numbers = item.repository.name, (item.portion, item.n_portions)
    try:
        part = write_portion(store, plan, numbers, plan.languages, rules, n_workers)
    except (RepositoryChangedError, RequestError, OSError) as error:
        return Result(name, why=shown(str(error)), portion=numbers[0], n_portions=numbers[1])
    return Result(name, known=plan.known, part=part, portion=numbers[0], n_portions=numbers[1])


def plan_portions(batch: Batch, item: BatchItem) -> int:
    """Returns how many portions an item has, from the files on this machine; 1 if they are not
    here."""
    source = item.source
    if not source.root or not Path(source.root).is_dir():
        return 1
    languages = load_kept_languages(PrivateFolder(Path(batch.folder)))
    try:
        with ExitStack() as hold:
            plan = _plan(item, batch, languages, rules_digest(languages, ()), hold)
    except (SymindexError, OSError):
        return 1  # The batch says why.
    return count_portions(plan) if isinstance(plan, ReadingPlan) else 1


def find_object(store: Store, key: str) -> BuiltObject | None:
    """Returns the object of a key that is in the store already, written by a run that ended before
    it could say so."""
    for stored in store.list(f"{FOLDER}/{key}"):
        data = store.read(stored.name, 0, HEAD_BYTES)
        try:
            length = head_length(data, stored.name)
            if length > len(data):
                data = store.read(stored.name, 0, length)
            head = read_head(data[:length], stored.name)
            if time.time() - stored.modified > OLD_SECONDS:
                content = store.read(stored.name)
                check_object(content, stored.name)
                store.write(stored.name, content)
        except StorageError:
            raise
        except SymindexError:
            continue  # It is damaged: the repository is indexed again.
        if stored.n_bytes != length + sum(size for _, size in head.places(0)):
            continue
        return BuiltObject(
            object=stored.name,
            n_bytes=stored.n_bytes,
            index_bytes=head.index.n_bytes,
            files=head.files,
            symbols=head.symbols,
            source_bytes=head.source_bytes,
            left_out=head.left_out,
            skips=head.skips,
            generation=head.generation,
        )
    return None
