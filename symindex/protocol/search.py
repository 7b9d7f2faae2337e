"""The search contract.

The search structs have the fields, defaults and nullability of the LSAP Search API. What symindex
adds is optional and absent (`UNSET`) unless it was asked for, so that a plain request and its
answer hold exactly the fields of the contract.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, Protocol

import msgspec
from msgspec import UNSET, UnsetType


class SearchRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """A search, as in the LSAP contract; fields after `pagination_id` are symindex's own and
    optional.

    Args:
        query: the text to search for, in the language of `symindex/search/language`. Empty lists
        the best symbols. kinds: only symbols of these kinds; `None` or empty means all. max_items:
        at most this many items on the page (1 or more); `None` means all. start_index: how many of
        the hits to skip (0 or more). pagination_id: the token of an earlier response to the same
        query; the page that follows it is returned. languages: only symbols of files in these
        languages. paths: only files that match one of these globs; globs with a leading `!`
        exclude. fuzzy: `True` forces the weak tiers (typo, subsequence), `False` forbids them. By
        default they are used where the
            strong tiers find fewer than ten. Or `{"enabled": bool, "max_distance": n}`.
        include: more fields on each item: any of `id`, `signature`, `doc`, `range`, `score`,
        `language`, `flags`,
            `metadata`, `snippet`.
        limit, offset: other names of `max_items` and `start_index`; answers show these. fields: by
        field, a query that must match there as well. filters: by field, an exact value, or a list
        of which one must match; `!value` excludes; `date_from`, `date_to`. proximity:
        `{"enabled": bool, "max_distance": n}`: the words stand with at most so many others between
        them. sort_by: `score`, `date` (of the file, newest first) or `name`. scope: a type, and
        perhaps a namespace behind it: `class.src.auth.*`, `tool.rye.core.*`; any of several. type:
        a kind of symbols, a type of items, `symbol` (the default), `section`, `item` or `all`; any
        of several. space: `project`, `user`, `system` or `all`. whole_words: all words must match,
        each whole or by its stem; no name is found by a part of it.

    What the options from `limit` on mean in detail stands in `symindex/search/options/read`.
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

ITEM_NEEDS: Final = ("id", "signature", "doc", "score", "metadata", "snippet")
"""What a request has to include for an answer in the form of rye_search."""


LABEL_IN_PATH: Final = re.compile(r"[a-z]+:.+?@[^/@]+(?=/)")
"""What the path of a file in a package begins with in answers, as `pypi:httpx@0.27.0`."""


class Range(msgspec.Struct, kw_only=True):
    """The lines of a definition, 1-based, both ends included."""

    start_line: int
    end_line: int


class SearchItem(msgspec.Struct, kw_only=True):
    """One symbol that matched. The first five fields are the contract's; the others appear when
    `include` names them.

    file_path: relative to the workspace, with forward slashes. line: of the name, 1-based.
    container: the qualified name of the enclosing symbol, `None` at the top of a file. flags: words
    as `test`. kind: of an item, its type; container: its category. metadata: of an item, all its
    fields, and its `id` and `type`. snippet: of a section or an item, about 300 characters of its
    text around what was looked for, cut from its file; of a symbol, the beginning of its doc.
    changed: true where that file is not as it was indexed; else absent. space, package: of what is
    not of the project, where it comes from, as `system` and `pypi:httpx@0.27.0`. shadows: the
    spaces in which an item hides others of its id; shadowed_by: the space of the one that hides it;
    absent where nothing is hidden. match: of what is no more than a guess, why it is there: `typo`,
    `letters` (in order), `text` (the parts of the name are words of its signature, doc, path or
    container), `some words` (of a question); absent from what matches.
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


SOME_WORDS: Final = "some words"
"""What `SearchItem.match` says of a row that holds only some words of a question."""


def is_guess(item: SearchItem) -> bool:
    """Whether an item is none of what was asked for, but near to it. A question asks for rows with
    some of its words, too."""
    return bool(item.match) and item.match != SOME_WORDS


class TextCount(msgspec.Struct, kw_only=True):
    """On how many lines of how many files a text stands, in strings, comments or anything else.
    is_whole: whether there was time for all files; else it may stand on more."""

    text: str
    lines: int
    files: int
    is_whole: bool = True


class SearchResponse(msgspec.Struct, kw_only=True):
    """The answer to a SearchRequest, as in the contract.

    notices: what the reader must know to trust the answer, such as that the index changed between
    two pages, or that files
        could not be read; absent where there is nothing to say.
    suggestions: names like the query; absent unless nothing matched and there are some. text: where
    no symbol holds all words of a question, what documents, docs and notes say to it, as `TextHit`s
    of
        `protocol/recall`; else absent.
    elsewhere: where nothing matched, and the query stands as a text in files; else absent.
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


class Noticed(Protocol):
    """An answer with notices."""

    notices: list[str] | UnsetType


def add_notices(response: Noticed, notices: Iterable[str]) -> None:
    """Adds to the notices of an answer."""
    if added := [*notices]:
        response.notices = [*(response.notices or []), *added]
