"""The modules of crates: a tree of files below a root, whose names a manifest gives.

`crate::a::b` is `a/b` or `a/b/mod` below the folder of the root. A file's own modules are inside it
and are symbols of it. Other first names are crates: of the tree, or libraries.
"""

import tomllib
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from symindex.errors import RequestError
from symindex.resolve.tree import Tree, read_bytes
from symindex.text.decoding import check_toml_keys

ROOT_WORDS: Final = ("crate", "self", "super")
"""The names that begin a path from a place, not from a name that is seen there."""

MOST_MANIFESTS: Final = 500
"""Most manifests that are read for a request."""

MOST_FOLDERS: Final = 8
"""Most folders around a file that may be its crate, if none has a root."""

MOST_BYTES: Final = 1_000_000
MOST_BYTES_OF_ALL: Final = 4_000_000
"""Most bytes of a manifest that is read, and of all together: some 3 seconds. The one of a large
project's root, which lists each of its examples, has 160,000."""

_MANIFEST: Final = "Cargo.toml"
_ROOTS: Final = ("lib", "main")
_INDEX: Final = "mod"
_OF_ROOTS: Final = ("tests", "examples", "benches")
"""Folders beside a manifest, in which each file is a root."""


class Crates:
    """The crates of a tree. paths: all of its files."""

    def __init__(self, tree: Tree, paths: Sequence[str]) -> None:
        self._tree, self._paths = tree, frozenset(paths)

    @cached_property
    def _manifests(self) -> dict[str, dict[str, Any]]:
        """The manifests by folder."""
        found: dict[str, dict[str, Any]] = {}
        named = sorted(path for path in self._paths if _parts(path)[1:] == ("Cargo", ".toml"))
        left = MOST_BYTES_OF_ALL
        for path in named[:MOST_MANIFESTS]:
            try:
                data = read_bytes(self._tree, path, min(MOST_BYTES, left))
                left -= len(data)
                text = data.decode("utf-8", "replace")
                check_toml_keys(text)
                found[_parts(path)[0]] = tomllib.loads(text)
            except (RequestError, ValueError, RecursionError):
                continue
        return found

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        """The roots of the libraries of the tree by name."""
        named: dict[str, list[str]] = {}
        for folder, facts in self._manifests.items():
            library = _table(facts, "lib")
            name = library.get("name") or _table(facts, "package").get("name")
            path = library.get("path") or "src/lib.rs"
            root = f"{folder}/{path}" if folder else f"{path}"
            if isinstance(name, str) and root in self._paths:
                named.setdefault(name.replace("-", "_"), []).append(root)
        return named

    @cached_property
    def _libraries(self) -> dict[str, str]:
        """The names that manifests give to the crates that they depend on, and their own names."""
        names: dict[str, str] = {}
        for facts in self._manifests.values():
            tables = [facts, _table(facts, "workspace"), *_table(facts, "target").values()]
            for table in filter(lambda one: isinstance(one, dict), tables):
                for key in ("dependencies", "dev-dependencies", "build-dependencies"):
                    for name, of in _table(table, key).items():
                        own = of.get("package") if isinstance(of, dict) else None
                        names[name.replace("-", "_")] = str(own or name).replace("-", "_")
        return names

    def named(self, name: str) -> list[str]:
        """Returns the root of a crate of the tree; several if others have its name."""
        return self._named.get(self._libraries.get(name, name)) or self._named.get(name, [])

    def is_library(self, name: str) -> bool:
        """Whether a name is that of a crate that the tree depends on and does not have."""
        return name in self._libraries and not self.named(name)

    def is_root(self, path: str) -> bool:
        folder, stem, _ = _parts(path)
        outer, _, last = folder.rpartition("/")
        manifest = f"{outer}/{_MANIFEST}" if outer else _MANIFEST
        is_of_roots = last in _OF_ROOTS and manifest in self._paths
        is_program = last == "bin" and outer.rpartition("/")[2] == "src"
        return stem in _ROOTS or is_of_roots or is_program

    def roots_of(self, path: str) -> list[str]:
        """Returns the roots of the crate that a file is in: a library and a program may share a
        folder. If the tree has none of them, any folder around the file may be the crate: then they
        are what would be the modules of these."""
        folder, _, ending = _parts(path)
        if self.is_root(path) and _parts(path)[1] not in _ROOTS:
            return [path]
        while True:
            roots = [_joined(folder, f"{stem}{ending}") for stem in _ROOTS]
            if found := [root for root in roots if root in self._paths]:
                return found
            if not folder or _joined(folder, _MANIFEST) in self._paths:
                return _modules_around(path)
            folder = folder.rpartition("/")[0]

    def parents(self, path: str) -> list[str]:
        """Returns the files of the module around that of a file; several if the folder has the
        roots of a library and a program."""
        folder, stem, ending = _parts(path)
        if self.is_root(path):
            return []
        if stem == _INDEX:
            folder = folder.rpartition("/")[0]
        stems = [f"{folder}{ending}", *(_joined(folder, f"{one}{ending}") for one in _STEMS)]
        found = [one for one in stems if one in self._paths]
        return found or [_joined(folder, f"{_INDEX}{ending}")]

    def child(self, path: str, name: str) -> list[str]:
        """Returns the file of a module that is inside that of a file."""
        folder, stem, ending = _parts(path)
        inner = folder if stem == _INDEX or self.is_root(path) else _joined(folder, stem)
        targets = (_joined(inner, f"{name}{ending}"), _joined(inner, f"{name}/{_INDEX}{ending}"))
        return [one for one in targets if one in self._paths and one != path]


_STEMS: Final = (_INDEX, *_ROOTS)


def _parts(path: str) -> tuple[str, str, str]:
    """Returns the folder, the name without its ending, and the ending of a file."""
    folder, _, base = path.rpartition("/")
    stem, dot, ending = base.rpartition(".")
    return folder, stem, dot + ending


def _modules_around(path: str) -> list[str]:
    """Returns what would be the modules of the folders around a file, nearest first."""
    folder, _, ending = _parts(path)
    folders = [folder]
    while folders[-1]:
        folders.append(folders[-1].rpartition("/")[0])
    return [_joined(one, f"{_INDEX}{ending}") for one in folders[:MOST_FOLDERS]]


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _table(facts: dict[str, Any], key: str) -> dict[str, Any]:
    found = facts.get(key)
    return found if isinstance(found, dict) else {}
