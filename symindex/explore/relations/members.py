"""Members up and down the types: what a member overrides, and what overrides it."""

from collections.abc import Callable, Sequence
from typing import Final

from symindex.explore.relations.resolving import can_inherit
from symindex.explore.relations.types import all_subtypes, supertypes
from symindex.explore.relations.uses import RelatedSymbol, UseSearch
from symindex.explore.targets.names import symbols_named
from symindex.resolve.reading.overloads import parameters_of
from symindex.resolve.tree import Row, Tree, rows_of_container

_MOST_COMPARED: Final = 6
"""Most symbols of one name that are compared: the supertypes of each are searched."""


def overrides(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns what overrides or implements a member, in subtypes at any depth."""
    owner = _owner(search.tree, row)
    if owner is None:
        return []
    return [
        member
        for subtype in all_subtypes(search, owner)
        for member in _members_like(search, subtype, row)
    ]


def overridden(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns what a member overrides or implements, in supertypes at any depth."""
    owner = _owner(search.tree, row)
    if owner is None:
        return []
    return [
        member
        for supertype in _all_supertypes(search, owner)
        for member in _members_like(search, supertype, row)
    ]


def all_above(search: UseSearch, row: Row) -> list[Row]:
    """Returns what a member overrides, or what a type inherits from, at any depth."""
    if can_inherit(search.tree, row):
        return _all_supertypes(search, row)
    return [member.row for member in overridden(search, row) if member.row is not None]


def overridden_first(rows: Sequence[Row], above: Callable[[Row], Sequence[Row]]) -> list[Row]:
    """Returns symbols of one name, first the one that all others override or inherit from; empty if
    there is none. A call through an interface is a call of its implementations, so they are one
    question. above: returns what a symbol overrides or inherits from."""
    if not 1 < len(rows) <= _MOST_COMPARED:
        return []
    names_above = {row: {other.qualified_name for other in above(row)} for row in rows}
    for row in rows:
        others = [other for other in rows if other != row]
        if all(row.qualified_name in names_above[other] for other in others):
            return [row, *others]
    return []


def _all_supertypes(search: UseSearch, row: Row) -> list[Row]:
    level, types = [row], dict.fromkeys([row])
    while level:
        above = [
            related.row
            for below in level
            for related in supertypes(search, below)
            if related.row is not None
        ]
        level = [supertype for supertype in dict.fromkeys(above) if supertype not in types]
        types.update(dict.fromkeys(level))
    return [*types][1:]


def _owner(tree: Tree, row: Row) -> Row | None:
    """Returns the type of a member, preferably the one in its file."""
    if not row.container:
        return None
    rows = [match.row for match in symbols_named(tree, row.container)]
    types = [owner for owner in rows if can_inherit(tree, owner)]
    own_file = [owner for owner in types if owner.file.path == row.file.path]
    return next(iter(own_file or types), None)


def _members_like(search: UseSearch, owner: Row, own: Row) -> list[RelatedSymbol]:
    """Returns the first member with the name of another in the folder of a type, if there is one;
    where functions have overloads, the one with the same types, or one that takes as many
    arguments."""
    folder = owner.file.path.rpartition("/")[0]
    rows = [
        row
        for row in rows_of_container(search.tree, owner.qualified_name)
        if row.name == own.name and row.file.path.rpartition("/")[0] == folder
    ]
    files = search.resolver.files
    rules = files.rules_of(files.of(own))
    has = parameters_of(own) if rules is not None and rules.overloads else None
    if has is not None:
        known = [(row, parameters_of(row)) for row in rows]
        rows = [row for row, its in known if its is None or its.is_like(has)]
        same = [row for row, its in known if its is not None and its.types == has.types]
        rows = [row for row in rows if row in same] or rows
    return [RelatedSymbol(row.qualified_name, row, "", "") for row in rows[:1]]
