"""Projects with their ecosystems, as trees: `project/`, the user's `home/`, and the system's own
folder `system/`."""

from collections.abc import Mapping
from pathlib import Path

from symindex.packages.found.ecosystems import FoundPackages, find_in
from symindex.packages.found.package import Package
from symindex.packages.found.project import SECONDS, Project
from tests.support.files import write_files


def find(
    top: Path,
    files: Mapping[str, str | bytes],
    environment: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> FoundPackages:
    """Writes a tree and finds its packages. Its folder replaces `{top}` in texts and variables."""
    filled = {
        path: text.replace("{top}", str(top)) if isinstance(text, str) else text
        for path, text in files.items()
    }
    write_files(top, filled)
    for name in ("project", "home", "system"):
        (top / name).mkdir(exist_ok=True)
    variables = {
        key: value.replace("{top}", str(top)) for key, value in (environment or {}).items()
    }
    with Project(top / "project", variables, top / "home", top / "system", seconds) as project:
        return find_in(project)


def shown(top: Path, package: Package) -> str:
    """Describes a package on one line: label, `*` if direct, root and files, or `?` and the reason
    why it is missing."""
    place = "?" if package.root is None else str(package.root.relative_to(top))
    files = f" [{' '.join(package.files)}]" if package.files else ""
    return f"{package.label}{'*' if package.is_direct else ''} {place}{files}"


def all_shown(top: Path, listing: FoundPackages) -> list[str]:
    for package in listing.packages:
        assert (package.root is None) == bool(package.missing), package
        is_inside = package.root is not None and package.root.is_relative_to(top / "project")
        assert package.in_tree == is_inside, package
    return [shown(top, package) for package in listing.packages]
