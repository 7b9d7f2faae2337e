"""Python: the project's virtual environment, its distributions, and the standard library that it
uses. No interpreter is run.

The user's own choice comes first (`VIRTUAL_ENV`), then an environment in the project's folder, then
conda's.
"""

import os
import re
import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

from symindex.packages.ecosystems.distributions import find_distributions
from symindex.packages.ecosystems.requirements import SIGNS, read_requirements
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
"""Files in the standard library of every Python."""


class VirtualEnvironment(NamedTuple):
    """A virtual environment. folder: its real path, or a path in the project. why: the reason for
    choosing it. home: the folder of the Python that it was made from. packages: its `site-packages`
    folders."""

    folder: str
    why: str
    version: str
    home: str
    packages: tuple[str, ...]


def find(project: Project) -> Iterator[Package]:
    """Yields the distributions of the environment, and the standard library."""
    required = read_requirements(project)
    has_sources = any(name.endswith(".py") for name in project.names_around().get(project.root, ()))
    environment = _choose(
        project, has_sources or bool(required.names) or any(project.places(sign) for sign in SIGNS)
    )
    if environment is None:
        return
    shown = project.relative(environment.folder)
    project.notify(f"Python packages are those of {shown} ({environment.why})")
    if not environment.packages:
        project.notify(f"{shown}: it has no site-packages: recreate it")
    yield from find_distributions(project, environment.packages, required)
    library = _find_library(project, environment)
    if library is not None:
        yield library


def _choose(project: Project, is_wanted: bool) -> VirtualEnvironment | None:
    """Chooses the environment. is_wanted: whether the project seems to use Python. Conda's
    environment is active in every shell of its users, so it is no sign of Python by itself."""
    active = project.environment.get("VIRTUAL_ENV", "")
    if active:
        folder = project.variable("VIRTUAL_ENV")
        if folder and project.is_file(os.path.join(folder, _CONFIGURATION)):
            return _read(project, folder, "VIRTUAL_ENV")
        project.notify(
            f"VIRTUAL_ENV names {active}, which is not a virtual environment: unset it, or"
            " recreate it"
        )
    for folder in _candidates(project):
        return _read(project, folder, "in the project's folder")
    conda = project.variable("CONDA_PREFIX") if is_wanted else ""
    if conda and project.is_folder(os.path.join(conda, "conda-meta")):
        return _read(project, conda, "CONDA_PREFIX")
    if is_wanted:
        project.notify(
            "no virtual environment was found: activate one, or make one with `python -m venv"
            " .venv`"
        )
    return None


def _candidates(project: Project) -> Iterator[str]:
    """Yields the environments in the project's folder, those with common names first."""
    entries = {entry.name: entry for entry in project.entries(project.root)}
    for name in [*_IN_TREE, *sorted(entries.keys() - set(_IN_TREE))]:
        entry = entries.get(name)
        if entry is None:
            continue
        folder = project.place(name)
        if entry.is_folder and project.is_file(os.path.join(folder, _CONFIGURATION)):
            yield folder
        elif entry.is_link and name in _IN_TREE and not project.is_in_tree(folder):
            project.notify(
                f"{name}: a link that leads out of the project: activate the environment to have it"
                " read"
            )


def _read(project: Project, folder: str, why: str) -> VirtualEnvironment:
    """Reads the configuration of an environment, as far as it is valid."""
    fields: dict[str, str] = {}
    for line in project.text(os.path.join(folder, _CONFIGURATION), 100_000).splitlines():
        key, sign, value = line.partition("=")
        if sign:
            fields.setdefault(key.strip().lower(), value.strip())
    if fields.get("include-system-site-packages", "").lower() == "true":
        project.notify(
            f"{project.relative(folder)}: it includes the system's packages, which are not listed"
        )
    version = _VERSION.match(fields.get("version", "") or fields.get("version_info", ""))
    home = fields.get("home", "")
    if not fields:  # Conda's environment has no configuration, and is an installation itself.
        home = os.path.join(folder, "bin") if os.name != "nt" else folder
    full_version = version[0] if version else ""
    return VirtualEnvironment(
        folder,
        why,
        full_version,
        home,
        tuple(_site_packages(project, folder, version[1] if version else "")),
    )


def _site_packages(project: Project, folder: str, minor: str) -> Iterator[str]:
    """Yields the `site-packages` folders. If Python was upgraded there may be several, and the one
    that fits the environment's version is used."""
    folders = []
    for base in ("lib", "lib64"):
        inner = os.path.join(folder, base)
        if not project.is_folder(inner):  # `lib64` is usually a link to `lib`.
            continue
        names = [
            folder_path.name
            for folder_path in project.entries(inner)
            if folder_path.is_folder and _LIBRARY_NAME.fullmatch(folder_path.name)
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
            folders.append(os.path.join(inner, name, "site-packages"))
    folders.append(os.path.join(folder, "Lib", "site-packages"))
    seen = set()
    for folder_path in filter(project.is_folder, folders):
        real = os.path.realpath(folder_path)
        if real not in seen:
            seen.add(real)
            yield folder_path


def _find_library(project: Project, environment: VirtualEnvironment) -> Package | None:
    """Returns the standard library. The configured home counts only if it contains a Python:
    otherwise a stranger's file could make us read any folder of the user."""
    source = os.path.join(environment.folder, _CONFIGURATION)
    home = environment.home
    remedy = "recreate the environment with an installed Python"
    match = _VERSION.match(environment.version)
    minor = match[1] if match else ""
    if not os.path.isabs(home) or "\0" in home:
        project.notify(
            f"{project.relative(source)}: names no home of Python, so the standard library is not"
            f" listed: {remedy}"
        )
        return None
    for library in _libraries(project, os.path.realpath(home), minor):
        if all(project.is_file(os.path.join(library, *name.split("/"))) for name in _REAL):
            files = tuple(name for name in project.all_but(library, _TESTS) if _is_of_library(name))
            # Compiled modules have no file here, but their names belong to the library, too.
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
    """Yields the folders where the standard library may be for a Python whose programs are in
    `home`: on POSIX, in a framework of macOS, on Windows."""
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
                    for n in (entry.name for entry in project.entries(inner))
                    if _LIBRARY_NAME.fullmatch(n)
                ]
            for name in names:
                if project.is_folder(os.path.join(inner, name)):
                    yield os.path.join(inner, name)
    if project.is_file(os.path.join(home, "python.exe")):
        yield os.path.join(home, "Lib")


def _is_of_library(path: str) -> bool:
    """Whether an entry is a module or a package. Installed distributions and build files have other
    names."""
    return path.endswith((".py", ".pyi")) or (
        "/" in path or (path.isidentifier() and path != "__pycache__")
    )


def _exact_version(project: Project, library: str, configured: str, minor: str) -> str:
    """Returns the version in the installation's C headers if they are installed, else the version
    with which the environment was made: a patch of the installation does not update the
    environment."""
    name = os.path.basename(library)
    headers = os.path.join(
        os.path.dirname(os.path.dirname(library)), "include", name, "patchlevel.h"
    )
    match = _PATCH_LEVEL.search(project.text(headers, 100_000))
    return (
        match[1]
        if match and match[1].startswith(minor)
        else configured or re.sub("^[a-z]+|t$", "", name)
    )
