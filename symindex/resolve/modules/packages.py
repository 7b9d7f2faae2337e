"""Names in languages whose packages or namespaces are declared, not led to by files.

A symbol is known by its whole name: the package that its file declares, then its qualified name,
which has the namespaces around it. Names of the package around are seen without an import, and in
some languages those of the packages around it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from symindex.extract.file_bindings import ALL, NO_SYMBOL, Import
from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
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
)
from symindex.resolve.modules.includes import STYLE, Includes
from symindex.resolve.modules.project_imports import ProjectImports
from symindex.resolve.reading.expressions import arity_of, is_parameter, names_of
from symindex.resolve.reading.files import FileFacts, Files, is_title
from symindex.resolve.tree import Row

STYLES: Final = ("packages", "global", STYLE)
"""The rules for modules whose symbols are found by their whole names."""

OF_PACKAGES: Final = (SymbolKind.NAMESPACE, SymbolKind.MODULE, SymbolKind.PACKAGE)


class Packages:
    """The symbols of a tree by their whole names."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._languages = files.tree.languages
        self._known: dict[str, bool] = {}
        self.includes: Includes = Includes(files)
        self._everywhere: list[FileFacts] | None = None
        self._of_projects = ProjectImports(files.tree)
        self._variants: dict[Row, bool] = {}

    def whole_name(self, row: Row) -> str:
        """Returns the qualified name of a symbol after the package that its file declares."""
        return joined(self._files.of(row).package, row.qualified_name)

    def named(self, file: FileFacts, package: str, name: str) -> tuple[Row, ...]:
        """Returns the symbols with a name directly in a package, namespace or type: those of the
        file nearest to the one that names them, and only these."""
        family = self._languages.relatives_of(file.file.known_language)
        whole = joined(package, name)
        found = [
            row
            for written in self._written(file, whole)
            for row in self._files.named(written)
            if row.file.known_language in family
            and not is_named_as_its_type(row)
            and not is_title(row)
            and not self.is_hidden(file, row)
            and row.container not in self._files.of(row).titles
            and whole in (self.whole_name(row), self._around_enum(file, row))
        ]
        if self.sees_files(file):
            spaces = [row for row in found if row.kind in OF_PACKAGES]
            return tuple(spaces) or self._visible(found, file.path)
        near = nearest(found, file.path)
        if len(near) == len(found):
            return near
        others = [*self.likes(found, near[0]), *self._beside(file, near[0], found)]
        if self._is_variant(near[0]):
            others += [row for row in found if row not in near and self._is_variant(row)]
        return (*near, *(row for row in dict.fromkeys(others) if row not in near))

    def is_hidden(self, file: FileFacts, row: Row) -> bool:
        """Whether a symbol at the top of another file is private to that, in a language in which
        private names are seen in their own file alone."""
        is_private = row.flags & SymbolFlag.PRIVATE and not row.container
        if not is_private or row.file.path == file.path or self.sees_files(file):
            return False
        return self._languages.by_id[row.file.known_language].rules.roles.private == "file"

    def _beside(self, file: FileFacts, row: Row, found: Sequence[Row]) -> list[Row]:
        """Returns the other functions of one name in a type that several places open, without those
        in tests: what the program reads tells which is in force."""
        rules = self._files.rules_of(file)
        if rules is None or not rules.reopened or rules.overloads or not is_callable(row):
            return []
        return [one for one in found if is_callable(one) and not one.flags & SymbolFlag.TEST]

    def _visible(self, found: list[Row], path: str) -> tuple[Row, ...]:
        """Returns the symbols of one name that a file sees: a type and a value that have it do not
        hide each other."""
        types = [row for row in found if is_type(row)]
        if not 0 < len(types) < len(found):
            return self.includes.visible(found, path)
        others = [row for row in found if row not in types]
        return (*self.includes.visible(others, path), *self.includes.visible(types, path))

    def likes(self, rows: Sequence[Row], row: Row) -> list[Row]:
        """Returns the types among symbols of one name whose type parameters differ from those of
        `row`, and the aliases that a condition may choose instead of it; none if `row` is no
        type."""
        types = [one for one in rows if is_type(one)] if len(rows) > 1 and is_type(row) else []
        if row.kind is SymbolKind.TYPE:
            return types
        return [one for one in types if self.arity(one) != self.arity(row)]

    def arity(self, row: Row) -> int:
        """Returns the number of type parameters of a type: those of one name may differ by it."""
        return self._files.of(row).arity(row)

    def with_arity(self, rows: Sequence[Row], text: str, name: str) -> tuple[Row, ...]:
        """Returns the types among symbols; of several, those with as many type parameters as a text
        has arguments, if any has."""
        types = tuple(row for row in rows if is_type(row))
        if len(types) < 2:
            return types
        n_arguments = arity_of(text, name)
        return tuple(row for row in types if self.arity(row) == n_arguments) or types

    def is_member(self, row: Row, type_row: Row) -> bool:
        """Whether a symbol that a container of this name has is in this definition of a type, not
        in another one of the name; also if it is outside of all."""
        file = self._files.of(row)
        number = file.numbers.get(row, NO_SYMBOL)
        types = [one for one in file.by_name.get(row.container, ()) if self._files.is_type(one)]
        before = [one for one in types if file.numbers[one] < number]
        return before[0] == type_row if before else not types

    def imports_of_all(self, file: FileFacts) -> list[Import]:
        """Returns the imports of all names of a module that count in a file: its own, and those
        that count in all files below the folder of the file that has them."""
        own = file.imports.get("", [])
        rules = self._files.rules_of(file)
        if rules is None or rules.modules != "global":
            return own
        if self._everywhere is None:
            self._everywhere = self._files.importing_everywhere()
        family = self._files.family(file)
        around = [
            one
            for other in self._everywhere
            if other.file.known_language in family
            and file.path.startswith(other.path[: other.path.rfind("/") + 1])
            for one in other.imports[ALL]
        ]
        return [*own, *around, *self._of_projects.around(file.path, rules)]

    def qualified(self, file: FileFacts, container: str, names: Sequence[str]) -> tuple[Row, ...]:
        """Returns the symbols of a qualified name: a whole one, or one that begins in a package or
        namespace around."""
        package = ".".join(names[:-1])
        for outer in outward(joined(file.package, container)):
            if rows := self.named(file, joined(outer, package), names[-1]):
                return rows
        return ()

    def _written(self, file: FileFacts, whole: str) -> Iterator[str]:
        """Yields the names that the symbol of a whole name may have: its last one, or in a language
        that writes whole names also more of them."""
        language = self._languages.by_id[file.file.known_language]
        names = whole.split(".")
        lengths = len(names) if language.rules.roles.dotted else 1
        for length in range(1, lengths + 1):
            yield ".".join(names[-length:])

    def _around_enum(self, file: FileFacts, row: Row) -> str:
        """Returns the whole name that a member of an enum has as well where names of files are
        seen: that without the enum."""
        if row.kind is not SymbolKind.ENUM_MEMBER or not self.sees_files(file):
            return ""
        return joined(self._files.of(row).package, row.container.rpartition(".")[0], row.name)

    def outside(self, file: FileFacts, whole: str) -> list[Row]:
        """Returns the type whose members a file defines without the namespaces around it: the only
        one that it includes whose whole name ends with this one."""
        types = [
            row
            for row in self._files.named(whole.rpartition(".")[2])
            if is_type(row)
            and row.qualified_name.endswith(f".{whole}")
            and row.file.path in self.includes.reached(file.path)
        ]
        return types if len({row.qualified_name for row in types}) == 1 else []

    def denoted(self, file: FileFacts, rows: tuple[Row, ...]) -> Denoted:
        """Returns what a name denotes in a file: symbols, or the namespace that all of them are."""
        if rows and self.sees_files(file) and all(row.kind in OF_PACKAGES for row in rows):
            whole = self.whole_name(rows[0])
            return Denoted(Kind.MODULE, paths=(whole, file.path), is_package=True)
        return Denoted(Kind.SYMBOL, rows)

    def sees_files(self, file: FileFacts) -> bool:
        """Whether the names of a file are its own and those of the files that it includes."""
        rules = self._files.rules_of(file)
        return rules is not None and rules.modules == STYLE

    def are_one(self, row: Row, own: Row) -> bool | None:
        """Whether two symbols are one that files declare and define apart; `None` if they may
        be."""
        if not self.sees_files(self._files.of(own)) or row.name != own.name:
            return False
        if row.qualified_name != own.qualified_name:  # the namespace may be left out, or broken off
            is_outside = own.container and not own.flags & SymbolFlag.DECLARATION
            if not (is_outside and row.qualified_name.endswith(f".{own.qualified_name}")):
                return False
            return self.includes.links(row, own)
        return self.includes.are_one(row, own, self._files.named)

    def nearest_variant(self, rows: Sequence[Row], path: str) -> Row | None:
        """Returns the nearest to a file, of symbols that are one which is defined once for each
        platform; `None` if they are not. Where no sign tells that they are, none of several that
        are as near is meant: they may be of other modules."""
        names = {self.whole_name(row) for row in rows}
        if len(names) != 1 or not all(map(self._is_variant, rows)):
            return None
        ranks = {row: (row.file.path != path, -_shared(row.file.path, path)) for row in rows}
        best = min(rows, key=ranks.__getitem__)
        near = {row.file.path.rpartition("/")[0] for row in rows if ranks[row] == ranks[best]}
        rules = self._files.rules_of(self._files.of(best))
        is_told = rules is not None and re.match(rules.variants, "") is None
        return best if is_told or len(near) == 1 else None

    def _is_variant(self, row: Row) -> bool:
        """Whether a symbol, or a type around it, is defined once for each platform."""
        file = self._files.of(row)
        rules = self._files.rules_of(file)
        if rules is None or not rules.variants:
            return False
        if row not in self._variants:
            around = [
                row,
                *(one for name in outward(row.container) for one in file.by_name.get(name, ())),
            ]
            self._variants[row] = any(
                re.search(rules.variants, one.index.signature(one.number)) for one in around
            )
        return self._variants[row]

    def member(self, file: FileFacts, package: str, name: str) -> Denoted:
        """Returns what a name in a package or type denotes. FOREIGN if the tree has the name only
        elsewhere, and nothing of the package."""
        rules = self._files.rules_of(file)
        makers = rules.makers if rules is not None else ()
        package = ".".join(part for part in names_of(package) if part not in makers)
        found = self._directly_in(file, package, name)
        outer = self._beginnings(file) if found.kind in (Kind.FOREIGN, Kind.UNKNOWN) else ()
        for beginning in outer:
            inner = self._directly_in(file, joined(beginning, package), name)
            if inner.kind is not Kind.FOREIGN and (inner.rows or found.kind is Kind.FOREIGN):
                found = inner
            if inner.rows:
                break
        return found

    def _directly_in(self, file: FileFacts, package: str, name: str) -> Denoted:
        if rows := self.named(file, package, name):
            return self.denoted(file, rows)
        if rows := self._of_file(file, package, name):
            return Denoted(Kind.SYMBOL, rows)
        rules = self._files.rules_of(file)
        whole = joined(package, name)
        if self.is_package(whole):
            return Denoted(Kind.MODULE, paths=(whole, file.path), is_package=True)
        if self.sees_files(file):  # the name may be relative to a namespace around it
            is_foreign = rules is not None and names_of(package)[:1] in [
                [one] for one in rules.builtins
            ]
            return FOREIGN if is_foreign else UNKNOWN
        if not package or not self.is_package(package):
            is_relative = rules is not None and rules.relative and bool(package)
            return self._relative(file, package, name) if is_relative else FOREIGN
        return DOUBTFUL if rules is not None and rules.imports_types else UNKNOWN

    def _beginnings(self, file: FileFacts) -> list[str]:
        """Returns the namespaces of a file in which the name of a package may begin, the innermost
        first; none in a language that always names packages whole."""
        rules = self._files.rules_of(file)
        if rules is None or rules.modules != "global":
            return []
        names = [row.qualified_name for row in file.rows if row.kind in OF_PACKAGES]
        return [*dict.fromkeys(outer for name in names for outer in outward(name) if outer)]

    def _relative(self, file: FileFacts, package: str, name: str) -> Denoted:
        """Returns what a name denotes in a package or type that is named from those around."""
        for outer in outward(file.package):
            whole = joined(outer, package)
            if rows := self.named(file, whole, name):
                return Denoted(Kind.SYMBOL, rows)
            if self.is_package(joined(whole, name)):
                return Denoted(Kind.MODULE, paths=(joined(whole, name), file.path), is_package=True)
        first = package.partition(".")[0]
        is_known = first in file.imports or bool(self._files.named(first))
        return UNKNOWN if is_known else FOREIGN

    def _of_file(self, file: FileFacts, type_name: str, name: str) -> tuple[Row, ...]:
        """Returns the functions and variables of a name that another language has at the top of a
        file, which are members of a class that is called like the file."""
        rows = self.named(file, type_name.rpartition(".")[0], name)
        language = file.file.known_language
        of_others = all(row.file.known_language != language and not row.container for row in rows)
        return rows if of_others and not any(map(is_type, rows)) else ()

    def is_package(self, package: str) -> bool:
        """Whether something in the tree is in a package or namespace."""
        if package not in self._known:
            self._known[package] = self._files.declare(package) or any(
                row.kind in OF_PACKAGES and f".{self.whole_name(row)}.".find(f".{package}.") == 0
                for name in (package, package.rpartition(".")[2])
                for row in self._files.named(name)
            )
        return self._known[package]

    def around(self, file: FileFacts, container: str, name: str, is_open: bool) -> tuple[Row, ...]:
        """Returns what a bare name denotes by the packages and namespaces around it.

        is_open: whether the names of those further out are seen as well.
        """
        for package in outward(joined(file.package, container)):
            is_whole = package in ("", file.package) or self.is_package(package)
            rows = [
                row
                for row in self.named(file, package, name)
                if is_whole or is_type(row) or row.kind in (SymbolKind.CONSTANT, SymbolKind.MODULE)
            ]
            own = file.by_name.get(package, ())  # a package inside a type is no end of the search
            is_end = package in ("", file.package) or any(row.kind in OF_PACKAGES for row in own)
            if rows or (is_end and not is_open):
                return tuple(rows)
        return ()

    def lacks(self, rules: BindingRules | None, place: Place, name: str) -> bool:
        """Whether a name has the form of a type's, and no import or package brings it in."""
        return (
            rules is not None
            and rules.imports_types
            and (rules.modules == "packages" or place.is_type)
            and name[:1].isupper()
            and not is_parameter(name)
            and name not in place.file.imports
            and name not in place.local
            and not any(one.local == name for one in place.imports)
            and not self.around(place.file, place.container, name, rules.modules == "global")
        )

    def parts(self, type_row: Row) -> list[Row]:
        """Returns the definitions of a type that have one whole name, its own first; only its own
        in a language whose types have one."""
        rules = self._files.rules_of(self._files.of(type_row))
        if rules is None or rules.modules != "global":
            return [type_row]
        whole = self.whole_name(type_row)
        return [
            type_row,
            *(
                row
                for row in self._files.named(type_row.name)
                if row != type_row
                and KINDS[row.kind].quality == KINDS[type_row.kind].quality
                and row.file.known_language == type_row.file.known_language
                and self.whole_name(row) == whole
                and self.arity(row) == self.arity(type_row)
                and not self.is_hidden(self._files.of(type_row), row)
                and not self.is_hidden(self._files.of(row), type_row)
            ),
        ]

    def openings(self, row: Row) -> list[Row]:
        """Returns the definitions of a type that several places open, the main one first: the one
        outside of tests that defines the most; only the row itself if it is no such type."""
        file = self._files.of(row)
        rules = self._files.rules_of(file)
        if rules is None or not rules.reopened:
            return [row]

        def order(part: Row) -> tuple[int, ...]:
            members = self._files.of(part).members_of(part)
            n_values = sum(not self._files.is_type(one) for one in members)
            first, last = part.lines
            return part.flags & _UNLIKELY, -n_values, -len(members), first - last

        parts = [
            part
            for part in self.parts(row)
            if re.search(rules.reopened, part.index.signature(part.number))
        ]
        return sorted(parts, key=order) if row in parts else [row]


_UNLIKELY: Final = SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED


def joined(*names: str) -> str:
    return ".".join(filter(None, names))


def nearest(rows: Sequence[Row], path: str) -> tuple[Row, ...]:
    """Returns the symbols of the file that shares the most folders with another."""
    if len({row.file.path for row in rows}) < 2:
        return tuple(rows)
    best = min(rows, key=lambda row: (row.file.path != path, -_shared(row.file.path, path)))
    return tuple(row for row in rows if row.file.path == best.file.path)


def _shared(one: str, other: str) -> int:
    folders = zip(one.split("/"), other.split("/"), strict=False)
    return next((n for n, (left, right) in enumerate(folders) if left != right), 99)


def outward(name: str) -> Iterator[str]:
    """Yields a qualified name, those of what is around it, and an empty one."""
    while name:
        yield name
        name = name.rpartition(".")[0]
    yield ""
