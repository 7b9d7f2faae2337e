"""The search contract.

The structs have the fields, defaults and nullability of the LSAP Search API. Fields that symindex
adds are optional, and absent (`UNSET`) unless requested, so a plain request and its response have
exactly the fields of the contract.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError, is_unicode


class SearchRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """A search, as in the LSAP contract. Fields after `pagination_id` are symindex's own and
    optional.

    Args:
        query: the text to search for, in the language of `symindex/search/language`. Empty lists
            the most central symbols.
        kinds: only symbols of these kinds; `None` or empty means all.
        max_items: the most items on the page (1 or more); `None` means all.
        start_index: how many hits to skip (0 or more).
        pagination_id: the token of an earlier response to the same query, to get the page after it.
        languages: only symbols in files of these languages.
        paths: only files that match one of these globs; a glob with a leading `!` excludes.
        fuzzy: `True` forces the weak tiers (typo, subsequence), `False` forbids them; by default
            they are used if the strong tiers find fewer than ten. Or
            `{"enabled": bool, "max_distance": n}`.
        include: more fields of each item: `id`, `signature`, `doc`, `range`, `score`, `language`,
            `flags`, `metadata`, `snippet`, `spans`, `repository` (with its commit and the path in
            it); and `facets` of all hits.
        limit, offset: other names of `max_items` and `start_index`; answers use the latter.
        fields: for each field, a query that it must match as well.
        filters: for each field an exact value, or a list of which one must match; `!value`
            excludes. Also `date_from` and `date_to`.
        proximity: `{"enabled": bool, "max_distance": n}`: the words are at most this many words
            apart.
        sort_by: `score`, `date` (of the file, newest first) or `name`.
        scope: a type, and optionally a namespace after it: `class.src.auth.*`, `tool.rye.core.*`. A
            list means any of several.
        space: `project`, `user`, `system` or `all`.
        type: a kind of symbols, a type of items, `symbol` (the default), `section`, `item` or
            `all`. A list means any of several.
        whole_words: whether all words must match, each in full or by its stem, and no name by a
            part of it.
        phrasings: the query in other words, as names or docs may say it; with the query at most
            MOST_PHRASINGS. Each is searched as if alone, and the hits are fused by rank.

    `symindex/search/options/read` explains the options from `limit` on in detail.
    """

    query: str
    kinds: list[str] | None = None
    max_items: int | None = None
    start_index: int = 0
    pagination_id: str | None = None
    languages: list[str] | UnsetType = UNSET
    paths: list[str] | UnsetType = UNSET
    fuzzy: bool | dict[str, Any] | UnsetType = UNSET
    include: list[str] | UnsetType = UNSET
    limit: int | UnsetType | None = UNSET
    offset: int | UnsetType = UNSET
    fields: dict[str, Any] | UnsetType = UNSET
    filters: dict[str, Any] | UnsetType = UNSET
    proximity: dict[str, Any] | UnsetType = UNSET
    sort_by: str | UnsetType = UNSET
    scope: str | list[str] | UnsetType = UNSET
    space: str | UnsetType = UNSET
    type: str | list[str] | UnsetType = UNSET
    whole_words: bool | UnsetType = UNSET
    phrasings: list[str] | UnsetType = UNSET


MOST_PHRASINGS: Final = 8
"""Most phrasings of one question, with the query itself."""

ITEM_EXTRAS: Final = (
    "id",
    "signature",
    "doc",
    "range",
    "score",
    "language",
    "flags",
    "metadata",
    "snippet",
)
"""The fields of `include` that are columns of a table."""

PAGE_EXTRAS: Final = ("spans", "facets", "repository")
"""The other words of `include`, for clients that draw a page themselves."""

ITEM_NEEDS: Final = ("id", "signature", "doc", "score", "metadata", "snippet")
"""The fields that a request must include for a response in the form of rye_search."""


LABEL_IN_PATH: Final = re.compile(r"[a-z]+:.+?@[^/@]+(?=/)")
"""The label of a package at the start of a path in an answer, such as `pypi:httpx@0.27.0`."""


def check_phrasings(query: str, phrasings: Sequence[str]) -> None:
    """Raises RequestError for too many phrasings of a query, and for one that is not Unicode."""
    n_phrasings = len(phrasings) + bool(query.strip())
    if n_phrasings > MOST_PHRASINGS:
        raise RequestError(
            f"{n_phrasings} phrasings, with the query: at most {MOST_PHRASINGS} are allowed"
        )
    for text in phrasings:
        if not is_unicode(text):
            raise RequestError(f"phrasing {text!r} is not valid Unicode: give it as UTF-8")


class Range(msgspec.Struct, kw_only=True):
    """The lines of a definition, 1-based, both ends included."""

    start_line: int
    end_line: int


class SearchItem(msgspec.Struct, kw_only=True):
    """One symbol that matched. The first five fields are the contract's; the others are present if
    `include` names them.

    file_path: relative to the workspace, with forward slashes. line: the line of the name, 1-based.
    container: the qualified name of the enclosing symbol, `None` at the top of a file. flags:
    words, such as `test`. For an item, kind is its type and container its category. metadata: all
    fields of an item, with its `id` and `type`. snippet: for a section or an item, about 300
    characters of its text around the match, read from the file; for a symbol, the beginning of its
    doc. changed: true if the file differs from its indexed version. space, package: the origin of a
    symbol or item outside of the project, such as `system` and `pypi:httpx@0.27.0`. shadows: the
    spaces in which an item hides others with its id. shadowed_by: the space of the item that hides
    it. match: why a guess is in the answer: `typo`, `letters` (in order), `text` (the parts of the
    name are words of its signature, doc, path or container), `some words` (of a question); absent
    for a match. phrasings: the numbers of the phrasings that found it; the query is 1, unless it is
    empty. spans: the starts and ends of the characters of the name that the query matched.
    repository, commit, path: the repository of the file, its commit (empty if it is unknown), and
    the path in it, if many repositories are searched together.
    """

    name: str
    kind: str
    file_path: str
    line: int
    container: str | None
    id: str | UnsetType = UNSET
    signature: str | UnsetType = UNSET
    doc: str | UnsetType = UNSET
    range: Range | UnsetType = UNSET
    score: float | UnsetType = UNSET
    language: str | UnsetType = UNSET
    flags: list[str] | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    changed: bool | UnsetType = UNSET
    space: str | UnsetType = UNSET
    package: str | UnsetType = UNSET
    shadows: list[dict[str, str]] | UnsetType = UNSET
    shadowed_by: str | UnsetType = UNSET
    match: str | UnsetType = UNSET
    phrasings: list[int] | UnsetType = UNSET
    spans: list[tuple[int, int]] | UnsetType = UNSET
    repository: str | UnsetType = UNSET
    commit: str | UnsetType = UNSET
    path: str | UnsetType = UNSET


SOME_WORDS: Final = "some words"
"""The value of `SearchItem.match` for a row that contains only some words of a question."""


def is_guess(item: SearchItem) -> bool:
    """Whether an item only resembles the query. A row with some words of a question is not a guess,
    because a question asks for it."""
    return bool(item.match) and item.match != SOME_WORDS


class TextCount(msgspec.Struct, kw_only=True):
    """How many lines of how many files contain a text, in strings, comments or anywhere else.
    is_whole: whether there was time to read all files; if not, there may be more."""

    text: str
    lines: int
    files: int
    is_whole: bool = True


MOST_FACET_VALUES: Final = 20
"""Most values of a facet in a response: those with the most hits."""


class Facet(msgspec.Struct, kw_only=True):
    """How many of all hits have each value, the most frequent first.

    field: the field of the query language. With a value it makes a term, such as `lang:go`; the
    query, ` | ` and the term find exactly the counted hits. left_out: how many values follow.
    """

    field: str
    values: list[tuple[str, int]]
    left_out: int


class SearchResponse(msgspec.Struct, kw_only=True):
    """The response to a SearchRequest, as in the contract.

    notices: facts that a reader needs to trust the answer, for example that the index has changed
    since the last page, or that files could not be read; absent if there are none. suggestions:
    similar names, if nothing matched. text: hits in documents, docs and notes (`TextHit`s of
    `protocol/recall`) for a question, if no symbol contains all its words. elsewhere: how often the
    query occurs as text in files, if nothing matched. facets: by name (`language`, `kind`,
    `repository` for several, `folder`, `fact`), counted over all hits, not only over the
    page.
    """

    request: SearchRequest
    items: list[SearchItem]
    start_index: int
    max_items: int | None
    total: int
    has_more: bool
    pagination_id: str | None
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET
    text: list[Any] | UnsetType = UNSET
    elsewhere: TextCount | UnsetType = UNSET
    facets: dict[str, Facet] | UnsetType = UNSET


def is_incomplete(notice: str) -> bool:
    """Whether a notice says that no row has all the words of a question."""
    return notice.startswith(NONE_HOLDS_ALL) or LACKS_SOME in notice


def is_about_some(notice: str) -> bool:
    """Whether a notice says that not all rows have all the words of a question."""
    return is_incomplete(notice) or notice.endswith(SOME_OF_THEM)


NONE_HOLDS_ALL: Final = ("no symbol contains all ", "no symbol contains both ")
LACKS_SOME: Final = " words: no symbol contains "
SOME_OF_THEM: Final = " contain some of them"
"""Parts of the notices that such answers have (`search/words/plain`)."""


def lacks_all_words(response: SearchResponse) -> bool:
    """Whether no symbol contains all the words of a question."""
    return any(map(is_incomplete, response.notices or ()))


def lacks_words(response: SearchResponse) -> bool:
    """Whether this is the first page of a question that was asked in one way, and no symbol
    contains all of its words."""
    is_first = not response.start_index and not response.request.phrasings
    return is_first and lacks_all_words(response)


class Noticed(Protocol):
    """A response with notices."""

    notices: list[str] | UnsetType


def add_notices(response: Noticed, notices: Iterable[str]) -> None:
    """Adds notices to a response."""
    if added := [*notices]:
        response.notices = [*(response.notices or []), *added]
