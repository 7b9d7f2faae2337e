"""Checks the types and values of requests, and explains wrong ones."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError, is_unicode, one_of
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.kinds import parse_kind
from symindex.protocol.search import ITEM_EXTRAS, PAGE_EXTRAS, SearchRequest, check_phrasings

_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_MISFIT: Final = re.compile(r"Expected `(\w+)[^`]*`, got `\w+`(?: - at `\$\.(\w+)(.*)`)?", re.ASCII)
_EXPECTED: Final = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
}
_LONGEST_SHOWN: Final = 60


def read_request(fields: Mapping[str, Any], kind: type[_Struct]) -> _Struct:
    """Returns the request with these fields. Raises RequestError for an unknown field and for a
    value of a wrong type."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise RequestError(_describe_misfit(str(error), fields)) from None
    except UnicodeEncodeError:  # a name with half of a surrogate pair
        raise RequestError(
            "a field's name, or the word of a choice, is not valid Unicode: give it as UTF-8"
        ) from None


def check_types(request: msgspec.Struct) -> None:
    """Raises RequestError for a field of a wrong type, which Python does not check when it makes a
    struct. An optional field may also be `None`."""
    optional, fields = _may_be_absent(type(request)), msgspec.structs.asdict(request)
    read_request(
        {
            name: value
            for name, value in fields.items()
            if not (name in optional and value in (None, UNSET))
        },
        type(request),
    )


@cache
def _may_be_absent(kind: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.default is UNSET)


def _describe_misfit(message: str, fields: Mapping[str, Any]) -> str:
    """Returns msgspec's message about a wrong type, with the value, and in plain words instead of
    type names."""
    match = _MISFIT.match(message)
    if match is None or match[2] is None:
        return message
    expected, name, inside = match.groups()
    value = fields.get(name)
    shown = (
        repr(value) if len(repr(value)) <= _LONGEST_SHOWN else repr(value)[:_LONGEST_SHOWN] + "…"
    )
    if inside:
        return f"{name} is {shown}: expected {_EXPECTED.get(expected, expected)} at {name}{inside}"
    example = f", as [{shown}]" if expected == "array" and isinstance(value, str) else ""
    return f"{name} is {shown}: expected {_EXPECTED.get(expected, expected)}{example}"


OR_NULL: Final = ", or null for all"
"""End of a message about a limit: clients of JSON write null."""


def check_limit(name: str, value: int | None) -> None:
    """Raises RequestError for a limit below 1. `None` means no limit."""
    if value is not None and value < 1:
        raise RequestError(f"{name} is {value}: it must be 1 or more{OR_NULL}")


MOST_PATHS: Final = 1_000
"""Largest number of globs in a request: each path is matched against each glob."""


def check_texts(paths: Sequence[str], *texts: tuple[str, str]) -> None:
    """Raises RequestError for too many globs, and for texts that are not Unicode. texts: the name
    of each, for the message, and the text."""
    if len(paths) > MOST_PATHS:
        raise RequestError(f"paths has {len(paths):,} globs: at most {MOST_PATHS:,} are allowed")
    for name, text in (*texts, *(("path glob", glob) for glob in paths)):
        if not is_unicode(text):
            raise RequestError(f"{name} {text!r} is not valid Unicode: give it as UTF-8")


def check_request(request: SearchRequest | ReferencesRequest) -> None:
    """Raises RequestError for a field whose value has the right type but is not allowed."""
    check_types(request)
    check_limit("max_items", request.max_items)
    main_text = (
        ("query", request.query) if isinstance(request, SearchRequest) else ("name", request.name)
    )
    check_texts(request.paths or [], main_text)
    if isinstance(request, SearchRequest):
        if request.phrasings:
            check_phrasings(request.query, request.phrasings)
        if request.start_index < 0:
            raise RequestError(f"start_index is {request.start_index}: it must be 0 or more")
        for word in request.kinds or ():
            parse_kind(word)
        for word in request.include or ():
            if word not in (allowed := (*ITEM_EXTRAS, *PAGE_EXTRAS)):
                raise one_of("include field", word, allowed)
