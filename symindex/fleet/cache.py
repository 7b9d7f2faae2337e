"""The local copies of what is read from a store: indexes as files that are mapped, and frames of
source packs.

A copy is checked when it arrives; a small piece again whenever it is read, and an index by its own
checksum when another process opens it. A damaged copy is fetched again. The copies that were not
used for longest go when there are too many bytes. If the disk refuses, what was read is used from
memory.
"""

import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.errors import IndexFileError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.user_folders import cache_folder
from symindex.fleet.stored.repository_object import (
    HEAD_BYTES,
    Head,
    check_head,
    check_piece,
    digest_of_piece,
    head_length,
    read_head,
)
from symindex.fleet.stored.source_pack import PackTable, read_table, unpack
from symindex.fleet.stored.store import Store, checked_name
from symindex.index.columns.columns import Index
from symindex.index.store import FILE_NAME, read_index
from symindex.index.store import Store as IndexFolder

MOST_BYTES: Final = 20_000_000_000
"""Bytes of copies beyond which the least recently used are deleted."""

MOST_FRAME_BYTES_KEPT: Final = 64_000_000
"""Bytes of unpacked frames that stay in memory."""

MOST_PATHS_KEPT: Final = 1_000_000
"""Files in the tables of source packs that stay in memory: some 150 bytes each."""

USE_SECONDS: Final = 3_600
"""Precision of the time of last use, in seconds."""

LONGEST_FRAME: Final = 80_000_000


class RepositoryFiles:
    """The source pack of an object. table: its files. start: where the first piece begins."""

    def __init__(self, name: str, head: Head, start: int, table: PackTable) -> None:
        self.name = name
        self.head = head
        self.start = start
        self.table = table


