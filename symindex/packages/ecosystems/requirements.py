"""Which distributions a Python project itself names, in whatever of the usual files it does so.

Only names are taken: which version is installed is what counts, and what is required of other
systems (`; sys_platform == ...`), or of those who ask for an extra, need not be installed here.
"""

import os
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from symindex.packages.found.project import Project

SIGNS: Final = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "requirements.txt",
    "uv.lock",
    "poetry.lock",
)

_NAME: Final = re.compile(
    r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?)\s*(?=$|[\[<>=!~;@(,#\s])"
)
_SEPARATORS: Final = re.compile(r"[-_.]+")
_REQUIREMENTS: Final = re.compile(r"requirements[\w.-]*\.(?:txt|in)", re.IGNORECASE)
_LOCKED: Final = re.compile(
    r'^\[\[package\]\]\nname = "([\w.-]{1,200})"\nversion = "([\w.+!-]{1,100})"', re.MULTILINE
)
_INCLUDE: Final = re.compile(r"\s*+(?:-r|--requirement)(?:\s++|=)?([^\s#]++)")
_MOST_FILES: Final = 20


class Required(NamedTuple):
    """names: what the project names. needed: what must be installed, with the file that says so.
    versions: what a lock file names. All by normal names."""

    names: frozenset[str]
    needed: dict[str, str]
    versions: dict[str, str]


def normal_name(name: str) -> str:
    """A distribution's name as the index of packages compares it."""
    return _SEPARATORS.sub("-", name).lower()


def read_required(project: Project) -> Required:
    """What the project's files name."""
    optional: set[str] = set()
    needed: dict[str, str] = {}
    for folder in project.places("pyproject.toml"):
        if project.is_over(len(optional)):
            break
        _read_pyproject(project, os.path.join(folder, "pyproject.toml"), needed, optional)
    paths = _requirement_files(project)
    for path in paths:
        if project.is_over(len(optional)):
            break
        lines = project.text(path).splitlines()
        _say_unread(project, path, lines, paths)
        _add(
            [line for line in lines if not line.lstrip().startswith(("#", "-"))],
            project.relative(path),
            needed,
            optional,
        )
    for folder in project.places("setup.cfg"):
        if project.is_over(len(optional)):
            break
        text = project.text(os.path.join(folder, "setup.cfg"))
        block = re.search(
            r"^install_requires[ \t]*=((?:[^\n]*\n[ \t]+)*[^\n]*)", text, re.MULTILINE
        )
        _add(block[1].splitlines() if block else [], "setup.cfg", needed, optional)
    for folder in project.places("Pipfile"):
        if project.is_over(len(optional)):
            break
        table = project.read_toml(os.path.join(folder, "Pipfile"))
        _add(_keys(table.get("packages")), "Pipfile", needed, optional)
        optional |= {normal_name(name) for name in _keys(table.get("dev-packages"))}
    versions: dict[str, str] = {}
    for name in ("uv.lock", "poetry.lock"):
        text = project.text(project.place(name), 8_000_000)
        versions |= {normal_name(found[1]): found[2] for found in _LOCKED.finditer(text)}
    return Required(frozenset(optional | needed.keys()), needed, versions)


def _requirement_files(project: Project) -> list[str]:
    found = []
    for folder, names in project.names_around().items():
        is_theirs = os.path.basename(folder) == "requirements" and folder != project.root
        for name in sorted(names):
            if _REQUIREMENTS.fullmatch(name) or (is_theirs and name.endswith((".txt", ".in"))):
                found.append(os.path.join(folder, name))
    if len(found) > _MOST_FILES:
        project.say_limit(f"only the first {_MOST_FILES} files of requirements are read")
    return found[:_MOST_FILES]


def _say_unread(project: Project, path: str, lines: Iterable[str], read: Iterable[str]) -> None:
    """Names the first file that one of requirements includes (`-r`), and that is not read for its
    own name. None is followed."""
    for line in lines:
        include = _INCLUDE.match(line[:1_000])
        if (
            include
            and os.path.normpath(os.path.join(os.path.dirname(path), include[1])) not in read
        ):
            what = f"{project.relative(path)}: {include[1][:100]!r}"
            project.say(
                f"{what} is not read: only files named requirements*.txt, and those in a folder"
                " requirements"
            )
            return


def _read_pyproject(
    project: Project, path: str, needed: dict[str, str], optional: set[str]
) -> None:
    table, source = project.read_toml(path), project.relative(path)
    own = _table(table.get("project"))
    _add(_texts(own.get("dependencies")), source, needed, optional)
    poetry = _table(_table(table.get("tool")).get("poetry"))
    _add(
        [name for name in _keys(poetry.get("dependencies")) if name != "python"],
        source,
        needed,
        optional,
    )
    groups = [
        *_table(own.get("optional-dependencies")).values(),
        *_table(table.get("dependency-groups")).values(),
    ]
    for group in groups:
        _add(_texts(group), source, {}, optional)
    for group in _table(poetry.get("group")).values():
        optional |= {normal_name(name) for name in _keys(_table(group).get("dependencies"))}
    optional |= {normal_name(name) for name in _keys(poetry.get("dev-dependencies"))}


def _add(lines: Iterable[str], source: str, needed: dict[str, str], optional: set[str]) -> None:
    for line in lines:
        found = _NAME.match(line[:1_000])
        if found is None:
            continue
        name = normal_name(found[1])
        optional.add(name)
        if ";" not in line:
            needed.setdefault(name, source)


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _keys(value: Any) -> list[str]:
    return list(_table(value))


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
