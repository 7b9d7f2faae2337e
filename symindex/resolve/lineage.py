"""The supertypes of types, bound in the file of each."""

from collections.abc import Callable
from functools import cached_property
from typing import Final

from symindex.extract.file_bindings import NO_SYMBOL, Base
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.denoted import UNKNOWN, Denoted, Kind, is_type
from symindex.resolve.expressions import OWN_TYPES, names_of, types_in
from symindex.resolve.files import FileFacts, Files
from symindex.resolve.tree import Row

MOST_BASES: Final = 60
"""Most supertypes of a type that are searched for a member."""

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
        of_type: Callable[[FileFacts, str, str, int], Denoted],
        most_depth: int,
    ) -> None:
        self._files, self._of_type, self._most_depth = files, of_type, most_depth
        self._known: dict[Row, tuple[tuple[Row, ...], bool]] = {}

    def of(self, type_row: Row) -> tuple[tuple[Row, ...], bool]:
        """Returns a type and its supertypes, nearest first, and whether all are known."""
        if type_row not in self._known:
            found, level, is_whole = {type_row: None}, [type_row], True
            while level and len(found) < MOST_BASES:
                below, level = level, []
                for row in below:
                    bases, is_known = self.bases(row, self._most_depth)
                    is_whole = is_whole and is_known
                    level += [base for base in bases if base not in found]
                    found.update(dict.fromkeys(bases))
            self._known[type_row] = tuple(found), is_whole and len(found) < MOST_BASES
        return self._known[type_row]

    @cached_property
    def _elsewhere(self) -> dict[str, list[tuple[FileFacts, Base]]]:
        """The bases that code names for types outside of them, by the names of the types."""
        by_name: dict[str, list[tuple[FileFacts, Base]]] = {}
        for file in self._files.mentioning([_OF_OTHERS]):
            for base in file.bindings.bases:
                for name in types_in(base.owner):
                    by_name.setdefault(names_of(name)[-1], []).append((file, base))
        return by_name

    def bases(self, type_row: Row, depth: int) -> tuple[list[Row], bool]:
        """Returns the supertypes that a type names, and whether all of them are known."""
        file = self._files.of(type_row)
        number = file.numbers.get(type_row, NO_SYMBOL)
        container = type_row.qualified_name.rpartition(".")[0]
        rows: list[Row] = []
        is_known = True
        for text in file.bases.get(number, ()):
            found = self._of_type(file, container, text, depth - 1)
            types = [row for row in found.rows if is_type(row) and row != type_row]
            rows += types
            is_known = is_known and (bool(types) or names_of(text)[-1:] in _PLAIN_BASES)
        for other, base in self._elsewhere.get(type_row.name, ()):
            if type_row in self._of_type(other, "", base.owner, depth - 1).rows:
                found = self._of_type(other, "", base.type, depth - 1)
                types = [row for row in found.rows if is_type(row) and row != type_row]
                rows += types
                is_known = is_known and bool(types)
        meant, is_meant = self._meant(file, type_row, depth)
        return [*rows, *meant], is_known and is_meant

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

    def returns_own(self, found: Denoted) -> bool:
        """Whether a method's result is declared to be of the type of its receiver, which may be a
        subtype of the one that declares it."""
        if found.kind is not Kind.SYMBOL or not found.rows:
            return False
        facts = self._files.of(found.rows[0]).facts_of(found.rows[0])
        return bool(facts) and all(types_in(one.type) in OWN_TYPES for one in facts)
