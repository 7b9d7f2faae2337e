"""Rust: the packages of `Cargo.lock`, from `vendor`, Cargo's registry or its git checkouts, and the
source of the standard library."""

import os
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_BYTES, Project

_LOCK: Final = "Cargo.lock"
_MANIFEST: Final = "Cargo.toml"

_PACKAGE: Final = re.compile(r"^\[\[package\]\]\n((?:(?!\[)[^\n]*\n)*)", re.MULTILINE)
_KEY: Final = re.compile(r'^(name|version|source) = "([^"\n]{0,1000})"$', re.MULTILINE)
_DEPENDENCIES: Final = re.compile(r"^dependencies = \[\n((?: [^\n]*\n)*)\]", re.MULTILINE)
_LISTED: Final = re.compile(r'^ "([\w-]{1,200})(?: ([\w.+-]{1,100}))?', re.MULTILINE)
"""Cargo writes the lock file line by line, so it is read by line: the TOML parser is slow, and
takes quadratic time on a hostile file."""

_OWN_NAME: Final = re.compile(r'^name\s*=\s*"([^"\n]*)"', re.MULTILINE)
_OWN_VERSION: Final = re.compile(r'^version\s*=\s*"([^"\n]*)"', re.MULTILINE)

_CHANNEL: Final = re.compile(
    r'^[ \t]*+(?:channel[ \t]*+=[ \t]*+"([\w.-]{1,60})"|([\w.-]{1,60})[ \t\r]*+$)', re.MULTILINE
)
_DEFAULT: Final = re.compile(r'^default_toolchain\s*=\s*"([\w.-]{1,100})"', re.MULTILINE)
_RELEASE: Final = re.compile(rb'\[pkg\.rustc\]\s+version = "([\w.+-]{1,60})')
_MANIFEST_BYTES: Final = 8_000_000

_LIBRARY: Final = "library"
_PARTS: Final = ("alloc", "core", "std", "proc_macro")
_TESTS: Final = (
    "alloctests",
    "coretests",
    "alloc/tests",
    "alloc/benches",
    "core/tests",
    "core/benches",
    "std/tests",
    "std/benches",
)

_MOST_CHECKOUT_FOLDERS: Final = 300


class _LockedCrate(NamedTuple):
    name: str
    version: str
    source: str


def find(project: Project) -> Iterator[Package]:
    """Yields the packages of all lock files, and the standard library."""
    folders = project.places(_LOCK)
    home = project.variable("CARGO_HOME") or os.path.join(project.home, ".cargo")
    registries = list(project.newest(os.path.join(home, "registry", "src")))
    seen: set[_LockedCrate] = set()
    for folder in folders:
        path = os.path.join(folder, _LOCK)
        locked, direct = _read_lock(project, path)
        vendor = os.path.join(folder, "vendor")
        for crate in locked:
            if project.is_over(len(seen)):
                break
            if crate in seen:
                continue
            seen.add(crate)
            if project.package("cargo", crate.name, crate.version, None, source=path) is None:
                continue
            root = _find_source(project, crate, vendor, registries, home)
            reason = (
                "a git checkout of it was not found"
                if crate.source.startswith("git+")
                else "not in Cargo's registry"
            )
            missing = (
                "" if root else f"{reason}: run `cargo fetch` next to {project.relative(path)}"
            )
            is_direct = not direct.isdisjoint({(crate.name, ""), (crate.name, crate.version)})
            package = project.package(
                "cargo",
                crate.name,
                crate.version,
                root,
                source=path,
                modules=(crate.name.replace("-", "_"),),
                is_direct=is_direct,
                missing=missing,
            )
            if package is not None:
                yield package
    if folders or project.places(_MANIFEST):
        library = _find_library(project)
        if library is not None:
            yield library


def _read_lock(project: Project, path: str) -> tuple[list[_LockedCrate], set[tuple[str, str]]]:
    """Returns the packages from elsewhere, and the dependencies that the project's own packages
    declare."""
    locked: list[_LockedCrate] = []
    direct: set[tuple[str, str]] = set()
    for block in _PACKAGE.finditer(project.text(path, MOST_BYTES)):
        if project.is_over(len(locked)):
            break
        fields = {key[1]: key[2] for key in _KEY.finditer(block[1])}
        if "source" in fields:
            locked.append(
                _LockedCrate(fields.get("name", ""), fields.get("version", ""), fields["source"])
            )
            continue
        listed = _DEPENDENCIES.search(block[1])
        for line in _LISTED.finditer(listed[1]) if listed else ():
            if project.is_over(len(direct)):
                break
            direct.add((line[1], line[2] or ""))
    return locked, direct


