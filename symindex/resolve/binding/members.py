"""What members of types, values and modules denote: their own, inherited ones, and those that code
adds from outside; and which type is around a place."""

import re
from collections.abc import Sequence

from symindex.extract.file_bindings import INDEXED, NO_SYMBOL, TypeFact
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve.binding.core import Core
from symindex.resolve.binding.enclosing import type_around
from symindex.resolve.denoted import (
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    has_members,
    is_callable,
    is_type,
    united,
)
from symindex.resolve.modules import extensions
from symindex.resolve.modules.exports import MOST_DEPTH, has_crates
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row


class Members(Core):
    """The part of a resolver for these."""

    def _gives_access(self, type_row: Row) -> bool:
        """Whether a value of a type may give access to members of others."""
        rules = self.files.rules_of(self.files.of(type_row))
        return rules is not None and any(
            self.own_members(row, name)
            for name in rules.accessors
            for row in self.lineages.of(type_row)[0]
        )

    def _type_around_seen(self, place: Place) -> Row | None:
        """Returns the innermost type around a place, in any file that this one sees."""
        name = place.container
        while name:
            if (row := self.type_at(place.file, name)) is not None:
                return row
            name = name.rpartition(".")[0]
        return None

    def type_at(self, file: FileFacts, whole: str) -> Row | None:
        """Returns the type with a whole name that a file sees, of its own ones if names of other
        files are not seen."""
        rows: Sequence[Row] = file.by_name.get(whole, ())
        if self.packages.sees_files(file):
            container, _, name = whole.rpartition(".")
            rows = [row for row in self.packages.named(file, container, name) if is_type(row)]
            rows = rows or self.packages.outside(file, whole)
        return rows[0] if rows and self.files.is_type(rows[0]) else None

    def _module_around(self, place: Place, word: str) -> Denoted:
        """Returns the module that the first word of a path means: one inside the file, the file
        itself, or one above it. An import may be in any module of its file."""
        names = place.container.split(".")
        prefixes = [".".join(names[: end + 1]) for end in range(len(names))]
        inner = [
            row
            for prefix in prefixes
            for row in place.file.by_name.get(prefix, ())[:1]
            if row.kind is SymbolKind.MODULE
        ]
        up = -1 if word == "self" else -2
        if word != "crate" and len(inner) >= -up:
            return Denoted(Kind.SYMBOL, (inner[up],))
        if word == "super" and inner:
            return self.exports.crate(place.file, "self")
        return self.exports.crate(place.file, word, is_inside=not place.container)

    def type_around(self, place: Place) -> Row | None:
        """Returns the type around a place, which its file may import."""
        key = place.file.path, place.container
        if key in self._around:
            return self._around[key]
        found = self._find_around(place)
        if not self.work.is_spent():
            self._around[key] = found
        return found

    def _find_around(self, place: Place) -> Row | None:
        if self.packages.sees_files(place.file):
            return self._type_around_seen(place)
        if not has_crates(self.files.rules_of(place.file)):
            return type_around(self.files, place)
        name = place.container
        while name:
            if rows := place.file.by_name.get(name, []):
                found = next((row for row in rows if is_type(row)), None)
            else:
                last = name.rpartition(".")[2]
                rows = [*self.exports.exported(place.file, last, MOST_DEPTH * 2 // 3).rows]
                found = next((row for row in rows if is_type(row)), None)
            if found is not None:
                return found
            name = name.rpartition(".")[0]
        return None

    def member(self, denoted: Denoted, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a member of something denotes."""
        if depth <= 0:
            return UNKNOWN
        if denoted.is_boxed:
            return UNKNOWN if self._is_of_trait(name) else FOREIGN
        if denoted.kind is Kind.MODULE and denoted.is_package:
            file = self.files.at(denoted.paths[1])
            return self.packages.member(file, denoted.paths[0], name) if file else UNKNOWN
        if denoted.kind is Kind.MODULE:
            replaced = self.exports.replaced(denoted.paths, depth - 1)
            if replaced.rows and (whole := self.member(replaced, name, depth - 1)).rows:
                return whole
            found = self.exports.in_module(denoted.paths, name, depth - 1)
            if found.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                if below := self.exports.inner_module(denoted.paths, name):
                    return Denoted(Kind.MODULE, paths=tuple(below))
                whole = self.exports.whole(denoted.paths, depth - 1)
                if whole.rows:
                    return self.member(whole, name, depth - 1)
            return found
        found_members = [
            self.member_of_type(row, name, depth - 1)
            for row in denoted.rows
            if has_members(row) or denoted.kind is Kind.VALUE
        ]
        if denoted.kind is Kind.SYMBOL and denoted.rows[0].kind is SymbolKind.MODULE:
            file = self.files.of(denoted.rows[0])
            if has_crates(self.files.rules_of(file)) and name in file.imports:
                found_members = [one for one in found_members if one.kind is not Kind.UNKNOWN]
                return (
                    found_members[0] if found_members else self.exports.exported(file, name, depth)
                )
        if denoted.kind is Kind.SYMBOL and denoted.paths and not found_members:
            return self.member(Denoted(Kind.MODULE, paths=denoted.paths), name, depth)
        names = {row.qualified_name for row in denoted.rows}
        if len(names) == 1 and any(row.kind is SymbolKind.MODULE for row in denoted.rows):
            # of a type and the module that is called like it, the one that has the member
            found_members = [one for one in found_members if one.rows] or found_members
        return united(found_members) if found_members else UNKNOWN

    def member_of_type(self, type_row: Row, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a member of a type or of its supertypes denotes. FOREIGN if none of them
        has it, and all are known."""
        lineage, is_whole = self.lineages.of(type_row)
        is_extended = extensions.are_allowed(self.files, self.files.of(type_row))
        for row in lineage:
            rows = self.own_members(row, name)
            if is_extended and (rows := self._plain(rows)):  # which may have overloads elsewhere
                rows = tuple(dict.fromkeys((*rows, *self._added([row], name, depth))))
            if not rows and row != type_row:
                rows = self._injected(row, name)
            if rows:
                return Denoted(Kind.SYMBOL, rows)
            facts = self._assigned(row, name)
            if facts and not is_type(row):
                return self._given(row, facts, depth - 1)
            if facts:
                return self.of_facts(row, facts, depth - 1)
        for row in lineage:
            if facts := self._assigned(row, INDEXED):
                return self.of_facts(row, facts, depth - 1)
        if is_extended and (added := self._added(lineage, name, depth)):
            return Denoted(Kind.SYMBOL, added)
        if not is_extended and (called := self._called_on(lineage, is_whole, name, depth)):
            return called
        is_whole = is_whole and not any(self.files.of(row).file.known.has_error for row in lineage)
        rules = self.files.rules_of(self.files.of(type_row))
        is_open = rules is not None and rules.open_types and self._is_of_trait(name)
        is_open = is_open or self._gives_access(type_row) or self.is_hooked(lineage)
        return FOREIGN if is_whole and is_type(type_row) and not is_open else UNKNOWN

    def _indexed(self, value: Denoted, depth: int) -> Denoted | None:
        """Returns what a value has at an index, if its type declares that; `None` if not."""
        found = [
            self.of_facts(row, facts, depth - 1)
            for of in value.rows
            for row in self.lineages.of(of)[0]
            if (facts := self._assigned(row, INDEXED))
        ]
        return united(found) if found else None

    def is_hooked(self, lineage: Sequence[Row]) -> bool:
        """Whether a function of a type or of its supertypes may give the type more members."""
        rules = self.files.rules_of(self.files.of(lineage[0]))
        hooks = rules.hooks if rules is not None else ()
        return any(
            self.own_members(row, name) or self._assigned(row, name)
            for name in hooks
            for row in lineage
        )

    def overloads(self, denoted: Denoted, name: str) -> tuple[Row, ...]:
        """Returns the functions of a name that types have or inherit, nearest first."""
        lineages = [self.lineages.of(row)[0] for row in denoted.rows if is_type(row)]
        rows = [
            row
            for lineage in lineages
            for of in lineage
            for row in self.own_members(of, name)
            if row.kind in CALLABLE_KINDS
        ]
        return tuple(dict.fromkeys(rows))

    def _is_of_trait(self, name: str) -> bool:
        """Whether a trait of the tree has a member of a name, which any type may have then."""
        if name not in self._of_traits:
            self._of_traits[name] = any(
                outer.kind in (SymbolKind.TRAIT, SymbolKind.INTERFACE)
                for row in self.files.named(name)
                for outer in self.files.of(row).by_name.get(row.container, ())
            )
        return self._of_traits[name]

    def _plain(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """Leaves out the members that are added to a type of a library, which come last."""
        return tuple(row for row in rows if not extensions.is_extension(self.files, row))

    def _added(self, lineage: Sequence[Row], name: str, depth: int) -> tuple[Row, ...]:
        """Returns the members of a name that the tree adds to types from outside."""
        found = []
        for row in extensions.find(self.files, lineage, name):
            of = self._extended(row, depth)
            if of.kind is not Kind.FOREIGN and (not of.rows or set(of.rows) & set(lineage)):
                found.append(row)
        return tuple(found)

    def _called_on(
        self, lineage: Sequence[Row], is_whole: bool, name: str, depth: int
    ) -> Denoted | None:
        """Returns the functions of a name that are called as members of values of a type; `None` if
        there are none. is_whole: whether all of its supertypes are known."""
        file = self.files.of(lineage[0])
        if not extensions.have_receivers(self.files, file):
            return None
        sure, possible = [], []
        for row in self.files.named(name):
            text = extensions.receiver_of(self.files, row)
            if text is None or row.file.known_language not in self.files.family(file):
                continue
            of = self.of_type(self.files.of(row), row.qualified_name, text, depth - 1)
            if set(of.rows) & set(lineage):
                sure.append(row)
            elif of.kind is Kind.UNKNOWN or (of.kind is Kind.FOREIGN and not is_whole):
                possible.append(row)
        if not sure:
            return UNKNOWN if possible else None
        return Denoted(Kind.SYMBOL, (*sure, *possible))

    def _extended(self, row: Row, depth: int = MOST_DEPTH) -> Denoted:
        """Returns a value of the type that a member is added to."""
        outer, _, last = row.container.rpartition(".")
        file = self.files.of(row)
        if file.parameter(row.qualified_name, last) is not None:
            return UNKNOWN
        return self.of_type(file, outer, last, depth - 1)

    def _extended_around(self, file: FileFacts, container: str, depth: int) -> Denoted:
        """Returns a value of the type to which the code around a place adds members."""
        while container:
            for row in file.by_name.get(container, ()):
                if extensions.is_extension(self.files, row):
                    return self._extended(row, depth)
            container = container.rpartition(".")[0]
        return UNKNOWN

    def _extended_inside(self, place: Place, around: Row, depth: int) -> Denoted | None:
        """Returns a value of the type to which a member of the type around a place adds members;
        `None` if it adds none."""
        container = place.container
        while container.startswith(f"{around.qualified_name}."):
            rows = place.file.by_name.get(container, ())
            if any(map(is_type, rows)):
                return None
            for row in rows:
                is_own = row.container == around.qualified_name
                if not is_own and extensions.is_extension(self.files, row):
                    return self._extended(row, depth)
            container = container.rpartition(".")[0]
        return None

    def extended_in(self, file: FileFacts, container: str, depth: int) -> list[Row]:
        """Returns the types of a name to which a file only adds members."""
        added = [row for row in file.rows if row.container == container][:1]
        return [*self._extended(added[0], depth).rows] if added else []

    def is_added_elsewhere(self, row: Row) -> bool:
        """Whether a member is added to a type that the tree does not define, or to any."""
        if extensions.is_of_conversion(self.files, row):
            return True
        if not extensions.is_extension(self.files, row):
            return False
        return self._extended(row).kind is not Kind.VALUE

    def own_members(self, type_row: Row, name: str) -> tuple[Row, ...]:
        """Returns the members of a name that a type itself defines, in any of its files."""
        file = self.files.of(type_row)
        if self.is_packaged(file):
            rows = [*self.packages.named(file, self.packages.whole_name(type_row), name)]
            if not self.packages.sees_files(file):
                parts = self.packages.parts(type_row)
                rows = [
                    row
                    for row in rows
                    if any(self.packages.is_member(row, part) for part in parts)
                    and not self.files.explicit_type(row)
                ]
            return tuple(rows) or self.of_companions(type_row, name)
        container = type_row.qualified_name
        rows = file.by_name.get(f"{container}.{name}", [])
        if has_crates(self.files.rules_of(file)):  # a field and a method may share a name
            return tuple(rows) or self._implemented(type_row, name)
        if rows:  # an alias of several types without names has the member of each
            return tuple(rows if type_row.kind is SymbolKind.TYPE else rows[:1])
        for other in self.ambient.others(type_row):
            if rows := self.files.of(other).by_name.get(f"{other.qualified_name}.{name}", []):
                return tuple(rows[:1])
        folder, family = file.path.rpartition("/")[0], self.files.family(file)
        return tuple(
            row
            for row in self.files.named(name)
            if row.container == container
            and row.file.path != file.path
            and row.file.path.rpartition("/")[0] == folder
            and row.file.known_language in family
            and not self._has_own_type(row, file)
        )

    def _has_own_type(self, row: Row, other: FileFacts) -> bool:
        """Whether the file of a member defines its type, so that a type of that name in another
        file does not have it; not if the one declares what the other defines."""
        file = self.files.of(row)
        types = file.by_name.get(row.container, ())
        return any(map(is_type, types)) and _stem(file.path) != _stem(other.path)

    def of_companions(self, type_row: Row, name: str) -> tuple[Row, ...]:
        """Returns the members of a name that inner types give to a type."""
        file = self.files.of(type_row)
        rules = self.files.rules_of(file)
        if rules is None or not rules.companions:
            return ()
        return tuple(
            member
            for row in file.rows
            if row.container == type_row.qualified_name and is_type(row)
            if re.search(rules.companions, row.index.signature(row.number))
            for member in self.own_members(row, name)
        )

    def _injected(self, type_row: Row, name: str) -> tuple[Row, ...]:
        """Returns the members of a name that a type puts into those that inherit from it: what its
        functions define."""
        file = self.files.of(type_row)
        rules = self.files.rules_of(file)
        if rules is None or not any(self.own_members(type_row, one) for one in rules.injectors):
            return ()
        return tuple(
            row
            for row in file.rows
            if row.name == name
            and row.container.rpartition(".")[0] == type_row.qualified_name
            and any(map(is_callable, file.by_name.get(row.container, ())))
        )

    def _implemented(self, type_row: Row, name: str) -> tuple[Row, ...]:
        """Returns the members of a name that code elsewhere gives to a type."""
        return tuple(
            row
            for row in self.files.named(name)
            if row.container.rpartition(".")[2] == type_row.name
            and (row.container, row.file.path) != (type_row.qualified_name, type_row.file.path)
            and self.type_around(Place(self.files.of(row), row.container)) == type_row
        )

    def _given(self, row: Row, facts: Sequence[TypeFact], depth: int) -> Denoted:
        """Returns what a member of an object denotes that gets what a name denotes, or the value of
        an expression. row: the object, or the function that returns it."""
        if any(fact.type or not fact.value.isidentifier() for fact in facts):
            return self.of_facts(row, facts, depth)
        inner = row.qualified_name if row.kind in CALLABLE_KINDS else row.container
        place = Place(self.files.of(row), inner)
        return united([self.name(place, fact.value, depth) for fact in facts])

    def gives_members(self, row: Row) -> bool:
        """Whether a function returns an object some of whose members are known."""
        file = self.files.of(row)
        return file.numbers.get(row, NO_SYMBOL) in file.with_members

    def _assigned(self, type_row: Row, name: str) -> list[TypeFact]:
        return self.files.of(type_row).facts_of(type_row, name)


def _stem(path: str) -> str:
    """Returns a path without the endings of the file's name."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name.partition('.')[0]}"
