"""The tokens of prose, as a search in it compares them: words, and identifiers as a whole beside
their words.

`useEffect`, `rate_limit`, `--dry-run`, `E1234`, `v2.3.1` and `src/app/main.py` are tokens. Who
looks for one of them means just that; who looks for `effect` finds the first as well.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from symindex.text.folding import strip_marks
from symindex.text.words import words_of

LONGEST_WHOLE: Final = 100
"""A longer token, such as an address with its parameters, counts by its words alone."""

_TOKEN: Final = r"--?(?=[^\W\d_])[\w-]*\w|\w+(?:[./:_#@+-]+\w+)*(?:\+\+|\#(?!\w))?"


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile(_TOKEN)


class Token(NamedTuple):
    """whole: folded, as it is looked for; empty for one that is too long. words: of it, folded."""

    whole: str
    words: tuple[str, ...]

    @property
    def is_identifier(self) -> bool:
        """Whether it is more than a word of a language."""
        return bool(self.whole) and self.words != (self.whole,)


def tokens_of(text: str) -> list[str]:
    """The tokens of a text, as they stand there."""
    return _tokens().findall(text if text.isascii() else strip_marks(text))


def divide(token: str) -> Token:
    """A token as it is compared."""
    whole = token.lower() if token.isascii() else token.casefold()
    return Token(whole if len(whole) <= LONGEST_WHOLE else "", tuple(words_of(token)))
