"""Gradle: which artifacts a build names, by its lock files, its catalog of versions, and the
coordinates in its build files.

A build file is a program, which is not run: what it computes is not known.
"""

import os
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from symindex.packages.ecosystems.poms import Dependency
from symindex.packages.ecosystems.properties import replace_bounded
from symindex.packages.found.names import LONGEST_VERSION
from symindex.packages.found.project import MOST_BYTES, Project

BUILD_FILES: Final = ("build.gradle", "build.gradle.kts")
LOCK_FILE: Final = "gradle.lockfile"
CATALOG: Final = "gradle/libs.versions.toml"

_WORD: Final = r"[\w.-]{1,200}"
_LOCKED: Final = re.compile(rf"^({_WORD}):({_WORD}):({_WORD})=", re.MULTILINE)
_COORDINATES: Final = re.compile(
    rf"""['"]({_WORD}):({_WORD})(?::([\w.+${{}}-]{{1,200}}))?(?:[@:][\w.-]{{1,40}})?['"]"""
)
_VALUE: Final = re.compile(
    rf"""\b(\w{{1,100}})\s{{0,10}}=\s{{0,10}}['"]?({_WORD})['"]?[ \t]*$""", re.MULTILINE
)
_VARIABLE: Final = re.compile(r"\$\{?([\w.]{1,100})\}?")


def read_builds(project: Project) -> tuple[dict[Dependency, bool], bool]:
    """What the builds name, with whether they name it themselves; and whether all of it is locked,
    so that what these need in turn stands there, too."""
    direct: dict[Dependency, None] = {}
    for dependency in chain(_coordinates(project), _catalog(project)):
        if project.is_over(len(direct)):
            break
        direct[dependency] = None
    keys = {each.key for each in direct}
    locked: dict[Dependency, None] = {}
    for folder in project.places(LOCK_FILE):
        for line in _LOCKED.finditer(project.text(os.path.join(folder, LOCK_FILE), MOST_BYTES)):
            if project.is_over(len(locked)):
                break
            locked[Dependency(line[1], line[2], line[3])] = None
    known = {each.key for each in locked}
    found = {each: each.key in keys for each in locked}
    return found | {each: True for each in direct if each.key not in known}, bool(locked)


def _coordinates(project: Project) -> Iterator[Dependency]:
    shared = project.text(project.place("gradle.properties"))
    for name in BUILD_FILES:
        for folder in project.places(name):
            text = project.text(os.path.join(folder, name))
            values = dict(_VALUE.findall(f"{shared}\n{text}"))
            for named in _COORDINATES.finditer(text):
                group, artifact, version = named.groups("")
                known = replace_bounded(
                    _VARIABLE,
                    version,
                    lambda name: values.get(name.rpartition(".")[2]),  # noqa: B023
                    LONGEST_VERSION,
                )
                if known is None:
                    path = project.relative(os.path.join(folder, name))
                    project.say(
                        f"{path}: the version of {group}:{artifact} has more than {LONGEST_VERSION}"
                        " characters; left out"
                    )
                elif "." in group or known:
                    yield Dependency(group, artifact, "" if "$" in known else known)


def _catalog(project: Project) -> Iterator[Dependency]:
    table = project.read_toml(project.place(*CATALOG.split("/")))
    libraries, versions = _table(table.get("libraries")), _table(table.get("versions"))
    for entry in libraries.values():
        said = _table(entry)
        parts = (
            entry.split(":") if isinstance(entry, str) else str(said.get("module", "")).split(":")
        )
        if len(parts) < 2:
            parts = [str(said.get("group", "")), str(said.get("name", ""))]
        version = parts[2] if len(parts) > 2 else said.get("version", "")
        if isinstance(version, dict) and "ref" in version:
            version = versions.get(str(version["ref"]), "")
        if isinstance(version, dict):  # a rich one: what is strictly asked for, or preferred
            version = next(
                (version[key] for key in ("strictly", "require", "prefer") if key in version), ""
            )
        yield Dependency(parts[0], parts[1], version if isinstance(version, str) else "")


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
