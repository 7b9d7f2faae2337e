"""A server's client: its folders, watched in the background, with its unsaved documents over them.

It gives the answers of all roots, and those that only editors need. A folder that has no index yet
is scanned for each search. So an answer never waits for an index, and shows what the client sees.
"""

import codecs
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from symindex.background import answering
from symindex.cancellation import NotWantedError, check_wanted, wait_until
from symindex.editor.background_scan import SCAN_SECONDS, SCANNED, SCANS, BackgroundScans
from symindex.editor.edited_documents import EditedDocuments
from symindex.editor.editor_positions import (
    Match,
    Matches,
    place_rows,
    rank_candidates,
    without_typedefs,
)
from symindex.editor.heading_rows import STRONG, first_weaker, with_headings
from symindex.editor.merged_view import (
    Folder,
    FoldersView,
    grouped,
    make_view,
    prefixed,
    with_files,
)
from symindex.editor.open_documents import OpenDocuments
from symindex.editor.row_names import MORE_ROWS, Row, may_be_dropped, name_rows, places_to_show
from symindex.editor.warming import warm_up
from symindex.errors import RequestError, UnfinishedQueryError, shown
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.texts.file_text import to_utf8
from symindex.files.access.beneath import read_beneath
from symindex.files.access.regular import read_regular
from symindex.files.skips import Skip
from symindex.index.report import RootStatus
from symindex.index.update import Progress
from symindex.protocol import freshness as waits
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import find
from symindex.search.answer.diversify import SHORT_QUERY, SPREAD_OVER, diversify
from symindex.search.answer.explain_empty import explain_empty
from symindex.search.language.half_typed import finish_query
from symindex.settings import DEFAULTS, LARGEST_FILE_BYTES
from symindex.text.editing.edit_buffer import Encoding
from symindex.workers.document_messages import Seen, Word
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.roots import Roots, View
from symindex.workspace.watched_tree import Event
from symindex.workspace.watched_tree import WatchedTrees as WatchedTrees

if TYPE_CHECKING:
    from symindex.editor.editor_relations import Relations
    from symindex.explore.tree import Tree
    from symindex.files.access.private_folder import PrivateFolder
    from symindex.index.snapshot import Snapshot
    from symindex.recall.recall import Recall
    from symindex.workspace.spaces import Spaces

_T = TypeVar("_T")

MOST_CANDIDATES: Final = 200
"""How many symbols of one name are ranked by their distance."""

_PEEKS: Final = count()


