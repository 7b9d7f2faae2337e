"""Answers from the followed folders of a client, with its unsaved documents over them.

A folder that has no index yet is scanned for each search. So a search never waits for an index, and
shows what the client sees.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING

from symindex.editor.background_scan import (
    MOST_FOLDERS_SCANNED,
    MOST_SCANS,
    SCAN_SECONDS,
    BackgroundScans,
)
from symindex.editor.edited_documents import EditedDocuments
from symindex.editor.followed_folders import FollowedFolders
from symindex.editor.merged_view import (
    Folder,
    FoldersView,
    grouped,
    make_view,
    prefixed,
    with_files,
)
from symindex.errors import RequestError
from symindex.extract.languages.registry import Languages
from symindex.files.skips import Skip
from symindex.index.update import Progress
from symindex.protocol.freshness import (
    BEHIND_SECONDS,
    COMPARE_SECONDS,
    PAUSE_SECONDS,
    REPORTED_SECONDS,
    SETTLE_SECONDS,
    Freshness,
)
from symindex.search.answer.explain_empty import explain_empty
from symindex.settings import Settings
from symindex.workspace.answer_source import AnswerSource, View
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.left_out import why_left_out
from symindex.workspace.limited import ANYWHERE, Limit, limited_to
from symindex.workspace.watched_tree import WatchedTree

if TYPE_CHECKING:
    from symindex.files.access.private_folder import PrivateFolder
    from symindex.index.snapshot import Snapshot
    from symindex.recall.recall import Recall
    from symindex.resolve.tree import Tree
    from symindex.search.answer.plan import Plan
    from symindex.workspace.spaces.spaces import Spaces


class FoldersSource(AnswerSource):
    """See the module. A client that may read only some folders gets nothing from other spaces, and
    no notes."""

    def __init__(self, folders: FollowedFolders, documents: EditedDocuments) -> None:
        self._folders, self._documents = folders, documents
        self._last_view: tuple[list[object], FoldersView] = ([], make_view((), {}, {}, []))
        self._scans = BackgroundScans()

    def close(self) -> None:
        """Ends the scans and the kept worker."""
        self._scans.close()
        self.close_spare()

    @property
    def languages(self) -> Languages:
        return self._folders.languages

    @property
    def all_settings(self) -> Sequence[Settings]:
        return [root.settings for root in self._folders.opened]

    @property
    def folder_paths(self) -> Sequence[Path]:
        return [folder.path for folder in self._folders.all]

    @property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        return {
            prefix: (folder.root, indexed.languages)
            for prefix, folder, indexed in self._folders.opened_by_prefix
        }

    @property
    def walked(self) -> list[tuple[str, IndexedRoot]]:
        return [
            (prefix, indexed)
            for prefix, _, indexed in self._folders.opened_by_prefix
            if indexed.layers
        ]

    @property
    def spaces(self) -> "Sequence[Spaces]":
        if self._folders.allowed:
            return []
        return [root.companions.spaces for root in self._folders.opened]

    @property
    def index_folders(self) -> "Sequence[PrivateFolder]":
        return [] if self._folders.allowed else [root.place for root in self._folders.opened]

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        if self._folders.allowed:
            return
        for prefix, _, indexed in self._folders.opened_by_prefix:
            if (layers := indexed.whole_layers()) is not None:
                yield indexed.companions.recall, layers.snapshot, prefix

    def view(self) -> FoldersView:
        """Returns the current state. Waits briefly for an edit that was just made."""
        parsed = self._documents.settled()
        folders, opened, roots = self._folders.all, self._documents.opened, self._folders.opened
        layers = [folder.tree.whole_layers() for folder in folders]
        # The ignore rules may change while the index does not.
        key: list[object] = [folders, opened, parsed, *layers, *(root.walk for root in roots)]
        last_key, view = self._last_view
        if [*map(id, last_key)] != [*map(id, key)]:
            view = make_view(folders, opened, parsed, layers)
            self._last_view = (key, view)
        return replace(view, is_last=not view.missing and not self._any(lambda t: t.is_behind))

    def unindexed_views(self, plan: "Plan", freshness: Freshness) -> Iterator[View]:
        if not self._lacks_index:
            return
        if freshness.changes:
            self._wait_until_compared(freshness.changes)
        self._wait_while_any(lambda tree: tree.will_have_index, freshness.first_index)
        if not self._lacks_index:
            return
        began = time.monotonic()
        self._wait_while_any(lambda tree: tree.state == "opening", SCAN_SECONDS / 2)
        seconds = began + SCAN_SECONDS - time.monotonic()
        for _ in range(MOST_SCANS):
            view, is_complete = self._scanned(plan, seconds)
            seconds = SCAN_SECONDS
            yield view
            if is_complete:
                return

    def on_unindexed_answer(self) -> None:
        """Does nothing: followed trees build their indexes themselves."""

    def _scanned(self, plan: "Plan", seconds: float) -> tuple[View, bool]:
        """Returns the view with the results of scans of folders without an index, and whether they
        have scanned all files. seconds: how long to wait for them."""
        without_index = [
            (prefix, folder)
            for prefix, folder in prefixed(self._folders.all)
            if folder.tree.layers is None
        ]
        running = [
            (folder, self._scans.send(folder.tree.indexed, plan, prefix))
            for prefix, folder in without_index[:MOST_FOLDERS_SCANNED]
            if folder.tree.indexed is not None
        ]
        try:
            self._folders.wait_for(
                lambda: all(scan.future.done() or folder.tree.layers for folder, scan in running),
                seconds,
            )
            reports = [(folder, scan.report()) for folder, scan in running if scan.future.done()]
        finally:
            for _, scan in running:
                scan.abandon()
        view = self.view()
        files = {
            folder.name: report.files
            for folder, report in reports
            if report is not None and folder in view.missing
        }
        is_whole = len(reports) == len(running) and len(without_index) <= MOST_FOLDERS_SCANNED
        return with_files(view, files), is_whole and all(
            report is None or report.complete for _, report in reports
        )

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> bool:
        had_missing = self._lacks_index  # the trees update themselves, so this only waits
        self._wait_while_any(lambda tree: tree.will_have_index)
        if had_missing or freshness.changes:
            self._wait_until_compared(freshness.changes or BEHIND_SECONDS)
        if freshness.changes:
            return self._settle(min(freshness.changes, SETTLE_SECONDS))
        self.wait_for_reported()
        return False

    def catch_up(self) -> None:
        time.sleep(PAUSE_SECONDS)  # meanwhile the system reports changes
        self._wait_until_compared(COMPARE_SECONDS)

    def _settle(self, seconds: float) -> bool:
        """Brings the indexes up to date with everything written before this call, and returns
        whether they are. A tree that takes longer says so until it is done."""
        latest = time.monotonic() + seconds
        return all(
            [folder.tree.settle(max(latest - time.monotonic(), 0)) for folder in self._folders.all]
        )

    def wait_for_reported(self, seconds: float = REPORTED_SECONDS) -> None:
        """Waits until the files that the client has reported are read, or the time is over."""
        self._wait_while_any(lambda tree: tree.has_reported_changes, seconds)

    def on_written(self, path: Path) -> None:
        self._folders.files_changed([path])
        self.wait_for_reported(BEHIND_SECONDS)

    def wait_for_changes(self) -> None:
        self._wait_until_compared(BEHIND_SECONDS)

    def _wait_until_compared(self, seconds: float) -> None:
        """Waits until the indexes were compared with their trees, or the time is over."""
        self._wait_while_any(lambda tree: tree.is_behind, seconds)

    @property
    def _lacks_index(self) -> bool:
        return self._any(lambda tree: tree.layers is None)

    def _any(self, is_true: Callable[[WatchedTree], bool]) -> bool:
        return any(is_true(folder.tree) for folder in self._folders.all)

    def _wait_while_any(
        self, is_true: Callable[[WatchedTree], bool], seconds: float = float("inf")
    ) -> None:
        self._folders.wait_for(lambda: not self._any(is_true), seconds)

    def tree_of(self, view: View) -> "Tree":
        """See `AnswerSource`. Raises RequestError if no folder has an index."""
        from symindex.resolve.tree import Tree  # deferred, because most requests search

        assert isinstance(view, FoldersView)
        if self._folders.all and not self._any(lambda tree: tree.layers is not None):
            raise RequestError("; ".join(self.why_incomplete()))
        prefixes = {folder.name: prefix for prefix, folder in view.folders.items()}
        texts = self._documents.texts_of(key for key, _ in view.unsaved.values())
        return Tree(
            view.snapshot,
            self.languages,
            roots={prefix: folder.root for prefix, folder in view.folders.items()},
            texts={
                prefixes[name] + path: texts[key]
                for (name, path), (key, _) in view.unsaved.items()
                if key in texts
            },
            unread=self._unread,
            listed=self._listed,
            unlisted=self._unlisted,
            left_out=lambda path: why_left_out(self.walked, path),
            recent=tuple(self.recent),
            spare=lambda: self.spare,
        )

    def _listed(self) -> dict[str, list[str]]:
        """Lists all files of the folders that the rules allow, by prefix."""
        opened = self._folders.opened_by_prefix
        return {prefix: indexed.companions.text_files() for prefix, _, indexed in opened}

    def _unlisted(self) -> list[Skip]:
        """Returns the folders that the last listing could not read."""
        opened = self._folders.opened_by_prefix
        return [
            skip for prefix, _, indexed in opened for skip in indexed.companions.unlisted(prefix)
        ]

    def _unread(self) -> list[Skip]:
        """Lists the files of all folders that should be indexed and could not be read."""
        return [skip for prefix, indexed in self.walked for skip in indexed.unread(prefix)]

    def why_empty(self, plan: "Plan", view: View) -> list[str]:
        if self._lacks_index:
            return []
        return explain_empty(plan, view.snapshot, None, self._unread(), view.contents)

    @property
    def n_repairs(self) -> int:
        return sum(folder.tree.n_repairs for folder in self._folders.all)

    def repair(self, error: Exception) -> bool:
        return any([folder.tree.repair(error) for folder in self._folders.all])

    def take_notices(self) -> list[str]:
        return self._folders.take_notices()

    def why_incomplete(self, limit: Limit = ANYWHERE) -> list[str]:
        folders = self._folders.all
        if len(folders) < 2:  # their paths have no names
            limit = ANYWHERE
        names = limited_to(limit.paths, {folder.name for folder in folders})

        def reason(folder: Folder) -> str:
            why = folder.tree.why_incomplete
            if why and not limit.lets(folder.name):
                return ""
            if not why or not names or folder.name in names:
                return why
            # Paths also match below a folder, without its name.
            return why if any(lexists(folder.root / name) for name in names) else ""

        return grouped(folders, reason)
