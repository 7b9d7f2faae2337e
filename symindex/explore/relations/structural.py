"""Interfaces that a type implements by its methods alone, in languages where that is enough."""

from collections.abc import Iterable
from typing import Final

from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.uses import RelatedSymbol
from symindex.explore.targets.names import symbols_named
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve.tree import Row, Tree, rows_of_container

_INTERFACES: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})


def is_structural(tree: Tree, row: Row) -> bool:
    """Whether types of a symbol's language implement interfaces by their methods alone."""
    language = tree.languages.by_id.get(row.file.known_language)
    return language is not None and language.rules.roles.structural


def implementing(tree: Tree, interface: Row) -> list[RelatedSymbol]:
    """Returns the types that have all methods of an interface; none for another kind of symbol."""
    if not is_structural(tree, interface) or interface.kind not in _INTERFACES:
        return []
    methods = _methods(tree, interface)
    if not methods:
        return []
    rarest = min(methods, key=lambda name: len(symbols_named(tree, name)))
    return [
        _related(owner)
        for owner in _owners(tree, [rarest], interface)
        if owner != interface and owner.kind not in _INTERFACES and methods <= _methods(tree, owner)
    ]


def implemented(tree: Tree, row: Row) -> list[RelatedSymbol]:
    """Returns the interfaces whose methods a type has; none for an interface."""
    if not is_structural(tree, row) or row.kind in _INTERFACES:
        return []
    methods = _methods(tree, row)
    return [
        _related(owner)
        for owner in _owners(tree, methods, row)
        if owner.kind in _INTERFACES and (required := _methods(tree, owner)) and required <= methods
    ]


def _methods(tree: Tree, row: Row) -> frozenset[str]:
    """Returns the names of a type's methods, in any file of its folder."""
    folder = row.file.path.rpartition("/")[0]
    return frozenset(
        member.name
        for member in rows_of_container(tree, row.qualified_name)
        if member.kind in CALLABLE_KINDS and member.file.path.rpartition("/")[0] == folder
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


def _related(row: Row) -> RelatedSymbol:
    return RelatedSymbol(row.qualified_name, row, f"{row.file.path}:{row.line}", "")
