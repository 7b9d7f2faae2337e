"""Which words of the vocabulary a word may be a misspelling of."""

from collections.abc import Iterator, Sequence
from typing import Final

from symindex.index.snapshot import Part
from symindex.search.match.names import edits_allowed
from symindex.text.folding import fold

MOST_EDITS: Final = 20
"""The most that may be asked for in a word; its length allows fewer (`edits_allowed`)."""


def likely_words(
    parts: Sequence[Part], word: str, most_edits: int | None = None
) -> list[list[str]]:
    """The words of each distance, the nearest first. most_edits: see `edits_allowed`.
    Some may stand only in files that have changed since."""
    from rapidfuzz import (
        process,
    )  # here, because most words are spelt well and its import takes 15 ms
    from rapidfuzz.distance import OSA

    limit = edits_allowed(fold(word), most_edits)
    near: list[set[str]] = [set() for _ in range(limit + 1)]
    for some in _vocabularies(parts) if limit else ():
        for other, edits, _ in process.extract(
            word, some, scorer=OSA.distance, score_cutoff=limit, limit=None
        ):
            near[int(edits)].add(other)
    return [sorted(others) for others in near if others]


def near_words(parts: Sequence[Part], word: str, most_edits: int | None = None) -> tuple[str, ...]:
    """Those words, but for the word itself, the nearest first."""
    return tuple(
        other for some in likely_words(parts, word, most_edits) for other in some if other != word
    )[:_MOST_NEAR]


_MOST_NEAR: Final = 1_000
"""A vocabulary could be made of words that are near to one."""


def _vocabularies(parts: Sequence[Part]) -> Iterator[list[str]]:
    for part in parts:
        yield part.index.text_words.texts
        yield [text.decode() for text in part.index.words.texts]
        yield list(part.index.odd_words)
