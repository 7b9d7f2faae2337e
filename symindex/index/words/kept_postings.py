"""The postings of an older index, as a build reads them: a range of words at a time, and each
posting once."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from symindex.extract.word_lists import TEXT_FIELDS
from symindex.index.columns.arrays import I64, U32, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import portions
from symindex.index.columns.layout import Columns
from symindex.index.columns.strings import InternTable
from symindex.index.words.build_words import Postings
from symindex.index.words.text_words import FOUR_TIMES, TWICE, Field

_N_TEXTS: Final = len(TEXT_FIELDS)

_TIMES: Final = {Field.REPEATED: TWICE - 1, Field.OFTEN: FOUR_TIMES - TWICE}
"""How many more postings of DOC an entry of a list stands for."""

_READ: Final = (*list(Field)[:_N_TEXTS], *_TIMES)
"""The fields with lists of symbols."""

_AT_ONCE: Final = 1 << 18
"""Postings at a time, which limits the memory for temporary arrays."""


class KeptPostings:
    """The postings of an older index for some symbols, each as often as the lists tell, as
    `build_words.PostingSource`.

    is_kept: by place; these symbols are numbered by place. Raises DamagedIndexError while the
    postings are read.
    """

    def __init__(self, columns: Columns, is_kept: Mask) -> None:
        self._columns = columns
        self._is_kept = is_kept
        self._number_of: U32 | None = None

    def add_words(self, table: InternTable) -> None:
        """See `PostingSource`."""
        self._words = Index(self._columns).text_words
        self._used: I64 = np.arange(len(self._words))
        self._totals: I64 = self._words.totals({field: _TIMES.get(field, 1) for field in _READ})
        if not self._is_kept.all():
            self._number_of = np.cumsum(self._is_kept, dtype=np.uint32) - np.uint32(1)
            self._totals = self._count()
        self._used = np.flatnonzero(self._totals)
        self._totals = self._totals[self._used]
        # What a table has decoded stays with it, so another one is used.
        texts = Index(self._columns).text_words.table.take(self._used)
        self._numbers: U32 = table.number(texts)

    def _count(self) -> I64:
        """Returns by word its number of postings of kept symbols."""
        totals = np.zeros(len(self._words), dtype=np.int64)
        for low, high in portions(self._totals, _AT_ONCE):
            for of_word, _ in self._read(self._used[low:high]):
                totals[low:high] += np.bincount(of_word, minlength=high - low)
        return totals

    def counts(self, n_words: int) -> I64:
        """See `PostingSource`."""
        counts = np.zeros(n_words, dtype=np.int64)
        counts[self._numbers] = self._totals
        return counts

    def between(self, ranks: U32, low: int, high: int) -> Iterator[Postings]:
        """See `PostingSource`."""
        of_words = ranks[self._numbers]
        selected = np.flatnonzero((of_words >= low) & (of_words < high))
        for start, end in portions(self._totals[selected], _AT_ONCE):
            words = selected[start:end]
            for of_word, texts in self._read(self._used[words]):
                yield Postings(of_words[words[of_word]], texts)

    def _read(self, words: I64) -> Iterator[tuple[I64, U32]]:
        """Yields the postings of some words, field by field: the position of the word, and the
        text."""
        for field, (of_word, places) in self._words.by_word(words, _READ).items():
            if self._number_of is not None:
                selected = np.flatnonzero(self._is_kept[places])
                of_word, places = of_word[selected], places[selected]
                numbers = self._number_of[places]
            else:
                numbers = places.astype(np.uint32)
            texts = numbers * np.uint32(_N_TEXTS)
            if field in _TIMES:
                yield (
                    np.repeat(of_word, _TIMES[field]),
                    np.repeat(texts + np.uint32(Field.DOC), _TIMES[field]),
                )
            else:
                yield of_word, texts + np.uint32(field)
