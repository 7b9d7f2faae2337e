"""Binds an expression to what it denotes: a symbol, a value of a type, a module, something that the
tree does not define, or nothing that is known.

A name is looked for in the code around it, in what its file defines, and in what it imports; each
further name in the module, type or value before it. Types come from annotations, constructors and
declared results. Nothing else is inferred.
"""

import re
from typing import Final

from symindex.extract.file_bindings import NOTHING, SELF
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve.binding.access import accessed, reached
from symindex.resolve.binding.casts import Casts
from symindex.resolve.binding.generics import Generics
from symindex.resolve.binding.members import Members
from symindex.resolve.binding.names import Names
from symindex.resolve.binding.typed import Typed
from symindex.resolve.denoted import (
    DOUBTFUL,
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    fitting,
    is_callable,
    is_type,
    united,
)
from symindex.resolve.modules import extensions
from symindex.resolve.modules.exports import MOST_DEPTH, has_crates
from symindex.resolve.reading.expressions import (
    ROOT,
    Chain,
    Step,
    alternatives,
    chain_of,
    is_literal,
    is_unnamed,
    iterated_by,
    undecorated,
    with_names,
)
from symindex.resolve.tree import Row

_ADDRESS: Final = re.compile(r"\s*(?:&|new\b)")
"""What an expression begins with that leads to a pointer."""


def _opened(denoted: Denoted, step: Step) -> Denoted:
    """Returns what a box holds, after a step that opens it."""
    return denoted._replace(is_boxed=denoted.is_boxed and not step.is_opened)


