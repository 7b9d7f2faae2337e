"""What names at the top of a file, imports and modules denote: through imports of imports, exports
without a name, and the other files of a package."""

from collections.abc import Callable, Iterable
from typing import Final

from symindex.extract.file_bindings import ALL, DEFAULT, NO_SYMBOL, Import
from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.denoted import FOREIGN, UNKNOWN, Denoted, Kind, Place, united, with_type
from symindex.resolve.expressions import names_of
from symindex.resolve.files import FileFacts, Files
from symindex.resolve.modules import Modules
from symindex.resolve.packages import STYLES, Packages
from symindex.resolve.tree import Row

MOST_DEPTH: Final = 12
"""Most steps from one fact to the next: imports, aliases, bases and types together."""

MOST_WORK: Final = 3_000
"""Most names that are looked up for one use: a hostile tree has aliases without end."""


class Work:
    """What may still be done for one use."""

    def __init__(self) -> None:
        self._steps_left = MOST_WORK

    def begin(self) -> None:
        """Begins with another use."""
        self._steps_left = MOST_WORK

    def is_spent(self) -> bool:
        """Counts a name that is looked up; returns whether it is one too many."""
        self._steps_left -= 1
        return self._steps_left < 0


class Exports:
    """The names of the files of a tree, each found once.

    denoted: returns what an expression at a place denotes, within a number of steps.
    """

    def __init__(
        self,
        files: Files,
        packages: Packages,
        work: Work,
        denoted: Callable[[Place, str, int], Denoted],
    ) -> None:
        self._files, self._packages, self._work, self._denoted = files, packages, work, denoted
        self.modules: Modules = Modules(files.tree)
        self._known: dict[tuple[str, str], Denoted] = {}

    def exported(self, file: FileFacts, name: str, depth: int) -> Denoted:
        """Returns what a name at the top of a file denotes: what it defines or imports."""
        key = file.path, name
        if key not in self._known:
            found = self._exported(file, name, depth)
            if found.kind is Kind.UNKNOWN and depth < MOST_DEPTH // 2:
                return found
            self._known[key] = found
        return self._known[key]

    def _exported(self, file: FileFacts, name: str, depth: int) -> Denoted:
        if depth <= 0 or self._work.is_spent():
            return UNKNOWN
        rules = self._files.rules_of(file)
        if name == DEFAULT and rules is not None and rules.defaults:
            return self._default(file, rules, depth)
        rows = file.by_name.get(name, [])
        imports = file.imports.get(name, [])
        if imports:  # an object that is exported names what it has
            rows = [row for row in rows if row.kind is not SymbolKind.KEY]
        if rows:
            return Denoted(Kind.SYMBOL, tuple(with_type(rows)))
        if imports:
            return united([self.imported(file, one, depth - 1) for one in imports[-4:]])
        if beside := self.beside(file, name):
            return Denoted(Kind.SYMBOL, beside)
        for one in file.imports.get("", ()):
            if one.name == ALL:
                found = self.module_member(file, one.module, name, depth - 1)
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
                return self._denoted(Place(file), fact.value, depth - 1)
        return UNKNOWN

    def whole(self, paths: Iterable[str], depth: int) -> Denoted:
        """Returns what the files of a module export without a name, as which the module itself is
        used where it is called."""
        return self.in_module(paths, DEFAULT, depth)

    def beside(self, file: FileFacts, name: str) -> tuple[Row, ...]:
        """Returns the symbols of the name at the top of the other files of the package, in a
        language whose packages are folders."""
        rules = self._files.rules_of(file)
        if rules is None or rules.modules != "folders":
            return ()
        folder, family = file.path.rpartition("/")[0], self._files.family(file)
        return tuple(
            row
            for row in self._files.named(name)
            if not row.container
            and row.file.path.rpartition("/")[0] == folder
            and row.file.known_language in family
        )

    def imported(self, file: FileFacts, one: Import, depth: int) -> Denoted:
        """Returns what an import denotes."""
        if depth <= 0:
            return UNKNOWN
        rules = self._files.rules_of(file)
        if rules is None:
            return UNKNOWN
        if one.name and not one.module:  # another name for what the file itself has
            return self.exported(file, one.name, depth) if one.name != one.local else UNKNOWN
        if one.name and one.name != ALL:
            return self.module_member(file, one.module, one.name, depth)
        module = one.module
        if rules.modules == "dotted" and one.local == module.partition(".")[0]:
            module = one.local  # `import a.b` binds `a`
        if rules.modules in STYLES:
            names = names_of(module)
            return self._packages.member(file, ".".join(names[:-1]), names[-1] if names else "")
        return self._module(file, rules, module)

    def _module(self, file: FileFacts, rules: BindingRules, module: str) -> Denoted:
        paths = self.modules.find(rules.modules, module, file.path)
        if paths:
            return Denoted(Kind.MODULE, paths=tuple(paths))
        folder = module.replace(".", "/")
        if rules.modules == "dotted" and self.modules.is_folder(folder):
            return Denoted(Kind.MODULE, paths=(f"{folder}/",))
        return UNKNOWN if self.modules.may_have(rules.modules, module) else FOREIGN

    def module_member(self, file: FileFacts, module: str, name: str, depth: int) -> Denoted:
        rules = self._files.rules_of(file)
        if rules is None or depth <= 0:
            return UNKNOWN
        if rules.modules in STYLES:
            return self._packages.member(file, module, name)
        found = self._module(file, rules, module)
        if found.kind is not Kind.MODULE:
            return found
        inner = self.in_module(found.paths, name, depth - 1)
        if inner.kind in (Kind.UNKNOWN, Kind.FOREIGN) and rules.modules == "dotted":
            sign = "" if module.endswith(".") else "."
            below = self._module(file, rules, f"{module}{sign}{name}")
            return below if below.kind is Kind.MODULE else inner
        return inner

    def in_module(self, paths: Iterable[str], name: str, depth: int) -> Denoted:
        """Returns what a name of a module denotes."""
        for path in paths:
            file = self._files.at(path)
            if file is None:
                continue
            found = self.exported(file, name, depth)
            if found.kind is Kind.SYMBOL and self.beside(file, name):  # in other builds, another
                beside = (*found.rows, *self.beside(file, name))
                return found._replace(rows=tuple(dict.fromkeys(beside)))
            if found.kind not in (Kind.UNKNOWN, Kind.FOREIGN):
                return found
        return UNKNOWN
