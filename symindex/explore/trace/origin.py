"""Whether a frame is of the tree or of a library, by its package and by the folder that libraries
are in; and which symbol is meant by the name of an inherited one."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from symindex.explore.targets.names import NamedSymbol, symbols_named
from symindex.explore.trace.frames import Frame, library_path
from symindex.explore.trace.located import Locator, shared_end
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Kind, is_type
from symindex.resolve.modules.module_files import module_path
from symindex.resolve.tree import IndexedFile, Row, Tree
from symindex.text.separators import SEPARATOR

_FOLDERS: Final = "folders"
_DOTTED: Final = "dotted"
"""The rules for modules that are named by the paths of folders or files (`[bindings].modules`)."""

_PACKAGE: Final = re.compile(r"((?:[\w.~-]+/)+[\w-]+)\.")
"""Matches the path of a package before the name of a function."""


class Origin:
    """Knows the packages of a tree. locator: of the trace's files."""

    def __init__(self, tree: Tree, locator: Locator) -> None:
        self._tree, self._locator = tree, locator

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self._tree)

    def own_files(self, files: Sequence[IndexedFile], frame: Frame) -> list[IndexedFile]:
        """Returns those of the files of a frame that are not called like a library's by chance."""
        if self._locator.is_exact(frame.path):
            return [*files]
        return [
            file
            for file in files
            if self._is_in_package(file, frame.symbol) and self._is_in_library(file, frame.path)
        ]

    def _is_in_package(self, file: IndexedFile, symbol: str) -> bool:
        """Whether a file is in the package that the whole name of a function begins with, also a
        shortened one; also if either is not known."""
        facts = self._resolver.files.of_file(file)
        rules = self._resolver.files.rules_of(facts)
        if rules is None or rules.modules != "packages" or not facts.package:
            return True
        own, names = facts.package.split("."), symbol.rpartition("/")[2].split(".")
        outer = names[: next((n for n, name in enumerate(names) if name[:1].isupper()), 0)]
        is_short = len(outer) == len(own) and all(map(str.startswith, own, outer))
        return not outer or is_short or outer[: len(own)] == own

    def _is_in_library(self, file: IndexedFile, path: str) -> bool:
        """Whether a file may be the one at a path in a folder of libraries; also if the path is in
        none."""
        inside = library_path(path)
        if not inside:
            return True
        facts = self._resolver.files.of_file(file)
        rules = self._resolver.files.rules_of(facts)
        style = rules.modules if rules is not None else ""
        modules = self._resolver.exports.modules_for(facts)
        whole = self._locator.whole_path(file)
        n_shared = shared_end(inside, whole)
        if n_shared == len(whole) or library_path(file.path):
            return True
        if n_shared == len(inside):  # what is inside of a package has the package in its name
            name = module_path("/".join(inside)).replace("/", ".")
            return style != _DOTTED or file.path in modules.find(style, name, file.path)
        if style == _FOLDERS:
            return file.path in modules.find(style, "/".join(inside[:-1]), "")
        first = inside[1] if inside[0].startswith("@") and len(inside) > 1 else inside[0]
        return first in whole[:-1]

    def own_symbols(self, meant: Sequence[NamedSymbol], symbol: str) -> list[NamedSymbol]:
        """Returns those of the symbols that a frame without a file may mean by the path of the
        package in its name."""
        package = _PACKAGE.match(symbol)
        if package is None:
            return [*meant]
        return [one for one in meant if self._is_of_package(one.row, package[1])]

    def _is_of_package(self, row: Row, package: str) -> bool:
        facts = self._resolver.files.of(row)
        rules = self._resolver.files.rules_of(facts)
        if rules is None or rules.modules != _FOLDERS:
            return True
        modules = self._resolver.exports.modules_for(facts)
        folder = facts.path.rpartition("/")[0]
        is_inside = facts.path in modules.find(_FOLDERS, package, "")
        return is_inside or f"/{folder}".endswith(f"/{package}") or not modules.declares_names

    def inherited(self, name: str, most_way: int) -> Row | None:
        """Returns the member that a type of the tree inherits under a name; `None` if there is no
        such type or member. most_way: of `NamedSymbol.way`, for the type."""
        *outer, last = SEPARATOR.split(name)
        types = symbols_named(self._tree, ".".join(outer)) if outer else []
        rows = [one.row for one in types if one.way < most_way and is_type(one.row)]
        found = [self._resolver.member_of_type(row, last) for row in rows[:_MOST_TYPES]]
        members = [one.rows[0] for one in found if one.kind is Kind.SYMBOL and one.rows]
        return members[0] if len({*members}) == 1 else None


_MOST_TYPES: Final = 5
"""Most types of one name whose members are looked for."""
