"""One root folder and its index. A refresh walks the tree, reads the changed files, and stores the
result; if nothing has changed, it writes nothing."""

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from symindex.cancellation import NotWantedError
from symindex.errors import RequestError, UnwritableError, shown
from symindex.extract.languages.language_cache import keep_languages, load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.languages.tree_rules import ATTRIBUTES_NAME
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.filter_cache import cached_filter, store_filter
from symindex.files.index_place import SETTINGS_NAME
from symindex.files.locations import index_folder
from symindex.files.skips import Skip, SkipReason, tell_skip
from symindex.files.spot_check import spot_check
from symindex.files.walk import FileFilter, FoundFiles, Walk, check_root, staying, walk_tree
from symindex.index.changes import Changes
from symindex.index.columns.document_counts import count_sections_and_items
from symindex.index.overlay import Layers
from symindex.index.report import ITEMS_UNREAD, report_status, skipped, unread
from symindex.index.snapshot import Snapshot
from symindex.index.store import FILE_NAME
from symindex.index.update import IndexUpdater, Progress
from symindex.protocol.search import SearchRequest
from symindex.protocol.status import RefreshReport, StatusReport
from symindex.settings import Settings, ignored_index_dir, variant_of
from symindex.workspace.companions import Companions
from symindex.workspace.early_walk import EarlyStart
from symindex.workspace.repair import with_repair
from symindex.workspace.root_settings import RootSettings

if TYPE_CHECKING:
    from symindex.explore.listing import ListedFile
    from symindex.files.watch.watcher import Watcher
    from symindex.workers.pool import SpareWorker


