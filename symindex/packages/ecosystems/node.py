"""JavaScript: the packages in `node_modules`, of the project and of projects inside it, as npm,
pnpm, Yarn and Bun install them.

Each installed package has a folder with a `package.json`. npm nests versions that differ; pnpm and
Bun store all packages inside `node_modules` and link to them. A link is followed only to a place in
the project, because a link out of it could make us read any folder of the user.
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
    FolderEntry,
    Project,
)

TYPES: Final = "@types/"
"""Prefix of the names of packages with the types of others."""

_DECLARATION: Final = ".d.ts"

_MODULES: Final = "node_modules"
_MANIFEST: Final = "package.json"

_STORES: Final = (".pnpm", ".bun", ".store")
"""Folders of `node_modules` with one copy of every package, in `<key>/node_modules/<name>` or
`<key>/package`."""

_DEEPEST: Final = 12
"""Deepest nesting of `node_modules` that is read."""

_MOST_LOOKED_AT: Final = 2 * MOST_PACKAGES
"""Most folders that are checked for a package."""

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
"""A package in Yarn's lock file."""


class _Manifest(msgspec.Struct):
    name: str = ""
    version: str = ""


_DECODER: Final = msgspec.json.Decoder(_Manifest)


def find(project: Project) -> Iterator[Package]:
    """Yields the installed packages, and the missing ones that the project declares."""
    folders = [folder for folder in project.places(_MANIFEST) if project.is_inside(folder)]
    if not folders:
        return
    declared, needed = _read_named(project, folders)
    if any(project.is_file(project.place(name)) for name in _PLUG_AND_PLAY):
        yield from _zipped(project, declared)
        return
    search = _FolderSearch(project, declared)
    for folder in folders:
        yield from search.folder(os.path.join(folder, _MODULES), 0)
    yield from _absent(
        project, {name: source for name, source in needed.items() if name not in search.names}
    )


def _read_named(project: Project, folders: list[str]) -> tuple[set[str], dict[str, str]]:
    """Returns the packages that the projects declare, and those that must be installed -> the
    manifest that declares them."""
    declared: set[str] = set()
    needed: dict[str, str] = {}
    own_names: set[str] = set()
    for folder in folders:
        if project.is_over(len(declared)):
            break
        path = os.path.join(folder, _MANIFEST)
        manifest = project.read_json(path) or {}
        own_names.add(str(manifest.get("name", "")))
        for key in _DIRECT:
            section = manifest.get(key)
            names: dict[str, Any] = section if isinstance(section, dict) else {}
            declared |= names.keys()
            # Only the root's dependencies must be installed: folders below may be examples.
            if key in _NEEDED and folder == project.root:
                needed |= {
                    name: path
                    for name, version in names.items()
                    if isinstance(version, str) and _is_from_registry(version)
                }
    return declared - own_names, {
        name: source for name, source in needed.items() if name not in own_names
    }


def _is_from_registry(version: str) -> bool:
    return not version.startswith(("workspace:", "file:", "link:", "portal:"))


class _FolderSearch:
    """A search through all `node_modules`. names: the packages found so far."""

    def __init__(self, project: Project, declared: set[str]) -> None:
        self.names: set[str] = set()
        self._project = project
        self._declared = declared
        self._seen: set[tuple[str, str]] = set()
        self._places: set[str] = set()
        self._n_looked_at = 0

    def folder(self, folder: str, depth: int) -> Iterator[Package]:
        """Yields the packages of a `node_modules` folder and of those nested in it."""
        if depth > _DEEPEST:
            self._project.notify(f"{self._project.relative(folder)}: nested too deeply; left out")
            return
        # Packages in this folder are direct, so they come before the stores, which repeat them
        # among all others.
        for entry in sorted(self._project.entries(folder), key=lambda entry: entry.name in _STORES):
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
            # A store also has a folder with links to all packages, which is skipped.
            if key.is_folder and key.name != _MODULES and not self._is_over():
                folder = os.path.join(store, key.name)
                yield from self.folder(os.path.join(folder, _MODULES), depth + 1)
                if self._project.is_folder(os.path.join(folder, "package")):
                    yield from self._package(
                        "",
                        os.path.join(folder, "package"),
                        FolderEntry("package", True, False),
                        depth + 1,
                    )

    def _package(self, name: str, path: str, entry: FolderEntry, depth: int) -> Iterator[Package]:
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
                return  # A link to a workspace package of this project.
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
            return None  # A folder of tools, or the rest of an interrupted installation.
        try:
            manifest = _DECODER.decode(data.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            project.notify(
                f"{project.relative(source)}: not a valid package.json: reinstall {name or 'it'}"
            )
            return None
        # The code refers to an alias (`npm:other@1`) by the name of its folder.
        real_name, module = manifest.name or name, name or manifest.name
        self.names.add(module)
        if not manifest.version:
            project.notify(
                f"{project.relative(source)}: names no version: reinstall {module or 'it'}"
            )
            return None
        if (module, manifest.version) in self._seen:
            return None
        self._seen.add((module, manifest.version))
        files = tuple(project.all_but(path, (_MODULES,))) if has_nested else ()
        return project.package(
            "npm",
            real_name,
            manifest.version,
            path,
            source=source,
            files=files,
            modules=(module, *self._typed(module, path)),
            is_direct=depth == 0 and module in self._declared,
        )

    def _typed(self, module: str, path: str) -> Iterator[str]:
        """Yields the modules whose types a package contains; one per file for the types of Node
        itself."""
        if not module.startswith(TYPES):
            return
        scope, sign, name = module.removeprefix(TYPES).partition("__")
        yield f"@{scope}/{name}" if sign else scope
        if module == f"{TYPES}node":
            for inner in (
                "",
                *(f"{entry.name}/" for entry in self._project.entries(path) if entry.is_folder),
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
            is_direct=name in self._declared,
            missing=missing,
        )
        if package is not None:
            yield package

    def _is_over(self) -> bool:
        if self._n_looked_at > _MOST_LOOKED_AT:
            self._project.notify_limit(
                f"only the first {_MOST_LOOKED_AT:,} folders of node_modules are searched"
            )
        return self._n_looked_at > _MOST_LOOKED_AT or self._project.is_late()


def _zipped(project: Project, declared: set[str]) -> Iterator[Package]:
    """Yields the packages of Yarn's Plug'n'Play, which stay in their archives."""
    lock = project.place("yarn.lock")
    missing = (
        "in Yarn's archives: set `nodeLinker: node-modules` in .yarnrc.yml and run `yarn install`"
    )
    project.notify(f"npm packages are not read: they are {missing}")
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
            is_direct=name in declared,
            missing=missing,
        )
        if package is not None:
            yield package


def _absent(project: Project, names: dict[str, str]) -> Iterator[Package]:
    """Yields the declared packages that are not installed, with the version from npm's lock
    file."""
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
        missing = f"not installed: run `{run}` next to {project.relative(source)}"
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
