"""The tools as agents see them: names, descriptions, schemas. Every conversation pays for each
word, so a test counts the tokens.
"""

import os
from typing import Any, Final

from symindex.protocol.hierarchy import DIRECTIONS
from symindex.protocol.kinds import AGENT_KINDS
from symindex.protocol.search_options import SEARCH_OPTIONS

MAX_TOKENS: Final = 2_000
"""Default limit of an answer, in estimated tokens."""

_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_FLAG: Final = {"type": "boolean"}
_ROWS: Final = {"type": "array", "items": {"type": "object"}}


def _maybe(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a schema that also accepts null. It does not use a list of types, which some clients
    refuse."""
    return {"anyOf": [schema, {"type": "null"}]}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of an object with these fields and possibly others."""
    return {"type": "object", "properties": fields}


def _rows(**fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a list of objects with these fields."""
    return {"type": "array", "items": _object(fields)}


def _about(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def _one_of(*words: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}


_PLACE: Final = {"name": _TEXT, "file_path": _TEXT, "line": _NUMBER}

_BUDGET: Final = _about(_NUMBER, f"Default {MAX_TOKENS}")
_LANGUAGE: Final = _about(_TEXTS, "e.g. python, go")
_PATH: Final = _about(_TEXTS, "Globs, e.g. src/**; a leading ! excludes")
_TOKEN: Final = _about(_TEXT, "Token from the previous page")


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
        "Find definitions by name (exact, prefix, part, initials, typo), Type.method, words"
        " (cookie parsing), or fields (kind:class path:src/** doc:word, AND OR NOT). Returns name,"
        " kind, path:line.",
        {
            "query": _TEXT,
            "queries": _about(_TEXTS, "Several at once"),
            "phrasings": _about(_TEXTS, "The query as its code may say it"),
            "in": _about(_TEXT, "Prose: text, notes or all"),
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
        "Show a definition: code (unless code: false), doc, members; or lines of any file; or a"
        " stack trace's code.",
        {
            "symbol": _about(
                _TEXT,
                "path#Type.name, Type.name, path:line, path:75-90, or a pasted trace",
            ),
            "symbols": _TEXTS,
            "used_in": _about(_TEXT, "path:line that uses it"),
            "path": _PATH,
            "lines": _about(_TEXT, "e.g. 120-180"),
            "siblings": _FLAG,
            "max_tokens": _BUDGET,
        },
        [],
        {"symbol": _maybe(_object({"id": _TEXT, "code": _TEXT})), "others": _ROWS, "batch": _ROWS},
    ),
    _tool(
        "outline",
        "List what a file defines, as a tree; for a folder or no path, a map of the most important"
        " symbols; with since, changed symbols.",
        {
            "path": _PATH,
            "focus": _about(_TEXTS, "Map: names or files to centre on"),
            "since": _about(_TEXT, "HEAD: uncommitted changes"),
            "tests": _about(_FLAG, "List tests of changed symbols"),
            "depth": _NUMBER,
            "max_tokens": _BUDGET,
        },
        [],
        {"path": _TEXT, "items": _ROWS},
    ),
    _tool(
        "references",
        "List uses of an identifier, by name; an id (path#Name) excludes other symbols. With in,"
        " find a text or regex, such as an error message. Returns file, line, enclosing symbol.",
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
        "Show implementations and overrides (subtypes), supertypes, callers, callees or tests.",
        {
            "symbol": _about(_TEXT, "As in symbol"),
            "direction": _one_of(*DIRECTIONS),
            "depth": _about(_NUMBER, "Levels"),
            "max_items": _NUMBER,
        },
        ["symbol"],
        {"items": _ROWS},
    ),
    _tool(
        "status",
        "Show what is indexed: files, languages, what was skipped and why, freshness.",
        {},
        [],
        {"roots": _ROWS},
    ),
]
"""The tools that only read, in the form that `tools/list` returns."""

WRITE_TOOLS: Final = [
    _tool(
        "note",
        "Store a note about the project: a decision, an error and its fix, a plan. The tool search"
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
        "Add a text or a web page, which search then finds with in: text. An existing source is"
        " replaced.",
        {"source": _about(_TEXT, "Its name"), "text": _TEXT, "url": _TEXT},
        ["source"],
        {"label": _TEXT, "size": _NUMBER},
        writes=True,
    ),
]
"""The tools that write. They are off unless the user's environment turns them on."""

WRITES: Final = "SYMINDEX_MCP_WRITE"


def are_writes_on() -> bool:
    """Whether the user has turned on the tools that write."""
    return os.environ.get(WRITES, "") not in ("", "0")


HIDDEN: Final[dict[str, dict[str, Any]]] = {
    "search": {
        "start_index": _NUMBER,
        **{option.name: {"type": option.tool} for option in SEARCH_OPTIONS if option.tool},
        "format": _TEXT,
    },
    "outline": {"kinds": _KINDS, "signatures": _FLAG},
    "references": {"ignore_case": _FLAG, "all": _FLAG, "why": _FLAG},
    "symbol": {"history": _FLAG, "code": _FLAG},
}
"""Arguments that are accepted but not in the schemas, because every conversation pays for a schema.
`code` is hidden because some clients send false for every flag that they do not mean to set."""

BY_NAME: Final[dict[str, dict[str, Any]]] = {tool["name"]: tool for tool in TOOLS}
WRITES_BY_NAME: Final[dict[str, dict[str, Any]]] = {tool["name"]: tool for tool in WRITE_TOOLS}
