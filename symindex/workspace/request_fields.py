"""Requests from keywords: the one place where a method's arguments become a request of `protocol`.

Each class lists the fields of a request except the first, so that type checkers and editors know
the keywords. The requests themselves document the fields and their defaults.
"""

from collections.abc import Mapping
from typing import Any, TypedDict, TypeVar

import msgspec
from msgspec import UnsetType

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


class SymbolFields(TypedDict, total=False):
    """The fields of a SymbolRequest except its symbol."""

    lines: str | None
    siblings: bool
    max_tokens: int | None
    path: str | list[str] | UnsetType
    history: bool
    code: bool


class OutlineFields(TypedDict, total=False):
    """The fields of an OutlineRequest except its path."""

    depth: int | None
    kinds: list[str] | None
    max_tokens: int | None
    include: list[str] | UnsetType


class HierarchyFields(TypedDict, total=False):
    """The fields of a HierarchyRequest except its symbol and direction."""

    depth: int | None
    max_items: int


class MapFields(TypedDict, total=False):
    """The fields of a MapRequest except its path."""

    focus: list[str]
    max_tokens: int


class ChangedFields(TypedDict, total=False):
    """The fields of a ChangedRequest except its commit."""

    path: str | list[str]
    tests: bool
    max_items: int


def make_request(kind: type[_Request], first: object, fields: Mapping[str, Any]) -> _Request:
    """Returns `first` if it is a request of this kind; else makes one with it as the first field.
    Raises TypeError for unknown fields, and for fields in addition to a whole request."""
    if not isinstance(first, kind):
        return kind(**{kind.__struct_fields__[0]: first, **fields})
    if fields:
        raise TypeError(f"give a {kind.__name__} or its fields, not both: {', '.join(fields)}")
    return first
