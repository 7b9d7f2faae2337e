"""Folding: texts that users mean to be the same become equal. Case, accents and combining marks are
folded; `_` and `-` stay."""

import re
import unicodedata
from functools import lru_cache
from typing import AnyStr, Final

SEPARATORS: Final = "_-"


def strip_marks(text: str) -> str:
    """A text without accents and other combining marks; case is kept."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).translate(_NO_MARKS)


class _NoMarks(dict[int, int | None]):
    """A table for `str.translate` that removes combining marks. It is filled as characters come
    up."""

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.combining(chr(code)) else code
        return self[code]


_NO_MARKS: Final = _NoMarks()


def fold(text: str) -> str:
    """The folded form, without marks and case."""
    return text.lower() if text.isascii() else strip_marks(text).casefold()


def squash(folded: str) -> str:
    """A folded text without `_` and `-`."""
    return folded.replace("_", "").replace("-", "")


def is_in_order(letters: AnyStr, word: AnyStr) -> bool:
    """Whether the word holds the letters in this order."""
    offset = -1
    for letter in letters:
        offset = word.find(letter, offset + 1)
        if offset < 0:
            return False
    return True


ASCII_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+")
"""A word: a run of capitals that no small letter follows, a capital and its small letters, small
letters, or digits."""

MOST_WORDS: Final = 64
"""How many words of a name count. Only titles of tests and generated names have more, and the work
of dividing a needle among them grows with their number."""


@lru_cache(maxsize=200_000)
def word_starts(name: str) -> tuple[int, ...]:
    """Where the words of a name begin, as offsets in its folded form, if that is as long as the
    name without marks.

    `parseHTTPRequest_v2` has the words parse, HTTP, Request, v, 2. Any other character than letters
    and digits separates words.
    """
    plain = strip_marks(name)
    if plain.isascii():
        return tuple(match.start() for match in ASCII_WORD.finditer(plain))
    starts = []
    shift = 0
    previous = ""
    for offset, character in enumerate(plain):
        next_character = plain[offset + 1] if offset + 1 < len(plain) else ""
        if _begins_word(previous, character, next_character):
            starts.append(offset + shift)
        shift += len(character.casefold()) - 1  # `ß` folds to two letters
        previous = character
    return tuple(starts)


def _begins_word(previous: str, character: str, next_character: str) -> bool:
    if not character.isalnum():
        return False
    if not previous or not previous.isalnum():
        return True
    if character.isnumeric() or previous.isnumeric():
        return character.isnumeric() != previous.isnumeric()
    if character.isupper():
        return not previous.isupper() or next_character.islower()
    return False
