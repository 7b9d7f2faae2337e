"""One root folder and its index, kept fresh: what walks the tree, reads what has changed, and has it stored.

A refresh that finds nothing changed writes nothing. What is answered from the index is made elsewhere (`symindex/workspace`,
`session/answers`).
"""

import hashlib
import math
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from symindex import __version__
from symindex.errors import RequestError, shown
from symindex.extract.languages.language_cache import keep_languages, load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.locations import SETTINGS_NAME, index_folder
from symindex.files.skips import Skip, SkipReason
from symindex.files.spot_check import glance_at, is_wanted
from symindex.files.walk import FoundFiles, Walk, Wanted, check_root, staying, walk_tree
from symindex.files.wanted_cache import keep_wanted
from symindex.index.overlay import Layers
from symindex.index.report import RefreshReport, StatusReport, report_status, skipped, unread
from symindex.index.snapshot import Snapshot
from symindex.index.store import FILE_NAME
from symindex.index.update import Changes, Progress, Upkeep, mended, start_build
from symindex.protocol import SearchRequest
from symindex.search.explain import why_empty
from symindex.session import early_walk
from symindex.session.roots import Limits, Patience, View
from symindex.settings import Settings, check_settings, not_followed, read_settings, variant_of

if TYPE_CHECKING:
    from symindex.explore.listing import ListedFile
    from symindex.explore.tree import Tree
    from symindex.files.watch.watcher import Watcher
    from symindex.search.unindexed.work_queue import ScoutReport


_T = TypeVar("_T")


class _GivenUpError(Exception):
    """Ends a refresh that nobody waits for any more."""


