"""The tools as agents see them: names, descriptions, schemas. Each word of them is paid for in every conversation, so a test
counts their tokens.
"""

import os
from typing import Any, Final

MAX_TOKENS: Final = 2_000
"""About how many tokens an answer costs at most, by default."""

_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_FLAG: Final = {"type": "boolean"}
_OBJECT: Final = {"type": "object"}
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


_PLACE: Final = {"name": _TEXT, "kind": _TEXT, "file_path": _TEXT, "line": _NUMBER}
_DETAIL: Final = {**_PLACE, "id": _TEXT, "signature": _TEXT, "doc": _TEXT, "code": _TEXT, "more_lines": _TEXT, "members": _ROWS}

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


TOOLS: Final = [
    _tool(
        "search",
        "Find definitions (functions, classes, ...) by name: exact, prefix, part, initials, typos; Type.method; by plain "
        "words: cookie parsing; or fields: kind:class path:src/** doc:word, AND OR NOT. Rows: name, kind, path:line.",
        {
            "query": _TEXT,
            "queries": _about(_TEXTS, "Several at once"),
            "in": _about(_TEXT, "text, notes, all"),
            "kinds": _about(_TEXTS, "e.g. class, method"),
            "language": _LANGUAGE,
            "path": _PATH,
            "max_items": _NUMBER,
            "start_index": _NUMBER,
            "pagination_id": _TOKEN,
            "scope": _about(_TEXTS, "class.src.auth.*, skill, all"),
            "space": _about(_TEXT, "system"),
            "fields": _OBJECT,
            "filters": _OBJECT,
            "fuzzy": _OBJECT,
            "proximity": _OBJECT,
            "sort_by": _about(_TEXT, "score, date, name"),
            "format": _about(_TEXT, "rye"),
            "max_tokens": _BUDGET,
        },
        [],
        {
            "items": _rows(**_PLACE, container=_maybe(_TEXT)),
            "total": _NUMBER,
            "has_more": _FLAG,
            "pagination_id": _maybe(_TEXT),
            "batch": _ROWS,
        },
    ),
    _tool(
        "symbol",
        "Show one definition: signature, doc, code, members. Long code is cut; ask for more with lines.",
        {
            "symbol": _about(_TEXT, "path#Type.name, Type.name, path:line, path:75-90, or a pasted stack trace"),
            "symbols": _about(_TEXTS, "Several at once"),
            "path": _about(_TEXT, "File, folder or glob that it is in"),
            "lines": _about(_TEXT, "e.g. 120-180: these lines of its file"),
            "siblings": _about(_FLAG, "Also what stands beside it"),
            "max_tokens": _BUDGET,
        },
        [],
        {"symbol": _maybe(_object(_DETAIL)), "others": _rows(**_PLACE), "total": _NUMBER},
    ),
    _tool(
        "outline",
        "Show what is defined in a file, folder or glob, as a tree with lines.",
        {
            "path": _about(_TEXT, "Empty: everything"),
            "depth": _about(_NUMBER, "Levels"),
            "kinds": _TEXTS,
            "signatures": _FLAG,
            "max_tokens": _BUDGET,
        },
        [],
        {"path": _TEXT, "files": _NUMBER, "symbols": _NUMBER, "hidden": _NUMBER, "items": _rows(name=_TEXT, kind=_TEXT)},
    ),
    _tool(
        "references",
        "Where an identifier is used, by name (namesakes too); or, with in, where a text stands: an error message, a "
        "literal, a regex. Rows: file, line, enclosing symbol.",
        {
            "name": _TEXT,
            "in": _one_of("code", "strings", "comments", "all"),
            "regex": _FLAG,
            "role": _one_of("call", "definition", "import", "type", "inherit", "read", "write"),
            "language": _LANGUAGE,
            "path": _PATH,
            "max_items": _NUMBER,
            "pagination_id": _TOKEN,
            "max_tokens": _BUDGET,
        },
        ["name"],
        {
            "files": _rows(file_path=_TEXT, items=_rows(line=_NUMBER, text=_TEXT, container=_maybe(_TEXT), definition=_FLAG)),
            "total": _maybe(_NUMBER),
            "has_more": _FLAG,
            "pagination_id": _maybe(_TEXT),
        },
    ),
    _tool(
        "status",
        "What is indexed: files, languages, what was skipped and why, freshness.",
        {},
        [],
        {"roots": _rows(root=_TEXT, state=_TEXT)},
    ),
]
"""As `tools/list` gives them."""

WRITE_TOOLS: Final = [
    _tool(
        "note",
        "Keep a note about the project: a decision, an error and how it was mended, a plan. Search finds it with in: notes.",
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
        "Add a text, or a page of the web, to what search finds with in: text. The same source again replaces it.",
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


HIDDEN: Final[dict[str, dict[str, Any]]] = {"references": {"ignore_case": _FLAG}}
"""Arguments that are taken, and not in the schema, which every conversation pays for."""

BY_NAME: Final[dict[str, dict[str, Any]]] = {tool["name"]: tool for tool in TOOLS}
WRITES_BY_NAME: Final[dict[str, dict[str, Any]]] = {tool["name"]: tool for tool in WRITE_TOOLS}
