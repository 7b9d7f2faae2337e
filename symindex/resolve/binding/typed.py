"""What the types of variables, fields and results denote, as code declares them."""

import re
from collections.abc import Sequence
from typing import Final

from symindex.extract.file_bindings import (
    NOTHING,
    NTH,
    POINTER,
    SELF,
    TAKEN,
    TypeFact,
)
from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve.binding.callbacks import parameter_of
from symindex.resolve.binding.components import given_to
from symindex.resolve.binding.core import Core
from symindex.resolve.binding.enclosing import parameters
from symindex.resolve.denoted import (
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    Written,
    is_type,
    united,
)
from symindex.resolve.modules.exports import MOST_DEPTH
from symindex.resolve.reading.expressions import (
    OWN_TYPES,
    Step,
    boxed_in,
    element_of,
    is_array,
    is_collection,
    is_typed_literal,
    is_unnamed,
    names_of,
    parameter_type,
    steps_of,
    types_in,
)
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row

LEFT_OUT: Final = "_"
"""Stands for a type that the compiler finds."""


class Typed(Core):
    """The part of a resolver for these."""

    def element(self, denoted: Denoted, is_index: bool, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what an element of a collection denotes, at an index or in a loop."""
        written = denoted.written
        if written is None or denoted.kind not in (Kind.FOREIGN, Kind.UNKNOWN):
            return UNKNOWN
        inner = self._element_text(written, is_index)
        if not inner:
            return UNKNOWN
        if is_unnamed(inner):
            return FOREIGN
        return self.of_type(written.file, written.container, inner, depth - 1)

    def _element_text(self, written: Written, is_index: bool) -> str:
        rules = self.files.rules_of(written.file)
        return element_of(written.text, rules, is_index) if rules is not None else ""

    def unnamed_type(self, place: Place, depth: int = MOST_DEPTH) -> Denoted | None:
        """Returns what the nearest type around a place extends, if that type has no name."""
        told = place.local.get(SELF, [NOTHING])
        return self.declared_as(place, told, depth) if told != [NOTHING] else None

    def lacks_constant(self, file: FileFacts, name: str) -> bool:
        """Whether no symbol has a name that begins with a capital, in a language in which any file
        sees all of these."""
        rules = self.files.rules_of(file)
        is_open = rules is not None and rules.modules == "global" and rules.open_types
        return is_open and name[:1].isupper() and self.files.lack_type([name])

    def literal(self, place: Place, text: str) -> Denoted | None:
        """Returns a value of the type of a literal to which the tree adds; `None` if it adds
        nothing, or for any other expression."""
        rules = self.files.rules_of(place.file)
        for pattern, name in rules.literals if rules is not None else ():
            if re.fullmatch(pattern, text.strip()):
                rows = tuple(row for row in self.files.named(name) if not row.container)
                own = tuple(filter(self.files.is_type, rows))[:1]
                return Denoted(Kind.VALUE, own) if own else None
        return None

    def declared_as(self, place: Place, texts: Sequence[str], depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a declared name denotes. texts: what its declarations say, as in
        `Place.local`; all of them count."""
        found = []
        for text in texts:
            if text[:1] == "(":
                found.append(self._argument(place, text[1:], depth - 1))
            elif text[:1] == "<":
                found.append(given_to(self, place, text[1:], depth - 1))
            elif text[:1] == TAKEN:
                found.append(self._taken_member(place, text[1:], depth - 1))
            elif text[:1] == NTH:
                found.append(parameter_of(self, place, text[1:], depth - 1))
            elif text[:1] == ":" and is_unnamed(text[1:]):
                found.append(FOREIGN)
            elif text[:1] == ":":
                found.append(self._of_type_here(place, text[1:], depth - 1))
            elif text[:1] == "=":
                found.append(self.denoted(place, text[1:], depth - 1))
            elif text in self.block_values:
                found.append(self.block_values[text])
            elif text[:1] == "^":
                found.append(self._entered(place, text[1:], depth - 1))
            elif text[:1] in ("*", "["):
                is_typed = is_typed_literal(text[1:])
                of = (
                    self.of_type(place.file, place.container, text[1:], depth - 1)
                    if is_typed
                    else self.denoted(place, text[1:], depth - 1)
                )
                found.append(self.element(of, text[0] == "[", depth - 1))
            else:
                found.append(UNKNOWN)
        return united(found) if found else UNKNOWN

    def _of_type_here(self, place: Place, text: str, depth: int) -> Denoted:
        """Returns a value of a type that is written at a place, where one of several imports of its
        name may count."""
        names = names_of(text)
        if len(names) == 1 and any(one.local == names[0] for one in place.imports):
            found = self.followed(place._replace(is_type=True), steps_of(text), depth)
            rows = tuple(filter(self.files.is_type, found.rows))
            if rows:
                return Denoted(Kind.VALUE, rows)
        return self.of_type(place.file, place.container, text, depth)

    def _entered(self, place: Place, text: str, depth: int) -> Denoted:
        """Returns what a statement gives a name that enters a value: what a method of the value
        returns, if it has one, else the value."""
        value, rules = self.denoted(place, text, depth), self.files.rules_of(place.file)
        return self._through(value, rules.enterers if rules is not None else (), depth)

    def got(self, row: Row, value: Denoted, depth: int) -> Denoted:
        """Returns what a member denotes that a type gives a value: what a method of the value
        returns, if it is one that tells what the member gets, else the value."""
        rules = self.files.rules_of(self.files.of(row))
        names = rules.descriptors if rules is not None and row.container else ()
        return self._through(value, names, depth)

    def _through(self, value: Denoted, names: Sequence[str], depth: int) -> Denoted:
        """Returns what the first of some methods of a value returns; the value if it has none."""
        for name in names if value.kind is Kind.VALUE else ():
            method = self.member(value, name, depth)
            if method.kind is not Kind.SYMBOL or not method.rows:
                continue
            rules = self.files.rules_of(self.files.of(method.rows[0]))
            facts = [fact for row in method.rows for fact in self.files.of(row).facts_of(row)]
            is_own = any(rules is not None and fact.value in rules.this for fact in facts)
            if is_own or self.lineages.returns_own(method):
                return value
            return united([self.type_of(row, depth) for row in method.rows])
        return value

    def _taken_member(self, place: Place, text: str, depth: int) -> Denoted:
        """Returns what a local name denotes that is a member of a value. text: as behind TAKEN."""
        name, _, told = text.partition(" ")
        holder = self.declared_as(place, [told], depth)
        return self.stepped(place, holder, Step(name), depth)

    def _argument(self, place: Place, text: str, depth: int) -> Denoted:
        """Returns what a parameter denotes: the number of the argument and its function are
        given."""
        number, _, called = text.partition(" ")
        function = self.denoted(place, called, depth)
        rows = [
            row
            for one in function.rows
            for row in (self._constructors(one) if is_type(one) else [one])
        ]
        types = [
            parameter_type(row.index.signature(row.number), row.name, int(number)) for row in rows
        ]
        if function.kind is not Kind.SYMBOL or not types or not all(types):
            return UNKNOWN
        return united(
            [
                self.of_type(self.files.of(row), row.qualified_name, type_, depth - 1)
                for row, type_ in zip(rows, types, strict=True)
            ]
        )

    def _constructors(self, type_row: Row) -> list[Row]:
        rules = self.files.rules_of(self.files.of(type_row))
        names = rules.constructors if rules is not None else ()
        return [row for name in names for row in self.own_members(type_row, name)]

    def _is_wrapper(self, rules: BindingRules, alias: Row) -> bool:
        """Whether a type is another name of one in a wrapper."""
        return bool(rules.pointers) and any(
            _names_pointer(rules, fact.type) for fact in self.files.of(alias).facts_of(alias)
        )

    def _is_pointer(self, alias: Row) -> bool:
        """Whether a type is another name of a pointer."""
        return any(fact.type.endswith(POINTER) for fact in self.files.of(alias).facts_of(alias))

    def _lacks(self, file: FileFacts, names: Sequence[str]) -> bool:
        """Whether the tree cannot have a type of a name that was not found."""
        last = names[-1:] if self.packages.sees_files(file) else names
        return self.files.lack_type(last)

    def is_wrappers(self, denoted: Denoted, name: str, before: str) -> bool | None:
        """Whether a member is one of the wrapper of a value; `None` if that is not known.

        before: the code in front of its name.
        """
        rules = self.files.rules_of(self.files.of(denoted.rows[0])) if denoted.rows else None
        if rules is None or not denoted.is_wrapped:
            return False
        if name in rules.optionals:
            return None if before.rstrip(" .")[-1:] not in ("?", "!") else False
        if not rules.arrow:
            return name in rules.wrapped
        sign = before.rstrip().removesuffix("template").rstrip()
        return not sign.endswith(rules.arrow) if sign.strip("…") else None

    def type_of(self, row: Row, depth: int) -> Denoted:
        """Returns what a variable, field or result of a function denotes: a value of a type."""
        if row not in self._types:
            if row in self.being_typed:
                return UNKNOWN
            self.being_typed.add(row)
            found = self._type_of(row, depth)
            self.being_typed.discard(row)
            if found.kind is Kind.UNKNOWN and depth < MOST_DEPTH // 2:
                return found
            self._types[row] = found
        return self._types[row]

    def _type_of(self, row: Row, depth: int) -> Denoted:
        if depth <= 0 or self.work.is_spent():
            return UNKNOWN
        file = self.files.of(row)
        if row.kind is SymbolKind.ENUM_MEMBER:
            types = file.by_name.get(row.container, [])
            return Denoted(Kind.VALUE, tuple(types[:1])) if types else UNKNOWN
        facts = file.facts_of(row)
        if not facts and (outer := file.by_name.get(row.container)):  # what methods assign
            facts = file.facts_of(outer[0], row.name)
        return self.of_facts(row, facts or self._behind(row), depth - 1)

    def _behind(self, row: Row) -> list[TypeFact]:
        """Returns what is known of the variable of a property, which a sign tells from it."""
        language = self.tree.languages.by_id[row.file.known_language]
        file, prefixes = self.files.of(row), language.rules.identifier_prefixes
        around = file.by_name.get(row.container, []) if row.kind is SymbolKind.PROPERTY else []
        return [
            fact
            for one in around
            for sign in prefixes
            for fact in file.facts_of(one, sign + row.name)
        ]

    def of_facts(self, row: Row, facts: Sequence[TypeFact], depth: int) -> Denoted:
        file = self.files.of(row)
        is_scope = is_type(row) or row.kind in CALLABLE_KINDS
        container = row.qualified_name if is_scope else row.container
        found = []
        for fact in facts[:4]:
            if fact.type:
                found.append(self.of_type(file, container, fact.type, depth))
            else:
                local = parameters(self.files.rules_of(file), file, container)
                place = Place(file, container, local)
                found.append(self.denoted(place, fact.value, depth))
        known = [one for one in found if one.kind is not Kind.UNKNOWN]
        return united(known) if known else UNKNOWN

    def of_type(
        self, file: FileFacts, container: str, text: str, depth: int = MOST_DEPTH
    ) -> Denoted:
        """Returns the values of a type as it is written in a file, inside a container."""
        if depth <= 0:
            return UNKNOWN
        rules = self.files.rules_of(file)
        if rules is None:
            return UNKNOWN
        if text.endswith(POINTER):
            value = self.of_type(file, container, text.rstrip(POINTER), depth)
            return value._replace(is_pointed=True) if value.kind is Kind.VALUE else value
        if is_array(text):
            return FOREIGN._replace(written=Written(file, container, text))
        place = Place(file, container, is_type=True)
        if inner := boxed_in(text, rules.boxes):
            held = self.of_type(file, container, inner, depth - 1)
            return held._replace(is_boxed=True) if held.kind is Kind.VALUE else held
        is_wrapped = _names_pointer(rules, text)
        found = []
        for name in types_in(text, rules.wrappers)[:6]:
            names = names_of(name)
            if len(names) == 1 and (of := file.parameter(container, names[0])) is not None:
                bound = "" if names[0] in types_in(of.type) else of.type
                found.append(self.of_type(file, container, bound, depth - 1))
                continue
            if names[-1] in rules.any_types or names == [LEFT_OUT]:
                found.append(UNKNOWN)
                continue
            if names in OWN_TYPES:
                around = self.type_around(place)
                own = Denoted(Kind.VALUE, (around,), is_wrapped=is_wrapped) if around else UNKNOWN
                found.append(own)
                continue
            denoted = self.followed(place, steps_of(name), depth - 1)
            denoted = self.exports.given(denoted, depth - 1)
            types = self.packages.with_arity(denoted.rows, text, name) or tuple(
                row for row in denoted.rows if self.files.is_type(row) or self.files.is_variant(row)
            )
            if types:
                is_inside = is_wrapped or any(self._is_wrapper(rules, row) for row in types)
                found.append(Denoted(Kind.VALUE, types, is_wrapped=is_inside))
                found[-1] = found[-1]._replace(is_pointed=any(map(self._is_pointer, types)))
            elif rules.accessors and "<" in text and not is_collection(text, rules.collections):
                found.append(UNKNOWN)  # a pointer, an iterator or a container
            else:
                is_lacking = self._lacks(file, names) or self.lacks_constant(file, names[0])
                found.append(FOREIGN if denoted.kind is Kind.FOREIGN or is_lacking else UNKNOWN)
        of_all = united(found) if found else UNKNOWN
        has_arguments = of_all.kind is not Kind.MODULE and any(map(text.count, "[<"))
        return of_all._replace(written=Written(file, container, text)) if has_arguments else of_all


def _names_pointer(rules: BindingRules, text: str) -> bool:
    if rules.optionals and text.rstrip().endswith("?"):
        return True
    return bool(rules.pointers) and any(
        names_of(name)[-1] in rules.pointers for name in types_in(text)
    )
