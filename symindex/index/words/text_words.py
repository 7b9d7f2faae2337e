"""The words of a symbol's texts besides its name: signature, doc, containers and path.

A word is stored once, with a posting list for each field in which it occurs. The lists of
signatures and docs contain places; those of containers, folders and files contain their numbers.
Words of names are stored with the names (`index/words/name_words`).
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum
from functools import cached_property
from typing import Final

import numpy as np

from symindex.index.columns.arrays import F64, I64, U8, Mask
from symindex.index.columns.integer_columns import (
    SmallIntegers,
    edges_of,
    join_ranges,
    pack,
    read_below,
)
from symindex.index.columns.strings import StringTable, occurrences
from symindex.index.words.postings import PostingLists
from symindex.text.words import beginnings_of, stem


class Field(IntEnum):
    """A field with words; the numbers are part of the format."""

    SIGNATURE = 0
    SUMMARY = 1
    DOC = 2
    CONTAINER = 3
    FOLDER = 4
    BASE = 5
    REPEATED = 6
    """The texts of DOC that contain the word at least TWICE; of sections and items alone."""
    OFTEN = 7
    """Those that contain it at least FOUR_TIMES."""


TWICE: Final = 2
FOUR_TIMES: Final = 4

_EVERY: Final = np.array(list(Field))

_OWNED: Final = np.array(
    [[bits >> field & 1 for field in Field] for bits in range(1 << len(Field))], dtype=bool
)
"""By the bits of a word: which fields have a list of it."""

_POPCOUNT: Final = np.array([bits.bit_count() for bits in range(1 << len(Field))], dtype=np.uint8)


_STEPS: Final = 16
"""Steps in which a stored length doubles."""


def pack_lengths(lengths: I64) -> memoryview:
    """Packs numbers of words as their logarithms, a byte each: up to 62,000, within 3 %."""
    return pack(np.minimum(np.rint(np.log2(lengths + 1) * _STEPS), 255), "<u1")


def read_lengths(packed: U8) -> F64:
    """Returns the numbers that were packed, about."""
    of_byte: F64 = np.exp2(np.arange(256) / _STEPS) - 1
    return of_byte[packed]


class TextWords:
    """Read access to the words of texts.

    table: the distinct words, folded, by code points. fields: by word, a bit for each Field with a
    list of it. sizes: of the lists, word by word, field by field. limits: by Field, the limit of
    its numbers.
    """

    def __init__(
        self,
        table: StringTable,
        fields: U8,
        sizes: SmallIntegers,
        data: memoryview,
        limits: tuple[int, ...],
    ) -> None:
        self.table = table
        self._fields = fields
        self._first = edges_of(_POPCOUNT[fields], len(sizes), "column posting_sizes")
        self._lists = PostingLists(
            data, edges_of(sizes.all(), len(data), "column posting_sizes"), "column postings"
        )
        self._limits = limits

    @cached_property
    def texts(self) -> list[str]:
        """The words."""
        return self.table.all

    def __len__(self) -> int:
        return len(self.table)

    def find(self, word: str) -> int | None:
        """Returns the number of a word, or `None`."""
        return self.table.find(word)

    def beginning_with(self, prefix: str) -> range:
        """Returns the numbers of the words with a prefix."""
        low = self.table.place_of(prefix)
        inside, high, step = low, low, 1
        # Most ranges are short, so this doubles its steps before it bisects.
        while high < len(self.table) and self.table[high].startswith(prefix):
            inside, high, step = high, min(high + step, len(self.table)), step * 2
        return range(
            low,
            bisect_left(
                range(high),
                True,
                lo=inside,
                key=lambda number: not self.table[number].startswith(prefix),
            ),
        )

    def holding(self, text: str) -> list[int]:
        """Returns the numbers of the words that contain a text."""
        places = occurrences(np.frombuffer(self.table.blob, dtype=np.uint8), text.encode())
        return sorted(
            {
                *(
                    np.searchsorted(self.table.offset, places.astype(np.uint32), side="right") - 1
                ).tolist()
            }
        )

    def stemming_to(self, stem_wanted: str) -> list[int]:
        """Returns the numbers of the words with a stem."""
        ranges = map(self.beginning_with, beginnings_of(stem_wanted))
        return [
            number
            for numbers in ranges
            for number in numbers
            if stem(self.table[number]) == stem_wanted
        ]

    def in_fields(self, fields: Iterable[Field]) -> Mask:
        """Returns by word whether one of some fields has a list of it."""
        mask: Mask = (self._fields & np.uint8(sum(1 << field for field in fields))) != 0
        return mask

    def numbers(self, words: I64, fields: Collection[Field]) -> dict[Field, I64]:
        """Returns by field the contents of the words' lists: in order for one word, else perhaps
        with duplicates."""
        lists, of_field, _ = self._lists_of(words)
        by_field = {}
        for field in fields:
            selected = lists[of_field == field]
            if len(selected):
                by_field[field] = self._lists.read(selected, self._limits[field])[0]
        return by_field

    def by_word(self, words: I64, fields: Collection[Field]) -> dict[Field, tuple[I64, I64]]:
        """Returns by field the contents of the words' lists, word by word: the position of the
        word, and the number."""
        lists, of_field, counts = self._lists_of(words)
        is_wanted = np.zeros(len(Field), dtype=bool)
        is_wanted[[*fields]] = True
        selected = np.flatnonzero(is_wanted[of_field])
        selected = selected[np.argsort(of_field[selected], kind="stable")]  # field by field
        # All are read at once, and each field is checked against its own limit.
        numbers, sizes = self._lists.read(lists[selected], 1 << 32)
        of_word = np.repeat(np.repeat(np.arange(len(words)), counts)[selected], sizes)
        edges = np.cumsum(np.bincount(of_field[selected], sizes, len(Field))).astype(int).tolist()
        by_field = {}
        for field, start, end in zip(Field, [0, *edges], edges, strict=False):
            if start < end:
                of_this = read_below(numbers[start:end], self._limits[field], "column postings")
                by_field[field] = of_word[start:end], of_this
        return by_field

    def totals(self, times: Mapping[Field, int]) -> I64:
        """Returns by word the number of entries of its lists of some fields, multiplied by `times`
        of the field."""
        _, of_field, counts = self._lists_of(np.arange(len(self)))
        factors = np.zeros(len(Field), dtype=np.int64)
        factors[[*times]] = [*times.values()]
        ended = np.append(0, np.cumsum(self._lists.counts() * factors[of_field]))
        edges = np.append(0, np.cumsum(counts))
        totals: I64 = np.diff(ended[edges])
        return totals

    def _lists_of(self, words: I64) -> tuple[I64, I64, I64]:
        """Returns the lists of some words, word by word, their fields, and how many each word
        has."""
        owned = _OWNED[self._fields[words]]
        counts = _POPCOUNT[self._fields[words]].astype(np.int64)
        of_field = np.repeat(np.tile(_EVERY, len(words)), owned.ravel())
        return join_ranges(self._first[words].astype(np.int64), counts), of_field, counts

    def all_in(self, field: Field) -> tuple[I64, I64]:
        """Returns every posting of a field: words, and the contents of their lists."""
        words = np.flatnonzero(self._fields >> field & 1)
        lists = (
            self._first[words].astype(np.int64)
            + _POPCOUNT[self._fields[words] & ((1 << field) - 1)]
        )
        numbers, counts = self._lists.read(lists, self._limits[field])
        return np.repeat(words, counts), numbers

    def marked(self, words: I64, field: Field) -> Mask:
        """Returns a mask over the numbers in the field's lists: whether one of the words occurs
        there."""
        mask = np.zeros(self._limits[field], dtype=bool)
        if field in (numbers := self.numbers(words, (field,))):
            mask[numbers[field]] = True
        return mask
