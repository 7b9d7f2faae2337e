"""One search over everything a project knows: names of symbols, documents and docs, added content,
and notes."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from symindex.errors import (
    RequestError,
    StorageError,
    SymindexError,
    UnwritableError,
)
from symindex.extract.languages.registry import Languages
from symindex.index.snapshot import Snapshot
from symindex.protocol.freshness import Freshness
from symindex.protocol.hierarchy import Direction, RelatedItem
from symindex.protocol.recall import (
    Related,
    TextHit,
    TextRequest,
    TextResponse,
    TextSection,
    check_text_request,
)
from symindex.protocol.search import (
    SearchRequest,
    SearchResponse,
    add_notices,
    lacks_all_words,
)
from symindex.recall.chunks.answer import answer
from symindex.recall.chunks.collection import Collection, Shown, iso
from symindex.recall.chunks.question import Question
from symindex.recall.chunks.symbol_lookup import NOTHING_NAMED, Lookups, NameHit, NamesFound
from symindex.recall.content.content import Content, content_folder
from symindex.recall.content.source_table import named_in
from symindex.recall.content.tree_text import TreeText
from symindex.recall.name_search import MOST_FILTERED, SHOWN, as_search, name_hit
from symindex.recall.notes.agent_memory import AgentMemory
from symindex.recall.notes.notes import Notes
from symindex.recall.recalled_text import hit_of
from symindex.text.counts import count_of
from symindex.text.words import stem, words_of

if TYPE_CHECKING:
    from symindex.search.answer.plan import Plan

FEW: Final = 3
"""Hits in text that a search for names adds."""

EXCERPT: Final = 300
"""Length of each of them, in characters."""


class Recall:
    """What one root knows besides symbols. Safe for any thread.

    Args:
        folder: that of its index.
        texts: files that are not on the disk, by path. A root with such files has no content and
            no notes: others may read the answers about it.

    Attributes:
        languages: those of the root, by its present settings; the next answer uses them.
    """

    def __init__(
        self,
        root: Path,
        folder: Path,
        languages: Languages,
        texts: Mapping[str, bytes] | None = None,
    ) -> None:
        self._content, self._notes = Content(content_folder(root), root), Notes(root)
        self._text, self._root = TreeText(root, folder, languages, texts or {}), root
        self._is_text_alone = texts is not None
        self.languages: Languages = languages
        self.lock: threading.Lock = threading.Lock()
        self.unsearched: list[str] = []

    def close(self) -> None:
        with self.lock:
            for store in (self._content, self._notes, self._text):
                store.close()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Locks the stores during an answer, so that all of it describes one moment."""
        with self.lock:
            self._text.languages = self.languages
            try:
                yield
            finally:
                self._text.end()
                self._content.end()

    def note(self, number: int) -> TextHit | None:
        """Returns a note as a hit; `None` if there is none. Raises RequestError for a damaged
        note."""
        note = None if self._is_text_alone else self._notes.show(number)
        if note is None:
            if notices := self._notes.take_notices():
                raise RequestError("; ".join(notices))
            return None
        return TextHit(
            id=f"note:{number}",
            type="note",
            title=note.title,
            source=note.category,
            line=1,
            content=note.text,
            score=0.0,
            content_type="prose",
            added=iso(note.time_ms),
            result_origin="note",
            metadata={"links": note.links},
        )

    def chunk(self, number: int, prefix: str) -> TextHit | None:
        """Returns a chunk of added content as a hit; `None` if there is none."""
        if self._is_text_alone:
            return None
        shown = self._content.collection(_EVERYTHING, prefix).find_chunk(number)
        return _whole(shown, shown.id) if shown is not None else None

    def memory(self, memory_id: str) -> TextHit | None:
        """Returns an entry of an agent's memory as a hit; `None` if there is none."""
        if self._is_text_alone:
            return None
        shown = AgentMemory(self._root, _EVERYTHING).find(memory_id)
        return _whole(shown, memory_id, "note") if shown is not None else None

    def entity(self, item_id: str, snapshot: Snapshot, prefix: str) -> TextHit | None:
        """Returns the item with this id in its front matter, whole, from added content or the tree;
        `None` if there is none."""
        shown = None
        if not self._is_text_alone:
            shown = self._content.collection(_EVERYTHING, prefix).find(item_id)
        if shown is None:
            shown = self._text.collection(snapshot, _EVERYTHING, prefix).find(item_id)
        return _whole(shown, item_id) if shown is not None else None

    def naming(self, entity: str, snapshot: Snapshot, prefix: str) -> list[TextHit]:
        """Returns the items whose metadata name an entity."""
        found = self._text.collection(snapshot, _EVERYTHING, prefix).naming(entity)
        if not self._is_text_alone:
            found = [*found, *self._content.collection(_EVERYTHING, prefix).naming(entity)]
        return [_whole(shown, str(shown.facts.get("id") or shown.id)) for shown in found]

    def note_counts(self) -> dict[str, int]:
        """Counts the project's notes by category; returns an empty dict if they cannot be read."""
        if self._is_text_alone:
            return {}
        with self.lock, suppress(StorageError):
            return self._notes.counts()
        return {}

    def collections(
        self, request: TextRequest, snapshot: Snapshot, prefix: str
    ) -> list[Collection]:
        """Returns the collections that a request searches, up to date. `unsearched` then contains
        a notice for each that cannot be searched. prefix: begins shown paths."""
        if request.language:  # aliases count: `py` means Python
            ids = [self.languages.id_of_name(word) or word for word in request.language]
            request = msgspec.structs.replace(
                request, language=[*dict.fromkeys([*request.language, *ids])]
            )
        makers: list[tuple[str, Callable[[], Collection]]] = []
        if request.within in ("text", "all") and (request.include_documents or request.by_entity):
            makers += [
                (
                    "documents of the tree",
                    lambda: self._text.collection(snapshot, request, prefix),
                ),
                ("added content", lambda: self._content.collection(request, prefix)),
            ]
        if self._is_text_alone:
            del makers[1:]
        elif request.within in ("notes", "all") and (
            request.include_graph or not request.by_entity
        ):
            makers.append(("notes", lambda: self._notes.collection(request)))
            if request.sort == "timeline" or not request.this_session:
                makers.append(("memory of agents", lambda: AgentMemory(self._root, request)))
        collections: list[Collection] = []
        self.unsearched = []
        for title, make in makers:
            try:
                collections.append(make())
            except UnwritableError as error:  # the others can be searched
                self.unsearched.append(f"{prefix}{title} not searched: {error}")
        return collections


