"""Finds the symbol of a library that a qualified name means: what its module offers under that
name, wherever it is defined.

`requests.get` is defined in `requests/api.py`, `react.useState` in the package of React's types. A
name is searched in the file of the module, then where that file imports it from. The members of a
type are its own, then those of its bases. The number of steps is limited, and `is_cut` says whether
a limit was reached; what is not found here is left to the search by names (`targets/names`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from symindex.explore.targets.names import LESS_LIKELY
from symindex.extract.texts.file_text import read_text_of
from symindex.files.access.regular import LargeFileError
from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_MANIFEST_BYTES
from symindex.packages.found.reexports import (
    DEFAULT,
    EVERYTHING,
    MODULE_RULES,
    Reexport,
    python_files,
    script_entries,
)
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.resolve.tree import IndexedFile, Row, Tree, find_file, rows_of
from symindex.text.separators import SEPARATOR

MOST_STEPS: Final = 600
"""Most searches of a file for a name: some packages have one file for each name."""

MOST_PLACES: Final = 8_000
"""Most paths that are tried; most modules have a dozen possible ones."""

MOST_TEXT: Final = 3_000_000
"""Largest file, in bytes, that is read for its imports."""

MOST_LOOKED_THROUGH: Final = 20_000_000
"""Most characters that are read of all files: a few seconds."""

_DEEPEST: Final = 24

_SPACES: Final = frozenset({SymbolKind.NAMESPACE, SymbolKind.MODULE, SymbolKind.PACKAGE})

_VALUES: Final = frozenset(
    {SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY, SymbolKind.FIELD}
)

_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")


class Library(NamedTuple):
    """An indexed package. tree: its files; their paths begin with the prefix."""

    package: Package
    tree: Tree
    prefix: str


class _File:
    """A file of a library, indexed or not. is_too_large: whether it was not read because of its
    size."""

    def __init__(self, library: Library, path: str) -> None:
        self._library, self._path = library, path
        self.is_too_large = False

    @cached_property
    def text(self) -> str:
        """Its text, empty if it cannot be read."""
        root = self._library.tree.roots.get(self._library.prefix)
        if root is None:
            return ""
        try:
            return read_text_of(root, self._path, MOST_TEXT).data.decode("utf-8", "replace")
        except OSError as error:
            self.is_too_large = isinstance(error, LargeFileError)
            return ""

    @cached_property
    def indexed(self) -> IndexedFile | None:
        return find_file(self._library.tree, self._library.prefix + self._path)

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.indexed) if self.indexed is not None else []

    def offered(self, name: str) -> list[Row]:
        """Returns the symbols of a name that are inside namespaces only, outermost first."""
        rows = [row for row in self.rows if row.name == name and not row.flags & SymbolFlag.LOCAL]
        spaces = (
            {row.qualified_name for row in self.rows if row.kind in _SPACES}
            if any(row.container for row in rows)
            else set()
        )
        outer = [row for row in rows if not row.container or row.container in spaces]
        depth = min((row.container.count(".") + bool(row.container) for row in outer), default=0)
        outer = [row for row in outer if row.container.count(".") + bool(row.container) == depth]
        return sorted(
            outer, key=lambda row: row.kind in _VALUES
        )  # a value may only announce a type of the name


class Libraries:
    """Looks up names in libraries.

    open_module: returns the libraries whose module a qualified name begins with, likeliest first,
    each with the name of the module and the rest of the name. is_cut: whether a limit ended a part
    of a search, so that a name that was not found may still be defined.
    """

    def __init__(self, open_module: Callable[[str], Sequence[tuple[Library, str, str]]]) -> None:
        self._open_module = open_module
        self._modules: dict[str, Sequence[tuple[Library, str, str]]] = {}
        self._trees: dict[str, Tree] = {}
        self._files: dict[tuple[str, str], _File] = {}
        self._seen: dict[tuple[str, str, tuple[str, ...]], None] = {}
        self._n_looked_through = 0
        self.is_cut: bool = False

    def find(self, text: str) -> tuple[Tree, list[Row]] | None:
        """Returns the symbols that a qualified name means, all of one name and file, and their
        tree; `None` if there are none."""
        self._n_looked_through = 0
        rows = self._find(text)
        return (self._trees[rows[0].part.prefix], rows) if rows else None

    def _find(self, text: str) -> list[Row]:
        for library, module, rest in self._at(text):
            names = tuple(filter(None, SEPARATOR.split(rest)))
            if library.package.ecosystem not in MODULE_RULES or not names:
                continue
            self._seen.clear()
            for inner in range(len(names) - 1, -1, -1):
                for path in self._entries(library, module, names[:inner]):
                    rows = self._look(library, path, names[inner:], 0)
                    if rows:
                        return rows
            rows = self._member_alike(library, module, names[-1:]) or self._default(
                library, module, names
            )
            if rows:
                return rows
        return []

    def _default(self, library: Library, module: str, names: tuple[str, ...]) -> list[Row]:
        """Returns the default export of a module whose name is the whole text: the component of
        `next/link`."""
        self._seen.clear()
        places = self._entries(library, module, names) if library.package.ecosystem == "npm" else []
        return next(
            (rows for path in places if (rows := self._look(library, path, (DEFAULT,), 0))), []
        )

    def _at(self, text: str) -> Sequence[tuple[Library, str, str]]:
        if text not in self._modules:
            self._modules[text] = self._open_module(text)
            self._trees.update(
                (library.prefix, library.tree) for library, *_ in self._modules[text]
            )
        return self._modules[text]

    def _file(self, library: Library, path: str) -> _File:
        key = (library.prefix, path)
        if key not in self._files:
            self._files[key] = _File(library, path)
        return self._files[key]

    def _entries(self, library: Library, module: str, inner: tuple[str, ...]) -> list[str]:
        """Returns the files of a library's module, or of one inside it."""
        if library.package.ecosystem != "npm":
            return python_files("", ".".join((module, *inner)))
        name = library.package.name
        # The types of a runtime have many modules. Otherwise a module is the package, or the one
        # whose types it contains.
        is_whole = (
            module in library.package.modules[:1] or module == name or _types_of(name) == module
        )
        below = "/".join(inner if is_whole else (module, *inner))
        with suppress(msgspec.MsgspecError, ValueError, RecursionError):
            manifest: Any = msgspec.json.decode(
                self._file(library, "package.json").text[:MOST_MANIFEST_BYTES] or "{}"
            )
            if isinstance(manifest, dict):
                return script_entries(manifest, below)
        return script_entries({}, below)

    def _look(self, library: Library, path: str, names: tuple[str, ...], depth: int) -> list[Row]:
        """Returns what a file offers under a name, or members of it."""
        key = (library.prefix, path, names)
        if not names or key in self._seen or self._is_enough(depth):
            return []
        file, way = self._file(library, path), MODULE_RULES[library.package.ecosystem]
        if not file.text:
            self.is_cut |= file.is_too_large
            return []
        self._seen[key] = None
        self._n_looked_through += len(file.text)
        rows = file.offered(names[0])
        leads = list(way.leads(file.text, names[0]))
        if rows and all(row.kind in _VALUES for row in rows):  # a value may be an alias
            for lead in leads:
                if (
                    not lead.module
                    and not _is_idle(lead, names)
                    and (
                        result := self._look(
                            library, path, (*_parts(lead.original), *names[1:]), depth + 1
                        )
                    )
                ):
                    return result
        if (
            result := rows
            if len(names) == 1
            else self._members(library, path, rows, names[1:], depth)
        ):
            return result
        for lead in leads:
            if _is_idle(lead, names):
                continue
            original = names[:1] if lead.original == EVERYTHING else _parts(lead.original)
            target = (*original, *names[1:])
            if not lead.module:
                result = self._look(library, path, target, depth + 1)
            else:
                result = self._through(library, path, lead.module, target, depth + 1)
                if (
                    not result and lead.original not in (EVERYTHING, "") and names[1:]
                ):  # the original may be a module itself
                    inner = (
                        f"{lead.module}{'' if lead.module.endswith('.') else '.'}{lead.original}"
                    )
                    result = self._through(library, path, inner, names[1:], depth + 1)
            if result:
                return result
        return self._look(library, path, names[1:], depth + 1) if names[0] == DEFAULT else []

    def _is_enough(self, depth: int) -> bool:
        """Whether the limits of the search are reached."""
        is_enough = (
            depth > _DEEPEST
            or len(self._seen) >= MOST_STEPS
            or len(self._files) >= MOST_PLACES
            or self._n_looked_through >= MOST_LOOKED_THROUGH
        )
        self.is_cut |= is_enough
        return is_enough

    def _through(
        self, library: Library, path: str, module: str, names: tuple[str, ...], depth: int
    ) -> list[Row]:
        """Returns what a module offers that a file imports."""
        for place in MODULE_RULES[library.package.ecosystem].files(path, module):
            if rows := self._look(library, place, names, depth):
                return rows
        if module.startswith(".") or self._is_enough(depth):
            return []
        for other, base, rest in self._at(module):
            if other.prefix == library.prefix and other.package.ecosystem != "npm":
                continue  # searched already
            for place in self._entries(other, base, tuple(filter(None, SEPARATOR.split(rest)))):
                if rows := self._look(other, place, names, depth):
                    return rows
        return []

    def _members(
        self, library: Library, path: str, owners: Iterable[Row], names: tuple[str, ...], depth: int
    ) -> list[Row]:
        """Returns the members of this name in some types: their own, then those of their bases."""
        file = self._file(library, path)
        owners = [row for row in owners if row.kind not in _VALUES]
        for owner in owners:
            members = [
                row
                for row in file.rows
                if row.container == owner.qualified_name and row.name == names[0]
            ]
            if members:
                return (
                    members
                    if len(names) == 1
                    else self._members(library, path, members, names[1:], depth)
                )
        for owner in owners:
            for base in _bases(owner):
                if members := self._look(library, path, (*_parts(base), *names), depth + 1):
                    return members
        return []

    def _member_alike(self, library: Library, module: str, names: tuple[str, ...]) -> list[Row]:
        """Returns members of this name in a type that is named like the module, from the files
        searched so far: `axios` is an `Axios`."""
        last_name = re.split(r"\W", module)[-1].lower()
        best: list[Row] = []
        best_rank = 3
        for prefix, path, _ in self._seen:
            if prefix != library.prefix:
                continue
            for row in self._file(library, path).rows:
                if row.name in names and row.container and not row.flags & SymbolFlag.LOCAL:
                    rank = _likeness(row.container.lower(), last_name)
                    if rank < best_rank:
                        best, best_rank = [row], rank
                    elif (
                        best
                        and rank == best_rank
                        and row.container == best[0].container
                        and row.file == best[0].file
                    ):
                        best.append(row)
        return best


