"""A fleet that is opened for reading: one generation as a snapshot, and the answers from it."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from symindex.errors import IndexFileError, RequestError, StorageError, shown
from symindex.extract.languages.language_cache import load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.fleet.cache import LocalCache
from symindex.fleet.generation import Generation, newest_generation, newest_number, read_generation
from symindex.fleet.store import Store
from symindex.fleet.texts import PackedTexts
from symindex.index.build import salt_hash
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part, Snapshot
from symindex.index.update import Progress
from symindex.protocol.freshness import Freshness
from symindex.settings import DEFAULTS, Settings
from symindex.workspace.answer_source import AnswerSource, View
from symindex.workspace.answers import Answers
from symindex.workspace.left_out import WalkedRoot

if TYPE_CHECKING:
    from symindex.explore.tree import Tree
    from symindex.recall.recall import Recall
    from symindex.search.answer.plan import Plan
    from symindex.workspace.spaces.spaces import Spaces

LOOK_SECONDS: Final = 10.0
"""Interval between looks for a new generation, in seconds."""


class OpenGeneration:
    """A generation with its indexes mapped.

    missing: what could not be opened, in lines that name the repositories.
    """

    def __init__(self, generation: Generation, cache: LocalCache, rules: bytes) -> None:
        self.generation = generation
        self.missing: list[str] = []
        served = {
            name: state.built
            for name, state in generation.repositories.items()
            if state.built is not None
        }
        self._starts: dict[str, int] = {}
        start = 0
        for name in sorted(served, key=lambda name: f"{name}/"):
            self._starts[name] = start
            start += served[name].files
        parts: list[Part] = []
        first = 0
        absent: set[str] = set()

        def add(index: Index, members: Sequence[str], live: Sequence[str]) -> None:
            nonlocal first
            is_live = None if len(live) == len(members) else _files_of(index, live)
            order = partial(self._order_of, index, members)
            parts.append(Part(index, first, is_live, order))
            first += index.n_symbols

        for shard in generation.shards:
            live = [
                name
                for name, object_ in shard.members.items()
                if name in served and served[name].object == object_
            ]
            if not live:
                continue
            try:
                add(cache.shard(shard.object), list(shard.members), live)
            except (StorageError, IndexFileError) as error:
                absent.update(live)
                self.missing.append(_tell_missing(live, error))
        for name, object_ in generation.loose().items():
            try:
                add(cache.repository(object_), [name], [name])
            except (StorageError, IndexFileError) as error:
                absent.add(name)
                self.missing.append(_tell_missing([name], error))
        self.served: dict[str, str] = {
            name: built.object for name, built in served.items() if name not in absent
        }
        salt = salt_hash(rules)
        numbers = (served[name].generation - salt for name in self.served)
        self.snapshot = Snapshot(parts, (sum(numbers) + salt) % 2**64)
        self.texts = PackedTexts(cache, self.served)

    def _order_of(self, index: Index, members: Sequence[str]) -> I64:
        """Returns numbers that grow with the paths, across all parts."""
        order = np.zeros(index.n_files, dtype=np.int64)
        for name in members:
            low, high = _range_of(index, name)
            start = self._starts.get(name, 0)
            order[low:high] = np.arange(start, start + high - low)
        return order


def _range_of(index: Index, name: str) -> tuple[int, int]:
    """Returns the range of a repository's files. "0" is the character after the slash."""
    return index.paths.place_of(f"{name}/"), index.paths.place_of(f"{name}0")


def _files_of(index: Index, names: Sequence[str]) -> Mask:
    live = np.zeros(index.n_files, dtype=bool)
    for name in names:
        low, high = _range_of(index, name)
        live[low:high] = True
    return live


_SHOWN_NAMES: Final = 5


