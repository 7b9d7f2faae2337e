"""Which files each file of a tree imports or includes, and which packages, for all files at once.

The imports of each file are read once, and what files with one folder import from one module is
found once. Symbols are not bound: a name that a module hands on leads to the file that defines it.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from symindex.extract.file_bindings import ALL, DEFAULT, Import
from symindex.extract.word_lists import MENTION_MASK
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.file_bindings import all_bindings
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE
from symindex.resolve.modules.crates import ROOT_WORDS
from symindex.resolve.modules.includes import STYLE as INCLUDES
from symindex.resolve.modules.includes import Includes
from symindex.resolve.modules.module_files import INDEX_STEMS, Modules
from symindex.resolve.modules.packages import OF_PACKAGES, outward
from symindex.resolve.modules.sight import HASH_BITS, Sight
from symindex.resolve.reading.expressions import names_of
from symindex.resolve.reading.files import Files
from symindex.resolve.tree import Row, Tree

MOST_REEXPORTS: Final = 5
"""Most files that a name is handed on by, until one defines it."""

MOST_LOOKED_UP: Final = 6_000
"""Most imports that are looked up, each once a folder: some 0.15 seconds. Of more, only those of
names that several files define are."""

MOST_INCLUDED: Final = 400
"""Most files that a file sees by including them, directly or through one other."""


class _Found(NamedTuple):
    """What an import leads to. owners: the files that define the name. names: the hashes of its
    names, as far as they are wanted."""

    files: tuple[int, ...] = ()
    packages: tuple[int, ...] = ()
    owners: tuple[int, ...] = ()
    is_foreign: bool = False
    names: tuple[int, ...] = ()


class _File(NamedTuple):
    """A file. bindings: as they are stored."""

    number: int
    path: str
    language: str
    bindings: str

    @property
    def lines(self) -> Sequence[str]:
        """The lines of its imports, which are before all others."""
        text = self.bindings
        if text[:2] != "i\t":
            return ()
        ends = [end for kind in ("\nb\t", "\nt\t") if (end := text.find(kind)) >= 0]
        return text[: min(ends)].split("\n") if ends else text.split("\n")

    @property
    def imports(self) -> Iterator[Import]:
        return (Import(*parts) for line in self.lines if len(parts := line.split("\t")[1:]) == 3)


class Wanted(NamedTuple):
    """What is asked for. files: whether each one mentions names that several files define. names:
    the hashes of these. hashes, owners: of the symbols that count as definitions, the hash of the
    name as mentions have it, in order, and the file."""

    files: Mask
    names: I64
    hashes: I64
    owners: I64


def sight_of(tree: Tree, parts: Sequence[Part], wanted: Wanted) -> Sight:
    """Returns what the files of some parts see, numbered over all parts."""
    reader = _Reader(tree, parts, wanted)
    for file in sorted(reader.files, key=lambda file: file.path):
        if wanted.files[file.number]:
            reader.read(file)
    n_files = len(wanted.files)
    package = np.full(n_files, -1, dtype=np.int64)
    for number, own in reader.package.items():
        package[number] = own
    named = np.array([*reader.named], dtype=np.int64).reshape(-1, 2)
    return Sight(
        n_files,
        _sorted_pairs(reader.seen, n_files),
        package,
        _sorted_pairs(reader.seen_packages, int(package.max(initial=-1)) + 1),
        named[:, 0],
        named[:, 1],
    )


def _sorted_pairs(pairs: dict[int, set[int]], width: int) -> I64:
    found = [one * width + other for one, others in pairs.items() for other in others]
    return np.sort(np.array(found, dtype=np.int64))


def _files_of(parts: Sequence[Part]) -> Iterator[_File]:
    """Yields the files that count, with their imports."""
    base = 0
    for part in parts:
        index = part.index
        languages = index.languages_of(np.arange(index.n_files))
        paths = index.paths.all
        live = part.live
        for number, (language, text) in enumerate(zip(languages, all_bindings(index), strict=True)):
            if live is None or live[number]:
                yield _File(base + number, part.prefix + paths[number], language, text)
        base += index.n_files


class _Reader:
    """Follows the imports of files. What it finds: by file, the files and the packages that it
    sees; for each name that a file imports, the files that have it."""

    def __init__(self, tree: Tree, parts: Sequence[Part], wanted: Wanted) -> None:
        self._tree, self.files = tree, [*_files_of(parts)]
        self._hashes, self._owners = wanted.hashes.tolist(), wanted.owners.tolist()
        self._wanted = frozenset(wanted.names.tolist())
        self._number = {file.path: file.number for file in self.files}
        self._by_number = {file.number: file for file in self.files}
        self._modules: dict[str, Modules] = {}
        self._by_family: dict[frozenset[str], Modules] = {}
        self._found: dict[tuple[str, str], dict[str, _Found]] = {}
        self._n_left = MOST_LOOKED_UP
        self._imports: dict[int, dict[str, list[Import]]] = {}
        self._at_module: dict[tuple[str, str, str], list[int]] = {}
        self._handed_on_to: dict[tuple[int, str], list[int]] = {}
        self._named: dict[str, frozenset[int]] = {}
        self._handed: dict[int, list[int]] = {}
        self._includes = Includes(Files(tree, {}, {}))
        self._styles = {
            language.id: rules.modules
            for language in tree.languages.by_id.values()
            if (rules := language.rules.bindings) is not None
        }
        self._packages: dict[str, int] = {}
        self.package: dict[int, int] = {}
        self.seen: dict[int, set[int]] = {}
        self.seen_packages: dict[int, set[int]] = {}
        self.named: set[tuple[int, int]] = set()
        spaces = _namespaces(parts)
        for file in self.files:
            if own := self._package_of(file, spaces):
                self.package[file.number] = self._packages.setdefault(own, len(self._packages))

    def _package_of(self, file: _File, namespaces: dict[int, str]) -> str:
        """Returns the package that a file is in; empty if the language has none."""
        style = self._styles.get(file.language, "")
        if style == "folders":
            return f"{file.language}/{_folder(file.path)}"
        if style not in ("packages", "global"):
            return ""
        declared = [line for line in file.lines if line[:3] == "i\t\t" and line[-1] == "\t"]
        return declared[0][3:-1] if declared else namespaces.get(file.number, "")

    def read(self, file: _File) -> None:
        """Follows the imports of a file."""
        style = self._styles.get(file.language, "")
        if not style:
            return
        if style == INCLUDES:
            self.seen[file.number] = self._included(file)
            return
        files, packages = set[int](), set[int]()
        if style == "global" and (own := self.package.get(file.number)) is not None:
            packages.update(self._around(own))
        key = file.language, self._place_of(file, style)
        known = self._found.setdefault(key, {})
        for line in file.lines:
            found = known.get(line)
            if found is None:
                found = known[line] = self._lead(file, style, line)
            files.update(found.files)
            packages.update(found.packages)
            for name in found.names:
                for owner in found.owners or (-1,):
                    self.named.add((file.number << HASH_BITS | name, owner))
        if files:
            self.seen[file.number] = files
        if packages:
            self.seen_packages[file.number] = packages

    def _around(self, package: int) -> list[int]:
        """Returns the namespaces around one."""
        names = [*outward([*self._packages][package])]
        return [self._packages[name] for name in names if name in self._packages]

    def _place_of(self, file: _File, style: str) -> str:
        """Returns the part of a file's path that what it imports depends on."""
        if style in ("packages", "global"):
            return ""
        if style == "crates":
            return file.path
        return self._modules_of(file).place_of(style, file.path)

    def _lead(self, file: _File, style: str, line: str) -> _Found:
        """Returns what an import leads to."""
        parts = line.split("\t")[1:]
        if len(parts) != 3 or not parts[1] or not (parts[0] or parts[2]):
            return _Found()
        one = Import(*parts)
        names = {one.local} if one.name == ALL else {one.local, one.name} - {"", DEFAULT}
        hashes = {crc32(name.encode()) & MENTION_MASK for name in names} & self._wanted
        self._n_left -= 1
        if self._n_left < 0 and not hashes:
            return _Found()
        if style in ("packages", "global"):
            found = self._in_package(one)
        elif style == "crates":
            found = self._at_path(file, one)
        else:
            found = self._in_module(file, style, one)
        is_told = one.local and (found.owners or found.is_foreign)
        return found._replace(names=tuple(hashes)) if hashes and is_told else found

    def _in_module(self, file: _File, style: str, one: Import) -> _Found:
        _, module, name = one
        modules = self._modules_of(file)
        numbers = self._at(file, style, module)
        if style == "folders":
            packages = {self.package[one] for one in numbers if one in self.package}
            is_foreign = not numbers and not modules.may_have(style, module)
            return _Found(packages=tuple(packages), is_foreign=is_foreign)
        inner: list[int] = []
        if style == "dotted" and name not in ("", ALL):
            sign = "" if module.endswith(".") else "."
            inner = self._at(file, style, f"{module}{sign}{name}")
        if not numbers and not inner:
            is_folder = style == "dotted" and modules.is_folder(module.replace(".", "/"))
            return _Found(is_foreign=not is_folder and not modules.may_have(style, module))
        owners: list[int] = []
        seen = [*numbers, *inner]
        if name in ("", ALL, DEFAULT):
            for number in numbers:
                seen += self._handed_on(number, style)
        else:
            for number in numbers:
                owners += self._owners_of(number, style, name, MOST_REEXPORTS)
        return _Found(tuple(dict.fromkeys([*seen, *owners])), (), tuple(dict.fromkeys(owners)))

    def _handed_on(self, number: int, style: str) -> list[int]:
        """Returns the files that the file of a folder imports from, to hand on what they have."""
        file = self._by_number[number]
        if file.path.rpartition("/")[2].partition(".")[0] not in INDEX_STEMS:
            return []
        if number not in self._handed:
            names = {module for _, module, _ in file.imports if module}
            self._handed[number] = [
                one for name in sorted(names) for one in self._at(file, style, name)
            ]
        return self._handed[number]

    def _owners_of(self, number: int, style: str, name: str, depth: int) -> list[int]:
        """Returns the files that define a name of a module: it itself, or one that it has the name
        from."""
        if number in self._owners_named(name):
            return [number]
        if not depth:
            return []
        key = number, name
        if key not in self._handed_on_to:
            self._handed_on_to[key] = []  # of a name that leads back to itself
            self._handed_on_to[key] = self._owners_from(number, style, name, depth)
        return self._handed_on_to[key]

    def _owners_from(self, number: int, style: str, name: str, depth: int) -> list[int]:
        """Returns the files that define a name that a file imports."""
        file, imports = self._by_number[number], self._imports_of(number)
        lines = [one for one in imports.get(name, ()) if one.module]
        lines = lines or [one for one in imports.get("", ()) if one.name == ALL]
        found: list[int] = []
        for _, module, other in lines:
            sought = name if other == ALL else other
            for one in self._at(file, style, module):
                if one != number:
                    found += self._owners_of(one, style, sought, depth - 1)
            if found:
                break
        return found

    def _imports_of(self, number: int) -> dict[str, list[Import]]:
        """Returns the imports of a file by local name."""
        if number not in self._imports:
            by_local = self._imports[number] = dict[str, list[Import]]()
            for one in self._by_number[number].imports:
                by_local.setdefault(one.local, []).append(one)
        return self._imports[number]

    def _at(self, file: _File, style: str, module: str) -> list[int]:
        """Returns the files of a module that a file names."""
        key = file.language, self._place_of(file, style), module
        if key not in self._at_module:
            paths = self._modules_of(file).find(style, module, file.path)
            self._at_module[key] = [self._number[path] for path in paths if path in self._number]
        return self._at_module[key]

    def _owners_named(self, name: str) -> frozenset[int]:
        """Returns the files that define a name."""
        if name not in self._named:
            sought = crc32(name.encode()) & MENTION_MASK
            first = bisect_left(self._hashes, sought)
            last = bisect_left(self._hashes, sought + 1, first)
            self._named[name] = frozenset(self._owners[first:last])
        return self._named[name]

    def _in_package(self, one: Import) -> _Found:
        _, module, name = one
        names = names_of(module) + ([name] if name not in ("", ALL) else [])
        whole = ".".join(names)
        if (own := self._packages.get(whole)) is not None:
            return _Found(packages=(own,))
        for length in range(len(names) - 1, 0, -1):
            package = self._packages.get(".".join(names[:length]))
            if package is None:
                continue
            owners = sorted(
                one for one in self._owners_named(names[length]) if self.package.get(one) == package
            )
            last = owners if length == len(names) - 1 else []
            return _Found(tuple(owners), (), tuple(last))
        return _Found(is_foreign=bool(name) and name != ALL)

    def _at_path(self, file: _File, one: Import) -> _Found:
        """Follows a path of modules of crates."""
        last = [one.name] if one.name not in ("", ALL) else []
        names = [*names_of(one.module), *last]
        crates = self._modules_of(file).crates
        if not names:
            return _Found()
        first = names[0]
        paths = [file.path] if first == "self" else []
        if first == "super":
            paths = crates.parents(file.path)
        elif first == "crate":
            paths = crates.roots_of(file.path)
        elif first not in ROOT_WORDS:
            paths = crates.named(first) or crates.child(file.path, first)
            if not paths and crates.is_library(first):
                return _Found(is_foreign=True)
        rest = names[1:]
        while paths and rest:
            inner = [path for one in paths for path in crates.child(one, rest[0])]
            if not inner:
                break
            paths, rest = inner, rest[1:]
        seen = [self._number[path] for path in paths if path in self._number]
        owners: list[int] = []
        if len(rest) == 1:
            owners = [one for one in seen if one in self._owners_named(rest[0])]
        return _Found(tuple(seen), (), tuple(owners))

    def _included(self, file: _File) -> set[int]:
        """Returns the files that a file includes, directly or through one other."""
        found: dict[str, None] = {}
        for path in self._includes.direct(file.path):
            found[path] = None
        for path in [*found]:
            found.update(dict.fromkeys(self._includes.direct(path)))
            if len(found) > MOST_INCLUDED:
                break
        return {self._number[path] for path in found if path in self._number}

    def _modules_of(self, file: _File) -> Modules:
        if file.language not in self._modules:
            family = frozenset(self._tree.languages.relatives_of(file.language))
            if family not in self._by_family:
                self._by_family[family] = Modules(self._tree, family)
            self._modules[file.language] = self._by_family[family]
        return self._modules[file.language]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _namespaces(parts: Sequence[Part]) -> dict[int, str]:
    """Returns the qualified name of the first namespace that each file defines."""
    found: dict[int, str] = {}
    base = 0
    for part in parts:
        index = part.index
        kinds = np.array(
            [KIND_OF_CODE[traits & 255] in OF_PACKAGES for traits in index.columns.traits_of],
            dtype=bool,
        )
        rows = np.flatnonzero(kinds[index.traits]) if index.n_symbols else np.zeros(0, np.int64)
        rows = rows[np.argsort(index.place[rows], kind="stable")]
        files = index.file_of(rows)
        for row, file in zip(rows.tolist(), files.tolist(), strict=True):
            if base + file not in found:
                found[base + file] = Row(part, row).qualified_name
        base += index.n_files
    return found
