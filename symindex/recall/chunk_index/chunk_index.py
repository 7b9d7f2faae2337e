"""The words of chunks of prose as columns: for each word the chunks that contain it, with counts in
title and content.

A chunk is a title and a text of a few thousand bytes, with a number from its store, which has the
text itself. Postings are plain arrays: a search adds them up where they are mapped.
"""

from functools import cached_property
from typing import Final, NamedTuple

import msgspec
import numpy as np

from symindex.index.columns.arrays import I64, U8, U16, U32, distinct_of
from symindex.index.columns.integer_columns import edges_of, join_ranges, read_below, require
from symindex.index.columns.strings import StringTable
from symindex.text.words import beginnings_of, stem

MOST_OF_A_WORD: Final = 255
"""Highest count of a word in a chunk."""


MOST_KEPT: Final = 20_000
"""Most words of questions whose places in the vocabulary are cached."""


BEHIND: Final = "\U0010ffff"
"""Sorts after all letters."""

LONGEST_ENDING: Final = 12
"""Most letters that a stem drops from a word: `fulnesses`, and what precedes it."""

LONGEST_PLAIN: Final = 64
"""Longest word, in letters, that is searched for parts."""


class ChunkColumns(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The stored columns.

    Attributes:
        ids: of the chunks, ascending; 64-bit.
        title_lengths, lengths: in tokens; 16-bit.
        word_blob, word_sizes: the distinct words, ordered by code points.
        n_postings: by word; 32-bit.
        chunks: by posting the place of the chunk, ascending for each word; 32-bit.
        in_title, in_content: by posting the count; 8-bit.
    """

    ids: memoryview
    title_lengths: memoryview
    lengths: memoryview
    word_blob: memoryview
    word_sizes: memoryview
    n_postings: memoryview
    chunks: memoryview
    in_title: memoryview
    in_content: memoryview


class Postings(NamedTuple):
    """The postings of some words, word by word. word: its position among those searched for. chunk:
    the place of the chunk."""

    word: I64
    chunk: U32
    in_title: U8
    in_content: U8


class ChunkIndex:
    """Reads the columns. Raises DamagedIndexError for columns that do not fit together."""

    def __init__(self, columns: ChunkColumns) -> None:
        self.columns = columns
        self.ids: I64 = np.frombuffer(columns.ids, dtype="<i8")
        self.title_lengths: U16 = np.frombuffer(columns.title_lengths, dtype="<u2")
        self.lengths: U16 = np.frombuffer(columns.lengths, dtype="<u2")
        require(
            len(self.ids) == len(self.lengths) == len(self.title_lengths),
            "chunks: columns of several lengths",
        )
        require(bool((np.diff(self.ids) > 0).all()), "column ids: not in order")
        counts: U32 = np.frombuffer(columns.n_postings, dtype="<u4")
        self.words: StringTable = StringTable(
            columns.word_blob, columns.word_sizes, "chunk words", len(counts)
        )
        self._in_title: U8 = np.frombuffer(columns.in_title, dtype="<u1")
        self._in_content: U8 = np.frombuffer(columns.in_content, dtype="<u1")
        self._chunks: U32 = np.frombuffer(columns.chunks, dtype="<u4")
        require(
            len(self._chunks) == len(self._in_title) == len(self._in_content),
            "postings: columns of several lengths",
        )
        self._stemming: dict[str, list[int]] = {}
        self._holding: dict[str, list[int]] = {}
        self._edges = edges_of(counts, len(self._chunks), "column n_postings")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def texts(self) -> list[str]:
        """All words."""
        return self.words.all

    def places_of(self, ids: I64) -> I64:
        """Returns the places of chunks by their numbers, without those that are not here."""
        nearest = np.searchsorted(self.ids, ids)
        inside = nearest < len(self.ids)
        nearest, ids = nearest[inside], ids[inside]
        places: I64 = nearest[self.ids[nearest] == ids].astype(np.int64)
        return places

    def stemming_to(self, wanted: str) -> list[int]:
        """Returns the numbers of the words with a stem."""
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
        if len(self._stemming) < MOST_KEPT:
            self._stemming[wanted] = numbers
        return numbers

    def holding(self, text: str) -> list[int]:
        """Returns the numbers of the words of plain letters that contain a text."""
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
        result: list[int] = numbers[words].tolist()
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

    def find(self, numbers: list[int]) -> Postings:
        """Returns the postings of some words."""
        words = np.array(numbers, dtype=np.int64)
        starts = self._edges[words].astype(np.int64)
        counts = self._edges[words + 1].astype(np.int64) - starts
        selection: slice | I64 = (
            slice(int(starts[0]), int(starts[0] + counts[0]))
            if len(words) == 1
            else join_ranges(starts, counts)
        )
        chunks = read_below(self._chunks[selection], len(self), "column chunks")
        positions = np.repeat(np.arange(len(words)), counts)
        return Postings(positions, chunks, self._in_title[selection], self._in_content[selection])
