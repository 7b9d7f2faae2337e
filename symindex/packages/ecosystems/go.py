"""Go: the modules that `go.mod` requires, from `vendor` or the module cache, and the installed
standard library."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_BYTES, Project
from symindex.text.versions import version_key

_FILE: Final = "go.mod"
_VERSION: Final = re.compile(r"go(\d+\.\d+[\w.]{0,20})")
_WORD: Final = re.compile(r'"[^"\n]*"|`[^`\n]*`|[^\s"`]+')
_COMMANDS: Final = ("cmd", "vendor")
"""Folders next to the standard library that do not belong to it: the tool chain, and copies of
other modules."""


@dataclass(slots=True)
class _GoModule:
    """The contents of a `go.mod`.

    versions: module -> required version. direct: the modules that are required directly. replaced:
    module and version (empty for all) -> the module and version, or the folder, that replaces it.
    version: the version of the language. tools: that of the toolchain.
    """

    source: str
    versions: dict[str, str] = field(default_factory=dict)
    direct: set[str] = field(default_factory=set)
    replaced: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    version: str = ""
    tools: str = ""


def find(project: Project) -> Iterator[Package]:
    """Yields the modules, and the standard library."""
    folders = project.places(_FILE)
    if not folders:
        return
    cache = _find_cache(project)
    seen = set()
    tools = ""
    for folder in folders:
        required = _read_required(project, folder)
        tools = max(tools, required.tools or required.version, key=version_key)
        if project.is_file(os.path.join(folder, "vendor", "modules.txt")):
            packages = _vendored(project, folder, required)
        else:
            packages = _cached(project, cache, required)
        for package in packages:
            if (package.name, package.version) not in seen:
                seen.add((package.name, package.version))
                yield package
    library = _find_library(project, cache, tools)
    if library is not None:
        yield library


def _read_required(project: Project, folder: str) -> _GoModule:
    source = os.path.join(folder, _FILE)
    module = _GoModule(source)
    block = ""
    for line in project.text(source).splitlines():
        if project.is_over(len(module.versions)):
            break
        code, _, comment = line.partition("//")
        words = [word.strip('"`') for word in _WORD.findall(code)]
        if not any(words):
            continue
        if words == [")"]:
            block = ""
        elif len(words) == 2 and words[1] == "(":
            block = words[0]
        else:
            _read_line(module, [block, *words] if block else words, comment.strip() == "indirect")
    if version_key(module.version) < version_key("1.17"):
        # Before Go 1.17 a module named only its own imports. The rest is in `go.sum`, which also
        # lists modules that were only considered.
        for line in project.text(os.path.join(folder, "go.sum"), MOST_BYTES).splitlines():
            words = line.split()
            if project.is_over(len(module.versions)):
                break
            if (
                len(words) == 3
                and not words[1].endswith("/go.mod")
                and words[0] not in module.direct
            ):
                version = module.versions.get(words[0], words[1])
                module.versions[words[0]] = max(version, words[1], key=version_key)
    return module


def _read_line(module: _GoModule, words: list[str], is_indirect: bool) -> None:
    match words:
        case ["require", name, version]:
            module.versions[name] = version
            if not is_indirect:
                module.direct.add(name)
        case ["replace", *rest] if "=>" in rest:
            arrow = rest.index("=>")
            old, new = [*rest[:arrow], ""][:2], [*rest[arrow + 1 :], ""][:2]
            module.replaced[old[0], old[1]] = (new[0], new[1])
        case [_, version] if len(words[0]) == 2:
            module.version = version
        case ["toolchain", version]:
            module.tools = version.removeprefix("go")


def _cached(project: Project, cache: str, required: _GoModule) -> Iterator[Package]:
    for name, version in sorted(required.versions.items()):
        if project.is_late():
            return
        replacement = required.replaced.get((name, version)) or required.replaced.get((name, ""))
        module, used_version = replacement or (name, version)
        root, missing = "", ""
        if replacement is not None and module.startswith(("./", "../", "/")):
            place = (
                os.path.realpath(os.path.join(os.path.dirname(required.source), module))
                if "\0" not in module
                else ""
            )
            if project.is_inside(place):
                continue  # A part of the project.
            missing = (
                f"{project.relative(required.source)} replaces it by a folder elsewhere: {module}"
            )
            used_version = version
        elif project.package("go", module, used_version, None, source=required.source) is None:
            continue
        else:
            root = os.path.join(cache, *f"{_escape(module)}@{_escape(used_version)}".split("/"))
            if not project.is_folder(root):
                missing = (
                    "not in the module cache: run `go mod download` next to"
                    f" {project.relative(required.source)}"
                )
        package = project.package(
            "go",
            name,
            used_version,
            root,
            source=required.source,
            modules=(name,),
            is_direct=name in required.direct,
            missing=missing,
        )
        if package is not None:
            yield package


def _vendored(project: Project, folder: str, required: _GoModule) -> Iterator[Package]:
    """Yields the modules that are copied into the project. A module may be in the folder of
    another."""
    top = os.path.join(folder, "vendor")
    source = os.path.join(top, "modules.txt")
    versions: dict[str, str] = {}
    for line in project.text(source, MOST_BYTES).splitlines():
        if project.is_over(len(versions)):
            break
        words = line.split()
        if words[:1] == ["#"] and len(words) >= 2:
            version = (
                words[2]
                if len(words) > 2 and words[2] != "=>"
                else required.versions.get(words[1], "")
            )
            versions[words[1]] = version
    for name, version in sorted(versions.items()):
        if project.is_late():
            return
        if project.package("go", name, version, None, source=source) is None:
            continue
        root = os.path.join(top, *name.split("/"))
        if not project.is_folder(root):
            continue  # None of its packages is imported.
        inner = [other[len(name) + 1 :] for other in versions if other.startswith(f"{name}/")]
        files = tuple(project.all_but(root, inner)) if inner else ()
        if inner and not files:
            continue
        package = project.package(
            "go",
            name,
            version,
            root,
            source=source,
            files=files,
            modules=(name,),
            is_direct=name in required.direct,
        )
        if package is not None:
            yield package


def _find_cache(project: Project) -> str:
    """Returns the module cache, by the environment's variables or those that `go env -w` has
    stored."""
    stored = dict(
        (key.strip(), value.strip())
        for key, sign, value in (
            line.partition("=")
            for line in project.text(
                os.path.join(project.home, ".config/go/env"), 65_536
            ).splitlines()
        )
        if sign
    )
    cache = project.environment.get("GOMODCACHE") or stored.get("GOMODCACHE", "")
    if not cache:
        path = project.environment.get("GOPATH") or stored.get("GOPATH", "")
        first = path.split(os.pathsep)[0]
        cache = os.path.join(first or os.path.join(project.home, "go"), "pkg/mod")
    return os.path.realpath(cache) if os.path.isabs(cache) and "\0" not in cache else ""


def _escape(path: str) -> str:
    """Returns a module's path or version as the cache spells it, for file systems that ignore
    case."""
    return re.sub("[A-Z]", lambda match: f"!{match[0].lower()}", path)


def _find_library(project: Project, cache: str, minimum: str) -> Package | None:
    """Returns the standard library. A module that requires a newer Go than the installed one has it
    in the module cache."""
    roots = list(_installed(project))
    best = next(
        ((root, version) for root in roots if (version := _version_of(project, root))), None
    )
    if minimum and (best is None or version_key(best[1]) < version_key(minimum)):
        tools = os.path.join(cache, "golang.org")
        for entry in project.entries(tools) if cache else ():
            root = os.path.join(tools, entry.name)
            version = (
                _version_of(project, root)
                if entry.name.startswith(f"toolchain@v0.0.1-go{minimum}.")
                else ""
            )
            if version:
                best = (root, version)
    source = project.place(_FILE)
    if best is None:
        missing = "no Go was found: install it, or set GOROOT"
        return project.package(
            "go", "std", "", None, source=source, is_direct=True, missing=missing
        )
    root = os.path.realpath(os.path.join(best[0], "src"))
    files = tuple(project.all_but(root, _COMMANDS))
    modules = tuple(
        name
        for name in files
        if name.isidentifier() and project.is_folder(os.path.join(root, name))
    )
    return project.package(
        "go", "std", best[1], root, source=source, files=files, modules=modules, is_direct=True
    )


def _installed(project: Project) -> Iterator[str]:
    """Yields the folders where Go may be installed."""
    configured = project.variable("GOROOT")
    if configured:
        yield configured
    for program in project.programs("go"):
        yield os.path.dirname(os.path.dirname(program))
    usual = os.path.join(project.system, "usr/lib")
    yield os.path.join(project.system, "usr/local/go")
    yield os.path.join(usual, "go")
    versions = [
        entry.name for entry in project.entries(usual) if re.fullmatch(r"go-\d+\.\d+", entry.name)
    ]
    for name in sorted(versions, key=version_key, reverse=True):
        yield os.path.join(usual, name)


def _version_of(project: Project, root: str) -> str:
    """Returns the version of a Go installation, or an empty text if it has no sources."""
    version = _VERSION.match(
        (project.read_start(os.path.join(root, "VERSION"), 200) or b"").decode("ascii", "replace")
    )
    return (
        version[1]
        if version and project.is_file(os.path.join(root, "src", "fmt", "print.go"))
        else ""
    )
