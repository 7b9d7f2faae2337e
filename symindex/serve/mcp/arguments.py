"""The arguments of a tool as models write them. If the intent is plain, they are converted to the tool's schema; else they are
refused with what is expected.
"""

import contextlib
import difflib
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from symindex.errors import RequestError, one_of
from symindex.serve.mcp.tools import BY_NAME, HIDDEN, WRITES_BY_NAME, are_writes_on

_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "kind": ("kinds",),
    "languages": ("language",),
    "lang": ("language",),
    "paths": ("path",),
    "file": ("path",),
    "file_path": ("path",),
    "glob": ("path",),
    "limit": ("max_items",),
    "max_results": ("max_items",),
    "offset": ("start_index",),
    "sort": ("sort_by",),
    "filter": ("filters",),
    "scopes": ("scope",),
    "type": ("scope",),
    "types": ("scope",),
    "cursor": ("pagination_id",),
    "q": ("query",),
    "pattern": ("query", "name"),
    "text": ("name",),
    "where": ("in",),
    "query": ("symbol", "name"),
    "name": ("query", "symbol"),
    "id": ("symbol",),
    "symbol": ("name", "query"),
    "identifier": ("name", "symbol", "query"),
}
"""Other names of an argument: the first one that the tool has is meant, unless it is given itself."""

_SHORT_FORMS: Final = {
    "calls": "call", "callers": "call", "imports": "import", "types": "type", "inherits": "inherit", "extends": "inherit",
    "implements": "inherit", "reads": "read", "writes": "write", "definitions": "definition", "string": "strings",
    "comment": "comments", "any": "all", "anywhere": "all", "text": "all", "implementations": "subtypes", "overrides": "subtypes",
    "subclasses": "subtypes", "children": "subtypes", "superclasses": "supertypes", "parents": "supertypes",
    "incoming": "callers", "outgoing": "callees", "test": "tests",
}  # fmt: skip
"""What else models write for the words of an argument."""

LONGEST: Final = 4_000
"""Characters of a text. A longer one is no name or query."""

LONGEST_TRACE: Final = 200_000
"""Characters of a text that may be a pasted trace."""

MOST_PARTS: Final = 100
"""Items of a list."""

_WORDS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read_arguments(tool: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments by name. Raises RequestError for an unknown tool or argument, and for a value that does not fit the
    schema."""
    tools = BY_NAME | WRITES_BY_NAME if are_writes_on() else BY_NAME
    if tool not in tools:
        raise one_of("tool", tool[:100], tools)
    schema = tools[tool]["inputSchema"]
    properties = {**schema["properties"], **HIDDEN.get(tool, {})}
    read: dict[str, Any] = {}
    for name, value in (given or {}).items():
        known = next((each for each in (name, *_ALIASES.get(name, ())) if each in properties), name)
        if known in properties and (known in read or (known != name and (given or {}).get(known) is not None)):
            raise RequestError(f"{tool}: {name} is another name of {known}: give one of the two")
        if known not in properties:
            near = difflib.get_close_matches(name, properties, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            expected = f"expected one of {', '.join(schema['properties'])}" if properties else "it takes none"
            raise RequestError(f"{tool}: unknown argument {name[:100]!r}{meant}; {expected}")
        if value is not None:
            read[known] = _reader_of(known, properties[known]["type"])(f"{tool}: {known}", value)
            choices = properties[known].get("enum")
            if choices and read[known] not in choices:
                read[known] = _SHORT_FORMS.get(str(read[known]).lower(), read[known])
            if choices and read[known] not in choices:
                raise one_of(f"{tool}: {known}", str(read[known])[:100], choices)
    for name in schema.get("required", ()):
        if name not in read:
            raise RequestError(f"{tool}: {name} is missing: {properties[name].get('description', 'a text')}")
    return read


def _texts(what: str, value: Any) -> list[str]:
    if isinstance(value, str):
        value = _listed(value)
    if not isinstance(value, list):
        raise RequestError(f"{what} is {_shown(value)}: expected a list of texts")
    if len(value) > MOST_PARTS:
        raise RequestError(f"{what} has {len(value):,} parts: at most {MOST_PARTS} are taken")
    names = [f"{what}, item {number}," for number in range(1, len(value) + 1)] if len(value) > 1 else [what]
    return [_text(name, each) for name, each in zip(names, value, strict=True) if each != ""]


def _listed(text: str) -> list[Any]:
    """A list that is written as a text: JSON, items with commas, or one item."""
    if text.lstrip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):  # then it is one text
            return msgspec.json.decode(text, type=list[Any])
    return [part.strip() for part in text.split(",")] if "{" not in text else [text]


def _text(what: str, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise RequestError(f"{what} is {_shown(value)}: expected a text")
    most = LONGEST_TRACE if what == "symbol: symbol" and "\n" in value else LONGEST
    if len(value) > most:
        raise RequestError(f"{what} has {len(value):,} characters: at most {most:,} are taken")
    return value


def _number(what: str, value: Any) -> int:
    number = value
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            number = float(value) if "." in value else int(value)
    is_whole = number.is_integer() if isinstance(number, float) else isinstance(number, int) and not isinstance(number, bool)
    if not is_whole:
        raise RequestError(f"{what} is {_shown(value)}: expected a whole number")
    if abs(number) > 2**53:
        raise RequestError(f"{what} is {_shown(value)}: a number of that size means nothing here")
    return int(number)


def _flag(what: str, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise RequestError(f"{what} is {_shown(value)}: expected true or false")


def _object(what: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):  # then it is no object
            value = msgspec.json.decode(value)
    if not isinstance(value, dict):
        raise RequestError(f"{what} is {_shown(value)}: expected an object")
    if len(value) > MOST_PARTS:
        raise RequestError(f"{what} has {len(value):,} parts: at most {MOST_PARTS} are taken")
    return value


def _flag_or_object(what: str, value: Any) -> bool | dict[str, Any]:
    is_object = isinstance(value, dict) or (isinstance(value, str) and value.lstrip().startswith("{"))
    return _object(what, value) if is_object else _flag(what, value)


def _reader_of(name: str, kind: str) -> Callable[[str, Any], Any]:
    """By the type in a tool's schema. `fuzzy` may be a mere flag, too, which the schema leaves out: it costs tokens."""
    return _flag_or_object if name == "fuzzy" else _READERS[kind]


_READERS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "string": _text, "integer": _number, "boolean": _flag, "array": _texts, "object": _object
}  # fmt: skip


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