class Resolver(Names, Members, Typed, Casts, Generics):
    """Binds expressions in the files of a tree. It keeps what it has read: make one a request."""

    def denoted(self, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what an expression denotes."""
        rules = self.files.rules_of(place.file)
        of_braces = FOREIGN
        if rules is not None and rules.objects:
            of_braces, text = UNKNOWN, undecorated(with_names(text), rules.decorating)
        found = [
            literal
            if (literal := self.literal(place, one)) is not None
            else (of_braces if one.lstrip().startswith("{") else FOREIGN)
            if is_literal(one)
            else converted
            if (converted := self.converted(place, one, depth)) is not None
            else self.followed(place, chain, depth)
            if (chain := chain_of(one))
            else self.cast(place, one, depth)
            for one in alternatives(text)[:4]
        ]
        known = [one for one in found if one.kind is not Kind.UNKNOWN]
        if not known:
            if DOUBTFUL in found:
                return DOUBTFUL
            return found[0] if len(found) == 1 else UNKNOWN
        first = known[0]
        has_pointers = rules is not None and bool(rules.accessors)
        if has_pointers and first.kind is Kind.VALUE and _ADDRESS.match(text) is not None:
            first = first._replace(is_pointed=True)
        if all(one.kind is first.kind for one in known):
            rows = dict.fromkeys(row for one in known for row in one.rows)
            written = first.written if len({one.written for one in known}) == 1 else None
            return first._replace(rows=tuple(rows), written=written)
        return next((one for one in known if one.rows), UNKNOWN)

    def receiver(self, place: Place, text: str) -> str:
        """Returns a receiver as it is read: with the members of objects as names."""
        rules = self.files.rules_of(place.file)
        return with_names(text) if rules is not None and rules.objects else text

    def followed(self, place: Place, chain: Chain, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a chain of names denotes."""
        if depth <= 0:
            return UNKNOWN
        if self.work.is_spent():
            return UNKNOWN
        if chain[0] == ROOT:
            denoted, rest = self._qualified(place, chain)
            denoted = FOREIGN if denoted.kind is Kind.UNKNOWN else denoted
        else:
            denoted, rest = self._first(place, chain[0], depth - 1), chain[1:]
        whole = denoted
        element = denoted = self._at_indexes(place, whole, chain[0], depth - 1)
        if denoted.kind is Kind.FOREIGN and rest and self._is_builtin(place, chain[0].name):
            whole, others = self._qualified(place, chain)  # it may begin the name of one of ours
            denoted, rest = (whole, others) if whole.rows else (denoted, rest)
        if denoted.kind is Kind.UNKNOWN and rest and self.is_packaged(place.file):
            denoted, rest = self._qualified(place, chain)
            if denoted.kind is Kind.UNKNOWN and self._is_of_library(place, chain):
                return FOREIGN
        if denoted.kind is Kind.UNKNOWN and (
            self.lacks(place, chain[0].name) or self._lacks_everywhere(place, chain[0])
        ):
            made = FOREIGN._replace(written=self.written_by(place, chain[0]) if not rest else None)
            return UNKNOWN if self._may_return(place, chain[1:]) else made
        denoted = _opened(denoted, chain[0]) if len(rest) == len(chain) - 1 else denoted
        before = chain[-len(rest) - 1]
        if element is not whole:  # the element itself was found
            before = before._replace(reach="")
        return self.along(place, denoted, (before, *rest), depth)

    def _is_cast(self, place: Place, step: Step) -> bool:
        rules = self.files.rules_of(place.file)
        return step.is_called and rules is not None and step.name in rules.casts

    def _is_value(self, place: Place, name: str) -> bool:
        """Whether the first name of a chain is a variable or member: fields of such a value may be
        of any type, those of a module or type of a library are the library's."""
        if name in place.local or any(self.means_around(place, name)):
            return True
        around = place.container
        while around and f"{around}.{name}" not in place.file.by_name:
            around = around.rpartition(".")[0]
        return bool(around)

    def along(self, place: Place, denoted: Denoted, chain: Chain, depth: int) -> Denoted:
        """Returns what the names of a chain denote that follow its first one, which denotes
        something."""
        is_extended = extensions.are_allowed(self.files, place.file)
        before = chain[0]
        for number, step in enumerate((*chain[1:], None), 1):
            denoted = self._reached(place, denoted, before.reach, depth)
            if step is None:
                break
            before = step
            if (taken := self._taken(denoted, step, depth - 1)) is not None:
                denoted = self._at_indexes(place, taken, step, depth - 1)
                before = step if denoted is taken else step._replace(reach="")
                continue
            if denoted.kind is Kind.UNKNOWN:
                return denoted
            if denoted.kind is Kind.FOREIGN:
                is_of_value = not step.is_called and self._is_value(place, chain[0].name)
                is_result = self._is_result(place, step) or self._is_cast(place, step)
                is_open = (
                    is_extended
                    or is_of_value
                    or is_result
                    or self._may_return(place, chain[number:])
                )
                return UNKNOWN if is_open else denoted
            if self._is_self(place, denoted, step):
                denoted = denoted._replace(kind=Kind.VALUE)
                continue
            denoted = accessed(self, place, denoted, step, depth - 1)
            if denoted.kind is Kind.UNKNOWN:
                return denoted
            if self.is_wrappers(denoted, step.name, step.sign) is not False:
                denoted = self._of_wrapper(place, denoted, step)
                continue
            denoted = denoted._replace(is_wrapped=False)
            found = self.member(denoted, step.name, depth - 1)
            if (kept := self._kept(place, denoted, step, found)) is not None:
                denoted = _opened(kept, step)
                continue
            # of a library's supertype, generated, another sort of member, or of a package that a
            # library has as well
            is_added = step.is_called and extensions.have_receivers(self.files, place.file)
            is_result = denoted.is_package and step.is_given and step.name[:1].islower()
            is_open = is_extended or is_added or is_result or self._is_caller(place, step)
            if found.kind is Kind.FOREIGN and is_open:
                return UNKNOWN
            is_own = step.is_called and self.lineages.returns_own(found)
            given = None if is_own else self.given(place, denoted, found, step, depth - 1)
            called = given or self._called(place, found, step, depth - 1)
            whole = _opened(denoted if is_own else called, step)
            denoted = self._at_indexes(place, whole, step, depth - 1)
            before = step if denoted is whole else step._replace(reach="")
        return denoted

    def _is_caller(self, place: Place, step: Step) -> bool:
        """Whether a method returns what a function does which it is given."""
        rules = self.files.rules_of(place.file)
        return rules is not None and step.is_called and step.name in rules.callers

    def stepped(self, place: Place, denoted: Denoted, step: Step, depth: int) -> Denoted:
        """Returns what a name denotes that follows something."""
        return self.along(place, denoted, (Step(SELF), step), depth)

    def _of_wrapper(self, place: Place, value: Denoted, step: Step) -> Denoted:
        """Returns what a member of the wrapper of a value denotes: the value, perhaps in another
        wrapper."""
        rules = self.files.rules_of(place.file)
        if rules is None or step.name not in rules.wrapped:
            return UNKNOWN
        return value._replace(is_wrapped=step.name in rules.keepers)

    def _kept(self, place: Place, value: Denoted, step: Step, found: Denoted) -> Denoted | None:
        """Returns the value itself, or what its box holds, after a step that every value has.

        found: the member of this name.
        """
        rules = self.files.rules_of(place.file)
        if rules is None or value.kind is not Kind.VALUE or found.kind is Kind.SYMBOL:
            return None
        if value.is_boxed and step.name in rules.openers:
            return value._replace(is_boxed=False)
        return value if step.name in rules.keepers else None

    def _reached(self, place: Place, denoted: Denoted, sign: str, depth: int) -> Denoted:
        """Returns what an element of a value denotes, or what it points to: a value of the type
        that is declared, unless the value gives access to those of other types."""
        rules = self.files.rules_of(place.file)
        if sign == "*" and (written := denoted.written) is not None:
            whole = iterated_by(written.text)
            inner = self._element_text(written._replace(text=whole), False) if whole else ""
            denoted = self.of_type(written.file, written.container, inner) if inner else denoted
        if not sign or rules is None or not rules.accessors:
            return denoted._replace(is_wrapped=denoted.is_wrapped and not sign)
        if (accessed := reached(self, place, denoted, sign, depth - 1)) is not None:
            return accessed
        if denoted.is_wrapped or denoted.is_pointed:
            return denoted._replace(is_wrapped=False, is_pointed=False)
        is_open = denoted.kind is Kind.FOREIGN or any(map(self._gives_access, denoted.rows))
        return UNKNOWN if is_open else denoted

    def _taken(self, denoted: Denoted, step: Step, depth: int) -> Denoted | None:
        """Returns what a method of a collection denotes that returns an element or a view of them;
        `None` for another step."""
        written = denoted.written
        if written is None or not step.is_called or denoted.kind is Kind.VALUE:
            return None
        rules = self.files.rules_of(written.file)
        if rules is not None and step.name in rules.getters:
            return self.element(denoted, True, depth)
        inner = self._element_text(written, True)
        if rules is None or step.name not in rules.views or not inner:
            return None
        return FOREIGN._replace(written=written._replace(text=f"{inner}[]"))

    def _at_indexes(self, place: Place, denoted: Denoted, step: Step, depth: int) -> Denoted:
        """Returns what an element denotes, after a step with indexes."""
        rules = self.files.rules_of(place.file)
        if rules is None:
            return denoted
        if rules.elements and not (denoted.written and self._element_text(denoted.written, True)):
            return denoted  # the type of the elements is declared for the whole
        for _ in range(step.n_indexes):
            if denoted.kind is Kind.VALUE and (of := self._indexed(denoted, depth)) is not None:
                denoted = of
            elif denoted.kind is not Kind.SYMBOL:  # else arguments of a type
                denoted = self.element(denoted, True, depth)
        return denoted

    def _is_builtin(self, place: Place, name: str) -> bool:
        rules = self.files.rules_of(place.file)
        return rules is not None and name in rules.builtins and self.is_packaged(place.file)

    def _is_of_library(self, place: Place, chain: Chain) -> bool:
        """Whether a chain begins with a whole name of a module that the tree does not define, in a
        language that writes these."""
        language = self.tree.languages.by_id[place.file.file.known_language]
        names = [step.name for step in chain if step.name[:1].isupper() and not step.is_called]
        is_bound = names and (names[0] in place.local or names[0] in place.file.imports)
        is_whole = bool(language.rules.roles.dotted) and len(names) == len(chain) and not is_bound
        return is_whole and not self.packages.is_package(".".join(names))

    def lacks(self, place: Place, name: str) -> bool:
        """Whether a name has the form of a type's that nothing brings into its file."""
        return self.packages.lacks(self.files.rules_of(place.file), place, name)

    def _is_result(self, place: Place, step: Step) -> bool:
        """Whether a function of a library is called that may return a value of a type of the tree:
        that of an argument. A name like a type's creates a value of that type, if functions have
        other names."""
        rules = self.files.rules_of(place.file)
        if not step.is_called:
            return False
        if self.is_packaged(place.file) or has_crates(rules):
            return True
        is_created = step.name[:1].isupper() and rules is not None and rules.modules != "folders"
        return step.is_given and not is_created

    def _may_return(self, place: Place, chain: Chain) -> bool:
        """Whether names of a library lead to a call that gets a value, and may return one of the
        same type."""
        return any(step.is_given and self._is_result(place, step) for step in chain)

    def _lacks_everywhere(self, place: Place, step: Step) -> bool:
        """Whether a name is a type's of a library: it has the form of a type's, no symbol has it,
        and neither the file nor a library's supertype of the type around may bring it."""
        rules, name = self.files.rules_of(place.file), step.name
        if rules is None or not (rules.imports_types and rules.modules == "global"):
            return False
        imports = {one.local for one in place.imports} | {*place.file.imports, *place.local}
        if step.is_called or not name[:1].isupper() or name in imports:
            return False
        around = self.type_around(place)
        is_whole = around is None or self.lineages.of(around)[1]
        return is_whole and self.files.lack_type([name])

    def _is_self(self, place: Place, denoted: Denoted, step: Step) -> bool:
        """Whether a step leads from a type to a value of it (`Type.this`, `Type.new`), or from a
        value to itself."""
        rules = self.files.rules_of(place.file)
        is_maker = rules is not None and step.name in rules.makers
        is_of_type = denoted.kind is Kind.SYMBOL and any(map(is_type, denoted.rows))
        if is_of_type and rules is not None and step.name in rules.enum_makers:
            are_enums = all(row.kind is SymbolKind.ENUM for row in denoted.rows)
            return are_enums and not any(self.own_members(row, step.name) for row in denoted.rows)
        return (is_maker and (is_of_type or denoted.kind is Kind.VALUE)) or (
            step.name == "this" and denoted.kind is Kind.SYMBOL
        )

    def _qualified(self, place: Place, chain: Chain) -> tuple[Denoted, Chain]:
        """Returns what the first names of a chain denote as a whole name, and the rest."""
        if chain[0].name in place.local or chain[0].is_called:
            return UNKNOWN, ()
        names = [step.name for step in chain]
        for end in range(2, len(chain) + 1):
            if chain[0] == ROOT:
                rows = self.packages.named(place.file, ".".join(names[1 : end - 1]), names[end - 1])
            else:
                rows = self.packages.qualified(place.file, place.container, names[:end])
            if rows:
                symbol = self.packages.denoted(place.file, self._apart(place, rows))
                called = self._called(place, symbol, chain[end - 1], MOST_DEPTH // 2)
                return called, chain[end:]
            if chain[end - 1].is_called:
                break
        return UNKNOWN, ()

    def means_around(self, place: Place, name: str) -> tuple[bool, bool]:
        """Returns whether a name means the type around it or a value of it, and whether it means
        its supertype."""
        rules = self.files.rules_of(place.file)
        if rules is None or {*place.local.get(name, ())} - {NOTHING}:  # it is a variable
            return False, False
        return name in rules.this, name in rules.above

    def _first(self, place: Place, step: Step, depth: int) -> Denoted:
        name = step.name
        is_this, is_above = self.means_around(place, name)
        if (is_this or is_above) and (unnamed := self.unnamed_type(place, depth)):
            lowest = self.lineages.lowest(unnamed.rows) if is_above else unnamed.rows
            return unnamed._replace(rows=lowest)
        is_of_crates = has_crates(self.files.rules_of(place.file))
        if is_of_crates and name in ("crate", "super") and (is_this or is_above):
            return self._module_around(place, name)
        if is_this:
            around = self.type_around(place)
            if around is None and is_of_crates and name == "self":
                return self._module_around(place, name)
            if around is None and extensions.are_allowed(self.files, place.file):
                return self._extended_around(place.file, place.container, depth)
            if around is not None and (added := self._extended_inside(place, around, depth)):
                return added
            return Denoted(Kind.VALUE, (around,), is_pointed=True) if around else UNKNOWN
        if is_above:
            around = self.type_around(place)
            bases = self.lineages.bases(around, depth) if around is not None else None
            rows = self.lineages.lowest(bases[0]) if bases else ()
            return Denoted(Kind.VALUE, rows) if rows else UNKNOWN
        if self._is_cast(place, step):
            return UNKNOWN
        if step.argument and self._is_importer(place, name):
            return self.exports.module(place.file, step.argument)
        if self._is_bounded(place, name):  # its members are taken: `T["total"]`
            return self.of_type(place.file, place.container, name, depth)
        found = self.name(place, name, depth)
        if found.kind is Kind.UNKNOWN and is_of_crates and name not in place.local:
            found = self.exports.crate(place.file, name)
        if name in place.local and step.is_called and found.kind is Kind.FOREIGN:
            return UNKNOWN  # the result of a value of a function type
        if found.kind is Kind.UNKNOWN and name not in place.local and self._is_maker(place, name):
            around = None if is_of_crates else self.type_around(place)
            return Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN
        if (given := self.inherited_of(place, found, step, depth)) is not None:
            return given
        if not step.is_called and (of := self._parameter(place, found, name)) is not None:
            return of
        is_function = step.is_given and name[:1].islower() and name not in place.local
        if found.kind is Kind.FOREIGN and is_function:
            return UNKNOWN  # it may return an argument
        return self._called(place, found, step, depth)

    def _is_bounded(self, place: Place, name: str) -> bool:
        """Whether a name is a type parameter, in a language in which types have the members of
        their values."""
        rules = self.files.rules_of(place.file)
        has_objects = rules is not None and rules.objects and name not in place.local
        return has_objects and place.file.parameter(place.container, name) is not None

    def _is_importer(self, place: Place, name: str) -> bool:
        """Whether a function returns the module whose name is its argument."""
        rules = self.files.rules_of(place.file)
        return rules is not None and name in rules.importers and name not in place.local

    def _is_maker(self, place: Place, name: str) -> bool:
        rules = self.files.rules_of(place.file)
        return rules is not None and name in rules.makers

    def _parameter(self, place: Place, found: Denoted, name: str) -> Denoted | None:
        """Returns what a parameter of the type around a place denotes, which hides the function of
        the type that was found; `None` if there is none."""
        around = self.type_around(place)
        if around is None or not found.rows or not all(map(is_callable, found.rows)):
            return None
        whole = f"{around.qualified_name}."
        facts = self.files.of(around).facts_of(around, name)
        is_own = all(f"{row.container}.".startswith(whole) for row in found.rows)
        return self.of_facts(around, facts, MOST_DEPTH // 2) if facts and is_own else None

    def _called(self, place: Place, denoted: Denoted, step: Step, depth: int) -> Denoted:
        """Returns what a name denotes in an expression: of a call, its result; of a variable, a
        value of its type; where a type is written, of a type and a value that are one symbol, the
        type."""
        if self.files.merged(denoted.rows):
            rows = tuple(row for row in denoted.rows if is_type(row) == place.is_type)
            denoted = denoted._replace(rows=rows)
        if denoted.kind is Kind.MODULE and step.is_called:
            denoted = self.exports.whole(denoted.paths, depth - 1)
        denoted = fitting(denoted, step.is_called)
        written = self.written_by(place, step)
        if written and denoted.kind in (Kind.FOREIGN, Kind.UNKNOWN) and denoted != DOUBTFUL:
            return denoted._replace(written=written)
        if denoted.kind is not Kind.SYMBOL:
            return denoted if not step.is_called or denoted.kind is not Kind.VALUE else UNKNOWN
        results: list[Denoted] = []
        rows = denoted.rows
        # an overload whose result is that of another one
        rows = tuple(row for row in rows if row not in self.being_typed) or rows
        if step.is_called and any(map(is_type, rows)):  # not the module that is called like it
            rows = tuple(row for row in rows if row.kind is not SymbolKind.MODULE)
        for row in rows:
            if is_type(row):
                kind = Kind.VALUE if step.is_called else Kind.SYMBOL
                results.append(Denoted(kind, (row,), written=written))
            elif row.kind in CALLABLE_KINDS:
                result = (
                    self.type_of(row, depth)
                    if step.is_called or self._is_called_bare(row)
                    else Denoted(Kind.SYMBOL, (row,), denoted.paths)
                )
                is_maker = result.kind is Kind.UNKNOWN and (
                    self.files.is_constructor(row) or (step.is_called and self.gives_members(row))
                )
                results.append(Denoted(Kind.VALUE, (row,)) if is_maker else result)
            elif place.is_type and self.files.is_variant(row):
                results.append(Denoted(Kind.SYMBOL, (row,)))
            else:
                value = self.got(row, self.type_of(row, depth), depth)
                is_open = value.kind is Kind.UNKNOWN or self._is_of_unnamed(row, value)
                if is_open and not step.is_called:
                    value = Denoted(Kind.SYMBOL, (row,))  # it may have members of its own
                if value.kind is Kind.FOREIGN and step.is_called:
                    value = UNKNOWN
                is_class = value.kind is Kind.SYMBOL and step.is_called
                is_open = step.is_called and extensions.are_allowed(self.files, self.files.of(row))
                called = value._replace(kind=Kind.VALUE) if is_class else value
                results.append(UNKNOWN if is_open and not is_class else called)
        return united(results)

    def _is_of_unnamed(self, row: Row, value: Denoted) -> bool:
        """Whether the type of a variable has no name, so that its members are the variable's."""
        facts = self.files.of(row).facts_of(row) if value.kind is Kind.FOREIGN else ()
        return any(is_unnamed(fact.type) for fact in facts)

    def _is_called_bare(self, row: Row) -> bool:
        """Whether a function is called by its name alone."""
        rules = self.files.rules_of(self.files.of(row))
        return rules is not None and rules.bare_results
