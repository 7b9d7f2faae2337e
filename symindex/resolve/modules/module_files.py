"""Which files the name of a module leads to, by the rules of its language.

The rules are `[bindings].modules` of a language:

- dotted: `a.b` is `a/b.py` or a folder's `a/b/__init__.py`; leading dots lead upward;
- files: `./b` is a file beside this one, whose ending may be missing, or an index file;
- folders: the path of a package ends with its folder;
- packages: `a.b.C` is the whole name of a symbol (`resolve/modules/packages`);
- global: likewise, and names of all packages around are seen without an import;
- crates: a path from the root of a crate, or from the module around (`resolve/modules/crates`);
- includes: whole names, of the symbols that included files have (`resolve/modules/includes`).
"""

import posixpath
import re
from functools import cached_property
from typing import Final

import numpy as np

from symindex.index.snapshot import Snapshot
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.modules.crates import Crates
from symindex.resolve.modules.manifests import Manifests
from symindex.resolve.tree import IndexedFile, Tree, rows_of

INDEX_STEMS: Final = ("__init__", "index", "mod", "lib", "main", "init")
"""Names of files that are the module of their folder, likeliest first."""

_DECLARING: Final = "go.mod"
"""The file that declares the name of a module, which is a symbol of it."""

_COPIES: Final = "vendor"
"""The folder with copies of packages of libraries, beside that file."""

_ENDING: Final = re.compile(r"(?:\.d)?\.\w{1,6}\Z")

_UNTYPED: Final = (".js", ".cjs", ".mjs", ".jsx")
"""Endings of files without types: their imports lead to code, not to the `.d.ts` file beside it."""


def _is_declaring(path: str) -> bool:
    return path.endswith((".d.ts", ".d.mts", ".d.cts"))


