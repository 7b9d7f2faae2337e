"""The request and response of a hierarchy: related types, callers, callees and tests."""

from typing import Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

Direction = Literal["subtypes", "supertypes", "callers", "callees", "tests"]

DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)


class HierarchyRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the symbols that a symbol is related to, as a tree.

    Args:
        symbol: an id, a name or a place, as in a SymbolRequest.
        direction: one of DIRECTIONS. For a method, `subtypes` are the methods that override or
            implement it, `supertypes` the ones that it overrides.
        depth: how many levels; `None` means three levels of types, or one level of calls.
        max_items: the most symbols in the answer.
    """

    symbol: str
    direction: Direction = "subtypes"
    depth: int | None = None
    max_items: int = 100


class RelatedItem(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol in a hierarchy.

    name: the qualified name. kind, file_path, line, id: its definition; empty and 0 if that is not
    in the workspace. at: the line that names or calls it. text: that line. others: how many other
    symbols may be meant instead. is_unsure: whether it may use another symbol of that name, for
    example one of a library. is_by_name: for a file of tests, whether only its name suggests the
    relation. again: whether it occurs elsewhere in the tree, with the symbols below it. items: the
    next level.
    """

    name: str
    kind: str = ""
    file_path: str = ""
    line: int = 0
    id: str = ""
    at: str = ""
    text: str = ""
    others: int = 0
    is_unsure: bool = False
    is_by_name: bool = False
    again: bool = False
    items: "list[RelatedItem]" = []


class NamedPlaces(msgspec.Struct, kw_only=True):
    """Places that contain the name of a symbol. total: how many. first: the first of them, each
    with its surroundings."""

    total: int
    first: list[RelatedItem]


class HierarchyResponse(msgspec.Struct, kw_only=True):
    """The response to a HierarchyRequest.

    symbol: the symbol whose relations these are; `None` if several may be meant (`candidates` has
    their ids), or for a base type that the workspace does not define. outside: names that are not
    defined in the workspace. hidden: how many symbols `max_items` leaves out. unclear: called names
    that symbols of the workspace have, each with the number of these symbols; names alone do not
    tell which symbol is meant, or whether a library's is. is_known: `False` if the language has no
    rules for inheritance, so that an empty answer proves nothing. uncalled: for callers, the places
    that use the symbol without calling it, for example by passing a function; if there are callers,
    only passing uses. unsure: if there are neither callers nor tests, the places with its name that
    may mean another symbol. may_inherit: if no related type was found, the places that name the
    type and may inherit in a way that no rule covers.
    """

    request: HierarchyRequest
    symbol: RelatedItem | None
    items: list[RelatedItem]
    outside: list[str]
    hidden: int = 0
    unclear: dict[str, int] = {}
    candidates: list[str] = []
    notices: list[str] | UnsetType = UNSET
    is_known: bool | UnsetType = UNSET
    uncalled: NamedPlaces | None = None
    unsure: NamedPlaces | None = None
    may_inherit: list[RelatedItem] = []
