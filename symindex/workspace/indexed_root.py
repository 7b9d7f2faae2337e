"""One root folder and its index: a refresh walks the tree, reads the changed files, and stores the
result.

A refresh that finds nothing changed writes nothing. The answers are in `workspace/roots`.
"""

import math
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from symindex.cancellation import NotWantedError
from symindex.errors import RequestError, UnwritableError, shown
from symindex.extract.languages.language_cache import keep_languages, load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.languages.tree_rules import ATTRIBUTES_NAME, tree_rules
from symindex.extract.reading_rules import rules_digest
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.filter_cache import cached_filter, store_filter
from symindex.files.index_place import SETTINGS_NAME
from symindex.files.locations import index_folder
from symindex.files.skips import Skip, SkipReason, tell_skip
from symindex.files.spot_check import spot_check
from symindex.files.walk import FoundFiles, Walk, check_root, staying, walk_tree
from symindex.index.changes import Changes
from symindex.index.columns.document_counts import count_sections_and_items
from symindex.index.overlay import Layers
from symindex.index.report import (
    ITEMS_UNREAD,
    RefreshReport,
    StatusReport,
    report_status,
    skipped,
    unread,
)
from symindex.index.snapshot import Snapshot
from symindex.index.store import FILE_NAME
from symindex.index.update import IndexUpdater, Progress, start_build
from symindex.protocol.freshness import Patience
from symindex.protocol.search import SearchRequest
from symindex.settings import (
    Settings,
    check_settings,
    item_types_of,
    not_followed,
    read_settings,
    variant_of,
)
from symindex.workspace.early_walk import EarlyStart
from symindex.workspace.roots import Roots, View

if TYPE_CHECKING:
    from symindex.explore.listing import ListedFile
    from symindex.explore.tree import Tree
    from symindex.files.text_files import TextFiles
    from symindex.files.watch.watcher import Watcher
    from symindex.recall.recall import Recall
    from symindex.workers.pool import SpareWorker
    from symindex.workspace.spaces import Spaces


