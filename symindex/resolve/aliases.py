"""The other names that imports give to a symbol: of its own name, and of a module that is the
symbol as a whole."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from symindex.extract.bound import own_text
from symindex.extract.file_bindings import DEFAULT, INJECTED, NO_SYMBOL, Import
from symindex.resolve.binding.resolver import MOST_DEPTH, Resolver
from symindex.resolve.modules.module_files import module_path
from symindex.resolve.modules.packages import OF_PACKAGES
from symindex.resolve.reading.expressions import names_of
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.suffixes import shorter_names
from symindex.resolve.tree import Row

MOST_RENAMED: Final = 3
"""Most times that a name is followed under another: through as many files that import it."""

MOST_ALIASES: Final = 20
"""Most other names of a symbol that are searched for."""

_ENDS: Final = ("\n", "\0")
"""What ends a stored binding."""


class Renamed(NamedTuple):
    """An import that gives something a name, and the file that it is in."""

    file: FileFacts
    one: Import


def aliases_of(resolver: Resolver, row: Row) -> list[str]:
    """Returns the other names under which files import a symbol that is no member, those that types
    give to one that they inherit, and those that uses of a type may have without a suffix."""
    shorter = shorter_names(resolver, row)
    around = resolver.files.of(row).by_name.get(row.container, [])
    if row.container and not any(one.kind in OF_PACKAGES for one in around):
        return [*shorter, *_in_types(resolver, row)][:MOST_ALIASES]
    aliases: dict[str, None] = {}
    wholes = whole_names(resolver, resolver.files.of(row))
    own = names_of(row.name)[-1] if names_of(row.name) else row.name
    known = fresh = {own, *([DEFAULT] if wholes else [])}
    given: set[str] = set()  # the paths of modules that are the symbol as a whole
    for _ in range(MOST_RENAMED):
        found = [*_by_name(resolver, row, fresh, known)]
        whole = [one.file for one in found if one.one.local in wholes]
        while whole := [file for file in whole if file.path not in given]:
            given.update(file.path for file in whole)
            more = [one for one in of_whole(resolver, whole) if _is_of(resolver, *one, row)]
            found += more
            whole = [one.file for one in more if one.one.local in wholes]
        fresh = {one.local for _, one in found} - {"", *known, *wholes}
        aliases.update(dict.fromkeys(sorted(fresh)))
        known = known | fresh
        if not fresh:
            break
    return [*dict.fromkeys((*shorter, *aliases))][:MOST_ALIASES]


def _in_types(resolver: Resolver, row: Row) -> list[str]:
    """Returns the other names of a member in types that inherit it."""
    rules = resolver.files.rules_of(resolver.files.of(row))
    own = own_text(rules, row.name) if rules is not None and rules.mixed_in else ""
    found: dict[str, None] = {}
    for file in resolver.files.mentioning([f"\t{own}{end}" for end in _ENDS] if own else []):
        for fact in file.bindings.types:
            if fact.value == own and fact.name and fact.symbol != NO_SYMBOL:
                resolver.work.begin()
                meant = resolver.member_of_type(file.rows[fact.symbol], fact.name)
                found.update({fact.name: None} if row in meant.rows else {})
    return [*found]


def _by_name(
    resolver: Resolver, row: Row, names: Collection[str], known: Collection[str]
) -> Iterator[Renamed]:
    """Yields the imports of a symbol by one of some names, under a name that is not known."""
    for file in importing(resolver, names):
        for one in file.bindings.imports:
            if (
                one.local not in known
                and one.local[:1] != INJECTED
                and _may_name(one, names)
                and _is_of(resolver, file, one, row)
            ):
                yield Renamed(file, one)


def whole_names(resolver: Resolver, file: FileFacts) -> frozenset[str]:
    """Returns the names for what is exported instead of a module, in a file's language."""
    rules = resolver.files.rules_of(file)
    return frozenset(rules.defaults if rules is not None else ()) - {DEFAULT}


def of_whole(resolver: Resolver, modules: Iterable[FileFacts]) -> Iterator[Renamed]:
    """Yields the imports of whole modules that may be some files: the path ends with the name of
    one, or with none, such as `..`."""
    stems = {
        name
        for path in (file.path for file in modules)
        for name in (path.rpartition("/")[2], module_path(path).rpartition("/")[2])
        if name
    }
    if not stems:
        return
    ends = [f"{sign}{stem}\t{end}" for stem in stems for sign in "\t/" for end in _ENDS]
    ends += [f"{sign}\t{end}" for sign in "./" for end in _ENDS]
    for file in resolver.files.mentioning(ends):
        for one in file.bindings.imports:
            last = one.module.rpartition("/")[2]
            if not one.name and (last in stems or not last.strip(".")):
                yield Renamed(file, one)


def _may_name(one: Import, names: Collection[str]) -> bool:
    """Whether an import is of one of the names, or of a whole name that ends with one."""
    module = names_of(one.module)
    return one.name in names if one.name else bool(module) and module[-1] in names


def _is_of(resolver: Resolver, file: FileFacts, one: Import, row: Row) -> bool:
    """Whether an import is of a symbol."""
    resolver.work.begin()
    found = resolver.exports.imported(file, one, MOST_DEPTH)
    return row in resolver.exports.given(found, MOST_DEPTH).rows


def importing(resolver: Resolver, names: Iterable[str]) -> Iterator[FileFacts]:
    """Yields the files that import one of the names, and perhaps others: a stored import ends with
    the name, or with a whole name that ends with it."""
    ends = [f"{name}{end}" for name in names for end in _ENDS]
    wholes = [f"{name}\t{end}" for name in names for end in _ENDS]
    return resolver.files.mentioning([*(f"\t{end}" for end in ends), *wholes])
