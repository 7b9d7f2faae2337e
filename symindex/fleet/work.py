"""The work on a fleet: sync, index, merge, and what they leave to be done.

What has to be done is the catalogue less the store. So each step can be run again at any time, from
any machine, and ends with one generation, or with none if nothing has changed.
"""

import hashlib
import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import StorageError, SymindexError, shown
from symindex.extract.languages.language_cache import load_kept_languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.fleet.building.build import Result
from symindex.fleet.building.executors import Executor, run_locally
from symindex.fleet.building.reading_plan import KnownContent
from symindex.fleet.building.shards import FOLDER as SHARDS
from symindex.fleet.building.shards import MOST_LOOSE, Group, find_merges, merge_indexes
from symindex.fleet.building.tasks import BATCH_BYTES, Batch, BatchItem, Source, cut_batches
from symindex.fleet.building.verifying import damaged_repositories, damaged_shards
from symindex.fleet.cache import LocalCache
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.checkout import Checkout
from symindex.fleet.sources.sync import remove_unlisted, sync_all
from symindex.fleet.stored.generation import (
    Built,
    Generation,
    RepositoryState,
    Shard,
    newest_generation,
    publish,
)
from symindex.fleet.stored.repository_object import FOLDER as OBJECTS
from symindex.fleet.stored.repository_object import digest_of_piece
from symindex.fleet.stored.store import Store
from symindex.index.store import index_file
from symindex.protocol.fleet import Failure, StepReport

_STATE_NAME: Final = "fleet.kept"
_MOST_STATE_BYTES: Final = 500_000_000

Progress = Callable[[str, int, int], object]
"""Called with the step, the number of repositories done, and of all."""

Change = Callable[[Generation], Generation]


class _Local(msgspec.Struct):
    """What this machine remembers: the sources by name, and the keys of folders."""

    sources: dict[str, Source] = {}
    keys: dict[str, KnownContent] = {}


