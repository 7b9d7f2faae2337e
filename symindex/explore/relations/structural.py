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
        and _has_all(_methods(resolver, owner)[0], required, by_names=is_protocol)
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
            if required and _has_all(methods, required):
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
    methods: Mapping[str, Row], required: Mapping[str, Row], by_names: bool = False
) -> bool:
    """Whether a type has methods of these names, none with other parameters or results. by_names:
    whether only names count."""
    return all(
        name in methods
        and _is_seen(row, methods[name])
        and (by_names or may_be_alike(_signature(methods[name]), _signature(row), name))
        for name, row in required.items()
    )


def _is_seen(required: Row, method: Row) -> bool:
    """Whether a method of an interface can be that of a type: a private one only in its folder."""
    folders = {row.file.path.rpartition("/")[0] for row in (required, method)}
    return len(folders) == 1 or not required.flags & SymbolFlag.PRIVATE


def _signature(row: Row) -> str:
    return row.index.signature(row.number)


def _methods(resolver: Resolver, row: Row) -> tuple[dict[str, Row], bool]:
    """Returns the methods of a type, in any file of its folder, and those of what it embeds; and
    whether all of that is known."""
    lineage, is_whole = resolver.lineages.of(row)
    methods: dict[str, Row] = {}
    for one in lineage:
        folder = one.file.path.rpartition("/")[0]
        for member in rows_of_container(resolver.tree, one.qualified_name):
            if member.kind in CALLABLE_KINDS and member.file.path.rpartition("/")[0] == folder:
                methods.setdefault(member.name, member)
    return methods, is_whole


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
