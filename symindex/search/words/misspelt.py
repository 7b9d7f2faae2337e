"""Finds the words of an index's vocabulary of which a word may be a misspelling."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from symindex.index.snapshot import Part
from symindex.search.match.names import edits_allowed
from symindex.text.folding import fold

MOST_EDITS: Final = 20
"""Most edits that a request may allow in a word; the length of the word may allow fewer
(`edits_allowed`)."""


def likely_words(
    parts: Sequence[Part], word: str, most_edits: int | None = None
) -> list[list[str]]:
    """Returns the words at each distance, the nearest first. Some may occur only in files that have
    changed since they were indexed. most_edits: see `edits_allowed`."""
    return by_distance(_vocabularies(parts), word, edits_allowed(fold(word), most_edits))


def by_distance(
    vocabularies: Iterable[Sequence[str]], word: str, most_edits: int
) -> list[list[str]]:
    """Returns the words of some vocabularies within some edits of a word, by distance: the nearest
    first, equally near ones by code points."""
    if not most_edits:
        return []
    from rapidfuzz import (
        process,
    )  # imported here, because most words are spelt correctly and the import takes 15 ms
    from rapidfuzz.distance import OSA

    near: list[set[str]] = [set() for _ in range(most_edits + 1)]
    for vocabulary in vocabularies:
        for near_word, edits, _ in process.extract(
            word, vocabulary, scorer=OSA.distance, score_cutoff=most_edits, limit=None
        ):
            near[int(edits)].add(near_word)
    return [sorted(words) for words in near if words]


def near_words(parts: Sequence[Part], word: str, most_edits: int | None = None) -> tuple[str, ...]:
    """Returns these words without the word itself, the nearest first."""
    return tuple(
        near_word
        for words in likely_words(parts, word, most_edits)
        for near_word in words
        if near_word != word
    )[:_MOST_NEAR]


_MOST_NEAR: Final = 1_000
"""Most near words that are used. A hostile vocabulary could consist of nothing else."""


def _vocabularies(parts: Sequence[Part]) -> Iterator[list[str]]:
    for part in parts:
        yield part.index.text_words.texts
        yield [text.decode() for text in part.index.words.texts]
        yield list(part.index.odd_words)
