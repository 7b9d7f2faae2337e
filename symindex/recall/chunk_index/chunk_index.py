"""The words of chunks of prose: which chunks contain each word, and how often.

A chunk is a title and a text. `tree_index` reads the words of a tree's sections from its index,
`chunk_columns` those of added content and notes from columns of their own.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64, Mask, Numbers, distinct_of
from symindex.index.columns.strings import StringTable
from symindex.text.words import beginnings_of, stem

MOST_KEPT: Final = 20_000
"""Most words of questions whose places in the vocabulary are cached."""


BEHIND: Final = "\U0010ffff"
"""Sorts after all letters."""

LONGEST_ENDING: Final = 12
"""Most letters that a stem drops from a word: `fulnesses`, and what precedes it."""

LONGEST_PLAIN: Final = 64
"""Longest word, in letters, that is searched for parts."""


class Postings(NamedTuple):
    """Postings of some words.

    word: its position among those searched for. chunk: the place of the chunk. in_title,
    in_content: the counts, or one that all have; those of several postings of a chunk add up.
    """

    word: I64
    chunk: Numbers
    in_title: Numbers | float
    in_content: Numbers | float


FindsPostings = Callable[[list[int]], list[Postings]]
"""Finds the postings of words, by their numbers."""


class ChunkIndex:
    """Some chunks and their words.

    Args:
        ids: of the chunks, ascending.
        title_lengths, lengths: of title and text by chunk, in words.
        words: the distinct words, ordered by code points.
        find: returns the postings of some words, by their numbers.
        is_word: by word, whether chunks may contain it; `None` if all do.
        existing: by place, whether the chunk exists; `None` if all do.
    """

    def __init__(
        self,
        ids: I64,
        title_lengths: Numbers,
        lengths: Numbers,
        words: StringTable,
        find: FindsPostings,
        is_word: Mask | None = None,
        existing: Mask | None = None,
    ) -> None:
        self.ids: I64 = ids
        self.title_lengths: Numbers = title_lengths
        self.lengths: Numbers = lengths
        self.words: StringTable = words
        self.find: FindsPostings = find
        self._is_word = is_word
        self.existing: Mask | None = existing
        self._stemming: dict[str, list[int]] = {}
        self._holding: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def texts(self) -> list[str]:
        """All words that chunks may contain."""
        if self._is_word is None:
            return self.words.all
        return self.words.take(np.flatnonzero(self._is_word))

    def _occurring(self, numbers: list[int]) -> list[int]:
        """Returns those of some words that existing chunks contain."""
        if self._is_word is not None:
            numbers = [number for number in numbers if self._is_word[number]]
        if self.existing is None or not numbers:
            return numbers
        occurs = np.zeros(len(numbers), dtype=bool)
        for postings in self.find(numbers):
            occurs[postings.word[self.existing[postings.chunk]]] = True
        return [number for number, is_so in zip(numbers, occurs.tolist(), strict=True) if is_so]

    def places_of(self, ids: I64) -> I64:
        """Returns the places of chunks by their numbers, without those that are not here."""
        nearest = np.searchsorted(self.ids, ids)
        inside = nearest < len(self.ids)
        nearest, ids = nearest[inside], ids[inside]
        places: I64 = nearest[self.ids[nearest] == ids].astype(np.int64)
        return places

    def stemming_to(self, wanted: str) -> list[int]:
        """Returns the numbers of the words with a stem that chunks contain."""
        if (cached := self._stemming.get(wanted)) is not None:
            return cached
        numbers, longest = [], len(wanted) + LONGEST_ENDING
        for beginning in beginnings_of(wanted):
            low, high = self.words.place_of(beginning), self.words.place_of(beginning + BEHIND)
            if low < high:
                words = (
                    bytes(self._blob[self._starts[low] : self._starts[high]])
                    .decode("utf-8", "replace")
                    .split("\0")
                )
                numbers += [
                    low + number
                    for number, word in enumerate(words[: high - low])
                    if word == wanted
                    or (word.isalpha() and len(word) <= longest and stem(word) == wanted)
                ]
        numbers = self._occurring(numbers)
        if len(self._stemming) < MOST_KEPT:
            self._stemming[wanted] = numbers
        return numbers

    def holding(self, text: str) -> list[int]:
        """Returns the numbers of the words of plain letters that contain a text, of those that
        chunks contain."""
        if (cached := self._holding.get(text)) is not None:
            return cached
        blob, offset, numbers = self._plain
        part, places = text.encode(), []
        position = blob.find(part)
        while position >= 0:
            places.append(position)
            position = blob.find(part, position + 1)
        words = distinct_of(
            np.searchsorted(offset, np.array(places, dtype=np.int64), side="right") - 1
        )
        result = self._occurring(numbers[words].tolist())
        if len(self._holding) < MOST_KEPT:
            self._holding[text] = result
        return result

    @cached_property
    def _blob(self) -> bytes:
        return bytes(self.words.blob)

    @cached_property
    def _starts(self) -> list[int]:
        return self.words.offset.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _plain(self) -> tuple[bytes, I64, I64]:
        """Returns the words of plain letters in one string, their offsets there, and their numbers.
        Identifiers are left out: their words are in it."""
        data = np.frombuffer(self._blob, dtype=np.uint8)
        starts = self.words.offset[:-1].astype(np.int64)
        sizes = np.diff(self.words.offset).astype(np.int64)
        if not len(starts):
            return b"", np.empty(0, np.int64), np.empty(0, np.int64)
        is_other = (data < ord("a")) | ((data > ord("z")) & (data < 128))
        is_plain = (np.add.reduceat(is_other, starts, dtype=np.int64) == 1) & (
            sizes <= LONGEST_PLAIN
        )  # the only other byte is the NUL
        plain_sizes = sizes[is_plain]
        return (
            data[np.repeat(is_plain, sizes)].tobytes(),
            np.cumsum(plain_sizes) - plain_sizes,
            np.flatnonzero(is_plain),
        )
