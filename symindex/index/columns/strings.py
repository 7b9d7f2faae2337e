"""Tables of strings: the UTF-8 of each text, ended by a NUL byte, and the size of each; and
interning, which gives equal texts one number.

The table of an index file may be damaged: everything is checked when it is read, and raises
DamagedIndexError if it is not a table of texts.
"""

import hashlib
import os
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from operator import add
from typing import Final

import numpy as np

from symindex.errors import DamagedIndexError
from symindex.index.columns.arrays import I64, U8, U32, Mask, Numbers
from symindex.index.columns.integer_columns import (
    SmallIntegers,
    edges_of,
    join_ranges,
    pack_small,
    read_below,
    require,
)
from symindex.text.folding import fold, squash

_FEW: Final = 64
"""Number of texts below which decoding some twice is faster than finding duplicates, and decoding
each is faster than gathering their bytes."""


class StringTable:
    """A table of strings; indexing decodes one.

    blob: all texts, each ended by a NUL byte. sizes: the bytes of each text with its NUL byte
    (SmallIntegers). what: the table's name in errors. count: the number of texts it must contain,
    if it is known.
    """

    def __init__(
        self, blob: memoryview, sizes: memoryview, what: str = "table", count: int | None = None
    ) -> None:
        self.blob = blob
        self._sizes = SmallIntegers(sizes, what, count)
        self._what = what
        is_ended = bytes(blob[-1:]) == b"\0" if len(self._sizes) else not len(blob)
        self._require(is_ended, "the last text does not end")

    @cached_property
    def offset(self) -> U32:
        """The start of each text in the blob, followed by the blob's length."""
        sizes = self._sizes.all()
        self._require(bool(sizes.all()), "a text does not end")
        return edges_of(sizes, len(self.blob), self._what)

    @cached_property
    def lengths(self) -> U32:
        """The number of bytes of each text."""
        return np.diff(self.offset) - np.uint32(1)

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, number: int) -> str:
        return self._decode(self.blob[self.offset[number] : self.offset[number + 1] - 1])

    def _decode(self, text: memoryview | bytes) -> str:
        try:
            return str(text, "utf-8")
        except UnicodeDecodeError:
            raise DamagedIndexError(f"{self._what}: not UTF-8") from None

    def _require(self, is_so: bool, why: str) -> None:
        require(is_so, f"{self._what}: {why}")

    def _split(self, texts: memoryview | bytes, count: int) -> list[str]:
        """Splits a blob into texts, of which there must be `count`."""
        split = self._decode(texts).split("\0")[:-1]
        self._require(len(split) == count, f"{len(split):,} texts, not {count:,}")
        return split

    @cached_property
    def all(self) -> list[str]:
        """Every text, decoded once."""
        return self._split(self.blob, len(self))

    def take(self, numbers: I64) -> list[str]:
        """Returns several texts, decoding each only once: the best hits, or the symbols of a file,
        have many in common."""
        if len(numbers) * 4 > len(self):
            return list(map(self.all.__getitem__, numbers.tolist()))
        if len(numbers) < _FEW:
            return self._decode_each(numbers)
        distinct, places = np.unique(numbers, return_inverse=True)
        texts = self._decode_each(distinct)
        return [texts[place] for place in places.tolist()]

    def _decode_each(self, numbers: I64) -> list[str]:
        # `numbers + 1` might overflow a narrow type.
        starts, ends = self.offset[:-1][numbers], self.offset[1:][numbers]
        if len(numbers) < _FEW:
            edges = zip(starts.tolist(), ends.tolist(), strict=True)
            return [self._decode(self.blob[start : end - 1]) for start, end in edges]
        gathered = np.frombuffer(self.blob, dtype=np.uint8)[
            join_ranges(starts.astype(np.int64), (ends - starts).astype(np.int64))
        ]
        return self._split(gathered.tobytes(), len(numbers))

    def some(self, numbers: I64) -> "StringTable":
        """Returns a table of several of its texts."""
        return StringTable(*pack_texts(self.take(numbers)))

    def place_of(self, text: str) -> int:
        """Returns the number of the first text that is not less, in a table ordered by code
        points."""
        return bisect_left(range(len(self)), text, key=self.__getitem__)

    def find(self, text: str) -> int | None:
        """Returns the number of a text, or `None`, in a table ordered by code points."""
        number = self.place_of(text)
        return number if number < len(self) and self[number] == text else None

    @cached_property
    def _folded(self) -> tuple[bytes, I64]:
        """The folded blob, and the positions of its NUL bytes."""
        data = fold_texts(bytes(self.blob))
        ends = ends_of(data)
        self._require(len(ends) == len(self), f"{len(ends):,} texts, not {len(self):,}")
        return data, ends

    def beginning_and_ending(self, numbers: I64, first: bytes, last: bytes) -> I64:
        """Returns those of the texts that, folded, begin with `first` and end with `last`, without
        overlap."""
        blob, ends = self._folded
        data = np.frombuffer(blob, dtype=np.uint8)
        starts, ends = np.append(-1, ends)[numbers] + 1, ends[numbers]
        candidates = np.flatnonzero(ends - starts >= len(first) + len(last))
        for from_end, piece in ((False, first), (True, last)):
            for offset, byte in enumerate(piece):
                positions = (
                    ends[candidates] - len(piece) if from_end else starts[candidates]
                ) + offset
                candidates = candidates[data[positions] == byte]
        return numbers[candidates]

    def holding(self, pattern: re.Pattern[bytes]) -> Mask:
        """Returns a mask over the texts that, folded (`text/folding`), contain a match of the
        pattern. The pattern must not match NUL bytes."""
        data, ends = self._folded
        starts = np.fromiter((match.start() for match in pattern.finditer(data)), dtype=np.int64)
        mask = np.zeros(len(self), dtype=bool)
        mask[np.searchsorted(ends, starts[starts < len(data)])] = True
        return mask


