"""Says how weakly a hit matches, as a word in the hit, so that nobody mistakes a guess for the
answer.

A name that matches in a strong tier has no such word, nor has a row with all words of a question.
Every guess is marked, and a notice says so if an answer consists of guesses only.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.protocol.search import SOME_WORDS, SearchItem, is_guess
from symindex.search.match.lookup import Points
from symindex.search.match.names import BAND_TOLERANCE, BANDS, POINTS, Tier
from symindex.search.names.hits import PartHits
from symindex.text.escaping import shorten

TYPO: Final = "typo"
LETTERS: Final = "letters"
TEXT: Final = "text"
"""The words: the name, or a word, is near in spelling; the name has the letters in order; the parts
of the name occur as words in signature, doc, path or container. SOME_WORDS marks rows with only
some words of a question."""

MEANINGS: Final = {
    TYPO: "is spelt almost like it (typo)",
    LETTERS: "has its letters in order (letters)",
    TEXT: "contains its parts as words in signature, doc comment, path or container (text)",
}
"""What the notice says about rows of an answer that consists of guesses, by their word."""

_LONGEST_QUOTED: Final = 60
"""Longest query, in characters, that a notice repeats in full."""

Weakness = Callable[[int, I64, Points], list[str]]
"""A function from the number of a part, rows of it and their points to the word of each row, empty
if it is not a guess."""

_STRONG: Final = round((BANDS[Tier.SUBSTRING][0] - BAND_TOLERANCE) * POINTS)
_MISSPELT: Final = round((BANDS[Tier.TYPO][0] - BAND_TOLERANCE) * POINTS)


def by_tier(_: int, _rows: I64, points: Points) -> list[str]:
    """Returns the words of hits whose points tell their tier."""
    return [
        "" if of_hit >= _STRONG else TYPO if of_hit >= _MISSPELT else LETTERS
        for of_hit in points.tolist()
    ]


def by_tier_before(name_hits: Sequence[PartHits]) -> Weakness:
    """Returns the function for hits by name that were joined with others. name_hits: by part, with
    the points of their tiers."""

    def weakness(number: int, rows: I64, _points: Points) -> list[str]:
        every, points = name_hits[number].everything()
        words = dict(zip(every.tolist(), by_tier(number, every, points), strict=True))
        return [words.get(row, TEXT) for row in rows.tolist()]

    return weakness


def by_words(complete: Sequence[I64] | None, is_corrected: bool) -> Weakness:
    """Returns the function for hits of a question. complete: by part, the rows with all words;
    `None` if all rows have them. is_corrected: whether a word was replaced."""

    def weakness(number: int, rows: I64, _points: Points) -> list[str]:
        holds_all = (
            np.ones(len(rows), dtype=bool) if complete is None else np.isin(rows, complete[number])
        )
        return [
            (TYPO if is_corrected else "") if holds else SOME_WORDS for holds in holds_all.tolist()
        ]

    return weakness


def guess_notice(query: str, items: Sequence[SearchItem]) -> str:
    """Returns the notice for a page that consists of guesses; empty for other pages."""
    if not items or not all(map(is_guess, items)):
        return ""
    kinds = [MEANINGS[word] for word in MEANINGS if any(item.match == word for item in items)]
    return (
        f"nothing matches `{shorten(query, _LONGEST_QUOTED)}` itself; each row {' or '.join(kinds)}"
    )
