"""Binds an expression to what it denotes: a symbol, a value of a type, a module, something that the
tree does not define, or nothing that is known.

A name is looked for in the code around it, in what its file defines, and in what it imports; each
further name in the module, type or value before it. Types come from annotations, constructors and
declared results. Nothing else is inferred.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from symindex.explore.binding.denoted import (
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    fitting,
    has_members,
    is_named_as_its_type,
    is_type,
    united,
)
from symindex.explore.binding.enclosing import parameters, type_around
from symindex.explore.binding.expressions import (
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
from symindex.explore.binding.files import FileFacts, Files
from symindex.explore.binding.lineage import Lineages
from symindex.explore.binding.modules import Modules, folder_of_module
from symindex.explore.binding.packages import STYLES, Packages
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
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind

MOST_DEPTH: Final = 12
"""Most steps from one fact to the next: imports, aliases, bases and types together."""

MOST_WORK: Final = 3_000
"""Most names that are looked up for one use: a hostile tree has aliases without end."""

OWN_WORDS: Final = frozenset({"self", "this", "cls", "Self", "$this", "static", "@this"})
ABOVE_WORDS: Final = frozenset({"super", "base", "parent"})


class Resolver:
    """Binds expressions in the files of a tree. It keeps what it has read: make one a request."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.files: Files = Files(tree, {})
        self.modules: Modules = Modules(tree)
        self.packages: Packages = Packages(self.files)
        self._known: dict[tuple[object, ...], Denoted] = {}
        self.steps_left: int = MOST_WORK
        self.lineages: Lineages = Lineages(self.files, self.of_type, MOST_DEPTH)

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
        denoted, rest = self._first(place, chain[0], depth - 1), chain[1:]
        if denoted.kind is Kind.UNKNOWN and rest and self.is_packaged(place.file):
            denoted, rest = self._qualified(place, chain)
        for step in rest:
            if denoted.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                is_open = step.is_called and self.is_packaged(place.file)
                return UNKNOWN if is_open else denoted  # a result may be of an argument's type
            if self._is_self(place, denoted, step):
                denoted = denoted._replace(kind=Kind.VALUE)
                continue
            found = self.member(denoted, step.name, depth - 1)
            is_own = step.is_called and self.lineages.returns_own(found)
            denoted = denoted if is_own else self._called(found, step, depth - 1)
        return denoted

    def is_packaged(self, file: FileFacts) -> bool:
        """Whether the names of a file are found by whole names."""
        rules = self.rules_of(file)
        return rules is not None and rules.modules in STYLES

    def _is_self(self, place: Place, denoted: Denoted, step: Step) -> bool:
        """Whether a step from a type leads to a value of it: `Type.this`, `Type.new`."""
        rules = self.rules_of(place.file)
        is_maker = rules is not None and step.name in rules.makers
        return (is_maker or step.name == "this") and denoted.kind is Kind.SYMBOL

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
            denoted = self._whole(denoted.paths, depth - 1)
        denoted = fitting(denoted, step.is_called)
        if denoted.kind is not Kind.SYMBOL:
            return denoted if not step.is_called or denoted.kind is not Kind.VALUE else UNKNOWN
        results: list[Denoted] = []
        for row in denoted.rows:
            if is_type(row):
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
            inherited = self._inherited(place.file, inner, name, depth)
            if inherited.kind is not Kind.UNKNOWN:
                return inherited
            inner = inner.rpartition(".")[0]
        rules = self.rules_of(place.file)
        if rules is not None and rules.modules in STYLES and name not in place.file.imports:
            is_open = rules.modules == "global"
            if rows := self.packages.around(place.file, place.container, name, is_open):
                return Denoted(Kind.SYMBOL, rows)
        return self.exported(place.file, name, depth)

    def _defined_in(self, file: FileFacts, container: str, name: str) -> tuple[Row, ...]:
        """Returns what is defined in a function or type around a place and seen by its bare name:
        members only where they need no receiver."""
        found = file.by_name.get(f"{container}.{name}", [])
        rows = [row for row in found if not is_named_as_its_type(row)][:1]
        outer = file.by_name.get(container, [])
        is_hidden = bool(rows) and bool(outer) and is_type(outer[0]) and self._needs_receiver(file)
        return () if is_hidden and not is_type(rows[0]) else tuple(rows)

    def _inherited(self, file: FileFacts, container: str, name: str, depth: int) -> Denoted:
        """Returns what a type around a place inherits, where members need no receiver, or what its
        other parts define."""
        outer = file.by_name.get(container, [])
        if not outer or not is_type(outer[0]) or self._needs_receiver(file):
            return UNKNOWN
        found = self.member_of_type(outer[0], name, depth - 1)
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
        if rules is None or rules.modules != "folders":
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
        if rules.modules in STYLES:
            names = names_of(module)
            return self.packages.member(file, ".".join(names[:-1]), names[-1] if names else "")
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
        if rules.modules in STYLES:
            return self.packages.member(file, module, name)
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
        if denoted.kind is Kind.MODULE and denoted.is_package:
            file = self.files.at(denoted.paths[1])
            return self.packages.member(file, denoted.paths[0], name) if file else UNKNOWN
        if denoted.kind is Kind.MODULE:
            found = self._in_module(denoted.paths, name, depth - 1)
            if found.kind in (Kind.UNKNOWN, Kind.FOREIGN):
                folders = [folder_of_module(path) for path in denoted.paths]
                for folder in folders:
                    target = f"{folder}/{name}" if folder else name
                    if below := self.modules.find("files", f"./{target}", ""):
                        return Denoted(Kind.MODULE, paths=tuple(below))
                whole = self._whole(denoted.paths, depth - 1)
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
        for row in lineage:
            if rows := self.own_members(row, name):
                return Denoted(Kind.SYMBOL, rows)
            facts = self._assigned(row, name)
            if facts:
                return self._of_facts(row, facts, depth - 1)
        return FOREIGN if is_whole and is_type(type_row) else UNKNOWN

    def own_members(self, type_row: Row, name: str) -> tuple[Row, ...]:
        """Returns the members of a name that a type itself defines, in any of its files."""
        file = self.files.of(type_row)
        if self.is_packaged(file):
            return self.packages.named(file, self.packages.whole_name(type_row), name)
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
                local = parameters(self.rules_of(file), file, container)
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