class _Layout:
    """Where the files of some languages are. All requests to a snapshot share it.

    paths: of the files.
    """

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    @cached_property
    def by_stem(self) -> dict[str, list[str]]:
        """The paths of files by the last name of their module: that of the file without its
        ending, or of the folder of an index file."""
        by_stem: dict[str, list[str]] = {}
        for module, paths in self.by_module.items():
            by_stem.setdefault(module.rpartition("/")[2], []).extend(paths)
        return by_stem

    @cached_property
    def by_module(self) -> dict[str, list[str]]:
        """The paths of files by that of their module."""
        by_module: dict[str, list[str]] = {}
        for path in self.paths:
            by_module.setdefault(module_path(path), []).append(path)
        return by_module

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """The paths of files by their folder."""
        by_folder: dict[str, list[str]] = {}
        for path in self.paths:
            by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        return by_folder

    @cached_property
    def folders_by_name(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for folder in self.by_folder:
            by_name.setdefault(folder.rpartition("/")[2], []).append(folder)
        return by_name

    @cached_property
    def folders(self) -> set[str]:
        """All folders with files at any depth, and their last names."""
        folders: set[str] = set()
        for folder in self.by_folder:
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return folders

    @cached_property
    def names_of_folders(self) -> set[str]:
        return {folder.rpartition("/")[2] for folder in self.folders}


def _layout_of(snapshot: Snapshot, family: frozenset[str]) -> _Layout:
    key = f"layout of {' '.join(sorted(family))}"
    if key not in snapshot.memo:
        paths = []
        for part in snapshot.parts:
            numbers = part.live_files()
            every = part.index.paths.all
            languages = part.index.languages_of(np.array(numbers, dtype=np.int64))
            paths += [
                part.prefix + every[number]
                for number, language in zip(numbers, languages, strict=True)
                if language in family
            ]
        snapshot.memo[key] = _Layout(paths)
    layout: _Layout = snapshot.memo[key]
    return layout


class Modules:
    """The files of a tree as modules, of languages that can import each other: a folder `shop` of
    Python is not the module `shop.ts`.

    family: the ids of these languages.
    """

    def __init__(self, tree: Tree, family: frozenset[str]) -> None:
        self._tree, self._family = tree, family
        self._of_packages: dict[str, list[str]] = {}
        self._at_path: dict[str, list[str]] = {}
        self._stems: dict[str, dict[str, list[str]]] = {}

    @cached_property
    def _layout(self) -> _Layout:
        return _layout_of(self._tree.snapshot, self._family)

    @cached_property
    def _paths(self) -> list[str]:
        return [
            part.prefix + path
            for part in self._tree.snapshot.parts
            for number, path in enumerate(part.index.paths.all)
            if part.counts(number)
        ]

    @cached_property
    def _manifests(self) -> Manifests:
        return Manifests(self._tree, self._paths)

    @cached_property
    def crates(self) -> Crates:
        return Crates(self._tree, self._paths)

    def _stems_in(self, folder: str) -> dict[str, list[str]]:
        """Returns the paths of the files directly in a folder, by their names without endings."""
        if folder not in self._stems:
            stems = self._stems[folder] = dict[str, list[str]]()
            for path in self.in_folder(folder):
                stems.setdefault(_stem(path), []).append(path)
        return self._stems[folder]

    def in_folder(self, folder: str) -> list[str]:
        """Returns the files directly in a folder."""
        return self._layout.by_folder.get(folder, [])

    def is_folder(self, path: str) -> bool:
        return path in self._layout.folders

    def find(self, style: str, module: str, importer: str) -> list[str]:
        """Returns the files of a module; none for one of a library. importer: the path of the file
        that names it."""
        if style == "dotted":
            return self._dotted(module, importer)
        if style == "files":
            found = self._files(module, importer)
            is_typed = not importer.endswith(_UNTYPED)
            return found if is_typed else sorted(found, key=_is_declaring)  # what it runs is first
        if style == "folders":
            return self._of_package(module, importer)
        return []

    @property
    def declares_names(self) -> bool:
        """Whether files of the tree declare the names that paths of its packages begin with."""
        return bool(self._declared)

    def place_of(self, style: str, importer: str) -> str:
        """Returns the part of an importer's path that `find` depends on."""
        is_fixed = style == "folders" and self.declares_names
        return "" if is_fixed else importer.rpartition("/")[0]

    def _dotted(self, module: str, importer: str) -> list[str]:
        names = [name for name in module.split(".") if name]
        dots = len(module) - len(module.lstrip("."))
        if dots:
            folder = importer
            for _ in range(dots):
                folder = folder.rpartition("/")[0]
            target = "/".join(filter(None, (folder, *names)))
            return self._at(target)
        if not names:
            return []
        found = [
            path
            for path in self._ending_with("/".join(names))
            if self._is_import_root(module_path(path), names, importer)
        ]
        return self._nearest(found, importer)

    def _is_import_root(self, path: str, names: list[str], importer: str) -> bool:
        """Whether absolute imports begin before a module's names: at a folder that is no package;
        for a single name, in or above the importer's folder."""
        root = path[: -len("/".join(names))].rstrip("/")
        if root and "__init__" in self._stems_in(root):
            return False
        return len(names) > 1 or not root or f"{importer}/".startswith(f"{root}/")

    def _files(self, module: str, importer: str) -> list[str]:
        folder = importer.rpartition("/")[0]
        if module.startswith("."):
            target = posixpath.normpath(posixpath.join(folder, module))
            return self._at_or_package("" if target == "." else target)
        for target in self._manifests.of_settings(module, importer):
            if named := self._at(target):
                return named
        if named := self._of_manifests(module):
            return named
        alias = re.match(r"(?:@|~|#|src)/(.+)", module)
        if alias is not None:
            return self._nearest(self._ending_with(_ENDING.sub("", alias[1])), importer)
        return self._nearest(self._workspace(module), importer)

    def _at_or_package(self, target: str) -> list[str]:
        """Returns the files at a path, or the module of a package whose folder it is."""
        if found := self._at(target):
            return found
        of_package = (self._at(path) for path in self._manifests.of_folder(target))
        return next(filter(None, of_package), [])

    def _of_manifests(self, module: str) -> list[str]:
        """Returns the files of a module of a package that a manifest names."""
        if module not in self._of_packages:
            found = (self._at(target) for target in self._manifests.of_package(module))
            self._of_packages[module] = next(filter(None, found), [])
        return self._of_packages[module]

    def _workspace(self, module: str) -> list[str]:
        """Returns the files of a package of the workspace, by the names of folders: `@org/core/x`
        is in a folder `core`."""
        names = module.split("/")[1 if module.startswith("@") else 0 :]
        if not names:
            return []
        found = []
        for folder in self._layout.folders_by_name.get(names[0], []):
            for inner in ("src", "lib", ""):
                target = "/".join(filter(None, (folder, inner, *names[1:])))
                if at := self._at(target):
                    found += at
                    break
        return found

    def _of_package(self, module: str, importer: str) -> list[str]:
        for name, folder in self._declared:
            if module == name or module.startswith(f"{name}/"):
                inner = "/".join(filter(None, (folder, module[len(name) + 1 :])))
                return self.in_folder(inner)
        names = module.split("/")
        copies = (f"{folder}/{_COPIES}".lstrip("/") for _, folder in self._declared)
        for place in dict.fromkeys((*copies, _COPIES)):
            if found := self.in_folder(f"{place}/{module}"):
                return found
        if self._declared or "." not in names[0]:  # a library, or the standard library
            return self.in_folder(module) or self.in_folder(f"src/{module}")
        folders = [
            folder
            for folder in self._layout.folders_by_name.get(names[-1], [])
            if f"/{module}".endswith(f"/{folder}") or f"/{folder}".endswith(f"/{module}")
        ]
        return self.in_folder(self._nearest(folders, importer)[0]) if folders else []

    @cached_property
    def _declared(self) -> list[tuple[str, str]]:
        """The names of modules that files declare, the longest first, each with its folder."""
        declared = []
        for part in self._tree.snapshot.parts:
            for number, path in enumerate(part.index.paths.all):
                if path.rpartition("/")[2] == _DECLARING and part.counts(number):
                    file = IndexedFile.of(part, number)
                    folder = file.path.rpartition("/")[0]
                    declared += [
                        (row.name, folder) for row in rows_of(file) if row.kind is SymbolKind.MODULE
                    ]
        return sorted(declared, key=lambda pair: (-len(pair[0]), pair))

    def may_have(self, style: str, module: str) -> bool:
        """Whether a module that was not found may be in the tree after all: something there has
        its last name."""
        if style == "folders":
            return not self._declared and module.rpartition("/")[2] in self._layout.folders_by_name
        if style == "files" and module.startswith((".", "@/", "~/", "#")):
            return True
        parts = [part for part in re.split(r"[./]", module) if part]
        return (
            not parts
            or parts[-1] in self._layout.by_stem
            or parts[-1] in self._layout.names_of_folders
        )

    def _at(self, target: str) -> list[str]:
        """Returns the files of a module whose path, without an ending, is known."""
        if target not in self._at_path:
            self._at_path[target] = self._files_at(target)
        return self._at_path[target]

    def _files_at(self, target: str) -> list[str]:
        whole = _ENDING.sub("", target)
        by_module = self._layout.by_module
        named = [*by_module.get(target, ()), *by_module.get(whole, ())]
        folder, _, stem = target.rpartition("/")
        for wanted in (stem, _ENDING.sub("", stem)):  # `./index.js` may be a compiled `index.ts`
            named = named or self._stems_in(folder).get(wanted, [])
        if named:
            return self._best(list(dict.fromkeys(named)))
        stems = self._stems_in(target)
        return self._best([path for stem in INDEX_STEMS for path in stems.get(stem, ())])

    def _best(self, paths: list[str]) -> list[str]:
        """Of a file and an index file, or of a stub and its source, returns the source."""
        return sorted(paths, key=lambda path: (path.endswith((".pyi", ".d.ts", ".js")), path))

    def _ending_with(self, target: str) -> list[str]:
        paths = self._layout.by_stem.get(target.rpartition("/")[2], [])
        return self._best(
            [path for path in paths if f"/{module_path(path)}".endswith(f"/{target}")]
        )

    def _nearest(self, paths: list[str], importer: str) -> list[str]:
        """Returns the paths that share the most folders with the importer, and of these the
        shortest; several only if nothing tells them apart."""
        if len(paths) < 2:
            return paths
        around = importer.split("/")

        def shared(path: str) -> int:
            count = 0
            for one, other in zip(path.split("/"), around, strict=False):
                if one != other:
                    break
                count += 1
            return count

        most = max(map(shared, paths))
        near = [path for path in paths if shared(path) == most]
        least = min(path.count("/") for path in near)
        return [path for path in near if path.count("/") == least]


def module_path(path: str) -> str:
    """Returns the path of a file without its ending, or the folder of an index file."""
    folder, _, base = path.rpartition("/")
    stem = _ENDING.sub("", base)
    if stem in ("__init__", "index"):
        return folder
    return f"{folder}/{stem}" if folder else stem


def _stem(path: str) -> str:
    return _ENDING.sub("", path.rpartition("/")[2])


def folder_of_module(path: str) -> str:
    """Returns the folder whose files are inside the module that a file is."""
    folder, _, base = path.rpartition("/")
    stem = base.partition(".")[0]
    if not base or stem in ("__init__", "index", "mod"):
        return folder
    return f"{folder}/{stem}" if folder else stem
