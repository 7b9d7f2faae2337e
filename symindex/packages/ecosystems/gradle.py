"""Gradle: the artifacts that a build's lock files, version catalog and build files name.

A build file is a program, which is not run, so computed coordinates are unknown.
"""

import os
import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from symindex.packages.ecosystems.poms import Dependency
from symindex.packages.ecosystems.properties import replace_bounded
from symindex.packages.found.package import LONGEST_VERSION
from symindex.packages.found.project import MOST_BYTES, Project, as_table

BUILD_FILES: Final = ("build.gradle", "build.gradle.kts")
LOCK_FILE: Final = "gradle.lockfile"
CATALOG: Final = "gradle/libs.versions.toml"

_WORD: Final = r"[\w.-]{1,200}"
_LOCKED: Final = re.compile(rf"^({_WORD}):({_WORD}):({_WORD})=", re.MULTILINE)
_COORDINATES: Final = re.compile(
    rf"""['"]({_WORD}):({_WORD})(?::([\w.+${{}}-]{{1,200}}))?(?::[\w.-]{{1,40}})?(?:@[\w.-]{{1,40}})?['"]"""
)
_VALUE: Final = re.compile(
    rf"""\b(\w{{1,100}})\s{{0,10}}=\s{{0,10}}['"]?({_WORD})['"]?[ \t]*$""", re.MULTILINE
)
_VARIABLE: Final = re.compile(r"\$\{?([\w.]{1,100})\}?")


def read_builds(project: Project) -> tuple[dict[Dependency, bool], bool]:
    """Returns the artifacts of all builds -> whether a build names them directly; and whether lock
    files exist, which then also list the transitive dependencies."""
    direct: dict[Dependency, None] = {}
    for dependency in chain(_coordinates(project), _catalog(project)):
        if project.is_over(len(direct)):
            break
        direct[dependency] = None
    keys = {dependency.key for dependency in direct}
    locked: dict[Dependency, None] = {}
    for folder in project.places(LOCK_FILE):
        for line in _LOCKED.finditer(project.text(os.path.join(folder, LOCK_FILE), MOST_BYTES)):
            if project.is_over(len(locked)):
                break
            locked[Dependency(line[1], line[2], line[3])] = None
    locked_keys = {dependency.key for dependency in locked}
    from_locks = {dependency: dependency.key in keys for dependency in locked}
    return from_locks | {
        dependency: True for dependency in direct if dependency.key not in locked_keys
    }, bool(locked)


def _coordinates(project: Project) -> Iterator[Dependency]:
    shared = project.text(project.place("gradle.properties"))
    for name in BUILD_FILES:
        for folder in project.places(name):
            text = project.text(os.path.join(folder, name))
            values = dict(_VALUE.findall(f"{shared}\n{text}"))
            for match in _COORDINATES.finditer(text):
                group, artifact, version = match.groups("")
                expanded = replace_bounded(
                    _VARIABLE,
                    version,
                    lambda name: values.get(name.rpartition(".")[2]),  # noqa: B023
                    LONGEST_VERSION,
                )
                if expanded is None:
                    path = project.relative(os.path.join(folder, name))
                    project.notify(
                        f"{path}: the version of {group}:{artifact} has more than {LONGEST_VERSION}"
                        " characters; left out"
                    )
                elif "." in group or expanded:
                    yield Dependency(group, artifact, "" if "$" in expanded else expanded)


def _catalog(project: Project) -> Iterator[Dependency]:
    table = project.read_toml(project.place(*CATALOG.split("/")))
    libraries, versions = as_table(table.get("libraries")), as_table(table.get("versions"))
    for entry in libraries.values():
        fields = as_table(entry)
        parts = (
            entry.split(":") if isinstance(entry, str) else str(fields.get("module", "")).split(":")
        )
        if len(parts) < 2:
            parts = [str(fields.get("group", "")), str(fields.get("name", ""))]
        version = parts[2] if len(parts) > 2 else fields.get("version", "")
        if isinstance(version, dict) and "ref" in version:
            version = versions.get(str(version["ref"]), "")
        if isinstance(version, dict):  # A rich version: take the strict, required or preferred one.
            version = next(
                (version[key] for key in ("strictly", "require", "prefer") if key in version), ""
            )
        yield Dependency(parts[0], parts[1], version if isinstance(version, str) else "")
