"""The supertypes of types, bound in the file of each."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from symindex.extract.file_bindings import NO_SYMBOL, Base
from symindex.index.columns.file_bindings import files_binding
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.denoted import UNKNOWN, Denoted, Kind, is_type
from symindex.resolve.modules.packages import Packages
from symindex.resolve.reading.expressions import OWN_TYPES, names_of, types_in
from symindex.resolve.reading.files import FileFacts, Files
from symindex.resolve.tree import IndexedFile, Row

MOST_BASES: Final = 60
"""Most supertypes of a type that are searched for a member."""

MOST_ALIASES: Final = 4
"""Most other names of a type, each of the next, that are followed to it."""

_OF_OTHERS: Final = f"b\t{NO_SYMBOL}\t"
"""The beginning of a stored base of a type that is defined elsewhere."""

_PLAIN_BASES: Final = (["object"], ["Object"], ["Any"], ["AnyObject"])
"""Bases that add no member that a program defines."""


class Lineages:
    """The supertypes of types, each found once.

    of_type: binds a type as a file writes it, inside a container, within a number of steps.
    most_depth: that number.
    """

    def __init__(
        self,
        files: Files,
        packages: Packages,
        of_type: Callable[[FileFacts, str, str, int], Denoted],
        most_depth: int,
    ) -> None:
        self._files, self._packages = files, packages
        self._of_type, self._most_depth = of_type, most_depth
        self._known: dict[Row, tuple[tuple[Row, ...], bool]] = {}

    def of(self, type_row: Row) -> tuple[tuple[Row, ...], bool]:
        """Returns a type and its supertypes, nearest first, and each behind its own subtypes, whose
        members hide its own; and whether all are known."""
        if type_row not in self._known:
            self._known[type_row] = (type_row,), False  # for a base inside the type itself
            found: dict[Row, set[Row]] = {type_row: set()}
            level, is_whole = [type_row], True
            while level and len(found) < MOST_BASES:
                below, level = level, []
                for row in below:
                    bases, is_known = self.bases(row, self._most_depth)
                    is_whole = is_whole and is_known
                    level += [base for base in bases if base not in found]
                    for base in bases:
                        found.setdefault(base, set()).add(row)
            self._known[type_row] = _subtypes_first(found), is_whole and len(found) < MOST_BASES
        return self._known[type_row]

    def lowest(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Leaves out the types that are above others of these, which have their members as well."""
        below = {row: self.of(row)[0] for row in rows} if len(rows) > 1 else {}
        return tuple(
            row for row in rows if not any(row in below[one] for one in below if one != row)
        ) or tuple(rows)

    def bases(self, type_row: Row, depth: int) -> tuple[list[Row], bool]:
        """Returns the supertypes that a type names, and whether all of them are known."""
        file = self._files.of(type_row)
        rows: list[Row] = []
        is_known = True
        for part in self._packages.parts(type_row):
            of_part = self._files.of(part)
            for text in of_part.bases.get(of_part.numbers.get(part, NO_SYMBOL), ()):
                found = self.base(part, text, depth)
                types = [row for row in found.rows if self._files.is_type(row) and row != type_row]
                rows += types
                is_known = is_known and (bool(types) or names_of(text)[-1:] in _PLAIN_BASES)
        meant, is_meant = self._meant(file, type_row, depth)
        stated, is_stated = self._stated(file, type_row, depth)
        ordered = self._mixed_in_first(file, [*rows, *meant, *stated])
        return ordered, is_known and is_meant and is_stated

    def _mixed_in_first(self, file: FileFacts, bases: list[Row]) -> list[Row]:
        """Returns supertypes in the order in which members are looked for: the one that is mixed in
        last hides the others."""
        rules = self._files.rules_of(file)
        kinds = rules.mixed_in if rules is not None else []
        mixed_in = [row for row in bases if row.kind in kinds]
        return [*reversed(mixed_in), *(row for row in bases if row.kind not in kinds)]

    def base(self, owner: Row, text: str, depth: int) -> Denoted:
        """Returns what a base denotes that the definition of a type names: where modules are mixed
        in, by the names inside the type first. Its own name means what is around it."""
        file = self._files.of(owner)
        has_mixins = self._files.has_mixins(owner)
        container = owner.qualified_name if has_mixins else owner.container
        found = self._of_type(file, container, text, depth - 1)
        while container and found.rows == (owner,):
            container = container.rpartition(".")[0]
            found = self._of_type(file, container, text, depth - 1)
        types = tuple(
            row for row in found.rows if is_type(row)
        )  # a protocol, not what implements it
        return found._replace(rows=types) if types else found

    def _stated(self, file: FileFacts, type_row: Row, depth: int) -> tuple[list[Row], bool]:
        """Returns the supertypes that code elsewhere states for a type, those whose members it
        has as well, and whether all are known: those of libraries have no member of the tree."""
        rules = self._files.rules_of(file)
        if rules is None or not (rules.open_types or rules.extensions):
            return [], True
        parts = self._packages.parts(type_row)
        found = [
            self._of_type(other, other.around(base), base.type, depth - 1)
            for other in self._naming(type_row.name)
            for base in other.bindings.bases
            if base.owner
            and any(row in parts for row in self._owners(other, base, type_row.name, depth))
        ]
        found += [
            self._of_type(file, type_row.qualified_name, fact.type, depth - 1)
            for name in rules.delegates
            for inner in file.by_name.get(f"{type_row.qualified_name}.{name}", ())
            for fact in file.facts_of(inner)
        ]
        rows = [
            row for one in found for row in one.rows if self._files.is_type(row) and row != type_row
        ]
        return rows, all(one.rows or one.kind is Kind.FOREIGN for one in found)

    def _owners(self, file: FileFacts, base: Base, name: str, depth: int) -> tuple[Row, ...]:
        if [names_of(one)[-1] for one in types_in(base.owner)] != [name]:
            return ()
        return self._of_type(file, file.around(base), base.owner, depth - 1).rows

    def _naming(self, name: str) -> Iterator[FileFacts]:
        """Yields the files whose bindings contain a name."""
        for part in self._files.tree.snapshot.parts:
            for number in files_binding(part.index, [name.encode()]):
                path = IndexedFile.of(part, number).path
                if part.counts(number) and (file := self._files.at(path)) is not None:
                    yield file

    def _meant(self, file: FileFacts, alias: Row, depth: int) -> tuple[list[Row], bool]:
        """Returns the types for which an alias is another name, and whether they are known: not if
        it is one of several types."""
        facts = file.facts_of(alias)
        if not facts:
            return [], alias.kind is not SymbolKind.TYPE or file.has_members(alias)
        container = alias.qualified_name.rpartition(".")[0]
        fact = facts[0]
        found = self._of_type(file, container, fact.type, depth - 1) if fact.type else UNKNOWN
        rows = [row for row in found.rows if row != alias]
        return ([], False) if "|" in fact.type else (rows, bool(rows))

    def meant(self, alias: Row) -> list[Row]:
        """Returns the types for which an alias is another name, through other aliases too, and
        these; none for what is no alias."""
        found: dict[Row, None] = {}
        fresh = [alias]
        for _ in range(MOST_ALIASES):
            fresh = [
                row
                for one in fresh
                if one.kind is SymbolKind.TYPE
                for row in self._meant(self._files.of(one), one, self._most_depth)[0]
                if row not in found
            ]
            found.update(dict.fromkeys(fresh))
        return [*found]

    def returns_own(self, found: Denoted) -> bool:
        """Whether a method's result is declared to be of the type of its receiver, which may be a
        subtype of the one that declares it."""
        if found.kind is not Kind.SYMBOL or not found.rows:
            return False
        facts = self._files.of(found.rows[0]).facts_of(found.rows[0])
        return bool(facts) and all(types_in(one.type) in OWN_TYPES for one in facts)


def _subtypes_first(subtypes: dict[Row, set[Row]]) -> tuple[Row, ...]:
    """Returns types in their order, but each behind its subtypes. subtypes: those of each type."""
    ordered: list[Row] = []
    left = {row: set(below) for row, below in subtypes.items()}
    while left:
        first = next((row for row, below in left.items() if not below), next(iter(left)))
        ordered.append(first)
        del left[first]
        for below in left.values():
            below.discard(first)
    return tuple(ordered)