class FleetWork:
    """One run of the work on a fleet.

    repositories: those that this run cares for. is_whole: whether they are all of the catalogue; if
    not, others that are served stay. notices: about the catalogue. folder: for sources, and for
    what this machine remembers.
    """

    def __init__(
        self,
        store: Store,
        repositories: Sequence[Repository],
        folder: Path,
        limits: Limits,
        *,
        is_whole: bool = True,
        notices: Sequence[str] = (),
        executor: Executor = run_locally,
        n_workers: int = 0,
        batch_bytes: int = BATCH_BYTES,
        progress: Progress | None = None,
    ) -> None:
        self.store, self.repositories = store, {one.name: one for one in repositories}
        self.folder, self.limits = folder, limits
        self._is_whole, self._notices = is_whole, list(notices)
        self._executor, self._n_workers, self._batch_bytes = executor, n_workers, batch_bytes
        self._progress = progress or (lambda step, done, total: None)
        self._place = PrivateFolder(folder)
        self._place.make()
        self.rules: bytes = rules_digest(load_kept_languages(self._place), ())
        self._local = self._read_local()
        self.reports: list[StepReport] = []

    def update(self, *, verify: bool = False) -> Generation:
        """Does all steps. What was indexed is published before anything is merged. verify: reads
        all that is served, and makes what is damaged anew."""
        began = time.perf_counter()
        sync, sync_report = self._sync()
        index, index_report = self._index(verify)
        generation = self._publish([sync, index], [sync_report, index_report], began)
        kept, groups = self._find_merges(generation, MOST_LOOSE)
        if groups or kept != generation.shards or verify:
            return self.merge(verify=verify)
        return generation

    def sync(self) -> Generation:
        """Brings the sources up to date."""
        began = time.perf_counter()
        change, report = self._sync()
        return self._publish([change], [report], began)

    def index(self, *, verify: bool = False) -> Generation:
        """Indexes what has changed. Sources that this machine has never looked at are fetched
        first. verify: reads the objects of all repositories, and makes the damaged ones anew."""
        began = time.perf_counter()
        lacking = [
            one for name, one in self.repositories.items() if name not in self._local.sources
        ]
        sync, sync_report = self._sync(lacking) if lacking else (_same, None)
        change, report = self._index(verify)
        reports = [report] if sync_report is None else [sync_report, report]
        return self._publish([sync, change], reports, began)

    def merge(self, most_loose: int = MOST_LOOSE, *, verify: bool = False) -> Generation:
        """Merges anew the shards that too much has changed in. most_loose: repositories that may
        stay beside the shards. verify: reads all shards, and does without the damaged ones."""
        began = time.perf_counter()
        change, report = self._merge(most_loose, verify)
        return self._publish([change], [report], began)

    def _publish(
        self, changes: Sequence[Change], reports: Sequence[StepReport], began: float
    ) -> Generation:
        before = newest_generation(self.store).number

        def change(generation: Generation) -> Generation:
            for one in changes:
                generation = one(generation)
            return generation

        generation = publish(self.store, change)
        self._write_local()
        for report in reports:
            report.generation = generation.number
        reports[-1].seconds = round(time.perf_counter() - began, 3)
        reports[-1].written += generation.number > before
        reports[0].notices, self._notices = [*self._notices, *reports[0].notices], []
        self.reports += reports
        return generation

    def _sync(self, some: Sequence[Repository] | None = None) -> tuple[Change, StepReport]:
        report = StepReport(step="sync")
        repositories = list(self.repositories.values()) if some is None else list(some)
        found: dict[str, Source] = {}

        def take(repository: Repository, outcome: Checkout | SymindexError) -> None:
            name = repository.name
            if isinstance(outcome, SymindexError):
                report.failed[name] = str(outcome)
                self._local.sources.pop(name, None)
            else:
                source = Source.of(outcome)
                known = self._local.sources.get(name)
                is_same = (
                    bool(source.commit) and known is not None and known.commit == source.commit
                )
                report.unchanged += is_same
                report.done += not is_same
                if not (is_same and not source.root):
                    self._local.sources[name] = source
                found[name] = source
                report.notices += [f"{name}: {notice}" for notice in outcome.notices]
            done = report.done + report.unchanged + len(report.failed)
            self._progress("sync", done, len(repositories))

        sync_all(repositories, self.folder, self.limits, take, known_commits=self._known_commits())
        if self._is_whole and some is None:
            remove_unlisted(repositories, self.folder)
        now = int(time.time())
        known = newest_generation(self.store).repositories
        if self._is_whole and some is None:
            report.removed = sorted(known.keys() - self.repositories.keys())

        def change(generation: Generation) -> Generation:
            states = {
                name: state
                for name, state in generation.repositories.items()
                if name in self.repositories or not self._is_whole
            }
            for repository in repositories:
                name = repository.name
                state = states.get(name) or RepositoryState(name=name)
                why = report.failed.get(name)
                source = found.get(name)
                state = msgspec.structs.replace(
                    state,
                    location=repository.location,
                    entry=repository.place,
                    failure=_failure(state, "sync", why, now),
                )
                if source is not None:
                    state = msgspec.structs.replace(
                        state, commit=source.commit, branch=source.branch
                    )
                states[name] = state
            return msgspec.structs.replace(generation, repositories=states)

        return change, report

    def _known_commits(self) -> dict[str, str]:
        """Returns the commits that are served as this version would index them."""
        generation = newest_generation(self.store)
        if generation.rules != self.rules.hex():
            return {}
        return {
            name: state.built.commit
            for name, state in generation.repositories.items()
            if state.built is not None
            and name in self.repositories
            and self.repositories[name].kind == "git"
        }

    def _index(self, verify: bool) -> tuple[Change, StepReport]:
        report = StepReport(step="index")
        before = newest_generation(self.store)
        damaged: dict[str, str] = {}
        if verify:
            damaged = damaged_repositories(self.store, before, self.repositories.keys())
            report.notices += [f"{name}: {why}; made anew" for name, why in damaged.items()]
        batches = self._batches(before, damaged.keys())
        results: dict[str, Result] = {}
        total = sum(len(batch.items) for batch in batches)
        try:
            # Closed at once if this is interrupted, so that nothing goes on in the background.
            with closing(self._executor(batches, self.store)) as running:
                for result in running:
                    results[result.name] = result
                    if result.known.stamp:
                        self._local.keys[result.name] = result.known
                    self._progress("index", len(results), total)
        finally:
            self._write_local()
        now = int(time.time())
        for result in results.values():
            report.written += result.is_new
            if result.built is None:
                report.failed[result.name] = result.why
            elif not result.is_new and result.built.object == _served(before, result.name):
                report.unchanged += 1
            else:
                report.done += 1

        def change(generation: Generation) -> Generation:
            states = dict(generation.repositories)
            for name, result in results.items():
                state = states.get(name) or RepositoryState(name=name)
                states[name] = self._with_result(state, result, now)
            return msgspec.structs.replace(generation, repositories=states, rules=self.rules.hex())

        return change, report

    def _with_result(self, state: RepositoryState, result: Result, now: int) -> RepositoryState:
        if result.built is None:
            return msgspec.structs.replace(state, failure=_failure(state, "index", result.why, now))
        if state.failure is not None and state.failure.step == "index":
            state = msgspec.structs.replace(state, failure=None)
        commit = self._local.sources[result.name].commit
        built = state.built
        if built is not None and built.object == result.built.object:
            return msgspec.structs.replace(
                state, built=msgspec.structs.replace(built, commit=commit)
            )
        facts = msgspec.structs.asdict(result.built)
        return msgspec.structs.replace(state, built=Built(**facts, commit=commit, at=now))

    def _batches(self, generation: Generation, damaged: Collection[str] = ()) -> list[Batch]:
        """Returns the work of all repositories whose sources are there. damaged: those whose
        objects must be written again."""
        present = {stored.name: stored.n_bytes for stored in self.store.list(OBJECTS)}
        is_usable = generation.rules == self.rules.hex()
        items = []
        for name, source in self._local.sources.items():
            if name not in self.repositories:
                continue
            state = generation.repositories.get(name)
            built = state.built if state is not None else None
            is_there = (
                is_usable
                and built is not None
                and present.get(built.object) == built.n_bytes
                and name not in damaged
            )
            items.append(
                BatchItem(
                    self.repositories[name],
                    source,
                    self._local.keys.get(name, KnownContent()),
                    built.object if is_there and built is not None else "",
                    built.source_bytes if built is not None else _size_of(source.root),
                    name in damaged,
                )
            )
        return [
            Batch(
                batch,
                self.store.location,
                str(self.folder),
                self.limits,
                self.rules,
                self._n_workers,
            )
            for batch in cut_batches(items, self._batch_bytes)
        ]

    def _merge(self, most_loose: int, verify: bool) -> tuple[Change, StepReport]:
        report = StepReport(step="merge")
        before = newest_generation(self.store)
        damaged = damaged_shards(self.store, before) if verify else {}
        report.notices += [f"{why}; done without it" for why in damaged.values()]
        kept, groups = self._find_merges(before, most_loose, damaged.keys())
        cache = LocalCache(self.store, self.rules)
        made: list[Shard] = []
        for number, group in enumerate(groups):
            self._progress("merge", number, len(groups))
            indexes = []
            members: dict[str, str] = {}
            for name, object_ in sorted(group.members.items()):
                try:
                    indexes.append(cache.repository(object_))
                    members[name] = object_
                except (SymindexError, OSError) as error:
                    report.failed[name] = shown(str(error))
            if not indexes:
                continue
            index = merge_indexes(indexes, self.rules)
            content = b"".join(index_file(index, self.rules))
            name = f"{SHARDS}/{digest_of_piece(content).hex()}"
            n_symbols = index.n_symbols
            del index, indexes
            self.store.write(name, content)
            made.append(
                Shard(
                    prefix=group.prefix,
                    object=name,
                    n_bytes=len(content),
                    symbols=n_symbols,
                    members=members,
                )
            )
        report.done, report.unchanged, report.written = len(made), len(kept), len(made)

        def change(generation: Generation) -> Generation:
            if generation.shards != before.shards:  # Somebody else has merged meanwhile.
                return generation
            return msgspec.structs.replace(generation, shards=[*kept, *made])

        return change, report

    def _find_merges(
        self, generation: Generation, most_loose: int, damaged: Collection[str] = ()
    ) -> tuple[list[Shard], list[Group]]:
        """Returns what `find_merges` does, for the shards that the store still has whole."""
        present = {stored.name: stored.n_bytes for stored in self.store.list(SHARDS)}
        shards = [
            one
            for one in generation.shards
            if present.get(one.object) == one.n_bytes and one.object not in damaged
        ]
        return find_merges(msgspec.structs.replace(generation, shards=shards), most_loose)

    def _read_local(self) -> _Local:
        with suppress(OSError, StorageError, msgspec.MsgspecError):
            data = self._place.read(_STATE_NAME, _MOST_STATE_BYTES)
            return msgspec.msgpack.decode(data, type=_Local)
        return _Local()

    def _write_local(self) -> None:
        with suppress(OSError, StorageError):  # Then the next run reads more.
            self._place.write(_STATE_NAME, [msgspec.msgpack.encode(self._local)])


_MOST_COUNTED: Final = 20_000
"""Most files whose sizes are added up for an estimate."""


def _size_of(root: str) -> int:
    """Returns about how many bytes are in a folder, for batches of like size."""
    size = n_files = 0
    for folder, _, names in os.walk(root) if root else ():
        for name in names:
            n_files += 1
            with suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size
        if n_files > _MOST_COUNTED:
            break
    return size


def _same(generation: Generation) -> Generation:
    return generation


def _served(generation: Generation, name: str) -> str:
    state = generation.repositories.get(name)
    return state.built.object if state is not None and state.built is not None else ""


def _failure(state: RepositoryState, step: str, why: str | None, now: int) -> Failure | None:
    """Returns the failure of a step; for one that is no news, the time is that of the first."""
    known = state.failure
    if why is None:
        return known if known is not None and known.step != step else None
    is_known = known is not None and known.step == step
    return Failure(step=step, why=why, since=known.since if is_known and known else now)


def share_of(repositories: Sequence[Repository], batch: int, of: int) -> list[Repository]:
    """Returns the repositories of one process among several that know nothing of each other. batch:
    counts from 1."""

    def number(name: str) -> int:
        return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big") % of

    return [one for one in repositories if number(one.name) == batch - 1]
