"""Tables of strings: each text's UTF-8 with a NUL byte behind it, and how long each is."""

import hashlib
import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from operator import add
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.compact import U32, Numbers, Small, edges_of, pack_small
from symindex.index.fold import fold


class StringTable:
    """A table of strings; indexing decodes one. sizes: the bytes of each, the NUL byte among them (`index/compact.Small`)."""

    def __init__(self, blob: memoryview, sizes: memoryview) -> None:
        self._blob = blob
        self._sizes = sizes

    @property
    def blob(self) -> memoryview:
        """All texts, a NUL byte behind each."""
        return self._blob

    @cached_property
    def offset(self) -> U32:
        """Where each text begins, and the length of the blob."""
        return edges_of(Small(self._sizes).all())

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __getitem__(self, number: int) -> str:
        return str(self._blob[self.offset[number] : self.offset[number + 1] - 1], "utf-8")

    def take(self, numbers: NDArray[np.int64]) -> list[str]:
        """Several texts."""
        if len(numbers) * 4 > len(self):
            every = self.all
            return [every[number] for number in numbers.tolist()]
        starts, ends = self.offset[numbers].tolist(), (self.offset[numbers + 1] - 1).tolist()
        return [str(self.blob[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]

    def some(self, numbers: NDArray[np.int64]) -> "StringTable":
        """A table of several of its texts."""
        return make_table(self.take(numbers))

    @cached_property
    def all(self) -> list[str]:
        """Every text, decoded once."""
        return str(self.blob, "utf-8").split("\0")[:-1]

    @property
    def folded(self) -> list[str]:
        """Every text, folded (`index/fold`)."""
        return str(fold_texts(bytes(self.blob)), "utf-8").split("\0")[:-1]

    @cached_property
    def lengths(self) -> U32:
        """The number of bytes of each text."""
        return np.diff(self.offset) - np.uint32(1)

    def holding(self, pattern: re.Pattern[bytes]) -> NDArray[np.bool_]:
        """Which texts, folded (`index/fold`), hold a match of the pattern, which must not match NUL bytes."""
        data, ends = self._folded
        found = np.fromiter((match.start() for match in pattern.finditer(data)), dtype=np.int64)
        mask = np.zeros(len(self), dtype=bool)
        mask[np.searchsorted(ends, found[found < len(data)])] = True
        return mask

    @cached_property
    def _folded(self) -> tuple[bytes, NDArray[np.int64]]:
        """All texts folded, with their NUL bytes, and where these are."""
        data = fold_texts(bytes(self.blob))
        return data, np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0)


def make_table(texts: Iterable[str]) -> StringTable:
    """A table of some texts."""
    return StringTable(*pack_texts(texts))


def pack_texts(texts: Iterable[str]) -> tuple[memoryview, memoryview]:
    """What a table is made of."""
    blob = "\0".join([*texts, ""]).encode()
    sizes = np.diff(np.flatnonzero(np.frombuffer(blob, dtype=np.uint8) == 0), prepend=-1)
    return memoryview(blob), pack_small(sizes)


class PathTable(StringTable):
    """Paths, each in two parts: its folder, by its number in a table of folders, and what stands behind the last slash."""

    def __init__(self, folders: StringTable, folder: Numbers, bases: StringTable) -> None:
        self._folders = folders
        self._folder = folder
        self._bases = bases

    def __len__(self) -> int:
        return len(self._folder)

    def __getitem__(self, number: int) -> str:
        return self._folders[int(self._folder[number])] + self._bases[number]

    def take(self, numbers: NDArray[np.int64]) -> list[str]:
        """Several paths."""
        return [self[number] for number in numbers.tolist()]

    @cached_property
    def all(self) -> list[str]:
        """Every path."""
        # The lists of the parts are not kept.
        folders, bases = (str(table.blob, "utf-8").split("\0")[:-1] for table in (self._folders, self._bases))
        return list(map(add, map(folders.__getitem__, self._folder.tolist()), bases))

    @cached_property
    def _joined(self) -> memoryview:
        return memoryview("\0".join([*self.all, ""]).encode())

    @property
    def blob(self) -> memoryview:
        """All paths, a NUL byte behind each."""
        return self._joined

    @cached_property
    def offset(self) -> U32:
        """Where each path begins, and the length of the blob."""
        return np.append(np.uint32(0), np.flatnonzero(np.frombuffer(self.blob, dtype=np.uint8) == 0).astype(np.uint32) + 1)


def digest_paths(blob: bytes) -> bytes:
    """For `Columns.path_digest`: to compare digests costs less than to put all paths together. SHA-256, because most processors
    have it built in."""
    return hashlib.sha256(blob).digest()


def fold_texts(data: bytes) -> bytes:
    """UTF-8 texts with a NUL byte behind each, folded."""
    lower = data.lower()
    if data.isascii():
        return lower
    # What a letter folds to depends on no other, and most texts have few that are not ASCII: they are folded run by run.
    others = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) >= _FIRST_BEYOND_ASCII)
    apart = np.flatnonzero(np.diff(others) > 1)
    starts = others[np.concatenate(([0], apart + 1))].tolist()
    ends = (others[np.concatenate((apart, [-1]))] + 1).tolist()
    pieces = []
    at = 0
    for start, end in zip(starts, ends, strict=True):
        pieces.append(lower[at:start])
        pieces.append(_folded_letters(data[start:end]))
        at = end
    return b"".join([*pieces, lower[at:]])


_FIRST_BEYOND_ASCII: Final = 0x80


@lru_cache(maxsize=10_000)
def _folded_letters(letters: bytes) -> bytes:
    return fold(letters.decode()).encode()
