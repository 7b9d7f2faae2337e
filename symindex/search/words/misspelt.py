"""Which words of the vocabulary a word may be a misspelling of."""

from collections.abc import Iterator, Sequence
from typing import Final

from symindex.index.snapshot import Part
from symindex.search.match.names import TYPO_STEPS, Needle

MOST_EDITS: Final = max(edits for _, edits in TYPO_STEPS)


def likely_words(parts: Sequence[Part], word: str, most_edits: int | None = None) -> list[list[str]]:
    """The words of each distance, the nearest first. As many edits are allowed as in names, by the length of the word, or fewer.
    Some may stand only in files that have changed since."""
    from rapidfuzz import process  # here, because most words are spelt well and its import takes 15 ms
    from rapidfuzz.distance import OSA

    limit = Needle(word, most_edits).max_typos
    near: list[set[str]] = [set() for _ in range(limit + 1)]
    for some in _vocabularies(parts) if limit else ():
        for other, edits, _ in process.extract(word, some, scorer=OSA.distance, score_cutoff=limit, limit=None):
            near[int(edits)].add(other)
    return [sorted(others) for others in near if others]


def _vocabularies(parts: Sequence[Part]) -> Iterator[list[str]]:
    for part in parts:
        yield part.index.text_words.texts
        yield [text.decode() for text in part.index.words.texts]
        yield list(part.index.odd_words)
