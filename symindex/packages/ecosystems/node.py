"""JavaScript: the packages in `node_modules`, of the project and of the projects in it, as npm,
pnpm, Yarn and Bun lay them out.

Each package that is installed has a folder with a `package.json`. npm nests those that differ; pnpm
and Bun keep all of them in a store inside of `node_modules` and link them. A link is followed only
to a place in the project, for a link that leads out would have us read any folder of the user's.
"""

import os
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from symindex.packages.found.package import Package
from symindex.packages.found.project import (
    MOST_BYTES,
    MOST_MANIFEST_BYTES,
    MOST_PACKAGES,
    Entry,
    Project,
)

TYPES: Final = "@types/"
"""What the names of packages begin with that hold the types of others."""

_DECLARATION: Final = ".d.ts"

_MODULES: Final = "node_modules"
_MANIFEST: Final = "package.json"

_STORES: Final = (".pnpm", ".bun", ".store")
"""Folders of `node_modules` where every package stands once, under `<key>/node_modules/<name>` or
`<key>/package`."""

_DEEPEST: Final = 12
"""How deep `node_modules` are nested that are read."""

_MOST_LOOKED_AT: Final = 2 * MOST_PACKAGES
"""How many folders are looked at for a package."""

_DIRECT: Final = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_NEEDED: Final = ("dependencies", "devDependencies")

_REMEDIES: Final = {
    "pnpm-lock.yaml": "pnpm install",
    "yarn.lock": "yarn install",
    "bun.lock": "bun install",
    "bun.lockb": "bun install",
}

_PLUG_AND_PLAY: Final = (".pnp.cjs", ".pnp.js", ".pnp.loader.mjs")

_RESOLVED: Final = re.compile(
    r'^  resolution: "((?:@[\w.~-]{1,100}/)?[\w.~-]{1,200})@npm:([\w.+-]{1,100})"', re.MULTILINE
)
"""What Yarn's lock file says of a package."""


class _Manifest(msgspec.Struct):
    name: str = ""
    version: str = ""


_DECODER: Final = msgspec.json.Decoder(_Manifest)


def find(project: Project) -> Iterator[Package]:
    """The packages that are installed, and what the project names but has not."""
    folders = [folder for folder in project.places(_MANIFEST) if project.is_inside(folder)]
    if not folders:
        return
    named, needed = _read_named(project, folders)
    if any(project.is_file(project.place(name)) for name in _PLUG_AND_PLAY):
        yield from _zipped(project, named)
        return
    search = _Search(project, named)
    for folder in folders:
        yield from search.folder(os.path.join(folder, _MODULES), 0)
    yield from _absent(
        project, {name: source for name, source in needed.items() if name not in search.names}
    )


def _read_named(project: Project, folders: list[str]) -> tuple[set[str], dict[str, str]]:
    """What the projects name, and what of it must be installed, with the file that says so."""
    named: set[str] = set()
    needed: dict[str, str] = {}
    own: set[str] = set()
    for folder in folders:
        if project.is_over(len(named)):
            break
        path = os.path.join(folder, _MANIFEST)
        manifest = project.read_json(path) or {}
        own.add(str(manifest.get("name", "")))
        for key in _DIRECT:
            found = manifest.get(key)
            names: dict[str, Any] = found if isinstance(found, dict) else {}
            named |= names.keys()
            # Only what is named at the root must be there: folders below may be examples.
            if key in _NEEDED and folder == project.root:
                needed |= {
                    name: path
                    for name, at in names.items()
                    if isinstance(at, str) and _is_from_registry(at)
                }
    return named - own, {name: source for name, source in needed.items() if name not in own}


def _is_from_registry(at: str) -> bool:
    return not at.startswith(("workspace:", "file:", "link:", "portal:"))


