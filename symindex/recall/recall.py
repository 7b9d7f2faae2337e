"""One search over what a project knows: the names of its symbols, its documents and docs, what was
added by hand, and notes."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
from msgspec import UNSET

from symindex.errors import (
    DamagedDatabaseError,
    RequestError,
    StorageError,
    SymindexError,
    UnwritableError,
)
from symindex.extract.languages.registry import Languages
from symindex.index.snapshot import Snapshot
from symindex.protocol.explore import SymbolResponse
from symindex.protocol.freshness import Patience
from symindex.protocol.hierarchy import Direction, HierarchyResponse, KinItem
from symindex.protocol.kinds import parse_kind
from symindex.protocol.recall import (
    TextHit,
    TextRequest,
    TextResponse,
    TextSection,
    check_text_request,
)
from symindex.protocol.search import (
    SearchItem,
    SearchRequest,
    SearchResponse,
    add_notices,
    is_guess,
)
from symindex.recall.chunks.answer import NameHit, answer
from symindex.recall.chunks.collection import Collection, Shown, iso
from symindex.recall.chunks.question import Question
from symindex.recall.content.content import Content, content_folder
from symindex.recall.content.source_table import named_in
from symindex.recall.content.tree_text import TreeText
from symindex.recall.notes.agent_memory import AgentMemory
from symindex.recall.notes.notes import Notes
from symindex.recall.recalled_text import hit_of
from symindex.text.escaping import shorten
from symindex.text.since import read_since
from symindex.text.snippets import ROOM
from symindex.text.words import stem, words_of

if TYPE_CHECKING:
    from symindex.recall.neighbours import Related

_SHOWN: Final = ("id", "signature", "doc", "score", "language")

MOST_SYMBOLS: Final = 100_000
"""A tree with more of them has its text divided only when it is asked for."""

FEW: Final = 3
PIECE: Final = 300
"""Hits of text beside those of names, and characters of each."""

MOST_FILTERED: Final = 500
"""How many symbols are looked at where a filter concerns their paths, or their words must be
whole."""


class Recall:
    """What one root knows beside its symbols. For any thread."""

    def __init__(self, root: Path, folder: Path, languages: Languages) -> None:
        self._content, self._notes = Content(content_folder(root), root), Notes(root)
        self._text, self._root, self._languages = TreeText(root, folder, languages), root, languages
        self.lock = threading.Lock()
        self.unsearched: list[str] = []

    def close(self) -> None:
        with self.lock:
            for each in (self._content, self._notes, self._text):
                each.close()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Holds the lock during an answer, which is of one moment."""
        with self.lock:
            try:
                yield
            finally:
                self._text.end()
                self._content.end()

    def note(self, number: int) -> TextHit | None:
        """A note as a hit; `None` where there is none. Raises RequestError for one whose row is not
        valid."""
        note = self._notes.show(number)
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
        """A chunk of added content as a hit; `None` where there is none."""
        shown = self._content.collection(_EVERYTHING, prefix).find_chunk(number)
        return _whole(shown, shown.id) if shown is not None else None

    def memory(self, found: str) -> TextHit | None:
        """A piece of what agents remember, as a hit; `None` where there is none."""
        shown = AgentMemory(self._root, _EVERYTHING).find(found)
        return _whole(shown, found, "note") if shown is not None else None

    def entity(self, found: str, snapshot: Snapshot, prefix: str) -> TextHit | None:
        """What has an id in its front matter, in the tree or among added content, whole; `None`
        where nothing has. A tree whose text was never divided has shown no such id."""
        content = self._content.collection(_EVERYTHING, prefix)
        shown = content.find(found)
        if shown is None and self._text.is_ready(snapshot):
            shown = self._text.collection(snapshot, _EVERYTHING, prefix).find(found)
        return _whole(shown, found) if shown is not None else None

    def naming(self, entity: str, snapshot: Snapshot, prefix: str) -> list[TextHit]:
        """The items that name an entity in their metadata."""
        found = self._content.collection(_EVERYTHING, prefix).naming(entity)
        if self._text.is_ready(snapshot):
            found = [*self._text.collection(snapshot, _EVERYTHING, prefix).naming(entity), *found]
        return [_whole(shown, str(shown.facts.get("id") or shown.id)) for shown in found]

    def note_counts(self) -> dict[str, int]:
        """How many notes of the project there are of each category; none where these cannot be
        read."""
        with self.lock, suppress(StorageError):
            return self._notes.counts()
        return {}

    def is_ready(self, snapshot: Snapshot) -> bool:
        """Whether the text of the tree is known already."""
        with self.lock:
            return self._text.is_ready(snapshot)

    def forget_text(self, error: StorageError) -> None:
        """What was derived from the tree is made anew, should an error be due to it."""
        with self.lock:
            self._text.forget(error)

    def collections(
        self, request: TextRequest, snapshot: Snapshot, prefix: str
    ) -> list[Collection]:
        """What a request looks through, brought up to date; `unsearched` then says what cannot be
        searched, and why. prefix: of paths where they are shown."""
        if request.language:  # `py` means python, here as everywhere
            meant = [self._languages.id_of_name(word) or word for word in request.language]
            request = msgspec.structs.replace(
                request, language=[*dict.fromkeys([*request.language, *meant])]
            )
        makers: list[tuple[str, Callable[[], Collection]]] = []
        if request.within in ("text", "all") and (request.include_documents or request.by_entity):
            makers += [
                ("documents of the tree", lambda: self._tree_text(request, snapshot, prefix)),
                ("added content", lambda: self._content.collection(request, prefix)),
            ]
        if request.within in ("notes", "all") and (request.include_graph or not request.by_entity):
            makers.append(("notes", lambda: self._notes.collection(request)))
            if request.sort == "timeline" or not request.this_session:
                makers.append(("memory of agents", lambda: AgentMemory(self._root, request)))
        found: list[Collection] = []
        self.unsearched = []
        for what, make in makers:
            try:
                found.append(make())
            except UnwritableError as error:  # the others can be searched
                self.unsearched.append(f"{prefix}{what} not searched: {error}")
        return found

    def _tree_text(self, request: TextRequest, snapshot: Snapshot, prefix: str) -> Collection:
        return self._text.collection(snapshot, request, prefix)


