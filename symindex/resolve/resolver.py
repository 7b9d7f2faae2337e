"""Binds an expression to what it denotes: a symbol, a value of a type, a module, something that the
tree does not define, or nothing that is known.

A name is looked for in the code around it, in what its file defines, and in what it imports; each
further name in the module, type or value before it. Types come from annotations, constructors and
declared results. Nothing else is inferred.
"""

from collections.abc import Sequence
from typing import Final

from symindex.extract.file_bindings import (
    NOTHING,
    SELF,
    TypeFact,
)
from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve import extensions
from symindex.resolve.denoted import (
    DOUBTFUL,
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    Written,
    fitting,
    has_members,
    is_named_as_its_type,
    is_type,
    united,
    with_type,
)
from symindex.resolve.enclosing import parameters, type_around
from symindex.resolve.exports import MOST_DEPTH, Exports, Work, has_crates
from symindex.resolve.expressions import (
    OWN_TYPES,
    ROOT,
    Chain,
    Step,
    alternatives,
    boxed_in,
    cast_in,
    chain_of,
    element_of,
    is_array,
    is_literal,
    is_typed_literal,
    is_unnamed,
    names_of,
    parameter_type,
    steps_of,
    types_in,
)
from symindex.resolve.files import FileFacts, Files
from symindex.resolve.lineage import Lineages
from symindex.resolve.packages import STYLES, Packages
from symindex.resolve.tree import Row, Tree

OWN_WORDS: Final = frozenset(
    {"self", "this", "cls", "Self", "$this", "static", "@this", "__MODULE__"}
)
ABOVE_WORDS: Final = frozenset({"super", "base", "parent"})


MOST_IMPORTS: Final = 4
"""Most imports of one name at one place, of which a condition chooses."""


def _opened(denoted: Denoted, step: Step) -> Denoted:
    """Returns what a box holds, after a step that opens it."""
    return denoted._replace(is_boxed=denoted.is_boxed and not step.is_opened)


