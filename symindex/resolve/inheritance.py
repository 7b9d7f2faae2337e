"""Supertypes and subtypes by the bases that files store, each bound in its own file."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from symindex.extract.file_bindings import NO_SYMBOL, Base
from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.resolve.aliases import MOST_RENAMED, importing, of_whole, whole_names
from symindex.resolve.binding.resolver import MOST_DEPTH, Resolver
from symindex.resolve.denoted import Kind, Place, is_callable
from symindex.resolve.reading.expressions import arguments_of, names_of, types_in
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row

MOST_NAMES: Final = 200
"""Most names under which a type is imported."""


_VALUES: Final = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})

_PLAIN: Final = re.compile(r"[\w$.:\\ &]+(?:[<\[].*[>\]])?")
"""Matches the name of a type, perhaps with arguments, but no call."""


class Heir(NamedTuple):
    """A type and one of its bases.

    row: the subtype; `None` if only its name is known. name: of the subtype. base: the supertype;
    `None` if the tree does not define it. written: the base as the code names it. others: how many
    more types the base may be. file: where the base is stated of a type that the tree does not
    define, which `name` names as it is written there.
    """

    row: Row | None
    name: str
    base: Row | None
    written: str
    others: int = 0
    file: FileFacts | None = None


def bases_of(resolver: Resolver, row: Row) -> list[Heir]:
    """Returns the supertypes that a type names, and those that are implemented for it elsewhere."""
    file = resolver.files.of(row)
    number = file.numbers.get(row, NO_SYMBOL)
    heirs = [
        meant
        for base in file.bindings.bases
        if base.symbol == number and base.symbol != NO_SYMBOL and not base.owner
        for heir in _bound(resolver, file, base, row)
        for meant in _without_aliases(resolver, heir)
    ]
    for other, base in _naming(resolver, [row.name]):
        if base.owner and row in _owners(resolver, other, base):
            heirs += _bound(resolver, other, base, row)
    return heirs


def _without_aliases(resolver: Resolver, heir: Heir) -> list[Heir]:
    """Returns a base, or what it is another name of."""
    meant = resolver.lineages.meant(heir.base) if heir.base is not None else []
    whole = [row for row in meant if not resolver.lineages.meant(row)]
    return [heir._replace(base=row) for row in whole] or [heir]


def heirs_of(resolver: Resolver, rows: Sequence[Row]) -> dict[Row, list[Heir]]:
    """Returns for each type what names it as a base, under any name."""
    heirs: dict[Row, list[Heir]] = {row: [] for row in rows}
    wholes: dict[Row, list[Row]] = {}
    for row in rows:
        for part in (*resolver.packages.parts(row), *_again(resolver, row)):
            wholes.setdefault(part, []).append(row)
    names = _other_names(resolver, [names_of(row.name)[-1] for row in rows if names_of(row.name)])
    for file, base in _naming(resolver, names):
        written = [*_types_in(resolver, file, base), *arguments_of(base.type)]
        last = [names_of(name)[-1:] for name in written]
        if not any(name and name[0] in names for name in last):
            continue
        owners: list[Row | None] = [*_owners(resolver, file, base)]
        for owner in owners or ([None] if base.owner else []):
            for heir in _bound(resolver, file, base, owner):
                for row in _supertypes(resolver, heir, wholes):
                    heirs[row].append(heir)
    return heirs


def _again(resolver: Resolver, row: Row) -> list[Row]:
    """Returns the other definitions of a type in its file, such as those of a template for some
    arguments; none where types of one name differ in the number of theirs."""
    file = resolver.files.of(row)
    if resolver.is_packaged(file) and not resolver.packages.sees_files(file):
        return []
    rows = file.by_name.get(row.qualified_name, ())
    return [one for one in rows if one != row and one.kind is row.kind]


def _supertypes(resolver: Resolver, heir: Heir, wholes: Mapping[Row, list[Row]]) -> list[Row]:
    """Returns the requested types that a base means, directly or by another name. wholes: these,
    by the definitions of each."""
    if heir.base is None:
        return []
    meant = (heir.base, *resolver.lineages.meant(heir.base))
    found = (row for one in meant if one != heir.row for row in wholes.get(one, ()))
    return [*dict.fromkeys(found)]


def _bound(resolver: Resolver, file: FileFacts, base: Base, owner: Row | None) -> Iterator[Heir]:
    """Yields the base of a type, bound; each that is possible if the code does not decide. owner:
    the type; `None` if the tree does not define it."""
    resolver.work.begin()
    found = (
        resolver.lineages.base(owner, base.type, MOST_DEPTH)
        if owner is not None and not base.owner
        else resolver.of_type(file, file.around(base), base.type)
    )
    written = next(iter(_types_in(resolver, file, base)), base.type)
    types = [row for row in found.rows if row != owner]
    types = [*filter(_can_be_base, types)] or types  # a function may have the name of a type
    name = owner.qualified_name if owner is not None else base.owner
    stated = file if owner is None else None
    if types:
        names = {(row.file.path, row.qualified_name) for row in types}  # alternatives count once
        for row in types:
            yield Heir(owner, name, row, written, len(names) - 1, stated)
    elif given := _given(resolver, file, base, owner):
        for row in given:
            yield Heir(owner, name, row, written, 1, stated)
    elif found.kind is Kind.UNKNOWN and (last := names_of(written)[-1:]):
        family = resolver.tree.languages.relatives_of(file.file.known_language)
        possible = [
            row
            for row in resolver.files.named(last[0])
            if _can_be_base(row) and row != owner and row.file.known_language in family
        ]
        possible = _within(resolver, file, base, owner, written, possible)
        for row in possible:
            yield Heir(owner, name, row, written, max(1, len(possible) - 1), stated)
        if not possible:
            yield Heir(owner, name, None, written)
    else:
        yield Heir(owner, name, None, written)


def _types_in(resolver: Resolver, file: FileFacts, base: Base) -> list[str]:
    """Returns the types that a base names, those in wrappers for these: `Cart` of
    `Partial<Cart>`."""
    rules = resolver.files.rules_of(file)
    return types_in(base.type, rules.wrappers if rules is not None else ())


def _given(resolver: Resolver, file: FileFacts, base: Base, owner: Row | None) -> list[Row]:
    """Returns the types that a function gets which returns a base: it may extend each of them."""
    if owner is None:
        return []
    found = [resolver.of_type(file, owner.container, one) for one in arguments_of(base.type)]
    return [row for one in found for row in one.rows if row != owner and _can_be_base(row)]


def _within(
    resolver: Resolver,
    file: FileFacts,
    base: Base,
    owner: Row | None,
    written: str,
    rows: list[Row],
) -> list[Row]:
    """Leaves out the symbols that are elsewhere than in what qualifies the name of a base, as far
    as that is known."""
    qualifier = written[: written.rfind(names_of(written)[-1])].rstrip(".:\\ ")
    if not qualifier:
        return rows
    if owner is None or base.owner:
        around = resolver.of_type(file, file.around(base), qualifier).rows
    else:
        around = resolver.lineages.base(owner, qualifier, MOST_DEPTH).rows
    types = [row for row in around if resolver.files.is_type(row)]
    lineages = [resolver.lineages.of(row) for row in types]
    if not types or not all(is_whole for _, is_whole in lineages):
        return rows
    whole_name = resolver.packages.whole_name
    names = {whole_name(row) for lineage, _ in lineages for row in lineage}
    return [row for row in rows if whole_name(row).rpartition(".")[0] in names]


def _owners(resolver: Resolver, file: FileFacts, base: Base) -> list[Row]:
    """Returns the subtypes of a stored base: what an alias means, unless with arguments of types,
    which the alias alone tells."""
    if not base.owner:
        return [file.rows[base.symbol]] if 0 <= base.symbol < len(file.rows) else []
    if _is_wrapped(resolver, file, base.owner):
        return []
    found: dict[Row, None] = {}
    owners = resolver.of_type(file, file.around(base), base.owner).rows
    if not owners:  # a function that makes values, as long as the language has no classes
        place = Place(file, file.around(base))
        owners = tuple(filter(is_callable, resolver.denoted(place, base.owner).rows))
    for row in owners:
        facts = resolver.files.of(row).facts_of(row)
        has_arguments = any(sign in fact.type for fact in facts for sign in "<[")
        meant = [] if has_arguments else resolver.lineages.meant(row)
        found.update(dict.fromkeys(meant[-1:] or [row]))
    return [*found]


def _is_wrapped(resolver: Resolver, file: FileFacts, written: str) -> bool:
    """Whether a subtype is a wrapper of a type, which does not inherit with it: `Box<Cart>`."""
    rules, names = resolver.files.rules_of(file), types_in(written)
    return rules is not None and bool(names) and names_of(names[0])[-1] in rules.wrappers


def _can_be_base(row: Row) -> bool:
    return KINDS[row.kind].quality == 0 or row.kind is SymbolKind.MODULE


def _other_names(resolver: Resolver, names: Iterable[str]) -> set[str]:
    """Returns the names, and those that imports and aliases give to what has one of them."""
    known, fresh = set(names), set(names)
    for _ in range(MOST_RENAMED):
        imports = [
            (file, one)
            for file in importing(resolver, fresh)
            for one in file.bindings.imports
            if one.name in fresh and one.local
        ]
        renamed = {one.local for _, one in imports}
        whole = [file for file, one in imports if one.local in whole_names(resolver, file)]
        renamed |= {one.local for _, one in of_whole(resolver, whole)}
        renamed |= {
            name for file in resolver.files.mentioning(fresh) for name in _aliases(file, fresh)
        }
        fresh = renamed - known
        known |= fresh
        if not fresh or len(known) > MOST_NAMES:
            break
    return known


def _aliases(file: FileFacts, names: Collection[str]) -> Iterator[str]:
    """Yields the names of the symbols of a file that are other names of a type: an alias, or a
    constant whose value is the name of the type."""
    for fact in file.bindings.types:
        told = fact.type or fact.value
        if fact.name or not _PLAIN.fullmatch(told) or fact.symbol == NO_SYMBOL:
            continue
        if any(names_of(one)[-1] in names for one in types_in(told)):
            row = file.rows[fact.symbol]
            if row.kind is SymbolKind.TYPE if fact.type else row.kind in _VALUES:
                yield row.name


def _naming(resolver: Resolver, names: Iterable[str]) -> Iterator[tuple[FileFacts, Base]]:
    """Yields the bases in files whose bindings contain one of the names."""
    for file in resolver.files.mentioning(names):
        for base in file.bindings.bases:
            yield file, base
