"""Divides texts into words and finds their stems, for searches in words.

`parseHttpRequest`, `parse_http_request` and `HTTPRequestParser2` contain the words parse, http,
request, parser, 2. Words are folded (`text/folding`). Scripts without blanks between words are
divided into single characters.
"""

import re
import threading
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from symindex.text.folding import ASCII_WORD, strip_marks

_ALONE: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # noqa: E501
"""Thai, Lao, Myanmar, Khmer, Kana and Han: the characters that are words by themselves here."""

_LOWER: Final = rf"(?:[a-z]|(?![{_ALONE}])[^\W\d_A-Z])"


@cache
def _word() -> re.Pattern[str]:
    """Returns the pattern ASCII_WORD for all letters; a letter beyond ASCII counts as lower case.
    Compiling it takes longer than many searches."""
    return re.compile(rf"[{_ALONE}]|[A-Z]+(?!{_LOWER})|[A-Z]{_LOWER}+|{_LOWER}+|\d+")


def words_of(text: str) -> list[str]:
    """Returns the words of a text in order, folded."""
    if text.isascii():
        return [word.lower() for word in ASCII_WORD.findall(text)]
    return [word.casefold() for word in _word().findall(strip_marks(text))]


def words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """Returns the words of each text. For many texts this is faster than one after the other, if
    none contains a NUL character."""
    joined = "\0".join(texts)
    if joined.count("\0") != max(len(texts) - 1, 0):
        return [*map(words_of, texts)]
    if joined.isascii():
        return (
            [words.split() for words in " ".join(_WORD_OR_END.findall(joined)).lower().split("\0")]
            if texts
            else []
        )
    plain = iter(words_of_each([text for text in texts if text.isascii()]))
    return [next(plain) if text.isascii() else words_of(text) for text in texts]


_WORD_OR_END: Final = re.compile(rf"{ASCII_WORD.pattern}|\0")

LONGEST_WHOLE: Final = 100
"""Longest token, in characters, that is searched for as a whole: a longer one, for example an
address with parameters, counts only by its words."""

_TOKEN: Final = r"--?(?=[^\W\d_])[\w-]*\w|\w+(?:[./:_#@+-]+\w+)*(?:\+\+|\#(?!\w))?"


class Token(NamedTuple):
    """A word or an identifier of a text.

    whole: the folded token; empty if it is longer than LONGEST_WHOLE. words: its words, folded.
    is_identifier: whether it is more than a word of a natural language.
    """

    whole: str
    words: tuple[str, ...]
    is_identifier: bool


def tokens_of(text: str) -> list[str]:
    """Returns the tokens of a text, not folded: words, and identifiers as a whole.

    `useEffect`, `rate_limit`, `--dry-run`, `E1234`, `v2.3.1` and `src/app/main.py` are tokens. A
    search for one of them finds exactly that; a search for `effect` finds `useEffect`, too.
    """
    return _tokens().findall(text if text.isascii() else strip_marks(text))


def divide(token: str) -> Token:
    """Returns a token in the form in which tokens are compared."""
    whole = whole_of(token)
    words = tuple(words_of(token))
    return Token(whole, words, whole != "" and words != (whole,))


def whole_of(token: str) -> str:
    """Returns the folded token; empty if it is longer than LONGEST_WHOLE."""
    whole = token.lower() if token.isascii() else token.casefold()
    return whole if len(whole) <= LONGEST_WHOLE else ""


def divided_tokens(text: str) -> list[Token]:
    """Returns the tokens of a text in the form in which tokens are compared."""
    return [*map(divide, tokens_of(text))]


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile(_TOKEN)


_STOP_WORDS: Final = """
a about all also am an and any are as at be been being but by can could did do does doing done for from had has have having
here how i if in into is it its just may me might must my no nor of off on onto or our out over shall she should so some such
than that the their them then there these they this those through to too under up upon us very via was we were what when where
which while who whom whose why will with within without would you your
"""  # noqa: E501

STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Common English words: they decide nothing beside other words. No user searches for one of them as
a name."""


_CODE_WORDS: Final = """
and as by do for from has if in into is may not of on or over some such than that then this through to under up via where while
with without
"""  # noqa: E501

CODE_WORDS: Final = frozenset(_CODE_WORDS.split())
"""Common English words that are also words of programming languages. A question may be about them,
and they are common enough in prose to decide little otherwise."""

ASKING_WORDS: Final = STOP_WORDS - CODE_WORDS
"""Common English words that decide nothing even in prose about programs."""


def deciding(words: Sequence[str]) -> Sequence[str]:
    """Returns the words without the common ones, unless there are no others."""
    return [word for word in words if word not in STOP_WORDS] or words


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Returns the stem of a folded English word (Snowball's `english`, Porter 2): `parse`,
    `parsing` and `parsed` have the same."""
    stemmed: str = _stemmer().stemWord(word) if word.isascii() else word
    return stemmed


def beginnings_of(stemmed: str) -> tuple[str, ...]:
    """Returns the beginnings of the words of a stem: the stem without a last letter that the
    stemmer may have added (`hoping`: `hope`, `happy`: `happi`, `ability`: `abl`). Only `tying`,
    `dying` and `lying` do not begin as their stems do."""
    begin = (stemmed[:-1] if stemmed.endswith(("e", "i", "l")) else "") or stemmed
    return (
        (begin, f"{stemmed[0]}ying") if len(stemmed) == 3 and stemmed.endswith("ie") else (begin,)
    )


def beginnings_of_each(stems: Iterable[str]) -> set[str]:
    """Returns the beginnings of the words of several stems."""
    return {beginning for stemmed in stems for beginning in beginnings_of(stemmed)}


class _Local(threading.local):
    stemmer: Any = None


_LOCAL: Final = _Local()


def _stemmer() -> Any:
    if _LOCAL.stemmer is None:  # one for each thread, because it has internal state
        import Stemmer  # type: ignore[import-not-found]  # here, because a search for a name stems nothing

        _LOCAL.stemmer = Stemmer.Stemmer("english", 0)
    return _LOCAL.stemmer
