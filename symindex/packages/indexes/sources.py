"""Finds the source of a package: in its folder, or unpacked from its archive.

    packages/unpacked/<location>/     the content of an archive, by the archive's location

An archive is unpacked when its package is indexed, and stays unpacked because answers show code.
Unpacked archives are not shared by content: one place must not decide what is shown for another.
"""

import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from symindex.errors import ArchiveError
from symindex.packages.found.archives import unpack
from symindex.packages.found.package import Package
from symindex.packages.indexes.content_key import location_of
from symindex.packages.indexes.locations import Locations, marks_of
from symindex.packages.indexes.package_store import PackageStore

UNPACKED: Final = "unpacked"

MOST_BYTES: Final = 6_000_000_000
"""Most bytes that one build unpacks, all archives together; the last archive may exceed it. The
sources of a JDK have 250,000,000, those of most libraries less than 5,000,000."""

MOST_SECONDS: Final = 900.0
"""Most seconds, by the clock, that one build may spend on unpacking."""


def source_root(package: Package, store: PackageStore) -> Path | None:
    """Returns the folder that the paths of a package's index are relative to, or `None` if it is
    not installed."""
    if package.root is None or not os.path.isfile(package.root):
        return package.root
    return store.top / f"{UNPACKED}/{location_of(package).hex()}"


@dataclass(slots=True)
class UnpackBudget:
    """What is left for the archives that one build unpacks, in bytes on the disk and in seconds."""

    n_bytes: int = MOST_BYTES
    seconds: float = MOST_SECONDS

    def unpack(self, archive: Path, into: Path) -> None:
        """Unpacks an archive. Raises as `archives.unpack` does, and ArchiveError once the budget is
        spent."""
        if self.n_bytes <= 0 or self.seconds <= 0:
            bounds = f"{MOST_BYTES:,} bytes, in {MOST_SECONDS:,.0f} seconds"
            raise ArchiveError(
                f"{archive}: not unpacked: one build unpacks up to {bounds}; build again"
            )
        began = time.monotonic()
        try:
            self.n_bytes -= unpack(archive, into).n_bytes
        finally:
            self.seconds -= time.monotonic() - began


def unpack_source(
    package: Package, store: PackageStore, locations: Locations, budget: UnpackBudget
) -> Package:
    """Returns the package with a folder as its root; unpacks an archive that is new or has changed.
    Raises ArchiveError and StorageError. Call it while building."""
    root = source_root(package, store)
    if root is None or root == package.root:
        return package
    assert package.root is not None
    location = locations.find(package)
    if location is None or location.marks != marks_of(package):
        shutil.rmtree(root, ignore_errors=True)
    if not root.is_dir():
        budget.unpack(package.root, root)
    return package._replace(root=root)


def remove_unknown(store: PackageStore, locations: Locations) -> None:
    """Deletes unpacked archives whose locations have no record any more."""
    with suppress(OSError):
        for name in os.listdir(store.top / UNPACKED):
            if not locations.knows(name):
                shutil.rmtree(store.top / f"{UNPACKED}/{name}", ignore_errors=True)
