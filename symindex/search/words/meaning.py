"""Decides which words of an index a word of a query means.

A word means itself, the words of its stem and, with a lower weight, the words that begin with it.
If no row contains any of these, it means the words that contain it; if there are none, the words of
which it may be a misspelling.
"""

import msgspec
import numpy as np

from symindex.index.columns.arrays import I64
from symindex.index.columns.columns import Index
from symindex.search.words.weights import SHORTEST_BEGINNING
from symindex.text.words import beginnings_of, stem


class Meaning(msgspec.Struct, frozen=True):
    """The words of an index that count as a word of a query.

    words: folded; they and the words of their stems count in full. part: words that begin with it
    count less; empty for none. inside: whether words that contain `part` count, too. instead_of:
    the word of the query, if it occurs nowhere.
    """

    words: tuple[str, ...]
    part: str = ""
    inside: bool = False
    instead_of: str = ""

    @classmethod
    def of(cls, word: str, whole: bool = False) -> "Meaning":
        """Returns the usual meaning of a word. whole: excludes words that merely begin with it."""
        return cls((word,), word if len(word) >= SHORTEST_BEGINNING and not whole else "")

    def is_full(self, word: str) -> bool:
        """Whether a word counts in full."""
        return word in self.words or any(stem(word) == stem(meant) for meant in self.words)

    def is_less(self, word: str) -> bool:
        """Whether a word counts less, if it does not count in full."""
        return self.part != "" and (
            self.part in word if self.inside else word.startswith(self.part)
        )


class Tolerance(msgspec.Struct, frozen=True):
    """How much a word of a text may differ from a word of a query.

    misspelt: near words match, too, and count less. edits: see `names.edits_allowed`. whole: parts
    of words do not match, but words of the same stem do.
    """

    misspelt: bool = False
    edits: int | None = None
    whole: bool = False


class WordNumbers(msgspec.Struct, frozen=True):
    """Numbers of words in one of the two tables of an index: those that count in full, and those
    that count less."""

    full: I64
    less: I64


def in_texts(index: Index, meaning: Meaning) -> WordNumbers:
    """Returns numbers in `Index.text_words`."""
    words = index.text_words
    full = {number for word in meaning.words for number in words.stemming_to(stem(word))}
    full.update(number for word in meaning.words if (number := words.find(word)) is not None)
    less = (
        words.holding(meaning.part)
        if meaning.inside
        else words.beginning_with(meaning.part)
        if meaning.part
        else ()
    )
    return WordNumbers(_sorted(full), _sorted({*less} - full))


def in_names(index: Index, meaning: Meaning) -> WordNumbers:
    """Returns numbers in `Index.words`."""
    words = index.words
    full: set[int] = set()
    for word in meaning.words:
        stemmed = stem(word)
        for begin in beginnings_of(stemmed):
            low, high = words.range_of(begin.encode())
            full.update(
                number
                for number in range(low, high)
                if stem(words.texts[number].decode()) == stemmed
            )
        if (number := words.find(word.encode())) is not None:
            full.add(number)
    part = meaning.part.encode()
    less = (
        words.holding(part).tolist()
        if meaning.inside
        else range(*words.range_of(part))
        if part
        else ()
    )
    return WordNumbers(_sorted(full), _sorted({*less} - full))


def _sorted(numbers: set[int]) -> I64:
    return np.array(sorted(numbers), dtype=np.int64)