def _find_source(
    project: Project, crate: _LockedCrate, vendor: str, registries: list[str], home: str
) -> str | None:
    folder_name = f"{crate.name}-{crate.version}"
    if project.is_folder(os.path.join(vendor, folder_name)):
        return os.path.join(vendor, folder_name)
    copied = os.path.join(vendor, crate.name)
    if _is_of(project, copied, crate.name, crate.version):
        return copied
    if crate.source.startswith("git+"):
        return _find_checkout(project, crate, os.path.join(home, "git", "checkouts"))
    return next(
        (
            place
            for base in registries
            if project.is_folder(place := os.path.join(base, folder_name))
        ),
        None,
    )


def _find_checkout(project: Project, crate: _LockedCrate, checkouts: str) -> str | None:
    """Returns the folder of a package in a checkout of its repository, which may contain many
    packages."""
    address, _, revision = crate.source.partition("#")
    repository = address.partition("?")[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
    if not re.fullmatch("[0-9a-f]{7,64}", revision) or not re.fullmatch(
        r"[\w.-]{1,200}", repository
    ):
        return None
    for folder in project.entries(checkouts):
        if folder.name.rpartition("-")[0] != repository:
            continue
        level = [os.path.join(checkouts, folder.name, revision[:7])]
        for _ in range(3):
            for place in level:
                if _is_of(project, place, crate.name, ""):
                    return place
            below = [
                os.path.join(place, inner.name)
                for place in level
                for inner in project.entries(place)
                if inner.is_folder
            ]
            if len(below) > _MOST_CHECKOUT_FOLDERS:
                project.notify(
                    f"{crate.name}: only {_MOST_CHECKOUT_FOLDERS} of {len(below):,} folders of its"
                    " repository are searched"
                )
            level = below[:_MOST_CHECKOUT_FOLDERS]
    return None


def _is_of(project: Project, folder: str, name: str, version: str) -> bool:
    """Whether a folder contains the package with this name, and this version unless it is empty."""
    path = os.path.join(folder, _MANIFEST)
    text = project.text(path) if project.is_file(path) else ""
    own_name, own_version = _OWN_NAME.search(text), _OWN_VERSION.search(text)
    return (
        own_name is not None
        and own_name[1] == name
        and (not version or (own_version is not None and own_version[1] == version))
    )


def _find_library(project: Project) -> Package | None:
    """Returns the source of the standard library: of the toolchain that the project or the user has
    chosen, else of any."""
    source = project.place(_MANIFEST)
    for root, version in _libraries(project):
        if project.is_file(os.path.join(root, "std", "src", "lib.rs")):
            files = tuple(
                name for name in project.all_but(root, _TESTS) if name.split("/")[0] in _PARTS
            )
            return project.package(
                "rust",
                "std",
                version,
                root,
                source=source,
                files=files,
                modules=("alloc", "core", "std"),
                is_direct=True,
            )
    missing = "its source is not installed: run `rustup component add rust-src`"
    return project.package("rust", "std", "", None, source=source, is_direct=True, missing=missing)


def _libraries(project: Project) -> Iterator[tuple[str, str]]:
    home = project.variable("RUSTUP_HOME") or os.path.join(project.home, ".rustup")
    toolchains = os.path.join(home, "toolchains")
    names = [entry.name for entry in project.entries(toolchains)]
    chosen = [
        name
        for toolchain in _toolchains(project, home)
        for name in names
        if name == toolchain or name.startswith(f"{toolchain}-")
    ]
    for name in dict.fromkeys([*chosen, *reversed(names)]):
        folder = os.path.join(toolchains, name, "lib", "rustlib")
        root = os.path.join(folder, "src", "rust", _LIBRARY)
        if project.is_folder(root):
            manifest = os.path.join(folder, "multirust-channel-manifest.toml")
            release = _RELEASE.search(project.read_start(manifest, _MANIFEST_BYTES) or b"")
            yield root, release[1].decode() if release else name
    usr = os.path.join(project.system, "usr")
    places = [
        os.path.join(usr, "lib", "rustlib", "src", "rust", _LIBRARY),
        *project.newest(os.path.join(usr, "src"), _LIBRARY),
    ]
    for place in places:
        real = os.path.realpath(place)
        found_in_name = re.fullmatch(
            r"rustc-([\w.+-]{1,60})", os.path.basename(os.path.dirname(real))
        )
        if project.is_folder(place) and (found_in_name or place is places[0]):
            yield real, found_in_name[1] if found_in_name else ""


def _toolchains(project: Project, home: str) -> Iterator[str]:
    """Yields the names of the chosen toolchains, by precedence."""
    if project.environment.get("RUSTUP_TOOLCHAIN"):
        yield project.environment["RUSTUP_TOOLCHAIN"]
    for name in ("rust-toolchain.toml", "rust-toolchain"):
        channel = _CHANNEL.search(project.text(project.place(name), 65_536))
        if channel:
            yield channel[1] or channel[2]
    default = _DEFAULT.search(project.text(os.path.join(home, "settings.toml"), 65_536))
    if default:
        yield default[1]
