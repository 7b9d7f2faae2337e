"""The words of added content and notes as columns: for each word the chunks that contain it, with
counts in title and content.

A chunk has a few thousand bytes, and a number from its store, which has the text itself. Postings
are plain arrays: a search adds them up where they are mapped.
"""

from typing import Final

import msgspec
import numpy as np

from symindex.index.columns.arrays import I64, U8, U16, U32
from symindex.index.columns.integer_columns import edges_of, join_ranges, read_below, require
from symindex.index.columns.strings import StringTable
from symindex.recall.chunk_index.chunk_index import ChunkIndex, Postings

MOST_OF_A_WORD: Final = 255
"""Highest count of a word in a chunk."""


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


def open_chunks(columns: ChunkColumns) -> ChunkIndex:
    """Reads the columns. Raises DamagedIndexError for columns that do not fit together."""
    ids: I64 = np.frombuffer(columns.ids, dtype="<i8")
    title_lengths: U16 = np.frombuffer(columns.title_lengths, dtype="<u2")
    lengths: U16 = np.frombuffer(columns.lengths, dtype="<u2")
    require(len(ids) == len(lengths) == len(title_lengths), "chunks: columns of several lengths")
    require(bool((np.diff(ids) > 0).all()), "column ids: not in order")
    counts: U32 = np.frombuffer(columns.n_postings, dtype="<u4")
    words = StringTable(columns.word_blob, columns.word_sizes, "chunk words", len(counts))
    in_title: U8 = np.frombuffer(columns.in_title, dtype="<u1")
    in_content: U8 = np.frombuffer(columns.in_content, dtype="<u1")
    chunks: U32 = np.frombuffer(columns.chunks, dtype="<u4")
    require(len(chunks) == len(in_title) == len(in_content), "postings: columns of several lengths")
    edges = edges_of(counts, len(chunks), "column n_postings")

    def find(numbers: list[int]) -> list[Postings]:
        wanted = np.array(numbers, dtype=np.int64)
        starts = edges[wanted].astype(np.int64)
        sizes = edges[wanted + 1].astype(np.int64) - starts
        selection: slice | I64 = (
            slice(int(starts[0]), int(starts[0] + sizes[0]))
            if len(wanted) == 1
            else join_ranges(starts, sizes)
        )
        places = read_below(chunks[selection], len(ids), "column chunks")
        positions = np.repeat(np.arange(len(wanted)), sizes)
        return [Postings(positions, places, in_title[selection], in_content[selection])]

    return ChunkIndex(ids, title_lengths, lengths, words, find)
