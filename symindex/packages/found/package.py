"""A package that a project depends on, at the version that is installed."""

from pathlib import Path
from typing import NamedTuple


class Package(NamedTuple):
    """ecosystem: `pypi`, `python` (the standard library), `npm`, `go`, `cargo`, `rust`, `maven`,
    `jdk`, `gem`, `composer`, `c`. version: as its metadata or the lock file names it. root: the
    folder that its paths are relative to, or an archive of its sources; `None` where it is not
    installed. files: the only files and folders of the root that belong to it; empty: all. modules:
    the names that code knows it by (`httpx`, `@scope/name`, `golang.org/x/net`). is_direct: whether
    the project itself names it. in_tree: whether the root lies in the project's own folder, which
    its author may have filled. missing: why there is nothing to index, with the remedy; empty where
    there is.
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
        """How answers name it: `pypi:httpx@0.27.0`."""
        return f"{self.ecosystem}:{self.name}@{self.version}"