def ends_of(blob: bytes | memoryview) -> I64:
    """Returns the positions of the NUL bytes that end the texts of a blob."""
    return np.flatnonzero(np.frombuffer(blob, dtype=np.uint8) == 0)


def occurrences(data: U8, sought: bytes) -> I64:
    """Returns the positions where the bytes occur, overlapping or not."""
    if len(data) < len(sought):
        return np.empty(0, dtype=np.int64)
    places = np.flatnonzero(data[: len(data) - len(sought) + 1] == sought[0])
    for step, byte in enumerate(sought[1:], start=1):
        places = places[data[places + step] == byte]
    return places


def pack_texts(texts: Iterable[str]) -> tuple[memoryview, memoryview]:
    """Packs the two columns of a StringTable."""
    blob = "\0".join([*texts, ""]).encode()
    return memoryview(blob), pack_small(np.diff(ends_of(blob), prepend=-1))


class PathTable(StringTable):
    """Paths in two parts each: the folder, as a number in a table of folders, and the part after
    the last slash, its base.

    No path may lead out of the root, because files at these paths are opened.
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
        self._require(
            "\0" not in path and not any(part in f"/{path}/" for part in _ODD_PARTS), _OUTSIDE
        )
        return path

    def _decode_each(self, numbers: I64) -> list[str]:
        folders, bases = (
            self._folders.take(self._folder[numbers]),
            self._bases._decode_each(numbers),
        )
        paths = list(map(add, folders, bases))
        joined = f"/{_BETWEEN.join(paths)}/" if paths else ""
        is_plain = joined.count("\0") == max(len(paths) - 1, 0) and not any(
            part in joined for part in _ODD_PARTS
        )
        self._require(is_plain, _OUTSIDE)
        return paths

    @property
    def bases(self) -> StringTable:
        """By path: the part after its last slash."""
        return self._bases

    def bases_of(self, numbers: I64) -> list[str]:
        """Returns the bases of several paths."""
        return self._bases._decode_each(numbers)

    @cached_property
    def all(self) -> list[str]:
        # Does not use `all` of the two tables, which would stay in memory.
        for table, odd in ((self._folders, _ODD_FOLDERS), (self._bases, _ODD_BASES)):
            self._require(
                np.array_equal(ends_of(table.blob) + 1, table.offset[1:]),
                "texts do not end where they should",
            )
            data = b"\0" + bytes(table.blob)
            self._require(not any(part in data for part in odd), _OUTSIDE)
        folders, bases = (
            table._split(table.blob, len(table)) for table in (self._folders, self._bases)
        )
        return list(map(add, map(folders.__getitem__, self._folder.tolist()), bases))

    @cached_property
    def blob(self) -> memoryview:  # type: ignore[override]  # made when it is first used
        """All paths, each ended by a NUL byte."""
        return memoryview("\0".join([*self.all, ""]).encode())

    @cached_property
    def offset(self) -> U32:
        """The start of each path in the blob, followed by the blob's length."""
        return np.append(np.uint32(0), ends_of(self.blob).astype(np.uint32) + 1)


