"""Several roots that are followed in the background, as one client sees them: its folders, and what it has not saved over them.

What is unsaved lies over the index of its folder as one more overlay. A folder that has no index yet is looked through by a scan
for each search. So an answer never waits for an index, and shows what the client sees.
"""

import errno
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symindex.errors import RequestError, shown
from symindex.extract.languages.registry import Languages, load_languages
from symindex.files.access.beneath import read_beneath
from symindex.files.access.regular import NotRegularError, read_regular
from symindex.files.skips import Skip
from symindex.index.report import RootStatus
from symindex.index.update import Progress
from symindex.protocol import SearchRequest
from symindex.search.explain import why_empty
from symindex.session.background_scan import BackgroundScout, BackgroundScouts
from symindex.session.edited_documents import EditedDocuments
from symindex.session.merged_view import Folder, FoldersView, make_view, with_files
from symindex.session.open_documents import OpenDocuments
from symindex.session.roots import DEFAULT_LIMITS, Limits, Patience, View
from symindex.session.watched_tree import Event, WatchedTree, WatchedTrees
from symindex.settings import LARGEST_FILE_BYTES
from symindex.text.edit_buffer import Encoding
from symindex.workers.cancellation import NotWantedError, wait_until

if TYPE_CHECKING:
    from symindex.explore.tree import Tree

SCANS: Final = 3
"""So many are made one after the other where none comes to its end, as on a machine that is busy: the index takes longer."""

PAUSE_SECONDS: Final = 0.01
"""How often it is looked whether something is there that is waited for."""

BEHIND_SECONDS: Final = 3.0
"""How long an answer waits, at most, for what has changed since the index was made, where it would be empty without."""


