"""The store of package indexes: one folder for each package and content, shared by all projects of
a user.

    packages/
      <ecosystem>/<name>-<version>-<key>/symbols.index   the index, as `index/store` writes it
                                         symbols.names   its numbers, and the hashes of its names
      environments/<digest>/symbols.names                which package has which name
                                                         (`environment`)
      bases/<digest>/symbols.index                       many indexes merged (`environment_base`)
      locations.kept                                     where packages were seen (`locations`)
      build.lock                                         held by the one process that builds

An index is never changed. It appears by one rename, after its table; a folder without it does not
count. One that is damaged, or written by another version of symindex, is rebuilt in place.
"""

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from symindex.errors import IndexFileError, OutdatedIndexError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.columns import Index
from symindex.index.columns.layout import Blob
from symindex.index.store import FILE_NAME, TABLE_NAME, Store, is_sound, read_table, write_table
from symindex.packages.found.package import Package

ENVIRONMENTS: Final = "environments"
BASES: Final = "bases"
LOCK_NAME: Final = "build.lock"

MOST_BYTES: Final = 4_000_000_000
"""Total size of all package indexes, in bytes, beyond which the least recently used are dropped."""

KEPT_SECONDS: Final = 90 * 86_400
"""How long an index is kept that no project uses, in seconds."""

_USE_SECONDS: Final = 86_400
"""Precision of the time of last use, in seconds."""

_LONGEST_NAME: Final = 80
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._+-]")
_FOLDER: Final = re.compile(r".+-[0-9a-f]{32}")


class PackageNames(msgspec.Struct, array_like=True, frozen=True, kw_only=True, eq=False):
    """Facts about an index, stored next to it. source_bytes: size of the files that were read.
    left_out: reason -> number of files. hashes (u64): of its distinct names, sorted (see
    `environment`)."""

    ecosystem: str
    name: str
    version: str
    files: int
    symbols: int
    source_bytes: int
    left_out: dict[str, int]
    hashes: Blob


class StoredIndex(NamedTuple):
    """A stored index. place: its folder, relative to the top. used: when it was last used, in
    seconds since 1970."""

    place: str
    n_bytes: int
    used: float


