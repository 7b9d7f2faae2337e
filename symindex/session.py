"""What one client works with: some folders, the documents that it has open, and one search over both.

What is unsaved lies over the index of its folder as one more overlay. A folder that has no index yet is looked through by a scout
for each search. So an answer never waits for an index, and shows what the client sees.
"""

import codecs
import functools
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np

from symindex.cancel import NotWantedError, check_wanted, wanted_until
from symindex.errors import RequestError
from symindex.following import Event, FollowedTree, Followings
from symindex.index.build import build_index
from symindex.index.columns import I64
from symindex.index.overlay import Layers, Update
from symindex.index.snapshot import Part, Snapshot
from symindex.open_documents import OpenDocuments
from symindex.protocol import SearchRequest, SearchResponse, SymbolFlag
from symindex.search.answer import answer, find
from symindex.search.places import PlacedHit, placed_hits
from symindex.search.query import Query
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


WAIT_SECONDS: Final = 0.01
"""How often it is looked whether something is there that is waited for."""


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
        self.documents = OpenDocuments(encoding, max_file_bytes=max_file_bytes, file_seconds=file_seconds, on_notice=on_notice)

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
        if any(folder.tree.state == "opening" for folder in view.missing):
            self._wait_for(lambda: all(folder.tree.state != "opening" for folder in self.folders), given_up)
            view = self._view()
        waiting: list[tuple[Folder, Future[list[FileSymbols]], threading.Event]] = []
        for folder in view.missing:
            workspace = folder.tree.workspace
            if workspace is not None:
                ended = threading.Event()
                waiting.append((folder, self._scouts.submit(_scout, workspace.scout, request, ended), ended))
        if not waiting:
            return view
        try:
            self._wait_for(
                lambda: (
                    all(future.done() for _, future, _ in waiting)
                    or any(folder.tree.layers is not None for folder, _, _ in waiting)
                ),
                given_up,
            )
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

    def _wait_for(self, is_there: Callable[[], bool], given_up: threading.Event) -> None:
        while not is_there():
            if given_up.wait(WAIT_SECONDS):
                raise NotWantedError

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

    def _placed(self, view: _View, rows: I64) -> list[Match]:
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

    def _odd_place(self, folder: Folder, hit: PlacedHit, lines: dict[tuple[str, str], list[bytes]]) -> tuple[int, int]:
        """Where a name begins and ends in its line, where that has to be counted in the file."""
        known = lines.get((folder.name, hit.path))
        if known is None:
            data = b""
            with suppress(OSError):
                data = (folder.root / hit.path).read_bytes()
            is_marked = data.startswith(codecs.BOM_UTF8)
            known = lines[folder.name, hit.path] = to_utf8(data)[0].split(b"\n")
            if is_marked:  # the mark is three bytes to us, and nothing to an editor
                known[0] = MARK + known[0][3:]
        line = known[hit.line] if hit.line < len(known) else b""
        detail = hit.part.index.detail(hit.row)
        before, name = line[: hit.column], line[hit.column : hit.column + detail.name_end - detail.name_start]
        start = count_units(before.replace(MARK, b""), self.encoding)
        return start, start + count_units(name.rstrip(b"\r"), self.encoding)

    def outline(self, key: str, path: Path | None) -> Seen:
        """The symbols of an open document as it is, or of a file. Raises RequestError where it is neither."""
        if self.is_open(key):
            return self.documents.seen(key).result()
        if path is None:
            raise RequestError(f"{key}: is not open, and no file")
        try:
            text = to_utf8(path.read_bytes())[0].decode("utf-8", "surrogateescape")
        except OSError as error:
            raise RequestError(f"{path.name}: cannot be read: {error.strerror}") from None
        place = self.place_of(path)
        self.documents.open(key, place[1] if place is not None else path.name, "", text.encode("utf-8", "replace").decode())
        seen = self.documents.seen(key)
        if not self.is_open(key):
            self.documents.close(key)
        return seen.result()

    def named_at(self, key: str, place: tuple[int, int], given_up: threading.Event) -> tuple[Word, list[Match]]:
        """What is named at a place of an open document, and the symbols of that name: those most likely meant first.

        Raises RequestError where it is not open, NotWantedError where it was given up.
        """
        word = self.documents.word(key, place).result()
        if not word.name:
            return word, []
        found = self.symbols(SearchRequest(query=f'name:"{word.name}"', max_items=MOST_CANDIDATES), given_up)
        matches = [match for match in found.matches if match.hit.name == word.name] or found.matches[:1]
        text = self.documents.text(key).result().decode("utf-8", "replace")
        return word, rank_candidates(matches, self._open[key].place, word, text) if key in self._open else []


ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value

