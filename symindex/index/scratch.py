"""Stores data that a build needs only at its end in a file meanwhile: it would be most of the
memory of a first index.

The file has no name, so nothing is left of it when the process ends, in whatever way. Without a
file, for small builds and full disks, everything stays in memory.
"""

import threading
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Final

import numpy as np

from symindex.errors import StorageError, UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.arrays import U32

MOST_IN_MEMORY: Final = 400_000_000
"""Most bytes that are kept in memory when the disk is full. The index of 10 million lines needs as
much."""


class Scratch:
    """Bytes that are added piece by piece and read back in any order, by any thread. As a context
    manager, it closes its file.

    file: empty, unbuffered, open for reading and writing; in memory by default. folder: its place,
    for errors. size: bytes added so far.
    """

    def __init__(self, file: IO[bytes] | None = None, folder: Path | None = None) -> None:
        self._file = file if file is not None else BytesIO()
        self._folder = folder
        self.size: int = 0
        self._lock = threading.Lock()

    @classmethod
    def in_folder(cls, folder: PrivateFolder) -> "Scratch":
        """Makes a scratch with a file in a folder. All methods raise StorageError."""
        try:
            return cls(folder.scratch(), folder.path)
        except OSError:
            return cls(folder=folder.path)

    def __enter__(self) -> "Scratch":
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # Its contents are not needed any more.
            self._file.close()

    def add(self, data: bytes | memoryview) -> int:
        """Adds bytes, and returns where they begin."""
        with self._lock:
            start = self.size
            try:
                self._write(start, data)
            except OSError as error:
                self._move_to_memory(error)
                self._write(start, data)
            self.size += len(data)
            return start

    def _write(self, start: int, data: bytes | memoryview) -> None:
        self._file.seek(start)
        rest = memoryview(data).cast("B")
        while len(rest):
            rest = rest[self._file.write(rest) :]

    def _move_to_memory(self, error: OSError) -> None:
        """Continues without the file, whose disk is full."""
        if self.size > MOST_IN_MEMORY:
            raise _failed(self._folder, error) from None
        file, memory = self._file, BytesIO()
        try:
            file.seek(0)
            memory.write(file.read(self.size))
        except OSError as second:
            raise _failed(self._folder, second) from None
        if memory.tell() != self.size:
            raise _failed(self._folder, error) from None
        self._file = memory
        with suppress(OSError):
            file.close()

    def read(self, start: int, size: int) -> bytes:
        """Returns bytes that were added."""
        with self._lock:
            try:
                self._file.seek(start)
                data = self._file.read(size)
            except OSError as error:
                raise _failed(self._folder, error) from None
        if len(data) != size:
            raise StorageError(
                f"{self._folder}: a file of this process there has become shorter; try again"
            )
        return data


def _failed(folder: Path | None, error: OSError) -> StorageError:
    return UnwritableError(
        f"{folder}: cannot be written: {error.strerror}; make room or name another place with"
        " --index-dir"
    )


class Column:
    """Numbers that are added array by array, and read back in the same order."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._arrays: list[tuple[int, int]] = []
        self._count = 0

    def add(self, numbers: U32) -> None:
        if len(numbers):
            self._arrays.append((self._scratch.add(numbers.tobytes()), len(numbers)))
            self._count += len(numbers)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[U32]:
        """Yields the arrays as they were added."""
        for start, count in self._arrays:
            yield np.frombuffer(self._scratch.read(start, 4 * count), dtype=np.uint32)

    def all(self) -> U32:
        """Returns all numbers."""
        numbers = np.empty(self._count, dtype=np.uint32)
        end = 0
        for array in self:
            start, end = end, end + len(array)
            numbers[start:end] = array
        return numbers