class PackageStore:
    """All package indexes of a user.

    Args:
        top: the folder `packages`.
        rules: the digest of everything besides the files that symbols depend on (`index/store`).
        tree: see `PrivateFolder`.
    """

    def __init__(self, top: Path, rules: bytes, tree: Path | None = None) -> None:
        self.top: PrivateFolder = PrivateFolder(top, tree)
        self.rules = rules
        self._tree = tree

    def place_of(self, package: Package, key: bytes) -> str:
        """Returns the folder of an index, relative to the top."""
        name = _UNSAFE.sub("_", f"{package.name}-{package.version}")[:_LONGEST_NAME].lstrip(".")
        return f"{_UNSAFE.sub('_', package.ecosystem).lstrip('.')}/{name}-{key.hex()}"

    def folder(self, place: str) -> PrivateFolder:
        return PrivateFolder(self.top / place, self._tree)

    def has(self, place: str) -> bool:
        """Whether there is an index, of any version."""
        return os.path.exists(self.top / f"{place}/{FILE_NAME}")

    def names(self, place: str) -> PackageNames | None:
        """Returns the facts about an index, or `None` if either file is missing, damaged or of
        another version."""
        if not self.has(place):
            return None
        with suppress(IndexFileError, StorageError):
            return read_table(self.folder(place), self.rules, PackageNames)
        return None

    def open(self, place: str) -> tuple[Index | None, str]:
        """Opens an index. Returns it or `None`, and what is wrong: empty if it is only missing or
        outdated."""
        try:
            layers, _ = Store(self.folder(place), self.rules).load()
        except OutdatedIndexError:
            return None, ""
        except (IndexFileError, StorageError) as error:
            return None, str(error)
        return (layers.base, "") if layers is not None else (None, "")

    def save(self, place: str, index: Index, names: PackageNames) -> None:
        """Stores an index, replacing an existing one. Raises StorageError. Call it while `building`
        is held."""
        folder = self.folder(place)
        try:
            folder.make()
            with suppress(FileNotFoundError):
                os.unlink(folder / FILE_NAME)
        except OSError as error:
            raise StorageError(
                f"{folder.path}: cannot be written: {error.strerror}; make room"
            ) from None
        folder.remove_unfinished(older_than=0)
        write_table(folder, self.rules, names)
        Store(folder, self.rules).save_base(index)

    def drop_if_damaged(self, place: str, index: Index) -> bool:
        """Deletes an index that differs from what was written, so that it is rebuilt. Returns
        whether it did."""
        if is_sound(index):
            return False
        with suppress(OSError):
            os.unlink(self.top / f"{place}/{FILE_NAME}")
        return True

    @contextmanager
    def building(self, wait_seconds: float) -> Iterator[bool]:
        """Holds the right to build, which one process of a user has at a time. Yields `False` if it
        was not free within `wait_seconds`. Raises StorageError if the folder cannot be written."""
        with ExitStack() as stack:
            try:
                is_ours = stack.enter_context(self.top.locked(LOCK_NAME, wait_seconds))
            except OSError as error:
                raise StorageError(
                    f"{self.top.path}: cannot be written: {error.strerror}; name another place"
                ) from None
            yield is_ours

    def note_use(self, place: str, indexes: Iterable[str] = ()) -> None:
        """Records that an environment or base is used, and its indexes, at most once a day. The
        indexes are marked themselves, because only the environments used last are kept."""
        path = self.top / f"{place}/{TABLE_NAME}"
        with suppress(OSError):
            if time.time() - os.stat(path).st_mtime > _USE_SECONDS:
                os.utime(path)
                self.mark_used(indexes)

    def mark_used(self, indexes: Iterable[str]) -> None:
        """Records that indexes are used now: in the times of their folders, because a file that was
        touched would be checked again."""
        for index in indexes:
            with suppress(OSError):
                os.utime(self.top / index)

    def stored(self, used_by: dict[str, float]) -> list[StoredIndex]:
        """Returns all indexes, the most recently used first. used_by: place -> last use by an
        environment."""
        indexes = []
        for ecosystem in _folders(self.top.path):
            for folder in (
                _folders(self.top / ecosystem) if ecosystem not in (ENVIRONMENTS, BASES) else ()
            ):
                place = f"{ecosystem}/{folder}"
                if _FOLDER.fullmatch(folder):
                    n_bytes, written = _size_of(self.top / place)
                    indexes.append(
                        StoredIndex(place, n_bytes, max(written, used_by.get(place, 0.0)))
                    )
        return sorted(indexes, key=lambda stored: (-stored.used, stored.place))

    def sets(self, kind: str) -> list[tuple[str, float]]:
        """Returns the data stored for sets of packages: place and last use, the newest first. kind:
        ENVIRONMENTS or BASES."""
        sets = []
        for name in _folders(self.top / kind):
            place = f"{kind}/{name}"
            with suppress(OSError):
                sets.append((place, os.stat(self.top / f"{place}/{TABLE_NAME}").st_mtime))
        return sorted(sets, key=lambda item: (-item[1], item[0]))

    def size_of(self, place: str) -> int:
        """Returns the size of an index and its table, in bytes."""
        return _size_of(self.top / place)[0]

    def remove(self, place: str) -> None:
        """Deletes an index or an environment; the index file first, so that no half of it
        counts."""
        with suppress(OSError):
            os.unlink(self.top / f"{place}/{FILE_NAME}")
        shutil.rmtree(self.top / place, ignore_errors=True)


def least_used(
    stored: Sequence[StoredIndex], most_bytes: int, kept_seconds: float
) -> list[StoredIndex]:
    """Returns the indexes to drop: those unused for `kept_seconds`, and the least recently used
    ones beyond `most_bytes`."""
    dropped, total, now = [], 0, time.time()
    for index in stored:
        total += index.n_bytes
        if total > most_bytes or now - index.used > kept_seconds:
            dropped.append(index)
    return dropped


def _folders(path: Path) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _size_of(folder: Path) -> tuple[int, float]:
    """Returns the size of a folder's files in bytes, and when one of them was last written or the
    folder was touched."""
    n_bytes, written = 0, 0.0
    with suppress(OSError), os.scandir(folder) as entries:
        written = os.stat(folder).st_mtime
        for entry in entries:
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                n_bytes, written = n_bytes + status.st_size, max(written, status.st_mtime)
    return n_bytes, written
