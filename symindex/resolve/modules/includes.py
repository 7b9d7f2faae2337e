"""Names in languages whose files include each other and declare symbols apart from definitions.

A file sees its own names and those of the files that it includes, at any depth. A declaration and
the definition that includes it are one symbol.
"""

import posixpath
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from symindex.extract.file_bindings import INCLUDED
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag
from symindex.resolve.denoted import is_type
from symindex.resolve.reading.files import Files, is_title
from symindex.resolve.tree import Row

MOST_INCLUDED: Final = 3_000
"""Most files that one file includes, at any depth."""

STYLE: Final = "includes"
"""The rule for modules of these languages."""


class Includes:
    """The files of a tree by what they include, each followed once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._reached: dict[str, frozenset[str]] = {}
        self._direct: dict[str, list[str]] = {}

    @cached_property
    def _by_base(self) -> dict[str, list[str]]:
        """The paths of files by their names."""
        by_base: dict[str, list[str]] = {}
        for part in self._files.tree.snapshot.parts:
            for number, path in enumerate(part.index.paths.all):
                if part.counts(number):
                    whole = part.prefix + path
                    by_base.setdefault(whole.rpartition("/")[2], []).append(whole)
        return by_base

    def reached(self, path: str) -> frozenset[str]:
        """Returns the files that a file includes, at any depth, and itself."""
        if path not in self._reached:
            found, waiting = {path}, [path]
            while waiting and len(found) < MOST_INCLUDED:
                fresh = [one for one in self.direct(waiting.pop()) if one not in found]
                found.update(fresh)
                waiting += fresh
            self._reached[path] = frozenset(found)
        return self._reached[path]

    def direct(self, path: str) -> list[str]:
        """Returns the files that a file names; all that one name may mean."""
        if path not in self._direct:
            file = self._files.at(path)
            named = file.imports.get("", ()) if file is not None else ()
            paths = [
                found
                for one in named
                if one.name == INCLUDED
                for found in self._at(one.module, path)
            ]
            self._direct[path] = list(dict.fromkeys(paths))
        return self._direct[path]

    def _at(self, name: str, includer: str) -> list[str]:
        """Returns the files that the name of an included file may mean: the one beside the
        includer, else each whose path ends with it."""
        candidates = self._by_base.get(name.rpartition("/")[2], [])
        if not candidates:
            return []
        beside = posixpath.normpath(posixpath.join(includer.rpartition("/")[0], name))
        if beside in candidates:
            return [beside]
        end = "/" + posixpath.normpath(name).replace("../", "")
        return [path for path in candidates if f"/{path}".endswith(end)]

    def visible(self, rows: Sequence[Row], path: str) -> tuple[Row, ...]:
        """Returns those of the symbols with one whole name that a file sees: its own, else those
        of included files. Else types and functions that are not private count if one file has
        them, because not all that is included is in the tree."""
        rows = [row for row in rows if not is_title(row)]
        seen = [row for row in rows if row.file.path == path]
        if not seen:
            seen = [row for row in rows if row.file.path in self.reached(path)]
        if not seen:
            seen = [
                row
                for row in rows
                if not row.flags & SymbolFlag.PRIVATE
                and (is_type(row) or row.kind in CALLABLE_KINDS)
            ]
            defined = [row for row in seen if not row.flags & SymbolFlag.DECLARATION] or seen
            seen = defined if len({row.file.path for row in defined}) == 1 else []
        return tuple(self._defined(seen, rows))

    def _defined(self, seen: list[Row], rows: Sequence[Row]) -> Iterable[Row]:
        """Replaces types that are only announced by their definitions."""
        announced = [row for row in seen if is_type(row) and row.flags & SymbolFlag.DECLARATION]
        if not announced:
            return seen
        known = [row for row in seen if is_type(row) and row not in announced]
        elsewhere = [row for row in rows if is_type(row) and not row.flags & SymbolFlag.DECLARATION]
        linked = [row for row in elsewhere if self.links(announced[0], row)]
        types = known or linked or elsewhere or announced
        return [*types, *(row for row in seen if not is_type(row))]

    def links(self, declaration: Row, definition: Row) -> bool:
        """Whether the file of a definition includes that of a declaration."""
        return declaration.file.path in self.reached(definition.file.path)

    def are_one(self, row: Row, own: Row, named: Callable[[str], Sequence[Row]]) -> bool | None:
        """Whether two symbols with one whole name are one: alternatives of one file, or a
        declaration and a definition that sees it or is the only one; `None` if they may be. named:
        returns the symbols of a name."""
        if _sort(row) != _sort(own):
            return False
        if row.file.path == own.file.path:
            return True
        is_hidden = (row.flags | own.flags) & SymbolFlag.PRIVATE and not row.container
        is_declared = row.flags & SymbolFlag.DECLARATION, own.flags & SymbolFlag.DECLARATION
        if is_hidden or not any(is_declared):
            return False
        if all(is_declared) or self.links(*((row, own) if is_declared[0] else (own, row))):
            return True
        definitions = {
            one.file.path
            for one in named(own.name)
            if one.qualified_name == own.qualified_name
            and _sort(one) == _sort(own)
            and not one.flags & SymbolFlag.DECLARATION
        }
        return len(definitions) == 1 or None


def _sort(row: Row) -> int:
    """Tells types, functions and values apart, which may share a name."""
    return 0 if is_type(row) else 1 if row.kind in CALLABLE_KINDS else 2