class FollowedWorkspace(Roots):
    """A client's folders, with the contract of `workspace/roots.Roots`. Any thread may call its
    methods; those that search take their time. Within `cancellation.wanted_until` they raise
    NotWantedError once the answer is not wanted.

    Args:
        trees: shares trees with other clients. encoding: of columns, as the client counts them.
        on_event: called in background threads for each event of the folders. on_notice: the same
        for each problem, a line. allowed: only files in these folders are read, where there are
        any. That something exists elsewhere is no secret.

    documents: those that the client has open.
    """

    def __init__(
        self,
        trees: WatchedTrees,
        encoding: Encoding = "utf-8",
        on_event: Callable[[Event], object] = lambda _: None,
        on_notice: Callable[[str], object] = lambda _: None,
        allowed: tuple[Path, ...] = (),
    ) -> None:
        self.encoding = encoding
        self.folders: tuple[Folder, ...] = ()
        self.documents = EditedDocuments(
            OpenDocuments(encoding, on_notice), self.place_of, self.mended
        )
        self._trees = trees
        self._on_event = on_event
        self._allowed = allowed
        self._lock = threading.Lock()
        self._is_closed = False
        self._last_view: tuple[list[object], FoldersView] = ([], make_view((), {}, {}, []))
        self._reported_damage: dict[Path, int] = {}
        self._scans = BackgroundScans()

    def close(self) -> None:
        """Closes all folders and documents. Answers that are being made raise NotWantedError."""
        self._is_closed = True
        self.documents.texts.stop()
        for folder in self.folders:
            self._trees.leave(folder.tree, self._on_event)
        self._scans.close()

    @property
    def progress(self) -> tuple[int, int] | None:
        """Files read and files in all, of the trees without an index; `None` where each has one."""
        missing = [folder.tree for folder in self.folders if folder.tree.layers is None]
        return (
            (sum(tree.done for tree in missing), sum(tree.total for tree in missing))
            if missing
            else None
        )

    def status_of(self, folder: Folder) -> RootStatus:
        """The state of one of the folders."""
        tree, is_there = folder.tree, folder.path.is_dir()
        return RootStatus(
            root=shown(folder.path),
            name=folder.name if len(self.folders) > 1 else "",
            state=tree.state if is_there else "missing",
            done=tree.done,
            total=tree.total,
            error=tree.error,
            notices=[*map(shown, tree.warnings)] if is_there else [],
            report=tree.indexed.status()
            if tree.indexed is not None and tree.layers is not None and is_there
            else None,
        )

    def check_any_there(self) -> None:
        """Raises RequestError where none of the folders exists (any more)."""
        if self.folders and not any(folder.path.is_dir() for folder in self.folders):
            names = ", ".join(map(str, self.folder_paths))
            raise RequestError(
                f"{names}: the root is not there (any more); it is answered about again when it is"
                " back"
            )

    @property
    def opened(self) -> list[IndexedRoot]:
        return [folder.tree.indexed for folder in self.folders if folder.tree.indexed is not None]

    @property
    def spaces(self) -> "Sequence[Spaces]":
        # Whoever may read some folders alone gets nothing from elsewhere.
        return [] if self._allowed else [spaces for root in self.opened for spaces in root.spaces]

    @property
    def folder_paths(self) -> Sequence[Path]:
        return [folder.path for folder in self.folders]

    @property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        opened = (
            (prefix, folder.root, folder.tree.indexed) for prefix, folder in prefixed(self.folders)
        )
        return {
            prefix: (root, indexed.languages)
            for prefix, root, indexed in opened
            if indexed is not None
        }

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        if self._allowed:  # whoever may read some folders alone gets no notes
            return
        for prefix, folder in prefixed(self.folders):
            indexed, layers = folder.tree.indexed, folder.tree.layers
            if indexed is not None and layers is not None:
                yield indexed.known, layers.snapshot, prefix

    @property
    def index_folders(self) -> "Sequence[PrivateFolder]":
        return (
            []
            if self._allowed
            else [folder for root in self.opened for folder in root.index_folders]
        )

    @property
    def languages(self) -> Languages:
        opened = self.opened
        return opened[0].languages if opened else load_languages(check=False)

    def extensions(self) -> frozenset[str]:
        """Those of the files that may be indexed, once a folder is open, if any can be: to read all
        languages takes long."""
        self._wait_for(
            lambda: (
                bool(self.opened) or all(folder.tree.state != "opening" for folder in self.folders)
            )
        )
        return self.languages.extensions

    def add_folder(self, path: Path, name: str, index_dir: str | None) -> None:
        """Adds a folder, unless it is there already. Raises RequestError for one that may not be
        read."""
        root = Path(os.path.realpath(path))
        self._root_of(root, path)
        with self._lock:
            if any(folder.path == path for folder in self.folders):
                return
            names = {folder.name for folder in self.folders}
            name = shown(name or path.name or "root")
            unique = next(
                each
                for each in chain([name], (f"{name}~{number}" for number in count(2)))
                if each not in names
            )
            tree = self._trees.take(root, index_dir, self._on_event)
            self._reported_damage[path] = tree.times_mistrusted
            self._set_folders((*self.folders, Folder(path, root, unique, tree)))

    def _root_of(self, path: Path, shown: Path) -> Path | None:
        """The allowed folder that holds a resolved path; `None` where all are allowed. Raises
        RequestError where none does."""
        root = next((root for root in self._allowed if path.is_relative_to(root)), None)
        if root is None and self._allowed:
            raise RequestError(
                f"{shown}: lies outside of the folders that the server was started with, and is"
                " left out"
            )
        return root

    def remove_folder(self, path: Path) -> None:
        """Removes a folder; its stored index stays."""
        with self._lock:
            gone = [folder for folder in self.folders if folder.path == path]
            self._set_folders(tuple(folder for folder in self.folders if folder.path != path))
        for folder in gone:
            self._trees.leave(folder.tree, self._on_event)

    def _set_folders(self, folders: tuple[Folder, ...]) -> None:
        self.folders = folders
        self.documents.place_again()

    def place_of(self, path: Path | None) -> tuple[Folder, str] | None:
        """The innermost folder that holds a file, and the path in it; `None` for a folder, which
        editors may open, too."""
        if path is None or any(path in (folder.path, folder.root) for folder in self.folders):
            return None
        tops = (
            (top, folder)
            for folder in self.folders
            for top in (folder.path, folder.root)
            if path.is_relative_to(top)
        )
        innermost = max(tops, key=lambda pair: len(pair[0].parts), default=None)
        return (
            (innermost[1], path.relative_to(innermost[0]).as_posix())
            if innermost is not None
            else None
        )

    def files_changed(self, paths: Sequence[Path]) -> None:
        """The client reports files that have changed on disk."""
        for folder, inside in filter(None, map(self.place_of, paths)):
            folder.tree.tell([inside])

    def view(self) -> FoldersView:
        """What is known now. An edit that was just made is waited for a little."""
        seen = self.documents.settled()
        folders, opened, roots = self.folders, self.documents.opened, self.opened
        for root in roots:
            root.check_length()
        layers = [folder.tree.layers for folder in folders]
        # The ignore rules may change while the index does not.
        key: list[object] = [folders, opened, seen, *layers, *(root.walk for root in roots)]
        last, view = self._last_view
        if [*map(id, last)] != [*map(id, key)]:
            view = make_view(folders, opened, seen, layers)
            self._last_view = (key, view)
        return replace(
            view,
            is_last=not view.missing and not any(folder.tree.is_behind for folder in self.folders),
        )

    def unindexed_views(self, request: SearchRequest, patience: waits.Patience) -> Iterator[View]:
        if not self.view().missing:
            return
        if patience.changes:
            self._catch_up(patience.changes)
        self._wait_for(
            lambda: not any(folder.tree.will_have_index for folder in self.folders),
            patience.first_index,
        )
        if not self.view().missing:
            return
        began = time.monotonic()
        self._wait_for(
            lambda: all(folder.tree.state != "opening" for folder in self.folders), SCAN_SECONDS / 2
        )
        seconds = began + SCAN_SECONDS - time.monotonic()
        for _ in range(SCANS):
            view, is_complete = self._scanned(request, seconds)
            seconds = SCAN_SECONDS
            yield view
            if is_complete:
                return

    def _scanned(self, request: SearchRequest, seconds: float) -> tuple[View, bool]:
        """The view with what scans find in folders without an index, and whether they have scanned
        all files. seconds: how long it waits for them."""
        without = [
            (prefix, folder)
            for prefix, folder in prefixed(self.folders)
            if folder.tree.layers is None
        ]
        running = [
            (folder, self._scans.send(folder.tree.indexed, request, prefix))
            for prefix, folder in without[:SCANNED]
            if folder.tree.indexed is not None
        ]
        try:
            self._wait_for(
                lambda: all(scan.future.done() or folder.tree.layers for folder, scan in running),
                seconds,
            )
            reports = [(folder, scan.report()) for folder, scan in running if scan.future.done()]
        finally:
            for _, scan in running:
                scan.abandon()
        view = self.view()
        found = {
            folder.name: report.files
            for folder, report in reports
            if report is not None and folder in view.missing
        }
        is_whole = len(reports) == len(running) and len(without) <= SCANNED
        return with_files(view, found), is_whole and all(
            report is None or report.complete for _, report in reports
        )

    def bring_up_to_date(self, patience: waits.Patience, progress: Progress | None = None) -> None:
        had_missing = bool(self.view().missing)  # the trees update themselves, so this only waits
        self._wait_for(lambda: not any(folder.tree.will_have_index for folder in self.folders))
        if had_missing or patience.changes:
            self._catch_up(patience.changes or waits.BEHIND_SECONDS)
        if patience.changes:
            self._settle(min(patience.changes, waits.SETTLE_SECONDS))
        else:
            self._wait_for_told()

    def catch_up(self) -> None:
        time.sleep(waits.PAUSE_SECONDS)  # what the system tells of comes in meanwhile
        self._catch_up(waits.AT_MOST_BEHIND)

    def _settle(self, seconds: float) -> None:
        """Takes what was written before this call into the indexes; a tree where that takes longer
        says so until it has."""
        latest = time.monotonic() + seconds
        for folder in self.folders:
            folder.tree.settle(max(latest - time.monotonic(), 0))

    def _wait_for_told(self) -> None:
        self._wait_for(
            lambda: not any(folder.tree.is_being_told for folder in self.folders),
            waits.TOLD_SECONDS,
        )

    def on_written(self, path: Path) -> None:
        self.files_changed([path])
        self._wait_for(
            lambda: not any(folder.tree.is_being_told for folder in self.folders),
            waits.BEHIND_SECONDS,
        )

    def wait_for_changes(self) -> None:
        self._catch_up(waits.BEHIND_SECONDS)

    def _catch_up(self, seconds: float) -> None:
        """Waits until the indexes have been compared with their trees, at most for so long."""
        self._wait_for(lambda: not any(folder.tree.is_behind for folder in self.folders), seconds)

    def _wait_for(self, is_there: Callable[[], bool], seconds: float = math.inf) -> None:
        def is_there_or_closed() -> bool:
            if self._is_closed:
                raise NotWantedError
            return is_there()

        wait_until(is_there_or_closed, waits.PAUSE_SECONDS, seconds)

    def tree(self) -> "Tree":
        """As of `Roots`. Raises RequestError where no folder has an index."""
        return self._tree_of(self.view())

    def _tree_of(self, view: FoldersView) -> "Tree":
        from symindex.explore.tree import Tree  # here, because most requests search

        if self.folders and not any(folder.tree.layers is not None for folder in self.folders):
            raise RequestError("; ".join(self.why_incomplete()))
        prefixes = {folder.name: prefix for prefix, folder in view.folders.items()}
        texts = self.documents.texts_of(key for key, _ in view.seen.values())
        return Tree(
            view.snapshot,
            self.languages,
            roots={prefix: folder.root for prefix, folder in view.folders.items()},
            texts={
                prefixes[name] + path: texts[key]
                for (name, path), (key, _) in view.seen.items()
                if key in texts
            },
            unread=self._unread,
            listed=self._listed,
            left_out=self.left_out,
            recent=tuple(self.recent),
        )

    def _listed(self) -> dict[str, list[str]]:
        """All files of the folders, whatever is in them, by prefix."""
        trees = [(prefix, folder.tree.indexed) for prefix, folder in prefixed(self.folders)]
        return {prefix: tree.text_files() for prefix, tree in trees if tree is not None}

    def _unread(self) -> list[Skip]:
        """The files of all folders that should be indexed and could not be."""
        return [skip for prefix, tree in self.walked for skip in tree.unread(prefix)]

    @property
    def walked(self) -> list[tuple[str, IndexedRoot]]:
        return [
            (prefix, tree)
            for prefix, each in prefixed(self.folders)
            if (tree := each.tree.indexed) and tree.layers
        ]

    def why_empty(self, request: SearchRequest, view: View) -> list[str]:
        if not all(folder.tree.layers is not None for folder in self.folders):
            return []
        return explain_empty(
            request, view.snapshot, None, self.languages, self._unread(), view.contents
        )

    @property
    def times_mistrusted(self) -> int:
        return sum(folder.tree.times_mistrusted for folder in self.folders)

    def mend(self, error: Exception) -> bool:
        return any([folder.tree.mend(error) for folder in self.folders])

    def take_notices(self) -> list[str]:
        with self._lock:
            before, now = (
                self._reported_damage,
                {folder.path: folder.tree.times_mistrusted for folder in self.folders},
            )
            self._reported_damage = now
        return [
            f"{shown(path)}: the index was damaged, and is built anew"
            for path in now
            if now[path] > before.get(path, 0)
        ]

    def why_incomplete(self) -> list[str]:
        return grouped(self.folders, lambda folder: folder.tree.why_incomplete)

    def read(self, path: Path) -> bytes:
        """The bytes of a file that the client has named. Links are not followed below its folders,
        nor out of what is allowed. Raises RequestError for a file that may not be read, OSError for
        one that cannot be."""
        place, real = self.place_of(path), Path(os.path.realpath(path))
        root = self._root_of(real, path)
        if place is not None:
            return read_beneath(place[0].root, place[1], LARGEST_FILE_BYTES)
        if root is None:
            return read_regular(path, LARGEST_FILE_BYTES, follow=True)
        return read_beneath(root, real.relative_to(root).as_posix(), LARGEST_FILE_BYTES)

    @property
    def row_limit(self) -> int:
        """How many rows an answer has where the client sets no limit."""
        return min((root.settings.limit for root in self.opened), default=DEFAULTS.limit)

    def reindex(self) -> None:
        """Reads every file of all folders again."""
        for folder in self.folders:
            folder.tree.reindex()

    def symbols(self, request: SearchRequest) -> Matches:
        """The best hits of a request, at most `max_items`, for an editor: without typos, and
        diverse for a short query. Raises RequestError for a request that has no answer."""

        def show(view: View) -> Matches | None:
            assert isinstance(view, FoldersView)
            with answering():
                found = self._matches(view, request)
            return found if found.matches or view.is_last else None

        return self.find(request, waits.AT_ONCE, show)

    def _matches(
        self, view: FoldersView, request: SearchRequest, shown: int | None = None
    ) -> Matches:
        """What `symbols` gives, of one view. shown: how many of the matches an editor will be
        shown, where not all will be."""
        limit, n_letters = request.max_items, len(request.query.strip())
        if limit is not None and n_letters <= SHORT_QUERY:
            request = msgspec.structs.replace(request, max_items=limit * SPREAD_OVER)
        found = find(view.snapshot, request, self.languages, for_editor=True)
        rows = found.ranking.rows[found.position.start : found.end]
        if limit is not None and len(rows) > limit:
            rows = diversify(found.snapshot, rows, n_letters, limit)
        points = found.ranking.points
        if shown is not None:
            chosen = places_to_show(found.snapshot, found.query, rows, shown)
            rows, points = rows[chosen], points[chosen]
        check_wanted()
        matches = place_rows(view, found.snapshot, rows, self.encoding)
        n_strong = int((points >= STRONG).sum()) if found.selection.weak else len(matches)
        scattered = {match.name for match in matches[n_strong:]}
        return Matches(found.query, without_typedefs(matches), not view.missing, scattered)

    def rows(self, request: SearchRequest) -> tuple[list[Row], bool]:
        """The hits of `symbols` under the names by which an editor keeps them, with headings of
        documents among them, and whether every folder has an index. Of a query that is still being
        typed, those of its finished part."""
        try:
            return self._rows(request)
        except RequestError as error:
            finished = finish_query(request.query, self.languages.by_id)
            if finished:
                return self._rows(msgspec.structs.replace(request, query=finished))
            if isinstance(error, UnfinishedQueryError):
                return [], True
            raise

    def _rows(self, request: SearchRequest) -> tuple[list[Row], bool]:
        limit, wide = request.max_items, request
        if limit is not None and may_be_dropped(request.query):
            wide = msgspec.structs.replace(request, max_items=limit * MORE_ROWS)

        def show(view: View) -> tuple[list[Row], bool] | None:
            assert isinstance(view, FoldersView)
            with answering():
                found = self._matches(view, wide, limit)
                code = name_rows(found.query, found.matches, limit)
                at = first_weaker(found.query, code, found.scattered)
                rows = with_headings(
                    view, request, found.query, code, at, self.languages, self.encoding
                )
            # Headings that are known by chance, before there is an index, say nothing of the code.
            return (
                (rows, found.complete) if (code if view.missing else rows) or view.is_last else None
            )

        return self.find(request, waits.AT_ONCE, show)

    def warm_up(self) -> None:
        """See `editor/warming`."""
        warm_up(self.rows, lambda: not self.view().missing)

    def document_symbols(self, key: str, path: Path | None) -> Seen:
        """The symbols of an open document as it is, or of a file. Raises RequestError where it is
        neither."""
        texts = self.documents.texts
        if key in self.documents.opened:
            return texts.seen(key).result()
        if path is None:
            raise RequestError(f"{key}: is not open, and no file")
        try:
            data = self.read(path)
        except OSError as error:
            raise RequestError(f"{path.name}: cannot be read: {error.strerror}") from None
        text = to_utf8(data.removeprefix(codecs.BOM_UTF8))[0].decode("utf-8", "surrogateescape")
        # Under a key of its own: another request may be for the same file, or open it as a
        # document.
        peek, place = f"{next(_PEEKS)} {key}", self.place_of(path)
        texts.open(
            peek,
            place[1] if place is not None else path.name,
            "",
            text.encode("utf-8", "replace").decode(),
        )
        seen = texts.seen(peek)
        texts.close(peek)
        return seen.result()

    def named_at(self, key: str, place: tuple[int, int]) -> tuple[Word, list[Match]]:
        """The name at a place of an open document, and the symbols of that name, most likely meant
        first. Raises RequestError where the document is not open."""
        texts = self.documents.texts
        word = texts.word(key, place).result()
        if not word.name:
            return word, []
        found = self.symbols(SearchRequest(query=word.name, max_items=MOST_CANDIDATES, fuzzy=False))
        matches = [match for match in found.matches if match.name == word.name]
        text, document = (
            texts.text(key).result().decode("utf-8", "replace"),
            self.documents.opened.get(key),
        )
        return word, rank_candidates(
            matches, document.place, word, text
        ) if document is not None else []

    def relate(self, work: "Callable[[Relations], _T]") -> _T:
        """What work on the relations of symbols returns. Raises RequestError where no folder has an
        index yet."""
        from symindex.editor.editor_relations import SECONDS, Editor, Relations
        from symindex.explore.relations.uses import Limits  # here, because most requests search

        def read() -> _T:
            self._wait_for_told()
            view = self.view()
            editor = Editor(self.named_at, self.documents.opened, self.encoding)
            return work(
                Relations(editor, view, self._tree_of(view), Limits(*self._file_limits, SECONDS))
            )

        return self.mended(read)
