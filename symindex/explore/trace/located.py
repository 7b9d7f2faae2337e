"""Which file of the workspace a path of a trace means: it may have been written on another machine,
in another folder."""

import posixpath
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final

from symindex.errors import RequestError
from symindex.explore.trace.frames import sources_of
from symindex.explore.tree import (
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
    """Finds files by the ends of their paths; the table of all paths is made once. folder: where
    paths are looked for first."""

    def __init__(self, tree: Tree, folder: str = "") -> None:
        self._tree, self._folder = tree, folder

    @cached_property
    def _by_name(self) -> dict[str, list[IndexedFile]]:
        found: dict[str, list[IndexedFile]] = {}
        for file in indexed_files(self._tree):
            found.setdefault(file.path.rpartition("/")[2], []).append(file)
        return found

    def find(self, path: str, symbol: str = "", line: int = 0) -> list[IndexedFile]:
        """The files that a path may mean, the likeliest alone: those that share its longest end. A
        mere name of a file, out of a longer path, counts only where the symbol stands there; of
        several files with one name count those that have the line, and the symbol around it, else
        those whose folders the symbol names."""
        exact = self._exact(path)
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if len(parts) > 1:
            parts[:-1] = [_VERSION.sub("", part) for part in parts[:-1]]
        if exact is not None and (len(parts) > 1 or not symbol or _defines(exact, symbol, line)):
            return [exact]
        alike = self._by_name.get(parts[-1], []) if parts else []
        shared = {id(file): _shared_end(parts, self._whole_path(file)) for file in alike}
        longest = max(shared.values(), default=0)
        alike = [file for file in alike if shared[id(file)] == longest]
        if longest == 1 and len(parts) > 1:
            return [file for file in alike if symbol and _defines(file, symbol, line)]
        if exact is not None:  # its name alone was told, and the symbol does not stand there
            return [file for file in alike if _defines(file, symbol, line)] or [exact]
        if 1 < len(alike) <= _MOST_READ and line:
            alike = [file for file in alike if self._has_line(file, line)] or alike
        if len(alike) < 2 or not symbol:
            return alike
        return _of_folders(
            [file for file in alike if line and _defines(file, symbol, line)] or alike, symbol
        )

    def find_source(self, path: str, symbol: str) -> Row | None:
        """The symbol in a source that a written file comes from: of the only file with that name,
        and the longest end of folders in common, that defines it once. `None` where there is none
        or several."""
        folders = path.split("/")[:-1]
        named = [
            file
            for source in sources_of(path)
            for file in self._by_name.get(source.rpartition("/")[2], [])
        ]
        shared = {id(file): _shared_end(folders, file.path.split("/")[:-1]) for file in named}
        longest = max(shared.values(), default=0)
        found = [named_in(file, symbol) for file in named if shared[id(file)] == longest]
        rows = [row for rows in found for row in rows]
        return rows[0] if len(rows) == 1 else None

    def _exact(self, path: str) -> IndexedFile | None:
        for way in dict.fromkeys((posixpath.join(self._folder, path), path)):
            with suppress(RequestError):
                exact = find_file(self._tree, shown_path(self._tree, way))
                if exact is not None:
                    return exact
        return None

    def _whole_path(self, file: IndexedFile) -> list[str]:
        """The parts of its path, behind the name of a single root, which may be all that two paths
        of a root's file share."""
        root = self._tree.roots.get("")
        return [*([root.name] if root is not None else []), *file.path.split("/")]

    def _has_line(self, file: IndexedFile, line: int) -> bool:
        try:
            return line <= len(read_text(self._tree, file, _MOST_BYTES).lines)
        except RequestError:
            return True


_VERSION: Final = re.compile(r"(?:@v?|-)\d[\w.+-]*$")
"""What a folder of packages has behind its name."""

_MOST_READ: Final = 20
"""Most files of one name that are read to see which of them have a line."""

_MOST_BYTES: Final = 10_000_000
"""Of each of them."""


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for first, second in zip(reversed(one), reversed(other), strict=False):
        if first != second:
            break
        count += 1
    return count


def _of_folders(files: list[IndexedFile], symbol: str) -> list[IndexedFile]:
    """Those whose folders a qualified name names most, as Java's packages do."""
    names = symbol.replace("::", ".").replace("$", ".").split(".")
    count = {id(file): len(set(names) & set(file.path.split("/")[:-1])) for file in files}
    most = max(count.values())
    best = [file for file in files if count[id(file)] == most]
    defining = [file for file in best if _defines(file, symbol, 0)]
    return defining or best


def _defines(file: IndexedFile, symbol: str, line: int) -> bool:
    """Whether a file defines a symbol of that last name, around that line if one is given."""
    return any(not line or row.lines[0] <= line <= row.lines[1] for row in named_in(file, symbol))


def named_in(file: IndexedFile, symbol: str) -> list[Row]:
    """The symbols of a file that have the last name of a qualified one."""
    name = symbol.partition("(")[0].rpartition(".")[2].rpartition("::")[2].strip()
    return [row for row in rows_of(file) if row.name == name]