MARK: Final = codecs.BOM_UTF8

MOST_CANDIDATES: Final = 200


def rank_candidates(matches: list[Match], place: tuple[Folder, str] | None, word: Word, text: str) -> list[Match]:
    """The symbols of a name in the order in which they are likely meant: where the container is the one that is written; in the
    same file, in the same folder, in one whose path is written in the text, elsewhere; then as they were."""

    def distance(match: Match) -> tuple[int, int]:
        container = match.hit.container.rpartition(".")[2]
        is_written = not word.qualifiers or container == word.qualifiers[-1]
        if place is None or match.folder is not place[0]:
            return (not is_written, 4)
        if match.hit.path == place[1]:
            return (not is_written, 0)
        if match.hit.path.rpartition("/")[0] == place[1].rpartition("/")[0]:
            return (not is_written, 1)
        return (not is_written, 2 if _is_written(match.hit.path, text) else 3)

    return sorted(matches, key=distance)


def _is_written(path: str, text: str) -> bool:
    """Whether a text names a file or its folder as imports do: two parts of its path and what languages write between them."""
    *folders, name = path.split("/")
    parts = [*folders, name.partition(".")[0]]
    tails = [parts[-2:], parts[-3:-1]]
    return any(
        len(tail) == 2 and re.search(r"\b" + r"(?:\.|/|::|\\)".join(map(re.escape, tail)) + r"\b", text) is not None
        for tail in tails
    )


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path


def _is_unsaved(folder: Folder, layers: Layers | None, path: str, seen: Seen) -> bool:
    """Whether a document is not as the index has its file, and one that the index would take."""
    if layers is not None:
        known = layers.find(path)
        if known is not None:
            return known[0].index.file(known[1]).digest != seen.file.digest
    workspace = folder.tree.workspace
    return workspace is not None and workspace.wants(path)


def _with_files(layers: Layers | None, files: list[FileSymbols]) -> Snapshot | None:
    if layers is None:
        return Snapshot.of(build_index(files)) if files else None
    return layers.with_overlay(layers.update(Update(files, {}, []))).snapshot if files else layers.snapshot


def _inner_folders(folder: Folder, folders: tuple[Folder, ...]) -> list[str]:
    """The paths, in a folder, of others that lie in it: what is there is theirs."""
    inner = []
    for other in folders:
        if other is not folder and other.root != folder.root:
            with suppress(ValueError):
                inner.append(other.root.relative_to(folder.root).as_posix() + "/")
    return inner


def _without(snapshot: Snapshot, inner: list[str]) -> Snapshot:
    """A snapshot without what lies in some of its folders."""
    if not inner:
        return snapshot
    parts = []
    for part in snapshot.parts:
        outside = np.array([not path.startswith(tuple(inner)) for path in part.index.paths.all], dtype=bool)
        live = outside if part.live is None else outside & part.live
        parts.append(Part(part.index, part.base, live, functools.partial(getattr, part, "file_order")))
    return Snapshot(parts, snapshot.generation)


def _scout(
    scout: Callable[[SearchRequest], list[FileSymbols]], request: SearchRequest, ended: threading.Event
) -> list[FileSymbols]:
    with wanted_until(ended):
        return scout(request)


def _spot_of(seen: Seen, hit: PlacedHit) -> Spot:
    """Where a symbol of a document is."""
    for symbol, spot in zip(seen.file.symbols, seen.spots, strict=True):
        if (symbol.name_row, symbol.name_column) == (hit.line, hit.column):
            return spot
    place = hit.line, hit.column
    return Spot(place, place, place, place, -1)
