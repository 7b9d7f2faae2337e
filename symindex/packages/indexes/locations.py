"""Records where packages were seen and with which content, so that a second look costs some stats
instead of reading every file.

One file serves all projects of a user. Opening an environment only reads it; only the one process
that builds (`package_build`) writes it, so no two write at once. A record has two stamps:

- marks: of the folders and files that an installer rewrites. If they are the same, the index may be
  opened. An edit in place, deep in a package, does not change them; but the source that an answer
  shows is compared with its digest anyway.
- files: of all files that are read, by size, mtime, ctime and inode. If it is the same, a build
  need not read them again.

Both are about this place only. A record never leads to an index of content that was not read there,
and other places have their own records, so nobody can make others see a modified package.
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
"""Most records. The oldest are dropped; their packages are then read once more."""

_LONGEST: Final = 10_000_000

_MARKED: Final = 24
"""Most files and folders of a package in its marks."""

_MANIFESTS: Final = (
    "package.json",
    "RECORD",
    "METADATA",
    "PKG-INFO",
    "Cargo.toml",
    "composer.json",
    "go.mod",
)
"""Files that installers write into a package's folder, or into the folder of its metadata."""

_ABOUT: Final = (".dist-info", ".egg-info")


class Location(msgspec.Struct, array_like=True, frozen=True):
    """A place where a package was read.

    marks, files: the stamps, see the module; `files` is empty if it is not reliable. key: the
    `content_key`. seen: when this was last confirmed, in seconds. failed: why there is no index, or
    empty.
    """

    marks: bytes
    files: bytes
    key: bytes
    seen: int
    failed: str = ""


class Locations:
    """The records as they were when this was made. Changes stay in memory until `save`."""

    def __init__(self, top: PrivateFolder) -> None:
        self._top = top
        self._known: dict[bytes, Location] = {}
        with suppress(OSError, StorageError, msgspec.MsgspecError):
            self._known = decode(top.read(NAME, _LONGEST), dict[bytes, Location])

    def find(self, package: Package) -> Location | None:
        """Returns the record of a package's place, whether it is still valid or not."""
        return self._known.get(location_of(package))

    def knows(self, location: str) -> bool:
        """Whether there is a record of a place, given in hexadecimal."""
        return any(location_id.hex() == location for location_id in self._known)

    def key_of(self, package: Package) -> bytes | None:
        """Returns the key of a package if its marks have not changed, or `None` if it must be
        read."""
        location = self.find(package)
        if location is None or len(location.key) != KEY_BYTES or location.failed:
            return None
        return location.key if location.marks == marks_of(package) else None

    def has_failed(self, package: Package) -> bool:
        """Whether the package could not be indexed, and its marks have not changed since."""
        location = self.find(package)
        return (
            location is not None and bool(location.failed) and location.marks == marks_of(package)
        )

    def note(
        self, package: Package, marks: bytes, files: bytes, key: bytes, failed: str = ""
    ) -> None:
        """Records what was read. marks: taken before reading."""
        self._known[location_of(package)] = Location(marks, files, key, int(time.time()), failed)

    def save(self) -> None:
        """Writes all records. Raises StorageError."""
        if len(self._known) > MOST_RECORDS:
            newest = sorted(self._known.items(), key=lambda item: -item[1].seen)[:MOST_RECORDS]
            self._known = dict(newest)
        try:
            self._top.write(NAME, [msgspec.msgpack.encode(self._known)], synced=False)
        except OSError as error:
            raise StorageError(
                f"{self._top / NAME}: cannot be written: {error.strerror}; make room"
            ) from None


def marks_of(package: Package) -> bytes:
    """Returns a digest of the stamps of everything that an installer rewrites: folders and metadata
    files."""
    root = os.fspath(package.root or "")
    hasher = hashlib.blake2b(digest_size=KEY_BYTES)
    if not package.files:
        looked_at = [root, *(os.path.join(root, name) for name in _MANIFESTS)]
    else:
        named_paths = [os.path.join(root, name) for name in package.files[:_MARKED]]
        about = [
            os.path.join(root, name) for name in package.files if name.rstrip("/").endswith(_ABOUT)
        ][:2]
        looked_at = named_paths + [
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