_FOREIGN: Final = (b"\\", b":") if os.sep == "\\" else ()
_ODD_PARTS: Final = ("//", "/./", "/../", *(part.decode() for part in _FOREIGN))
_BETWEEN: Final = "/\0/"
"""Separator of paths that are checked together. It includes the slashes that surround a path when
it is checked alone."""

_ODD_FOLDERS: Final = (b"\0/", b"//", b"\0./", b"/./", b"\0../", b"/../", *_FOREIGN)
_ODD_BASES: Final = (b"/", b"\0\0", b"\0.\0", b"\0..\0", *_FOREIGN)
"""Bytes that must not occur in a NUL byte followed by a table of folders, or of bases. Searching
for each is faster than a pattern."""

_OUTSIDE: Final = "one leads out of the root, or is not a path"


def digest_paths(blob: bytes) -> bytes:
    """Returns `Columns.path_digest` of a blob of paths: comparing digests costs less than joining
    all paths. SHA-256, because most processors have it built in."""
    return hashlib.sha256(blob).digest()


def fold_texts(data: bytes) -> bytes:
    """Folds UTF-8 texts, each ended by a NUL byte (`text/folding`)."""
    lower = data.lower()
    if data.isascii():
        return lower
    # Folding a letter does not depend on its neighbours, and most texts have few letters beyond
    # ASCII, so only runs of these are folded one by one.
    high_bytes = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) >= 0x80)
    apart = np.flatnonzero(np.diff(high_bytes) > 1)
    starts = high_bytes[np.append(0, apart + 1)].tolist()
    ends = (high_bytes[np.append(apart, -1)] + 1).tolist()
    pieces = [lower[: starts[0]]]
    for start, end, following in zip(starts, ends, [*starts[1:], len(data)], strict=True):
        pieces += [_folded_letters(data[start:end]), lower[end:following]]
    return b"".join(pieces)


@lru_cache(maxsize=10_000)
def _folded_letters(letters: bytes) -> bytes:
    try:
        return fold(letters.decode()).encode()
    except UnicodeDecodeError:
        raise DamagedIndexError("a text is not UTF-8") from None


class InternTable:
    """Numbers distinct texts in the order in which they come. texts: the distinct texts in their
    final order, once `sort` was called."""

    def __init__(self) -> None:
        self._table: defaultdict[str, int] = defaultdict()
        self._table.default_factory = self._table.__len__
        self.texts: list[str] = []

    def number(self, texts: Sequence[str]) -> U32:
        """Returns the number of each text."""
        return np.fromiter(map(self._table.__getitem__, texts), dtype=np.uint32, count=len(texts))

    def __len__(self) -> int:
        return len(self._table)

    def since(self, number: int) -> list[str]:
        """Returns the texts from a number on, in the order in which they came."""
        return list(islice(self._table, number, None))

    def number_blob(self, blob: bytes) -> U32:
        """Returns the number of each text of a blob of UTF-8 texts, each ended by a NUL byte."""
        return self.number(blob.decode().split("\0")[:-1])

    def sort(self, order: Callable[[list[str]], list[int]]) -> U32:
        """Puts the texts in order; returns old number -> new number. Nothing can be numbered
        afterwards."""
        texts = list(self._table)
        self._table.clear()
        numbers = order(texts)
        places = np.empty(len(texts), dtype=np.uint32)
        places[numbers] = np.arange(len(texts), dtype=np.uint32)
        self.texts = [texts[number] for number in numbers]
        return places

    def hand_over(self) -> list[str]:
        """Returns `texts` and drops them."""
        texts, self.texts = self.texts, []
        return texts


def plain_order(texts: list[str]) -> list[int]:
    """Returns the numbers of texts by code points."""
    return sorted(range(len(texts)), key=texts.__getitem__)


def folded_order(texts: list[str]) -> list[int]:
    """Returns the numbers of distinct texts, ordered by their folded form without separators, then
    by the folded form, then by code points."""
    squashed = squash(fold_texts("\0".join(texts).encode()).decode()).split("\0")
    order = sorted(range(len(texts)), key=squashed.__getitem__)
    # First pass: sort by the form without separators. Second pass: the few texts that are equal
    # then are sorted by all three keys, within their positions.
    alike = [
        position
        for position, (first, second) in enumerate(pairwise(order))
        if squashed[first] == squashed[second]
    ]
    positions = sorted({*alike, *(position + 1 for position in alike)})
    again = sorted(
        (order[position] for position in positions),
        key=lambda number: (squashed[number], fold(texts[number]), texts[number]),
    )
    for position, number in zip(positions, again, strict=True):
        order[position] = number
    return order
