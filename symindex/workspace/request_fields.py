"""Requests from keywords: the one place where a method's arguments become a request of `protocol`.

Each class lists the fields of a request except the first, so that type checkers and editors know
the keywords. The requests themselves document the fields and their defaults.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

import msgspec
from msgspec import UnsetType

if TYPE_CHECKING:
    from symindex.protocol.grep import Where
    from symindex.protocol.hierarchy import Direction

_Request = TypeVar("_Request", bound=msgspec.Struct)


class SearchFields(TypedDict, total=False):
    """The fields of a SearchRequest except its query."""

    kinds: list[str] | None
    max_items: int | None
    start_index: int
    pagination_id: str | None
    languages: list[str] | UnsetType
    paths: list[str] | UnsetType
    fuzzy: bool | dict[str, Any] | UnsetType
    include: list[str] | UnsetType
    limit: int | UnsetType | None
    offset: int | UnsetType
    fields: dict[str, Any] | UnsetType
    filters: dict[str, Any] | UnsetType
    proximity: dict[str, Any] | UnsetType
    sort_by: str | UnsetType
    scope: str | list[str] | UnsetType
    space: str | UnsetType
    type: str | list[str] | UnsetType
    whole_words: bool | UnsetType
    phrasings: list[str] | UnsetType


class FetchFields(TypedDict, total=False):
    """The fields of a FetchRequest except its item_id."""

    item_type: str | None
    source: str | None
    destination: str | None
    force: bool
    version: str | None
    verify: str | None
    query: str | None
    scope: str | list[str] | None
    limit: int | None
    offset: int
    sort_by: str | None
    fields: dict[str, Any] | None
    filters: dict[str, Any] | None
    fuzzy: bool | dict[str, Any] | None
    proximity: dict[str, Any] | None


class TextFields(TypedDict, total=False):
    """The fields of a TextRequest except its queries."""

    within: Literal["names", "text", "notes", "all"]
    limit: int | None
    offset: int
    max_characters: int
    source: str
    source_name: str
    source_id: str
    content_type: Literal["code", "prose"] | None
    types: list[str]
    language: list[str]
    category: list[str]
    status: list[str]
    project: str
    assignee: str
    since: str
    sort: Literal["relevance", "timeline"]
    boost_recent: bool
    session: str
    this_session: bool
    by_entity: bool
    include_content: bool
    include_documents: bool
    include_graph: bool
    use_enhanced: bool
    marks: bool
    vectors: bool | None
    phrasings: list[str]


class SymbolFields(TypedDict, total=False):
    """The fields of a SymbolRequest except its symbol."""

    lines: str | None
    siblings: bool
    max_tokens: int | None
    path: str | list[str] | UnsetType
    history: bool
    code: bool
    used_in: str | None


class OutlineFields(TypedDict, total=False):
    """The fields of an OutlineRequest except its path."""

    depth: int | None
    kinds: list[str] | None
    max_tokens: int | None
    include: list[str] | UnsetType


class HierarchyFields(TypedDict, total=False):
    """The fields of a HierarchyRequest except its symbol."""

    direction: "Direction"
    depth: int | None
    max_items: int


class ReferencesFields(TypedDict, total=False):
    """The fields of a ReferencesRequest except its name."""

    max_items: int | None
    pagination_id: str | None
    languages: list[str] | UnsetType
    paths: list[str] | UnsetType
    role: str | list[str] | UnsetType
    all: bool
    why: bool


class GrepFields(TypedDict, total=False):
    """The fields of a GrepRequest except its pattern."""

    regex: bool
    ignore_case: bool
    where: "Where"
    each_line: bool
    max_items: int | None
    pagination_id: str | None
    languages: list[str] | UnsetType
    paths: list[str] | UnsetType


class TraceFields(TypedDict, total=False):
    """The fields of a TraceRequest except its text."""

    folder: str


class MapFields(TypedDict, total=False):
    """The fields of a MapRequest except its path."""

    focus: list[str]
    max_tokens: int


class ChangedFields(TypedDict, total=False):
    """The fields of a ChangedRequest except its commit."""

    path: str | list[str]
    tests: bool
    max_items: int


class BlameFields(TypedDict, total=False):
    """The fields of a BlameRequest except its path."""

    lines: str
    revision: str


class LineHistoryFields(TypedDict, total=False):
    """The fields of a LineHistoryRequest except its path."""

    lines: str | None
    max_items: int
    patches: bool
    revision: str


class FileAtFields(TypedDict, total=False):
    """The fields of a FileAtRequest except its path."""

    revision: str
    lines: str


def make_request(kind: type[_Request], first: object, fields: Mapping[str, Any]) -> _Request:
    """Returns `first` if it is a request of this kind; else makes one with it as the first field.
    Raises TypeError for unknown fields, and for fields in addition to a whole request."""
    if not isinstance(first, kind):
        return kind(**{kind.__struct_fields__[0]: first, **fields})
    if fields:
        raise TypeError(f"give a {kind.__name__} or its fields, not both: {', '.join(fields)}")
    return first
