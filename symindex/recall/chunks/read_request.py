"""Reads a TextRequest from the arguments of programs and models: JSON, or objects read from it.

`protocol/recall.TextRequest` explains the fields. Some have aliases that agents know, and one text
may replace a list. `dialects` reads requests of other systems.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from symindex.errors import RequestError, one_of
from symindex.protocol.recall import TextRequest
from symindex.text.escaping import shorten

_RENAMED: Final[Mapping[str, str]] = {"contentType": "content_type", "within": "in"}

_LISTS: Final = ("queries", "phrasings", "types", "language", "category", "status")
"""Fields that may be one text, with commas except for questions."""

_QUESTIONS: Final = ("queries", "phrasings")

_KNOWN: Final = {field.encode_name for field in msgspec.structs.fields(TextRequest)}

_OF_TEXT: Final = frozenset(
    (
        "in",
        "within",
        "source",
        "source_id",
        "source_name",
        "content_type",
        "contentType",
        "since",
        "category",
        "status",
        "project",
        "assignee",
        "boost_recent",
        "include_content",
        "include_documents",
        "include_graph",
        "use_enhanced",
        "session",
    )
)


def is_about_text(given: Mapping[str, Any]) -> bool:
    """Whether the arguments of a search ask for more than names."""
    within = given.get("in", given.get("within"))
    return (
        within != "names" and any(given.get(name) is not None for name in _OF_TEXT)
    ) or given.get("sort") == "timeline"


def read_text_request(given: bytes | Mapping[str, Any]) -> TextRequest:
    """Reads a request. Raises RequestError for one that is not valid."""
    if isinstance(given, bytes):
        try:
            read = msgspec.json.decode(given)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise RequestError(f"the request is not JSON: {error}") from None
    else:
        read = dict(given)
    if not isinstance(read, dict):
        raise RequestError(
            f"the request is {shorten(repr(read), 40)}: expected an object with queries"
        )
    if "queries" not in read:
        raise RequestError("the request: give a query, or several as queries")
    fields: dict[str, Any] = {
        _RENAMED.get(name, name): value for name, value in read.items() if value is not None
    }
    for name in fields:
        if name not in _KNOWN:
            raise one_of("field of a request", name[:100], sorted(_KNOWN))
    for name in _LISTS:
        if isinstance(fields.get(name), str):
            text = fields[name]
            fields[name] = (
                [text]
                if name in _QUESTIONS
                else [part.strip() for part in text.split(",") if part.strip()]
            )
    try:
        return msgspec.convert(fields, TextRequest)
    except msgspec.ValidationError as error:
        raise RequestError(f"the request: {error}") from None
    except UnicodeEncodeError:  # a field's name has half of a surrogate pair
        raise RequestError(
            "the request: a field's name is not valid Unicode: give it as UTF-8"
        ) from None
