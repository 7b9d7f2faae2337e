"""PHP: the packages that Composer has installed in `vendor`, and those that `composer.lock` names
but are not installed."""

import os
from collections.abc import Iterator
from typing import Any, Final

from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_BYTES, Project, as_table

_MANIFEST: Final = "composer.json"
_LOCK: Final = "composer.lock"
_INSTALLED: Final = ("composer", "installed.json")

MOST_NAMESPACES: Final = 200
"""Most namespaces of a package that are listed. symfony/symfony has about 70."""


def find(project: Project) -> Iterator[Package]:
    """Yields the packages of all Composer projects in the folder."""
    for folder in dict.fromkeys([*project.places(_MANIFEST), *project.places(_LOCK)]):
        manifest = _object(project, os.path.join(folder, _MANIFEST))
        direct = {
            name for key in ("require", "require-dev") for name in as_table(manifest.get(key))
        }
        vendor = os.path.join(folder, "vendor")
        vendor_dir = as_table(manifest.get("config")).get("vendor-dir")
        if (
            isinstance(vendor_dir, str)
            and vendor_dir
            and ".." not in vendor_dir
            and not os.path.isabs(vendor_dir)
            and "\0" not in vendor_dir
        ):
            vendor = os.path.join(folder, *filter(None, vendor_dir.split("/")))
        yield from _packages(project, folder, vendor, direct)


def _packages(project: Project, folder: str, vendor: str, direct: set[str]) -> Iterator[Package]:
    path = os.path.join(vendor, *_INSTALLED)
    lock_path = os.path.join(folder, _LOCK)
    seen: set[str] = set()
    for row, source in _package_rows(project, path, lock_path):
        fields = as_table(row)
        name, version = _text(fields.get("name")), _text(fields.get("version"))
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
            continue  # A part of the project.
        elif not project.is_folder(root):
            if fields.get("type") == "metapackage":  # A metapackage has dependencies, but no files.
                continue
            missing = (
                "not installed: run `composer install` next to"
                f" {project.relative(os.path.join(folder, _MANIFEST))}"
            )
        package = project.package(
            "composer",
            name,
            version,
            root,
            source=source,
            modules=_namespaces(project, name, fields),
            is_direct=name in direct,
            missing=missing,
        )
        if package is not None:
            yield package


def _package_rows(project: Project, installed: str, lock: str) -> Iterator[tuple[Any, str]]:
    """Yields each package's row in the two files, with its file. Only one file is in memory at a
    time."""
    for row in _list(_object(project, installed).get("packages")):
        yield row, installed
    lock_file = _object(project, lock)
    for key in ("packages", "packages-dev"):
        for row in _list(lock_file.get(key)):
            yield row, lock


def _namespaces(project: Project, package: str, fields: dict[str, Any]) -> tuple[str, ...]:
    autoload = as_table(fields.get("autoload"))
    names = (
        name.rstrip("\\") for key in ("psr-4", "psr-0") for name in as_table(autoload.get(key))
    )
    unique = [*dict.fromkeys(filter(None, names))]
    if len(unique) > MOST_NAMESPACES:
        project.notify_limit(
            f"only {MOST_NAMESPACES} of {len(unique):,} namespaces of {package} are listed"
        )
    return tuple(unique[:MOST_NAMESPACES])


def _object(project: Project, path: str) -> dict[str, Any]:
    return (project.read_json(path, MOST_BYTES) if project.is_file(path) else None) or {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
