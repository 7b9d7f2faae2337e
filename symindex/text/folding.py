"""Folds texts, so that those which users mean to be equal become equal. Case, accents and combining
marks are folded; `_` and `-` are not."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import AnyStr, Final, NamedTuple

SEPARATORS: Final = "_-"


def strip_marks(text: str) -> str:
    """Returns a text without accents and other combining marks, in the same case."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).translate(_NO_MARKS)


class _NoMarks(dict[int, int | None]):
    """A table for `str.translate` that removes combining marks. Characters are added as they
    occur."""

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.combining(chr(code)) else code
        return self[code]


_NO_MARKS: Final = _NoMarks()


def fold(text: str) -> str:
    """Returns the folded form of a text, without marks and in lower case."""
    return text.lower() if text.isascii() else strip_marks(text).casefold()


def fold_each(texts: Sequence[str]) -> list[str]:
    """Returns the folded form of each text."""
    return [*map(fold, texts)]


class Forms(NamedTuple):
    """The forms of a text. plain: without marks. folded, squashed: without case as well, and
    without separators. typed: without marks and separators."""

    plain: str
    folded: str
    squashed: str
    typed: str


def forms_of(text: str) -> Forms:
    """Returns the forms of a text that is compared in several ways."""
    plain, folded = strip_marks(text), fold(text)
    return Forms(plain, folded, squash(folded), squash(plain))


def squash(folded: str) -> str:
    """Returns a folded text without `_` and `-`."""
    return folded.replace("_", "").replace("-", "")


@lru_cache(maxsize=16_384)
def squashed(text: str) -> str:
    """Returns the folded form of a text without `_` and `-`. Cached, because binary searches
    compare the same names again and again."""
    return squash(fold(text))


def is_in_order(letters: AnyStr, word: AnyStr) -> bool:
    """Whether the word contains the letters in this order."""
    offset = -1
    for letter in letters:
        offset = word.find(letter, offset + 1)
        if offset < 0:
            return False
    return True


ASCII_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+")
"""A word: a run of capitals that no lower-case letter follows, a capital and its lower-case
letters, lower-case letters, or digits."""

MOST_WORDS: Final = 64
"""Most words of a name that count. Only titles of tests and generated names have more, and dividing
a needle among words takes longer the more there are."""


@lru_cache(maxsize=200_000)
def word_starts(name: str) -> tuple[int, ...]:
    """Returns where the words of a name begin, as offsets in its folded form, if that is as long as
    the name without marks.

    `parseHTTPRequest_v2` has the words parse, HTTP, Request, v, 2. All characters except letters
    and digits separate words.
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