class _Search:
    """One look through all folders. names: of the packages that were found."""

    def __init__(self, project: Project, named: set[str]) -> None:
        self.names: set[str] = set()
        self._project = project
        self._named = named
        self._seen: set[tuple[str, str]] = set()
        self._places: set[str] = set()
        self._n_looked_at = 0

    def folder(self, folder: str, depth: int) -> Iterator[Package]:
        """The packages of a `node_modules` and of those below it."""
        if depth > _DEEPEST:
            self._project.say(f"{self._project.relative(folder)}: nested too deeply; left out")
            return
        # What stands here is direct; so it comes before the stores, where the same is among all
        # others.
        for entry in sorted(self._project.entries(folder), key=lambda each: each.name in _STORES):
            if not entry.is_folder and not entry.is_link:
                continue
            path = os.path.join(folder, entry.name)
            if entry.name.startswith("@") and entry.is_folder:
                for inner in self._project.entries(path):
                    yield from self._package(
                        f"{entry.name}/{inner.name}", os.path.join(path, inner.name), inner, depth
                    )
            elif entry.name in _STORES and entry.is_folder:
                yield from self._store(path, depth)
            elif not entry.name.startswith("."):
                yield from self._package(entry.name, path, entry, depth)
            if self._is_over():
                return

    def _store(self, store: str, depth: int) -> Iterator[Package]:
        for key in self._project.entries(store):
            # Beside the folders of the packages stands one of links to all of them.
            if key.is_folder and key.name != _MODULES and not self._is_over():
                folder = os.path.join(store, key.name)
                yield from self.folder(os.path.join(folder, _MODULES), depth + 1)
                if self._project.is_folder(os.path.join(folder, "package")):
                    yield from self._package(
                        "",
                        os.path.join(folder, "package"),
                        Entry("package", True, False),
                        depth + 1,
                    )

    def _package(self, name: str, path: str, entry: Entry, depth: int) -> Iterator[Package]:
        if not entry.is_folder and not entry.is_link:
            return
        project = self._project
        self._n_looked_at += 1
        real = path
        if entry.is_link:
            real = os.path.realpath(path)
            if not project.is_inside(real):
                self.names.add(name)
                yield from self._missing(name, path)
                return
            if _MODULES not in real.split(os.sep):
                self.names.add(name)
                return  # a link to a project of this one
        if real in self._places:
            self.names.add(name)
            return
        self._places.add(real)
        nested = os.path.join(real, _MODULES)
        has_nested = project.is_folder(nested)
        package = self._read(name, real, has_nested, depth)
        if package is not None:
            yield package
        if has_nested:
            yield from self.folder(nested, depth + 1)

    def _read(self, name: str, path: str, has_nested: bool, depth: int) -> Package | None:
        project = self._project
        source = os.path.join(path, _MANIFEST)
        data = project.read(source, MOST_MANIFEST_BYTES)
        if data is None:
            return None  # a folder of tools, or what an interrupted installation left
        try:
            said = _DECODER.decode(data.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            project.say(
                f"{project.relative(source)}: no valid package.json: install {name or 'it'} anew"
            )
            return None
        # An alias (`npm:other@1`) is known to the code by the name of its folder.
        real_name, module = said.name or name, name or said.name
        self.names.add(module)
        if not said.version:
            project.say(f"{project.relative(source)}: names no version: install {module} anew")
            return None
        if (module, said.version) in self._seen:
            return None
        self._seen.add((module, said.version))
        files = tuple(project.all_but(path, (_MODULES,))) if has_nested else ()
        return project.package(
            "npm",
            real_name,
            said.version,
            path,
            source=source,
            files=files,
            modules=(module, *self._typed(module, path)),
            is_direct=depth == 0 and module in self._named,
        )

    def _typed(self, module: str, path: str) -> Iterator[str]:
        """The modules whose types a package holds; of Node's, one for each file."""
        if not module.startswith(TYPES):
            return
        scope, sign, name = module.removeprefix(TYPES).partition("__")
        yield f"@{scope}/{name}" if sign else scope
        if module == f"{TYPES}node":
            for inner in (
                "",
                *(f"{each.name}/" for each in self._project.entries(path) if each.is_folder),
            ):
                for entry in self._project.entries(os.path.join(path, inner)):
                    if entry.name.endswith(_DECLARATION) and not inner.startswith("ts"):
                        yield inner + entry.name.removesuffix(_DECLARATION)

    def _missing(self, name: str, path: str) -> Iterator[Package]:
        if (name, "") in self._seen:
            return
        self._seen.add((name, ""))
        place = self._project.relative(path)
        missing = (
            f"{place} is a link that leads out of the project: install it in the project itself"
        )
        package = self._project.package(
            "npm",
            name,
            "",
            None,
            source=path,
            modules=(name,),
            is_direct=name in self._named,
            missing=missing,
        )
        if package is not None:
            yield package

    def _is_over(self) -> bool:
        if self._n_looked_at > _MOST_LOOKED_AT:
            self._project.say_limit(
                f"only the first {_MOST_LOOKED_AT:,} folders of node_modules are looked at"
            )
        return self._n_looked_at > _MOST_LOOKED_AT or self._project.is_late()


def _zipped(project: Project, named: set[str]) -> Iterator[Package]:
    """The packages of Yarn's Plug'n'Play, which stay in their archives."""
    lock = project.place("yarn.lock")
    missing = (
        "in an archive of Yarn's: set `nodeLinker: node-modules` in .yarnrc.yml and run `yarn"
        " install`"
    )
    project.say(f"packages of npm are not read: they are {missing}")
    seen: set[tuple[str, str]] = set()
    for line in _RESOLVED.finditer(project.text(lock, MOST_BYTES)):
        name, version = line[1], line[2]
        if project.is_over(len(seen)):
            return
        if (name, version) in seen:
            continue
        seen.add((name, version))
        package = project.package(
            "npm",
            name,
            version,
            None,
            source=lock,
            modules=(name,),
            is_direct=name in named,
            missing=missing,
        )
        if package is not None:
            yield package


def _absent(project: Project, names: dict[str, str]) -> Iterator[Package]:
    """What the project names and has not installed, at the version that npm's lock file names."""
    if not names:
        return
    run = next(
        (command for lock, command in _REMEDIES.items() if project.is_file(project.place(lock))),
        "npm install",
    )
    lock = project.read_json(project.place("package-lock.json"), MOST_BYTES) or {}
    locked = lock.get("packages")
    for name, source in sorted(names.items()):
        if project.is_late():
            return
        entry = locked.get(f"{_MODULES}/{name}") if isinstance(locked, dict) else None
        version = entry.get("version") if isinstance(entry, dict) else ""
        missing = f"not installed: run `{run}` beside {project.relative(source)}"
        package = project.package(
            "npm",
            name,
            version if isinstance(version, str) else "",
            None,
            source=source,
            modules=(name,),
            is_direct=True,
            missing=missing,
        )
        if package is not None:
            yield package
