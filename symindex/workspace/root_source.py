"""Answers from one root, whose index is refreshed when a request comes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symindex.extract.languages.registry import Languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.snapshot import Snapshot
from symindex.index.update import Progress, start_build
from symindex.protocol.freshness import Freshness
from symindex.settings import Settings
from symindex.workspace.answer_source import AnswerSource, View
from symindex.workspace.companions import Companions
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.left_out import why_left_out

if TYPE_CHECKING:
    from symindex.recall.recall import Recall
    from symindex.resolve.tree import Tree
    from symindex.search.answer.plan import Plan
    from symindex.workspace.spaces.spaces import Spaces


class RootSource(AnswerSource):
    """See the module. companions: those of the root, unless the source has its own."""

    def __init__(self, indexed: IndexedRoot, companions: Companions | None = None) -> None:
        self.indexed = indexed
        self.companions: Companions = companions or indexed.companions

    @property
    def languages(self) -> Languages:
        return self.indexed.languages

    @property
    def all_settings(self) -> Sequence[Settings]:
        return [self.indexed.settings]

    @property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        return {"": (self.indexed.root, self.languages)}

    @property
    def walked(self) -> Sequence[tuple[str, IndexedRoot]]:
        return [("", self.indexed)]

    @property
    def spaces(self) -> "Sequence[Spaces]":
        return [self.companions.spaces]

    @property
    def index_folders(self) -> Sequence[PrivateFolder]:
        return [self.indexed.place]

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        yield self.companions.recall, self.indexed.snapshot, ""

    def view(self) -> View:
        return View(self.indexed.snapshot, is_last=True)

    def tree_of(self, view: View) -> "Tree":
        from symindex.resolve.tree import Tree  # deferred, because most requests search

        return Tree(
            view.snapshot,
            self.languages,
            {"": self.indexed.root},
            unread=self.indexed.unread,
            listed=lambda: {"": self.companions.text_files()},
            unlisted=self.companions.unlisted,
            left_out=lambda path: why_left_out(self.walked, path),
            recent=tuple(self.recent),
            spare=lambda: self.spare,
        )

    def unindexed_views(self, plan: "Plan", freshness: Freshness) -> Iterator[View]:
        indexed = self.indexed
        if (
            freshness.first_index == math.inf
            or indexed.is_current
            or indexed.load_any() is not None
        ):
            return
        indexed.early.end_walk()  # it would slow down the scan
        from symindex.search.unindexed.before_index import (
            is_large,
            scan_for_reader,
        )  # deferred, because mostly there is an index

        if not is_large(indexed.root, indexed.wanted):
            return
        scanned = scan_for_reader(
            indexed.root,
            plan,
            self.languages,
            indexed.wanted,
            indexed.settings.file_seconds,
            indexed.rules,
        )
        if scanned is not None:
            yield View(scanned[0], why_partial=scanned[1])

    def on_unindexed_answer(self) -> None:
        start_build(self.indexed.root, self.indexed.place)

    def on_written(self, path: Path) -> None:
        """Does nothing: a request that needs fresh results refreshes the index."""

    def wait_for_changes(self) -> None:
        """Does nothing: the index was refreshed."""

    def stored_view(self) -> View | None:
        layers = self.indexed.load_any() if self.indexed.early.is_walking else None
        return View(layers.snapshot) if layers is not None else None

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> bool:
        is_due = freshness.changes > 0 or not self.indexed.is_current
        if is_due:
            self.indexed.refresh_for_answers(progress)
        return is_due

    def take_notices(self) -> list[str]:
        return self.indexed.take_notices()

    def why_empty(self, plan: "Plan", view: View) -> list[str]:
        from symindex.search.answer.explain_empty import (
            explain_empty,
        )  # deferred, because most searches find something

        indexed = self.indexed
        return explain_empty(plan, view.snapshot, indexed.walk, indexed.unread(), view.contents)

    def repair(self, error: Exception) -> bool:
        return self.indexed.repair(error)

    @property
    def n_repairs(self) -> int:
        return self.indexed.n_repairs