class IndexedRoot:
    """Refreshes, follows and repairs the index of a root. A context manager.

    Args:
        root: the folder; every path in answers is relative to it.
        index_dir: where the index is stored, instead of SYMINDEX_INDEX_DIR or the user's cache
            folder.
        values: settings that override `symindex.toml`, as for `check_settings`. Values that decide
            which files are indexed give the root a second index: if two roots shared one, each
            would remove the files that the other adds.
        on_problem: called with a line for each wrong setting, which then has its default; also
            later, while the tree is followed. Default: raises RequestError.

    place: the folder of the index. walk: the latest walk; a new one whenever the files that
    `wanted` selects may have changed. companions: spaces, notes and the list of all files.
    early: the walk and the worker that were started while the command was loading.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        index_dir: str | os.PathLike[str] | None = None,
        *,
        values: Mapping[str, object] | None = None,
        on_problem: Callable[[str], object] | None = None,
    ) -> None:
        if not os.fspath(root):
            raise RequestError(
                "the root is empty: name a folder, or leave it out for the current one"
            )
        self.root: Path = check_root(Path(root))
        values = values or {}
        self.folder: Path = index_folder(self.root, index_dir, variant_of(values))
        self.place: PrivateFolder = PrivateFolder(self.folder, self.root)
        self.early: EarlyStart = EarlyStart()
        self._opened: IndexUpdater | None = None
        self.companions: Companions = Companions(self, IndexedRoot)
        self.rules: bytes = b""
        if os.path.exists(self.folder.parent) and not os.path.isdir(self.folder.parent):
            raise RequestError(
                f"{self.folder.parent}: a file, not a folder; name a folder for the index"
            )
        languages = load_kept_languages(self.place)
        self._root_settings = RootSettings(self.root, values, on_problem)
        settings, _ = self._root_settings.read(languages)
        self._root_settings.report()
        self._apply_settings(settings, languages)
        self._is_current = False
        self.walk: Walk | None = None
        self._notices = [f"a language is left out: {fault}" for fault in languages.faults]
        self._notices += map(tell_skip, self.limits())
        self._refreshing = threading.Lock()
        self._watcher: Watcher | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops following and closes the index. A later search opens it again."""
        self.unfollow()
        self._updater.close()
        self.companions.close()
        self._is_current = False

    def follow(
        self,
        on_update: Callable[[RefreshReport], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_progress: Progress | None = None,
    ) -> "Watcher":
        """Keeps the index up to date in the background until `unfollow` or `close`. Returns the
        watcher of the tree. For the arguments see `Workspace.follow`."""
        from symindex.files.watch.watcher import (
            Watcher,
        )  # deferred, because most uses of an index watch nothing

        def report_progress(done: int, total: int) -> None:
            if not watcher.is_watching:
                raise NotWantedError
            if on_progress is not None:
                on_progress(done, total)

        def update(paths: frozenset[str] | None) -> None:
            if paths is None:
                self._reread_settings(watcher, on_error)
            report = self.refresh(report_progress, paths=paths)
            if on_update is not None and (report.read or report.removed):
                on_update(report)

        self.unfollow()
        self._updater.keep_worker()
        rule_files = [self.root / SETTINGS_NAME, self.root / ATTRIBUTES_NAME]
        watcher = self._watcher = Watcher(self.root, self.wanted, update, on_error, rule_files)
        watcher.start()
        return watcher

    def settle(self, seconds: float) -> bool:
        """Waits until the index of a followed root shows every change made before this call, or
        `seconds` have passed. Returns whether it is certain that it does.

        If the system reports changes with a delay, the settings are read and the tree is walked
        instead, however long that takes.
        """
        watcher = self._watcher
        if watcher is None or not watcher.has_looked or self._root_settings.problems:
            return False
        if watcher.settle(seconds):
            return True
        if not watcher.is_watching or watcher.is_prompt:
            return False
        self._reread_settings(watcher, None)
        if self._root_settings.problems:
            return False
        self.refresh()
        return True

    def unfollow(self) -> None:
        """Stops following. A running refresh is abandoned; the index stays as the one before left
        it."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def _apply_settings(self, settings: Settings, languages: Languages) -> None:
        self.settings = settings
        selected = self._root_settings.select_languages(settings, languages)
        rules = rules_digest(selected, settings.item_types)
        if self._opened is None or rules != self.rules:  # symbols read by other rules are useless
            if self._opened is not None:
                self._opened.close()
            self.rules, self._opened = rules, IndexUpdater(self.root, self.place, selected, rules)
            self._is_current = False
        self._updater.languages = selected
        limits = settings.max_file_bytes, settings.selection
        cached = cached_filter(self.place, settings.languages, *limits, rules)
        self.wanted: FileFilter = cached or selected.wanted(*limits)
        # Whether the last refresh ended with these settings, so that the next one may look at only
        # some files.
        self._is_settled = False

    def _reread_settings(
        self, watcher: "Watcher", on_error: Callable[[Exception], object] | None
    ) -> None:
        """Applies the current settings. Wrong ones are reported; without `on_problem` they change
        nothing."""
        settings, is_new = self._root_settings.read(self.languages)
        problems = self._root_settings.problems
        if problems and self._root_settings.on_problem is None:
            if is_new and on_error is not None:
                on_error(RequestError("; ".join(problems)))
            return
        if is_new:
            self._root_settings.report()
        rules = self._root_settings.rules(settings, self.languages)
        if settings != self.settings or rules != self.languages.tree:
            with self._refreshing:
                self._apply_settings(settings, self.languages)
                self._add_notices(map(tell_skip, self.limits()))
            watcher.file_filter = self.wanted

    def _notable(self, walk: Walk) -> list[Skip]:
        """Returns entries that a walk's list of skipped files lacks: limits, and folders of items
        that git's rules exclude."""
        spaces = [path for path in walk.ignored_paths if self.languages.item_types.may_be_in(path)]
        return [*self.limits(), *(Skip(path, SkipReason.IGNORED, ITEMS_UNREAD) for path in spaces)]

    def limits(self) -> list[Skip]:
        """Returns an entry if a part of `.gitattributes` is not applied."""
        why = self.languages.tree.unread
        return [Skip(ATTRIBUTES_NAME, SkipReason.ATTRIBUTES_LIMIT, why)] if why else []

    @property
    def _updater(self) -> IndexUpdater:
        assert self._opened is not None
        return self._opened

    @property
    def languages(self) -> Languages:
        """The languages of the files."""
        return self._updater.languages

    @property
    def is_current(self) -> bool:
        """Whether the index was loaded or refreshed since the root was opened."""
        return self._is_current

    @property
    def snapshot(self) -> Snapshot:
        """The index as it was last loaded or refreshed; the first use refreshes it."""
        if not self._is_current:
            self.refresh_for_answers(None)
        layers = self.whole_layers()
        assert layers is not None
        return layers.snapshot

    def whole_layers(self) -> Layers | None:
        """Returns `layers` for an answer. Raises DamagedIndexError if the index cannot be read
        safely."""
        self._updater.check_length()
        return self._updater.layers

    def repair(self, error: Exception) -> bool:
        """See `repair.Repairable`. Packages of the project count as well."""
        has_damaged_packages = self.companions.repair()
        if not self._updater.mark_suspect(error):
            return has_damaged_packages
        self._is_current = self._is_settled = False
        return True

    @property
    def n_repairs(self) -> int:
        """How often the index was found damaged."""
        return self._updater.n_repairs

    @property
    def is_refreshing(self) -> bool:
        """Whether the index is being refreshed, perhaps because it was damaged."""
        return self._refreshing.locked()

    @property
    def layers(self) -> Layers | None:
        """The index as it was last loaded or refreshed; `None` before."""
        return self._updater.layers

    @contextmanager
    def borrowing(self, worker: "SpareWorker") -> Iterator[None]:
        """Reads files with this worker inside the block, and does not end it with the root."""
        updater = self._updater
        updater.keep_worker(worker)
        try:
            yield
        finally:
            updater.leave_worker()

    def load(self) -> None:
        """Opens the stored index without looking for changed files. If it is missing or incomplete,
        the first search builds it."""
        self._is_current = self.load_newest()
        self._collect_notices()

    def load_newest(self) -> bool:
        """Opens the stored index again if another process has written it. Returns whether all of it
        could be loaded."""
        return self._updater.load() is not None and not self._updater.is_partial

    def load_any(self) -> Layers | None:
        """Opens the stored index again if another process has written it, even only a part of it;
        returns `None` if there is none."""
        return self._updater.load()

    def _collect_notices(self) -> None:
        notices, self._updater.notices = self._updater.notices, []
        self._add_notices(notices)

    def _add_notices(self, notices: Iterable[str]) -> None:
        """Adds the notices that are not waiting already."""
        self._notices += [notice for notice in notices if notice not in self._notices]

    def refresh(
        self,
        progress: Progress | None = None,
        rebuild: bool = False,
        paths: Collection[str] | None = None,
    ) -> RefreshReport:
        """Brings the index up to date with the disk, and stores it if anything has changed.

        progress: called while files are read. rebuild: reads every file again. paths: the only
        files, relative to the root, that may have changed since the last refresh; then the cost
        does not depend on the size of the tree. The whole tree is still walked after a failed
        refresh, and if these files do not tell what has changed (`files/spot_check`). Default: any
        file. Raises StorageError if the index cannot be written; the stored one then stays as it
        was.
        """
        report, unstored = self._refreshed(progress, rebuild, paths)
        if unstored:
            raise UnwritableError(unstored)
        return report

    def refresh_for_answers(self, progress: Progress | None) -> None:
        """Brings the index up to date for answers, even if it cannot be stored. The notices wait
        for `take_notices`."""
        report, unstored = self._refreshed(progress)
        self._notices += report.notices
        if unstored:
            self._notices.append(
                f"this answer was made without a stored index, which takes longer: {unstored}"
            )

    def _refreshed(
        self, progress: Progress | None, rebuild: bool = False, paths: Collection[str] | None = None
    ) -> tuple[RefreshReport, str]:
        """Returns the report of a refresh, and why its index could not be stored, or an empty
        text."""
        # Of two refreshes, the one that walked the tree later must also store its index later.
        with self._refreshing:
            report = with_repair(self, lambda: self._refresh(progress, rebuild, paths))
            return report, self._updater.unstored

    def _refresh(
        self, progress: Progress | None, rebuild: bool, paths: Collection[str] | None
    ) -> RefreshReport:
        started = time.perf_counter()
        only, self._is_settled = paths if self._is_settled and not rebuild else None, False
        self._updater.check_length()
        with staying(self.root):
            changes = self._refresh_some(progress, only) if only is not None else None
            changes = changes or self._refresh_all(progress, rebuild)
        self._is_settled = (
            not self._updater.unstored
        )  # else the next refresh must find the changes again
        return self._report(changes, started)

    def _refresh_some(self, progress: Progress | None, paths: Collection[str]) -> Changes | None:
        """Refreshes these files only; returns `None` if that is not enough."""
        layers = self._updater.load()
        # Files whose reading was ended must be tried again too.
        if self.walk is None or layers is None or layers.snapshot.files_left_out(SkipReason.KILLED):
            return None
        checked = spot_check(self.root, paths, self.walk, self.wanted)
        if checked is None:
            return None
        self._updater.keep_worker()  # more changes will follow
        return self._updater.refresh(
            checked, self.settings, progress, rebuild=False, background=self._watcher is not None
        )

    def _refresh_all(self, progress: Progress | None, rebuild: bool) -> Changes:
        file_filter = self.wanted
        walk = self.early.take_walk(self.root, file_filter) or walk_tree(self.root, file_filter)
        walk.skips += self._notable(walk)
        if (worker := self.early.take_worker()) is not None:
            self._updater.keep_worker(worker)
        changes = self._updater.refresh(
            walk, self.settings, progress, rebuild, background=self._watcher is not None
        )
        assert changes is not None
        keep_languages(self.languages, self.place)
        store_filter(self.place, self.settings.languages, file_filter, self.rules)
        walk.files = FoundFiles()  # they are in the index now
        self.walk = walk
        return changes

    def _report(self, changes: Changes, started: float) -> RefreshReport:
        self._is_current = True
        self._collect_notices()
        snapshot, walk = self.snapshot, self.walk
        assert walk is not None
        sections, items = count_sections_and_items(snapshot)
        return RefreshReport(
            root=shown(self.root),
            files=snapshot.n_files,
            symbols=snapshot.n_symbols,
            bytes=self._updater.store.size,
            seconds=round(time.perf_counter() - started, 3),
            read=len(changes.read),
            removed=len(changes.removed),
            skipped=skipped(walk, snapshot),
            notices=[*self.take_notices(), *ignored_index_dir(self.root, self.settings)],
            sections=sections,
            items=items,
        )

    def take_notices(self) -> list[str]:
        """Returns the notices that no answer has contained yet, each once."""
        notices, self._notices = self._notices, []
        return notices

    def export(self, request: SearchRequest | None = None) -> "Iterator[ListedFile]":
        """Lists all symbols that pass a request's filters, file by file, with their details. Raises
        RequestError at once."""
        from symindex.explore.listing import list_sources
        from symindex.search.answer.plan import make_plan

        plan = make_plan(request or SearchRequest(query=""), self.languages)

        def export() -> "Iterator[ListedFile]":
            snapshot = self.snapshot
            self._updater.check_all()  # output that was written cannot be taken back
            return list_sources(self.root, snapshot, plan.filter)

        return with_repair(self, export)

    def unread(self, prefix: str = "") -> list[Skip]:
        """Lists the files that should be indexed and could not be read, according to the latest
        walk. prefix: of their paths in answers."""
        return unread(self.walk, self.snapshot, prefix)

    def status(self) -> StatusReport:
        """Reports what the index contains, and which files are skipped and why. Walks the tree."""

        def status() -> StatusReport:
            snapshot = self.snapshot
            walk = walk_tree(self.root, self.wanted)
            walk.skips += self._notable(walk)
            report = report_status(
                self.root, self.folder / FILE_NAME, self._updater.store.size, walk, snapshot
            )
            report.notes = self.companions.recall.note_counts()
            return report

        return with_repair(self, status)
