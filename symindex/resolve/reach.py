"""Whether a name can mean a symbol from where it is written."""

import re
from collections.abc import Sequence
from typing import Final

from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag, SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Denoted, Place, is_callable, is_type
from symindex.resolve.inheritance import heirs_of
from symindex.resolve.modules.exports import has_crates
from symindex.resolve.modules.packages import OF_PACKAGES, outward
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.reading.expressions import names_of
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row


def outside(place: Place, mention: Mention) -> Place:
    """Returns the place around the type whose header names a base: what the type inherits is not
    seen there."""
    rows = place.file.by_name.get(place.container, ())
    is_header = any(is_type(row) and row.line == mention.line for row in rows)
    outer = place.container.rpartition(".")[0]
    return place._replace(container=outer) if is_header else place


def is_parameter(file: FileFacts, mention: Mention, container: str) -> bool:
    """Whether a name is that of a type parameter around it."""
    return not mention.receiver and file.parameter(container, mention.name) is not None


def is_out_of_reach(
    resolver: Resolver, row: Row, owner: Row | None, path: str, mention: Mention, around: str
) -> bool:
    """Whether a symbol is a member of a type that the types around a bare name do not inherit from,
    and whose members the file of the name does not import.

    owner: the type of the symbol. around: the qualified name of the symbol around the use.
    """
    rules = resolver.files.rules_of(resolver.files.of(row))
    file = resolver.files.at(path)
    if owner is None or not is_type(owner) or file is None:
        return False
    if rules is None or not rules.imports_types:
        return False
    is_given = mention.role in ("write", "import") or mention.is_label or mention.holders
    if mention.receiver or is_given or f"{around}.".startswith(f"{row.container}."):
        return False
    modules = [one.module for one in resolver.packages.imports_of_all(file)]
    if any(module.rpartition(".")[2] == owner.name for module in modules):
        return False
    types = [
        one
        for name in outward(around)
        for one in file.by_name.get(name, ())
        if resolver.files.is_type(one)
    ]
    lineages = map(resolver.lineages.of, types)
    return bool(types) and all(whole and owner not in rows for rows, whole in lineages)


def is_one_type(resolver: Resolver, row: Row, own: Row) -> bool:
    """Whether two definitions are of one type, which may have several: in one package or file, or
    declared and defined apart."""
    files, packages = resolver.files, resolver.packages
    if row == own:
        return True
    if row.name != own.name or row.file.known_language not in files.family(files.of(own)):
        return False
    if resolver.is_packaged(files.of(own)):
        return packages.whole_name(row) == packages.whole_name(own)
    if row.file.path == own.file.path:
        return row.qualified_name == own.qualified_name
    return packages.are_one(row, own) is not False


def is_in_namesake(resolver: Resolver, own: Row, file: FileFacts, container: str) -> bool:
    """Whether a place is in a type that shares only its simple name with another one, and that the
    same file defines."""
    found = False
    for whole in outward(container):
        if whole.rpartition(".")[2] != own.name:
            continue
        types = [row for row in file.by_name.get(whole, ()) if is_type(row)]
        seen = resolver.type_at(file, whole)
        if any(is_one_type(resolver, row, own) for row in [*types, *([seen] if seen else [])]):
            return False
        found = found or bool(types)
    return found


def is_of_other_type(resolver: Resolver, own: Row | None, rows: Sequence[Row]) -> bool:
    """Whether a member is taken from a value of known types, to which only a supertype that the
    tree does not define could give those of a type. own: the type."""
    if own is None or not rows or not all(map(is_type, rows)):
        return False
    return not any(
        is_one_type(resolver, row, own) for of in rows for row in resolver.lineages.of(of)[0]
    )


def is_around(resolver: Resolver, row: Row, path: str, container: str) -> bool:
    """Whether a symbol is a method of a type around the one that a bare name is in, which calls it
    only by chance."""
    file = resolver.files.at(path)
    is_inside = container.startswith(f"{row.container}.") and row.container
    is_called = row.kind in (*CALLABLE_KINDS, SymbolKind.PROPERTY)
    if file is None or not (is_inside and is_called and resolver.calls_own_alone(file)):
        return False
    around = resolver.type_around(Place(file, container))
    return around is not None and around.qualified_name != row.container


