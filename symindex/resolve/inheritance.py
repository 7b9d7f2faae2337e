"""Supertypes and subtypes by the bases that files store, each bound in its own file."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from symindex.extract.file_bindings import DEFAULT, NO_SYMBOL, Base, Import
from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.resolve.binding.resolver import MOST_DEPTH, Resolver
from symindex.resolve.denoted import Kind
from symindex.resolve.modules.packages import OF_PACKAGES
from symindex.resolve.reading.expressions import names_of, types_in
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row

MOST_RENAMED: Final = 3
"""Most times that a base is followed under another name: through as many files that import it."""

MOST_NAMES: Final = 200
"""Most names under which a type is imported."""


MOST_ALIASES: Final = 20
"""Most other names of a symbol that are searched for."""


class Heir(NamedTuple):
    """A type and one of its bases.

    row: the subtype; `None` if only its name is known. name: of the subtype. base: the supertype;
    `None` if the tree does not define it. written: the base as the code names it. others: how many
    more types the base may be.
    """

    row: Row | None
    name: str
    base: Row | None
    written: str
    others: int = 0


def bases_of(resolver: Resolver, row: Row) -> list[Heir]:
    """Returns the supertypes that a type names, and those that are implemented for it elsewhere."""
    file = resolver.files.of(row)
    number = file.numbers.get(row, NO_SYMBOL)
    heirs = [
        heir
        for base in file.bindings.bases
        if base.symbol == number and base.symbol != NO_SYMBOL and not base.owner
        for heir in _bound(resolver, file, base, row)
    ]
    for other, base in _naming(resolver, [row.name]):
        if base.owner and row in _owners(resolver, other, base):
            heirs += _bound(resolver, other, base, row)
    return heirs


def heirs_of(resolver: Resolver, rows: Sequence[Row]) -> dict[Row, list[Heir]]:
    """Returns for each type what names it as a base, under any name."""
    heirs: dict[Row, list[Heir]] = {row: [] for row in rows}
    wholes: dict[Row, list[Row]] = {}
    for row in rows:
        for part in resolver.packages.parts(row):
            wholes.setdefault(part, []).append(row)
    names = _other_names(resolver, [names_of(row.name)[-1] for row in rows if names_of(row.name)])
    for file, base in _naming(resolver, names):
        last = [names_of(name)[-1:] for name in types_in(base.type)]
        if not any(name and name[0] in names for name in last):
            continue
        for owner in _owners(resolver, file, base):
            for heir in _bound(resolver, file, base, owner):
                if heir.base in wholes and heir.base != owner:
                    for row in wholes[heir.base]:
                        heirs[row].append(heir)
    return heirs


def _bound(resolver: Resolver, file: FileFacts, base: Base, owner: Row) -> Iterator[Heir]:
    """Yields the base of a type, bound; each that is possible if the code does not decide."""
    is_inside = not base.owner
    found = (
        resolver.lineages.base(owner, base.type, MOST_DEPTH)
        if is_inside
        else resolver.of_type(file, file.around(base), base.type)
    )
    written = next(iter(types_in(base.type)), base.type)
    types = [row for row in found.rows if row != owner]
    if types:
        names = {(row.file.path, row.qualified_name) for row in types}  # alternatives count once
        for row in types:
            yield Heir(owner, owner.qualified_name, row, written, len(names) - 1)
    elif found.kind is Kind.UNKNOWN and (last := names_of(written)[-1:]):
        family = resolver.tree.languages.relatives_of(file.file.known_language)
        possible = [
            row
            for row in resolver.files.named(last[0])
            if _can_be_base(row) and row != owner and row.file.known_language in family
        ]
        possible = _within(resolver, file, base, owner, written, possible)
        for row in possible:
            yield Heir(owner, owner.qualified_name, row, written, max(1, len(possible) - 1))
        if not possible:
            yield Heir(owner, owner.qualified_name, None, written)
    else:
        yield Heir(owner, owner.qualified_name, None, written)


def _within(
    resolver: Resolver, file: FileFacts, base: Base, owner: Row, written: str, rows: list[Row]
) -> list[Row]:
    """Leaves out the symbols that are elsewhere than in what qualifies the name of a base, as far
    as that is known."""
    qualifier = written[: written.rfind(names_of(written)[-1])].rstrip(".:\\ ")
    if not qualifier:
        return rows
    if base.owner:
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
    """Returns the subtypes of a stored base."""
    if not base.owner:
        return [file.rows[base.symbol]] if 0 <= base.symbol < len(file.rows) else []
    found = resolver.of_type(file, file.around(base), base.owner)
    return [*found.rows]


def _can_be_base(row: Row) -> bool:
    return KINDS[row.kind].quality == 0 or row.kind is SymbolKind.MODULE


def _other_names(resolver: Resolver, names: Iterable[str]) -> set[str]:
    """Returns the names, and those that imports give to what has one of them."""
    known, fresh = set(names), set(names)
    for _ in range(MOST_RENAMED):
        renamed = {
            one.local
            for file in _importing(resolver, fresh)
            for one in file.bindings.imports
            if one.name in fresh and one.local
        }
        fresh = renamed - known
        known |= fresh
        if not fresh or len(known) > MOST_NAMES:
            break
    return known


def aliases_of(resolver: Resolver, row: Row) -> list[str]:
    """Returns the other names under which files import a symbol that is no member."""
    around = resolver.files.of(row).by_name.get(row.container, [])
    if row.container and not any(one.kind in OF_PACKAGES for one in around):
        return []
    aliases: dict[str, None] = {}
    rules = resolver.files.rules_of(resolver.files.of(row))
    known = fresh = {row.name, *([DEFAULT] if rules is not None and rules.defaults else [])}
    for _ in range(MOST_RENAMED):
        renamed = {
            one.local
            for file in _importing(resolver, fresh)
            for one in file.bindings.imports
            if one.name in fresh and one.local not in known and _is_of(resolver, file, one, row)
        } - {""}
        aliases.update(dict.fromkeys(sorted(renamed)))
        known, fresh = known | renamed, renamed
        if not fresh:
            break
    return [*aliases][:MOST_ALIASES]


def _is_of(resolver: Resolver, file: FileFacts, one: Import, row: Row) -> bool:
    """Whether an import is of a symbol."""
    resolver.work.begin()
    return row in resolver.exports.imported(file, one, MOST_DEPTH).rows


def _naming(resolver: Resolver, names: Iterable[str]) -> Iterator[tuple[FileFacts, Base]]:
    """Yields the bases in files whose bindings contain one of the names."""
    for file in resolver.files.mentioning(names):
        for base in file.bindings.bases:
            yield file, base


def _importing(resolver: Resolver, names: Iterable[str]) -> Iterator[FileFacts]:
    """Yields the files that import one of the names, and perhaps others: a stored import ends with
    the name."""
    return resolver.files.mentioning([f"\t{name}{end}" for name in names for end in "\n\0"])
