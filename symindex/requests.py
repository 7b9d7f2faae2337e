"""Requests from what clients give: fields of right types and possible meanings, and how wrong ones
are told."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError, is_unicode, one_of
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.kinds import parse_kind
from symindex.protocol.search import ITEM_EXTRAS, SearchRequest

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


def read_request(given: Mapping[str, Any], kind: type[_Struct]) -> _Struct:
    """A request from its fields. Raises RequestError for a field that there is not, or that has a
    wrong type."""
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise RequestError(_describe_misfit(str(error), given)) from None
    except UnicodeEncodeError:  # a name with half of a surrogate pair
        raise RequestError(
            "a field's name, or the word of a choice, is not valid Unicode: give it as UTF-8"
        ) from None


def check_types(request: msgspec.Struct) -> None:
    """Raises RequestError where a field has a wrong type, which no struct that is made in Python
    checks. What may be absent may also be `None`."""
    absent, given = _may_be_absent(type(request)), msgspec.structs.asdict(request)
    read_request(
        {
            name: value
            for name, value in given.items()
            if not (name in absent and value in (None, UNSET))
        },
        type(request),
    )


@cache
def _may_be_absent(kind: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.default is UNSET)


def _describe_misfit(said: str, given: Mapping[str, Any]) -> str:
    """What msgspec says of a wrong type, with the value and without its own words for types."""
    found = _MISFIT.match(said)
    if found is None or found[2] is None:
        return said
    expected, name, inside = found.groups()
    value = given.get(name)
    shown = (
        repr(value) if len(repr(value)) <= _LONGEST_SHOWN else repr(value)[:_LONGEST_SHOWN] + "…"
    )
    if inside:
        return f"{name} is {shown}: expected {_EXPECTED.get(expected, expected)} at {name}{inside}"
    example = f", as [{shown}]" if expected == "array" and isinstance(value, str) else ""
    return f"{name} is {shown}: expected {_EXPECTED.get(expected, expected)}{example}"


OR_NULL: Final = ", or null for all"
"""The end of a message about a limit, in the words of JSON."""


def check_limit(name: str, value: int | None) -> None:
    """Raises RequestError where a limit of a request is neither absent nor 1 or more."""
    if value is not None and value < 1:
        raise RequestError(f"{name} is {value}: it must be 1 or more{OR_NULL}")


MOST_PATHS: Final = 1_000
"""How many globs a request may hold; every path is matched against each."""


def check_texts(paths: Sequence[str], *others: tuple[str, str]) -> None:
    """Raises RequestError for too many globs, and for texts that are no Unicode. others: what they
    are called, and the texts."""
    if len(paths) > MOST_PATHS:
        raise RequestError(f"paths has {len(paths):,} globs: at most {MOST_PATHS:,} are allowed")
    for what, text in (*others, *(("path glob", glob) for glob in paths)):
        if not is_unicode(text):
            raise RequestError(f"{what} {text!r} is not valid Unicode: give it as UTF-8")


def check_request(request: SearchRequest | ReferencesRequest) -> None:
    """Raises RequestError where a field has the right type but no possible meaning."""
    check_types(request)
    check_limit("max_items", request.max_items)
    named = (
        ("query", request.query) if isinstance(request, SearchRequest) else ("name", request.name)
    )
    check_texts(request.paths or [], named)
    if isinstance(request, SearchRequest):
        if request.start_index < 0:
            raise RequestError(f"start_index is {request.start_index}: it must be 0 or more")
        for word in request.kinds or ():
            parse_kind(word)
        for word in request.include or ():
            if word not in ITEM_EXTRAS:
                raise one_of("include field", word, ITEM_EXTRAS)
