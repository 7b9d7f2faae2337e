"""What a client of a server has open, followed in the background: the answers of all doors, and those that only editors want."""

import codecs
import itertools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from symindex.errors import RequestError
from symindex.extract.file_text import to_utf8
from symindex.protocol import SearchRequest
from symindex.search.answer import find
from symindex.search.diversify import spread
from symindex.search.query import Query
from symindex.session.answers import Answers
from symindex.session.candidates import rank_candidates
from symindex.session.edited_documents import stored_digest
from symindex.session.editor_positions import Match, place_rows
from symindex.session.followed_roots import FollowedRoots
from symindex.session.merged_view import FoldersView
from symindex.session.roots import AT_ONCE, DEFAULT_LIMITS, Limits, View
from symindex.session.watched_tree import Event, WatchedTrees
from symindex.settings import DEFAULTS
from symindex.text.edit_buffer import Encoding
from symindex.workers.cancellation import NotWantedError, check_wanted
from symindex.workers.document_messages import Seen, Word

SHORT_QUERY: Final = 2
"""Some editors ask for so many letters, and look for all that is typed next among what they got."""

SPREAD_OVER: Final = 4
"""For those, what is shown is chosen from so many times as many."""

WARMING: Final = ("", "e", "se", "get", "getNa", "get_name", "a.name", "zqxj")
WARMING_ROWS: Final = 256

MOST_CANDIDATES: Final = 200
"""Of the symbols of one name that are ranked by what is near."""

_PEEKS: Final = itertools.count()


class Matches(NamedTuple):
    """What a search has found. query: as it was read. complete: whether every folder has an index."""

    query: Query
    matches: list[Match]
    complete: bool


class FollowedWorkspace(FollowedRoots, Answers):
    """See the module. Its methods may be called from any thread; those that search take their time.

    What it raises where nobody wants the answer any more is a NotWantedError: call it within `workers/cancellation.wanted_until`.
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
        """The arguments are those of `FollowedRoots`."""
        FollowedRoots.__init__(self, trees, encoding, on_event, on_notice, limits, allowed)
        Answers.__init__(self, self)
        self.encoding = encoding

    @property
    def row_limit(self) -> int:
        """How many rows an answer holds where the client does not say."""
        limits = [folder.tree.indexed.settings.limit for folder in self.folders if folder.tree.indexed is not None]
        return min(limits, default=DEFAULTS.limit)

    def reindex(self) -> None:
        """Reads every file of all folders again."""
        for folder in self.folders:
            folder.tree.reindex()

    def open_document(self, key: str, path: Path | None, language: str, text: str) -> None:
        """A document is open from now on. key: what the client calls it. path: `None` where it is no file."""
        self.documents.open(key, path, language, text)

    def close_document(self, key: str, is_saved: bool = False) -> None:
        """The end of that. is_saved: its file was just written; then it stays until the index has read that."""
        self.documents.close(key, (lambda document: self._mended(lambda: stored_digest(document))) if is_saved else None)

    def is_open(self, key: str) -> bool:
        """Whether a document is open."""
        return key in self.documents.opened

    def symbols(self, request: SearchRequest) -> Matches:
        """The best hits of a request, at most `max_items`, as an editor wants them: no typos; and for a short query not only
        those that begin alike.

        Raises RequestError for what has no possible answer.
        """
        limit = request.max_items
        if limit is not None and len(request.query.strip()) <= SHORT_QUERY:
            request = msgspec.structs.replace(request, max_items=limit * SPREAD_OVER)

        def show(view: View) -> Matches | None:
            assert isinstance(view, FoldersView)
            found = find(view.snapshot, request, self.languages, for_editor=True)
            if not found.selection.total and not view.is_last:
                return None
            rows = found.ranking.rows[found.position.start : found.end]
            if limit is not None and len(rows) > limit:
                rows = spread(view.snapshot, rows, len(request.query.strip()), limit)
            check_wanted()
            return Matches(found.query, place_rows(view, rows, self.encoding), not view.missing)

        return self.find(request, AT_ONCE, show)

    def warm_up(self) -> None:
        """Searches in all ways, so that what is found out about an index the first time is known when the user types. Not while
        there are folders without one, which would be looked through."""
        with suppress(NotWantedError):
            for query in WARMING:
                if self.view().missing:
                    return
                self.symbols(SearchRequest(query=query, max_items=WARMING_ROWS))

    def document_symbols(self, key: str, path: Path | None) -> Seen:
        """The symbols of an open document as it is, or of a file. Raises RequestError where it is neither."""
        texts = self.documents.texts
        if self.is_open(key):
            return texts.seen(key).result()
        if path is None:
            raise RequestError(f"{key}: is not open, and no file")
        try:
            data = self.read(path)
        except OSError as error:
            raise RequestError(f"{path.name}: cannot be read: {error.strerror}") from None
        text = to_utf8(data.removeprefix(codecs.BOM_UTF8))[0].decode("utf-8", "surrogateescape")
        # By a name of its own: others may ask the same meanwhile, or open the document.
        peek, place = f"{next(_PEEKS)} {key}", self.place_of(path)
        texts.open(peek, place[1] if place is not None else path.name, "", text.encode("utf-8", "replace").decode())
        seen = texts.seen(peek)
        texts.close(peek)
        return seen.result()

    def named_at(self, key: str, place: tuple[int, int]) -> tuple[Word, list[Match]]:
        """What is named at a place of an open document, and the symbols of that name: those most likely meant first.

        Raises RequestError where it is not open.
        """
        texts = self.documents.texts
        word = texts.word(key, place).result()
        if not word.name:
            return word, []
        found = self.symbols(SearchRequest(query=word.name, max_items=MOST_CANDIDATES, fuzzy=False))
        matches = [match for match in found.matches if match.hit.name == word.name]
        text, document = texts.text(key).result().decode("utf-8", "replace"), self.documents.opened.get(key)
        return word, rank_candidates(matches, document.place, word, text) if document is not None else []
