"""What a client has given as the value of an option: texts that can be read, and how a wrong value
is told."""

from typing import Any, Final

from symindex.errors import RequestError, is_unicode
from symindex.text.escaping import shorten

LONGEST: Final = 1_000
"""Characters of a text: no name, path or query is longer."""

_LONGEST_TOLD: Final = 60


def told(value: Any) -> str:
    """A value as a message repeats it."""
    return shorten(repr(value), _LONGEST_TOLD)


def read_text(what: str, value: Any, example: str) -> str:
    """A text without white space around it. Raises RequestError for anything else, and for an empty
    one."""
    if not isinstance(value, str):
        raise RequestError(f"{what} is {told(value)}: expected a text, as {example}")
    if len(value) > LONGEST:
        raise RequestError(f"{what} has {len(value):,} characters: at most {LONGEST:,} are read")
    if not is_unicode(value):
        raise RequestError(f"{what} {told(value)} is not valid Unicode: give it as UTF-8")
    if not value.strip():
        raise RequestError(f"{what} is empty: expected a text, as {example}, or leave it out")
    return value.strip()
