"""The request and response of a hierarchy: related types, callers, callees and tests."""

from typing import Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

Direction = Literal["subtypes", "supertypes", "callers", "callees", "tests"]

DIRECTIONS: Final[tuple[str, ...]] = get_args(Direction)


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
    in the workspace. at: the line that names or calls it. text: that line. others: how many more
    symbols may be meant. is_unsure: whether it may use another symbol of that name, such as a
    library's. is_by_name: for a file of tests, whether only its name suggests so. again: whether it
    occurs elsewhere in the tree, with the symbols below it. items: the next level.
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
    """The answer. symbol: whose relations these are; `None` where it is not clear which is meant:
    `candidates` are then their ids; and of a base that the workspace does not define. outside:
    names of what is not defined in the workspace. unclear: names that are called and that symbols
    of the workspace have, with how many: names alone do not tell which is meant, or whether it is a
    library's. hidden: how many symbols `max_items` leaves out. is_known: `False` where the rules of
    the symbol's language do not tell what inherits, so that an empty answer says nothing. uncalled:
    of callers, the places that use the symbol without calling it, as one that hands a function
    over; where there are callers, only such. unsure: where there are neither callers nor tests, the
    places that have its name and may be of another. may_inherit: where nothing is found below or
    above a type, the places that name it and may say so in a way that no rule reads."""

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