def _bases(owner: Row) -> Iterable[str]:
    """Returns the names in the header of a type, its bases first."""
    header = owner.index.signature(owner.number).partition(owner.name)[2]
    return dict.fromkeys(
        [*_NAME.findall(header.rpartition(" extends ")[2]), *_NAME.findall(header)]
    )


def _is_idle(lead: Reexport, names: Sequence[str]) -> bool:
    """Whether a lead cannot lead to these names."""
    return lead.is_instance and len(names) == 1


def _types_of(name: str) -> str:
    """Returns the package whose types an npm package contains; empty if it contains none."""
    if not name.startswith("@types/"):
        return ""
    bare = name.removeprefix("@types/")
    return f"@{bare.replace('__', '/', 1)}" if "__" in bare else bare


def _parts(name: str) -> tuple[str, ...]:
    return tuple(filter(None, name.split(".")))


def _likeness(container: str, module: str) -> int:
    last = container.rpartition(".")[2]
    return (
        0
        if last == module
        else 1
        if last.startswith(module)
        else 2
        if module in container.split(".")
        else 3
    )


def likeliest(rows: Sequence[Row], packages: Sequence[str]) -> list[Row]:
    """Sorts symbols of one name, likeliest first: by the order of packages; tests and copies last;
    types, then functions; outer symbols before inner ones; and files near the top of their package
    first."""
    order = {prefix: number for number, prefix in enumerate(packages)}

    def key(row: Row) -> tuple[int, bool, int, int, int, str, int]:
        path = row.file.path
        package_number = next(
            (number for prefix, number in order.items() if path.startswith(prefix)), len(order)
        )
        depth = path.count("/")
        nested = row.container.count(".") + bool(row.container)
        return (
            package_number,
            bool(row.flags & LESS_LIKELY),
            KINDS[row.kind].quality,
            nested,
            depth,
            path,
            row.line,
        )

    return sorted(rows, key=key)
