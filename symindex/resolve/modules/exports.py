"""What names at the top of a file, imports and modules denote: through imports of imports, exports
without a name, and the other files of a package."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from symindex.extract.file_bindings import ALL, DEFAULT, INJECTED, NO_SYMBOL, Import
from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag, SymbolKind
from symindex.resolve.denoted import (
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    is_type,
    united,
    with_type,
)
from symindex.resolve.modules.module_files import Modules, folder_of_module
from symindex.resolve.modules.packages import OF_PACKAGES, STYLES, Packages
from symindex.resolve.reading.expressions import names_of
from symindex.resolve.reading.files import FileFacts, Files, is_title
from symindex.resolve.tree import Row

MOST_DEPTH: Final = 16
"""Most steps from one fact to the next: imports, aliases, bases and types together."""

MODULE: Final = "__MODULE__"
"""The word for the module around."""

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


def has_crates(rules: BindingRules | None) -> bool:
    """Whether the modules of a language are those of crates (`resolve/modules/crates`)."""
    return rules is not None and rules.modules == "crates"


def _are_no_types(found: Denoted) -> bool:
    """Whether a name denotes macros or functions alone, beside which a type may have it."""
    return bool(found.rows) and not any(map(is_type, found.rows))


class Exports:
    """The names of the files of a tree, each found once.

    denoted: returns what an expression at a place denotes, within a number of steps. member:
    returns what a member of something denotes.
    """

    def __init__(
        self,
        files: Files,
        packages: Packages,
        work: Work,
        denoted: Callable[[Place, str, int], Denoted],
        member: Callable[[Denoted, str, int], Denoted],
    ) -> None:
        self._files, self._packages, self._work = files, packages, work
        self._denoted, self._member = denoted, member
        self._modules: dict[frozenset[str], Modules] = {}
        self._known: dict[tuple[str, str], Denoted] = {}
        self._open: set[tuple[str, str]] = set()
        self._used: dict[str, list[FileFacts]] = {}

    def modules_for(self, file: FileFacts) -> Modules:
        """Returns the modules that a file can import."""
        family = self._files.family(file)
        if family not in self._modules:
            self._modules[family] = Modules(self._files.tree, family)
        return self._modules[family]

    def inner_module(self, paths: Iterable[str], name: str) -> list[str]:
        """Returns the files of a module inside of another. paths: of the outer one."""
        for path in paths:
            folder = folder_of_module(path)
            for modules in self._modules.values():
                if found := modules.find(
                    "files", f"./{folder}/{name}" if folder else f"./{name}", ""
                ):
                    return found
        return []

    def exported(self, file: FileFacts, name: str, depth: int) -> Denoted:
        """Returns what a name at the top of a file denotes: what it defines or imports."""
        key = file.path, name
        if key not in self._known:
            if key in self._open:  # an import of the name itself, perhaps from around
                return self._inside(file, name)
            self._open.add(key)
            found = self._exported(file, name, depth)
            self._open.discard(key)
            is_open = found.kind is Kind.UNKNOWN or (
                has_crates(self._files.rules_of(file)) and _are_no_types(found)
            )
            if is_open and (self._open or depth < MOST_DEPTH // 2):
                return found
            self._known[key] = found
        return self._known[key]

    def _inside(self, file: FileFacts, name: str) -> Denoted:
        """Returns the module that a name means as the beginning of a path, which a module inside
        the file imports, or something in it that is called like it."""
        if not has_crates(self._files.rules_of(file)) or file.by_name.get(name):
            return UNKNOWN
        paths = self.modules_for(file).crates.child(file.path, name)
        return Denoted(Kind.MODULE, paths=tuple(paths)) if paths else UNKNOWN

    def with_module(self, file: FileFacts, name: str, found: Denoted) -> Denoted:
        """Adds the module inside a file that is called like a function or value that it imports."""
        if not found.rows or any(map(is_type, found.rows)):
            return found
        return found._replace(paths=self._inside(file, name).paths or found.paths)

    def _exported(self, file: FileFacts, name: str, depth: int) -> Denoted:
        if depth <= 0 or self._work.is_spent():
            return UNKNOWN
        rules = self._files.rules_of(file)
        if name == DEFAULT and rules is not None and rules.defaults:
            return self._default(file, rules, depth)
        rows = [row for row in file.by_name.get(name, ()) if not is_title(row)]
        imports = file.imports.get(name, []) or self._imported_packages(file, name)
        if imports:  # an object that is exported names what it has; a namespace is no value
            others = (SymbolKind.KEY, *OF_PACKAGES)
            rows = [row for row in rows if row.kind not in others]
        named = self.of_packages(file, imports[-4:])
        imported = [self.imported(file, one, depth - 1) for one in named]
        if not (rows or imports):
            injected = self._injected(file, f"{INJECTED}{name}", depth)
            imported = [self.imported(other, one, depth - 1) for other, one in injected[-4:]]
            if imported:
                return united(imported)
        if rows:
            both = self._files.merged(rows)
            meant = dict.fromkeys(
                (*(both or with_type(rows)), *self._packages.likes(rows, rows[0]))
            )
            own = Denoted(Kind.SYMBOL, tuple(meant))
            is_fixed = is_type(rows[0]) or rows[0].kind in CALLABLE_KINDS
            # of a definition and an import of one name, a condition chooses
            return united([own, *(one for one in imported if one.rows)]) if is_fixed else own
        if imports:
            found = united(imported)
            if has_crates(rules) and _are_no_types(found):  # such as a macro that derives a trait
                types = self._of_all(file, name, depth)
                found = found._replace(rows=(*filter(is_type, types.rows), *found.rows))
            return self.with_module(file, name, found)
        if beside := self.beside(file, name):
            return Denoted(Kind.SYMBOL, beside)
        if has_crates(rules) and (inner := self.modules_for(file).crates.child(file.path, name)):
            return Denoted(Kind.MODULE, paths=tuple(inner))
        found = self._of_all(file, name, depth)
        is_builtin = rules is not None and name in rules.builtins
        return FOREIGN if found.kind is Kind.UNKNOWN and is_builtin else found

    def _of_all(self, file: FileFacts, name: str, depth: int) -> Denoted:
        """Returns what a name denotes by the imports of all names of a module."""
        own = ((file, one) for one in self._packages.imports_of_all(file))
        every: list[Denoted] = []
        for other, one in (*own, *self._injected(file, INJECTED, depth)):
            if one.name == ALL:
                found = self.module_member(other, one.module, name, depth - 1)
                is_found = found.kind not in (Kind.UNKNOWN, Kind.FOREIGN)
                if is_found and not self._is_hidden(file, found):
                    every.append(found)
                    if not has_crates(self._files.rules_of(file)):
                        break
        # a condition chooses one of several
        return united([one for one in every if one.kind is every[0].kind]) if every else UNKNOWN

    def of_inner(self, file: FileFacts, container: str, name: str, depth: int) -> Denoted:
        """Returns what a name denotes by the imports of all names of something that are written in
        the symbols around it, the innermost first; UNKNOWN if none has it."""
        while container and file.inner_imports:
            every = [
                self.module_member(file, one.module, name, depth - 1)
                for one in file.inner_imports.get(container, ())
            ]
            if found := [one for one in every if one.kind in (Kind.SYMBOL, Kind.MODULE)]:
                return united(found)
            container = container.rpartition(".")[0]
        return UNKNOWN

    def _is_hidden(self, file: FileFacts, found: Denoted) -> bool:
        """Whether a name denotes only private symbols of other files, in a language in which these
        are seen in their own."""
        language = self._files.tree.languages.by_id[file.file.known_language]
        is_by_file = language.rules.roles.private == "file" and bool(found.rows)
        return is_by_file and all(
            row.flags & SymbolFlag.PRIVATE and row.file.path != file.path for row in found.rows
        )

    def _injected(self, file: FileFacts, local: str, depth: int) -> list[tuple[FileFacts, Import]]:
        """Returns the imports that the modules which a file uses put into it, each with the file
        that has it. local: as these are stored."""
        rules = self._files.rules_of(file)
        if rules is None or not rules.injectors:
            return []
        if file.path not in self._used:
            self._used[file.path] = []  # for modules that use each other
            used = [
                self._files.of(row)
                for base in file.bindings.bases
                for row in self._denoted(Place(file), base.type, depth - 1).rows
            ]
            self._used[file.path] = [one for one in dict.fromkeys(used) if one is not file]
        return [(one, each) for one in self._used[file.path] for each in one.imports.get(local, ())]

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

    def replaced(self, paths: Iterable[str], depth: int) -> Denoted:
        """Returns what code gives as a whole module, instead of the names in it; UNKNOWN if it
        gives none: what is only exported without a name does not replace the others."""
        for path in paths:
            file = self._files.at(path)
            if file is None or (rules := self._files.rules_of(file)) is None:
                continue
            for name in rules.defaults:
                is_given = name in file.imports or (NO_SYMBOL, name) in file.types
                if name != DEFAULT and is_given:
                    return self.given(self._default(file, rules, depth), depth - 1)
        return UNKNOWN

    def given(self, found: Denoted, depth: int) -> Denoted:
        """Returns what code gives as a whole module, if a module was found and it gives any."""
        if found.kind is not Kind.MODULE or found.is_package or depth <= 0:
            return found
        whole = self.replaced(found.paths, depth)
        return whole if whole.rows else found

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
            and self._files.of(row).package in (file.package, "")
        )

    def _imported_packages(self, file: FileFacts, name: str) -> list[Import]:
        """Returns the imports of packages that declare another name than that of their folder, in a
        language whose packages are folders."""
        if not self._has_folders(file):
            return []
        return [
            one
            for one in file.bindings.imports
            if one.local and not one.name and self._package_in(file, one) == name
        ]

    def of_packages(self, file: FileFacts, imports: Sequence[Import]) -> Sequence[Import]:
        """Returns the imports of one local name without those of packages that declare another one,
        if there are several."""
        if len(imports) < 2 or not self._has_folders(file):
            return imports
        return [one for one in imports if self._package_in(file, one) in (one.local, "")] or imports

    def _has_folders(self, file: FileFacts) -> bool:
        rules = self._files.rules_of(file)
        return rules is not None and rules.modules == "folders"

    def _package_in(self, file: FileFacts, one: Import) -> str:
        paths = self.modules_for(file).find("folders", one.module, file.path)
        return self._package_of(paths)

    def _package_of(self, paths: Sequence[str]) -> str:
        """Returns the name of the package that the files of a folder are, for others."""
        files = [file for path in paths if (file := self._files.at(path)) is not None]
        names = dict.fromkeys(file.package for file in files)
        return next((name for name in names if not _is_of_tests(name, names)), "")

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
            if f"{one.module}.{one.name}" in rules.proxies:
                return UNKNOWN
            return self.module_member(file, one.module, one.name, depth)
        module = one.module
        if has_crates(rules):
            return self._at_path(file, module, "", depth - 1)
        if rules.modules == "dotted" and one.local == module.partition(".")[0]:
            module = one.local  # `import a.b` binds `a`
        if rules.modules in STYLES:
            names = names_of(self._whole(file, module))
            return self._packages.member(file, ".".join(names[:-1]), names[-1] if names else "")
        found = self.module(file, module)
        is_there = found.kind is Kind.MODULE
        return found if is_there else self._declared(file, module, "") or found

    def _whole(self, file: FileFacts, module: str) -> str:
        """Returns the whole name of a module that may be named by the one around."""
        own, dot, rest = module.partition(".")
        around = next((row for row in file.rows if row.kind is SymbolKind.MODULE), None)
        return f"{around.qualified_name}{dot}{rest}" if own == MODULE and around else module

    def _at_path(self, file: FileFacts, path: str, name: str, depth: int) -> Denoted:
        """Returns what a name at the end of a path from a file denotes."""
        names = [*names_of(path), *filter(None, [name])]
        if len(names) == 1:
            return self.crate(file, names[0])
        outer = self._denoted(Place(file), "::".join(names[:-1]), depth)
        return FOREIGN if outer.kind is Kind.FOREIGN else self._member(outer, names[-1], depth)

    def crate(self, file: FileFacts, name: str, is_inside: bool = True) -> Denoted:
        """Returns the module that the first name of a path denotes, if it is none that its file
        defines. is_inside: whether the path may begin in a module inside the file."""
        crates, path = self.modules_for(file).crates, file.path
        if name == "self":
            return Denoted(Kind.MODULE, paths=(path,))
        if name == "super":
            own = [path] if is_inside and file.has_modules else []
            paths = [*own, *crates.parents(path)]
        else:
            paths = crates.roots_of(path) if name == "crate" else crates.named(name)
        if paths:
            return Denoted(Kind.MODULE, paths=tuple(paths))
        return FOREIGN if crates.is_library(name) else UNKNOWN

    def module(self, file: FileFacts, module: str) -> Denoted:
        """Returns what the name of a module denotes in a file."""
        rules = self._files.rules_of(file)
        if rules is None:
            return UNKNOWN
        modules = self.modules_for(file)
        paths = modules.find(rules.modules, module, file.path)
        if paths:
            return Denoted(Kind.MODULE, paths=tuple(paths))
        folder = module.replace(".", "/")
        if rules.modules == "dotted" and modules.is_folder(folder):
            return Denoted(Kind.MODULE, paths=(f"{folder}/",))
        return UNKNOWN if modules.may_have(rules.modules, module) else FOREIGN

    def module_member(self, file: FileFacts, module: str, name: str, depth: int) -> Denoted:
        rules = self._files.rules_of(file)
        if rules is None or depth <= 0:
            return UNKNOWN
        if has_crates(rules):
            return self._at_path(file, module, name, depth - 1)
        if rules.modules in STYLES:
            return self._packages.member(file, self._whole(file, module), name)
        found = self.module(file, module)
        if found.kind is not Kind.MODULE:
            return self._declared(file, module, name) or found
        inner = self.in_module(found.paths, name, depth - 1)
        if inner.kind in (Kind.UNKNOWN, Kind.FOREIGN) and rules.modules == "dotted":
            sign = "" if module.endswith(".") else "."
            below = self.module(file, f"{module}{sign}{name}")
            return below if below.kind is Kind.MODULE else inner
        return inner

    def _declared(self, file: FileFacts, module: str, name: str) -> Denoted | None:
        """Returns what a name denotes in a module that code declares for others, without having
        it: `declare module "cart" {}`. name: empty for the module. `None` if none has the name."""
        rules = self._files.rules_of(file)
        if rules is None or rules.modules != "files":
            return None
        found: dict[Row, None] = {}
        for row in self._files.named(module):
            if row.kind is not SymbolKind.MODULE or row.container:
                continue
            of_row, names = self._files.of(row), [name]
            if name == DEFAULT:  # only what a declaration inside gives instead
                given = (one for name in rules.defaults for one in of_row.imports.get(name, ()))
                names = [one.name for one in given if not one.module]
            rows = [one for name in names for one in of_row.by_name.get(f"{module}.{name}", ())]
            found.update(dict.fromkeys((self._files.merged(rows) or rows) if name else [row]))
        return Denoted(Kind.SYMBOL, tuple(found)) if found else None

    def in_module(self, paths: Iterable[str], name: str, depth: int) -> Denoted:
        """Returns what a name of a module denotes: of several modules that a name may mean, which
        are in different folders, all that have the name."""
        paths, by_folder = [*paths], dict[str, list[str]]()
        for path in paths:
            by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        by_folder = {folder: self._without_tests(some) for folder, some in by_folder.items()}
        found = [self._in_files(some, name, depth) for some in by_folder.values()]
        known = [one for one in found if one.kind not in (Kind.UNKNOWN, Kind.FOREIGN)]
        return united(known) if known else self._added_to({*paths}, name)

    def _added_to(self, paths: Collection[str], name: str) -> Denoted:
        """Returns what a name denotes that another file adds to a module of the tree: in
        `declare module "./cart" {}`. paths: the files of the module."""
        file = next(filter(None, map(self._files.at, paths)), None)
        rules = self._files.rules_of(file) if file is not None else None
        if rules is None or not rules.ambient:
            return UNKNOWN
        rows = [
            row
            for row in self._files.named(name)
            for of_row in (self._files.of(row),)
            for module in of_row.by_name.get(row.container, ())[:1]
            if module.kind is SymbolKind.MODULE and not module.container
            if not {*self.module(of_row, module.name).paths}.isdisjoint(paths)
        ]
        rows = self._files.merged(rows) or rows
        return Denoted(Kind.SYMBOL, tuple(rows)) if rows else UNKNOWN

    def _without_tests(self, paths: list[str]) -> list[str]:
        """Leaves out the files of a folder that are a package of tests of the one in it."""
        packages = {path: file.package for path in paths if (file := self._files.at(path))}
        names = {*packages.values()}
        if len(names) < 2:
            return paths
        return [path for path in paths if not _is_of_tests(packages.get(path, ""), names)]

    def _in_files(self, paths: Sequence[str], name: str, depth: int) -> Denoted:
        """Returns what a name denotes in the first of some files that has it."""
        for path in paths:
            file = self._files.at(path)
            if file is None:
                if inner := self._in_folder(path, name):
                    return Denoted(Kind.MODULE, paths=tuple(inner))
                continue
            found = self.exported(file, name, depth)
            if found.kind is Kind.SYMBOL and self.beside(file, name):  # in other builds, another
                beside = (*found.rows, *self.beside(file, name))
                return found._replace(rows=tuple(dict.fromkeys(beside)))
            if found.kind not in (Kind.UNKNOWN, Kind.FOREIGN):
                return found
        return UNKNOWN

    def _in_folder(self, path: str, name: str) -> list[str]:
        """Returns the file of a module that is in the folder of one without a file."""
        return [one for each in self._modules.values() for one in each.crates.child(path, name)]


def _is_of_tests(package: str, names: Iterable[str]) -> bool:
    """Whether a package is the tests of another one in its folder, which no file imports."""
    return any(package.startswith(f"{name}_") for name in names if name)
