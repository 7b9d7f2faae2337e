"""Where packages were seen, and with which content: so that a second look costs some stats instead
of reading every file.

One file for all of a user's projects. Whoever opens an environment only reads it; it is written by
the one process that builds (`package_build`), so no two write at once. A record is believed in two
degrees:

    marks   of the folders and files that an installer writes anew: enough to open an index. They do
    not change where somebody
            edits a file in place, deep in a package; the source that an answer shows is compared
            with its digest all the same.
    files   of all files that are read, by size, mtime, ctime and inode: enough not to read them
    again when indexes are built.

Either is about this place alone. No record leads to the index of another content than was once read
there, and other places have records of their own: so nobody can make others see a package as he has
changed it.
"""

import hashlib
import os
import stat
import time
from contextlib import suppress
from typing import Final

import msgspec

from symindex.errors import StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.change_stamp import change_stamp
from symindex.packages.found.package import Package
from symindex.packages.indexes.content_key import KEY_BYTES, location_of
from symindex.text.decoding import decode

NAME: Final = "locations.kept"

MOST_RECORDS: Final = 20_000
"""The oldest are dropped; their packages are then read once more."""

_LONGEST: Final = 10_000_000

_MARKED: Final = 24
"""How many of a package's files and folders are looked at."""

_MANIFESTS: Final = (
    "package.json",
    "RECORD",
    "METADATA",
    "PKG-INFO",
    "Cargo.toml",
    "composer.json",
    "go.mod",
)
"""What installers write into the folder of a package, or into that of what they know of it."""

_ABOUT: Final = (".dist-info", ".egg-info")


class Location(msgspec.Struct, array_like=True, frozen=True):
    """A place where a package was read. marks, files: see the module; `files` is empty where it
    cannot be relied on. key: `content_key`. seen: when it was last found so, in seconds. failed:
    why there is no index of it, empty where there is."""

    marks: bytes
    files: bytes
    key: bytes
    seen: int
    failed: str = ""


class Locations:
    """The records, as they were when this was made. They are changed in memory, and written by
    `save`."""

    def __init__(self, top: PrivateFolder) -> None:
        self._top = top
        self._known: dict[bytes, Location] = {}
        with suppress(OSError, StorageError, msgspec.MsgspecError):
            self._known = decode(top.read(NAME, _LONGEST), dict[bytes, Location])

    def find(self, package: Package) -> Location | None:
        """What is known of the place of a package, whether it still holds or not."""
        return self._known.get(location_of(package))

    def knows(self, location: str) -> bool:
        """Whether there is a record of a place, given in hexadecimal digits."""
        return any(known.hex() == location for known in self._known)

    def key_of(self, package: Package) -> bytes | None:
        """The key of the package, where its marks are those that were seen; `None` where it has to
        be looked at."""
        known = self.find(package)
        if known is None or len(known.key) != KEY_BYTES or known.failed:
            return None
        return known.key if known.marks == marks_of(package) else None

    def has_failed(self, package: Package) -> bool:
        """Whether the package could not be indexed, and its marks are those that were seen then."""
        known = self.find(package)
        return known is not None and bool(known.failed) and known.marks == marks_of(package)

    def note(
        self, package: Package, marks: bytes, files: bytes, key: bytes, failed: str = ""
    ) -> None:
        """Notes what was read. marks: taken before that. The others are as in Location."""
        self._known[location_of(package)] = Location(marks, files, key, int(time.time()), failed)

    def save(self) -> None:
        """Writes all records. Raises StorageError."""
        if len(self._known) > MOST_RECORDS:
            newest = sorted(self._known.items(), key=lambda each: -each[1].seen)[:MOST_RECORDS]
            self._known = dict(newest)
        try:
            self._top.write(NAME, [msgspec.msgpack.encode(self._known)], synced=False)
        except OSError as error:
            raise StorageError(
                f"{self._top / NAME}: cannot be written: {error.strerror}; make room"
            ) from None


def marks_of(package: Package) -> bytes:
    """The stamps of what an installer writes anew: folders, and what it notes beside them."""
    root = os.fspath(package.root or "")
    hasher = hashlib.blake2b(digest_size=KEY_BYTES)
    if not package.files:
        looked_at = [root, *(os.path.join(root, name) for name in _MANIFESTS)]
    else:
        named = [os.path.join(root, name) for name in package.files[:_MARKED]]
        about = [
            os.path.join(root, name) for name in package.files if name.rstrip("/").endswith(_ABOUT)
        ][:2]
        looked_at = named + [
            os.path.join(folder, name) for folder in about for name in _MANIFESTS[1:4]
        ]
    for path in looked_at:
        with suppress(OSError, ValueError):
            status = os.lstat(path)
            is_folder = stat.S_ISDIR(status.st_mode)
            size = 0 if is_folder else status.st_size
            hasher.update(
                f"{len(path)} {path} {size} {status.st_mtime_ns} {change_stamp(status)}\n".encode(
                    "utf-8", "surrogateescape"
                )
            )
    return hasher.digest()
