"""Where the source of a package stands: in its folder, or unpacked from its archive.

    packages/unpacked/<location>/     the content of an archive, by where that lies

An archive is unpacked when its package is indexed, and stays so, because answers show code. It is not shared by its content: what
one place holds must not decide what is shown of another.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.files.dependencies.archives import unpack
from symindex.files.dependencies.package import Package
from symindex.index.packages.content_key import location_of
from symindex.index.packages.locations import Locations, marks_of
from symindex.index.packages.package_store import PackageStore

UNPACKED: Final = "unpacked"


def source_root(package: Package, store: PackageStore) -> Path | None:
    """The folder that the paths of a package's index are relative to; `None` where it is not installed."""
    if package.root is None or not os.path.isfile(package.root):
        return package.root
    return store.top / f"{UNPACKED}/{location_of(package).hex()}"


def unpack_source(package: Package, store: PackageStore, locations: Locations) -> Package:
    """The same package with a folder as its root; an archive that has changed is unpacked anew. Raises ArchiveError,
    StorageError. To be called while building."""
    root = source_root(package, store)
    if root is None or root == package.root:
        return package
    assert package.root is not None
    known = locations.find(package)
    if known is None or known.marks != marks_of(package):
        shutil.rmtree(root, ignore_errors=True)
    if not root.is_dir():
        unpack(package.root, root)
    return package._replace(root=root)


def remove_unknown(store: PackageStore, locations: Locations) -> None:
    """Deletes what was unpacked from places of which nothing is known any more."""
    with suppress(OSError):
        for name in os.listdir(store.top / UNPACKED):
            if not locations.knows(name):
                shutil.rmtree(store.top / f"{UNPACKED}/{name}", ignore_errors=True)