class LocalCache:
    """The copies of one store, in a folder of the user's own. Safe for any thread.

    folder: default: in the user's cache folder. most_bytes: see MOST_BYTES.
    """

    def __init__(
        self, store: Store, rules: bytes, folder: Path | None = None, most_bytes: int = MOST_BYTES
    ) -> None:
        self.store = store
        self.folder: Path = folder or Path(cache_folder(), "fleet")
        self._rules, self._most_bytes = rules, most_bytes
        self._files: OrderedDict[str, RepositoryFiles] = OrderedDict()
        self._n_paths = 0
        self._frames: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._frame_bytes = 0
        self._lock = threading.Lock()
        self._n_new = 0

    def shard(self, name: str) -> Index:
        """Returns the index of a shard, from the local copy or from the store. Raises StorageError
        and IndexFileError."""

        def fetch() -> bytes:
            content = self.store.read(name)
            if not name.endswith(digest_of_piece(content).hex()):
                raise IndexFileError(
                    f"{self.store.address}: {name} is damaged (wrong digest); run"
                    " `symindex fleet merge --verify`"
                )
            return content

        return self._index(name, fetch)

    def repository(self, name: str) -> Index:
        """Returns the index of a repository's object. Raises like `shard`."""

        def fetch() -> bytes:
            head, start = self._head(name)
            content = self.store.read(name, start, head.index.n_bytes)
            return check_piece(content, head.index, f"{self.store.address}: {name}")

        return self._index(name, fetch)

    def _index(self, name: str, fetch: Callable[[], bytes]) -> Index:
        place = self._place(name)
        index_folder = IndexFolder(place, self._rules)
        with suppress(IndexFileError, StorageError):
            layers, _ = index_folder.load()
            if layers is not None:
                self._note_use(place)
                return layers.base
        content = fetch()
        try:
            place.write(FILE_NAME, [content], synced=False)
            layers, _ = index_folder.load()
        except (OSError, StorageError):
            layers = None
        if layers is None:
            return read_index(content, self._rules, f"{self.store.address}: {name}")
        self.tidy_sometimes()
        return layers.base

    def _place(self, name: str) -> PrivateFolder:
        """Returns the folder of a copy. The name is a store's, and must not lead elsewhere."""
        return PrivateFolder(self.folder / checked_name(name).replace("/", "-"))

    def _head(self, name: str) -> tuple[Head, int]:
        """Returns the head of an object, and where its pieces begin."""
        shown = f"{self.store.address}: {name}"
        data = self._cached(
            f"{name}/head",
            lambda: self._fetched_head(name),
            lambda data: check_head(data, shown),
        )
        return read_head(data, shown), len(data)

    def _fetched_head(self, name: str) -> bytes:
        shown = f"{self.store.address}: {name}"
        data = self.store.read(name, 0, HEAD_BYTES)
        length = head_length(data, shown)
        if length > len(data):
            data = self.store.read(name, 0, length)
        return data[:length]

    def files(self, name: str) -> RepositoryFiles:
        """Returns the source pack of an object. Raises like `shard`."""
        with self._lock:
            if (known := self._files.get(name)) is not None:
                self._files.move_to_end(name)
                return known
        head, start = self._head(name)
        place, n_bytes = head.places(start)[1]
        shown = f"{self.store.address}: {name}"
        data = self._cached(
            f"{name}/table",
            lambda: self.store.read(name, place, n_bytes),
            lambda data: check_piece(data, head.table, shown),
        )
        files = RepositoryFiles(name, head, start, read_table(data))
        with self._lock:
            if name not in self._files:
                self._files[name] = files
                self._n_paths += len(files.table.paths)
            while self._n_paths > MOST_PATHS_KEPT and len(self._files) > 1:
                self._n_paths -= len(self._files.popitem(last=False)[1].table.paths)
        return files

    def frame(self, files: RepositoryFiles, number: int) -> bytes:
        """Returns the content of a frame. Raises like `shard`."""
        key = files.name, number
        with self._lock:
            if (known := self._frames.get(key)) is not None:
                self._frames.move_to_end(key)
                return known
        shown = f"{self.store.address}: {files.name}"
        if number >= len(files.head.frames):
            raise IndexFileError(f"{shown}: damaged (a frame is missing)")
        place, n_bytes = files.head.places(files.start)[2 + number]
        piece = files.head.frames[number]
        data = self._cached(
            f"{files.name}/{number}",
            lambda: self.store.read(files.name, place, n_bytes),
            lambda data: check_piece(data, piece, shown),
        )
        content = unpack(data)
        with self._lock:
            if key not in self._frames:
                self._frames[key] = content
                self._frame_bytes += len(content)
            while self._frame_bytes > MOST_FRAME_BYTES_KEPT and len(self._frames) > 1:
                self._frame_bytes -= len(self._frames.popitem(last=False)[1])
        return content

    def _cached(
        self, name: str, fetch: Callable[[], bytes], check: Callable[[bytes], bytes]
    ) -> bytes:
        """Returns a small piece, from its local copy or from the store. check: returns it, or
        raises IndexFileError."""
        folder, _, file = name.rpartition("/")
        place = self._place(f"{folder}-source")
        with suppress(OSError, StorageError, IndexFileError):
            data = check(place.read(file, LONGEST_FRAME))
            self._note_use(place)
            return data
        data = check(fetch())
        with suppress(OSError, StorageError):
            place.write(file, [data], synced=False)
        self.tidy_sometimes()
        return data

    def _note_use(self, place: PrivateFolder) -> None:
        with suppress(OSError):
            if time.time() - place.path.stat().st_mtime > USE_SECONDS:
                os.utime(place.path)

    def tidy_sometimes(self) -> None:
        """Deletes old copies, after the first new copy and then after every hundredth."""
        with self._lock:
            self._n_new += 1
            if self._n_new % 100 != 1:
                return
        self.tidy()

    def tidy(self) -> None:
        """Deletes the copies that were not used for longest, down to the limit. A process that has
        mapped one goes on with it."""
        copies: list[tuple[float, int, Path]] = []
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                with suppress(OSError):  # Another process has just deleted it.
                    if entry.is_dir(follow_symlinks=False):
                        copies.append((*_use_of(entry), Path(entry)))
        total = sum(size for _, size, _ in copies)
        for _, size, path in sorted(copies):
            if total <= self._most_bytes:
                return
            shutil.rmtree(path, ignore_errors=True)
            total -= size


def _use_of(folder: "os.DirEntry[str]") -> tuple[float, int]:
    """Returns when a copy was last used, and its bytes."""
    with os.scandir(folder) as files:
        size = sum(file.stat(follow_symlinks=False).st_size for file in files)
    return folder.stat(follow_symlinks=False).st_mtime, size
