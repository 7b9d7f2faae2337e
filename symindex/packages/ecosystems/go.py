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
"""What stands beside the standard library: the tool chain, and what the library has copied."""


@dataclass(slots=True)
class _Required:
    """What the files of a module say. versions, direct: by module. replaced: by module and version
    (empty: all): another module and its version, or a folder. version: of the language."""

    source: str
    versions: dict[str, str] = field(default_factory=dict)
    direct: set[str] = field(default_factory=set)
    replaced: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    version: str = ""
    tools: str = ""


def find(project: Project) -> Iterator[Package]:
    """The modules, and the standard library."""
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


def _read_required(project: Project, folder: str) -> _Required:
    source = os.path.join(folder, _FILE)
    found = _Required(source)
    block = ""
    for line in project.text(source).splitlines():
        if project.is_over(len(found.versions)):
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
            _read_line(found, [block, *words] if block else words, comment.strip() == "indirect")
    if version_key(found.version) < version_key("1.17"):
        # Before, a module named only what it imports itself; the rest stands in `go.sum`, of which
        # some was only considered.
        for line in project.text(os.path.join(folder, "go.sum"), MOST_BYTES).splitlines():
            words = line.split()
            if project.is_over(len(found.versions)):
                break
            if (
                len(words) == 3
                and not words[1].endswith("/go.mod")
                and words[0] not in found.direct
            ):
                known = found.versions.get(words[0], words[1])
                found.versions[words[0]] = max(known, words[1], key=version_key)
    return found


def _read_line(found: _Required, words: list[str], is_indirect: bool) -> None:
    match words:
        case ["require", name, version]:
            found.versions[name] = version
            if not is_indirect:
                found.direct.add(name)
        case ["replace", *rest] if "=>" in rest:
            at = rest.index("=>")
            old, new = [*rest[:at], ""][:2], [*rest[at + 1 :], ""][:2]
            found.replaced[old[0], old[1]] = (new[0], new[1])
        case [_, version] if len(words[0]) == 2:
            found.version = version
        case ["toolchain", version]:
            found.tools = version.removeprefix("go")


def _cached(project: Project, cache: str, required: _Required) -> Iterator[Package]:
    for name, version in sorted(required.versions.items()):
        if project.is_late():
            return
        other = required.replaced.get((name, version)) or required.replaced.get((name, ""))
        module, at = other or (name, version)
        root, missing = "", ""
        if other is not None and module.startswith(("./", "../", "/")):
            place = (
                os.path.realpath(os.path.join(os.path.dirname(required.source), module))
                if "\0" not in module
                else ""
            )
            if project.is_inside(place):
                continue  # a part of the project
            missing = (
                f"{project.relative(required.source)} replaces it by a folder elsewhere: {module}"
            )
            at = version
        elif project.package("go", module, at, None, source=required.source) is None:
            continue
        else:
            root = os.path.join(cache, *f"{_escape(module)}@{_escape(at)}".split("/"))
            if not project.is_folder(root):
                missing = (
                    "not in the module cache: run `go mod download` beside"
                    f" {project.relative(required.source)}"
                )
        package = project.package(
            "go",
            name,
            at,
            root,
            source=required.source,
            modules=(name,),
            is_direct=name in required.direct,
            missing=missing,
        )
        if package is not None:
            yield package


def _vendored(project: Project, folder: str, required: _Required) -> Iterator[Package]:
    """The modules that are copied into the project. Some stand in the folder of another."""
    top = os.path.join(folder, "vendor")
    source = os.path.join(top, "modules.txt")
    found: dict[str, str] = {}
    for line in project.text(source, MOST_BYTES).splitlines():
        if project.is_over(len(found)):
            break
        words = line.split()
        if words[:1] == ["#"] and len(words) >= 2:
            version = (
                words[2]
                if len(words) > 2 and words[2] != "=>"
                else required.versions.get(words[1], "")
            )
            found[words[1]] = version
    for name, version in sorted(found.items()):
        if project.is_late():
            return
        if project.package("go", name, version, None, source=source) is None:
            continue
        root = os.path.join(top, *name.split("/"))
        if not project.is_folder(root):
            continue  # nothing of it is imported
        inner = [other[len(name) + 1 :] for other in found if other.startswith(f"{name}/")]
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
    """The module cache: by the variables of the environment, or by those that `go env -w` keeps."""
    kept = dict(
        (key.strip(), value.strip())
        for key, sign, value in (
            line.partition("=")
            for line in project.text(
                os.path.join(project.home, ".config/go/env"), 65_536
            ).splitlines()
        )
        if sign
    )
    cache = project.environment.get("GOMODCACHE") or kept.get("GOMODCACHE", "")
    if not cache:
        path = project.environment.get("GOPATH") or kept.get("GOPATH", "")
        first = path.split(os.pathsep)[0]
        cache = os.path.join(first or os.path.join(project.home, "go"), "pkg/mod")
    return os.path.realpath(cache) if os.path.isabs(cache) and "\0" not in cache else ""


def _escape(path: str) -> str:
    """A module's path or version as the cache spells it, for file systems that do not tell capitals
    from small letters."""
    return re.sub("[A-Z]", lambda match: f"!{match[0].lower()}", path)


def _find_library(project: Project, cache: str, wanted: str) -> Package | None:
    """The standard library. A module that asks for a newer Go than the installed one has it in its
    cache."""
    roots = list(_installed(project))
    found = next(
        ((root, version) for root in roots if (version := _version_of(project, root))), None
    )
    if wanted and (found is None or version_key(found[1]) < version_key(wanted)):
        tools = os.path.join(cache, "golang.org")
        for entry in project.entries(tools) if cache else ():
            root = os.path.join(tools, entry.name)
            version = (
                _version_of(project, root)
                if entry.name.startswith(f"toolchain@v0.0.1-go{wanted}.")
                else ""
            )
            if version:
                found = (root, version)
    source = project.place(_FILE)
    if found is None:
        missing = "no Go was found: install it, or set GOROOT"
        return project.package(
            "go", "std", "", None, source=source, is_direct=True, missing=missing
        )
    root = os.path.realpath(os.path.join(found[0], "src"))
    files = tuple(project.all_but(root, _COMMANDS))
    modules = tuple(
        name
        for name in files
        if name.isidentifier() and project.is_folder(os.path.join(root, name))
    )
    return project.package(
        "go", "std", found[1], root, source=source, files=files, modules=modules, is_direct=True
    )


def _installed(project: Project) -> Iterator[str]:
    """Where a Go may be."""
    named = project.variable("GOROOT")
    if named:
        yield named
    for program in project.programs("go"):
        yield os.path.dirname(os.path.dirname(program))
    usual = os.path.join(project.system, "usr/lib")
    yield os.path.join(project.system, "usr/local/go")
    yield os.path.join(usual, "go")
    versions = [
        each.name for each in project.entries(usual) if re.fullmatch(r"go-\d+\.\d+", each.name)
    ]
    for name in sorted(versions, key=version_key, reverse=True):
        yield os.path.join(usual, name)


def _version_of(project: Project, root: str) -> str:
    """The version of a Go, empty where there is none with its sources."""
    found = _VERSION.match(
        (project.read_start(os.path.join(root, "VERSION"), 200) or b"").decode("ascii", "replace")
    )
    return (
        found[1] if found and project.is_file(os.path.join(root, "src", "fmt", "print.go")) else ""
    )
