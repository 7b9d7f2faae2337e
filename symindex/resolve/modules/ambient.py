"""What code declares for other files than its own: names that all files see, and members that it
adds to types of other modules and of libraries.

`declare global { var config: Config }`, `declare module "./cart" { interface Cart { id: ID } }`.
"""

from collections.abc import Sequence

from symindex.protocol.kinds import SymbolKind
from symindex.resolve.denoted import Kind, is_type
from symindex.resolve.modules.exports import MOST_DEPTH, Exports
from symindex.resolve.modules.packages import nearest
from symindex.resolve.reading.files import FileFacts, Files
from symindex.resolve.tree import Row


class Ambient:
    """The ambient declarations of a tree, each found once."""

    def __init__(self, files: Files, exports: Exports) -> None:
        self._files, self._exports = files, exports
        self._added_to: dict[Row, tuple[Row, ...]] = {}
        self._named: dict[tuple[str, frozenset[str]], tuple[Row, ...]] = {}

    def named(self, file: FileFacts, name: str) -> tuple[Row, ...]:
        """Returns the symbols of a name that files declare for a file and all others: those of the
        nearest such file."""
        if not self._are_allowed(file):
            return ()
        return nearest(self._every(name, self._files.family(file)), file.path)

    def others(self, type_row: Row) -> tuple[Row, ...]:
        """Returns the other declarations of a type, which add members to it: in a module that is
        opened again, or for all files."""
        if type_row not in self._added_to:
            self._added_to[type_row] = ()  # for a module that opens itself
            self._added_to[type_row] = self._others(type_row)
        return self._added_to[type_row]

    def is_ambient(self, row: Row) -> bool:
        """Whether a symbol at the top of a file is seen in all files."""
        file = self._files.of(row)
        return self._are_allowed(file) and file.is_ambient(row)

    def may_be_of_library(self, row: Row) -> bool:
        """Whether a symbol may be a member that code adds to a type of a library: its type is
        declared for all files, or in a module that the tree does not have and that is opened
        again. A file that is seen in all files declares a whole module."""
        file = self._files.of(row)
        if not (row.container and self._are_allowed(file)):
            return False
        around = row.container
        while "." in around and file.by_name.get(around.rpartition(".")[0]):
            around = around.rpartition(".")[0]
        return any(
            self._is_of_library(file, outer) is not file.is_ambient(outer)
            for outer in file.by_name.get(around, ())
        )

    def _are_allowed(self, file: FileFacts) -> bool:
        rules = self._files.rules_of(file)
        return rules is not None and bool(rules.ambient)

    def _is_of_library(self, file: FileFacts, module: Row) -> bool:
        is_module = module.kind is SymbolKind.MODULE
        return is_module and self._exports.module(file, module.name).kind is not Kind.MODULE

    def _every(self, name: str, family: frozenset[str]) -> tuple[Row, ...]:
        if (name, family) not in self._named:
            self._named[name, family] = tuple(
                row
                for row in self._files.named(name)
                if not row.container and row.file.known_language in family and self.is_ambient(row)
            )
        return self._named[name, family]

    def _others(self, type_row: Row) -> tuple[Row, ...]:
        file = self._files.of(type_row)
        if not (is_type(type_row) and self._are_allowed(file)):
            return ()
        if not type_row.container and file.is_ambient(type_row):
            rows: Sequence[Row] = self._every(type_row.name, self._files.family(file))
        else:
            rows = [row for row in self._files.named(type_row.name) if self._is_one(row, type_row)]
        return tuple(row for row in rows if row != type_row and is_type(row))

    def _is_one(self, row: Row, type_row: Row) -> bool:
        """Whether a type is declared in a module that is opened again, and is one with a type."""
        file, family = self._files.of(row), self._files.family(self._files.of(type_row))
        modules = file.by_name.get(row.container, ())
        if row.file.known_language not in family or not any(map(_is_quoted, modules)):
            return False
        opened = self._exports.module_member(file, row.container, row.name, MOST_DEPTH // 2)
        return type_row in opened.rows


def _is_quoted(row: Row) -> bool:
    """Whether a symbol is a module that is named by a text, as in an import."""
    return row.kind is SymbolKind.MODULE and not row.container
