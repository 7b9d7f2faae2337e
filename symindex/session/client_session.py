"""What one client works with: some folders, the documents that it has open, and one search over both.

What is unsaved lies over the index of its folder as one more overlay. A folder that has no index yet is looked through by a scout
for each search. So an answer never waits for an index, and shows what the client sees.
"""

import codecs
import errno
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec

from symindex.errors import RequestError, shown
from symindex.explore.tree import Tree
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.read import to_utf8
from symindex.files.access.beneath import read_beneath
from symindex.files.access.regular import NotRegularError, read_regular
from symindex.files.skips import Skip
from symindex.index.update import mended
from symindex.protocol import SearchRequest, SearchResponse
from symindex.search.answer import answer, find
from symindex.search.diversify import spread
from symindex.search.explain import why_empty
from symindex.search.query import Query
from symindex.session.background_scan import BackgroundScout, BackgroundScouts
from symindex.session.candidates import rank_candidates
from symindex.session.editor_positions import Match, place_rows
from symindex.session.merged_view import Folder, OpenDocument, View, make_view, with_files
from symindex.session.open_documents import OpenDocuments
from symindex.session.watched_tree import Event, FollowedTree, Followings
from symindex.settings import LARGEST_FILE_BYTES
from symindex.text.edit_buffer import Encoding
from symindex.workers.cancellation import NotWantedError, check_wanted, wanted_until
from symindex.workers.document_messages import Seen, Word

SETTLE_SECONDS: Final = 0.25
"""How long a search waits for what was just typed to be read; then it answers with what was read before."""

SHORT_QUERY: Final = 2
"""Some editors ask for so many letters, and look for all that is typed next among what they got."""

SPREAD_OVER: Final = 4
"""For those, what is shown is chosen from so many times as many."""


SCOUTS: Final = 3
"""So many are sent one after the other where none comes to its end, as on a machine that is busy: the index takes longer."""

WAIT_SECONDS: Final = 0.01
"""How often it is looked whether something is there that is waited for."""


WARMING: Final = ("", "e", "se", "get", "getNa", "get_name", "a.name", "zqxj")
WARMING_ROWS: Final = 256

_T = TypeVar("_T")


class Matches(NamedTuple):
    """What a search has found. query: as it was read. complete: whether every folder has an index."""

    query: Query
    matches: list[Match]
    complete: bool


BEHIND_SECONDS: Final = 3.0
"""How long an answer waits, at most, for what has changed since the index was made."""

CATCH_UP_SECONDS: Final = 3.0
"""How long a document that was saved and closed is waited with, at most."""


class _Leaving(NamedTuple):
    """A document that was closed. digest: of its file, as the index knew it then; until: by the monotonic clock, in seconds."""

    digest: bytes | None
    until: float


def _stored_digest(document: OpenDocument) -> bytes | None:
    """The digest of a document's file in the index, if that knows it."""
    if document.place is None:
        return None
    folder, path = document.place
    known = folder.tree.layers.find(path) if folder.tree.layers is not None else None
    return known[0].index.file(known[1]).digest if known is not None else None


