"""Builds the columns of `recall/chunk_index/chunk_columns` from chunks in the order of their
numbers."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64, U32
from symindex.index.columns.integer_columns import join_ranges, pack
from symindex.index.columns.strings import pack_texts
from symindex.index.words.postings import first_of_each
from symindex.recall.chunk_index.chunk_columns import MOST_OF_A_WORD, ChunkColumns
from symindex.text.words import divide, tokens_of

_LONGEST: Final = 65_535
_AT_ONCE: Final = 2_000_000
"""Tokens that are sorted together: limits the memory for intermediate arrays."""


class Chunk(NamedTuple):
    """A chunk to index. id: positive, higher than that of the chunk before."""

    id: int
    title: str
    text: str


def build_chunks(chunks: Iterable[Chunk]) -> ChunkColumns:
    """Returns the columns of some chunks."""
    builder = _ColumnBuilder()
    for chunk in chunks:
        builder.add(chunk)
    return builder.columns()


class _ColumnBuilder:
    def __init__(self) -> None:
        self._number: dict[str, int] = {}  # of tokens as texts have them
        self._ids: list[int] = []
        self._lengths: list[int] = []  # title, content, title, content
        self._tokens: list[int] = []
        self._n_before = 0  # texts whose tokens are packed
        self._words: dict[str, int] = {}
        self._divided: list[tuple[int, ...]] = []  # words by token
        self._keys: list[tuple[I64, U32]] = []

    def add(self, chunk: Chunk) -> None:
        self._ids.append(chunk.id)
        number = self._number
        for text in (chunk.title, chunk.text):
            tokens = tokens_of(text)
            self._lengths.append(len(tokens))
            self._tokens += [number.setdefault(token, len(number)) for token in tokens]
        if len(self._tokens) > _AT_ONCE:
            self._pack()

    def _pack(self) -> None:
        """Packs the tokens since the last call: sorted keys of word and text, with counts."""
        for token in [*self._number][len(self._divided) :]:
            divided = divide(token)
            every = dict.fromkeys((*([divided.whole] if divided.whole else []), *divided.words))
            self._divided.append(
                tuple(self._words.setdefault(word, len(self._words)) for word in every)
            )
        counts = np.array([len(group) for group in self._divided], dtype=np.int64)
        flat = np.array([word for group in self._divided for word in group], dtype=np.int64)
        tokens = np.array(self._tokens, dtype=np.int64)
        lengths = np.array(self._lengths[self._n_before :], dtype=np.int64)
        texts = np.repeat(np.arange(self._n_before, len(self._lengths)), lengths)
        words = flat[join_ranges((np.cumsum(counts) - counts)[tokens], counts[tokens])]
        keys = words << _LOW | np.repeat(texts, counts[tokens])
        keys.sort()
        first = first_of_each(keys.view(np.uint64))
        counts_of_keys = np.diff(np.append(first, len(keys))).astype(np.uint32)
        self._keys.append((keys[first], counts_of_keys))
        self._tokens, self._n_before = [], len(self._lengths)

    def columns(self) -> ChunkColumns:
        self._pack()
        words = sorted(self._words)
        rank = np.empty(len(words), dtype=np.int64)
        rank[np.array([self._words[word] for word in words], dtype=np.int64)] = np.arange(
            len(words)
        )
        keys = np.concatenate([batch for batch, _ in self._keys])
        counts = np.minimum(
            np.concatenate([counts for _, counts in self._keys]), MOST_OF_A_WORD
        ).astype(np.uint8)
        keys = rank[keys >> _LOW] << _LOW | (keys & _MASK) if len(keys) else keys
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
        is_content = (keys & 1).astype(bool)
        keys >>= 1  # the keys are now word and chunk
        first = first_of_each(keys.view(np.uint64))
        in_title, in_content = (np.zeros(len(first), dtype=np.uint8) for _ in range(2))
        posting = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(keys))))
        in_title[posting[~is_content]] = counts[~is_content]
        in_content[posting[is_content]] = counts[is_content]
        keys = keys[first]
        blob, sizes = pack_texts(words)
        lengths = np.minimum(np.array(self._lengths, dtype=np.int64), _LONGEST)
        return ChunkColumns(
            ids=pack(self._ids, "<i8"),
            title_lengths=pack(lengths[::2], "<u2"),
            lengths=pack(lengths[1::2], "<u2"),
            word_blob=blob,
            word_sizes=sizes,
            n_postings=pack(np.bincount(keys >> (_LOW - 1), minlength=len(words)), "<u4"),
            chunks=pack(keys & (_MASK >> 1), "<u4"),
            in_title=pack(in_title, "<u1"),
            in_content=pack(in_content, "<u1"),
        )


_LOW: Final = 33
"""The low bits of a key number a text: twice the place of the chunk, plus one for its content."""

_MASK: Final = (1 << _LOW) - 1
