"""Binds an expression to what it denotes: a symbol, a value of a type, a module, something that the
tree does not define, or nothing that is known.

A name is looked for in the code around it, in what its file defines, and in what it imports; each
further name in the module, type or value before it. Types come from annotations, constructors and
declared results. Nothing else is inferred.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from symindex.explore.binding.denoted import FOREIGN, UNKNOWN, Denoted, Kind, Place, united
from symindex.explore.binding.expressions import (
    OWN_TYPES,
    Chain,
    Step,
    alternatives,
    chain_of,
    is_array,
    is_literal,
    is_parameter,
    names_of,
    types_in,
)
from symindex.explore.binding.files import FileFacts, Files
from symindex.explore.binding.modules import Modules
from symindex.explore.tree import Row, Tree
from symindex.extract.file_bindings import (
    ALL,
    DEFAULT,
    NO_SYMBOL,
    NOTHING,
    Import,
    TypeFact,
)
from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolKind

MOST_DEPTH: Final = 12
"""Most steps from one fact to the next: imports, aliases, bases and types together."""

MOST_WORK: Final = 3_000
"""Most names that are looked up for one use: a hostile tree has aliases without end."""

MOST_BASES: Final = 60
"""Most supertypes of a type that are searched for a member."""

OWN_WORDS: Final = frozenset({"self", "this", "cls", "Self", "$this", "static", "@this"})
ABOVE_WORDS: Final = frozenset({"super", "base", "parent"})


class Resolver:
    """Binds expressions in the files of a tree. It keeps what it has read: make one a request."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.files: Files = Files(tree, {})
        self.modules: Modules = Modules(tree)
        self._known: dict[tuple[object, ...], Denoted] = {}
        self.steps_left: int = MOST_WORK
        self._lineages: dict[Row, tuple[tuple[Row, ...], bool]] = {}

    def rules_of(self, file: FileFacts) -> BindingRules | None:
        """Returns the rules for the bindings of a file's language; `None` if it has none."""
        language = self.tree.languages.by_id.get(file.file.known_language)
        rules = language.rules.bindings if language is not None else None
        return rules if rules is not None and rules.modules else None

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
        self.steps_left -= 1
        if self.steps_left < 0:
            return UNKNOWN
        denoted = self._first(place, chain[0], depth - 1)
        for step in chain[1:]:
            if denoted.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                return denoted
            found = self.member(denoted, step.name, depth - 1)
            is_own = step.is_called and self._returns_own(found)
            denoted = denoted if is_own else self._called(found, step, depth - 1)
        return denoted

    def _returns_own(self, found: Denoted) -> bool:
        """Whether a method's result is declared to be of the type of its receiver, which may be a
        subtype of the one that declares it."""
        if found.kind is not Kind.SYMBOL or not found.rows:
            return False
        facts = self.files.of(found.rows[0]).facts_of(found.rows[0])
        return bool(facts) and all(types_in(one.type) in OWN_TYPES for one in facts)

    def _first(self, place: Place, step: Step, depth: int) -> Denoted:
        name = step.name
        is_plain = {*place.local.get(name, ())} <= {NOTHING}  # the parameter `self`, or none
        if name in OWN_WORDS and is_plain:
            around = self.type_around(place)
            return Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN
        if name in ABOVE_WORDS and is_plain:
            around = self.type_around(place)
            bases = self.bases(around, depth) if around is not None else None
            return Denoted(Kind.VALUE, tuple(bases[0])) if bases and bases[0] else UNKNOWN
        return self._called(self.name(place, name, depth), step, depth)

    def _called(self, denoted: Denoted, step: Step, depth: int) -> Denoted:
        """Returns what a name denotes in an expression: of a call, its result; of a variable, a
        value of its type."""
        if denoted.kind is Kind.MODULE and step.is_called:
            denoted = self._whole(denoted.paths, depth - 1)
        if denoted.kind is not Kind.SYMBOL:
            return denoted if not step.is_called or denoted.kind is not Kind.VALUE else UNKNOWN
        results: list[Denoted] = []
        for row in denoted.rows:
            if _is_type(row):
                results.append(Denoted(Kind.VALUE if step.is_called else Kind.SYMBOL, (row,)))
            elif row.kind in CALLABLE_KINDS:
                results.append(
                    self.type_of(row, depth) if step.is_called else Denoted(Kind.SYMBOL, (row,))
                )
            else:
                value = self.type_of(row, depth)
                if value.kind is Kind.UNKNOWN and not step.is_called:
                    value = Denoted(Kind.SYMBOL, (row,))  # it may have members of its own
                is_class = value.kind is Kind.SYMBOL and step.is_called
                results.append(value._replace(kind=Kind.VALUE) if is_class else value)
        return united(results)

    # Names

    def name(self, place: Place, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a bare name denotes."""
        if depth <= 0:
            return UNKNOWN
        if name in place.local:
            return self._local(place, name, depth)
        for one in place.imports:
            if one.local == name:
                return self.imported(place.file, one, depth)
        inner = place.container
        while inner:  # nested definitions of functions and types around
            if rows := self._defined_in(place.file, inner, name):
                return Denoted(Kind.SYMBOL, rows)
            inner = inner.rpartition(".")[0]
        return self.exported(place.file, name, depth)

    def _defined_in(self, file: FileFacts, container: str, name: str) -> tuple[Row, ...]:
        """Returns what is defined in a function or type around a place and seen by its bare name:
        members only where they need no receiver."""
        rows = file.by_name.get(f"{container}.{name}", [])[:1]
        outer = file.by_name.get(container, [])
        is_hidden = rows and outer and _is_type(outer[0]) and self._needs_receiver(file)
        return () if is_hidden and not _is_type(rows[0]) else tuple(rows)

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

    def exported(self, file: FileFacts, name: str, depth: int) -> Denoted:
        """Returns what a name at the top of a file denotes: what it defines or imports."""
        key = "exported", file.path, name
        if key not in self._known:
            found = self._exported(file, name, depth)
            if found.kind is Kind.UNKNOWN and depth < MOST_DEPTH // 2:
                return found
            self._known[key] = found
        return self._known[key]

    def _exported(self, file: FileFacts, name: str, depth: int) -> Denoted:
        self.steps_left -= 1
        if depth <= 0 or self.steps_left < 0:
            return UNKNOWN
        rules = self.rules_of(file)
        if name == DEFAULT and rules is not None and rules.defaults:
            return self._default(file, rules, depth)
        rows = file.by_name.get(name, [])
        imports = file.imports.get(name, [])
        if imports:  # an object that is exported names what it has
            rows = [row for row in rows if row.kind is not SymbolKind.KEY]
        if rows:
            return Denoted(Kind.SYMBOL, tuple(rows[:1]))
        if imports:
            return united([self.imported(file, one, depth - 1) for one in imports[-4:]])
        beside = self._beside(file, name)
        if beside:
            return Denoted(Kind.SYMBOL, beside)
        for one in file.imports.get("", ()):
            if one.name == ALL:
                found = self._module_member(file, one.module, name, depth - 1)
                if found.kind not in (Kind.UNKNOWN, Kind.FOREIGN):
                    return found
        return FOREIGN if rules is not None and name in rules.builtins else UNKNOWN

    def _default(self, file: FileFacts, rules: BindingRules, depth: int) -> Denoted:
        """Returns what a module exports without a name."""
        for name in rules.defaults:
            if rows := file.by_name.get(name):
                return Denoted(Kind.SYMBOL, tuple(rows[:1]))
            if imports := file.imports.get(name):
                return self.imported(file, imports[-1], depth - 1)
            for fact in file.types.get((NO_SYMBOL, name), ()):
                return self.denoted(Place(file), fact.value, depth - 1)
        return UNKNOWN

    def _whole(self, paths: Iterable[str], depth: int) -> Denoted:
        """Returns what the files of a module export without a name, as which the module itself is
        used where it is called."""
        return self._in_module(paths, DEFAULT, depth)

    def _beside(self, file: FileFacts, name: str) -> tuple[Row, ...]:
        """Returns the symbols of the name at the top of the other files of the package, in a
        language whose packages are folders."""
        rules = self.rules_of(file)
        if rules is None or rules.modules not in ("folders", "packages"):
            return ()
        folder, family = file.path.rpartition("/")[0], self._family(file)
        return tuple(
            row
            for row in self.files.named(name)
            if not row.container
            and row.file.path.rpartition("/")[0] == folder
            and row.file.known_language in family
        )

    def _family(self, file: FileFacts) -> frozenset[str]:
        return frozenset(self.tree.languages.relatives_of(file.file.known_language))

    def imported(self, file: FileFacts, one: Import, depth: int) -> Denoted:
        """Returns what an import denotes."""
        if depth <= 0:
            return UNKNOWN
        rules = self.rules_of(file)
        if rules is None:
            return UNKNOWN
        if one.name and not one.module:  # another name for what the file itself has
            return self.exported(file, one.name, depth) if one.name != one.local else UNKNOWN
        if one.name and one.name != ALL:
            return self._module_member(file, one.module, one.name, depth)
        module = one.module
        if rules.modules == "dotted" and one.local == module.partition(".")[0]:
            module = one.local  # `import a.b` binds `a`
        return self._module(file, rules, module)

    def _module(self, file: FileFacts, rules: BindingRules, module: str) -> Denoted:
        paths = self.modules.find(rules.modules, module, file.path)
        if paths:
            return Denoted(Kind.MODULE, paths=tuple(paths))
        folder = module.replace(".", "/")
        if rules.modules == "dotted" and self.modules.is_folder(folder):
            return Denoted(Kind.MODULE, paths=(f"{folder}/",))
        return UNKNOWN if self.modules.may_have(rules.modules, module) else FOREIGN

    def _module_member(self, file: FileFacts, module: str, name: str, depth: int) -> Denoted:
        rules = self.rules_of(file)
        if rules is None or depth <= 0:
            return UNKNOWN
        found = self._module(file, rules, module)
        if found.kind is not Kind.MODULE:
            return found
        inner = self._in_module(found.paths, name, depth - 1)
        if inner.kind in (Kind.UNKNOWN, Kind.FOREIGN) and rules.modules == "dotted":
            sign = "" if module.endswith(".") else "."
            below = self._module(file, rules, f"{module}{sign}{name}")
            return below if below.kind is Kind.MODULE else inner
        return inner

    def _in_module(self, paths: Iterable[str], name: str, depth: int) -> Denoted:
        """Returns what a name of a module denotes."""
        for path in paths:
            file = self.files.at(path)
            if file is None:
                continue
            found = self.exported(file, name, depth)
            if found.kind is Kind.SYMBOL and self._beside(file, name):  # in other builds, another
                beside = (*found.rows, *self._beside(file, name))
                return found._replace(rows=tuple(dict.fromkeys(beside)))
            if found.kind not in (Kind.UNKNOWN, Kind.FOREIGN):
                return found
        return UNKNOWN

    # Members

    def member(self, denoted: Denoted, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a member of something denotes."""
        if depth <= 0:
            return UNKNOWN
        if denoted.kind is Kind.MODULE:
            found = self._in_module(denoted.paths, name, depth - 1)
            if found.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                folders = [_folder_of_module(path) for path in denoted.paths]
                for folder in folders:
                    target = f"{folder}/{name}" if folder else name
                    if below := self.modules.find("files", f"./{target}", ""):
                        return Denoted(Kind.MODULE, paths=tuple(below))
                whole = self._whole(denoted.paths, depth - 1)
                if whole.rows:
                    return self.member(whole, name, depth - 1)
            return found
        found_members = [
            self.member_of_type(row, name, depth - 1) for row in denoted.rows if _has_members(row)
        ]
        return united(found_members) if found_members else UNKNOWN

    def member_of_type(self, type_row: Row, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a member of a type or of its supertypes denotes. FOREIGN if none of them
        has it, and all are known."""
        lineage, is_whole = self.lineage(type_row)
        for row in lineage:
            if rows := self.own_members(row, name):
                return Denoted(Kind.SYMBOL, rows)
            facts = self._assigned(row, name)
            if facts:
                return self._of_facts(row, facts, depth - 1)
        return FOREIGN if is_whole and _is_type(type_row) else UNKNOWN

    def own_members(self, type_row: Row, name: str) -> tuple[Row, ...]:
        """Returns the members of a name that a type itself defines, in any of its files."""
        file = self.files.of(type_row)
        container = type_row.qualified_name
        rows = file.by_name.get(f"{container}.{name}", [])
        if rows:
            return tuple(rows[:1])
        folder, family = file.path.rpartition("/")[0], self._family(file)
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

    def lineage(self, type_row: Row) -> tuple[tuple[Row, ...], bool]:
        """Returns a type and its supertypes, nearest first, and whether all are known."""
        if type_row not in self._lineages:
            found, level, is_whole = {type_row: None}, [type_row], True
            while level and len(found) < MOST_BASES:
                below, level = level, []
                for row in below:
                    bases, is_known = self.bases(row)
                    is_whole = is_whole and is_known
                    level += [base for base in bases if base not in found]
                    found.update(dict.fromkeys(bases))
            self._lineages[type_row] = tuple(found), is_whole and len(found) < MOST_BASES
        return self._lineages[type_row]

    def bases(self, type_row: Row, depth: int = MOST_DEPTH) -> tuple[list[Row], bool]:
        """Returns the supertypes that a type names, and whether all of them are known."""
        file = self.files.of(type_row)
        number = file.numbers.get(type_row, NO_SYMBOL)
        container = type_row.qualified_name.rpartition(".")[0]
        rows: list[Row] = []
        is_known = True
        for text in file.bases.get(number, ()):
            found = self.of_type(file, container, text, depth - 1)
            types = [row for row in found.rows if _is_type(row) and row != type_row]
            rows += types
            is_known = is_known and (bool(types) or names_of(text)[-1:] in _PLAIN_BASES)
        meant, is_meant = self._meant(file, type_row, depth)
        return [*rows, *meant], is_known and is_meant

    def _meant(self, file: FileFacts, alias: Row, depth: int) -> tuple[list[Row], bool]:
        """Returns the types for which an alias is another name, and whether they are known: not if
        it is one of several types."""
        facts = file.facts_of(alias)
        if not facts:
            return [], alias.kind is not SymbolKind.TYPE or file.has_members(alias)
        container = alias.qualified_name.rpartition(".")[0]
        rows: list[Row] = []
        for fact in facts[:1]:
            found = self.of_type(file, container, fact.type, depth - 1) if fact.type else UNKNOWN
            rows += [row for row in found.rows if row != alias]
        return ([], False) if "|" in facts[0].type else (rows, bool(rows))

    def type_around(self, place: Place) -> Row | None:
        """Returns the innermost type around a place."""
        name = place.container
        while name:
            for row in place.file.by_name.get(name, ()):
                if _is_type(row):
                    return row
            name = name.rpartition(".")[0]
        outer = place.container.split(".")
        for name in reversed(outer):  # a method outside of its type's file
            types = [row for row in self.files.named(name) if _is_type(row)]
            folder = place.file.path.rpartition("/")[0]
            near = [row for row in types if row.file.path.rpartition("/")[0] == folder]
            if near:
                return near[0]
        return None

    # Types

    def type_of(self, row: Row, depth: int) -> Denoted:
        """Returns what a variable, field or result of a function denotes: a value of a type."""
        key = "type", row
        if key not in self._known:
            found = self._type_of(row, depth)
            if found.kind is Kind.UNKNOWN and depth < MOST_DEPTH // 2:
                return found
            self._known[key] = found
        return self._known[key]

    def _type_of(self, row: Row, depth: int) -> Denoted:
        self.steps_left -= 1
        if depth <= 0 or self.steps_left < 0:
            return UNKNOWN
        file = self.files.of(row)
        return self._of_facts(row, file.facts_of(row), depth - 1)

    def _of_facts(self, row: Row, facts: Sequence[TypeFact], depth: int) -> Denoted:
        file = self.files.of(row)
        is_scope = _is_type(row) or row.kind in CALLABLE_KINDS
        container = row.qualified_name if is_scope else row.container
        found = []
        for fact in facts[:4]:
            if fact.type:
                found.append(self.of_type(file, container, fact.type, depth))
            else:
                local = self._parameters(file, container)
                place = Place(file, container, local)
                found.append(self.denoted(place, fact.value, depth))
        known = [one for one in found if one.kind is not Kind.UNKNOWN]
        return united(known) if known else UNKNOWN

    def _parameters(self, file: FileFacts, container: str) -> dict[str, list[str]]:
        """Returns the typed parameters of the constructors of a type."""
        rules = self.rules_of(file)
        local: dict[str, list[str]] = {}
        for name in rules.constructors if rules is not None else ():
            for row in file.by_name.get(f"{container}.{name}", ()):
                number = file.numbers[row]
                for (symbol, parameter), facts in file.types.items():
                    if symbol == number and parameter:
                        local[parameter] = [f":{fact.type}" for fact in facts if fact.type]
        return local

    def of_type(
        self, file: FileFacts, container: str, text: str, depth: int = MOST_DEPTH
    ) -> Denoted:
        """Returns the values of a type as it is written in a file, inside a container."""
        if depth <= 0:
            return UNKNOWN
        rules = self.rules_of(file)
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
                around = self.type_around(place)
                found.append(Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN)
                continue
            denoted = self.followed(place, tuple(map(Step, names)), depth - 1)
            types = tuple(row for row in denoted.rows if _is_type(row))
            if types:
                found.append(Denoted(Kind.VALUE, types))
            elif denoted.kind is Kind.FOREIGN or self._is_nowhere(names):
                found.append(FOREIGN)
            else:
                found.append(UNKNOWN)
        return united(found) if found else UNKNOWN

    def _is_nowhere(self, names: Sequence[str]) -> bool:
        """Whether no symbol of the tree has the name of a type, which is no parameter either."""
        return len(names) == 1 and not is_parameter(names[0]) and not self.files.named(names[0])


_PLAIN_BASES: Final = (["object"], ["Object"], ["Any"], ["AnyObject"])
"""Bases that add no member that a program defines."""


def _is_type(row: Row) -> bool:
    return KINDS[row.kind].quality == 0 and row.kind is not SymbolKind.MODULE


def _has_members(row: Row) -> bool:
    return row.kind not in CALLABLE_KINDS


def _folder_of_module(path: str) -> str:
    folder, _, base = path.rpartition("/")
    stem = base.partition(".")[0]
    if not base or stem in ("__init__", "index", "mod"):
        return folder
    return f"{folder}/{stem}" if folder else stem