_EVERYTHING: Final = TextRequest(queries=[""])


def _whole(shown: Shown, found: str, origin: str = "document") -> TextHit:
    """A text as a hit with all of it."""
    facts = {
        name: value
        for name, value in shown.facts.items()
        if "\0" not in name and name not in ("type", "item_type")
    }
    return TextHit(
        id=found,
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
        metadata=facts,
        url=shown.url,
        is_document=shown.is_document,
    )


class Searched(Protocol):
    """The roots that are searched, as `workspace/roots` has them."""

    def search(
        self, query: SearchRequest, *, patience: Patience, goes_on: bool
    ) -> SearchResponse: ...

    def hierarchy(
        self,
        symbol: str,
        direction: Direction,
        *,
        max_items: int,
        seconds: float,
        patience: Patience,
    ) -> HierarchyResponse: ...

    def symbol(self, symbol: str, *, patience: Patience) -> SymbolResponse: ...

    def bring_up_to_date(self, patience: Patience, progress: None) -> None: ...

    @property
    def unread_items(self) -> list[str]: ...

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        """What each root knows beside its symbols, its snapshot, and what stands before its
        paths."""


class RootNames:
    """The names of the symbols of some roots, as `recall/chunks/answer` asks for them."""

    def __init__(self, roots: Searched, patience: Patience) -> None:
        self.roots, self.patience = roots, patience

    def named(self, request: SearchRequest) -> list[NameHit]:
        """The symbols that a request means."""
        wanted = msgspec.structs.replace(request, include=[*_SHOWN])
        return [
            _named(item)
            for item in self.roots.search(wanted, patience=self.patience, goes_on=False).items
        ]

    def callers(self, found: str, most: int, seconds: float) -> list[KinItem]:
        """What calls the symbol of an id."""
        answer = self.roots.hierarchy(
            found, "callers", max_items=most, seconds=seconds, patience=self.patience
        )
        return answer.items

    def code_of(self, found: str) -> str:
        """The code of the symbol of an id; empty where there is none."""
        detail = self.roots.symbol(found, patience=self.patience).symbol
        return detail.code if detail is not None else ""

    def whole(self, found: str) -> str:
        """See `Names`."""
        detail = self.roots.symbol(found, patience=self.patience).symbol
        if detail is None:
            return ""
        told = (
            text
            for text in (detail.signature, detail.doc)
            if text and text.partition("\n")[0].rstrip("…") not in detail.code
        )
        return "\n".join([*told, detail.code])

    def ask(self, request: TextRequest) -> list[TextSection]:
        """The answers to a request in words."""
        return recall(self.roots, request, self.patience, with_names=False).sections

    def beside(self, hits: Sequence[TextHit], most: int) -> list[NameHit]:
        """See `Names`."""
        from symindex.recall.neighbours import beside  # here, because many answers need none

        return beside(self, hits, most)

    def find(
        self, query: str, question: Question, request: TextRequest, most: int
    ) -> tuple[list[NameHit], int]:
        """See `Names`."""
        asked = as_search(query, request, most)
        if asked is None:
            return [], 0
        response = self.roots.search(asked, patience=self.patience, goes_on=False)
        wanted = [text.casefold() for text in (request.source, request.source_name) if text]
        found = [
            _named(item)
            for item in response.items
            if all(text in item.file_path.casefold() for text in wanted)
        ]
        if not request.use_enhanced:
            stems = {stem(word) for word in question.words}
            found = [
                each
                for each in found
                if any(stem(word) in stems for text in each.texts for word in words_of(text))
            ]
        if request.by_entity:
            return found, len(found)
        is_filtered = wanted or not request.use_enhanced
        return found[:most], len(found) if is_filtered else response.total


