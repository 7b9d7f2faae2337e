"""The tools as agents see them: names, descriptions, schemas. Each word of them is paid for in
every conversation, so a test counts their tokens.
"""

import os
from typing import Any, Final

from symindex.protocol.hierarchy import DIRECTIONS
from symindex.protocol.kinds import AGENT_KINDS
from symindex.protocol.search_options import SEARCH_OPTIONS

MAX_TOKENS: Final = 2_000
"""About how many tokens an answer costs at most, by default."""

_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_FLAG: Final = {"type": "boolean"}
_ROWS: Final = {"type": "array", "items": {"type": "object"}}


def _maybe(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that may be null. Not a list of types: some clients refuse that."""
    return {"anyOf": [schema, {"type": "null"}]}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    """An object with these fields, and perhaps others."""
    return {"type": "object", "properties": fields}


def _rows(**fields: dict[str, Any]) -> dict[str, Any]:
    """A list of such objects."""
    return {"type": "array", "items": _object(fields)}


def _about(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def _one_of(*words: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}


_PLACE: Final = {"name": _TEXT, "file_path": _TEXT, "line": _NUMBER}

_BUDGET: Final = _about(_NUMBER, f"Default {MAX_TOKENS}")
_LANGUAGE: Final = _about(_TEXTS, "e.g. python, go")
_PATH: Final = _about(_TEXTS, "Globs as src/**; a leading ! excludes")
_TOKEN: Final = _about(_TEXT, "Token of the page before")


def _tool(
    name: str,
    description: str,
    inputs: dict[str, Any],
    required: list[str],
    outputs: dict[str, Any],
    writes: bool = False,
) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": inputs}
    if required:
        schema["required"] = required
    return {
        "name": name,
        "description": description,
        "inputSchema": schema,
        "outputSchema": {"type": "object", "properties": outputs},
        "annotations": {"readOnlyHint": not writes, "openWorldHint": False},
    }


_KINDS: Final = {"type": "array", "items": _one_of(*AGENT_KINDS)}

TOOLS: Final = [
    _tool(
        "search",
        "Find definitions by name: exact, prefix, part, initials, typos; Type.method; by plain"
        " words: cookie parsing; or fields: kind:class path:src/** doc:word, AND OR NOT. Rows:"
        " name, kind, path:line.",
        {
            "query": _TEXT,
            "queries": _about(_TEXTS, "Several at once"),
            "in": _about(_TEXT, "text, notes, all: prose"),
            "kinds": _KINDS,
            "language": _LANGUAGE,
            "path": _PATH,
            "max_items": _NUMBER,
            "pagination_id": _TOKEN,
            "scope": _about(_TEXTS, "class.src.auth.*, skill, all"),
            "space": _about(_TEXT, "system"),
            "max_tokens": _BUDGET,
        },
        [],
        {
            "items": _rows(**_PLACE),
            "total": _NUMBER,
            "has_more": _FLAG,
            "pagination_id": _maybe(_TEXT),
            "batch": _ROWS,
        },
    ),
    _tool(
        "symbol",
        "Show a definition: signature, doc, code (unless code: false), members; or lines of any"
        " file; or the places in a stack trace.",
        {
            "symbol": _about(
                _TEXT, "path#Type.name, Type.name, path:line, path:75-90, or a pasted trace"
            ),
            "symbols": _about(_TEXTS, "Several at once"),
            "path": _PATH,
            "lines": _about(_TEXT, "e.g. 120-180"),
            "siblings": _about(_FLAG, "Also what stands beside it"),
            "max_tokens": _BUDGET,
        },
        [],
        {"symbol": _maybe(_object({"id": _TEXT, "code": _TEXT})), "others": _ROWS, "batch": _ROWS},
    ),
    _tool(
        "outline",
        "What is in a file, as a tree with lines. Of a folder or without a path: a map of the"
        " symbols that matter most. With since: the symbols changed since a commit or branch.",
        {
            "path": _PATH,
            "focus": _about(_TEXTS, "Map: names or files it should be about"),
            "since": _about(_TEXT, "HEAD: uncommitted"),
            "tests": _about(_FLAG, "With since: their tests"),
            "depth": _about(_NUMBER, "Levels"),
            "max_tokens": _BUDGET,
        },
        [],
        {"path": _TEXT, "items": _ROWS},
    ),
    _tool(
        "references",
        "Where an identifier is used, by name; an id (path#Name) leaves out namesakes. Or, with in,"
        " where a text or regex stands: an error message, a literal. Rows: file, line, enclosing"
        " symbol.",
        {
            "name": _TEXT,
            "role": _one_of("call", "definition", "import", "type", "inherit", "read", "write"),
            "in": _one_of("code", "strings", "comments", "all"),
            "regex": _FLAG,
            "language": _LANGUAGE,
            "path": _PATH,
            "max_items": _NUMBER,
            "pagination_id": _TOKEN,
            "max_tokens": _BUDGET,
        },
        ["name"],
        {
            "files": _rows(file_path=_TEXT, items=_ROWS),
            "total": _maybe(_NUMBER),
            "has_more": _FLAG,
            "pagination_id": _maybe(_TEXT),
        },
    ),
    _tool(
        "hierarchy",
        "Implementations and overrides (subtypes), supertypes, callers, callees or tests of a"
        " symbol, as a tree.",
        {
            "symbol": _about(_TEXT, "As of symbol"),
            "direction": _one_of(*DIRECTIONS),
            "depth": _about(_NUMBER, "Levels"),
            "max_items": _NUMBER,
        },
        ["symbol"],
        {"items": _ROWS},
    ),
    _tool(
        "status",
        "What is indexed: files, languages, what was skipped and why, freshness.",
        {},
        [],
        {"roots": _ROWS},
    ),
]
"""As `tools/list` gives them."""

WRITE_TOOLS: Final = [
    _tool(
        "note",
        "Keep a note about the project: a decision, an error and how it was mended, a plan. Search"
        " finds it with in: notes.",
        {
            "text": _TEXT,
            "category": _about(_TEXT, "e.g. decision, error, plan; default learned"),
            "session": _TEXT,
            "links": _about(_TEXTS, "Ids of symbols"),
        },
        ["text"],
        {"id": _NUMBER},
        writes=True,
    ),
    _tool(
        "add",
        "Add a text, or a page of the web, to what search finds with in: text. The same source"
        " again replaces it.",
        {"source": _about(_TEXT, "What to call it"), "text": _TEXT, "url": _TEXT},
        ["source"],
        {"label": _TEXT, "size": _NUMBER},
        writes=True,
    ),
]
"""The tools that write, which are off unless the user's environment turns them on."""

WRITES: Final = "SYMINDEX_MCP_WRITE"


def are_writes_on() -> bool:
    """Whether the user has turned them on."""
    return os.environ.get(WRITES, "") not in ("", "0")


HIDDEN: Final[dict[str, dict[str, Any]]] = {
    "search": {
        "start_index": _NUMBER,
        **{option.name: {"type": option.tool} for option in SEARCH_OPTIONS if option.tool},
        "format": _TEXT,
    },
    "outline": {"kinds": _KINDS, "signatures": _FLAG},
    "references": {"ignore_case": _FLAG},
    "symbol": {"history": _FLAG, "code": _FLAG},
}
"""Arguments that are taken, and not in the schema, which every conversation pays for. `code` is not
there because some clients write false for every flag that they do not mean."""

BY_NAME: Final[dict[str, dict[str, Any]]] = {tool["name"]: tool for tool in TOOLS}
WRITES_BY_NAME: Final[dict[str, dict[str, Any]]] = {tool["name"]: tool for tool in WRITE_TOOLS}
