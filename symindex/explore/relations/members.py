"""Members up and down the types: what a member overrides, and what overrides it."""

from collections.abc import Callable, Sequence
from typing import Final

from symindex.errors import RequestError
from symindex.explore.relations.resolving import can_inherit
from symindex.explore.relations.types import all_below, may_inherit, supertypes, unique
from symindex.explore.relations.uses import RelatedSymbol, UseSearch
from symindex.explore.targets.names import symbols_named
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.overriding import overriding
from symindex.resolve.reading.expressions import names_of, types_in
from symindex.resolve.tree import Row, Tree, rows_of_container

_MOST_COMPARED: Final = 6
"""Most symbols of one name that are compared: the supertypes of each are searched."""

_INTERFACES: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})


def overrides(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns what overrides or implements a member, in subtypes at any depth."""
    owner = _owner(search.tree, row)
    if owner is None:
        return []
    below = [
        member._replace(is_unsure=member.is_unsure or subtype.is_unsure)
        for subtype in all_below(search, owner)
        for member in (
            [*_members_like(search, subtype.row, row), *_of_entries(search, subtype.row, row)]
            if subtype.row is not None
            else _members_at(search, subtype, row)
        )
    ]
    return unique([*_of_entries(search, owner, row), *below])


def may_override(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns places that may implement the interface of a member, if nothing surely does."""
    owner = _owner(search.tree, row)
    if owner is None or owner.kind not in _INTERFACES or all_below(search, owner):
        return []
    return may_inherit(search, owner, "subtypes")


def _of_entries(search: UseSearch, type_row: Row, own: Row) -> list[RelatedSymbol]:
    """Returns the members with the name of another that entries of an enumeration have, each of
    its own type."""
    file = search.resolver.files.of(type_row)
    return [
        RelatedSymbol(row.qualified_name, row, "", "")
        for entry in file.members_of(type_row)
        if entry.kind is SymbolKind.ENUM_MEMBER
        for row in file.by_name.get(f"{entry.qualified_name}.{own.name}", ())
    ]


def _members_at(search: UseSearch, place: RelatedSymbol, own: Row) -> list[RelatedSymbol]:
    """Returns the member with the name of another in code that implements a type for one that the
    workspace does not define."""
    path, _, number = place.at.rpartition(":")
    file, first = search.resolver.files.at(path), int(number)
    names = [names_of(name)[-1] for name in types_in(place.name)]
    if file is None or not names:
        return []
    try:
        lines = search.lines_of(file.file)
    except RequestError:
        return []
    end = next(
        (at for at in range(first + 1, len(lines) + 1) if _ends_block(lines, first, at)), first
    )
    rows = [row for row in file.rows if row.name == own.name and first <= row.line <= end]
    rows = [row for row in rows if row.container.rpartition(".")[2] == names[0]]
    return [RelatedSymbol(row.qualified_name, row, "", "") for row in rows[:1]]


def _ends_block(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether a line ends the block that another begins: it is indented like it."""
    head = lines[first - 1]
    blanks = head[: len(head) - len(head.lstrip())]
    return lines[last - 1].startswith(f"{blanks}}}")


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
    family = tree.languages.relatives_of(row.file.known_language)
    types = [
        owner for owner in rows if can_inherit(tree, owner) and owner.file.known_language in family
    ]
    own_file = [owner for owner in types if owner.file.path == row.file.path]
    return next(iter(own_file or types), None)


def _is_of_namesake(search: UseSearch, owner: Row, member: Row) -> bool:
    """Whether the file of a member defines another type of its owner's name, which it is in."""
    if member.file.path == owner.file.path:
        return False
    types = search.resolver.files.of(member).types_by_name.get(owner.qualified_name, [])
    return bool(types) and {*types}.isdisjoint(search.resolver.packages.parts(owner))


def _members_like(search: UseSearch, owner: Row, own: Row) -> list[RelatedSymbol]:
    """Returns the member of a type with the name of another, in the folder of the type, if there is
    one; of several, the one that overrides the other or is overridden by it."""
    folder, files = owner.file.path.rpartition("/")[0], search.resolver.files
    family = search.tree.languages.relatives_of(own.file.known_language)
    rows = [
        row
        for row in rows_of_container(search.tree, owner.qualified_name)
        if row.name == own.name
        and files.of(row).package == files.of(owner).package
        and row.file.path.rpartition("/")[0] == folder
        and row.file.known_language in family
        and not _is_of_namesake(search, owner, row)
    ]
    return [
        RelatedSymbol(row.qualified_name, row, "", "", is_unsure=is_unsure)
        for row, is_unsure in overriding(search.resolver, own, rows)
    ]
