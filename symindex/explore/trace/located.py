"""Which file of the workspace a path of a trace means: it may have been written on another machine, in another folder."""

import posixpath
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

from symindex.errors import RequestError
from symindex.explore.tree import IndexedFile, Tree, find_file, indexed_files, rows_of, shown_path


class Locator:
    """Finds files by the ends of their paths; the table of all paths is made once. folder: where paths are looked for first."""

    def __init__(self, tree: Tree, folder: str = "") -> None:
        self._tree, self._folder = tree, folder

    @cached_property
    def _by_name(self) -> dict[str, list[IndexedFile]]:
        found: dict[str, list[IndexedFile]] = {}
        for file in indexed_files(self._tree):
            found.setdefault(file.path.rpartition("/")[2], []).append(file)
        return found

    def find(self, path: str, symbol: str = "", line: int = 0) -> list[IndexedFile]:
        """The files that a path may mean: those that share its longest end. A mere name of a file, out of a longer path, counts
        only where the symbol stands there; of several files with one name those count whose folders the symbol names."""
        for way in dict.fromkeys((posixpath.join(self._folder, path), path)):
            with suppress(RequestError):
                exact = find_file(self._tree, shown_path(self._tree, way))
                if exact is not None:
                    return [exact]
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if not parts:
            return []
        alike = self._by_name.get(parts[-1], [])
        shared = {id(file): _shared_end(parts, file.path.split("/")) for file in alike}
        longest = max(shared.values(), default=0)
        alike = [file for file in alike if shared[id(file)] == longest]
        if longest == 1 and len(parts) > 1:
            return [file for file in alike if symbol and _defines(file, symbol, line)]
        return _of_folders(alike, symbol) if len(alike) > 1 and symbol else alike


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
    name = symbol.rpartition(".")[2].rpartition("::")[2].partition("(")[0].strip()
    return any(row.name == name and (not line or row.lines[0] <= line <= row.lines[1]) for row in rows_of(file))