class IndexedRoot(Roots):
    """See the module; the contract is that of `workspace/roots.Roots`. May be used as a context
    manager.

    Args:
        root: the folder; every path in answers is relative to it. index_dir: where the index is
        kept, instead of SYMINDEX_INDEX_DIR or the user's cache directory. values: settings that
        override `symindex.toml`, as for `check_settings`. Those that decide which files are indexed
        give
            the root a second index: sharing one, each would remove the files that the other adds.
        on_problem: called with a line for each wrong setting, which then has its default; also
        later, while the tree is watched.
            Default: raises RequestError.
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
        self.root = check_root(Path(root))
        self._values = values or {}
        self._on_problem = on_problem
        self.folder = index_folder(self.root, index_dir, variant_of(self._values))
        self._place = PrivateFolder(self.folder, self.root)
        self.early = EarlyStart()
        self._opened: IndexUpdater | None = None
        self._spaces: Spaces | None = None
        self._recall: Recall | None = None
        self._text_files: TextFiles | None = None
        self._rules = b""
        if os.path.exists(self.folder.parent) and not os.path.isdir(self.folder.parent):
            raise RequestError(
                f"{self.folder.parent}: a file, not a folder; name a folder for the index"
            )
        languages = load_kept_languages(self._place)
        settings, self._problems = self._read_settings(languages)
        self._report_problems(self._problems)
        self._take_settings(settings, languages)
        self._is_current = False
        self.walk: Walk | None = (
            None  # the last one, new whenever what `wants` says may have changed
        )
        self._notices = [f"a language is left out: {fault}" for fault in languages.faults]
        self._notices += map(tell_skip, self._limits())
        self._refreshing = threading.Lock()
        self._watcher: Watcher | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops watching and closes the index; a later search opens it again."""
        self.unfollow()
        self._updater.close()
        if self._recall is not None:
            self._recall.close()
        self._is_current = False

    def follow(
        self,
        on_update: Callable[[RefreshReport], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_progress: Progress | None = None,
    ) -> "Watcher":
        """Keeps the index current in the background until `unfollow` or `close`; returns the
        watcher of the tree.

        Searches may run in any thread: each takes the index as it is at that moment.

        on_update: called in a thread of its own after each refresh that has changed the index.
        on_error: called with the error of a refresh, which is then tried again; default: the
        watcher's `notices` have it. on_progress: called during a refresh; an exception from it ends
        that refresh.
        """
        from symindex.files.watch.watcher import (
            Watcher,
        )  # here, because most uses of an index watch nothing

        def tell_progress(done: int, total: int) -> None:
            if not watcher.is_watching:
                raise NotWantedError
            if on_progress is not None:
                on_progress(done, total)

        def update(paths: frozenset[str] | None) -> None:
            if paths is None:
                self._read_again(watcher, on_error)
            report = self.refresh(tell_progress, paths=paths)
            if on_update is not None and (report.read or report.removed):
                on_update(report)

        self.unfollow()
        self._updater.keep_worker()
        told = [self.root / SETTINGS_NAME, self.root / ATTRIBUTES_NAME]
        watcher = self._watcher = Watcher(self.root, self.wanted, update, on_error, told)
        watcher.start()
        return watcher

    def settle(self, seconds: float) -> bool:
        """Brings the index of a root that is followed up to date with all that has happened in the
        tree before this call. Whether that is certain; where it would take longer than so many
        seconds, it is not.

        Where the system does not tell at once what happens, the tree is walked, in whatever time
        that takes.
        """
        watcher = self._watcher
        if watcher is None or not watcher.has_looked or self._problems:
            return False
        if watcher.settle(seconds):
            return True
        if not watcher.is_watching or watcher.is_prompt:
            return False
        self.refresh()
        return True

    def unfollow(self) -> None:
        """Stops watching. A refresh that is running is abandoned; the index stays as the one before
        left it."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def _read_settings(self, languages: Languages) -> tuple[Settings, list[str]]:
        """The current settings and what is wrong with them."""
        settings, problems = read_settings(self.root, languages)
        settings, more = check_settings(
            self._values, f"{self.root}: given settings", languages, settings
        )
        return settings, problems + more

    def _report_problems(self, problems: list[str]) -> None:
        if problems and self._on_problem is None:
            raise RequestError("; ".join(problems))
        for problem in problems:
            assert self._on_problem is not None
            self._on_problem(problem)

    def _take_settings(self, settings: Settings, languages: Languages) -> None:
        self.settings = settings
        told = tree_rules(
            self.root,
            settings.overrides,
            settings.code_fences,
            languages.id_of_name,
            settings.minified,
        )
        chosen = languages.choose(settings.languages, told)
        if settings.item_types:
            chosen.item_types = item_types_of(settings)
        rules = rules_digest(chosen, settings.item_types)
        if (
            self._opened is None or rules != self._rules
        ):  # what was read by other rules is of no use
            if self._opened is not None:
                self._opened.close()
            self._rules, self._opened = rules, IndexUpdater(self.root, self._place, chosen, rules)
            self._is_current = False
        self._updater.languages = chosen
        taken = settings.languages, settings.max_file_bytes, settings.selection
        self.wanted = cached_filter(self._place, *taken, rules) or chosen.wanted(*taken[1:])
        # Whether the last refresh came to its end with these settings, so that the next may look at
        # some files only.
        self._is_settled = False

    def _read_again(
        self, watcher: "Watcher", on_error: Callable[[Exception], object] | None
    ) -> None:
        """Applies the current settings. Wrong ones are reported, and change nothing without
        `on_problem`."""
        settings, problems = self._read_settings(self.languages)
        is_new, self._problems = problems != self._problems, problems
        if problems and self._on_problem is None:
            if is_new and on_error is not None:
                on_error(RequestError("; ".join(problems)))
            return
        if is_new:
            self._report_problems(problems)
        told = tree_rules(
            self.root,
            settings.overrides,
            settings.code_fences,
            self.languages.id_of_name,
            settings.minified,
        )
        if settings != self.settings or told != self.languages.tree:
            with self._refreshing:
                self._take_settings(settings, self.languages)
                self._notices += [
                    notice
                    for notice in map(tell_skip, self._limits())
                    if notice not in self._notices
                ]
            watcher.file_filter = self.wanted

    def _notable(self, walk: Walk) -> list[Skip]:
        """What is to be listed of a walk beside what it lists itself: limits, and folders of items
        that git's rules leave out."""
        spaces = [path for path in walk.ignored_paths if self.languages.item_types.may_be_in(path)]
        return [*self._limits(), *(Skip(path, SkipReason.IGNORED, ITEMS_UNREAD) for path in spaces)]

    def _limits(self) -> list[Skip]:
        """What is not applied of what the tree says of its files."""
        why = self.languages.tree.unread
        return [Skip(ATTRIBUTES_NAME, SkipReason.ATTRIBUTES_LIMIT, why)] if why else []

    @property
    def _updater(self) -> IndexUpdater:
        assert self._opened is not None
        return self._opened

    @property
    def languages(self) -> Languages:
        return self._updater.languages

    @property
    def spaces(self) -> "Sequence[Spaces]":
        if self._spaces is None:
            from symindex.workspace.spaces import Spaces
            from symindex.workspace.user_space import (
                open_user_roots,
            )  # here, because most searches stay in the project

            self._spaces = Spaces(
                self.root, self._place, open_user_roots(self.folder.parent, IndexedRoot)
            )
        return [self._spaces]

    @property
    def known(self) -> "Recall":
        """What is known of the root beside its symbols."""
        if self._recall is None:
            from symindex.recall.recall import Recall  # here, because most searches are for names

            self._recall = Recall(self.root, self.folder, self.languages)
        return self._recall

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        yield self.known, self.snapshot, ""

    @property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        return {"": (self.root, self.languages)}

    @property
    def place(self) -> PrivateFolder:
        """The folder of the index."""
        return self._place

    @property
    def index_folders(self) -> "Sequence[PrivateFolder]":
        return [self._place]

    @property
    def snapshot(self) -> Snapshot:
        """The index as it was last loaded or refreshed; refreshed when it is first asked for."""
        if not self._is_current:
            self._notices = self._refresh_for_answers(None)
        self.check_length()
        layers = self._updater.layers
        assert layers is not None
        return layers.snapshot

    def check_length(self) -> None:
        """Raises DamagedIndexError where the index cannot be read safely; called before each
        answer."""
        self._updater.check_length()

    def mend(self, error: Exception) -> bool:
        of_packages = self._spaces is not None and self._spaces.mend()
        if not self._updater.mistrust(error):
            return of_packages
        self._is_current = self._is_settled = False
        return True

    @property
    def times_mistrusted(self) -> int:
        return self._updater.times_mistrusted

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
        """Reads with this worker, which is not ended with the root."""
        updater = self._updater
        updater.keep_worker(worker)
        try:
            yield
        finally:
            updater.leave_worker()

    def load(self) -> None:
        """Opens the stored index without looking for changed files. Where none is whole, the first
        search builds it."""
        self._is_current = self._updater.load() is not None and not self._updater.is_partial
        self._collect_notices()

    def load_newest(self) -> bool:
        """Opens the stored index where another process has written it since. Whether all of it
        could be loaded."""
        return self._updater.load() is not None and not self._updater.is_partial

    def _collect_notices(self) -> None:
        taken, self._updater.notices = self._updater.notices, []
        self._notices.extend(notice for notice in taken if notice not in self._notices)

    def refresh(
        self,
        progress: Progress | None = None,
        rebuild: bool = False,
        paths: Collection[str] | None = None,
    ) -> RefreshReport:
        """Brings the index up to date with the disk, and stores it if anything has changed.

        progress: called while files are read. rebuild: reads every file again. paths: the only
        files, relative to the root, that may have changed since the last refresh; then the cost
        does not depend on the size of the tree. The whole tree is walked all the same after a
        refresh that has failed, and where these files do not tell what has changed
        (`files/spot_check`). Default: any file. Raises StorageError where the index cannot be
        written; the one on disk is then as it was.
        """
        report, unstored = self._refreshed(progress, rebuild, paths)
        if unstored:
            raise UnwritableError(unstored)
        return report

    def _refresh_for_answers(self, progress: Progress | None) -> list[str]:
        """Brings the index up to date for answers, also where it cannot be stored; returns what is
        to be said."""
        report, unstored = self._refreshed(progress)
        told = (
            [f"this answer was made without a stored index, which takes longer: {unstored}"]
            if unstored
            else []
        )
        return [*report.notices, *told]

    def _refreshed(
        self, progress: Progress | None, rebuild: bool = False, paths: Collection[str] | None = None
    ) -> tuple[RefreshReport, str]:
        """The report of a refresh, and why its index could not be stored; empty where it is."""
        # of two at a time, the one that has walked the tree later must also be the last to store it
        with self._refreshing:
            return self.mended(
                lambda: self._refresh(progress, rebuild, paths)
            ), self._updater.unstored

    def _refresh(
        self, progress: Progress | None, rebuild: bool, paths: Collection[str] | None
    ) -> RefreshReport:
        started = time.perf_counter()
        some, self._is_settled = paths if self._is_settled and not rebuild else None, False
        self.check_length()
        with staying(self.root):
            changes = self._refresh_some(progress, some) if some is not None else None
            changes = changes or self._refresh_all(progress, rebuild)
        self._is_settled = (
            not self._updater.unstored
        )  # else the next refresh must find the changes again
        return self._report(changes, started)

    def _refresh_some(self, progress: Progress | None, paths: Collection[str]) -> Changes | None:
        """Looks at these files only; `None` where that is not enough."""
        layers = self._updater.load()
        # Files whose reading was ended have to be tried again, too.
        if self.walk is None or layers is None or layers.snapshot.files_left_out(SkipReason.KILLED):
            return None
        seen = spot_check(self.root, paths, self.walk, self.wanted)
        if seen is None:
            return None
        self._updater.keep_worker()  # more changes will follow
        return self._updater.refresh(
            seen, self.settings, progress, rebuild=False, background=self._watcher is not None
        )

    def _refresh_all(self, progress: Progress | None, rebuild: bool) -> Changes:
        wanted = self.wanted
        walk = self.early.take_walk(self.root, wanted) or walk_tree(self.root, wanted)
        walk.skips += self._notable(walk)
        if (worker := self.early.take_worker()) is not None:
            self._updater.keep_worker(worker)
        changes = self._updater.refresh(
            walk, self.settings, progress, rebuild, background=self._watcher is not None
        )
        assert changes is not None
        keep_languages(self.languages, self._place)
        store_filter(self._place, self.settings.languages, wanted, self._rules)
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
            notices=[*self.take_notices(), *not_followed(self.root, self.settings)],
            sections=sections,
            items=items,
        )

    def take_notices(self) -> list[str]:
        taken, self._notices = self._notices, []
        return taken

    def unindexed_views(self, request: SearchRequest, patience: Patience) -> Iterator[View]:
        if patience.first_index == math.inf or self._is_current or self._updater.load() is not None:
            return
        self.early.end_walk()  # it would slow down the scan
        from symindex.search.unindexed.before_index import (
            is_large,
            scan_for_reader,
        )  # here, because an index is mostly there

        if not is_large(self.root, self.wanted):
            return
        scanned = scan_for_reader(
            self.root, request, self.languages, self.wanted, self.settings.file_seconds, self._rules
        )
        if scanned is not None:
            yield View(scanned[0], why_a_part=scanned[1])

    def on_unindexed_answer(self) -> None:
        start_build(self.root, self._place)

    def stored_view(self) -> View | None:
        layers = self._updater.load() if self.early.is_walking else None
        return View(layers.snapshot) if layers is not None else None

    def bring_up_to_date(self, patience: Patience, progress: Progress | None = None) -> None:
        if patience.changes or not self._is_current:
            notices = self._refresh_for_answers(
                progress
            )  # it takes those that wait, so it goes first
            self._notices += notices

    def view(self) -> View:
        return View(self.snapshot, is_last=True)

    def tree(self) -> "Tree":
        from symindex.explore.tree import Tree  # here, because most requests search

        return Tree(
            self.snapshot,
            self.languages,
            {"": self.root},
            unread=self.unread,
            listed=lambda: {"": self.text_files()},
            left_out=self.left_out,
            recent=tuple(self.recent),
        )

    def text_files(self) -> list[str]:
        """All files that the rules let through, whatever is in them."""
        from symindex.files.text_files import TextFiles  # here, because most requests search

        if self._text_files is None or self._text_files.file_filter != self.wanted:
            self._text_files = TextFiles(self.root, self.wanted)
        return self._text_files.paths()

    def why_empty(self, request: SearchRequest, view: View) -> list[str]:
        from symindex.search.answer.explain_empty import (
            explain_empty,
        )  # here, because most searches find something

        return explain_empty(
            request, view.snapshot, self.walk, self.languages, self.unread(), view.contents
        )

    @property
    def walked(self) -> "Sequence[tuple[str, IndexedRoot]]":
        return [("", self)]

    def export(self, request: SearchRequest | None = None) -> "Iterator[ListedFile]":
        """All symbols that pass a request's filters, file by file, with their details. Raises
        RequestError at once."""
        from symindex.explore.listing import list_sources

        def export() -> "Iterator[ListedFile]":
            snapshot = self.snapshot
            self._updater.check_all()  # output that was written cannot be taken back
            return list_sources(
                self.root, snapshot, self.languages, request or SearchRequest(query="")
            )

        return self.mended(export)

    def unread(self, prefix: str = "") -> list[Skip]:
        """The files that should be indexed and could not be, as far as the last walk tells. prefix:
        of their paths."""
        return unread(self.walk, self.snapshot, prefix)

    def status(self) -> StatusReport:
        """What the index holds, and which files are skipped and why. Walks the tree."""

        def status() -> StatusReport:
            snapshot = self.snapshot
            walk = walk_tree(self.root, self.wanted)
            walk.skips += self._notable(walk)
            report = report_status(
                self.root, self.folder / FILE_NAME, self._updater.store.size, walk, snapshot
            )
            report.notes = self.known.note_counts()
            return report

        return self.mended(status)
