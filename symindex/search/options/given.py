"""The values of options as clients send them: reads texts, and repeats wrong values in messages."""

from typing import Any, Final

from symindex.errors import RequestError, is_unicode
from symindex.text.escaping import shorten

LONGEST: Final = 1_000
"""Longest text, in characters: no name, path or query is longer."""

_LONGEST_SHOWN: Final = 60


def shown(value: Any) -> str:
    """Returns a value as a message repeats it."""
    return shorten(repr(value), _LONGEST_SHOWN)


def read_text(option: str, value: Any, example: str) -> str:
    """Returns a text without surrounding white space. Raises RequestError for an empty text or any
    other value."""
    if not isinstance(value, str):
        raise RequestError(f"{option} is {shown(value)}: expected a string, for example {example}")
    if len(value) > LONGEST:
        raise RequestError(f"{option} has {len(value):,} characters: at most {LONGEST:,} are read")
    if not is_unicode(value):
        raise RequestError(f"{option} {shown(value)} is not valid Unicode: give it as UTF-8")
    if not value.strip():
        raise RequestError(
            f"{option} is empty: expected a string, for example {example}, or leave it out"
        )
    return value.strip()
