"""PHP: the packages that Composer has put into `vendor`, and those that `composer.lock` names and
are not there."""

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_BYTES, Project

_MANIFEST: Final = "composer.json"
_LOCK: Final = "composer.lock"
_INSTALLED: Final = ("composer", "installed.json")

_MOST_NAMESPACES: Final = 50


def find(project: Project) -> Iterator[Package]:
    """The packages of all projects."""
    for folder in dict.fromkeys([*project.places(_MANIFEST), *project.places(_LOCK)]):
        manifest = _object(project, os.path.join(folder, _MANIFEST))
        direct = {name for key in ("require", "require-dev") for name in _table(manifest.get(key))}
        vendor = os.path.join(folder, "vendor")
        named = _table(manifest.get("config")).get("vendor-dir")
        if (
            isinstance(named, str)
            and named
            and ".." not in named
            and not os.path.isabs(named)
            and "\0" not in named
        ):
            vendor = os.path.join(folder, *filter(None, named.split("/")))
        yield from _packages(project, folder, vendor, direct)


def _packages(project: Project, folder: str, vendor: str, direct: set[str]) -> Iterator[Package]:
    path = os.path.join(vendor, *_INSTALLED)
    lock_path = os.path.join(folder, _LOCK)
    seen: set[str] = set()
    for each, source in _named(project, path, lock_path):
        said = _table(each)
        name, version = _text(said.get("name")), _text(said.get("version"))
        if project.is_over(len(seen)):
            return
        if name in seen:
            continue
        seen.add(name)
        if project.package("composer", name, version, None, source=source) is None:
            continue
        root = os.path.join(vendor, *name.split("/"))
        missing = ""
        if os.path.islink(root) and not project.is_in_tree(root):
            missing = (
                f"{project.relative(root)} is a link that leads out of the project: install it in"
                " the project itself"
            )
        elif os.path.islink(root) and not os.path.realpath(root).startswith(
            os.path.join(vendor, "")
        ):
            continue  # a part of the project
        elif not project.is_folder(root):
            if said.get("type") == "metapackage":  # it names others, and has no files
                continue
            missing = (
                "not installed: run `composer install` beside"
                f" {project.relative(os.path.join(folder, _MANIFEST))}"
            )
        package = project.package(
            "composer",
            name,
            version,
            root,
            source=source,
            modules=_namespaces(said),
            is_direct=name in direct,
            missing=missing,
        )
        if package is not None:
            yield package


def _named(project: Project, installed: str, lock: str) -> Iterator[tuple[Any, str]]:
    """What the two files say of packages, with the file; one of them is in memory at a time."""
    for each in _list(_object(project, installed).get("packages")):
        yield each, installed
    said = _object(project, lock)
    for key in ("packages", "packages-dev"):
        for each in _list(said.get(key)):
            yield each, lock


def _namespaces(said: dict[str, Any]) -> tuple[str, ...]:
    autoload = _table(said.get("autoload"))
    names = (name.rstrip("\\") for key in ("psr-4", "psr-0") for name in _table(autoload.get(key)))
    return tuple(dict.fromkeys(filter(None, islice(names, _MOST_NAMESPACES))))


def _object(project: Project, path: str) -> dict[str, Any]:
    return (project.read_json(path, MOST_BYTES) if project.is_file(path) else None) or {}


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
