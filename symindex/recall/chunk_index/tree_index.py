"""The sections and items of a tree as chunks: their words are in the index of the tree
(`index/words/text_words`), so nothing is stored a second time.

The chunk of a row is its own text, without the sections inside it; the headings above it are part
of its title. The index knows whether a word occurs once, two or three times, or more often.
"""

from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import join_ranges
from symindex.index.columns.strings import StringTable
from symindex.index.words.text_words import Field, read_lengths
from symindex.recall.chunk_index.chunk_index import ChunkIndex, Postings

_COUNTS: Final = {
    Field.SIGNATURE: (1.0, 1.0),
    Field.CONTAINER: (1.0, 0.0),
    Field.DOC: (0.0, 1.0),
    Field.REPEATED: (0.0, 1.4),
    Field.OFTEN: (0.0, 3.6),
}
"""By field: what a list that contains a section adds to the counts of the word in its title and in
its text, which begins with the heading. A word that occurs four times or more counts as six: in
Markdown documents, such words occur 5 times in the median and 6.8 times on average."""


def tree_chunks(documents: Index, first: int, existing: Mask | None = None) -> ChunkIndex:
    """Returns the sections and items of an index as chunks, in the order of their places. first:
    the number of the first one. existing: by place, whether it exists; `None` if all do."""
    numbers = np.arange(first, first + documents.n_symbols, dtype=np.int64)
    places = np.arange(documents.n_symbols, dtype=np.int64)
    containers = documents.container_runs[places]
    names = documents.name_of(documents.row_at[places].astype(np.int64))
    title_lengths = _n_words(documents.names)[names] + _n_words(documents.containers)[containers]
    by_container = np.argsort(containers, kind="stable")
    edges = np.searchsorted(containers[by_container], np.arange(len(documents.containers) + 1))

    def find(words: list[int]) -> list[Postings]:
        found: list[Postings] = []
        lists = documents.text_words.by_word(np.array(words, dtype=np.int64), _COUNTS)
        for field, (of_words, owners) in lists.items():
            if field is Field.CONTAINER:
                first_places = edges[owners]
                n_places = edges[owners + 1] - first_places
                of_words = np.repeat(of_words, n_places)
                owners = by_container[join_ranges(first_places, n_places)]
            found.append(Postings(of_words, owners, *_COUNTS[field]))
        return found

    lengths = read_lengths(documents.u8("content_lengths"))
    words = documents.text_words
    is_word = words.in_fields(_COUNTS)
    return ChunkIndex(numbers, title_lengths, lengths, words.table, find, is_word, existing)


def _n_words(table: StringTable) -> I64:
    """Returns by text the number of its words: one more than it has blanks."""
    if not len(table):
        return np.empty(0, dtype=np.int64)
    is_blank = np.frombuffer(table.blob, dtype=np.uint8) == ord(" ")
    counts: I64 = np.add.reduceat(is_blank, table.offset[:-1].astype(np.int64), dtype=np.int64)
    return counts + (table.lengths > 0)