_EVERYTHING: Final = TextRequest(queries=[""])


def _whole(shown: Shown, shown_id: str, origin: str = "document") -> TextHit:
    """Returns a chunk as a hit with all of its text."""
    metadata = {
        name: value
        for name, value in shown.facts.items()
        if "\0" not in name and name not in ("type", "item_type")
    }
    return TextHit(
        id=shown_id,
        type=shown.type,
        title=shown.title,
        source=shown.label,
        line=shown.line,
        content=shown.text,
        score=0.0,
        content_type="code" if shown.is_code else "prose",
        added=iso(shown.time_ms) if shown.time_ms else "",
        result_origin=origin,
        stale=shown.stale,
        metadata=metadata,
        url=shown.url,
        is_document=shown.is_document,
    )


class SearchedRoots(Protocol):
    """The roots that recall searches, as `workspace/answers` implements them."""

    def plan(self, request: SearchRequest) -> "Plan": ...

    def search_names(self, plan: "Plan", freshness: Freshness) -> SearchResponse: ...

    def bring_up_to_date(self, freshness: Freshness, progress: None) -> None: ...

    @property
    def languages(self) -> Languages: ...

    @property
    def lookups(self) -> Lookups:
        """The answers at the moment after `bring_up_to_date`."""

    @property
    def unread_items(self) -> list[str]: ...

    def take_notices(self) -> list[str]:
        """Returns notices about how the roots were brought up to date, each once."""

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        """Yields for each root what it knows besides symbols, its snapshot, and the prefix of its
        paths."""


class RootSymbols:
    """Looks up the symbols of some roots: the `SymbolLookup` of recall. The roots are up to date
    already, so no lookup waits for changes again."""

    def __init__(self, roots: SearchedRoots, freshness: Freshness) -> None:
        self.roots: SearchedRoots = roots
        self.lookups: Lookups = roots.lookups
        self.freshness: Freshness = freshness._replace(changes=0.0)

    def named(self, request: SearchRequest) -> list[NameHit]:
        """See `SymbolLookup`."""
        from symindex.search.answer.plan import plan_of_name  # most answers look up no name

        request = msgspec.structs.replace(request, include=[*SHOWN])
        plan = plan_of_name(request, self.roots.languages)
        return [name_hit(item) for item in self.roots.search_names(plan, self.freshness).items]

    def calls(
        self, symbol_id: str, direction: Direction, most: int, seconds: float
    ) -> list[RelatedItem]:
        """See `SymbolLookup`."""
        response = self.lookups.hierarchy(
            symbol_id,
            direction=direction,
            max_items=most,
            seconds=seconds,
            freshness=self.freshness,
        )
        return response.items

    def whole(self, symbol_id: str) -> str:
        """See `SymbolLookup`. Signature and doc are left out where the code contains them."""
        detail = self.lookups.symbol(symbol_id, freshness=self.freshness).symbol
        if detail is None:
            return ""
        parts = (
            text
            for text in (detail.signature, detail.doc)
            if text and text.partition("\n")[0].rstrip("…") not in detail.code
        )
        return "\n".join([*parts, detail.code])

    def ask(self, request: TextRequest) -> list[TextSection]:
        """See `SymbolLookup`."""
        return recall(self.roots, request, self.freshness, with_names=False).sections

    def neighbours(self, hits: Sequence[TextHit], most: int) -> list[NameHit]:
        """See `SymbolLookup`."""
        from symindex.recall.neighbours import neighbours  # many answers need none

        return neighbours(self, hits, most)

    def find(
        self,
        query: str,
        question: Question,
        request: TextRequest,
        most: int,
        phrasings: Sequence[str] = (),
    ) -> NamesFound:
        """See `SymbolLookup`."""
        search = as_search(query, request, most, phrasings)
        if search is None:
            return NOTHING_NAMED
        response = self.roots.search_names(self.roots.plan(search), self.freshness)
        n_read = len(response.items)
        notice = ""
        if search.max_items == MOST_FILTERED and n_read < response.total:
            notice = (
                f"only the best {n_read:,} of {count_of(response.total, 'symbol')} were compared"
                " with the filters: give more words"
            )
        sources = [text.casefold() for text in (request.source, request.source_name) if text]
        hits = [
            name_hit(item)
            for item in response.items
            if all(text in item.file_path.casefold() for text in sources)
        ]
        if not request.use_enhanced:
            stems = {stem(word) for word in question.words}
            hits = [
                hit
                for hit in hits
                if any(stem(word) in stems for text in hit.texts for word in words_of(text))
            ]
        if request.by_entity:
            return NamesFound(hits, len(hits), notice, lacks_all_words(response))
        is_filtered = sources or not request.use_enhanced
        total = len(hits) if is_filtered else response.total
        return NamesFound(hits[:most], total, notice, lacks_all_words(response))