def as_search(query: str, request: TextRequest, most: int) -> SearchRequest | None:
    """The search for names that a request means; `None` where its filters let no symbol through."""
    kinds, others = [], []
    for word in request.types:
        try:
            kinds.append(str(parse_kind(word)))
        except RequestError:
            others.append(word.casefold())
    of_metadata = (
        request.status
        or request.category
        or request.assignee
        or request.project
        or request.source_id
    )
    if request.by_entity and not request.include_graph:
        return None
    if (
        of_metadata
        or request.content_type == "prose"
        or (request.types and not kinds and "symbol" not in others)
    ):
        return None
    filters = {"date_from": iso(read_since(request.since))} if request.since else UNSET
    is_filtered = (
        request.source or request.source_name or request.by_entity or not request.use_enhanced
    )
    most = MOST_FILTERED if is_filtered else most
    return SearchRequest(
        query=query,
        max_items=most,
        kinds=kinds if "symbol" not in others else None,
        filters=filters,
        languages=request.language or UNSET,
        include=[*_SHOWN],
        fuzzy=UNSET if request.use_enhanced else False,
    )


def _named(item: SearchItem) -> NameHit:
    signature, doc = item.signature or "", item.doc or ""
    qualified = f"{item.container}.{item.name}" if item.container else item.name
    hit = TextHit(
        id=str(item.id),
        type=item.kind,
        title=qualified,
        source=item.file_path,
        line=item.line,
        content="\n".join(filter(None, (signature, shorten(doc, ROOM)))),
        score=float(item.score or 0),
        content_type="code",
        added="",
        result_origin="symbol",
        metadata={
            **({"language": item.language} if item.language else {}),
            **({"match": item.match} if is_guess(item) else {}),
        },
    )
    texts = item.name, item.container or "", item.file_path, signature, doc
    return NameHit(("symbol", f"{item.file_path}#{qualified}"), hit, hit.score >= 1.0, texts)


def recall(
    roots: Searched, request: TextRequest, patience: Patience, with_names: bool = True
) -> TextResponse:
    """Answers each question of a request. with_names: whether names are searched where the request
    says `all`. Raises RequestError for one that cannot be answered."""
    check_text_request(request)
    if request.within != "notes":
        roots.bring_up_to_date(patience, None)
    names = (
        RootNames(roots, patience) if with_names and request.within in ("names", "all") else None
    )

    def ask() -> TextResponse:
        with ExitStack() as stack:
            collections: list[Collection] = []
            unsearched: list[str] = []
            for known, snapshot, prefix in roots.recalled():
                stack.enter_context(known.answering())
                collections += known.collections(request, snapshot, prefix)
                unsearched += known.unsearched
            response = answer(request, collections, names)
            add_notices(response, unsearched)
            if not response.total:
                add_notices(response, roots.unread_items)
            return response

    try:
        return ask()
    except (DamagedDatabaseError, UnwritableError) as error:
        for known, _, _ in roots.recalled():
            known.forget_text(error)
        return ask()


def go_on_to_text(
    roots: Searched, request: SearchRequest, response: SearchResponse, patience: Patience
) -> None:
    """Adds what text says to a question whose words no symbol holds, where that takes no more than
    moments."""
    hint = "documents, docs and notes were not searched: a search in text does that"
    recalled = [*roots.recalled()]
    n_symbols = sum(part.n_symbols for _, snapshot, _ in recalled for part in snapshot.parts)
    try:
        if n_symbols > MOST_SYMBOLS and not all(
            known.is_ready(snapshot) for known, snapshot, _ in recalled
        ):
            add_notices(response, [hint])
            return
        found = recall(
            roots,
            TextRequest(queries=[request.query], limit=FEW, max_characters=FEW * PIECE),
            patience,
            False,
        )
    except SymindexError as error:
        add_notices(response, [f"{hint}; that failed: {error}"])
        return
    if hits := found.sections[0].items:
        response.text = hits


def related(
    roots: Searched, found: str, patience: Patience
) -> tuple[TextHit, "list[Related]"] | None:
    """The neighbours of the symbol, section, text or note of an id, with a hit for itself; `None`
    where there is none. Raises RequestError for what is no id."""
    from symindex.recall.neighbours import related

    names = RootNames(roots, patience)
    hit = hit_of(roots, found)
    if hit is None:
        detail = roots.symbol(found, patience=patience).symbol
        if detail is not None:
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
    return (
        (hit, [*_by_metadata(roots, hit, found), *related(names, hit)]) if hit is not None else None
    )


def _by_metadata(roots: Searched, hit: TextHit, found: str) -> "Iterator[Related]":
    """The entities that name one in their metadata, and those that it names."""
    from symindex.recall.neighbours import Related

    own = dict.fromkeys(text for text in (found, str(hit.metadata.get("id", ""))) if text)
    told = {*own}
    for known, snapshot, prefix in roots.recalled():
        with known.answering():
            has = [each for name in own for each in known.naming(name, snapshot, prefix)]
        for each in has:
            if each.id not in told:
                told.add(each.id)
                yield Related(relation="has", hit=each)
    if hit.result_origin == "document":
        for name in sorted(named_in(hit.metadata)):
            above = hit_of(roots, name) if name and name not in told else None
            if above is not None:
                yield Related(relation="belongs_to", hit=above)