class Resolver:
    """Binds expressions in the files of a tree. It keeps what it has read: make one a request."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.files: Files = Files(tree, {})
        self.packages: Packages = Packages(self.files)
        self.work: Work = Work()
        self.exports: Exports = Exports(
            self.files, self.packages, self.work, self.denoted, self.member
        )
        self.lineages: Lineages = Lineages(self.files, self.packages, self.of_type, MOST_DEPTH)
        self._types: dict[Row, Denoted] = {}
        self._of_traits: dict[str, bool] = {}

    # Expressions

    def denoted(self, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what an expression denotes."""
        found = [
            FOREIGN
            if is_literal(one)
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
        if all(one.kind is first.kind for one in known):
            rows = dict.fromkeys(row for one in known for row in one.rows)
            return first._replace(rows=tuple(rows))
        return next((one for one in known if one.rows), UNKNOWN)

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
        denoted = self._at_indexes(place, denoted, chain[0], depth - 1)
        if denoted.kind is Kind.UNKNOWN and rest and self.is_packaged(place.file):
            denoted, rest = self._qualified(place, chain)
            if denoted.kind is Kind.UNKNOWN and self._is_of_library(place, chain):
                return FOREIGN
        if denoted.kind is Kind.UNKNOWN and self.lacks(place, chain[0].name):
            return FOREIGN
        denoted = _opened(denoted, chain[0]) if len(rest) == len(chain) - 1 else denoted
        return self._along(place, denoted, (chain[-len(rest) - 1], *rest), depth)

    def _along(self, place: Place, denoted: Denoted, chain: Chain, depth: int) -> Denoted:
        """Returns what the names of a chain denote that follow its first one, which denotes
        something."""
        is_generic = self.is_packaged(place.file) or has_crates(self.files.rules_of(place.file))
        is_extended = extensions.are_allowed(self.files, place.file)
        before = chain[0]
        for step in (*chain[1:], None):
            denoted = self._reached(place, denoted, before.reach)
            if step is None:
                break
            before = step
            if (taken := self._taken(denoted, step, depth - 1)) is not None:
                denoted = self._at_indexes(place, taken, step, depth - 1)
                continue
            if denoted.kind is Kind.UNKNOWN:
                return denoted
            if denoted.kind is Kind.FOREIGN:
                is_open = step.is_called and is_generic  # a result may be of an argument's type
                if is_open:
                    return self._result_of_library(place.file)
                return UNKNOWN if is_extended else denoted
            if self._is_self(place, denoted, step):
                denoted = denoted._replace(kind=Kind.VALUE)
                continue
            found = self.member(denoted, step.name, depth - 1)
            if (kept := self._kept(place, denoted, step, found)) is not None:
                denoted = _opened(kept, step)
                continue
            if found.kind is Kind.FOREIGN and is_extended:
                return UNKNOWN  # of a library's supertype, generated, or of another sort of member
            is_own = step.is_called and self.lineages.returns_own(found)
            is_inner = denoted.is_wrapped and self._is_wrappers(denoted, step.name)
            if is_inner and found.kind is Kind.FOREIGN:  # `pointer.get()`
                denoted = denoted._replace(is_wrapped=False)
            elif is_inner:
                return UNKNOWN
            else:
                denoted = denoted if is_own else self._called(found, step, depth - 1)
                denoted = _opened(denoted, step)
            denoted = self._at_indexes(place, denoted, step, depth - 1)
        return denoted

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

    def _reached(self, place: Place, denoted: Denoted, sign: str) -> Denoted:
        """Returns what an element of a value denotes, or what it points to: a value of the type
        that is declared, unless the value may give access to those of other types."""
        rules = self.files.rules_of(place.file)
        if not sign or rules is None or not rules.accessors:
            return denoted
        is_open = denoted.kind is Kind.FOREIGN or any(map(self._gives_access, denoted.rows))
        return UNKNOWN if is_open else denoted._replace(is_wrapped=False)

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
            if (row := self._type_at(place.file, name)) is not None:
                return row
            name = name.rpartition(".")[0]
        return None

    def _type_at(self, file: FileFacts, whole: str) -> Row | None:
        """Returns the type with a whole name that a file sees, of its own ones if names of other
        files are not seen."""
        rows: Sequence[Row] = file.by_name.get(whole, ())
        if self.packages.sees_files(file):
            container, _, name = whole.rpartition(".")
            rows = [row for row in self.packages.named(file, container, name) if is_type(row)]
            rows = rows or self.packages.outside(file, whole)
        return rows[0] if rows and self.files.is_type(rows[0]) else None

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
        if rules is None or rules.elements:
            return denoted
        for _ in range(step.n_indexes):
            if denoted.kind is not Kind.SYMBOL:  # else arguments of a type
                denoted = self.element(denoted, True, depth)
        return denoted

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

    def cast(self, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what an expression denotes that begins with a cast; UNKNOWN for another."""
        cast = cast_in(text)
        if cast is None:
            return UNKNOWN
        denoted = self.of_type(place.file, place.container, cast.type, depth - 1)
        if not cast.rest.strip():
            return denoted
        chain = chain_of(f"{SELF}{cast.rest}")
        return self._along(place, denoted, chain, depth) if chain else UNKNOWN

    def is_packaged(self, file: FileFacts) -> bool:
        """Whether the names of a file are found by whole names."""
        rules = self.files.rules_of(file)
        return rules is not None and rules.modules in STYLES

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

    def _result_of_library(self, file: FileFacts) -> Denoted:
        """Returns what a function of a library returns: it may be of an argument's type."""
        rules = self.files.rules_of(file)
        return DOUBTFUL if rules is not None and rules.doubtful_results else UNKNOWN

    def _is_self(self, place: Place, denoted: Denoted, step: Step) -> bool:
        """Whether a step leads from a type to a value of it (`Type.this`, `Type.new`), or from a
        value to itself."""
        rules = self.files.rules_of(place.file)
        is_maker = rules is not None and step.name in rules.makers
        is_of_type = denoted.kind is Kind.SYMBOL and any(map(is_type, denoted.rows))
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
                return self._called(symbol, chain[end - 1], MOST_DEPTH // 2), chain[end:]
            if chain[end - 1].is_called:
                break
        return UNKNOWN, ()

    def _first(self, place: Place, step: Step, depth: int) -> Denoted:
        name = step.name
        is_plain = {*place.local.get(name, ())} <= {NOTHING}  # the parameter `self`, or none
        if name in ABOVE_WORDS and is_plain and (unnamed := self.unnamed_type(place, depth)):
            return unnamed
        is_of_crates = has_crates(self.files.rules_of(place.file))
        if is_of_crates and name in ("crate", "super") and is_plain:
            return self._module_around(place, name)
        if name in OWN_WORDS and is_plain:
            around = self.type_around(place)
            if around is None and is_of_crates and name == "self":
                return self._module_around(place, name)
            if around is None and extensions.are_allowed(self.files, place.file):
                return self._extended_around(place.file, place.container, depth)
            return Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN
        if name in ABOVE_WORDS and is_plain:
            around = self.type_around(place)
            bases = self.lineages.bases(around, depth) if around is not None else None
            return Denoted(Kind.VALUE, tuple(bases[0])) if bases and bases[0] else UNKNOWN
        found = self.name(place, name, depth)
        if found.kind is Kind.UNKNOWN and is_of_crates and name not in place.local:
            found = self.exports.crate(place.file, name)
        if name in place.local and step.is_called and found.kind is Kind.FOREIGN:
            return UNKNOWN  # the result of a value of a function type
        return self._called(found, step, depth)

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
                rows = [*self.exports.exported(place.file, last, MOST_DEPTH // 2).rows]
                found = next((row for row in rows if is_type(row)), None)
            if found is not None:
                return found
            name = name.rpartition(".")[0]
        return None

    def unnamed_type(self, place: Place, depth: int = MOST_DEPTH) -> Denoted | None:
        """Returns what the nearest type around a place extends, if that type has no name."""
        told = place.local.get(SELF, [NOTHING])
        return self.declared_as(place, told, depth) if told != [NOTHING] else None

    def _called(self, denoted: Denoted, step: Step, depth: int) -> Denoted:
        """Returns what a name denotes in an expression: of a call, its result; of a variable, a
        value of its type."""
        if denoted.kind is Kind.MODULE and step.is_called:
            denoted = self.exports.whole(denoted.paths, depth - 1)
        denoted = fitting(denoted, step.is_called)
        if denoted.kind is not Kind.SYMBOL:
            return denoted if not step.is_called or denoted.kind is not Kind.VALUE else UNKNOWN
        results: list[Denoted] = []
        rows = denoted.rows
        if step.is_called and any(map(is_type, rows)):  # not the module that is called like it
            rows = tuple(row for row in rows if row.kind is not SymbolKind.MODULE)
        for row in rows:
            if is_type(row):
                results.append(Denoted(Kind.VALUE if step.is_called else Kind.SYMBOL, (row,)))
            elif row.kind in CALLABLE_KINDS:
                results.append(
                    self.type_of(row, depth)
                    if step.is_called or self._is_called_bare(row)
                    else Denoted(Kind.SYMBOL, (row,))
                )
            else:
                value = self.type_of(row, depth)
                if value.kind is Kind.UNKNOWN and not step.is_called:
                    value = Denoted(Kind.SYMBOL, (row,))  # it may have members of its own
                if value.kind is Kind.FOREIGN and step.is_called:
                    value = UNKNOWN
                is_class = value.kind is Kind.SYMBOL and step.is_called
                is_open = step.is_called and extensions.are_allowed(self.files, self.files.of(row))
                called = value._replace(kind=Kind.VALUE) if is_class else value
                results.append(UNKNOWN if is_open and not is_class else called)
        return united(results)

    def _is_called_bare(self, row: Row) -> bool:
        """Whether a function is called by its name alone."""
        rules = self.files.rules_of(self.files.of(row))
        return rules is not None and rules.bare_results

    # Names

    def name(self, place: Place, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a bare name denotes."""
        if depth <= 0:
            return UNKNOWN
        if name in place.local:
            return self._local(place, name, depth)
        if imports := [one for one in place.imports if one.local == name]:
            return united(
                [self.exports.imported(place.file, one, depth) for one in imports[:MOST_IMPORTS]]
            )
        inner = place.container
        while inner:  # nested definitions of functions and types around
            rows = self._defined_in(place.file, inner, name)
            if rows and (is_type(rows[0]) or not place.is_type):
                return Denoted(Kind.SYMBOL, rows)
            inherited = self._inherited(place.file, inner, name, depth)
            is_other = place.is_type and not any(map(is_type, inherited.rows))
            if inherited.kind is not Kind.UNKNOWN and not is_other:
                return inherited
            inner = inner.rpartition(".")[0]
        rules = self.files.rules_of(place.file)
        if rules is not None and rules.modules in STYLES and name not in place.file.imports:
            is_open = rules.modules != "packages"
            if rows := self.packages.around(place.file, place.container, name, is_open):
                return self.packages.denoted(place.file, self._apart(place, rows))
            sees_top = rules.open_functions or not (place.file.package or rules.imports_types)
            rows = self.packages.named(place.file, "", name) if sees_top else ()
            if rows and not (rules.imports_types and is_type(rows[0])):
                return self.packages.denoted(place.file, self._apart(place, rows))
        found = self.exports.exported(place.file, name, depth)
        is_lacking = found.kind is Kind.UNKNOWN and self._lacks_constant(place.file, name)
        return FOREIGN if is_lacking else found

    def _lacks_constant(self, file: FileFacts, name: str) -> bool:
        """Whether no symbol has a name that begins with a capital, in a language in which any file
        sees all of these."""
        rules = self.files.rules_of(file)
        is_open = rules is not None and rules.modules == "global" and rules.open_types
        return is_open and name[:1].isupper() and self.files.lack_type([name])

    def _apart(self, place: Place, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        """Of types and other symbols that share a name, returns those that a place means."""
        if not self.packages.sees_files(place.file):
            return rows
        return tuple(row for row in rows if is_type(row) == place.is_type) or rows

    def _defined_in(self, file: FileFacts, container: str, name: str) -> tuple[Row, ...]:
        """Returns what is defined in a function or type around a place and seen by its bare name:
        members only where they need no receiver."""
        found = file.by_name.get(f"{container}.{name}", [])
        rows = [row for row in found if not is_named_as_its_type(row)]
        likes = self.packages.likes(rows, rows[0]) if rows else ()
        rows = [*dict.fromkeys((*with_type(rows), *likes))]
        outer = file.by_name.get(container, [])
        is_hidden = bool(rows) and bool(outer) and is_type(outer[0]) and self._needs_receiver(file)
        return () if is_hidden and not is_type(rows[0]) else tuple(rows)

    def _inherited(self, file: FileFacts, container: str, name: str, depth: int) -> Denoted:
        """Returns what a type around a place inherits, where members need no receiver, or what its
        other parts define."""
        outer = [row for row in file.by_name.get(container, ()) if self.files.is_type(row)]
        if self.packages.sees_files(file):
            seen = self._type_at(file, container)
            outer = [seen] if seen is not None else []
        elif not outer and container not in file.by_name:
            is_extended = extensions.are_allowed(self.files, file)
            outer = self._extended_in(file, container, depth) if is_extended else []
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

    def declared_as(self, place: Place, texts: Sequence[str], depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a name denotes of which declarations say this. texts: as in `Place.local`;
        all count."""
        found = []
        for text in texts:
            if text[:1] == "(":
                found.append(self._argument(place, text[1:], depth - 1))
            elif text[:1] == ":" and is_unnamed(text[1:]):
                found.append(FOREIGN)
            elif text[:1] == ":":
                found.append(self.of_type(place.file, place.container, text[1:], depth - 1))
            elif text[:1] == "=":
                found.append(self.denoted(place, text[1:], depth - 1))
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

    # Members

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
            found = self.exports.in_module(denoted.paths, name, depth - 1)
            if found.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                if below := self.exports.inner_module(denoted.paths, name):
                    return Denoted(Kind.MODULE, paths=tuple(below))
                whole = self.exports.whole(denoted.paths, depth - 1)
                if whole.rows:
                    return self.member(whole, name, depth - 1)
            return found
        if denoted.is_wrapped and self._is_wrappers(denoted, name):
            inner = self.member(denoted._replace(is_wrapped=False), name, depth - 1)
            return FOREIGN if inner.kind is Kind.FOREIGN else UNKNOWN
        found_members = [
            self.member_of_type(row, name, depth - 1) for row in denoted.rows if has_members(row)
        ]
        if denoted.kind is Kind.SYMBOL and denoted.rows[0].kind is SymbolKind.MODULE:
            file = self.files.of(denoted.rows[0])
            if has_crates(self.files.rules_of(file)) and name in file.imports:
                found_members = [one for one in found_members if one.kind is not Kind.UNKNOWN]
                return (
                    found_members[0] if found_members else self.exports.exported(file, name, depth)
                )
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
            if rows:
                return Denoted(Kind.SYMBOL, rows)
            facts = self._assigned(row, name)
            if facts:
                return self._of_facts(row, facts, depth - 1)
        if is_extended and (added := self._added(lineage, name, depth)):
            return Denoted(Kind.SYMBOL, added)
        is_whole = is_whole and not any(self.files.of(row).file.known.has_error for row in lineage)
        rules = self.files.rules_of(self.files.of(type_row))
        is_open = rules is not None and rules.open_types and self._is_of_trait(name)
        is_open = is_open or self._gives_access(type_row)
        return FOREIGN if is_whole and is_type(type_row) and not is_open else UNKNOWN

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

    def _extended_in(self, file: FileFacts, container: str, depth: int) -> list[Row]:
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
                    row for row in rows if any(self.packages.is_member(row, part) for part in parts)
                ]
            return tuple(rows)
        container = type_row.qualified_name
        rows = file.by_name.get(f"{container}.{name}", [])
        if has_crates(self.files.rules_of(file)):  # a field and a method may share a name
            return tuple(rows) or self._implemented(type_row, name)
        if rows:  # an alias of several types without names has the member of each
            return tuple(rows if type_row.kind is SymbolKind.TYPE else rows[:1])
        folder, family = file.path.rpartition("/")[0], self.files.family(file)
        return tuple(
            row
            for row in self.files.named(name)
            if row.container == container
            and row.file.path != file.path
            and row.file.path.rpartition("/")[0] == folder
            and row.file.known_language in family
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

    def _assigned(self, type_row: Row, name: str) -> list[TypeFact]:
        return self.files.of(type_row).facts_of(type_row, name)

    def _is_wrapper(self, rules: BindingRules, alias: Row) -> bool:
        """Whether a type is another name of one in a wrapper."""
        return bool(rules.wrapped) and any(
            _names_wrapper(rules, fact.type) for fact in self.files.of(alias).facts_of(alias)
        )

    def _lacks(self, file: FileFacts, names: Sequence[str]) -> bool:
        """Whether the tree cannot have a type of a name that was not found."""
        last = names[-1:] if self.packages.sees_files(file) else names
        return self.files.lack_type(last)

    def _is_wrappers(self, denoted: Denoted, name: str) -> bool:
        """Whether a wrapper has a member of a name."""
        rules = self.files.rules_of(self.files.of(denoted.rows[0])) if denoted.rows else None
        return rules is not None and name in rules.wrapped

    # Types

    def type_of(self, row: Row, depth: int) -> Denoted:
        """Returns what a variable, field or result of a function denotes: a value of a type."""
        if row not in self._types:
            found = self._type_of(row, depth)
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
        return self._of_facts(row, facts or self._behind(row), depth - 1)

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

    def _of_facts(self, row: Row, facts: Sequence[TypeFact], depth: int) -> Denoted:
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
        if is_array(text):
            return FOREIGN._replace(written=Written(file, container, text))
        place = Place(file, container, is_type=True)
        if inner := boxed_in(text, rules.boxes):
            held = self.of_type(file, container, inner, depth - 1)
            return held._replace(is_boxed=True) if held.kind is Kind.VALUE else held
        is_wrapped = bool(rules.wrapped) and _names_wrapper(rules, text)
        found = []
        for name in types_in(text, rules.wrappers)[:6]:
            names = names_of(name)
            if len(names) == 1 and (of := file.parameter(container, names[0])) is not None:
                bound = "" if names[0] in types_in(of.type) else of.type
                found.append(self.of_type(file, container, bound, depth - 1))
                continue
            if names in OWN_TYPES:
                around = self.type_around(place)
                found.append(Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN)
                continue
            denoted = self.followed(place, steps_of(name), depth - 1)
            types = self.packages.with_arity(denoted.rows, text, name) or tuple(
                row for row in denoted.rows if self.files.is_type(row)
            )
            if types:
                is_inside = is_wrapped or any(self._is_wrapper(rules, row) for row in types)
                found.append(Denoted(Kind.VALUE, types, is_wrapped=is_inside))
            elif rules.accessors and "<" in text:
                found.append(UNKNOWN)  # a pointer, an iterator or a container
            else:
                is_lacking = self._lacks(file, names) or self._lacks_constant(file, names[0])
                found.append(FOREIGN if denoted.kind is Kind.FOREIGN or is_lacking else UNKNOWN)
        of_all = united(found) if found else UNKNOWN
        has_elements = of_all.kind in (Kind.FOREIGN, Kind.UNKNOWN) and any(map(text.count, "[<"))
        return of_all._replace(written=Written(file, container, text)) if has_elements else of_all


def _names_wrapper(rules: BindingRules, text: str) -> bool:
    return any(names_of(name)[-1] in rules.wrappers for name in types_in(text))
