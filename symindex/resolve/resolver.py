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
    TypeFact,
)
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve import extensions
from symindex.resolve.denoted import (
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    can_inherit,
    fitting,
    has_members,
    is_named_as_its_type,
    is_type,
    united,
    with_type,
)
from symindex.resolve.enclosing import parameters, type_around
from symindex.resolve.exports import MOST_DEPTH, Exports, Work
from symindex.resolve.expressions import (
    OWN_TYPES,
    Chain,
    Step,
    alternatives,
    chain_of,
    is_array,
    is_literal,
    names_of,
    types_in,
)
from symindex.resolve.files import FileFacts, Files
from symindex.resolve.lineage import Lineages
from symindex.resolve.modules import folder_of_module
from symindex.resolve.packages import STYLES, Packages
from symindex.resolve.tree import Row, Tree

OWN_WORDS: Final = frozenset({"self", "this", "cls", "Self", "$this", "static", "@this"})
ABOVE_WORDS: Final = frozenset({"super", "base", "parent"})


class Resolver:
    """Binds expressions in the files of a tree. It keeps what it has read: make one a request."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.files: Files = Files(tree, {})
        self.packages: Packages = Packages(self.files)
        self.work: Work = Work()
        self.exports: Exports = Exports(self.files, self.packages, self.work, self.denoted)
        self.lineages: Lineages = Lineages(self.files, self.of_type, MOST_DEPTH)
        self._types: dict[Row, Denoted] = {}

    # Expressions

    def denoted(self, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what an expression denotes."""
        found = [
            FOREIGN
            if is_literal(one)
            else self.followed(place, chain, depth)
            if (chain := chain_of(one))
            else UNKNOWN
            for one in alternatives(text)[:4]
        ]
        known = [one for one in found if one.kind is not Kind.UNKNOWN]
        if not known:
            return UNKNOWN
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
        denoted, rest = self._first(place, chain[0], depth - 1), chain[1:]
        if denoted.kind is Kind.UNKNOWN and rest and self.is_packaged(place.file):
            denoted, rest = self._qualified(place, chain)
        is_extended = extensions.are_allowed(self.files, place.file)
        for step in rest:
            if denoted.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                is_open = step.is_called and self.is_packaged(place.file)
                is_open = is_open or is_extended
                return UNKNOWN if is_open else denoted  # a result may be of an argument's type
            if self._is_self(place, denoted, step):
                denoted = denoted._replace(kind=Kind.VALUE)
                continue
            found = self.member(denoted, step.name, depth - 1)
            if found.kind is Kind.FOREIGN and is_extended:
                return UNKNOWN  # of a library's supertype, generated, or of another sort of member
            is_own = step.is_called and self.lineages.returns_own(found)
            denoted = denoted if is_own else self._called(found, step, depth - 1)
        return denoted

    def is_packaged(self, file: FileFacts) -> bool:
        """Whether the names of a file are found by whole names."""
        rules = self.files.rules_of(file)
        return rules is not None and rules.modules in STYLES

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
            package = ".".join(names[: end - 1])
            if rows := self.packages.named(place.file, package, names[end - 1]):
                symbol = Denoted(Kind.SYMBOL, rows)
                return self._called(symbol, chain[end - 1], MOST_DEPTH // 2), chain[end:]
            if chain[end - 1].is_called:
                break
        return UNKNOWN, ()

    def _first(self, place: Place, step: Step, depth: int) -> Denoted:
        name = step.name
        is_plain = {*place.local.get(name, ())} <= {NOTHING}  # the parameter `self`, or none
        if name in OWN_WORDS and is_plain:
            around = type_around(self.files, place)
            if around is None and extensions.are_allowed(self.files, place.file):
                return self._extended_around(place.file, place.container, depth)
            return Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN
        if name in ABOVE_WORDS and is_plain:
            around = type_around(self.files, place)
            bases = self.lineages.bases(around, depth) if around is not None else None
            return Denoted(Kind.VALUE, tuple(bases[0])) if bases and bases[0] else UNKNOWN
        return self._called(self.name(place, name, depth), step, depth)

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
                is_class = value.kind is Kind.SYMBOL and step.is_called
                called = value._replace(kind=Kind.VALUE) if is_class else UNKNOWN
                results.append(called if step.is_called else value)
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
        for one in place.imports:
            if one.local == name:
                return self.exports.imported(place.file, one, depth)
        inner = place.container
        while inner:  # nested definitions of functions and types around
            if rows := self._defined_in(place.file, inner, name):
                return Denoted(Kind.SYMBOL, rows)
            inherited = self._inherited(place.file, inner, name, depth)
            if inherited.kind is not Kind.UNKNOWN:
                return inherited
            inner = inner.rpartition(".")[0]
        rules = self.files.rules_of(place.file)
        if rules is not None and rules.modules in STYLES and name not in place.file.imports:
            is_open = rules.modules == "global"
            if rows := self.packages.around(place.file, place.container, name, is_open):
                return Denoted(Kind.SYMBOL, rows)
        return self.exports.exported(place.file, name, depth)

    def _defined_in(self, file: FileFacts, container: str, name: str) -> tuple[Row, ...]:
        """Returns what is defined in a function or type around a place and seen by its bare name:
        members only where they need no receiver."""
        found = file.by_name.get(f"{container}.{name}", [])
        rows = with_type([row for row in found if not is_named_as_its_type(row)])
        outer = file.by_name.get(container, [])
        is_hidden = bool(rows) and bool(outer) and is_type(outer[0]) and self._needs_receiver(file)
        return () if is_hidden and not is_type(rows[0]) else tuple(rows)

    def _inherited(self, file: FileFacts, container: str, name: str, depth: int) -> Denoted:
        """Returns what a type around a place inherits, where members need no receiver, or what its
        other parts define."""
        outer = [row for row in file.by_name.get(container, ()) if can_inherit(self.files, row)]
        if not outer and container not in file.by_name:
            is_extended = extensions.are_allowed(self.files, file)
            outer = self._extended_in(file, container, depth) if is_extended else []
        if not outer or self._needs_receiver(file):
            return UNKNOWN
        members = [self.member_of_type(row, name, depth - 1) for row in outer[:2]]
        found = united([one for one in members if one.rows] or [UNKNOWN])
        return UNKNOWN if found.kind is Kind.FOREIGN else found

    def _needs_receiver(self, file: FileFacts) -> bool:
        language = self.tree.languages.by_id[file.file.known_language]
        return language.rules.roles.methods_have_receivers

    def _local(self, place: Place, name: str, depth: int) -> Denoted:
        without = {key: value for key, value in place.local.items() if key != name}
        inner = place._replace(local=without)
        found = []
        for text in place.local[name]:
            if text[:1] == ":":
                found.append(self.of_type(place.file, place.container, text[1:], depth - 1))
            elif text[:1] == "=":
                found.append(self.denoted(inner, text[1:], depth - 1))
            else:
                found.append(UNKNOWN)
        return united(found) if found else UNKNOWN

    # Members

    def member(self, denoted: Denoted, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a member of something denotes."""
        if depth <= 0:
            return UNKNOWN
        if denoted.kind is Kind.MODULE and denoted.is_package:
            file = self.files.at(denoted.paths[1])
            return self.packages.member(file, denoted.paths[0], name) if file else UNKNOWN
        if denoted.kind is Kind.MODULE:
            found = self.exports.in_module(denoted.paths, name, depth - 1)
            if found.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                folders = [folder_of_module(path) for path in denoted.paths]
                for folder in folders:
                    target = f"{folder}/{name}" if folder else name
                    if below := self.exports.modules.find("files", f"./{target}", ""):
                        return Denoted(Kind.MODULE, paths=tuple(below))
                whole = self.exports.whole(denoted.paths, depth - 1)
                if whole.rows:
                    return self.member(whole, name, depth - 1)
            return found
        found_members = [
            self.member_of_type(row, name, depth - 1) for row in denoted.rows if has_members(row)
        ]
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
        return FOREIGN if is_whole and is_type(type_row) else UNKNOWN

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
            return self.packages.named(file, self.packages.whole_name(type_row), name)
        container = type_row.qualified_name
        rows = file.by_name.get(f"{container}.{name}", [])
        if rows:
            return tuple(rows[:1])
        folder, family = file.path.rpartition("/")[0], self.files.family(file)
        return tuple(
            row
            for row in self.files.named(name)
            if row.container == container
            and row.file.path != file.path
            and row.file.path.rpartition("/")[0] == folder
            and row.file.known_language in family
        )

    def _assigned(self, type_row: Row, name: str) -> list[TypeFact]:
        return self.files.of(type_row).facts_of(type_row, name)

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
        return self._of_facts(row, file.facts_of(row), depth - 1)

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
            return FOREIGN
        place = Place(file, container)
        found = []
        for name in types_in(text, rules.wrappers)[:6]:
            names = names_of(name)
            if len(names) == 1 and (of := file.parameter(container, names[0])) is not None:
                bound = "" if names[0] in types_in(of.type) else of.type
                found.append(self.of_type(file, container, bound, depth - 1))
                continue
            if names in OWN_TYPES:
                around = type_around(self.files, place)
                found.append(Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN)
                continue
            denoted = self.followed(place, tuple(map(Step, names)), depth - 1)
            types = tuple(row for row in denoted.rows if is_type(row))
            if types:
                found.append(Denoted(Kind.VALUE, types))
            elif denoted.kind is Kind.FOREIGN or self.files.lack_type(names):
                found.append(FOREIGN)
            else:
                found.append(UNKNOWN)
        return united(found) if found else UNKNOWN
