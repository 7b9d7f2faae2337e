"""The interface of what recall searches: collections of chunks, whichever store they come from."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

import numpy as np

from symindex.index.columns.arrays import I64, Mask
from symindex.recall.chunk_index.chunk_index import ChunkIndex


class Shown(NamedTuple):
    """A chunk with what a hit shows of it.

    Attributes:
        id: as in `protocol/recall.TextHit`.
        label: label of its source.
        line: 1-based.
        time_ms: when it was added or noted, in milliseconds since 1970; 0 if unknown.
        stale: whether its file has changed since.
        type: of the item, or `document`, `symbol`, `note`.
        facts: its metadata.
        path: its file in the workspace, if any.
        url: where it was fetched from, if it was.
        weight: multiplies its scores.
        is_document: whether it is part of a document rather than an item.
    """

    id: str
    title: str
    text: str
    label: str
    line: int
    is_code: bool
    time_ms: int
    stale: bool = False
    type: str = "document"
    facts: Mapping[str, Any] = {}
    path: str = ""
    url: str = ""
    weight: float = 1.0
    is_document: bool = False


class Collection(Protocol):
    """Chunks of one origin, filtered for one request. Masks and numbers are by place: the position
    of a chunk in its index."""

    @property
    def origin(self) -> str:
        """`document` or `note`."""

    @property
    def notices(self) -> list[str]:
        """Warnings for the answer."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever stored here."""

    def indexes(self) -> list[ChunkIndex]:
        """Returns the word columns of all chunks."""

    def live(self, index: ChunkIndex) -> Mask:
        """Returns which chunks still exist."""

    def selected(self, index: ChunkIndex) -> Mask:
        """Returns which chunks pass the filters of the request."""

    def hidden(self, index: ChunkIndex) -> Mask:
        """Returns which chunks pass all filters except that on the session. Call `selected`
        first."""

    def groups(self, index: ChunkIndex) -> I64:
        """Returns numbers that are equal for all chunks of one item; each chunk of a document has
        its own."""

    def order(self, index: ChunkIndex, places: I64) -> I64:
        """Returns by place a number of less than 2**48: equally good chunks are ordered by it. It
        does not depend on the order in which they were stored. Call `selected` first."""

    def digests(self, index: ChunkIndex, places: I64) -> list[str]:
        """Returns the digest of the file of each of some chunks; empty for notes."""

    def documents(self, index: ChunkIndex) -> Mask:
        """Returns which chunks are parts of documents."""

    def types(self) -> set[str]:
        """Returns the types of all items here, in lower case."""

    def shown(self, number: int) -> Shown:
        """Returns a chunk by its number."""

    def listed(self) -> list[int]:
        """Returns one chunk number for each item or document that the filters select, newest
        first: for a request without words."""


def order_of_places(
    collections: Sequence[Collection], segments: Sequence[tuple[Collection, ChunkIndex]]
) -> Callable[[I64], I64]:
    """Returns a function from places in some segments to numbers by which equally good chunks are
    ordered: by collection, then as the collection says."""
    edges = np.cumsum([0, *(len(index) for _, index in segments)])

    def order_of(places: I64) -> I64:
        order = np.zeros(len(places), dtype=np.int64)
        of_segment = np.searchsorted(edges, places, side="right") - 1
        for place, (collection, index) in enumerate(segments):
            chosen = np.flatnonzero(of_segment == place)
            if len(chosen):
                inner = collection.order(index, places[chosen] - edges[place])
                order[chosen] = (collections.index(collection) << 48) + inner
        return order

    return order_of


def iso(time_ms: int) -> str:
    """Formats milliseconds since 1970 as ISO 8601."""
    return datetime.fromtimestamp(time_ms / 1_000, UTC).isoformat(timespec="seconds")
