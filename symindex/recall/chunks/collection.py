"""What a search in prose looks through: collections of chunks, whoever keeps them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from symindex.index.columns.arrays import I64, Mask
from symindex.recall.chunk_index.chunk_index import ChunkIndex


class Shown(NamedTuple):
    """A chunk as it is shown. id: as of `contract.TextHit`. label: of its source. line: 1-based.
    time_ms: when it was added or noted. stale: whether its file has changed since. type: of the
    item, `document`, `symbol` or `note`. facts: its metadata. path: of its file in the workspace,
    url: where it came from, if it did. weight: what its scores are multiplied by. is_document:
    whether it is of a document, and no item."""

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
    """origin: `document` or `note`. notices: what must be known of it. is_empty: whether nothing
    was ever put there."""

    @property
    def origin(self) -> str: ...

    @property
    def notices(self) -> list[str]: ...

    @property
    def is_empty(self) -> bool: ...

    def indexes(self) -> list[ChunkIndex]:
        """The columns of all chunks."""

    def live(self, index: ChunkIndex) -> Mask:
        """By place: whether the chunk is still there."""

    def wanted(self, index: ChunkIndex) -> Mask:
        """By place: whether the filters of the request let the chunk through."""

    def hidden(self, index: ChunkIndex) -> Mask:
        """By place: whether the chunk passes all filters, and only its session hides it; known once
        `wanted` was asked."""

    def groups(self, index: ChunkIndex) -> I64:
        """By place: a number that all chunks of one item have; of a document, that of the chunk
        alone."""

    def documents(self, index: ChunkIndex) -> Mask:
        """By place: whether the chunk is of a document."""

    def types(self) -> set[str]:
        """The types of what is here, in small letters."""

    def shown(self, number: int) -> Shown:
        """A chunk by its number."""

    def listed(self) -> list[int]:
        """The numbers of chunks that stand for what the filters let through, the newest first: for
        a request without words."""


def iso(time_ms: int) -> str:
    """A moment in milliseconds since 1970, ISO 8601."""
    return datetime.fromtimestamp(time_ms / 1_000, UTC).isoformat(timespec="seconds")
