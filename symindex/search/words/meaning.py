"""What a word of a query means in an index: the words of names and texts that count as it.

A word means itself and the words of its stem, and, less, those that begin with it. Where no row
holds any, it means the words that hold it, and where there are none, those that it may be a
misspelling of.
"""

import msgspec
import numpy as np

from symindex.index.columns.arrays import I64
from symindex.index.columns.columns import Index
from symindex.search.words.weights import SHORTEST_BEGINNING
from symindex.text.words import beginnings_of, stem


class Meaning(msgspec.Struct, frozen=True):
    """words: folded; they and those of their stems count in full. part: counts as the beginning of
    a word; empty if it does not. inside: whether it may also stand inside one. instead_of: the word
    that was asked for, where that is found nowhere."""

    words: tuple[str, ...]
    part: str = ""
    inside: bool = False
    instead_of: str = ""

    @classmethod
    def of(cls, word: str, whole: bool = False) -> "Meaning":
        """whole: no words that it only begins."""
        return cls((word,), word if len(word) >= SHORTEST_BEGINNING and not whole else "")

    def is_full(self, word: str) -> bool:
        """Whether a word counts in full."""
        return word in self.words or any(stem(word) == stem(each) for each in self.words)

    def is_less(self, word: str) -> bool:
        """Whether a word counts less, unless it counts in full."""
        return self.part != "" and (
            self.part in word if self.inside else word.startswith(self.part)
        )


class Tolerance(msgspec.Struct, frozen=True):
    """How far a word of a text may be from one of a query. misspelt: near words count as well, but
    less. edits: see `names.edits_allowed`. whole: parts of words do not count; words of one stem
    do."""

    misspelt: bool = False
    edits: int | None = None
    whole: bool = False


class WordNumbers(msgspec.Struct, frozen=True):
    """The numbers of words in one of an index's two tables: those that count in full, and those
    that count less."""

    full: I64
    less: I64


def in_texts(index: Index, meaning: Meaning) -> WordNumbers:
    """The numbers in `Index.text_words`."""
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
    """The numbers in `Index.words`."""
    words = index.words
    full: set[int] = set()
    for word in meaning.words:
        wanted = stem(word)
        for begin in beginnings_of(wanted):
            low, high = words.range_of(begin.encode())
            full.update(
                number
                for number in range(low, high)
                if stem(words.texts[number].decode()) == wanted
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
