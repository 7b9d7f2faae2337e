"""The arguments of a tool as models write them. If the intent is plain, they are converted to the
tool's schema; else they are refused with what is expected.
"""

import difflib
from collections.abc import Mapping
from typing import Any, Final
from urllib.request import url2pathname

from symindex.dialects.values import is_absent, read_value
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
    "repo": ("repository",),
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
"""Other names of an argument: the first one that the tool has is meant, unless it is given
itself."""

_SEVERAL: Final = {"query": "queries", "q": "queries", "symbol": "symbols", "id": "symbols"}
"""Arguments that take one text, and those that take several."""

_SHORT_FORMS: Final = {
    "calls": "call",
    "callers": "call",
    "imports": "import",
    "types": "type",
    "inherits": "inherit",
    "extends": "inherit",
    "implements": "inherit",
    "reads": "read",
    "writes": "write",
    "definitions": "definition",
    "string": "strings",
    "comment": "comments",
    "any": "all",
    "anywhere": "all",
    "text": "all",
    "implementations": "subtypes",
    "overrides": "subtypes",
    "subclasses": "subtypes",
    "children": "subtypes",
    "superclasses": "supertypes",
    "parents": "supertypes",
    "incoming": "callers",
    "outgoing": "callees",
    "test": "tests",
}
"""What else models write for the words of an argument."""


def read_arguments(
    tool: str,
    given: Mapping[str, Any] | None,
    tools: Mapping[str, Any] | None = None,
    hidden: Mapping[str, Any] = HIDDEN,
) -> dict[str, Any]:
    """The arguments by name. Raises RequestError for an unknown tool or argument, and for a value
    that does not fit the schema.

    tools: the tools by name; by default those over trees. hidden: arguments that are in no schema.
    """
    if tools is None:
        tools = BY_NAME | WRITES_BY_NAME if are_writes_on() else BY_NAME
    if tool not in tools:
        raise one_of("tool", tool[:100], tools)
    schema = tools[tool]["inputSchema"]
    properties = {**schema["properties"], **hidden.get(tool, {})}
    read: dict[str, Any] = {}
    for name, value in (given or {}).items():
        if (
            isinstance(value, list)
            and len(value) > 1
            and (several := _SEVERAL.get(name)) in properties
        ):
            name = several or name
        key = next(
            (alias for alias in (name, *_ALIASES.get(name, ())) if alias in properties), name
        )
        kind = "flag or object" if key == "fuzzy" else properties.get(key, {}).get("type", "")
        if key in properties and (
            is_absent(value, kind) or (value == "null" and key not in _ANY_TEXT)
        ):
            continue
        if key in properties and (
            key in read or (key != name and _is_given(given or {}, key, kind))
        ):
            raise RequestError(f"{tool}: {name} is another name of {key}: give one of the two")
        if key not in properties:
            near = difflib.get_close_matches(name, properties, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            expected = (
                f"expected one of {', '.join(schema['properties'])}"
                if properties
                else "it takes none"
            )
            raise RequestError(f"{tool}: unknown argument {name[:100]!r}{meant}; {expected}")
        read_as = _value(tool, key, kind, value)
        if read_as == []:  # a list of empty texts
            continue
        choices = properties[key].get("enum")
        if choices and read_as not in choices:
            read_as = _SHORT_FORMS.get(str(read_as).lower(), read_as)
        if choices and read_as not in choices:
            raise one_of(f"{tool}: {key}", str(read_as)[:100], choices)
        read[key] = read_as
    for name in schema.get("required", ()):
        if name not in read:
            raise RequestError(
                f"{tool}: {name} is missing: {properties[name].get('description', 'a text')}"
            )
    return read


def _value(tool: str, key: str, kind: str, value: Any) -> Any:
    """Returns a value in the type of the schema. Raises RequestError."""
    if key == "phrasings" and isinstance(value, str) and not value.lstrip().startswith("["):
        value = [value]  # a comma belongs to the sentence
    read = read_value(f"{tool}: {key}", kind, value)
    if key != "path":
        return read
    return [_as_path(path) for path in read] if isinstance(read, list) else _as_path(read)


def _as_path(given: Any) -> Any:
    """The path that a `file:` URI names, which some clients give; anything else as it is."""
    if not (isinstance(given, str) and given.lower().startswith("file://")):
        return given
    return url2pathname(given[len("file://") :].removeprefix("localhost"))


_ANY_TEXT: Final = ("query", "queries", "symbol", "symbols", "name", "text", "focus")
"""Arguments that may be the text `null`; models write it for the value elsewhere."""


def _is_given(given: Mapping[str, Any], name: str, kind: str) -> bool:
    return name in given and not is_absent(given[name], kind)


def without_empty(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments that say something."""
    return {name: value for name, value in (given or {}).items() if not _is_empty(name, value)}


def _is_empty(name: str, value: Any) -> bool:
    kind = "boolean" if name in _FLAGS else "string"
    return is_absent(value, kind) or (value == "null" and name not in _ANY_TEXT)


_FLAGS: Final = frozenset(
    (
        "boost_recent",
        "include_content",
        "include_documents",
        "include_graph",
        "use_enhanced",
        "vectors",
        "fuzzy",
    )
)
