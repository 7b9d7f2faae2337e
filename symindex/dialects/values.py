"""Converts the value of an argument, as models and programs write it, to the type in the tool's
schema.

An empty value means that the argument is absent, because hosts and models fill in what they leave
out with `[]`, `""`, `{}`, `false` or `null`.
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from symindex.errors import RequestError, is_unicode

LONGEST: Final = 4_000
"""Longest text, in characters. A longer one is not a name or a query."""

LONGEST_TRACE: Final = 200_000
"""Longest text that may be a pasted stack trace, in characters."""

MOST_PARTS: Final = 100
"""Most elements of a list, or fields of an object."""

_WORDS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def is_absent(value: Any, kind: str) -> bool:
    """Whether a value means that an optional argument is absent. kind: its type in the schema."""
    return (
        value is None
        or (isinstance(value, str | list | dict) and not value)
        or (value is False and kind in _NEVER_FALSE)
    )


_NEVER_FALSE: Final = ("string", "integer", "array", "object")
"""Types for which `false` is not a value."""


def check_unicode(name: str, value: Any) -> None:
    """Raises RequestError if a string in a value, at any depth, contains an unpaired surrogate,
    which cannot be written as UTF-8."""
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, str) and not is_unicode(part):
            raise RequestError(f"{name} is not valid Unicode: give it as UTF-8")
        if isinstance(part, list | dict):
            parts += [*part, *(part.values() if isinstance(part, dict) else ())]


def read_value(name: str, kind: str, value: Any) -> Any:
    """Converts a value to the schema's type `kind`. what: the argument's name in messages. Raises
    RequestError."""
    return _READERS[kind](name, value)


def read_texts(what: str, value: Any) -> list[str]:
    """Reads a list of texts. Also accepts one text, with commas or as JSON. Empty texts are
    dropped."""
    if isinstance(value, str):
        value = _listed(value)
    if not isinstance(value, list):
        raise RequestError(f"{what} is {shown(value)}: expected a list of strings")
    if len(value) > MOST_PARTS:
        raise RequestError(f"{what} has {len(value):,} parts: at most {MOST_PARTS} are allowed")
    names = (
        [f"{what}, item {number}," for number in range(1, len(value) + 1)]
        if len(value) > 1
        else [what]
    )
    return [
        read_text(name, part)
        for name, part in zip(names, value, strict=True)
        if part not in ("", None)
    ]


def _listed(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):  # if it fails, it is one text
            return msgspec.json.decode(text, type=list[Any])
    return [part.strip() for part in text.split(",")] if "{" not in text else [text]


def read_text(name: str, value: Any) -> str:
    """Reads a text. Also accepts a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise RequestError(f"{name} is {shown(value)}: expected a string")
    longest = LONGEST_TRACE if name == "symbol: symbol" and "\n" in value else LONGEST
    if len(value) > longest:
        raise RequestError(f"{name} has {len(value):,} characters: at most {longest:,} are allowed")
    return value


def read_number(name: str, value: Any) -> int:
    """Reads an integer. Also accepts one as text, or as `3.0`."""
    number = value
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            number = float(value) if "." in value else int(value)
    is_whole = (
        number.is_integer()
        if isinstance(number, float)
        else isinstance(number, int) and not isinstance(number, bool)
    )
    if not is_whole:
        raise RequestError(f"{name} is {shown(value)}: expected an integer")
    if abs(number) > 2**53:
        raise RequestError(f"{name} is {shown(value)}: the number is too large")
    return int(number)


def read_flag(name: str, value: Any) -> bool:
    """Reads a boolean. Also accepts a word, or 0 and 1."""
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise RequestError(f"{name} is {shown(value)}: expected true or false")


def read_object(name: str, value: Any) -> dict[str, Any]:
    """Reads an object. Also accepts JSON in a text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):  # if it fails, it is not an object
            value = msgspec.json.decode(value)
    if not isinstance(value, dict):
        raise RequestError(f"{name} is {shown(value)}: expected an object")
    if len(value) > MOST_PARTS:
        raise RequestError(f"{name} has {len(value):,} parts: at most {MOST_PARTS} are allowed")
    return value


def read_flag_or_object(name: str, value: Any) -> bool | dict[str, Any]:
    """Reads a boolean or an object, for the option `fuzzy`."""
    is_object = isinstance(value, dict) or (
        isinstance(value, str) and value.lstrip().startswith("{")
    )
    return read_object(name, value) if is_object else read_flag(name, value)


_READERS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "string": read_text,
    "integer": read_number,
    "boolean": read_flag,
    "array": read_texts,
    "object": read_object,
    "flag or object": read_flag_or_object,
}


def shown(value: Any) -> str:
    """Returns a value as messages show it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
