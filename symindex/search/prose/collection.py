"""What a search in prose looks through: collections of chunks, whoever keeps them."""

from typing import NamedTuple, Protocol

from symindex.index.arrays import Mask
from symindex.index.prose.chunk_index import ChunkIndex


class Shown(NamedTuple):
    """A chunk as it is shown. id: as of `contract.TextHit`. label: of its source. line: 1-based. time_ms: when it was added or
    noted. stale: whether its file has changed since."""

    id: str
    title: str
    text: str
    label: str
    line: int
    is_code: bool
    time_ms: int
    stale: bool = False


class Collection(Protocol):
    """origin: `document` or `note`. notices: what must be known of it. is_empty: whether nothing was ever put there."""

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

    def shown(self, number: int) -> Shown:
        """A chunk by its number."""
