"""The words of names: the distinct words in order, and for every name the numbers of its words.

Names consist of few distinct words: a million names have some tens of thousands. So what a word
matches is found once per word. A name that is not ASCII, or has more than MOST_WORDS words, is odd:
it has no words here and is matched by itself.
"""

import re
from bisect import bisect_left
from functools import cached_property
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, U8, U32, Mask, Numbers
from symindex.index.columns.integer_columns import edges_of, join_ranges, require
from symindex.index.columns.name_bitmaps import word_begins
from symindex.index.columns.strings import InternTable, StringTable, occurrences, plain_order
from symindex.text.folding import ASCII_WORD, MOST_WORDS

_FEW_LOOKUPS: Final = 20
"""Number of lookups after which the names of all words are listed, which takes as long."""

_WORD: Final = re.compile(ASCII_WORD.pattern.encode())


class NameWords:
    """Read access to the words of names.

    table: the distinct words in lower case, in order. counts: by name, its number of words. flat:
    the numbers of the words of all names, name by name.
    """

    def __init__(self, table: StringTable, counts: U8, flat: Numbers) -> None:
        self.table = table
        self.counts = counts
        self.flat = flat
        self._lookups = 0

    @cached_property
    def first(self) -> U32:
        """By name: the position of its first word in `flat`; followed by the length of `flat`."""
        return edges_of(self.counts)

    @cached_property
    def texts(self) -> list[bytes]:
        blob = bytes(self.table.blob)
        require(blob.isascii(), "words: not ASCII")
        texts = blob.split(b"\0")[:-1]
        require(
            len(texts) == len(self.table), f"words: {len(texts):,} texts, not {len(self.table):,}"
        )
        return texts

    def range_of(self, prefix: bytes, low: int = 0, high: int | None = None) -> tuple[int, int]:
        """Returns the range of words with a prefix, within a given range."""
        low = bisect_left(self.texts, prefix, low, high)
        return low, bisect_left(self.texts, prefix + b"\x7f", low, high)

    def find(self, word: bytes) -> int | None:
        number = bisect_left(self.texts, word)
        return number if number < len(self.texts) and self.texts[number] == word else None

    def holding(self, text: bytes) -> I64:
        """Returns the numbers of the words that contain the text."""
        places = occurrences(np.frombuffer(self.table.blob, dtype=np.uint8), text)
        numbers = np.searchsorted(self.table.offset, places.astype(np.uint32), side="right") - 1
        return numbers[np.diff(numbers, prepend=-1) > 0]

    @cached_property
    def _postings(self) -> tuple[U32, U32]:
        """The names of each word, word by word, and where those of each word begin."""
        owner = np.repeat(np.arange(len(self.counts), dtype=np.uint32), self.counts)
        return owner[np.argsort(self.flat, kind="stable")], edges_of(
            np.bincount(self.flat, minlength=len(self.table))
        )

    def mark_names(self, words: I64) -> Mask:
        """Returns a mask over names that have one of the words, which are in order."""
        marked = np.zeros(len(self.counts), dtype=bool)
        if len(words):
            names, first = self._postings
            # The names of adjacent words are adjacent.
            edges = np.flatnonzero(np.diff(words) > 1)
            lows, highs = (
                first[words[np.append(0, edges + 1)]],
                first[words[np.append(edges, len(words) - 1)] + 1],
            )
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
                marked[names[low:high]] = True
        return marked

    def names_with(self, words: I64) -> I64:
        """Returns the numbers of the names that have one of the words, in order."""
        if not len(words):
            return np.empty(0, dtype=np.int64)
        self._lookups += 1
        if self._lookups > _FEW_LOOKUPS:
            return np.flatnonzero(self.mark_names(words))
        is_wanted = np.zeros(len(self.table), dtype=bool)
        is_wanted[words] = True
        positions = np.flatnonzero(is_wanted[self.flat])
        names = np.searchsorted(self.first, positions.astype(np.uint32), side="right") - 1
        return names[np.diff(names, prepend=-1) > 0]

    def of_names(self, numbers: I64) -> tuple[I64, Numbers]:
        """Returns the number of words of each name, and the numbers of these words, name by
        name."""
        counts = self.counts[numbers].astype(np.int64)
        return counts, self.flat[join_ranges(self.first[numbers].astype(np.int64), counts)]


def build_words(blob: memoryview, offsets: U32, odd: I64) -> tuple[list[str], U8, U32]:
    """Returns the distinct words of a table of names, the number of words of each name, and the
    numbers of these words.

    blob, offsets: the table; a NUL byte ends each name. odd: the names to leave out.
    """
    plain = bytearray(blob)
    for start, end in zip(offsets[odd].tolist(), offsets[odd + 1].tolist(), strict=True):
        plain[start : end - 1] = b"_" * (end - 1 - start)
    words = InternTable()
    counts = np.zeros(len(offsets) - 1, dtype=np.uint8)
    flat = [np.empty(0, dtype=np.uint32)]
    for first in range(0, len(counts), _NAMES_AT_ONCE):
        edges = offsets[first : first + _NAMES_AT_ONCE + 1]
        data = np.frombuffer(plain, dtype=np.uint8)[edges[0] : edges[-1]]
        begins = word_begins(data)
        # Puts a NUL byte before each word, and replaces bytes outside of words by NUL.
        apart = np.zeros(len(data) + np.count_nonzero(begins), dtype=np.uint8)
        apart[np.arange(len(data)) + np.cumsum(begins)] = _IN_WORDS[data]
        flat.append(words.number(list(filter(None, apart.tobytes().decode().split("\0")))))
        counts[first : first + _NAMES_AT_ONCE] = np.add.reduceat(
            begins, edges[:-1] - edges[0], dtype=np.uint8
        )
    places = words.sort(plain_order)
    return words.texts, counts, places[np.concatenate(flat)]


_IN_WORDS: Final = np.array(
    [code if chr(code).isalnum() and code < 128 else 0 for code in bytes(range(256)).lower()],
    np.uint8,
)
"""By byte: its form in words, 0 if it is not part of one."""

_NAMES_AT_ONCE: Final = 1 << 14
"""Names at a time, which limits the memory for temporary arrays."""


def find_odd(blob: memoryview, offsets: U32) -> I64:
    """Returns the numbers of the odd names of a table, in order."""
    not_ascii = np.flatnonzero(np.frombuffer(blob, dtype=np.uint8) >= 128)
    long = np.flatnonzero(np.diff(offsets) > MOST_WORDS).tolist()
    of_many = [
        number
        for number in long
        if len(_WORD.findall(blob[offsets[number] : offsets[number + 1]])) > MOST_WORDS
    ]
    # `np.union1d` would import masked arrays, which takes longer than an update.
    is_odd = np.zeros(len(offsets) - 1, dtype=np.bool_)
    is_odd[np.searchsorted(offsets, not_ascii.astype(np.uint32), side="right") - 1] = True
    is_odd[of_many] = True
    return np.flatnonzero(is_odd)
