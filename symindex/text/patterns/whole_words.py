"""Finds a name as a whole word in a text, whether in code, a comment or a string."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache


def forms_of(name: str) -> tuple[bytes, ...]:
    """Returns the UTF-8 of a name in every form that files may contain: composed and decomposed, if
    it has accents. For a selector, whose parts are apart (`add:to:`), returns the first part."""
    if name.endswith(":"):
        name = name.partition(":")[0] or name
    forms = dict.fromkeys(
        [name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)]
    )
    return tuple(form.encode() for form in forms)


def find_words(data: bytes, forms: Iterable[bytes]) -> list[tuple[int, int]]:
    """Returns the spans of a name in a text (UTF-8), in order, where no letter, digit or underscore
    is next to it. A byte beyond ASCII counts as a letter."""
    occurring = tuple(form for form in forms if form in data)
    return [match.span() for match in _word_pattern(occurring).finditer(data)] if occurring else []


@lru_cache(maxsize=16)
def _word_pattern(forms: tuple[bytes, ...]) -> re.Pattern[bytes]:
    # The lookbehind comes last, so that the pattern begins with letters, which are found fast.
    return re.compile(b"|".join(map(_word, sorted(forms, key=len, reverse=True))))


def _word(form: bytes) -> bytes:
    escaped = re.escape(form)
    lookbehind = rb"(?<!%s%s)" % (_LETTER, escaped) if is_letter(form[:1]) else b""
    lookahead = rb"(?!%s)" % _LETTER if is_letter(form[-1:]) else b""
    return escaped + lookbehind + lookahead


_LETTER = rb"[\w\x80-\xff]"


def is_letter(byte: bytes) -> bool:
    """Whether a byte belongs to a word."""
    return byte.isalnum() or byte == b"_" or byte >= b"\x80"
