"""Tables of strings: each text's UTF-8 with a NUL byte behind it, and how long each is.

A table of an index file may be damaged: what is read of it is held against its bounds, and what is none raises DamagedIndexError.
"""

import hashlib
import os
import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property, lru_cache
from operator import add
from typing import Final

import numpy as np

from symindex.errors import DamagedIndexError
from symindex.index.arrays import I64, U32, Mask, Numbers
from symindex.index.integer_columns import Small, edges_of, pack_small, read_below
from symindex.text.folding import fold


class StringTable:
    """A table of strings; indexing decodes one. sizes: the bytes of each, the NUL byte among them
    (`index/integer_columns.Small`).

    what: its name. count: how many texts there must be, where that is known.
    """

    def __init__(self, blob: memoryview, sizes: memoryview, what: str = "table", count: int | None = None) -> None:
        self._blob = blob
        self._sizes = Small(sizes, what, count)
        self._what = what
        if bool(len(blob)) != bool(len(self._sizes)) or (len(blob) and blob[-1] != 0):
            raise self._damaged("the last text does not end")

    @property
    def blob(self) -> memoryview:
        """All texts, a NUL byte behind each."""
        return self._blob

    @cached_property
    def offset(self) -> U32:
        """Where each text begins, and the length of the blob."""
        sizes = self._sizes.all()
        if not sizes.all():
            raise self._damaged("a text does not end")
        return edges_of(sizes, len(self._blob), self._what)

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, number: int) -> str:
        return self._decode(self._blob[self.offset[number] : self.offset[number + 1] - 1])

    def _decode(self, text: memoryview | bytes) -> str:
        try:
            return str(text, "utf-8")
        except UnicodeDecodeError:
            raise self._damaged("not UTF-8") from None

    def _damaged(self, why: str) -> DamagedIndexError:
        return DamagedIndexError(f"{self._what}: {why}")

    def _split(self, texts: memoryview | bytes) -> list[str]:
        """The texts of as many as the table has."""
        split = self._decode(texts).split("\0")
        if len(split) != len(self) + 1:
            raise self._damaged(f"{len(split) - 1:,} texts, not {len(self):,}")
        return split[:-1]

    def take(self, numbers: I64) -> list[str]:
        """Several texts."""
        if len(numbers) * 4 > len(self):
            every = self.all
            return [every[number] for number in numbers.tolist()]
        starts, ends = self.offset[numbers].tolist(), (self.offset[numbers + 1] - 1).tolist()
        return [self._decode(self.blob[start:end]) for start, end in zip(starts, ends, strict=True)]

    def place_of(self, text: str) -> int:
        """The number of the first text that does not come before this one, in a table in the order of code points."""
        return bisect_left(range(len(self)), text, key=self.__getitem__)

    def find(self, text: str) -> int | None:
        """The number of a text in such a table."""
        number = self.place_of(text)
        return number if number < len(self) and self[number] == text else None

    def some(self, numbers: I64) -> "StringTable":
        """A table of several of its texts."""
        return make_table(self.take(numbers))

    @cached_property
    def all(self) -> list[str]:
        """Every text, decoded once."""
        return self._split(self.blob)

    def check(self) -> None:
        """Raises DamagedIndexError unless there is a NUL byte behind each text, and none in it."""
        ends = np.flatnonzero(np.frombuffer(self.blob, dtype=np.uint8) == 0)
        if not np.array_equal(ends + 1, self.offset[1:]):
            raise self._damaged("texts do not end where they should")

    @property
    def folded(self) -> list[str]:
        """Every text, folded (`text/folding`)."""
        return self._split(fold_texts(bytes(self.blob)))

    @cached_property
    def lengths(self) -> U32:
        """The number of bytes of each text."""
        return np.diff(self.offset) - np.uint32(1)

    def holding(self, pattern: re.Pattern[bytes]) -> Mask:
        """Which texts, folded (`text/folding`), hold a match of the pattern, which must not match NUL bytes."""
        data, ends = self._folded
        found = np.fromiter((match.start() for match in pattern.finditer(data)), dtype=np.int64)
        mask = np.zeros(len(self), dtype=bool)
        mask[np.searchsorted(ends, found[found < len(data)])] = True
        return mask

    @cached_property
    def _folded(self) -> tuple[bytes, I64]:
        """All texts folded, with their NUL bytes, and where these are."""
        data = fold_texts(bytes(self.blob))
        ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0)
        if len(ends) != len(self):
            raise self._damaged(f"{len(ends):,} texts, not {len(self):,}")
        return data, ends


def make_table(texts: Iterable[str]) -> StringTable:
    """A table of some texts."""
    return StringTable(*pack_texts(texts))


def pack_texts(texts: Iterable[str]) -> tuple[memoryview, memoryview]:
    """What a table is made of."""
    blob = "\0".join([*texts, ""]).encode()
    sizes = np.diff(np.flatnonzero(np.frombuffer(blob, dtype=np.uint8) == 0), prepend=-1)
    return memoryview(blob), pack_small(sizes)


class PathTable(StringTable):
    """Paths, each in two parts: its folder, by its number in a table of folders, and what stands behind the last slash.

    None of them leads out of the root: files of these paths are opened.
    """

    def __init__(self, folders: StringTable, folder: Numbers, bases: StringTable) -> None:
        self._folders = folders
        self._folder = read_below(folder, len(folders), "column path_folder")
        self._bases = bases
        self._what = "paths"

    def __len__(self) -> int:
        return len(self._folder)

    def __getitem__(self, number: int) -> str:
        path = self._folders[int(self._folder[number])] + self._bases[number]
        if "\0" in path or any(part in f"/{path}/" for part in _ODD_PARTS):
            raise self._damaged(_OUTSIDE)
        return path

    def take(self, numbers: I64) -> list[str]:
        """Several paths."""
        return [self[number] for number in numbers.tolist()]

    @cached_property
    def all(self) -> list[str]:
        """Every path."""
        # The lists of the parts are not kept.
        for table, odd in ((self._folders, _ODD_FOLDERS), (self._bases, _ODD_BASES)):
            table.check()
            data = b"\0" + bytes(table.blob)
            if any(part in data for part in odd):
                raise self._damaged(_OUTSIDE)
        folders, bases = (table._split(table.blob) for table in (self._folders, self._bases))
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


_FOREIGN: Final = (b"\\", b":") if os.sep == "\\" else ()
_ODD_PARTS: Final = ("//", "/./", "/../", *(part.decode() for part in _FOREIGN))
_ODD_FOLDERS: Final = (b"\0/", b"//", b"\0./", b"/./", b"\0../", b"/../", *_FOREIGN)
_ODD_BASES: Final = (b"/", b"\0\0", b"\0.\0", b"\0..\0", *_FOREIGN)
"""What no table of folders, or of the rest of paths, holds behind a NUL byte. To look for each is quicker than a pattern."""

_OUTSIDE: Final = "one leads out of the root, or is no path"


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
    try:
        return fold(letters.decode()).encode()
    except UnicodeDecodeError:
        raise DamagedIndexError("a text is not UTF-8") from None
