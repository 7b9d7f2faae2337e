"""The source of answers about a fleet, and the fleet as Python and the front ends open it."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from symindex.errors import IndexFileError, RequestError, StorageError
from symindex.extract.languages.language_cache import load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.skips import UNREAD, Skip
from symindex.files.user_folders import cache_folder
from symindex.fleet.branches import names_a_branch, texts_in
from symindex.fleet.cache import LocalCache
from symindex.fleet.open_generation import OpenGeneration
from symindex.fleet.repository_rows import lists_repositories, repository_rows
from symindex.fleet.status import status_of
from symindex.fleet.stored.generation import (
    Generation,
    find_newest,
    newest_number,
    read_generation,
    tell_damaged,
)
from symindex.fleet.stored.store import Store
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Snapshot
from symindex.index.store import is_cut, is_sound
from symindex.index.update import Progress
from symindex.protocol.freshness import Freshness
from symindex.protocol.search import Noticed
from symindex.settings import DEFAULTS, Settings
from symindex.workspace.answer_source import AnswerSource, View
from symindex.workspace.answers import Answers
from symindex.workspace.left_out import WalkedRoot
from symindex.workspace.limited import ANYWHERE, Limit
from symindex.workspace.repair import with_repair

if TYPE_CHECKING:
    from symindex.protocol.fleet import FleetStatus
    from symindex.recall.recall import Recall
    from symindex.resolve.tree import Tree
    from symindex.search.answer.plan import Plan
    from symindex.workspace.spaces.spaces import Spaces

_T = TypeVar("_T")
_Response = TypeVar("_Response", bound=Noticed)

LOOK_SECONDS: Final = 10.0
"""Interval between looks for a new generation, in seconds."""

CLOSING_SECONDS: Final = 1.0
"""How long `close` waits for a look at the store, in seconds."""


@dataclass(frozen=True)
class FleetView(View):
    """A view with the generation that it shows."""

    opened: OpenGeneration | None = None


class FleetSource(AnswerSource):
    """Provides answers with a generation of a store, by default the newest.

    Nothing in it is refreshed. `look` opens a newer generation beside the old one, which replaces
    it between two requests; if the newer one is damaged or cannot be opened whole, the old one
    stays, and answers say so.

    cache_folder: for local copies; default: in the user's cache folder. number: of the generation.
    """

    def __init__(
        self, store: Store, cache_folder_: Path | None = None, number: int | None = None
    ) -> None:
        folder = cache_folder_ or Path(cache_folder(), "fleet")
        self._languages = load_kept_languages(PrivateFolder(folder))
        self.rules: bytes = rules_digest(self._languages, ())
        self.cache: LocalCache = LocalCache(store, self.rules, folder)
        self.store = store
        self._empty = folder / "empty"
        self._looking = threading.Lock()
        self._repairing = threading.Lock()
        self._n_repairs = 0
        self._ended = threading.Event()
        self._follower: threading.Thread | None = None
        self._behind = ""
        self._asked: ContextVar[Sequence[str]] = ContextVar("asked", default=())
        if number is None:
            newest = find_newest(store)
            self._behind, generation = tell_damaged(newest), newest.generation
        else:
            generation = read_generation(store, number)
        self.opened: OpenGeneration = self._open(generation)

    def _open(self, generation: Generation) -> OpenGeneration:
        if not generation.number or not generation.rules:
            raise RequestError(
                f"{self.store.address}: nothing is indexed in this store yet"
                f"{f' ({self._behind})' if self._behind else '; run `symindex fleet update`'}"
            )
        if generation.rules != self.rules.hex():
            raise RequestError(
                f"{self.store.address}: made by symindex {generation.version} or with other"
                " languages; use that version, or run `symindex fleet update` with this one"
            )
        return OpenGeneration(generation, self.cache, self.rules)

    def look(self) -> bool:
        """Opens the newest generation, if there is a newer one, unless another thread is doing so.
        Returns whether answers come from a newer one now."""
        if not self._looking.acquire(blocking=False):
            return False
        try:
            known = self.opened.generation.number
            number = newest_number(self.store, known)
            if number == known and not self.opened.missing:
                self._behind = ""
                return False
            opened = self._open(read_generation(self.store, number))
            if number == known and opened.missing == self.opened.missing:
                return False  # Nothing has come back. What is open has its caches.
            if opened.missing and not self.opened.missing:
                self._behind = f"generation {number:,} cannot be opened whole: {opened.missing[0]}"
                return False
            self._behind, self.opened = "", opened
            return True
        except (StorageError, IndexFileError, RequestError) as error:
            self._behind = f"a newer generation may be missing: {error}"
            return False
        finally:
            self._looking.release()

    def follow(self, seconds: float = LOOK_SECONDS) -> None:
        """Looks for new generations in the background, until `close`."""

        def look_on() -> None:
            while not self._ended.wait(seconds):
                with suppress(OSError):
                    self.look()

        self._follower = threading.Thread(target=look_on, name="fleet", daemon=True)
        self._follower.start()

    def close(self) -> None:
        """Stops following, and ends the kept worker."""
        self._ended.set()
        self.close_spare()
        if self._follower is not None:
            # A store that is silent may take minutes; the process may end without its answer.
            self._follower.join(CLOSING_SECONDS)

    @property
    def languages(self) -> Languages:
        return self._languages

    @property
    def all_settings(self) -> Sequence[Settings]:
        return [DEFAULTS]

    @property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        # Nothing is in that folder: all files are in `texts`.
        return {"": (self._empty, self._languages)}

    @property
    def texts(self) -> Mapping[str, bytes]:
        return self.opened.texts

    def texts_of(self, view: View) -> Mapping[str, bytes]:
        return self._opened_of(view).texts

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
        opened = self._whole()
        if opened.recall is None:
            from symindex.recall.recall import Recall  # deferred, because most searches are names

            opened.recall = Recall(self._empty, self._empty, self._languages, opened.texts)
        yield opened.recall, opened.snapshot, ""

    def view(self) -> View:
        return self._view_for(self._whole(), self._asked.get())

    def _view_for(self, opened: OpenGeneration, texts: Sequence[str]) -> FleetView:
        """Returns the view for a request: the files of all branches if it names one."""
        is_about = bool(opened.branched) and names_a_branch(texts, opened.branched)
        snapshot = opened.every if is_about else opened.snapshot
        return FleetView(snapshot, is_last=True, opened=opened)

    @contextmanager
    def asked(self, *request: object) -> Iterator[None]:
        """Makes the views within the block those for a request."""
        token = self._asked.set([*texts_in(list(request))])
        try:
            yield
        finally:
            self._asked.reset(token)

    def _opened_of(self, view: View) -> OpenGeneration:
        return view.opened if isinstance(view, FleetView) and view.opened else self.opened

    def tree_of(self, view: View) -> "Tree":
        from symindex.resolve.tree import Tree  # deferred, because most requests search

        opened = self._opened_of(view)
        return Tree(
            view.snapshot,
            self._languages,
            {"": self._empty},
            unread=lambda: self._unread(view),
            texts=opened.texts,
            recent=tuple(self.recent),
            is_stored=True,
            spare=lambda: self.spare,
        )

    def first_answer(
        self,
        plan: "Plan",
        freshness: Freshness,
        answer: Callable[[View], _T | None],
        progress: Progress | None = None,
    ) -> _T:
        """See `AnswerSource`. There is one view. An empty query lists the repositories."""

        def try_once() -> _T:
            opened = self._whole()
            if lists_repositories(plan):
                states = [opened.generation.repositories[name] for name in sorted(opened.served)]
                return cast(_T, repository_rows(plan, states))
            result = answer(self._view_for(opened, [plan.request.query, *plan.paths]))
            assert result is not None
            return result

        return with_repair(self, try_once)

    def is_folder(self, path: str) -> bool:
        """Whether a path of a request names a folder of a repository, or all of them."""
        shown = path.strip("/")
        return not shown or self.opened.has_folder(shown)

    def unindexed_views(self, plan: "Plan", freshness: Freshness) -> Iterator[View]:
        return iter(())

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> bool:
        """Does nothing: see `look` and `follow`."""
        return False

    def take_notices(self) -> list[str]:
        return []

    def why_incomplete(self, limit: Limit = ANYWHERE) -> list[str]:
        return [*self.opened.missing_of(limit), *([self._behind] if self._behind else [])]

    def why_empty(self, plan: "Plan", view: View) -> list[str]:
        from symindex.search.answer.explain_empty import (
            explain_empty,
        )  # deferred, because most searches find something

        why = explain_empty(plan, view.snapshot, None, self._unread(view), view.contents)
        return [*self._not_served(plan), *why]

    def _not_served(self, plan: "Plan") -> list[str]:
        """Returns a line for each repository that a search names and that is not served."""
        opened = self.opened
        return [
            f"{name} is in the catalogue and not indexed yet"
            + (f": {state.failure.why}" if state.failure is not None else "")
            for name, state in opened.generation.repositories.items()
            if name not in opened.served and any(name in text for text in (plan.text, *plan.paths))
        ]

    def _unread(self, view: View) -> list[Skip]:
        """Returns the files that are not in the index and may hide code."""
        opened = self._opened_of(view)
        return sorted([*view.snapshot.files_left_out(*sorted(UNREAD)), *opened.skips])

    def _whole(self) -> OpenGeneration:
        """Returns what is open. If a local copy was cut, opens it again first: to read the missing
        part of a mapped file ends the process."""
        if any(is_cut(part.index) for part in self.opened.every.parts):
            self._open_again(is_cut)
        return self.opened

    def repair(self, error: Exception) -> bool:
        """See `AnswerSource`. A local copy that was damaged while it was open is fetched again."""
        return self._open_again(lambda index: not is_sound(index))

    def _open_again(self, is_damaged: Callable[[Index], bool]) -> bool:
        with self._repairing:
            opened = self.opened
            if not any(is_damaged(part.index) for part in opened.every.parts):
                return False
            self._n_repairs += 1
            whole = self._open(opened.generation)
            if self.opened is opened:  # Else `look` has opened a newer one meanwhile.
                self.opened = whole
            return True

    @property
    def n_repairs(self) -> int:
        return self._n_repairs

    def on_unindexed_answer(self) -> None:
        """Does nothing: all repositories have an index."""

    def on_written(self, path: Path) -> None:
        """Does nothing: nothing of a fleet is written."""

    def wait_for_changes(self) -> None:
        """Does nothing: a generation does not change."""


class Fleet(Answers):
    """The repositories of a store, opened for reading: the methods of `Answers`, whose paths begin
    with the name of a repository. Open it with `symindex.open_fleet`, as a context manager."""

    def __init__(self, source: FleetSource) -> None:
        super().__init__(source)
        self._fleet_source = source

    @property
    def source(self) -> FleetSource:
        return self._fleet_source

    def close(self) -> None:
        """Stops following the store."""
        self._fleet_source.close()

    def _read_tree(
        self, read: "Callable[[Tree], _Response]", freshness: Freshness, request: object = None
    ) -> _Response:
        """See `Answers`. A request that names a branch gets all of its files."""
        with self._fleet_source.asked(request):
            return super()._read_tree(read, freshness, request)

    def look(self) -> bool:
        """Opens the newest generation, if there is a newer one. Returns whether there was."""
        return self._fleet_source.look()

    def follow(self) -> None:
        """Opens new generations in the background, until `close`."""
        self._fleet_source.follow()

    def status(self) -> "FleetStatus":
        """Reports what is served of each repository."""
        source = self._fleet_source
        generation = source.opened.generation
        return status_of(source.store.address, generation, source.why_incomplete())


def open_fleet(address: str, cache_folder: Path | None = None, number: int | None = None) -> Fleet:
    """Opens the fleet of a store.

    address: a folder, or a URL such as s3://bucket/fleet. cache_folder: for local copies; default:
    in the user's cache folder. number: of the generation; default: the newest. Raises RequestError
    for a store without a fleet, or one that another version has made, and StorageError if the store
    cannot be read.
    """
    return Fleet(FleetSource(Store(address), cache_folder, number))
