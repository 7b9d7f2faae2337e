"""Finds the packages that a project depends on, by asking each ecosystem for the installed ones.

Nothing is run, and nothing is written. An ecosystem that the project does not use costs one lookup
of a file name.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import SymindexError
from symindex.packages.ecosystems.c_headers import find as find_headers
from symindex.packages.ecosystems.cargo import find as find_in_cargo
from symindex.packages.ecosystems.composer import find as find_in_vendor
from symindex.packages.ecosystems.go import find as find_in_module_cache
from symindex.packages.ecosystems.jvm import find as find_in_repositories
from symindex.packages.ecosystems.node import find as find_in_node_modules
from symindex.packages.ecosystems.python import find as find_distributions_of_environment
from symindex.packages.ecosystems.ruby import find as find_gems
from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_PACKAGES, Project

ECOSYSTEMS: Final[Mapping[str, Callable[[Project], Iterator[Package]]]] = {
    "Python": find_distributions_of_environment,
    "npm": find_in_node_modules,
    "Go": find_in_module_cache,
    "Cargo": find_in_cargo,
    "Maven and Gradle": find_in_repositories,
    "RubyGems": find_gems,
    "Composer": find_in_vendor,
    "the C compiler": find_headers,
}
"""Name of an ecosystem in messages -> its search."""


class FoundPackages(NamedTuple):
    """The packages of a project.

    packages: by ecosystem; in each the direct ones first, then by name and version. notices: which
    environment was chosen and why, and broken files, with the remedy.
    """

    packages: list[Package]
    notices: list[str]


def find_packages(
    root: Path, environment: Mapping[str, str] = os.environ, home: Path | None = None
) -> FoundPackages:
    """Returns the packages of the project in a folder. Never raises because of the project's
    contents.

    environment: the variables of the user's shell. home: the user's folder, which contains the
    caches.
    """
    with Project(root, environment, home) as project:
        return find_in(project)


def find_in(project: Project) -> FoundPackages:
    """Returns the packages of an open project, as `find_packages` does."""
    packages: dict[Package, None] = {}
    for name, find in ECOSYSTEMS.items():
        project.begin(name)
        try:
            for n_packages, package in enumerate(find(project)):
                if n_packages == MOST_PACKAGES:
                    project.notify_limit(f"only {MOST_PACKAGES:,} packages are listed")
                    break
                packages[package] = None
        except (OSError, ValueError, RecursionError, SymindexError) as error:
            project.notify(f"{name}: packages could not be listed: {error}")
    return FoundPackages(sorted(packages, key=_order), project.notices)


def _order(package: Package) -> tuple[str, bool, str, str, str]:
    return (
        package.ecosystem,
        not package.is_direct,
        package.name,
        package.version,
        str(package.root),
    )