def is_inner_elsewhere(resolver: Resolver, row: Row, owner: Row | None, container: str) -> bool:
    """Whether a symbol is a type inside another, which is not around a place: a bare name means it
    only by an import or a base. owner: that type."""
    file = resolver.files.of(row)
    is_named_whole = resolver.is_packaged(file) and not resolver.packages.sees_files(file)
    if not is_named_whole or not is_type(row) or owner is None:
        return False
    return not f"{container}.".startswith(f"{row.container}.")


def may_be_injected(resolver: Resolver, row: Row, container: str) -> bool:
    """Whether a symbol is a function that code from elsewhere may import into the module around a
    bare name."""
    rules = resolver.files.rules_of(resolver.files.of(row))
    is_elsewhere = not f"{container}.".startswith(f"{row.container}.")
    is_open = not row.flags & (SymbolFlag.PRIVATE | SymbolFlag.LOCAL)
    return rules is not None and bool(rules.injectors) and is_elsewhere and is_open


def is_beyond(resolver: Resolver, row: Row, path: str, container: str) -> bool:
    """Whether a module inside a symbol's file is around a bare name but not around the symbol,
    which such a module does not see without an import."""
    file = resolver.files.of(row)
    of_crates = has_crates(resolver.files.rules_of(file))
    if not of_crates or path != file.path or row.kind is SymbolKind.MACRO:
        return False
    around = container
    while around:
        if any(one.kind is SymbolKind.MODULE for one in file.by_name.get(around, ())):
            return not row.qualified_name.startswith(f"{around}.")
        around = around.rpartition(".")[0]
    return False


def is_of_unnamed(resolver: Resolver, row: Row) -> bool:
    """Whether a symbol is a method of a type without a name that a file returns, in a language in
    which no bare name calls a method."""
    language = resolver.tree.languages.by_id[row.file.known_language]
    is_method = row.kind is SymbolKind.METHOD and not row.container
    return is_method and language.rules.roles.methods_have_receivers


def is_added_to_language(
    resolver: Resolver, own: Row | None, mention: Mention, receiver: Denoted
) -> bool:
    """Whether a symbol is a member that code adds to a type of the language, and a value that the
    tree does not define may have it: one of another such type does not.

    own: the type. receiver: what the name is taken from.
    """
    rules = resolver.files.rules_of(resolver.files.of(own)) if own is not None else None
    if own is None or rules is None or not (rules.open_types and own.name in rules.builtins):
        return False
    of_literals = {name for _, name in rules.literals}
    if receiver.rows:
        are_of_language = all(row.name in rules.builtins for row in receiver.rows)
        return are_of_language and own.name not in of_literals
    is_type = _TYPE.fullmatch(mention.receiver) is not None
    return bool(mention.receiver) and not (is_type and own.name in of_literals)


def may_be_put_into(resolver: Resolver, row: Row, mention: Mention) -> bool:
    """Whether a symbol is one that its module puts into others or may declare for them, and a name
    is taken from one that is called like one of these, though the tree does not define it."""
    file = resolver.files.of(row)
    rules = resolver.files.rules_of(file)
    names = names_of(mention.receiver)
    if rules is None or not (rules.injectors and names):
        return False
    is_inside = any(map(is_callable, file.by_name.get(row.container, ())))
    if not (is_inside or is_callable(row)):
        return False
    outer = row.container.rpartition(".")[0] if is_inside else row.container
    types = [
        one
        for one in file.by_name.get(outer, ())
        if resolver.files.is_type(one)
        and any(resolver.own_members(one, name) for name in rules.injectors)
    ]
    heirs = heirs_of(resolver, types).values() if types else ()
    return any(names_of(heir.name)[-1:] == names[-1:] for found in heirs for heir in found)


_TYPE: Final = re.compile(r"(?:\w*(?:::|\.))*[A-Z]\w*")


def is_associated(resolver: Resolver, row: Row, owner: Row | None) -> bool:
    """Whether a symbol is a type or constant of an implementation, whose type has to be named
    before it. owner: the type that it is a member of."""
    of_crates = has_crates(resolver.files.rules_of(resolver.files.of(row)))
    is_one = of_crates and row.kind in (SymbolKind.TYPE, SymbolKind.CONSTANT)
    return is_one and owner is not None and owner.kind not in (SymbolKind.TRAIT, *OF_PACKAGES)
