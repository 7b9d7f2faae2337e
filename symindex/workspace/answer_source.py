"""The interface between answers and the roots that they are made from.

There are two sources. `workspace/root_source` is one root, refreshed on demand.
`editor/folders_source` is the folders of a client, followed in the background. An answer comes from
the index, from a scan without an index, or after a wait. A scan of a part of the tree answers only
if the request cannot wait for the first index; an empty answer is final only when nothing more
can be found.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import finalize

from symindex.errors import RequestError
from symindex.extract.languages.registry import Languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.arrays import I32
from symindex.index.snapshot import Part, Snapshot
from symindex.index.update import Progress
from symindex.protocol.freshness import CURRENT, Freshness
from symindex.protocol.search import SearchRequest
from symindex.settings import DEFAULTS, Settings
from symindex.workspace.left_out import WalkedRoot, check_readable
from symindex.workspace.limited import ANYWHERE, Limit
from symindex.workspace.repair import with_repair

if TYPE_CHECKING:
    from symindex.recall.recall import Recall
    from symindex.resolve.tree import Tree
    from symindex.search.answer.contents import Contents
    from symindex.search.answer.plan import Plan
    from symindex.search.names.centrality import Uses
    from symindex.workers.pool import SpareWorker
    from symindex.workspace.spaces.spaces import Spaces

_T = TypeVar("_T")

N_RECENT: Final = 5
"""Number of files shown last that are remembered: the next request is mostly about code nearby."""


@dataclass(frozen=True)
class View:
    """The state of a source at one moment.

    missing: roots without an index. is_last: whether waiting longer cannot find more.
    why_partial: the notice for an answer from a part of one root; these answers have no fuzzy
    matches.
    contents: the texts of sections and items, for the answer in progress.
    """

    snapshot: Snapshot
    missing: Sequence[object] = ()
    is_last: bool = False
    why_partial: str = ""
    contents: "Contents | None" = None


class AnswerSource(ABC):
    """Provides answers with snapshots, folders and notices. Methods that wait raise NotWantedError
    once the answer is cancelled (`cancellation`).

    is_compared: whether a command that has one answer has compared the index with the files.
    """

    is_compared = False

    @property
    @abstractmethod
    def languages(self) -> Languages:
        """The languages of the files."""

    @property
    @abstractmethod
    def all_settings(self) -> Sequence[Settings]:
        """The settings of each root that is open."""

    @property
    @abstractmethod
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        """The folder of each root and the languages of its files, by the prefix of its paths in
        answers."""

    @property
    def texts(self) -> Mapping[str, bytes]:
        """The indexed files that are not on the disk, by shown path."""
        return {}

    @property
    @abstractmethod
    def walked(self) -> Sequence[tuple[str, WalkedRoot]]:
        """The roots that have an index, each with the prefix of its paths in answers."""

    @property
    @abstractmethod
    def spaces(self) -> "Sequence[Spaces]":
        """The other spaces of each root. They are opened on first use."""

    @property
    @abstractmethod
    def index_folders(self) -> Sequence[PrivateFolder]:
        """The index folders of the roots whose packages notices may name."""

    @abstractmethod
    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        """Notes and content of each root, with the snapshot to update them by and the prefix of its
        paths."""

    @abstractmethod
    def view(self) -> View:
        """Returns the current state."""

    def texts_of(self, view: View) -> Mapping[str, bytes]:
        """Returns the `texts` that belong to a view."""
        return self.texts

    def tree(self) -> "Tree":
        """Returns the current state in the form that `explore` reads."""
        return self.tree_of(self.view())

    @abstractmethod
    def tree_of(self, view: View) -> "Tree":
        """Returns a view in the form that `explore` reads."""

    def count_uses(
        self, view: View, parts: Sequence[Part], points: Sequence[I32]
    ) -> "Sequence[Uses]":
        """Returns which of several symbols of a name the files of a view use, by part. points: how
        central symbols are by their names alone."""
        from symindex.resolve.modules.links import (
            count_uses,  # deferred, as most queries have words
        )

        return count_uses(self.tree_of(view), parts, points)

    @abstractmethod
    def unindexed_views(self, plan: "Plan", freshness: Freshness) -> Iterator[View]:
        """Scans roots without an index, if the request cannot wait for one; each view covers
        more than the one before. Followed roots first wait for changes, for up to
        `freshness.changes` seconds."""

    @abstractmethod
    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> bool:
        """Builds missing indexes and waits for changes, for as long as the request may wait.
        Returns whether it is certain that the indexes show every change made before this call."""

    @abstractmethod
    def take_notices(self) -> list[str]:
        """Returns the notices that no answer has contained yet, each once."""

    @abstractmethod
    def why_empty(self, plan: "Plan", view: View) -> list[str]:
        """Explains an empty result in short lines."""

    @abstractmethod
    def repair(self, error: Exception) -> bool:
        """Starts to rebuild an index if the error, raised while reading it, shows that it is
        damaged. Returns whether it does."""

    @property
    @abstractmethod
    def n_repairs(self) -> int:
        """How often an index was found damaged."""

    @abstractmethod
    def on_unindexed_answer(self) -> None:
        """Starts to build the index of roots that do not follow their tree. Called when a scan
        has given the answer."""

    def stored_view(self) -> View | None:
        """Returns the stored index while another process checks for changes; otherwise `None`."""
        return None

    @abstractmethod
    def on_written(self, path: Path) -> None:
        """Brings the index up to date with a file that was written for a client, which may ask
        about it next."""

    def catch_up(self) -> None:
        """Refreshes the index, briefly. Called when a file differs from its indexed version."""
        self.bring_up_to_date(CURRENT)

    @abstractmethod
    def wait_for_changes(self) -> None:
        """Waits once more after an empty result, if changes may still arrive."""

    def why_incomplete(self, limit: Limit = ANYWHERE) -> list[str]:
        """Returns the notices that every answer contains as long as it may lack something. limit:
        of the request; one that is limited to some folders gets no notices about others."""
        return []

    @property
    def folder_paths(self) -> Sequence[Path]:
        """The folders of the roots, including those that are still being opened."""
        return [root for root, _ in self.folders_by_prefix.values()]

    def plan(self, request: SearchRequest, **page: Any) -> "Plan":
        """Reads a request, once for all that follows. page: the front end's wishes for the page,
        as fields of a `PageRule`. Raises RequestError for a request that cannot be answered."""
        # Deferred, because an update searches nothing.
        from symindex.search.answer.plan import PageRule, make_plan

        return make_plan(request, self.languages, PageRule(**page))

    def shown_paths(self, globs: Sequence[str]) -> list[str]:
        """Returns paths and globs as answers show them: an absolute path below a root becomes
        relative to it; all others stay as they are."""
        from symindex.resolve.tree import shown_path

        tree = self.folders_alone()
        return [
            "!" * glob.startswith("!") + shown_path(tree, bare)
            if Path(bare := glob.removeprefix("!")).is_absolute()
            else glob
            for glob in globs
        ]

    def is_folder(self, path: str) -> bool:
        """Whether a path of a request names a folder of a root, a root, or all roots."""
        from symindex.resolve.tree import place_of, shown_path

        tree = self.folders_alone()
        if not tree.roots:
            return False  # not open yet: an outline waits for them
        shown = shown_path(tree, path)
        try:
            return not shown or f"{shown}/" in tree.roots or place_of(tree, shown).is_dir()
        except (RequestError, OSError):  # the end of a path, or a glob that is no name of a file
            return False

    def check_readable(self, path: str) -> None:
        """Raises RequestError for a file or folder, by its shown path, that the system does not let
        us read."""
        check_readable(self.walked, path)

    def folders_alone(self) -> "Tree":
        """Returns the roots without their indexes, which may not exist yet."""
        from symindex.resolve.tree import Tree  # deferred, because most requests search

        folders = self.folders_by_prefix
        roots = {prefix: root for prefix, (root, _) in folders.items()}
        return Tree(Snapshot([], 0), self.languages, roots)

    @cached_property
    def spare(self) -> "SpareWorker":
        """Keeps a worker that has searched files until the next answer. Whoever closes the source
        closes it; so does the end of a source that nobody has closed."""
        from symindex.workers.pool import SpareWorker  # deferred, because most answers search none

        spare = SpareWorker()
        finalize(self, spare.close)
        return spare

    def close_spare(self) -> None:
        """Ends the kept worker, if there is one."""
        if "spare" in self.__dict__:
            self.spare.close()

    @cached_property
    def recent(self) -> deque[str]:
        """The files shown last, latest first."""
        return deque(maxlen=N_RECENT)

    @property
    def file_limits(self) -> tuple[int, float]:
        """Largest size in bytes and longest time in seconds of a file in any root: what was indexed
        can also be shown."""
        settings = self.all_settings or [DEFAULTS]
        return max(s.max_file_bytes for s in settings), max(s.file_seconds for s in settings)

    def first_answer(
        self,
        plan: "Plan",
        freshness: Freshness,
        answer: Callable[[View], _T | None],
        progress: Progress | None = None,
    ) -> _T:
        """Returns the answer from the first view that has one.

        answer: returns `None` for an empty result, unless the view is the last. progress: called
        while the index is refreshed.
        """

        def try_views() -> _T:
            for view in self.unindexed_views(plan, freshness):
                result = answer(view)
                if result is not None:
                    self.on_unindexed_answer()
                    return result
            stored, result = self.stored_view(), None
            if stored is not None:
                with suppress(Exception):  # if not due to damage, it comes again
                    result = answer(stored)
            self.bring_up_to_date(freshness, progress)
            view = replace(self.view(), missing=())
            if freshness.changes:  # they were waited for
                view = replace(view, is_last=True)
            if result is None or stored is None or stored.snapshot is not view.snapshot:
                result = answer(view)
            if result is None:
                self.wait_for_changes()
                result = answer(replace(self.view(), missing=(), is_last=True))
            assert result is not None
            return result

        return with_repair(self, try_views)


class OneMoment(AnswerSource):
    """A source at one moment, for an answer that needs many lookups. It waits for changes once; all
    lookups then read the same view, and neither wait nor explain what they do not find.

    view: the last one, so that waiting longer finds no more. Damage of an index is left to the
    caller, who reads the source with `repair.with_repair`.
    """

    def __init__(self, source: AnswerSource, view: View) -> None:
        self._source, self._view = source, view
        self.recent = source.recent

    @cached_property
    def languages(self) -> Languages:
        return self._source.languages

    @cached_property
    def all_settings(self) -> Sequence[Settings]:
        return self._source.all_settings

    @cached_property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        return self._source.folders_by_prefix

    @property
    def texts(self) -> Mapping[str, bytes]:
        return self._source.texts

    def texts_of(self, view: View) -> Mapping[str, bytes]:
        return self._source.texts_of(view)

    @property
    def walked(self) -> Sequence[tuple[str, WalkedRoot]]:
        return ()

    @property
    def spaces(self) -> "Sequence[Spaces]":
        return self._source.spaces

    @property
    def index_folders(self) -> Sequence[PrivateFolder]:
        return ()

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        return self._source.recalled()

    def view(self) -> View:
        return self._view

    def tree(self) -> "Tree":
        return self._tree._replace(recent=tuple(self.recent))

    @cached_property
    def _tree(self) -> "Tree":
        return self.tree_of(self._view)

    def tree_of(self, view: View) -> "Tree":
        return self._source.tree_of(view)

    def unindexed_views(self, plan: "Plan", freshness: Freshness) -> Iterator[View]:
        return iter(())

    def on_unindexed_answer(self) -> None:
        """Does nothing: all roots have an index."""

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> bool:
        """Does nothing: the source was brought up to date before."""
        return False

    def catch_up(self) -> None:
        """See `AnswerSource`. Later lookups show the source as it is then."""
        self._source.catch_up()
        self._view = self._source.view()
        self.__dict__.pop("_tree", None)

    def on_written(self, path: Path) -> None:
        self._source.on_written(path)

    def wait_for_changes(self) -> None:
        """Does nothing: the view is the last."""

    def take_notices(self) -> list[str]:
        return []

    def why_empty(self, plan: "Plan", view: View) -> list[str]:
        return []

    def repair(self, error: Exception) -> bool:
        return False

    @property
    def n_repairs(self) -> int:
        return 0
