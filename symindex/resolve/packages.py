"""Names in languages whose packages or namespaces are declared, not led to by files.

A symbol is known by its whole name: the package that its file declares, then its qualified name,
which has the namespaces around it. Names of the package around are seen without an import, and in
some languages those of the packages around it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.resolve.denoted import (
    FOREIGN,
    UNKNOWN,
    Denoted,
    Kind,
    is_named_as_its_type,
    is_type,
)
from symindex.resolve.expressions import names_of
from symindex.resolve.files import FileFacts, Files
from symindex.resolve.tree import Row

STYLES: Final = ("packages", "global")
"""The rules for modules whose symbols are found by their whole names."""

_OF_PACKAGES: Final = (SymbolKind.NAMESPACE, SymbolKind.MODULE, SymbolKind.PACKAGE)


class Packages:
    """The symbols of a tree by their whole names."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._languages = files.tree.languages
        self._known: dict[str, bool] = {}
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
            for row in self._files.named(name)
            if row.file.known_language in family
            and not is_named_as_its_type(row)
            and self.whole_name(row) == whole
        ]
        near = nearest(found, file.path)
        if len(near) == len(found) or not self._is_variant(near[0]):
            return near
        return (*near, *(row for row in found if row not in near and self._is_variant(row)))

    def are_variants(self, rows: Sequence[Row]) -> bool:
        """Whether symbols are one that is defined once for each platform."""
        names = {self.whole_name(row) for row in rows}
        return len(names) == 1 and all(map(self._is_variant, rows))

    def _is_variant(self, row: Row) -> bool:
        """Whether a symbol, or a type around it, is defined once for each platform."""
        file = self._files.of(row)
        rules = self._files.rules_of(file)
        if rules is None or not rules.variants:
            return False
        if row not in self._variants:
            around = [
                row,
                *(one for name in _outward(row.container) for one in file.by_name.get(name, ())),
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
        if rows := self.named(file, package, name):
            return Denoted(Kind.SYMBOL, rows)
        if rows := self._of_file(file, package, name):
            return Denoted(Kind.SYMBOL, rows)
        whole = joined(package, name)
        if self.is_package(whole):
            return Denoted(Kind.MODULE, paths=(whole, file.path), is_package=True)
        if self.is_package(package) or rules is None:
            return UNKNOWN
        return self._relative(file, package, name) if rules.relative else FOREIGN

    def _relative(self, file: FileFacts, package: str, name: str) -> Denoted:
        """Returns what a name denotes in a package or type that is named from those around."""
        for outer in _outward(file.package):
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
                row.kind in _OF_PACKAGES and f".{self.whole_name(row)}.".find(f".{package}.") == 0
                for name in (package, package.rpartition(".")[2])
                for row in self._files.named(name)
            )
        return self._known[package]

    def around(self, file: FileFacts, container: str, name: str, is_open: bool) -> tuple[Row, ...]:
        """Returns what a bare name denotes by the packages and namespaces around it.

        is_open: whether the names of those further out are seen as well.
        """
        for package in _outward(joined(file.package, container)):
            is_whole = package in ("", file.package) or self.is_package(package)
            rows = [
                row
                for row in self.named(file, package, name)
                if is_whole or is_type(row) or row.kind in (SymbolKind.CONSTANT, SymbolKind.MODULE)
            ]
            if rows or (package in ("", file.package) and not is_open):
                return tuple(rows)
        return ()

    def parts(self, type_row: Row) -> list[Row]:
        """Returns the definitions of a type that have one whole name, its own first."""
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
            ),
        ]


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


def _outward(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition(".")[0]
    yield ""
