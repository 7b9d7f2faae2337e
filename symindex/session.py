"""What one client works with: some folders, the documents that it has open, and one search over both.

What is unsaved lies over the index of its folder as one more overlay. A folder that has no index yet is looked through by a scout
for each search. So an answer never waits for an index, and shows what the client sees.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET

from symindex.cancel import NotWantedError, check_wanted, wanted_until
from symindex.errors import RequestError, SymindexError
from symindex.following import Event, FollowedTree, Followings
from symindex.index.build import build_index
from symindex.index.overlay import Layers, Update
from symindex.index.snapshot import Part, Snapshot
from symindex.open_documents import OpenDocuments
from symindex.protocol import SearchRequest, SearchResponse
from symindex.search.answer import answer, find
from symindex.search.places import PlacedHit, placed_hits
from symindex.search.query import Everything, Name, Query
from symindex.search.spread import spread
from symindex.source.buffer import Encoding, count_units
from symindex.source.documents import Seen, Spot, Word
from symindex.source.languages import Languages, load_languages
from symindex.source.read import to_utf8
from symindex.source.records import FileSymbols

SETTLE_SECONDS: Final = 0.25
"""How long a search waits for what was just typed to be read; then it answers with what was read before."""

SHORT_QUERY: Final = 2
"""Some editors ask for so many letters, and look for all that is typed next among what they got."""

SPREAD_OVER: Final = 16
"""For those, what is shown is chosen from so many times as many."""


class Folder(NamedTuple):
    """A folder of a client. path: as the client names it; root: where that really is. name: unlike those of the others."""

    path: Path
    root: Path
    name: str
    tree: FollowedTree


class Match(NamedTuple):
    """A symbol that a search has found. line, start, end: of its name, in the client's units; file: as the client names it, or
    the key of an open document."""

    hit: PlacedHit
    folder: Folder
    key: str | None
    line: int
    start: int
    end: int

    @property
    def file(self) -> Path:
        """The file, below the folder as the client names it."""
        return self.folder.path / self.hit.path


class Matches(NamedTuple):
    """What a search has found. query: as it was read. complete: whether every folder has an index."""

    query: Query
    matches: list[Match]
    complete: bool


class _View(NamedTuple):
    """The indexes of all folders as they are now, with what is unsaved. trees: by part of the snapshot, its folder. seen: the
    documents that lie over them. missing: folders without an index."""

    snapshot: Snapshot
    folders: dict[int, Folder]
    seen: dict[tuple[str, str], tuple[str, Seen]]
    missing: list[Folder]


class _Document(NamedTuple):
    """An open document. place: the folder and the path in it, `None` outside of all."""

    path: Path | None
    place: tuple[Folder, str] | None


class Session:
    """See the module. Its methods may be called from any thread; those that search take their time.

    Args:
        followings: where trees are shared with other sessions.
        encoding: what columns count.
        on_event: told what happens to the folders, in threads of the background; so is on_notice of what goes wrong.
    """

    def __init__(
        self,
        followings: Followings,
        encoding: Encoding,
        on_event: Callable[[Event], object],
        on_notice: Callable[[str], object],
        max_file_bytes: int,
        file_seconds: float,
    ) -> None:
        self.encoding = encoding
        self.folders: tuple[Folder, ...] = ()
        self._followings = followings
        self._on_event = on_event
        self._open: dict[str, _Document] = {}
        self._lock = threading.Lock()
        self._kept: tuple[tuple[object, ...], _View] | None = None
        self._scouts = ThreadPoolExecutor(4, thread_name_prefix="symindex-scout")
        self.documents = OpenDocuments(
            encoding, max_file_bytes=max_file_bytes, file_seconds=file_seconds, on_notice=on_notice
        )

    def close(self) -> None:
        """Lets go of all folders and documents."""
        self.documents.stop()
        for folder in self.folders:
            self._followings.leave(folder.tree, self._on_event)
        self._scouts.shutdown(wait=False, cancel_futures=True)

    @property
    def languages(self) -> Languages:
        """Those of the folders."""
        for folder in self.folders:
            if folder.tree.workspace is not None:
                return folder.tree.workspace.languages
        return load_languages(check=False)

    def add_folder(self, path: Path, name: str, index_dir: str | None) -> None:
        """One more folder; one that is there already is not added again."""
        root = _resolved(path)
        with self._lock:
            if any(folder.path == path for folder in self.folders):
                return
            names = {folder.name for folder in self.folders}
            unlike = name = name or path.name or "root"
            number = 1
            while unlike in names:
                number += 1
                unlike = f"{name}~{number}"
            tree = self._followings.take(root, index_dir, self._on_event)
            self._set_folders((*self.folders, Folder(path, root, unlike, tree)))

    def remove_folder(self, path: Path) -> None:
        """One folder less; its index stays where it is."""
        with self._lock:
            gone = [folder for folder in self.folders if folder.path == path]
            self._set_folders(tuple(folder for folder in self.folders if folder.path != path))
        for folder in gone:
            self._followings.leave(folder.tree, self._on_event)

    def _set_folders(self, folders: tuple[Folder, ...]) -> None:
        self.folders = folders
        self._open = {key: _Document(document.path, self.place_of(document.path)) for key, document in self._open.items()}

    def place_of(self, path: Path | None) -> tuple[Folder, str] | None:
        """The innermost folder that a file lies in, and its path there."""
        if path is None:
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

    def open_document(self, key: str, path: Path | None, language: str, text: str) -> None:
        """A document is open from now on. key: what the client calls it. path: `None` where it is no file."""
        place = self.place_of(path)
        with self._lock:
            self._open = {**self._open, key: _Document(path, place)}
        told = place[1] if place is not None else path.name if path is not None else ""
        self.documents.open(key, told, language, text)

    def close_document(self, key: str) -> None:
        """The end of that."""
        with self._lock:
            self._open = {other: document for other, document in self._open.items() if other != key}
        self.documents.close(key)

    def is_open(self, key: str) -> bool:
        """Whether a document is open."""
        return key in self._open

    def files_changed(self, paths: Sequence[Path]) -> None:
        """The client says that files have changed on disk."""
        by_tree: dict[int, tuple[FollowedTree, list[str]]] = {}
        for path in paths:
            place = self.place_of(path)
            if place is not None:
                by_tree.setdefault(id(place[0].tree), (place[0].tree, []))[1].append(place[1])
        for tree, told in by_tree.values():
            tree.tell(told)

    def _view(self) -> _View:
        """What is there now. An edit that was just made is waited for a little."""
        seen = self.documents.latest
        if not self.documents.is_settled:
            with suppress(FutureTimeoutError):
                seen = self.documents.settle().result(SETTLE_SECONDS)
        folders, opened = self.folders, self._open
        layers = [folder.tree.layers for folder in folders]
        key = (folders, opened, seen, *layers)
        kept = self._kept
        if kept is not None and len(kept[0]) == len(key) and all(old is new for old, new in zip(kept[0], key, strict=True)):
            return kept[1]
        view = self._make_view(folders, opened, seen, layers)
        self._kept = (key, view)
        return view

    def _make_view(
        self,
        folders: tuple[Folder, ...],
        opened: dict[str, _Document],
        seen: dict[str, Seen],
        layers: list[Layers | None],
    ) -> _View:
        snapshots: list[Snapshot] = []
        prefixes: list[str] = []
        owners: list[Folder] = []
        over: dict[tuple[str, str], tuple[str, Seen]] = {}
        for folder, known in zip(folders, layers, strict=True):
            unsaved = {
                document.place[1]: (key, seen[key])
                for key, document in opened.items()
                if document.place is not None and document.place[0] is folder and key in seen
            }
            unsaved = {path: pair for path, pair in unsaved.items() if _is_unsaved(folder, known, path, pair[1])}
            over.update({(folder.name, path): pair for path, pair in unsaved.items()})
            files = [pair[1].file for _, pair in sorted(unsaved.items())]
            snapshot = _with_files(known, files)
            if snapshot is not None:
                snapshots.append(_without(snapshot, _inner_folders(folder, folders)))
                prefixes.append(f"{folder.name}/" if len(folders) > 1 else "")
                owners.extend([folder] * len(snapshot.parts))
        joined = Snapshot.joined(snapshots, prefixes)
        by_part = {id(part): owner for part, owner in zip(joined.parts, owners, strict=True)}
        missing = [folder for folder, known in zip(folders, layers, strict=True) if known is None]
        return _View(joined, by_part, over, missing)

    def _scouted(self, view: _View, request: SearchRequest, given_up: threading.Event) -> _View:
        """The view with what scouts find in folders that have no index."""
        waiting: list[tuple[Folder, Future[list[FileSymbols]], threading.Event]] = []
        for folder in view.missing:
            workspace = folder.tree.workspace
            if workspace is not None:
                ended = threading.Event()
                waiting.append((folder, self._scouts.submit(_scout, workspace.scout, request, ended), ended))
        if not waiting:
            return view
        try:
            while not all(future.done() for _, future, _ in waiting):
                if given_up.wait(0.01):
                    raise NotWantedError
                if any(folder.tree.layers is not None for folder, _, _ in waiting):
                    return self._view()  # the index is there now
        finally:
            for _, _, ended in waiting:
                ended.set()
        snapshots, prefixes, owners = [view.snapshot], [""], [view.folders[id(part)] for part in view.snapshot.parts]
        for folder, future, _ in waiting:
            with suppress(NotWantedError):
                files = [file for file in future.result() if (folder.name, file.path) not in view.seen]
                snapshots.append(Snapshot.of(build_index(files)))
                prefixes.append(f"{folder.name}/" if len(self.folders) > 1 else "")
                owners.append(folder)
        joined = Snapshot.joined(snapshots, prefixes)
        by_part = {id(part): owner for part, owner in zip(joined.parts, owners, strict=True)}
        return view._replace(snapshot=joined, folders=by_part)

    def symbols(self, request: SearchRequest, given_up: threading.Event) -> Matches:
        """The best hits of a request, at most `max_items`, as an editor wants them: no typos; and for a short query not only
        those that begin alike.

        Raises RequestError for what has no possible answer, NotWantedError where it was given up.
        """
        with wanted_until(given_up):
            view = self._scouted(self._view(), request, given_up)
            limit = request.max_items
            is_short = len(request.query.strip()) <= SHORT_QUERY
            if limit is not None and is_short:
                request = msgspec.structs.replace(request, max_items=limit * SPREAD_OVER)
            found = find(view.snapshot, request, self.languages, typos=False)
            rows = found.ranking.rows[found.position.start : found.end]
            if limit is not None and len(rows) > limit:
                rows = spread(view.snapshot, rows, found.query, limit)
            check_wanted()
            return Matches(found.query, self._placed(view, rows), not view.missing)

    def search(self, request: SearchRequest, given_up: threading.Event) -> SearchResponse:
        """A search by the contract of all doors; where there are several folders, paths begin with the name of one.

        Raises as `symbols`.
        """
        with wanted_until(given_up):
            view = self._scouted(self._view(), request, given_up)
            response = answer(view.snapshot, request, self.languages)
        notices = [f"{folder.path}: the index is still being built; this is a part" for folder in view.missing]
        if notices:
            response.notices = [*(response.notices or []), *notices]
        return response

    def _placed(self, view: _View, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[Match]:
        lines: dict[tuple[str, str], list[bytes]] = {}
        matches: list[Match] = []
        for hit in placed_hits(view.snapshot, rows):
            folder = view.folders[id(hit.part)]
            over = view.seen.get((folder.name, hit.path))
            key = over[0] if over is not None else None
            if over is not None:
                spot = _spot_of(over[1], hit)
                matches.append(Match(hit, folder, key, spot.name_start[0], spot.name_start[1], spot.name_end[1]))
            elif not hit.flags & ODD_PLACE:
                end = hit.column + count_units(hit.name.encode(), self.encoding)
                matches.append(Match(hit, folder, key, hit.line, hit.column, end))
            else:
                start, end = self._odd_place(folder, hit, lines)
                matches.append(Match(hit, folder, key, hit.line, start, end))
        return matches