class FollowedRoots:
    """See the module; the contract is that of `session/roots.Roots`. May be used from any thread.

    Args:
        trees: where trees are shared with other clients.
        encoding: what columns count.
        on_event: told what happens to the folders, in threads of the background; so is on_notice of what goes wrong.
        allowed: only what lies in these folders is read, where there are any; that something lies elsewhere is no secret.

    limits: of what is read for answers. documents: those that the client has open.
    """

    def __init__(
        self,
        trees: WatchedTrees,
        encoding: Encoding = "utf-8",
        on_event: Callable[[Event], object] = lambda _: None,
        on_notice: Callable[[str], object] = lambda _: None,
        limits: Limits = DEFAULT_LIMITS,
        allowed: tuple[Path, ...] = (),
    ) -> None:
        self.limits = limits
        self.folders: tuple[Folder, ...] = ()
        self.documents = EditedDocuments(
            OpenDocuments(encoding, max_file_bytes=limits.max_file_bytes, file_seconds=limits.file_seconds, on_notice=on_notice),
            self.place_of,
        )
        self._trees = trees
        self._listener = self._take  # one object, by which the trees know who listens
        self._on_event = on_event
        self._events: dict[Path, Event] = {}
        self._errors: dict[Path, str] = {}
        self._allowed = allowed
        self._lock = threading.Lock()
        self._is_closed = False
        self._kept: tuple[tuple[object, ...], FoldersView] | None = None
        self._told_mistrusted: dict[Path, int] = {}
        self._last_scans: dict[tuple[object, ...], BackgroundScout] = {}
        self._scans = BackgroundScouts()

    def close(self) -> None:
        """Lets go of all folders and documents. Whoever waits for an index gives up: it may be made for others, or not at all."""
        self._is_closed = True
        self.documents.texts.stop()
        for folder in self.folders:
            self._trees.leave(folder.tree, self._listener)
        self._scans.close()

    def _take(self, event: Event) -> None:
        """What has happened to a tree."""
        if event.kind == "error":
            self._errors[event.root] = event.text
        elif event.kind == "ready":
            self._errors.pop(event.root, None)
        elif event.kind != "notice":
            self._events[event.root] = event
        self._on_event(event)

    @property
    def progress(self) -> tuple[int, int] | None:
        """Files that are read, and all, of the trees that have no index yet; `None` where all have one."""
        missing = [folder.root for folder in self.folders if folder.tree.layers is None]
        told = [self._events[root] for root in missing if root in self._events]
        return (sum(event.done for event in told), sum(event.total for event in told)) if missing else None

    def statuses(self) -> list[RootStatus]:
        """How each root stands."""
        return [self._status_of(folder) for folder in self.folders]

    def _status_of(self, folder: Folder) -> RootStatus:
        event, error = self._events.get(folder.root), self._errors.get(folder.root, "")
        is_there = folder.path.is_dir()
        indexed = folder.tree.indexed
        return RootStatus(
            root=shown(folder.path),
            name=folder.name if len(self.folders) > 1 else "",
            state=folder.tree.state if is_there else "missing",
            done=event.done if event is not None else 0,
            total=event.total if event is not None else 0,
            error=error,
            notices=[*map(shown, folder.tree.warnings)] if is_there else [],
            report=indexed.status() if indexed is not None and folder.has_index and is_there else None,
        )

    def check_any_there(self) -> None:
        """Raises RequestError where no root is there to be answered about."""
        lost = [folder for folder in self.folders if not folder.path.is_dir()]
        if lost and len(lost) == len(self.folders):
            names = ", ".join(str(folder.path) for folder in lost)
            raise RequestError(f"{names}: the root is not there (any more); it is answered about again when it is back")

    @property
    def languages(self) -> Languages:
        """Those of the folders."""
        for folder in self.folders:
            if folder.tree.indexed is not None:
                return folder.tree.indexed.languages
        return load_languages(check=False)

    def add_folder(self, path: Path, name: str, index_dir: str | None) -> None:
        """One more folder; one that is there already is not added again. Raises RequestError for one that may not be read."""
        root = resolved(path)
        self._root_of(root, path)
        with self._lock:
            if any(folder.path == path for folder in self.folders):
                return
            names = {folder.name for folder in self.folders}
            unlike = name = shown(name or path.name or "root")
            number = 1
            while unlike in names:
                number += 1
                unlike = f"{name}~{number}"
            tree = self._trees.take(root, index_dir, self._listener)
            self._told_mistrusted[path] = tree.times_mistrusted
            self._set_folders((*self.folders, Folder(path, root, unlike, tree)))

    def _root_of(self, path: Path, shown: Path) -> Path | None:
        """Which of the roots a resolved path lies in, where there are any. Raises RequestError where it lies in none of them."""
        root = next((root for root in self._allowed if path.is_relative_to(root)), None)
        if root is None and self._allowed:
            raise RequestError(f"{shown}: lies outside of the folders that the server was started with, and is left out")
        return root

    def remove_folder(self, path: Path) -> None:
        """One folder less; its index stays where it is."""
        with self._lock:
            gone = [folder for folder in self.folders if folder.path == path]
            self._set_folders(tuple(folder for folder in self.folders if folder.path != path))
        for folder in gone:
            self._trees.leave(folder.tree, self._listener)

    def _set_folders(self, folders: tuple[Folder, ...]) -> None:
        self.folders = folders
        self.documents.place_again()

    def place_of(self, path: Path | None) -> tuple[Folder, str] | None:
        """The innermost folder that a file lies in, and its path there; none of a folder itself, which some editors open as a
        document."""
        if path is None or any(path in (folder.path, folder.root) for folder in self.folders):
            return None
        found: list[tuple[int, Folder, str]] = []
        for folder in self.folders:
            for top in {folder.path, folder.root}:
                with suppress(ValueError):
                    found.append((len(top.parts), folder, path.relative_to(top).as_posix()))
        if not found:
            return None
        _, folder, inside = max(found, key=lambda each: each[0])
        return folder, inside

    def files_changed(self, paths: Sequence[Path]) -> None:
        """The client says that files have changed on disk."""
        by_tree: dict[int, tuple[WatchedTree, list[str]]] = {}
        for path in paths:
            place = self.place_of(path)
            if place is not None:
                by_tree.setdefault(id(place[0].tree), (place[0].tree, []))[1].append(place[1])
        for tree, told in by_tree.values():
            tree.tell(told)

    def view(self) -> FoldersView:
        """What is there now. An edit that was just made is waited for a little."""
        seen = self.documents.settled()
        folders, opened = self.folders, self.documents.opened
        for folder in folders:
            if folder.tree.indexed is not None:
                folder.tree.indexed.check_length()
        layers = [folder.tree.layers for folder in folders]
        # What is ignored may change while the index stays as it is.
        walks = [folder.tree.indexed.last_walk for folder in folders if folder.tree.indexed is not None]
        key = (folders, opened, seen, *layers, *walks)
        kept = self._kept
        if kept is not None and len(kept[0]) == len(key) and all(old is new for old, new in zip(kept[0], key, strict=True)):
            return self._dated(kept[1])
        view = make_view(folders, opened, seen, layers)
        self._kept = (key, view)
        return self._dated(view)

    def _dated(self, view: FoldersView) -> FoldersView:
        return replace(view, is_last=not view.missing and not any(folder.is_behind for folder in self.folders))

    def unindexed_views(self, request: SearchRequest, patience: Patience) -> Iterator[View]:
        """As of `Roots`. Some folders may have an index; what is in that is part of each view."""
        if not self.view().missing:
            return
        if patience.changes:
            self._catch_up(patience.changes)
        self._wait_for(lambda: not any(folder.will_be_there for folder in self.folders), patience.first_index)
        if not self.view().missing:
            return
        self._wait_for(lambda: all(folder.tree.state != "opening" for folder in self.folders))
        for _ in range(SCANS):
            view, is_complete = self._scanned(request)
            yield view
            if is_complete:
                return

    def _scanned(self, request: SearchRequest) -> tuple[View, bool]:
        """The view with what scans find in folders that have no index, and whether they have looked through all there is."""
        view = self.view()
        running = [(folder, self._begin_scan(folder, request)) for folder in view.lacking if folder.tree.indexed is not None]
        try:
            self._wait_for(lambda: all(scout.future.done() or folder.tree.layers for folder, scout in running))
            reports = [(folder, scout.report()) for folder, scout in running if scout.future.done()]
        finally:
            for _, scout in running:
                scout.end()
        view = self.view()
        found = [(folder, report.files) for folder, report in reports if report is not None and folder in view.lacking]
        is_complete = all(report is None or report.complete for _, report in reports)
        return with_files(view, found, is_prefixed=len(self.folders) > 1), is_complete

    def _begin_scan(self, folder: Folder, request: SearchRequest) -> "BackgroundScout":
        """A scan for a request. One that has just answered it is not sent again: some clients ask until they are content."""
        asked = (folder, request.query, tuple(request.languages or ()), tuple(request.paths or ()))
        known = self._last_scans.get(asked)
        if known is not None and known.is_fresh:
            return known
        indexed = folder.tree.indexed
        assert indexed is not None
        scout = self._scans.send(indexed, request)
        self._last_scans = {asked: scout, **{key: each for key, each in self._last_scans.items() if each.is_fresh}}
        return scout

    def answered_early(self) -> None:
        """As of `Roots`: the indexes are being made in any case."""

    def stored_view(self) -> View | None:
        """As of `Roots`: nobody looks for changes while an answer waits."""
        return None

    def bring_up_to_date(self, patience: Patience, progress: Progress | None = None) -> None:
        """As of `Roots`: the trees bring themselves up to date, which is waited for."""
        had_missing = bool(self.view().missing)
        self._wait_for(lambda: not any(folder.will_be_there for folder in self.folders))
        if had_missing or patience.changes:
            self._catch_up(patience.changes or BEHIND_SECONDS)

    def wait_for_changes(self) -> None:
        """As of `Roots`."""
        self._catch_up(BEHIND_SECONDS)

    def _catch_up(self, seconds: float) -> None:
        """Until what has changed since the indexes were made is in them, or for some time."""
        self._wait_for(lambda: not any(folder.may_be_behind for folder in self.folders), seconds)

    def _wait_for(self, is_there: Callable[[], bool], seconds: float = math.inf) -> None:
        def is_there_or_closed() -> bool:
            if self._is_closed:
                raise NotWantedError
            return is_there()

        wait_until(is_there_or_closed, PAUSE_SECONDS, seconds)

    def tree(self) -> "Tree":
        """As of `Roots`. Raises RequestError where no folder has an index."""
        from symindex.explore.tree import Tree  # here, because most requests search

        if self.folders and not any(folder.has_index for folder in self.folders):
            raise RequestError("; ".join(self.whys_a_part()))
        several = len(self.folders) > 1
        roots = {f"{folder.name}/" if several else "": folder.root for folder in self.folders}
        return Tree(self.view().snapshot, self.languages, roots, unread=self._unread)

    def _unread(self) -> list[Skip]:
        """The files of all folders whose code is not in the indexes though it should be."""
        several = len(self.folders) > 1
        trees = [(f"{folder.name}/" if several else "", folder.tree.indexed) for folder in self.folders]
        return [skip for prefix, tree in trees if tree is not None and tree.layers is not None for skip in tree.unread(prefix)]

    def why_empty(self, request: SearchRequest, view: View) -> str:
        """As of `Roots`."""
        if not all(folder.has_index for folder in self.folders):
            return ""
        return why_empty(request, view.snapshot, None, self.languages, self._unread())

    @property
    def times_mistrusted(self) -> int:
        """As of `Roots`."""
        return sum(folder.tree.times_mistrusted for folder in self.folders)

    def mend(self, error: Exception) -> bool:
        """As of `Roots`."""
        return any([folder.tree.mend(error) for folder in self.folders])

    def take_notices(self) -> list[str]:
        """What was met that no answer has told of yet: once."""
        with self._lock:
            told, now = self._told_mistrusted, {folder.path: folder.tree.times_mistrusted for folder in self.folders}
            self._told_mistrusted = now
        return [f"{shown(path)}: the index was damaged, and is built anew" for path in now if now[path] > told.get(path, 0)]

    def whys_a_part(self) -> list[str]:
        """What must be said of answers that do not rest on all that there is, a line each."""
        return [why for folder in self.folders if (why := folder.why_a_part)]

    def read(self, path: Path) -> bytes:
        """The bytes of a file that the client has named: below a folder of its own no link is followed, nor one out of what is
        allowed. Raises RequestError for one that may not be read, OSError for one that cannot be."""
        place, root = self.place_of(path), self._root_of(resolved(path), path)
        if place is not None:
            return read_beneath(place[0].root, place[1], LARGEST_FILE_BYTES)
        if root is None:
            return read_regular(path, LARGEST_FILE_BYTES, follow=True)
        real = resolved(path)
        if not real.is_relative_to(root):
            raise NotRegularError(errno.ELOOP, "a symbolic link")
        return read_beneath(root, real.relative_to(root).as_posix(), LARGEST_FILE_BYTES)


def resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path
