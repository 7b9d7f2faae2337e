"""The value of one argument, as models and programs write it, converted to the type that the tool's
schema names.

An empty value means that the argument is absent: hosts and models fill in what they leave out, as
`[]`, `""`, `{}`, `false` or `null`.
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from symindex.errors import RequestError, is_unicode

LONGEST: Final = 4_000
"""Characters of a text. A longer one is no name or query."""

LONGEST_TRACE: Final = 200_000
"""Characters of a text that may be a pasted trace."""

MOST_PARTS: Final = 100
"""Items of a list, and fields of an object."""

_WORDS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def is_absent(value: Any, kind: str) -> bool:
    """Whether a value means that an optional argument was left out. kind: its type in the
    schema."""
    return (
        value is None
        or (isinstance(value, str | list | dict) and not value)
        or (value is False and kind in _NEVER_FALSE)
    )


_NEVER_FALSE: Final = ("string", "integer", "array", "object")
"""Types of arguments that have no value `false`."""


def check_unicode(what: str, value: Any) -> None:
    """Raises RequestError where a text in a value, at any depth, holds half a surrogate pair: it
    cannot be answered in UTF-8."""
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str) and not is_unicode(part):
            raise RequestError(f"{what} is not valid Unicode: give it as UTF-8")
        if isinstance(part, list | dict):
            left += [*part, *(part.values() if isinstance(part, dict) else ())]


def read_value(what: str, kind: str, value: Any) -> Any:
    """The value as the type `kind` of a schema. what: how messages name the argument. Raises
    RequestError."""
    return _READERS[kind](what, value)


def read_texts(what: str, value: Any) -> list[str]:
    """A list of texts: also one text, with commas or as JSON. Empty texts are left out."""
    if isinstance(value, str):
        value = _listed(value)
    if not isinstance(value, list):
        raise RequestError(f"{what} is {shown(value)}: expected a list of texts")
    if len(value) > MOST_PARTS:
        raise RequestError(f"{what} has {len(value):,} parts: at most {MOST_PARTS} are taken")
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
        with contextlib.suppress(ValueError, RecursionError):  # then it is one text
            return msgspec.json.decode(text, type=list[Any])
    return [part.strip() for part in text.split(",")] if "{" not in text else [text]


def read_text(what: str, value: Any) -> str:
    """A text; also a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise RequestError(f"{what} is {shown(value)}: expected a text")
    most = LONGEST_TRACE if what == "symbol: symbol" and "\n" in value else LONGEST
    if len(value) > most:
        raise RequestError(f"{what} has {len(value):,} characters: at most {most:,} are taken")
    return value


def read_number(what: str, value: Any) -> int:
    """A whole number; also as a text, or as `3.0`."""
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
        raise RequestError(f"{what} is {shown(value)}: expected a whole number")
    if abs(number) > 2**53:
        raise RequestError(f"{what} is {shown(value)}: a number of that size means nothing here")
    return int(number)


def read_flag(what: str, value: Any) -> bool:
    """True or false; also as a word or as 0 and 1."""
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise RequestError(f"{what} is {shown(value)}: expected true or false")


def read_object(what: str, value: Any) -> dict[str, Any]:
    """An object; also as JSON in a text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):  # then it is no object
            value = msgspec.json.decode(value)
    if not isinstance(value, dict):
        raise RequestError(f"{what} is {shown(value)}: expected an object")
    if len(value) > MOST_PARTS:
        raise RequestError(f"{what} has {len(value):,} parts: at most {MOST_PARTS} are taken")
    return value


def read_flag_or_object(what: str, value: Any) -> bool | dict[str, Any]:
    """Either of the two, as the option `fuzzy` has it."""
    is_object = isinstance(value, dict) or (
        isinstance(value, str) and value.lstrip().startswith("{")
    )
    return read_object(what, value) if is_object else read_flag(what, value)


_READERS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "string": read_text,
    "integer": read_number,
    "boolean": read_flag,
    "array": read_texts,
    "object": read_object,
    "flag or object": read_flag_or_object,
}


def shown(value: Any) -> str:
    """A value as a message repeats it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
