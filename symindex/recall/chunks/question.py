"""Reads a question in words: which words decide, and which identifiers it names."""

from typing import Final

import msgspec

from symindex.text.words import ASKING_WORDS, STOP_WORDS, divided_tokens

MOST_CHARACTERS: Final = 2_000
"""Longest question, in characters: the rest is not searched, and the answer tells so."""

MOST_WORDS: Final = 32

_TIME_WORDS: Final = frozenset(["last", "latest", "newest", "recent", "recently"])
"""Words that request the order of time."""


class Question(msgspec.Struct, frozen=True):
    """What a question asks for.

    Attributes:
        words: those that decide; folded, unique, in order.
        identifiers: whole identifiers of several words.
        text: as it was asked.
        is_cut: whether it was too long to search for all of it.
    """

    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    text: str = ""
    is_cut: bool = False


def read_question(text: str) -> Question:
    """Reads a question. Words that only build a sentence, like `what`, count if there are no
    others."""
    tokens = divided_tokens(text[:MOST_CHARACTERS])
    every = [*dict.fromkeys(word for token in tokens for word in token.words)]
    rare = [word for word in every if word not in STOP_WORDS]
    words = [word for word in every if word not in ASKING_WORDS] if rare else every
    identifiers = [*dict.fromkeys(token.whole for token in tokens if token.is_identifier)]
    is_cut = len(text) > MOST_CHARACTERS or len(words) > MOST_WORDS
    return Question(
        tuple(words[:MOST_WORDS]), tuple(identifiers[:MOST_WORDS]), text[:MOST_CHARACTERS], is_cut
    )


def without_words_of_time(question: Question) -> Question:
    """Removes words that request the order of time, unless there are no others."""
    others = tuple(word for word in question.words if word not in _TIME_WORDS)
    return msgspec.structs.replace(question, words=others or question.words)