def _tell_missing(names: Sequence[str], error: Exception) -> str:
    names = sorted(names)
    some = ", ".join(names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    return shown(f"not searched: {some}{more} ({error})")


class FleetSource(AnswerSource):
    """Provides answers with the newest generation of a store. Nothing in it is refreshed: a new
    generation is opened beside the old one, and replaces it between two requests."""

    def __init__(self, store: Store, cache_folder: Path | None = None) -> None:
        cache = LocalCache(store, b"", cache_folder)
        self._languages = load_kept_languages(PrivateFolder(cache.folder))
        self.rules = rules_digest(self._languages, ())
        self.cache = LocalCache(store, self.rules, cache_folder)
        self.store = store
        self._empty = cache.folder / "empty"
        self._looked = time.monotonic()
        self._looking = threading.Lock()
        self.opened = self._open(newest_generation(store))

    def _open(self, generation: Generation) -> OpenGeneration:
        if not generation.number:
            raise RequestError(
                f"{self.store.address}: nothing is in this store yet; run `symindex fleet update`"
            )
        if generation.rules and generation.rules != self.rules.hex():
            raise RequestError(
                f"{self.store.address}: made by symindex {generation.version} or with other"
                " languages; use that version, or run `symindex fleet update` with this one"
            )
        return OpenGeneration(generation, self.cache, self.rules)

    def look(self, seconds: float = LOOK_SECONDS) -> bool:
        """Opens the newest generation if the last look was more than `seconds` ago. Returns whether
        there was a newer one. If the store cannot be read, the open one stays."""
        if time.monotonic() - self._looked < seconds or not self._looking.acquire(blocking=False):
            return False
        try:
            self._looked = time.monotonic()
            known = self.opened.generation.number
            number = newest_number(self.store, known)
            if number == known:
                return False
            self.opened = self._open(read_generation(self.store, number))
            return True
        except (StorageError, IndexFileError, RequestError):
            return False
        finally:
            self._looking.release()

    @property
    def languages(self) -> Languages:
        return self._languages

    @property
    def all_settings(self) -> Sequence[Settings]:
        return [DEFAULTS]

    @property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        return {"": (self._empty, self._languages)}

    @property
    def texts(self) -> Mapping[str, bytes]:
        return self.opened.texts

    @property
    def walked(self) -> Sequence[tuple[str, WalkedRoot]]:
        return ()

    @property
    def spaces(self) -> "Sequence[Spaces]":
        return ()

    @property
    def index_folders(self) -> Sequence[PrivateFolder]:
        return ()

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        return iter(())

    def view(self) -> View:
        return View(self.opened.snapshot, is_last=True)

    def tree_of(self, view: View) -> "Tree":
        from symindex.explore.tree import Tree  # deferred, because most requests search

        return Tree(
            view.snapshot,
            self._languages,
            {"": self._empty},
            texts=self.opened.texts,
            recent=tuple(self.recent),
        )

    def unindexed_views(self, plan: "Plan", freshness: Freshness) -> Iterator[View]:
        return iter(())

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> None:
        self.look()

    def take_notices(self) -> list[str]:
        return []

    def why_incomplete(self) -> list[str]:
        return self.opened.missing

    def why_empty(self, plan: "Plan", view: View) -> list[str]:
        from symindex.search.answer.explain_empty import (
            explain_empty,
        )  # deferred, because most searches find something

        return explain_empty(plan, view.snapshot, None, [], view.contents)

    def repair(self, error: Exception) -> bool:
        return False

    @property
    def n_repairs(self) -> int:
        return 0

    def on_unindexed_answer(self) -> None:
        """Does nothing: all repositories have an index."""

    def on_written(self, path: Path) -> None:
        """Does nothing: nothing of a fleet is written."""

    def wait_for_changes(self) -> None:
        """Does nothing: a generation does not change."""


class Fleet(Answers):
    """The repositories of a store, opened for reading: the methods of `Answers`, whose paths begin
    with the name of a repository. Open it with `symindex.open_fleet`, as a context manager."""

    def __init__(self, address: str, cache_folder: Path | None = None) -> None:
        self._fleet_source = FleetSource(Store(address), cache_folder)
        super().__init__(self._fleet_source)

    @property
    def source(self) -> FleetSource:
        return self._fleet_source

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Does nothing yet: nothing is open but maps, which go with their last reader."""