def recall(
    roots: SearchedRoots, request: TextRequest, freshness: Freshness, with_names: bool = True
) -> TextResponse:
    """Answers each question of a request. Raises RequestError for a request that is not valid.

    with_names: whether names are searched where the request says `all`.
    """
    check_text_request(request)
    if request.within != "notes":
        roots.bring_up_to_date(freshness, None)
    notices = roots.take_notices() if with_names else []
    searches_names = with_names and request.within != "notes"
    names = RootSymbols(roots, freshness) if searches_names else None

    with ExitStack() as stack:
        collections: list[Collection] = []
        for root, snapshot, prefix in roots.recalled():
            stack.enter_context(root.answering())
            collections += root.collections(request, snapshot, prefix)
            notices += root.unsearched
        response = answer(request, collections, names)
        add_notices(response, notices)
        if not response.total:
            add_notices(response, roots.unread_items)
        return response


def go_on_to_text(
    roots: SearchedRoots, texts: Sequence[str], response: SearchResponse, freshness: Freshness
) -> None:
    """Adds hits in text to the answer of a search for names that found none of its words. The
    search has waited for changes already. texts: the phrasings of the question."""
    text_request = TextRequest(
        queries=[*texts[:1]],
        phrasings=[*texts[1:]],
        limit=FEW,
        max_characters=FEW * EXCERPT,
    )
    try:
        answered = recall(roots, text_request, freshness._replace(changes=0.0), with_names=False)
    except SymindexError as error:
        add_notices(response, [f"documents and notes were not searched: {error}"])
        return
    if hits := answered.sections[0].items:
        response.text = hits


def related(
    roots: SearchedRoots, item_id: str, freshness: Freshness
) -> tuple[TextHit, "list[Related]"] | None:
    """Returns a symbol, section, text or note by its id, with everything related to it; `None` if
    there is none. Raises RequestError for an id that is not valid."""
    from symindex.recall.neighbours import related

    roots.bring_up_to_date(freshness, None)
    names = RootSymbols(roots, freshness)
    hit = hit_of(roots, item_id)
    if hit is None:
        detail = roots.lookups.symbol(item_id, freshness=freshness).symbol
        if detail is None:
            return None
        is_section = detail.kind in ("section", "item")
        hit = TextHit(
            id=detail.id,
            type=detail.kind,
            title=detail.id.partition("#")[2],
            source=detail.file_path,
            line=detail.line,
            content=names.whole(detail.id),
            score=0.0,
            added="",
            content_type="prose" if is_section else "code",
            result_origin="document" if is_section else "symbol",
        )
    return hit, [*_related_by_metadata(roots, hit, item_id), *related(names, hit)]


def _related_by_metadata(roots: SearchedRoots, hit: TextHit, item_id: str) -> "Iterator[Related]":
    """Yields the items whose metadata name an item, then the items that its own metadata name."""

    own_ids = dict.fromkeys(text for text in (item_id, str(hit.metadata.get("id", ""))) if text)
    seen = {*own_ids}
    for root, snapshot, prefix in roots.recalled():
        with root.answering():
            naming = [item for name in own_ids for item in root.naming(name, snapshot, prefix)]
        for item in naming:
            if item.id not in seen:
                seen.add(item.id)
                yield Related(relation="has", hit=item)
    if hit.result_origin == "document":
        for name in sorted(named_in(hit.metadata)):
            owner = hit_of(roots, name) if name and name not in seen else None
            if owner is not None:
                yield Related(relation="belongs_to", hit=owner)
