"""What bare names denote: by local declarations, imports, and what is defined around them."""

import re
from collections.abc import Sequence
from typing import Final

from symindex.extract.file_bindings import Import
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve.binding.core import Core
from symindex.resolve.denoted import (
    DOUBTFUL,
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    is_callable,
    is_named_as_its_type,
    is_type,
    united,
    with_type,
)
from symindex.resolve.modules import extensions
from symindex.resolve.modules.exports import MOST_DEPTH
from symindex.resolve.modules.packages import STYLES
from symindex.resolve.reading.files import FileFacts, is_title
from symindex.resolve.tree import Row

MOST_IMPORTS: Final = 4
"""Most imports of one name at one place; a condition chooses one of them when the code runs."""

_OF_OBJECTS: Final = frozenset({SymbolKind.KEY, SymbolKind.METHOD})
"""The kinds of members of an object, which its own code does not see by their bare names."""


_OF_VALUES: Final = CALLABLE_KINDS | {SymbolKind.PROPERTY}
"""The kinds of what is called for a value, or reads what it has."""


class Names(Core):
    """The part of a resolver for these."""

    def is_packaged(self, file: FileFacts) -> bool:
        """Whether the names of a file are found by whole names."""
        rules = self.files.rules_of(file)
        return rules is not None and rules.modules in STYLES

    def name(self, place: Place, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a bare name denotes."""
        if depth <= 0:
            return UNKNOWN
        if name in place.local:
            return self._local(place, name, depth)
        named = [
            one
            for one in place.imports
            if one.local == name and (one.module or one.name != name)  # not an export of itself
        ]
        if imports := self.exports.of_packages(place.file, named):
            return self._by_imports(place, name, imports, depth)
        written_in = place.container
        if place.is_free and self._is_function(place.file, written_in):
            place = place._replace(container=written_in.rpartition(".")[0])
        around, is_outer = self._defined_around(place, written_in, name, depth)
        if around is not None:
            return around
        of_inner = self.exports.of_inner(place.file, written_in, name, depth)
        if of_inner.kind is not Kind.UNKNOWN:
            return of_inner
        if (of_package := self._of_package(place, name, is_outer)) is not None:
            return of_package
        found = self.exports.exported(place.file, name, depth)
        if found.kind is Kind.UNKNOWN and (rows := self._further_out(place, name)):
            return self.packages.denoted(place.file, self._apart(place, rows))
        if not found.rows and found.kind is not Kind.MODULE:
            found = self._ambient(place, name) or found
        is_lacking = found.kind is Kind.UNKNOWN and self.lacks_constant(place.file, name)
        return FOREIGN if is_lacking else found

    def _by_imports(
        self, place: Place, name: str, imports: Sequence[Import], depth: int
    ) -> Denoted:
        """Returns what a name denotes by imports of it, or by the definition that its file has,
        too."""
        own = [row for row in place.file.by_name.get(name, ()) if not is_title(row)]
        is_at_top = all(one in place.file.imports.get(name, ()) for one in imports)
        if is_at_top and any(is_type(row) or row.kind in CALLABLE_KINDS for row in own):
            return self.exports.exported(place.file, name, depth)
        found = united(
            [self.exports.imported(place.file, one, depth) for one in imports[:MOST_IMPORTS]]
        )
        return self.exports.with_module(place.file, name, found)

    def _defined_around(
        self, place: Place, written_in: str, name: str, depth: int
    ) -> tuple[Denoted | None, bool]:
        """Returns what a name denotes that the functions and types around a place define or
        inherit, and whether methods of a type further out are not seen by their bare names.

        written_in: the container of the name itself.
        """
        inner = written_in
        is_own_alone, is_outer = self.calls_own_alone(place.file), False
        while inner:
            is_passed = place.is_free and (
                self._has_open_bodies(place.file) or self._is_function(place.file, inner)
            )
            is_passed = is_passed or self._is_prefix(place, inner, name)
            rows = () if is_passed else self._defined_in(place.file, inner, name)
            rows = () if is_outer and not any(map(is_type, rows)) else rows
            if rows and (not place.is_type or any(map(is_type, rows))):
                return Denoted(Kind.SYMBOL, rows), is_outer
            inherited = self._inherited(place.file, inner, name, depth)
            is_other = place.is_type and not any(map(is_type, inherited.rows))
            is_other = is_other or (is_outer and not any(map(is_type, inherited.rows)))
            if inherited.kind is not Kind.UNKNOWN and not is_other:
                return inherited, is_outer
            is_block = inner in place.file.titles or self._is_function(place.file, inner)
            is_outer = is_outer or (is_own_alone and not is_block)
            inner = inner.rpartition(".")[0]
        return None, is_outer

    def _of_package(self, place: Place, name: str, is_outer: bool) -> Denoted | None:
        """Returns what a name denotes in the packages around a place, or in none; `None` where
        names of packages do not lead to symbols. is_outer: as `_defined_around` returns it."""
        rules = self.files.rules_of(place.file)
        if rules is None or rules.modules not in STYLES or name in place.file.imports:
            return None
        is_open = rules.modules != "packages"
        rows = self.packages.around(place.file, place.container, name, is_open)
        if is_outer and not place.file.package:
            rows = tuple(row for row in rows if row.kind not in _OF_VALUES or not row.container)
        are_of_all = all(is_callable(row) and not row.container for row in rows)
        if rows and are_of_all and self._may_be_given(place):
            return DOUBTFUL
        if rows:
            return self.packages.denoted(place.file, self._apart(place, rows))
        sees_top = rules.open_functions or not (place.file.package or rules.imports_types)
        rows = self.packages.named(place.file, "", name) if sees_top else ()
        if rows and not (rules.imports_types and is_type(rows[0])):
            return self.packages.denoted(place.file, self._apart(place, rows))
        return None

    def _may_be_given(self, place: Place) -> bool:
        """Whether a function may give the type around a place members, which its bare names mean
        then."""
        around = self.type_around(place) if not self._needs_receiver(place.file) else None
        return around is not None and self.is_hooked(self.lineages.of(around)[0])

    def _ambient(self, place: Place, name: str) -> Denoted | None:
        """Returns what a name denotes that a file declares for all; `None` for none. What a
        library has under a name of its own is not hidden where a value is meant."""
        rows = self.ambient.named(place.file, name) if name not in place.file.imports else ()
        rows = tuple(row for row in rows if is_type(row) == place.is_type) or rows
        return Denoted(Kind.SYMBOL, tuple(self.files.merged(rows) or rows)) if rows else None

    def _further_out(self, place: Place, name: str) -> tuple[Row, ...]:
        """Returns the only type of a name, if it is in a package around that of a file: a file may
        declare several, one inside of the other, and see what each has."""
        rules = self.files.rules_of(place.file)
        if rules is None or not rules.relative or name in place.file.imports:
            return ()
        rows = self.packages.around(place.file, place.container, name, True)
        types = [row for row in self.files.named(name) if is_type(row)]
        is_only = {row.qualified_name for row in types} == {row.qualified_name for row in rows}
        return rows if is_only and all(map(is_type, rows)) else ()

    def calls_own_alone(self, file: FileFacts) -> bool:
        """Whether a bare name calls methods of the innermost type alone."""
        return bool(self.tree.languages.by_id[file.file.known_language].rules.roles.bare_calls)

    def _is_prefix(self, place: Place, inner: str, name: str) -> bool:
        """Whether `inner` is only the beginning of the whole name of a module around a place: in
        `A.B`, the name `B` does not mean that module."""
        is_own = f"{place.container}.".startswith(f"{inner}.{name}.")
        return is_own and inner != place.file.package and inner not in place.file.by_name

    def _has_open_bodies(self, file: FileFacts) -> bool:
        """Whether it is known of each bare name if the body of a type around binds it."""
        return self.tree.languages.by_id[file.file.known_language].rules.roles.open_bodies

    def _is_function(self, file: FileFacts, name: str) -> bool:
        rows = file.by_name.get(name, ())
        return any(row.kind in CALLABLE_KINDS for row in rows)

    def _apart(self, place: Place, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """Of types and other symbols that share a name, returns those that a place means."""
        if not self.packages.sees_files(place.file):
            return rows
        return tuple(row for row in rows if is_type(row) == place.is_type) or rows

    def _defined_in(self, file: FileFacts, container: str, name: str) -> tuple[Row, ...]:
        """Returns what is defined in a function or type around a place and seen by its bare name:
        members only where they need no receiver."""
        found = file.by_name.get(f"{container}.{name}", [])
        rows = [row for row in found if not (is_named_as_its_type(row) or is_title(row))]
        rows = [row for row in rows if not self.files.explicit_type(row)]
        outer = file.by_name.get(container, [])
        if self._needs_receiver(file) and not (outer and is_type(outer[0])):
            rows = [row for row in rows if row.kind not in _OF_OBJECTS or _names_itself(row)]
        likes = self.packages.likes(rows, rows[0]) if rows else ()
        rules = self.files.rules_of(file)
        if rules is not None and rules.overloads and not any(map(is_type, rows)):
            functions = [row for row in rows if is_callable(row)]
            values = [row for row in rows if row not in functions]
            likes = (*likes, *values[:1], *functions)  # the use tells which of the two is meant
        rows = [*dict.fromkeys((*(self.files.merged(rows) or with_type(rows)), *likes))]
        is_hidden = bool(rows) and bool(outer) and is_type(outer[0]) and self._needs_receiver(file)
        return () if is_hidden and not is_type(rows[0]) else tuple(rows)

    def _inherited(self, file: FileFacts, container: str, name: str, depth: int) -> Denoted:
        """Returns what a type around a place inherits, where members need no receiver, or what its
        other parts define."""
        outer = [row for row in file.types_by_name.get(container, ()) if self.files.is_type(row)]
        if self.packages.sees_files(file):
            seen = self.type_at(file, container)
            outer = [seen] if seen is not None else []
        elif not outer and container not in file.by_name:
            is_extended = extensions.are_allowed(self.files, file)
            outer = self.extended_in(file, container, depth) if is_extended else []
        if not outer or self._needs_receiver(file):
            return UNKNOWN
        members = [self.member_of_type(row, name, depth - 1) for row in outer[:2]]
        found = united([one for one in members if one.rows] or members[:1])
        return UNKNOWN if found.kind is Kind.FOREIGN else found

    def _needs_receiver(self, file: FileFacts) -> bool:
        language = self.tree.languages.by_id[file.file.known_language]
        return language.rules.roles.methods_have_receivers

    def _local(self, place: Place, name: str, depth: int) -> Denoted:
        without = {key: value for key, value in place.local.items() if key != name}
        return self.declared_as(place._replace(local=without), place.local[name], depth)


def _names_itself(row: Row) -> bool:
    """Whether the function that is a member of an object has its name for itself as well:
    `{ add: function add() {} }`."""
    if row.kind is not SymbolKind.METHOD:
        return False
    name = re.escape(row.name)
    signature = row.index.signature(row.number)
    return re.search(rf"\b{name}\b[^{{(=>]*\b{name}\b", signature) is not None
