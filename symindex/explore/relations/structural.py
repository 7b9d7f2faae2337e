"""Interfaces that a type implements by its methods alone, in languages where that is enough."""

from collections.abc import Iterable, Mapping
from typing import Final

from symindex.explore.relations.alike import may_be_alike
from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.uses import RelatedSymbol
from symindex.explore.targets.names import symbols_named
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag, SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.inheritance import heirs_of
from symindex.resolve.modules.exports import MOST_DEPTH
from symindex.resolve.tree import Row, Tree, rows_of_container

_INTERFACES: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})

MOST_EMBEDDED: Final = 3
"""Most steps from a type with a method to one that embeds it."""

MOST_OWNERS: Final = 60
"""Most types whose embedding types are searched for."""


def is_structural(tree: Tree, row: Row) -> bool:
    """Whether types of a symbol's language implement interfaces by their methods alone."""
    language = tree.languages.by_id.get(row.file.known_language)
    return language is not None and language.rules.roles.structural


def implementing(resolver: Resolver, interface: Row) -> list[RelatedSymbol]:
    """Returns the types that have all methods of an interface, as their own or from what they
    embed; none for another kind of symbol. They are doubtful if the interface has methods of one
    that the tree does not define, or if it is a class with other members."""
    tree = resolver.tree
    is_protocol = resolver.files.is_protocol(interface)
    is_interface = is_structural(tree, interface) and interface.kind in _INTERFACES
    if not (is_interface or is_protocol):
        return []
    required, is_whole = _methods(resolver, interface)
    if not required:
        return []
    rarest = min(required, key=lambda name: len(symbols_named(tree, name)))
    owners = _with_embedding(resolver, _owners(tree, [rarest], interface))
    return [
        _related(owner, is_unsure=not is_whole or is_protocol)
        for owner in owners
        if owner.kind not in _INTERFACES
        and not resolver.files.is_protocol(owner)
        and _has_all(resolver, _methods(resolver, owner)[0], required, by_names=is_protocol)
    ]


def implemented(resolver: Resolver, row: Row) -> list[RelatedSymbol]:
    """Returns the interfaces whose methods a type has; none for an interface."""
    if not is_structural(resolver.tree, row) or row.kind in _INTERFACES:
        return []
    methods, _ = _methods(resolver, row)
    found = []
    for owner in _owners(resolver.tree, methods, row):
        if owner.kind in _INTERFACES:
            required, is_whole = _methods(resolver, owner)
            if required and _has_all(resolver, methods, required):
                found.append(_related(owner, is_unsure=not is_whole))
    return found


def _with_embedding(resolver: Resolver, owners: list[Row]) -> list[Row]:
    """Returns types, and those that embed them."""
    found, level = dict.fromkeys(owners), owners
    for _ in range(MOST_EMBEDDED):
        if not 0 < len(level) <= MOST_OWNERS:
            break
        below = [heir.row for heirs in heirs_of(resolver, level).values() for heir in heirs]
        level = [row for row in below if row is not None and row not in found]
        found.update(dict.fromkeys(level))
    return [*found]


def _has_all(
    resolver: Resolver,
    methods: Mapping[str, Row],
    required: Mapping[str, Row],
    by_names: bool = False,
) -> bool:
    """Whether a type has methods of these names, none with other parameters or results. by_names:
    whether only names count."""
    return all(
        name in methods
        and _is_seen(row, methods[name])
        and (by_names or may_be_alike(resolver, methods[name], row))
        for name, row in required.items()
    )


def _is_seen(required: Row, method: Row) -> bool:
    """Whether a method of an interface can be that of a type: a private one only in its folder."""
    folders = {row.file.path.rpartition("/")[0] for row in (required, method)}
    return len(folders) == 1 or not required.flags & SymbolFlag.PRIVATE


def _methods(resolver: Resolver, row: Row) -> tuple[dict[str, Row], bool]:
    """Returns the methods of a type, in any file of its folder, and those of what it embeds; and
    whether all of that is known. What is embedded less deep hides the members of that name of what
    is embedded deeper, and where two are as deep, the type has none of them."""
    lineage, is_whole = resolver.lineages.of(row)
    if row.kind in _INTERFACES or not is_structural(resolver.tree, row):
        return _first_of_each_name(
            member for one in lineage for member in _own(resolver, one)
        ), is_whole
    found: dict[str, Row | None] = {}
    level, seen = [row], {row}
    while level:
        here: dict[str, Row | None] = {}
        for one in level:
            rows = resolver.lineages.of(one)[0] if one.kind in _INTERFACES else [one]
            for name, member in _first_of_each_name(
                member for part in rows for member in _members(resolver, part)
            ).items():
                here[name] = None if name in here and here[name] != member else member
        found = {**here, **found}
        below = [
            base
            for one in level
            if one.kind not in _INTERFACES
            for base in resolver.lineages.bases(one, MOST_DEPTH)[0]
        ]
        level = [base for base in dict.fromkeys(below) if base in lineage and base not in seen]
        seen.update(level)
    return {
        name: member
        for name, member in found.items()
        if member is not None and member.kind in CALLABLE_KINDS
    }, is_whole


def _first_of_each_name(members: Iterable[Row]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for member in members:
        found.setdefault(member.name, member)
    return found


def _own(resolver: Resolver, row: Row) -> Iterable[Row]:
    """Returns the methods that a type has itself."""
    return (member for member in _members(resolver, row) if member.kind in CALLABLE_KINDS)


def _members(resolver: Resolver, row: Row) -> Iterable[Row]:
    """Returns the methods and fields that a type has itself, in any file of its folder."""
    folder = row.file.path.rpartition("/")[0]
    return (
        member
        for member in rows_of_container(resolver.tree, row.qualified_name)
        if member.file.path.rpartition("/")[0] == folder
    )


def _owners(tree: Tree, methods: Iterable[str], row: Row) -> list[Row]:
    """Returns the types with a method of one of these names, in the language of a symbol."""
    members = (match.row for name in methods for match in symbols_named(tree, name))
    places = {
        (member.container, member.file.path.rpartition("/")[0])
        for member in members
        if member.container and member.file.known_language == row.file.known_language
    }
    types = (_type_named(tree, *place) for place in sorted(places))
    return [owner for owner in types if owner is not None]


def _type_named(tree: Tree, name: str, folder: str) -> Row | None:
    rows = (match.row for match in symbols_named(tree, name))
    types = (
        row
        for row in rows
        if row.qualified_name == name
        and is_type(row)
        and row.file.path.rpartition("/")[0] == folder
    )
    return next(types, None)


def _related(row: Row, is_unsure: bool) -> RelatedSymbol:
    at = f"{row.file.path}:{row.line}"
    return RelatedSymbol(row.qualified_name, row, at, "", is_unsure=is_unsure)
