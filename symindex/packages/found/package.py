"""A package that a project depends on, at its installed version; which names and versions one can
have.

Names and versions may come from a stranger's files, and both become parts of paths. Each ecosystem
has rules of its own; ours are wider, but allow nothing that leads elsewhere, breaks a line or is
endless.
"""

import re
from pathlib import Path
from typing import Final, NamedTuple

from symindex.text.escaping import shorten

LONGEST_NAME: Final = 300
LONGEST_VERSION: Final = 128

_PART: Final = r"[A-Za-z0-9_~!'()*-][A-Za-z0-9._~!'()*+-]*"

_SHAPES: Final = {
    "pypi": r"[A-Za-z0-9][A-Za-z0-9._-]*",
    "npm": rf"(?:@{_PART}/)?{_PART}",
    "go": rf"{_PART}(?:/{_PART})*",
    "composer": rf"{_PART}/{_PART}",
    "maven": rf"{_PART}:{_PART}",
}

_NAMES: Final = {ecosystem: re.compile(shape, re.ASCII) for ecosystem, shape in _SHAPES.items()}
_PLAIN: Final = re.compile(_PART, re.ASCII)
_VERSION: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+~!@:-]*", re.ASCII)

_LONGEST_SHOWN: Final = 60


class Package(NamedTuple):
    """A package that a project depends on.

    ecosystem: `pypi`, `python` (the standard library), `npm`, `go`, `cargo`, `rust`, `maven`,
    `jdk`, `gem`, `composer`, `c`. version: from its metadata or the lock file. root: the folder
    that its paths are relative to, or an archive of its sources; `None` if it is not installed.
    files: the only files and folders of the root that belong to it; empty for all. modules: the
    names that code uses for it (`httpx`, `@scope/name`, `golang.org/x/net`). is_direct: whether the
    project itself names it. in_tree: whether the root is in the project's own folder, which its
    author may have filled. missing: why there is nothing to index, with the remedy; else empty.
    """

    ecosystem: str
    name: str
    version: str
    root: Path | None
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    is_direct: bool = False
    in_tree: bool = False
    missing: str = ""

    @property
    def label(self) -> str:
        """The package as answers name it: `pypi:httpx@0.27.0`."""
        return f"{self.ecosystem}:{self.name}@{self.version}"


def fault_of(ecosystem: str, name: str, version: str) -> str:
    """Returns what is wrong with a name and a version, for a message, or an empty text. The version
    may be unknown, and is empty then."""
    if (
        len(name) > LONGEST_NAME
        or ".." in name
        or _NAMES.get(ecosystem, _PLAIN).fullmatch(name) is None
    ):
        return f"{shorten(name, _LONGEST_SHOWN)!r} is not a name of a package"
    if version and (
        len(version) > LONGEST_VERSION or ".." in version or _VERSION.fullmatch(version) is None
    ):
        return (
            f"{shorten(version, _LONGEST_SHOWN)!r} is not a version (of"
            f" {shorten(name, _LONGEST_SHOWN)})"
        )
    return ""
