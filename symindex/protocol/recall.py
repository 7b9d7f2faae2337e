"""The request and response of a search in prose: several questions in one call, each with a ranked
section of its own."""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError
from symindex.text.since import read_since
from symindex.text.snippets import ROOM

MOST_QUERIES: Final = 20
DEFAULT_LIMIT: Final = 10
DEFAULT_OF_SEVERAL: Final = 3
MOST_LIMIT: Final = 50

BATCH_ROOM: Final = 30_000
"""Default size of all snippets of a call together, in characters."""

LEAST_ROOM: Final = 80


class TextRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A search over what a project knows.

    Args:
        queries: the questions, 1 to MOST_QUERIES. An empty one lists what `types` and the other
        filters let through. within: what is searched: `names` of symbols; `text`: documents, docs
        of symbols, added content; `notes`; or `all`. limit: hits of each, 1 to MOST_LIMIT; by
        default 10 for one question, 3 each for several. offset: how many to skip. max_characters:
        of all snippets of a call together, shared evenly among its questions. source: only sources
        in whose label or path this stands, in any case of letters; nothing in it has a meaning of
        its own. A
            note's is its category, and what wrote it. source_name: the same. source_id: only the
            source of this label or digest.
        content_type: only chunks that are mostly `code`, or that are `prose`. types: only items of
        these types, `document`, `symbol`, `note` (or `episode`), or symbols of these kinds.
        language, category, status: only what has one of these in its metadata; a note has a
        category. project, assignee: only what has this in its metadata. A note's project is the
        name or the path of its root. since: only what was written since a date, or so long ago, as
        `text/since` reads it. sort: `relevance`, or `timeline`: documents and notes; what matches
        well, the newest first, then the rest. boost_recent: whether the score of what is old counts
        less (`recall/chunks/fusion`). session: whose notes come first. this_session: whether by
        relevance only its notes count, and those of no session; without
            a session, that of the newest note which has one is meant.
        by_entity: whether an item, whatever its length, is one hit with all of its text, and
        sections count by origin. Then
            `include_graph: false` leaves out all that is no document, and
            `include_documents: false` the documents alone.
        include_content: whether hits carry the whole of their chunk in place of the pieces around
        the matches. include_documents, include_graph: whether documents are searched, and whether
        what is beside the best hits is found. marks: whether `text/snippets.MARK` encloses each
        match, for who shows them in colour. vectors: whether meaning counts, by an extra; not of
        one-word questions. use_enhanced: whether parts of words, neighbours and vectors count; else
        words and their forms alone.
    """

    queries: list[str]
    within: Literal["names", "text", "notes", "all"] = msgspec.field(default="all", name="in")
    limit: int | None = None
    offset: int = 0
    max_characters: int = BATCH_ROOM
    source: str = ""
    source_name: str = ""
    source_id: str = ""
    content_type: Literal["code", "prose"] | None = None
    types: list[str] = []
    language: list[str] = []
    category: list[str] = []
    status: list[str] = []
    project: str = ""
    assignee: str = ""
    since: str = ""
    sort: Literal["relevance", "timeline"] = "relevance"
    boost_recent: bool = False
    session: str = ""
    this_session: bool = False
    by_entity: bool = False
    include_content: bool = False
    include_documents: bool = True
    include_graph: bool = True
    use_enhanced: bool = True
    marks: bool = False
    vectors: bool = False

    @property
    def most(self) -> int:
        """The number of hits for each question."""
        return self.limit or (DEFAULT_LIMIT if len(self.queries) == 1 else DEFAULT_OF_SEVERAL)

    @property
    def room(self) -> int:
        """The size of the snippet of one hit, in characters."""
        return max(
            LEAST_ROOM, min(ROOM, self.max_characters // max(len(self.queries) * self.most, 1))
        )

    @property
    def has_filters(self) -> bool:
        """Whether metadata, sources or dates restrict the search."""
        return any(getattr(self, name) for name in FILTERS)

    @property
    def filters_given(self) -> list[str]:
        """The names of the filters in use, for messages."""
        names = [name for name in (*FILTERS, "content_type") if getattr(self, name)]
        names += [
            name
            for name in ("include_documents", "include_graph")
            if self.by_entity and not getattr(self, name)
        ]
        return [name.replace("_", " ") for name in names]


FILTERS: Final = (
    "source",
    "source_name",
    "source_id",
    "types",
    "language",
    "category",
    "status",
    "project",
    "assignee",
    "since",
)


class TextHit(msgspec.Struct, kw_only=True, omit_defaults=True):
    """id: what shows all of it: a symbol's, `path:line`, `type:id` of an item; of added content
    `chunk:12`, of a note `note:3`. type: the kind of a symbol, the type of an item, `document` or
    `note`. title: the name, the headings above it, or the first line of the note. source: the path,
    the label of its source, or the category. line: its first in the source, 1-based. content: the
    pieces around what was looked for, as they are written; or all of it. content_type: `code` or
    `prose`. added: when it was written, ISO 8601; empty if nobody knows. result_origin: one of
    ORIGINS. stale: whether its file has changed since. metadata: of items, front matter and notes.
    url: where it came from. is_document: whether it is of a document, and no item."""

    id: str
    title: str
    source: str
    line: int
    content: str
    score: float
    content_type: str
    added: str
    type: str
    result_origin: str
    stale: bool = False
    metadata: dict[str, Any] = {}
    url: str = ""
    is_document: bool = False


ENTITY_TYPES: Final = (
    "pattern",
    "rule",
    "template",
    "topic",
    "episode",
    "task",
    "project",
    "document",
)
"""Types of items that a request may name even if no item has them yet."""

ORIGINS: Final = ("symbol", "document", "note", "graph")


class TextSection(msgspec.Struct, kw_only=True):
    """The answer to one question. total: how many chunks match. error: why the question cannot be
    answered; absent if it can. notices: what a reader must know to trust the answer, such as a
    corrected word, or how many hits a filter hides. n_documents: how many of the total are
    documents, if `by_entity` was requested."""

    query: str
    items: list[TextHit]
    total: int
    has_more: bool
    notices: list[str] | UnsetType = UNSET
    error: str | UnsetType = UNSET
    n_documents: int | UnsetType = UNSET


class TextResponse(msgspec.Struct, kw_only=True):
    """The response. total: the sum over all sections. The counts: hits of each origin among the
    items. usage_hint: how to get full texts."""

    request: TextRequest
    sections: list[TextSection]
    total: int
    symbol_count: int
    document_count: int
    note_count: int
    graph_count: int
    usage_hint: str
    notices: list[str] | UnsetType = UNSET


def check_text_request(request: TextRequest) -> None:
    """Raises RequestError for a request that cannot be answered."""
    if not 1 <= len(request.queries) <= MOST_QUERIES:
        raise RequestError(f"{len(request.queries)} queries: give 1 to {MOST_QUERIES}")
    if request.limit is not None and not 1 <= request.limit <= MOST_LIMIT:
        raise RequestError(f"limit {request.limit}: expected 1 to {MOST_LIMIT}")
    if request.offset < 0:
        raise RequestError(f"offset {request.offset}: expected 0 or more")
    if request.max_characters < 1:
        raise RequestError(f"max_characters {request.max_characters}: expected 1 or more")
    if request.since:
        read_since(request.since)


class Related(msgspec.Struct, kw_only=True):
    """A hit that is related to another one. relation: `same container`, `caller`, `callee`,
    `mentions`, `mentioned in`, `note`; by metadata `has` or `belongs_to`."""

    relation: str
    hit: TextHit
