"""The request and response of a search in prose: several questions in one call, each with a ranked
section of its own."""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError
from symindex.protocol.search import check_phrasings
from symindex.text.escaping import shorten
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
    """Searches what a project knows, in words.

    Args:
        queries: the questions, 1 to MOST_QUERIES. An empty one lists everything that `types` and
            the other filters let through.
        within: what to search: `names` of symbols; `text`: documents, docs of symbols and added
            content; `notes`; or `all`.
        limit: hits for each question, 1 to MOST_LIMIT; by default 10 for one question, 3 each for
            several.
        offset: how many hits to skip.
        max_characters: the size of all snippets of a call together, shared evenly among its
            questions.
        source: only sources whose label or path contains this text, ignoring case; the text is not
            a pattern. The source of a note is its category and the program that wrote it.
        source_name: a second filter like `source`; a source must pass both.
        source_id: only the source with this label or digest.
        content_type: only chunks that are mostly `code`, or mostly `prose`.
        types: only items of these types, `document`, `symbol`, `note` (or `episode`), or symbols of
            these kinds.
        language, category, status: only hits whose metadata has one of these values; a note has a
            category.
        project, assignee: only hits whose metadata has this value. The project of a note is the
            name or the path of its root.
        since: only hits written since a date, or within a time such as `7d` (`text/since`).
        sort: `relevance`; or `timeline`, for documents and notes: good matches first, the newest
            before the others, then the rest.
        boost_recent: whether age lowers a score (`recall/chunks/fusion`).
        session: the session whose notes come first.
        this_session: whether a search by relevance finds only the notes of this session, and notes
            without one. If `session` is empty, the session is that of the newest note that has one.
        by_entity: whether an item of any length is one hit with its full text, and a response
            counts its hits by origin. Then `include_graph: false` leaves out everything except
            documents, and `include_documents: false` leaves out documents.
        include_content: whether hits have their full chunk instead of pieces around the matches.
        include_documents: whether documents are searched.
        include_graph: whether to find what the best hits are related to.
        marks: whether `text/snippets.MARK` encloses each match, for display in colour.
        vectors: whether to compare meanings by vectors; by default, if there is a model: that of an
            extra, or the one that the user's configuration names. Questions of one word, and names,
            are never compared.
        use_enhanced: whether parts of words, neighbours and vectors count; if not, only words and
            their forms do.
        phrasings: the only question in other words; with it at most MOST_PHRASINGS. Each is
            searched as if alone, and the hits are fused by rank.
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
    vectors: bool | None = None
    phrasings: list[str] = []

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
    """One hit of a search in prose.

    id: shows the full text: the id of a symbol, `path:line`, `type:id` for an item, `chunk:12` for
    added content, `note:3` for a note. type: the kind of a symbol, the type of an item, `document`
    or `note`. title: the name, the headings above the text, or the first line of the note. source:
    the path, the label of its source, or the category. line: its first line in the source, 1-based.
    content: the pieces around the matches as they are written, or the full text. content_type:
    `code` or `prose`. added: when it was written, in ISO 8601; empty if unknown. result_origin: one
    of ORIGINS. stale: whether its file has changed since. metadata: for items, front matter and
    notes. url: where it came from. is_document: whether it is part of a document that is not an
    item. phrasings: the numbers of the phrasings that found it, if there are several; the question
    is 1.
    """

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
    phrasings: list[int] = []


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
    """The answer to one question.

    items: best first; equally good ones are symbols, documents and notes, in this order: symbols as
    in a search, documents of the tree by path and line, then added content by label, notes and then
    memories with the newest first. If these are all hits, neighbours of the best ones
    (`result_origin` is `graph`) fill the page. total: how many hits match, without neighbours; a
    symbol that is found by its name and its doc counts once, if it is one of the best. error: why
    the question cannot be answered; absent if it can. notices: facts that a reader needs to trust
    the answer, for example a corrected word, or how many hits a filter hides. n_documents: how many
    of the total are documents, if `by_entity` was requested. is_partial: whether no hit contains
    all the words of the question."""

    query: str
    items: list[TextHit]
    total: int
    has_more: bool
    notices: list[str] | UnsetType = UNSET
    error: str | UnsetType = UNSET
    n_documents: int | UnsetType = UNSET
    is_partial: bool | UnsetType = UNSET


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
    if request.phrasings != []:
        _check_phrasings(request)
    if request.limit is not None and not 1 <= request.limit <= MOST_LIMIT:
        raise RequestError(f"limit {request.limit}: expected 1 to {MOST_LIMIT}")
    if request.offset < 0:
        raise RequestError(f"offset {request.offset}: expected 0 or more")
    if request.max_characters < 1:
        raise RequestError(f"max_characters {request.max_characters}: expected 1 or more")
    if request.since:
        read_since(request.since)


def _check_phrasings(request: TextRequest) -> None:
    given: object = request.phrasings
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise RequestError(f"phrasings is {shorten(repr(given), 60)}: expected a list of strings")
    if len(request.queries) > 1:
        raise RequestError("phrasings belong to one question: ask one at a time")
    if request.sort == "timeline":
        raise RequestError("phrasings are fused by relevance: leave out phrasings, or the timeline")
    check_phrasings(request.queries[0], request.phrasings)


class Related(msgspec.Struct, kw_only=True):
    """A hit that is related to another one. relation: `same container`, `caller`, `callee`,
    `mentions`, `mentioned in`, `note`; by metadata `has` or `belongs_to`."""

    relation: str
    hit: TextHit
