"""Finds the file in the workspace that a path in a trace means, which may come from another machine
and another folder."""

import posixpath
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final

from symindex.errors import RequestError
from symindex.explore.trace.frames import sources_of
from symindex.resolve.tree import (
    IndexedFile,
    Row,
    Tree,
    find_file,
    indexed_files,
    read_text,
    rows_of,
    shown_path,
)


class Locator:
    """Finds files by the ends of their paths; the table of all paths is made once. folder: is
    searched first."""

    def __init__(self, tree: Tree, folder: str = "") -> None:
        self._tree, self._folder = tree, folder

    @cached_property
    def _by_name(self) -> dict[str, list[IndexedFile]]:
        by_name: dict[str, list[IndexedFile]] = {}
        for file in indexed_files(self._tree):
            by_name.setdefault(file.path.rpartition("/")[2], []).append(file)
        return by_name

    def find(self, path: str, symbol: str = "", line: int = 0) -> list[IndexedFile]:
        """Returns the likeliest files that a path may mean: those that share its longest end. If
        only the file name of a longer path matches, the file counts only if it contains the symbol.
        Of several files with one name, those with the symbol at the line count, else those whose
        folders the symbol names."""
        exact = self._exact(path)
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if len(parts) > 1:
            parts[:-1] = [_VERSION.sub("", part) for part in parts[:-1]]
        if exact is not None and (len(parts) > 1 or not symbol or _defines(exact, symbol, line)):
            return [exact]
        alike = self._by_name.get(parts[-1], []) if parts else []
        shared = {id(file): shared_end(parts, self.whole_path(file)) for file in alike}
        longest = max(shared.values(), default=0)
        alike = [file for file in alike if shared[id(file)] == longest]
        if longest == 1 and len(parts) > 1:
            return [file for file in alike if symbol and _defines(file, symbol, line)]
        # only the file name matches, and the file does not contain the symbol
        if exact is not None:
            return [file for file in alike if _defines(file, symbol, line)] or [exact]
        if 1 < len(alike) <= _MOST_READ and line:
            alike = [file for file in alike if self._has_line(file, line)] or alike
        if len(alike) < 2 or not symbol:
            return alike
        return _of_folders(
            [file for file in alike if line and _defines(file, symbol, line)] or alike, symbol
        )

    def find_source(self, path: str, symbol: str) -> Row | None:
        """Returns the symbol in the source of a compiled file: in the only file with that name and
        the longest common end of folders that defines it once. `None` if there is none or
        several."""
        folders = path.split("/")[:-1]
        candidates = [
            file
            for source in sources_of(path)
            for file in self._by_name.get(source.rpartition("/")[2], [])
        ]
        shared = {id(file): shared_end(folders, file.path.split("/")[:-1]) for file in candidates}
        longest = max(shared.values(), default=0)
        rows_of_files = [
            named_in(file, symbol) for file in candidates if shared[id(file)] == longest
        ]
        rows = [row for rows in rows_of_files for row in rows]
        return rows[0] if len(rows) == 1 else None

    def is_exact(self, path: str) -> bool:
        """Whether a path leads to a file of the tree as it stands."""
        return self._exact(path) is not None

    def _exact(self, path: str) -> IndexedFile | None:
        for way in dict.fromkeys((posixpath.join(self._folder, path), path)):
            with suppress(RequestError):
                exact = find_file(self._tree, shown_path(self._tree, way))
                if exact is not None:
                    return exact
        return None

    def whole_path(self, file: IndexedFile) -> list[str]:
        """Returns the parts of a path, including the name of a single root: it may be all that two
        paths of a file share."""
        root = self._tree.roots.get("")
        return [*([root.name] if root is not None else []), *file.path.split("/")]

    def _has_line(self, file: IndexedFile, line: int) -> bool:
        try:
            return line <= len(read_text(self._tree, file, _MOST_BYTES).lines)
        except RequestError:
            return True


_VERSION: Final = re.compile(r"(?:@v?|-)\d[\w.+-]*$")
"""Matches the version after the name of a package's folder."""

_MOST_READ: Final = 20
"""Most files of one name that are read to check whether they have a line."""

_MOST_BYTES: Final = 10_000_000
"""Largest of these files, in bytes."""


def shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    """Returns how many parts at the ends of two paths are equal."""
    count = 0
    for first, second in zip(reversed(one), reversed(other), strict=False):
        if first != second:
            break
        count += 1
    return count


def _of_folders(files: list[IndexedFile], symbol: str) -> list[IndexedFile]:
    """Returns the files whose folders match most parts of a qualified name, as for packages of
    Java."""
    names = symbol.replace("::", ".").replace("$", ".").split(".")
    count = {id(file): len(set(names) & set(file.path.split("/")[:-1])) for file in files}
    most = max(count.values())
    best = [file for file in files if count[id(file)] == most]
    defining = [file for file in best if _defines(file, symbol, 0)]
    return defining or best


def _defines(file: IndexedFile, symbol: str, line: int) -> bool:
    """Whether a file defines a symbol of that last name, around a line if one is given."""
    return any(not line or row.lines[0] <= line <= row.lines[1] for row in named_in(file, symbol))


def named_in(file: IndexedFile, symbol: str) -> list[Row]:
    """Returns the symbols of a file with the last name of a qualified one."""
    name = symbol.partition("(")[0].rpartition(".")[2].rpartition("::")[2].strip()
    return [row for row in rows_of(file) if row.name == name]