class IndexedRoot:
    """See the module. May be used as a context manager.

    Args:
        root: the folder; every path in answers is relative to it.
        index_dir: where the index is kept, over SYMINDEX_INDEX_DIR and the user's cache directory.
        values: settings over those of `symindex.toml`, as of `check_settings`. What decides about files among them gives the
            workspace an index of its own, for another one of this root would take from it what it holds, and be taken from.
        on_problem: told of each wrong setting, one line at a time, and what is wrong has its default; so it is with later ones,
            where the tree is followed. Default: RequestError.
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
            raise RequestError("the root is empty: name a folder, or leave it out for the current one")
        self.root = check_root(Path(root))
        self._values = values or {}
        self._on_problem = on_problem
        settings, problems = self._read_settings(None)
        self.folder = index_folder(self.root, index_dir, variant_of(self._values))
        self._place = PrivateFolder(self.folder, self.root)
        if os.path.exists(self.folder.parent) and not os.path.isdir(self.folder.parent):
            raise RequestError(f"{self.folder.parent}: a file, not a folder; name a folder for the index")
        languages = load_kept_languages(self._place)
        if settings.languages:
            settings, problems = self._read_settings(languages)
        self._tell(problems)
        self._problems = problems
        # What the symbols of a file depend on besides its bytes.
        self._rules = hashlib.blake2b(f"{__version__}\0".encode() + languages.digest, digest_size=16).digest()
        self._upkeep = Upkeep(self.root, self._place, languages, self._rules)
        self._take_settings(settings, languages)
        self._is_current = False
        self._walk: Walk | None = None
        self._walked_for: Wanted | None = None
        self._is_settled = False  # whether the last refresh came to its end, so that the next need not make good for it
        self._notices: list[str] = []
        self._refreshing = threading.Lock()
        self._watcher: Watcher | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the following, and lets go of the index; a later search opens it again."""
        self.unfollow()
        self._upkeep.close()
        self._is_current = False

    def follow(
        self,
        on_update: Callable[[RefreshReport], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_progress: Progress | None = None,
    ) -> "Watcher":
        """Keeps the index current in the background from now on, until `unfollow` or `close`; returns what watches the tree.

        Searches may go on in any thread: each takes the index as it is at that moment.

        on_update: told of every refresh that has changed the index, in a thread of its own. on_error: told what went wrong in
        one, which is then tried again; default: the watcher's `notices` tell. on_progress: told how far one is; what it raises
        ends that one.
        """
        from symindex.files.watch.watcher import Watcher  # here, because most uses of an index watch nothing

        def check_wanted(done: int, total: int) -> None:
            if not watcher.is_watching:
                raise _GivenUpError
            if on_progress is not None:
                on_progress(done, total)

        def update(paths: frozenset[str] | None) -> None:
            if paths is None:
                self._read_again(watcher, on_error)
            report = self.refresh(check_wanted, paths=paths)
            if on_update is not None and (report.read or report.removed):
                on_update(report)

        self.unfollow()
        self._upkeep.keep_worker()
        rule_files = [self.root / SETTINGS_NAME]
        watcher = Watcher(self.root, self.wanted, update, on_error, rule_files)
        self._watcher = watcher
        watcher.start()
        return watcher

    def unfollow(self) -> None:
        """Ends the following. A refresh that is at work is given up; the index is then as the one before left it."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def _read_settings(self, languages: Languages | None) -> tuple[Settings, list[str]]:
        """The settings as they are now, and what is wrong with them; `languages` as for `check_settings`."""
        settings, problems = read_settings(self.root, languages)
        settings, more = check_settings(self._values, f"{self.root}: given settings", languages, settings)
        return settings, problems + more

    def _tell(self, problems: list[str]) -> None:
        if problems and self._on_problem is None:
            raise RequestError("; ".join(problems))
        for problem in problems:
            assert self._on_problem is not None
            self._on_problem(problem)

    def _take_settings(self, settings: Settings, languages: Languages) -> None:
        self.settings = settings
        self.languages = self._upkeep.languages = languages.choose(settings.languages)
        self.wanted = self.languages.wanted(settings.max_file_bytes, settings.selection)

    def _read_again(self, watcher: "Watcher", on_error: Callable[[Exception], object] | None) -> None:
        """Takes the settings as they are now. Wrong ones are reported, and change nothing where nobody
        is told of problems."""
        settings, problems = self._read_settings(self.languages)
        is_new, self._problems = problems != self._problems, problems
        if problems and self._on_problem is None:
            if is_new and on_error is not None:
                on_error(RequestError("; ".join(problems)))
            return
        if is_new:
            self._tell(problems)
        if settings != self.settings:
            with self._refreshing:
                self._take_settings(settings, self.languages)
            watcher.want(self.wanted)

    @property
    def limits(self) -> Limits:
        """As of `Roots`."""
        return Limits(self.settings.max_file_bytes, self.settings.file_seconds)

    @property
    def snapshot(self) -> Snapshot:
        """The index as it was last loaded or refreshed; refreshed when it is first asked for."""
        if not self._is_current:
            self._notices = self.refresh().notices
        self.check_length()
        layers = self._upkeep.layers
        assert layers is not None
        return layers.snapshot

    def check_length(self) -> None:
        """As of `Upkeep`, before an answer is made."""
        self._upkeep.check_length()

    def mend(self, error: Exception) -> bool:
        """As of `Roots` and `Upkeep.mistrust`: what is asked next refreshes the index."""
        if not self._upkeep.mistrust(error):
            return False
        self._is_current = self._is_settled = False
        return True

    @property
    def times_mistrusted(self) -> int:
        """As of `Upkeep`."""
        return self._upkeep.times_mistrusted

    @property
    def is_refreshing(self) -> bool:
        """Whether the index is being brought up to date, which may have let go of a damaged one."""
        return self._refreshing.locked()

    def _mended(self, read: Callable[[], _T]) -> _T:
        return mended(read, self.mend, lambda: self.times_mistrusted)

    @property
    def layers(self) -> Layers | None:
        """The index as it was last loaded or refreshed; `None` before."""
        return self._upkeep.layers

    def load(self) -> None:
        """Opens the stored index as it is, without looking for changed files; makes it only where there is none that is whole."""
        self._is_current = self._upkeep.load() is not None and not self._upkeep.is_partial
        self._take_notices()

    def _take_notices(self) -> None:
        taken, self._upkeep.notices = self._upkeep.notices, []
        self._notices.extend(notice for notice in taken if notice not in self._notices)

    def refresh(
        self, progress: Progress | None = None, rebuild: bool = False, paths: Collection[str] | None = None
    ) -> RefreshReport:
        """Brings the index up to date with the disk, and stores it if anything has changed.

        progress: told how far the reading is. rebuild: reads every file again, whatever is known.
        paths: the files, relative to the root, that may have changed since the last refresh, where the caller knows that nothing
        else has: then the cost does not depend on the size of the tree. It is looked through all the same where the last refresh
        has failed, and where these files alone do not tell what has changed (`files/spot_check`). Default: any.
        Raises StorageError where the index cannot be written; the one on disk is then as it was.
        """
        with self._refreshing:  # of two at a time the one that has listed the tree later must also be the last to store it
            return self._mended(lambda: self._refresh(progress, rebuild, paths))

    def _refresh(self, progress: Progress | None, rebuild: bool, paths: Collection[str] | None) -> RefreshReport:
        started = time.perf_counter()
        some, self._is_settled = paths if self._is_settled and not rebuild else None, False
        self.check_length()
        with staying(self.root):
            changes = self._refresh_some(progress, some) if some is not None else None
            changes = changes or self._refresh_all(progress, rebuild)
        self._is_settled = True
        return self._report(changes, started)

    def _refresh_some(self, progress: Progress | None, paths: Collection[str]) -> Changes | None:
        """Looks at some files only; `None` where that does not do."""
        layers = self._upkeep.load()
        if self._walk is None or self._walked_for != self.wanted or layers is None:
            return None
        if layers.snapshot.files_left_out(SkipReason.KILLED):  # which are not among the paths, and are tried again
            return None
        seen = glance_at(self.root, paths, self._walk, self.wanted)
        if seen is None:
            return None
        self._upkeep.keep_worker()  # whoever tells of these will tell of others
        return self._upkeep.refresh(seen, self.settings, progress, rebuild=False, background=self._watcher is not None)

    def _refresh_all(self, progress: Progress | None, rebuild: bool) -> Changes:
        wanted = self.wanted
        walk = early_walk.take_walk(self.root, wanted) or walk_tree(self.root, wanted)
        changes = self._upkeep.refresh(walk, self.settings, progress, rebuild, background=self._watcher is not None)
        assert changes is not None
        keep_languages(self.languages, self._place)
        keep_wanted(self._place, self.settings.languages, wanted)
        walk.files = FoundFiles()  # they are in the index now
        self._walk, self._walked_for = walk, wanted
        return changes

    def _report(self, changes: Changes, started: float) -> RefreshReport:
        self._is_current = True
        self._take_notices()
        notices, self._notices = [*self._notices, *not_followed(self.root, self.settings)], []
        snapshot, walk = self.snapshot, self._walk
        assert walk is not None
        return RefreshReport(
            root=shown(self.root),
            files=snapshot.n_files,
            symbols=snapshot.n_symbols,
            bytes=self._upkeep.store.size,
            seconds=round(time.perf_counter() - started, 3),
            read=len(changes.read),
            removed=len(changes.removed),
            skipped=skipped(walk, snapshot),
            notices=notices,
        )

    def take_notices(self) -> list[str]:
        """What was met that nobody has been told of yet: once."""
        taken, self._notices = self._notices, []
        return taken

    def unindexed_views(self, request: SearchRequest, patience: Patience) -> Iterator[View]:
        """As of `Roots`: what a scan (`search/unindexed`) finds, where there is no index yet and building one takes long. None
        where the index can be waited for, or where only the index can answer."""
        if patience.first_index == math.inf or self._is_current or self._upkeep.load() is not None:
            return
        early_walk.end_walk()  # it would take its time from the scan
        from symindex.search.unindexed.patience import is_large, scan_for_reader  # here, because an index is mostly there

        if not is_large(self.root, self.wanted):
            return
        scanned = scan_for_reader(self.root, request, self.languages, self.wanted, self.settings.file_seconds, self._rules)
        if scanned is not None:
            yield View(scanned[0], why_a_part=scanned[1])

    def answered_early(self) -> None:
        """As of `Roots`: the index is made in a process that goes on when this one has ended, unless one is at it already."""
        start_build(self.root, self._place)

    def stored_view(self) -> View | None:
        """As of `Roots`: while the tree is looked through in other processes."""
        layers = self._upkeep.load() if early_walk.is_begun() else None
        return View(layers.snapshot) if layers is not None else None

    def bring_up_to_date(self, patience: Patience, progress: Progress | None = None) -> None:
        """As of `Roots`: a first search makes the index or refreshes it, later ones only where changes are waited for."""
        if patience.changes or not self._is_current:
            notices = self.refresh(progress).notices
            self._notices = [*self._notices, *notices]

    def view(self) -> View:
        """As of `Roots`."""
        return View(self.snapshot, is_last=True)

    def wait_for_changes(self) -> None:
        """As of `Roots`: they are in the index."""

    def tree(self) -> "Tree":
        """As of `Roots`."""
        from symindex.explore.tree import Tree  # here, because most requests search

        return Tree(self.snapshot, self.languages, {"": self.root}, unread=self.unread)

    def whys_a_part(self) -> list[str]:
        """As of `Roots`."""
        return []

    def why_empty(self, request: SearchRequest, view: View) -> str:
        """As of `Roots`."""
        return why_empty(request, view.snapshot, self._walk, self.languages, self.unread())

    def export(self, request: SearchRequest | None = None) -> "Iterator[ListedFile]":
        """All symbols that a request's filters let through, file by file, with all that is known. Raises RequestError at once."""
        from symindex.explore.listing import list_sources

        def export() -> "Iterator[ListedFile]":
            snapshot = self.snapshot
            self._upkeep.check_all()  # what has been passed on cannot be taken back
            return list_sources(self.root, snapshot, self.languages, request or SearchRequest(query=""))

        return self._mended(export)

    def scout(self, request: SearchRequest) -> "ScoutReport":
        """Files that hold hits of a request, found without an index: those that most likely define what is named, unless it is
        named in a letter or two, or only an index can answer; then some files.

        Raises RequestError for what has no possible answer.
        """
        from symindex.search.unindexed.patience import look_for_editor

        return look_for_editor(self.root, request, self.languages, self.wanted, self.settings.file_seconds)

    def wants(self, path: str) -> bool:
        """Whether a file of that path, relative to the root, would be indexed if it were there, as far as is known by now."""
        return is_wanted(path, self._walk, self.wanted)

    @property
    def last_walk(self) -> object:
        """Another object whenever `wants` may answer otherwise."""
        return self._walk

    def unread(self, prefix: str = "") -> list[Skip]:
        """The files whose code is not in the index though it should be, as far as the last walk tells. prefix: of shown paths."""
        return unread(self._walk, self.snapshot, prefix)

    def status(self) -> StatusReport:
        """What the index holds, and what was skipped and why, after a walk of the tree."""
        return self._mended(self._status)

    def _status(self) -> StatusReport:
        snapshot = self.snapshot
        walk = walk_tree(self.root, self.wanted)
        return report_status(self.root, self.folder / FILE_NAME, self._upkeep.store.size, walk, snapshot)
