"""Python: the virtual environment of a project, its distributions, and the standard library it
stands on. No interpreter is run.

The user's own choice comes first (`VIRTUAL_ENV`), then an environment in the project's folder, then
conda's.
"""

import os
import re
import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

from symindex.packages.ecosystems.distributions import find_distributions
from symindex.packages.ecosystems.requirements import SIGNS, read_required
from symindex.packages.found.package import Package
from symindex.packages.found.project import Project
from symindex.text.versions import version_key

_IN_TREE: Final = (".venv", "venv", "env")

_CONFIGURATION: Final = "pyvenv.cfg"

_TESTS: Final = (
    "test",
    "idlelib/idle_test",
    "unittest/test",
    "tkinter/test",
    "ctypes/test",
    "distutils/tests",
    "lib2to3/tests",
    "sqlite3/test",
)
"""Tests in the standard library, which no program imports."""

_VERSION: Final = re.compile(r"(\d{1,2}\.\d{1,3})(?:\.\d{1,3})?")
_PATCH_LEVEL: Final = re.compile(r'^#define\s+PY_VERSION\s+"(\d+\.\d+[\w.+]{0,20})"', re.MULTILINE)
_LIBRARY_NAME: Final = re.compile(r"(?:python|pypy)\d{1,2}\.\d{1,3}t?")

_REAL: Final = ("os.py", "site.py", "encodings/__init__.py", "collections/__init__.py")
"""Files that the library of every Python has."""


class Environment(NamedTuple):
    """A virtual environment. folder: real, or below the project. why: why it was taken. library:
    the folder of the standard library where it has one of its own, as conda's do. packages: its
    `site-packages`."""

    folder: str
    why: str
    version: str
    home: str
    packages: tuple[str, ...]


def find(project: Project) -> Iterator[Package]:
    """The distributions of the environment, and the standard library."""
    required = read_required(project)
    has_sources = any(name.endswith(".py") for name in project.names_around().get(project.root, ()))
    environment = _choose(
        project, has_sources or bool(required.names) or any(project.places(sign) for sign in SIGNS)
    )
    if environment is None:
        return
    shown = project.relative(environment.folder)
    project.say(f"packages of Python are those of {shown} ({environment.why})")
    if not environment.packages:
        project.say(f"{shown}: no site-packages in it: make it anew")
    yield from find_distributions(project, environment.packages, required)
    library = _find_library(project, environment)
    if library is not None:
        yield library


def _choose(project: Project, is_wanted: bool) -> Environment | None:
    """is_wanted: whether anything says that the project is in Python. Conda's environment is active
    in every shell of its users, so it alone says nothing."""
    active = project.environment.get("VIRTUAL_ENV", "")
    if active:
        folder = project.variable("VIRTUAL_ENV")
        if folder and project.is_file(os.path.join(folder, _CONFIGURATION)):
            return _read(project, folder, "VIRTUAL_ENV")
        project.say(
            f"VIRTUAL_ENV names {active}, which is no virtual environment: unset it, or make it"
            " anew"
        )
    for folder in _candidates(project):
        return _read(project, folder, "in the project's folder")
    conda = project.variable("CONDA_PREFIX") if is_wanted else ""
    if conda and project.is_folder(os.path.join(conda, "conda-meta")):
        return _read(project, conda, "CONDA_PREFIX")
    if is_wanted:
        project.say(
            "no virtual environment was found: activate one, or make one with `python -m venv"
            " .venv`"
        )
    return None


def _candidates(project: Project) -> Iterator[str]:
    """The environments in the project's folder, those of usual names first."""
    entries = {each.name: each for each in project.entries(project.root)}
    for name in [*_IN_TREE, *sorted(entries.keys() - set(_IN_TREE))]:
        entry = entries.get(name)
        if entry is None:
            continue
        folder = project.place(name)
        if entry.is_folder and project.is_file(os.path.join(folder, _CONFIGURATION)):
            yield folder
        elif entry.is_link and name in _IN_TREE and not project.is_in_tree(folder):
            project.say(
                f"{name}: a link that leads out of the project: activate the environment to have it"
                " read"
            )


def _read(project: Project, folder: str, why: str) -> Environment:
    """What the configuration of an environment says, as far as it is sound."""
    said: dict[str, str] = {}
    for line in project.text(os.path.join(folder, _CONFIGURATION), 100_000).splitlines():
        key, sign, value = line.partition("=")
        if sign:
            said.setdefault(key.strip().lower(), value.strip())
    if said.get("include-system-site-packages", "").lower() == "true":
        project.say(
            f"{project.relative(folder)}: it lets the system's packages in, which are not listed"
        )
    version = _VERSION.match(said.get("version", "") or said.get("version_info", ""))
    home = said.get("home", "")
    if not said:  # conda's has no configuration, and is an installation itself
        home = os.path.join(folder, "bin") if os.name != "nt" else folder
    found = version[0] if version else ""
    return Environment(
        folder,
        why,
        found,
        home,
        tuple(_site_packages(project, folder, version[1] if version else "")),
    )