class Session:
    """See the module. Its methods may be called from any thread; those that search take their time.

    Args:
        followings: where trees are shared with other sessions.
        encoding: what columns count.
        on_event: told what happens to the folders, in threads of the background; so is on_notice of what goes wrong.
        roots: only what lies in these folders is read, where there are any; that something lies elsewhere is no secret.
    """

    def __init__(
        self,
        followings: Followings,
        encoding: Encoding,
        on_event: Callable[[Event], object],
        on_notice: Callable[[str], object],
        max_file_bytes: int,
        file_seconds: float,
        roots: tuple[Path, ...] = (),
    ) -> None:
        self.encoding = encoding
        self._roots = roots
        self.folders: tuple[Folder, ...] = ()
        self._followings = followings
        self._on_event = on_event
        self._open: dict[str, OpenDocument] = {}
        self._leaving: dict[str, _Leaving] = {}
        self._lock = threading.Lock()
        self._is_closed = False
        self._kept: tuple[tuple[object, ...], View] | None = None
        self._told_mistrusted: dict[Path, int] = {}
        self._last_scouts: dict[tuple[object, ...], BackgroundScout] = {}
        self._scouts = BackgroundScouts()
        self.documents = OpenDocuments(encoding, max_file_bytes=max_file_bytes, file_seconds=file_seconds, on_notice=on_notice)

    def close(self) -> None:
        """Lets go of all folders and documents. Whoever waits for an index gives up: it may be made for others, or not at all."""
        self._is_closed = True
        self.documents.stop()
        for folder in self.folders:
            self._followings.leave(folder.tree, self._on_event)
        self._scouts.close()

    @property
    def languages(self) -> Languages:
        """Those of the folders."""
        for folder in self.folders:
            if folder.tree.workspace is not None:
                return folder.tree.workspace.languages
        return load_languages(check=False)

    def add_folder(self, path: Path, name: str, index_dir: str | None) -> None:
        """One more folder; one that is there already is not added again. Raises RequestError for one that may not be read."""
        root = _resolved(path)
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
            tree = self._followings.take(root, index_dir, self._on_event)
            self._told_mistrusted[path] = tree.times_mistrusted
            self._set_folders((*self.folders, Folder(path, root, unlike, tree)))

    def _root_of(self, path: Path, shown: Path) -> Path | None:
        """Which of the roots a resolved path lies in, where there are any. Raises RequestError where it lies in none of them."""
        root = next((root for root in self._roots if path.is_relative_to(root)), None)
        if root is None and self._roots:
            raise RequestError(f"{shown}: lies outside of the folders that the server was started with, and is left out")
        return root

    def remove_folder(self, path: Path) -> None:
        """One folder less; its index stays where it is."""
        with self._lock:
            gone = [folder for folder in self.folders if folder.path == path]
            self._set_folders(tuple(folder for folder in self.folders if folder.path != path))
        for folder in gone:
            self._followings.leave(folder.tree, self._on_event)

    def _set_folders(self, folders: tuple[Folder, ...]) -> None:
        self.folders = folders
        self._open = {key: OpenDocument(document.path, self.place_of(document.path)) for key, document in self._open.items()}

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

    def open_document(self, key: str, path: Path | None, language: str, text: str) -> None:
        """A document is open from now on. key: what the client calls it. path: `None` where it is no file."""
        with self._lock:
            place = self.place_of(path)
            self._leaving.pop(key, None)
            self._open = {**self._open, key: OpenDocument(path, place)}
            told = place[1] if place is not None else path.name if path is not None else ""
            self.documents.open(key, told, language, text)

    def close_document(self, key: str, is_saved: bool = False) -> None:
        """The end of that. is_saved: its file was just written; then it stays until the index has read that, for what was found a
        moment ago should not be gone meanwhile."""
        document, seen = self._open.get(key), self.documents.latest.get(key)
        if is_saved and document is not None and document.place is not None:
            digest = self._mended(lambda: _stored_digest(document))
            if not self.documents.is_settled or (seen is not None and seen.file.digest != digest):
                self._leaving[key] = _Leaving(digest, time.monotonic() + CATCH_UP_SECONDS)
                return
        self._drop(key)

    def _drop(self, key: str, leaving: _Leaving | None = None) -> None:
        """leaving: as it was found; not dropped if it is another meanwhile, or none, for then it was opened again."""
        with self._lock:
            if leaving is not None and self._leaving.get(key) is not leaving:
                return
            self._leaving.pop(key, None)
            self._open = {other: document for other, document in self._open.items() if other != key}
            self.documents.close(key)

    def _drop_leaving(self) -> None:
        """Lets go of what was closed, where the index has caught up."""
        for key, leaving in list(self._leaving.items()):
            document = self._open.get(key)
            if document is None or time.monotonic() > leaving.until or _stored_digest(document) != leaving.digest:
                self._drop(key, leaving)

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

    def _view(self) -> View:
        """What is there now. An edit that was just made is waited for a little."""
        self._drop_leaving()
        seen = self.documents.latest
        if not self.documents.is_settled:
            with suppress(FutureTimeoutError):
                seen = self.documents.settle().result(SETTLE_SECONDS)
        folders, opened = self.folders, self._open
        for folder in folders:
            if folder.tree.workspace is not None:
                folder.tree.workspace.check_length()
        layers = [folder.tree.layers for folder in folders]
        # What is ignored may change while the index stays as it is.
        walks = [folder.tree.workspace.last_walk for folder in folders if folder.tree.workspace is not None]
        key = (folders, opened, seen, *layers, *walks)
        kept = self._kept
        if kept is not None and len(kept[0]) == len(key) and all(old is new for old, new in zip(kept[0], key, strict=True)):
            return kept[1]
        view = make_view(folders, opened, seen, layers)
        self._kept = (key, view)
        return view

    def _searched(self, request: SearchRequest, given_up: threading.Event, search: Callable[[View], _T | None]) -> _T:
        """What a search gives. Folders without an index are looked through by scouts; where these find nothing, an index that is
        being made is waited for: it finds more, and an empty answer would be taken for the last word.

        So is, for some time, one that is still compared with the files.

        search: gives `None` for nothing, unless that is the last word. Where an index turns out to be damaged, it is made anew
        and searched again.
        """
        return self._mended(lambda: self._search(request, given_up, search))

    def _mended(self, read: Callable[[], _T]) -> _T:
        return mended(read, self._mend, lambda: sum(folder.tree.times_mistrusted for folder in self.folders))

    def _mend(self, error: Exception) -> bool:
        """After reading the indexes has led to an error: whether it is the fault of some, which are now made anew."""
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

    def _search(self, request: SearchRequest, given_up: threading.Event, search: Callable[[View], _T | None]) -> _T:
        view = self._view()
        if view.missing:
            self._wait_for(lambda: all(folder.tree.state != "opening" for folder in self.folders), given_up)
            for _ in range(SCOUTS):
                seen, is_complete = self._scouted(self._view(), request, given_up)
                result = search(seen)
                if result is not None:
                    return result
                if is_complete:
                    break
            self._wait_for(lambda: not any(folder.is_being_built for folder in self.folders), given_up)
            self._catch_up(given_up)
            view = self._view()._replace(missing=[])
        result = search(view._replace(is_last=not any(folder.is_behind for folder in self.folders)))
        if result is None:
            self._catch_up(given_up)
            result = search(self._view()._replace(missing=[], is_last=True))
        assert result is not None
        return result

    def _scouted(self, view: View, request: SearchRequest, given_up: threading.Event) -> tuple[View, bool]:
        """The view with what scouts find in folders that have no index, and whether they have looked through all there is."""
        running = [(folder, self._begin_scout(folder, request)) for folder in view.missing if folder.tree.workspace is not None]
        try:
            self._wait_for(lambda: all(scout.future.done() or folder.tree.layers for folder, scout in running), given_up)
            reports = [(folder, scout.report()) for folder, scout in running if scout.future.done()]
        finally:
            for _, scout in running:
                scout.end()
        view = self._view()
        found = [(folder, report.files) for folder, report in reports if report is not None and folder in view.missing]
        is_complete = all(report is None or report.complete for _, report in reports)
        return with_files(view, found, is_prefixed=len(self.folders) > 1), is_complete

    def _begin_scout(self, folder: Folder, request: SearchRequest) -> "BackgroundScout":
        """A scout for a request. One that has just answered it is not sent again: some clients ask until they are content."""
        asked = (folder, request.query, tuple(request.languages or ()), tuple(request.paths or ()))
        known = self._last_scouts.get(asked)
        if known is not None and known.is_fresh:
            return known
        workspace = folder.tree.workspace
        assert workspace is not None
        scout = self._scouts.send(workspace, request)
        self._last_scouts = {asked: scout, **{key: each for key, each in self._last_scouts.items() if each.is_fresh}}
        return scout

    def wait_for_indexes(self, seconds: float, given_up: threading.Event) -> None:
        """Until every folder has an index, or none will come, or so long. Raises NotWantedError where it was given up."""
        until = time.monotonic() + seconds
        self._wait_for(lambda: time.monotonic() >= until or not any(folder.will_be_there for folder in self.folders), given_up)

    def _catch_up(self, given_up: threading.Event) -> None:
        """Until what has changed since the indexes were made is in them, or for some time."""
        until = time.monotonic() + BEHIND_SECONDS
        self._wait_for(lambda: time.monotonic() >= until or not any(folder.may_be_behind for folder in self.folders), given_up)

    def _wait_for(self, is_there: Callable[[], bool], given_up: threading.Event) -> None:
        while not is_there():
            if given_up.wait(WAIT_SECONDS) or self._is_closed:
                raise NotWantedError

    def symbols(self, request: SearchRequest, given_up: threading.Event) -> Matches:
        """The best hits of a request, at most `max_items`, as an editor wants them: no typos; and for a short query not only
        those that begin alike.

        Raises RequestError for what has no possible answer, NotWantedError where it was given up.
        """
        limit = request.max_items
        if limit is not None and len(request.query.strip()) <= SHORT_QUERY:
            request = msgspec.structs.replace(request, max_items=limit * SPREAD_OVER)

        def search(view: View) -> Matches | None:
            found = find(view.snapshot, request, self.languages, for_editor=True)
            if not found.selection.total and not view.is_last:
                return None
            rows = found.ranking.rows[found.position.start : found.end]
            if limit is not None and len(rows) > limit:
                rows = spread(view.snapshot, rows, len(request.query.strip()), limit)
            check_wanted()
            return Matches(found.query, place_rows(view, rows, self.encoding), not view.missing)

        with wanted_until(given_up):
            return self._searched(request, given_up, search)

    def warm_up(self, given_up: threading.Event) -> None:
        """Searches in all ways, so that what is found out about an index the first time is known when the user types. Not while
        there are folders without one, which would be looked through."""
        for query in WARMING:
            if given_up.is_set() or self._view().missing:
                return
            with suppress(NotWantedError):
                self.symbols(SearchRequest(query=query, max_items=WARMING_ROWS), given_up)

    def search(self, request: SearchRequest, given_up: threading.Event) -> SearchResponse:
        """A search by the contract of all doors; where there are several folders, paths begin with the name of one.

        Raises as `symbols`.
        """

        def search(view: View) -> SearchResponse | None:
            response = answer(view.snapshot, request, self.languages)
            if not response.total and view.missing:
                return None
            notices = [*self.take_notices(), *self.whys_a_part()]
            if not response.total and all(folder.has_index for folder in self.folders):
                notices += filter(None, [why_empty(request, view.snapshot, None, self.languages, self._unread())])
            if notices:
                response.notices = [*(response.notices or []), *notices]
            return response

        with wanted_until(given_up):
            self._catch_up(given_up)  # whatever is found: what is missing may be what was meant
            return self._searched(request, given_up, search)

    def look(self, show: Callable[[Tree], _T], given_up: threading.Event) -> _T:
        """What a reader is shown of the folders, from their indexes; those that are being made are waited for.

        Raises RequestError for what has no answer, NotWantedError where it was given up.
        """

        def look() -> _T:
            self._wait_for(lambda: not any(folder.will_be_there for folder in self.folders), given_up)
            if self.folders and not any(folder.has_index for folder in self.folders):
                raise RequestError("; ".join(self.whys_a_part()))
            self._catch_up(given_up)
            return show(self._tree_of(self._view()))

        with wanted_until(given_up):
            return self._mended(look)

    def _tree_of(self, view: View) -> Tree:
        several = len(self.folders) > 1
        roots = {f"{folder.name}/" if several else "": folder.root for folder in self.folders}
        return Tree(view.snapshot, self.languages, roots, unread=self._unread)

    def _unread(self) -> list[Skip]:
        """The files of all folders whose code is not in the indexes though it should be."""
        several = len(self.folders) > 1
        trees = [(f"{folder.name}/" if several else "", folder.tree.workspace) for folder in self.folders]
        return [skip for prefix, tree in trees if tree is not None and tree.layers is not None for skip in tree.unread(prefix)]

    def outline(self, key: str, path: Path | None) -> Seen:
        """The symbols of an open document as it is, or of a file. Raises RequestError where it is neither."""
        if self.is_open(key):
            return self.documents.seen(key).result()
        if path is None:
            raise RequestError(f"{key}: is not open, and no file")
        root, place = self._root_of(_resolved(path), path), self.place_of(path)
        try:
            data = _read(path, root, place)
        except OSError as error:
            raise RequestError(f"{path.name}: cannot be read: {error.strerror}") from None
        text = to_utf8(data.removeprefix(codecs.BOM_UTF8))[0].decode("utf-8", "surrogateescape")
        # By a name of its own: others may ask the same meanwhile, or open the document.
        peek = f"{next(_PEEKS)} {key}"
        self.documents.open(peek, place[1] if place is not None else path.name, "", text.encode("utf-8", "replace").decode())
        seen = self.documents.seen(peek)
        self.documents.close(peek)
        return seen.result()

    def named_at(self, key: str, place: tuple[int, int], given_up: threading.Event) -> tuple[Word, list[Match]]:
        """What is named at a place of an open document, and the symbols of that name: those most likely meant first.

        Raises RequestError where it is not open, NotWantedError where it was given up.
        """
        word = self.documents.word(key, place).result()
        if not word.name:
            return word, []
        found = self.symbols(SearchRequest(query=word.name, max_items=MOST_CANDIDATES, fuzzy=False), given_up)
        matches = [match for match in found.matches if match.hit.name == word.name]
        text = self.documents.text(key).result().decode("utf-8", "replace")
        return word, rank_candidates(matches, self._open[key].place, word, text) if key in self._open else []


def _read(path: Path, root: Path | None, place: tuple[Folder, str] | None) -> bytes:
    """The bytes of a file that a client has named: below a folder of its own no link is followed, nor one out of the root."""
    if place is not None:
        return read_beneath(place[0].root, place[1], LARGEST_FILE_BYTES)
    if root is None:
        return read_regular(path, LARGEST_FILE_BYTES, follow=True)
    real = _resolved(path)
    if not real.is_relative_to(root):
        raise NotRegularError(errno.ELOOP, "a symbolic link")
    return read_beneath(root, real.relative_to(root).as_posix(), LARGEST_FILE_BYTES)


_PEEKS: Final = itertools.count()

MOST_CANDIDATES: Final = 200


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path
