"""C and C++: the headers of the compiler's search path, for projects with code in these
languages."""

import os
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from symindex.packages.found.package import Package
from symindex.packages.found.project import Project
from symindex.text.versions import version_key

_SIGNS: Final = frozenset(
    {"CMakeLists.txt", "configure", "configure.ac", "meson.build", "compile_commands.json"}
)
_ENDINGS: Final = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh")
_FOLDERS: Final = ("", "src", "include", "lib")
"""Folders that are searched for the project's own code. A Makefile says nothing: projects of all
languages have one."""

_VARIABLES: Final = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")

ECOSYSTEM: Final = "c"
_GLIBC: Final = re.compile(r"^#define\s+__GLIBC(_MINOR)?__\s+(\d{1,5})", re.MULTILINE)


def find(project: Project) -> Iterator[Package]:
    """Yields all headers as one package. Its root is that of the system, its files are the folders
    of the search path."""
    if os.name == "nt" or not _has_code(project):
        return
    compiler, version = _newest_compiler(project)
    places = [
        os.path.join(project.system, "usr/local/include"),
        os.path.join(project.system, "usr/include"),
        compiler,
    ]
    places.append(
        os.path.join(
            project.system, "Library/Developer/CommandLineTools/SDKs/MacOSX.sdk/usr/include"
        )
    )
    for variable in _VARIABLES:
        places += project.environment.get(variable, "").split(os.pathsep)
    system = os.path.realpath(project.system)
    folders = []
    for place in places:
        real = os.path.realpath(place) if os.path.isabs(place) and "\0" not in place else ""
        if real in ("", system) or not project.is_folder(real) or project.is_inside(real):
            continue
        if PurePosixPath(real).is_relative_to(system):
            folders.append(PurePosixPath(real).relative_to(system).as_posix())
    outermost = {
        folder
        for folder in folders
        if not any(str(above) in folders for above in PurePosixPath(folder).parents)
    }
    missing = (
        ""
        if outermost
        else "no headers were found: install a compiler and the headers of the C library"
    )
    if not version:
        features = project.text(os.path.join(project.system, "usr/include/features.h"))
        numbers = {bool(minor): number for minor, number in _GLIBC.findall(features)}
        version = f"glibc-{numbers[False]}.{numbers[True]}" if len(numbers) == 2 else "system"
    package = project.package(
        ECOSYSTEM,
        "include",
        version,
        system,
        source=project.root,
        files=tuple(sorted(outermost)),
        is_direct=True,
        missing=missing,
    )
    if package is not None:
        yield package


def _has_code(project: Project) -> bool:
    around = project.names_around()
    names = [
        around.get(os.path.join(project.root, folder).rstrip(os.sep), frozenset())
        for folder in _FOLDERS
    ]
    return not _SIGNS.isdisjoint(names[0]) or any(
        name.endswith(_ENDINGS) for names_of_folder in names for name in names_of_folder
    )


def _newest_compiler(project: Project) -> tuple[str, str]:
    """Returns the folder of GCC's own headers and its version, both empty if there is none."""
    compilers = []
    base = os.path.join(project.system, "usr/lib/gcc")
    for target in project.entries(base):
        for entry in project.entries(os.path.join(base, target.name)):
            place = os.path.join(base, target.name, entry.name, "include")
            if re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){0,2}", entry.name) and project.is_folder(place):
                compilers.append((version_key(entry.name), place, entry.name))
    _, place, version = max(compilers, default=([], "", ""))
    return place, version
