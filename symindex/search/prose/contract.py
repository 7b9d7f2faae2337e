"""Requests and responses of a search in prose: several questions in one call, each with a ranked section of its own."""

from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError
from symindex.text.windows import ROOM

MOST_QUERIES: Final = 20
DEFAULT_LIMIT: Final = 10
DEFAULT_OF_SEVERAL: Final = 3
MOST_LIMIT: Final = 50

BATCH_ROOM: Final = 30_000
"""Characters of all snippets of a call together, shared evenly among its questions."""


class TextRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A search in prose.

    Args:
        queries: the questions, 1 to MOST_QUERIES.
        limit: hits of each, 1 to MOST_LIMIT; by default 10 for one question, 3 each for several. offset: how many to skip.
        source: only sources in whose label this stands, in any case of letters; nothing in it has a meaning of its own. A note's
            is its category, and what wrote it.
        category: only notes of one of these categories.
        since: only what was added or noted since a date, or so long ago, as `search/prose/since` reads it.
        sort: `relevance`, or `timeline`: the newest first.
        content_type: only chunks that are mostly `code`, or that are `prose`.
        include_content: whether hits carry the whole of their chunk in place of the pieces around the matches.
    """

    queries: list[str]
    limit: int | None = None
    offset: int = 0
    source: str = ""
    content_type: Literal["code", "prose"] | None = None
    category: list[str] = []
    since: str = ""
    sort: Literal["relevance", "timeline"] = "relevance"
    include_content: bool = False

    @property
    def most(self) -> int:
        """Hits of each question."""
        return self.limit or (DEFAULT_LIMIT if len(self.queries) == 1 else DEFAULT_OF_SEVERAL)

    @property
    def room(self) -> int:
        """Characters for the snippet of a hit."""
        return min(ROOM, BATCH_ROOM // max(len(self.queries) * self.most, 1))


class TextHit(msgspec.Struct, kw_only=True, omit_defaults=True):
    """id: of the chunk, as `chunk:12`, or of the note, as `note:3`. title: the headings above it, or the first line of the note.
    source: the label of its source, or the category. line: its first in the source, 1-based. content: the pieces around what was
    looked for, with the matches in `**`; or all of it. content_type: `code` or `prose`. added: when its source was added or the
    note was made, ISO 8601. result_origin: `document` or `note`. stale: whether its file has changed since."""

    id: str
    title: str
    source: str
    line: int
    content: str
    score: float
    content_type: str
    added: str
    result_origin: str = "document"
    stale: bool = False


class TextSection(msgspec.Struct, kw_only=True):
    """The answer to one question. total: how many chunks match. error: why there is none; absent if there is one. notices: what
    must be known to trust it, as what was taken for a misspelt word, or how many hits a filter hides."""

    query: str
    items: list[TextHit]
    total: int
    has_more: bool
    notices: list[str] | UnsetType = UNSET
    error: str | UnsetType = UNSET


class TextResponse(msgspec.Struct, kw_only=True):
    """total: of all sections. document_count, note_count: hits of either among the items. usage_hint: how to get full texts."""

    request: TextRequest
    sections: list[TextSection]
    total: int
    document_count: int
    note_count: int
    usage_hint: str
    notices: list[str] | UnsetType = UNSET


def check_text_request(request: TextRequest) -> None:
    """Raises RequestError for one that cannot be answered."""
    if not 1 <= len(request.queries) <= MOST_QUERIES:
        raise RequestError(f"{len(request.queries)} queries: give 1 to {MOST_QUERIES}")
    if request.limit is not None and not 1 <= request.limit <= MOST_LIMIT:
        raise RequestError(f"limit {request.limit}: expected 1 to {MOST_LIMIT}")
    if request.offset < 0:
        raise RequestError(f"offset {request.offset}: expected 0 or more")