def _site_packages(project: Project, folder: str, minor: str) -> Iterator[str]:
    """The folders of the packages. After a change of Python there may be several: then that of its
    version is taken."""
    found = []
    for base in ("lib", "lib64"):
        inner = os.path.join(folder, base)
        if not project.is_folder(inner):  # `lib64` is mostly a link to `lib`
            continue
        names = [
            each.name
            for each in project.entries(inner)
            if each.is_folder and _LIBRARY_NAME.fullmatch(each.name)
        ]
        fitting = (
            [
                name
                for name in names
                if name.rstrip("t").endswith((f"python{minor}", f"pypy{minor}"))
            ]
            if minor
            else []
        )
        for name in fitting or sorted(names, key=version_key)[-1:]:
            found.append(os.path.join(inner, name, "site-packages"))
    found.append(os.path.join(folder, "Lib", "site-packages"))
    seen = set()
    for each in filter(project.is_folder, found):
        real = os.path.realpath(each)
        if real not in seen:
            seen.add(real)
            yield each


def _find_library(project: Project, environment: Environment) -> Package | None:
    """The standard library. What the configuration calls the home of Python counts only if a Python
    is really there: else a stranger's file would have us read any folder of the user's."""
    source = os.path.join(environment.folder, _CONFIGURATION)
    what, home = "the standard library", environment.home
    remedy = "make the environment anew with a Python that is installed"
    match = _VERSION.match(environment.version)
    minor = match[1] if match else ""
    if not os.path.isabs(home) or "\0" in home:
        project.say(
            f"{project.relative(source)}: names no home of Python, so {what} is not listed:"
            f" {remedy}"
        )
        return None
    for library in _libraries(project, os.path.realpath(home), minor):
        if all(project.is_file(os.path.join(library, *name.split("/"))) for name in _REAL):
            files = tuple(name for name in project.all_but(library, _TESTS) if _is_of_library(name))
            # What is compiled has no file here, but its name is none of another package's.
            modules = {
                name.split("/")[0].removesuffix(".py") for name in files
            } | sys.stdlib_module_names
            exact = _exact_version(project, library, environment.version, minor)
            return project.package(
                "python",
                "stdlib",
                exact,
                library,
                source=source,
                files=files,
                modules=tuple(modules),
                is_direct=True,
            )
    missing = f"no Python at {home}, the home that {project.relative(source)} names: {remedy}"
    return project.package(
        "python",
        "stdlib",
        environment.version,
        None,
        source=source,
        is_direct=True,
        missing=missing,
    )


def _libraries(project: Project, home: str, minor: str) -> Iterator[str]:
    """Where the standard library can be of a Python whose programs are in `home`: on POSIX, in a
    framework of macOS, on Windows."""
    above = os.path.dirname(home)
    prefixes = [above]
    if minor:
        prefixes.append(os.path.join(above, "Frameworks", "Python.framework", "Versions", minor))
    for prefix in prefixes:
        for base in ("lib", "lib64"):
            inner = os.path.join(prefix, base)
            if minor:
                names = [f"python{minor}", f"python{minor}t", f"pypy{minor}"]
            else:
                names = [
                    n
                    for n in (each.name for each in project.entries(inner))
                    if _LIBRARY_NAME.fullmatch(n)
                ]
            for name in names:
                if project.is_folder(os.path.join(inner, name)):
                    yield os.path.join(inner, name)
    if project.is_file(os.path.join(home, "python.exe")):
        yield os.path.join(home, "Lib")


def _is_of_library(path: str) -> bool:
    """Whether an entry is a module or a package. What is installed, and what belongs to the build,
    has other names."""
    return path.endswith((".py", ".pyi")) or (
        "/" in path or (path.isidentifier() and path != "__pycache__")
    )


def _exact_version(project: Project, library: str, said: str, minor: str) -> str:
    """The version that the installation itself names in its C headers, where they are installed;
    else what the environment was made with. A patch of the installation does not change the
    environment's word."""
    name = os.path.basename(library)
    headers = os.path.join(
        os.path.dirname(os.path.dirname(library)), "include", name, "patchlevel.h"
    )
    found = _PATCH_LEVEL.search(project.text(headers, 100_000))
    return (
        found[1] if found and found[1].startswith(minor) else said or re.sub("^[a-z]+|t$", "", name)
    )
