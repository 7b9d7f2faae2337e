"""The sources of a database by the numbers of their chunks, and the selection of those that a
request means."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from symindex.errors import RequestError
from symindex.extract.items.field_values import as_text
from symindex.extract.items.item import Value
from symindex.index.columns.arrays import I64, Mask
from symindex.protocol.recall import TextRequest
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunk_index.kept_chunks import within
from symindex.recall.chunks.collection import Shown
from symindex.recall.content.content_store import Source, StoredChunk
from symindex.text.since import read_since

_DATES: Final = ("date", "updated", "last_updated", "modified", "lastmod", "created")
DOCUMENT: Final = "document"
"""The type of a source that is no item."""

DOCUMENTS: Final = (DOCUMENT, "doc", "readme", "changelog", "adr")
"""Types that the type `document` includes."""

_LANGUAGES: Final = ("language", "languages", "lang")


MOST_OF_SOURCE: Final = 1 << 24
"""More than the chunks of any source."""


def order_of_label(label: str) -> tuple[str, int]:
    """Returns the sort key of a label: parts of a file, which have a number after its path, come in
    their order."""
    path, _, number = label.partition("\0")
    return path, int(number) if number.isdecimal() else -1


class SourceTable:
    """Sources with chunks, ordered by chunk numbers."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources: list[Source] = sorted(
            (item for item in sources if item.n_chunks > 0), key=lambda source: source.first
        )
        self._first = np.array([source.first for source in self.sources], dtype=np.int64)
        self._last = np.array([source.last for source in self.sources], dtype=np.int64)

    @cached_property
    def _firsts(self) -> list[int]:
        return self._first.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _ranks(self) -> I64:
        """The places of the sources in the order of their labels."""
        labels = [order_of_label(source.label) for source in self.sources]
        ranks = np.empty(len(labels), dtype=np.int64)
        ranks[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
        return ranks

    def order(self, index: ChunkIndex, places: I64) -> I64:
        """Returns numbers by which chunks are in the order of their labels, then of their text."""
        numbers = self.numbers(index, places)
        order: I64 = self._ranks[numbers] * MOST_OF_SOURCE + (
            index.ids[places] - self._first[numbers]
        )
        return order

    def numbers(self, index: ChunkIndex, places: I64) -> I64:
        """Returns the numbers of the sources of chunks."""
        return np.clip(np.searchsorted(self._first, index.ids[places], side="right") - 1, 0, None)

    def of(self, number: int) -> Source:
        """Returns the source of an existing chunk."""
        return self.sources[bisect_right(self._firsts, number) - 1]

    def groups(self, index: ChunkIndex) -> I64:
        """Returns by place the first chunk of the chunk's item; for a document, the chunk
        itself."""
        if not self.sources:
            return index.ids
        numbers = np.clip(np.searchsorted(self._first, index.ids, side="right") - 1, 0, None)
        is_item = np.array([is_item_source(source) for source in self.sources], dtype=bool)
        groups: I64 = np.where(
            is_item[numbers] & (index.ids <= self._last[numbers]), self._first[numbers], index.ids
        )
        return groups

    def mask(self, index: ChunkIndex, chosen: Callable[[Source], bool] | None = None) -> Mask:
        """Returns by place whether the chunk belongs to a source, or to a selected one."""
        if chosen is None:
            return within(index, self._first, self._last)
        numbers: I64 = np.flatnonzero(
            np.array([chosen(source) for source in self.sources], dtype=bool)
        )
        return within(index, self._first[numbers], self._last[numbers])


class ChunkStore(Protocol):
    """Where the chunks of some sources are stored."""

    def chunk(self, source: Source, number: int) -> StoredChunk:
        """Returns a chunk of a source by its number; empty if its text is gone."""

    def code_chunks(self) -> Sequence[int]:
        """Returns the numbers of the chunks that are mostly code, in order."""

    def indexes(self, newest: int) -> list[ChunkIndex]:
        """Returns the word columns of all chunks up to a number."""


def is_document(source: Source) -> bool:
    """Whether a source is a document, not an item."""
    return source.facts.get("type", DOCUMENT) in DOCUMENTS


def is_item_source(source: Source) -> bool:
    """Whether a source is one item with all of its chunks."""
    return not is_document(source)


class Sources:
    """The sources of a database as a collection that is searched (`recall/chunks/collection`).

    Args:
        label: returns the shown label of a source.
        show: returns a chunk as it is shown, by its number.
        when: returns when a source was written, in milliseconds since 1970.
    """

    origin = "document"

    def __init__(
        self,
        store: ChunkStore,
        table: SourceTable,
        request: TextRequest,
        label: Callable[[Source], str],
        show: Callable[[int, Source, StoredChunk], Shown],
        notices: list[str],
        when: Callable[[Source], int] = lambda source: source.when_ms,
    ) -> None:
        self._store, self._table, self._label, self._show, self._when = (
            store,
            table,
            label,
            show,
            when,
        )
        self._request = request
        self._since_ms = read_since(request.since) if request.since else 0
        self.notices: list[str] = notices
        self.is_empty: bool = not table.sources

    def indexes(self) -> list[ChunkIndex]:
        """See `Collection`."""
        sources = self._table.sources
        return self._store.indexes(sources[-1].last) if sources else []

    def live(self, index: ChunkIndex) -> Mask:
        """See `Collection`."""
        return self._table.mask(index)

    def selected(self, index: ChunkIndex) -> Mask:
        """See `Collection`."""
        request = self._request
        is_chosen = request.has_filters or (
            request.by_entity and not (request.include_graph and request.include_documents)
        )
        mask = self._table.mask(index, self._passes if is_chosen else None)
        if request.content_type is not None:
            is_code = np.zeros(len(index), dtype=bool)
            is_code[index.places_of(np.array(self._store.code_chunks(), dtype=np.int64))] = True
            mask &= is_code if request.content_type == "code" else ~is_code
        return mask

    def hidden(self, index: ChunkIndex) -> Mask:
        """See `Collection`. No source has a session."""
        return np.zeros(len(index), dtype=bool)

    def groups(self, index: ChunkIndex) -> I64:
        """See `Collection`."""
        return self._table.groups(index)

    def order(self, index: ChunkIndex, places: I64) -> I64:
        """See `Collection`: by label, that is by path, then by line."""
        return self._table.order(index, places)

    def digests(self, index: ChunkIndex, places: I64) -> list[str]:
        """See `Collection`."""
        sources = self._table.sources
        return [sources[number].digest for number in self._table.numbers(index, places).tolist()]

    def documents(self, index: ChunkIndex) -> Mask:
        """See `Collection`."""
        return self._table.mask(index, is_document)

    def types(self) -> set[str]:
        """See `Collection`."""
        facts = (source.facts for source in self._table.sources)
        return {
            as_text(fact[name]).casefold()
            for fact in facts
            for name in ("type", "item_type")
            if name in fact
        }

    def _passes(self, source: Source) -> bool:
        request, label = self._request, self._label(source)
        if request.by_entity and not (
            request.include_documents if is_document(source) else request.include_graph
        ):
            return False
        names = [name.casefold() for name in (request.source, request.source_name) if name]
        places = label.casefold(), as_text(source.facts.get("source", "")).casefold()
        if any(name not in place for name in names for place in [" ".join(places)]):
            return False
        if request.source_id and request.source_id not in (
            label,
            source.digest,
            source.label,
            *places[1:],
        ):
            return False
        return passes(source.facts, request) and self._when(source) >= self._since_ms

    def shown(self, number: int) -> Shown:
        """See `Collection`."""
        source = self._table.of(number)
        if self._request.by_entity and is_item_source(source):
            return self.whole(source)
        return self._show(number, source, self._store.chunk(source, number))

    def whole(self, source: Source) -> Shown:
        """Returns all of a source, in the form of its first chunk."""
        numbers = range(source.first, source.last + 1)
        chunks = [self._store.chunk(source, number) for number in numbers]
        title = as_text(source.facts.get("title", "")) or chunks[0].title.partition(" > ")[0]
        text = "\n\n".join(chunk.text.strip("\n") for chunk in chunks if chunk.text)
        return self._show(
            source.first, source, StoredChunk(title, text, chunks[0].line, chunks[0].is_code)
        )

    def find_chunk(self, number: int) -> Shown | None:
        """Returns a chunk; `None` if there is none of this number."""
        if not any(source.first <= number <= source.last for source in self._table.sources):
            return None
        return self.shown(number)

    def find(self, entity: str) -> Shown | None:
        """Returns a whole item by the id in its front matter, by `type:id`, or by its place."""
        source = next((item for item in self._table.sources if entity in ids_of(item.facts)), None)
        if source is not None:
            return self.whole(source)
        place = entity.rpartition(":")[0]
        placed = (
            self.whole(item)
            for item in self._table.sources
            if is_item_source(item) and self._label(item) == place
        )
        return next((shown for shown in placed if shown.id == entity), None)

    def naming(self, entity: str) -> list[Shown]:
        """Returns the items whose metadata name an entity, such as their project."""
        sources = (
            source
            for source in self._table.sources
            if is_item_source(source) and entity in named_in(source.facts)
        )
        return [self.whole(source) for source in sources]

    def listed(self) -> list[int]:
        """Returns the first chunks of the sources that the filters select, newest source first,
        equally old ones by label."""
        chosen = sorted(
            filter(self._passes, self._table.sources),
            key=lambda source: (-self._when(source), order_of_label(source.label)),
        )
        return [source.first for source in chosen]


ITEM_ID: Final = "\0id"
"""Key of an item's id in the metadata of its source; its front matter may have another `id`."""


def ids_of(facts: Mapping[str, Value]) -> list[str]:
    """Returns the ids that metadata give: that of the front matter, and `type:id` of an item."""
    ids = [as_text(facts["id"])] if "id" in facts else []
    return [*ids, f"{facts.get('item_type')}:{facts[ITEM_ID]}"] if ITEM_ID in facts else ids


_NEVER_NAMES: Final = frozenset(["id", ITEM_ID, "type", "item_type", "language", "title", "status"])


def named_in(facts: Mapping[str, Value]) -> set[str]:
    """Returns the values of metadata that may be ids of other entities."""
    values = (value for name, value in facts.items() if name not in _NEVER_NAMES)
    return {
        as_text(item)
        for value in values
        for item in (value if isinstance(value, list) else [value])
    }


def passes(facts: Mapping[str, Value], request: TextRequest) -> bool:
    """Whether metadata match a request. Case does not matter, and one value of a list is enough."""
    pairs = (
        (request.types, ("type", "item_type", "form")),
        (request.language, _LANGUAGES),
        (request.category, ("category",)),
        (request.status, ("status",)),
        (_one(request.project), ("project",)),
        (_one(request.assignee), ("assignee",)),
    )
    if facts.get("type", DOCUMENT) in DOCUMENTS:
        facts = {**facts, "form": DOCUMENT}
    return all(not accepted or _is_any(facts, names, accepted) for accepted, names in pairs)


def _one(text: str) -> list[str]:
    return [text] if text else []


def _is_any(facts: Mapping[str, Value], names: Sequence[str], wanted: Sequence[str]) -> bool:
    values = [facts[name] for name in names if name in facts]
    folded = {
        as_text(part).casefold()
        for value in values
        for part in (value if isinstance(value, list) else [value])
    }
    return any(text.casefold() in folded for text in wanted)


def date_of(facts: Mapping[str, Value]) -> int:
    """Returns when something was written according to its metadata, in milliseconds since 1970; 0
    if they do not tell."""
    for name in _DATES:
        if name in facts:
            try:
                return read_since(as_text(facts[name]))
            except (RequestError, OverflowError):
                continue
    return 0
