"""Reads which distributions a Python project itself names, in any of the usual files.

Only names count, because the installed version is what matters. Requirements for other systems
(`; sys_platform == ...`) and extras need not be installed here.
"""

import os
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from symindex.packages.found.project import Project, as_table

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


class Requirements(NamedTuple):
    """The distributions that a project names, by normalized names. names: all of them. needed:
    those that must be installed -> the file that says so. versions: versions from lock files."""

    names: frozenset[str]
    needed: dict[str, str]
    versions: dict[str, str]


def normal_name(name: str) -> str:
    """Returns a distribution's name in the normalized form that package indexes compare."""
    return _SEPARATORS.sub("-", name).lower()


def read_requirements(project: Project) -> Requirements:
    """Reads the requirements from all of the project's files."""
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
        versions |= {normal_name(match[1]): match[2] for match in _LOCKED.finditer(text)}
    return Requirements(frozenset(optional | needed.keys()), needed, versions)


def _requirement_files(project: Project) -> list[str]:
    paths = []
    for folder, names in project.names_around().items():
        is_theirs = os.path.basename(folder) == "requirements" and folder != project.root
        for name in sorted(names):
            if _REQUIREMENTS.fullmatch(name) or (is_theirs and name.endswith((".txt", ".in"))):
                paths.append(os.path.join(folder, name))
    if len(paths) > _MOST_FILES:
        project.notify_limit(f"only the first {_MOST_FILES} requirements files are read")
    return paths[:_MOST_FILES]


def _say_unread(project: Project, path: str, lines: Iterable[str], read: Iterable[str]) -> None:
    """Adds a notice about the first file that a requirements file includes (`-r`) and that is not
    read by its own name. Includes are not followed."""
    for line in lines:
        include = _INCLUDE.match(line)
        if (
            include
            and os.path.normpath(os.path.join(os.path.dirname(path), include[1])) not in read
        ):
            included = f"{project.relative(path)}: {include[1][:100]!r}"
            project.notify(
                f"{included} is not read: only files named requirements*.txt, and those in a folder"
                " requirements"
            )
            return


def _read_pyproject(
    project: Project, path: str, needed: dict[str, str], optional: set[str]
) -> None:
    table, source = project.read_toml(path), project.relative(path)
    project_table = as_table(table.get("project"))
    _add(_texts(project_table.get("dependencies")), source, needed, optional)
    poetry = as_table(as_table(table.get("tool")).get("poetry"))
    _add(
        [name for name in _keys(poetry.get("dependencies")) if name != "python"],
        source,
        needed,
        optional,
    )
    groups = [
        *as_table(project_table.get("optional-dependencies")).values(),
        *as_table(table.get("dependency-groups")).values(),
    ]
    for group in groups:
        _add(_texts(group), source, {}, optional)
    for group in as_table(poetry.get("group")).values():
        optional |= {normal_name(name) for name in _keys(as_table(group).get("dependencies"))}
    optional |= {normal_name(name) for name in _keys(poetry.get("dev-dependencies"))}


def _add(lines: Iterable[str], source: str, needed: dict[str, str], optional: set[str]) -> None:
    for line in lines:
        match = _NAME.match(line[:1_000])
        if match is None:
            continue
        name = normal_name(match[1])
        optional.add(name)
        if ";" not in line:
            needed.setdefault(name, source)


def _keys(value: Any) -> list[str]:
    return list(as_table(value))


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
