"""What a question in words asks for: the words that decide, and the identifiers that it names."""

from typing import Final

import msgspec

from symindex.text.words import STOP_WORDS, divide, tokens_of

MOST_CHARACTERS: Final = 2_000
"""Of a question: what stands behind them is not looked for, and the answer says so."""

MOST_WORDS: Final = 32

_CODE_WORDS: Final = """
and as by do for from has if in into is may not of on or over some such than that then this through to under up via where while
with without
"""  # noqa: E501

CODE_WORDS: Final = frozenset(_CODE_WORDS.split())
"""Common English words that are words of programming languages, too. A question may be about them,
and they are common enough in prose to decide little where it is not."""

_TIME_WORDS: Final = frozenset(["last", "latest", "newest", "recent", "recently"])
"""What they ask for is what the order of time gives."""

_ASKING: Final = STOP_WORDS - CODE_WORDS


class Question(msgspec.Struct, frozen=True):
    """words: those that decide, folded, in order and each once. identifiers: of those that are more
    than a word, the whole. text: as it was asked. is_cut: whether it was too long to look for all
    of it."""

    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    text: str = ""
    is_cut: bool = False


def read_question(text: str) -> Question:
    """Words that only make a sentence of it, such as `what`, decide where there are no others."""
    tokens = [divide(token) for token in tokens_of(text[:MOST_CHARACTERS])]
    every = [*dict.fromkeys(word for token in tokens for word in token.words)]
    rare = [word for word in every if word not in STOP_WORDS]
    words = [word for word in every if word not in _ASKING] if rare else every
    identifiers = [*dict.fromkeys(token.whole for token in tokens if token.is_identifier)]
    is_cut = len(text) > MOST_CHARACTERS or len(words) > MOST_WORDS
    return Question(
        tuple(words[:MOST_WORDS]), tuple(identifiers[:MOST_WORDS]), text[:MOST_CHARACTERS], is_cut
    )


def without_words_of_time(question: Question) -> Question:
    """A question whose answers are ordered by time, without the words that ask for that, unless
    there are no others."""
    others = tuple(word for word in question.words if word not in _TIME_WORDS)
    return msgspec.structs.replace(question, words=others or question.words)
