"""rye's `rye_search` over directives, tools and knowledge, and `rye_fetch` (`dialects/rye_fetch`).

Its query language is strict: blanks mean AND, only whole words match, names are not found by a
part, and typos are tolerated only with `fuzzy`. symindex has the option `whole_words` for this.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from symindex.dialects.dialect import CallContext, Parameter, Reply, Tool, as_json
from symindex.errors import RequestError
from symindex.text.escaping import shorten

if TYPE_CHECKING:
    from symindex.protocol.search import SearchRequest, SearchResponse

DEFAULT_LIMIT: Final = 10

PROJECT_PATH: Final = Parameter(
    name="project_path",
    kind="string",
    is_required=True,
    may_miss=True,
    about="Absolute path to the project root",
)
QUERY: Final = Parameter(
    name="query",
    kind="string",
    about='Search query: AND, OR, NOT, parentheses, "phrases", wildcards as file*',
)
SCOPE: Final = Parameter(
    name="scope",
    kind="string",
    about=(
        "Item type and optional namespace: directive, tool.rye.core.*, rye.search.tool.rye.core.*"
    ),
)
OF_QUERIES: Final = (
    Parameter(
        name="limit",
        kind="integer",
        default=DEFAULT_LIMIT,
        least=1,
        about="Maximum number of results to return",
    ),
    Parameter(
        name="offset",
        kind="integer",
        default=0,
        least=0,
        about="Number of results to skip, for pagination",
    ),
    Parameter(
        name="sort_by",
        kind="string",
        default="score",
        choices=("score", "date", "name"),
        about="Sort order",
    ),
    Parameter(
        name="fields",
        kind="object",
        default={},
        about='Field-specific search queries, as {"category": "core"}',
    ),
    Parameter(
        name="filters", kind="object", default={}, about="Meta-field filters for exact matching"
    ),
    Parameter(
        name="fuzzy",
        kind="object",
        default={},
        about='Fuzzy matching: {"enabled": true, "max_distance": 2}',
    ),
    Parameter(
        name="proximity",
        kind="object",
        default={},
        about='Proximity search: {"enabled": true, "max_distance": 5}',
    ),
)
"""The query parameters that both tools share."""

_OBJECT: Final = {"type": "object"}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}

_ROW: Final[dict[str, Any]] = {
    **dict.fromkeys(
        ("id", "name", "description", "category", "type", "source", "preview", "shadowed_by"), _TEXT
    ),
    "score": {"type": "number"},
    "shadows": {"type": "array", "items": _OBJECT},
}
PAGE: Final[dict[str, Any]] = {
    "results": {"type": "array", "items": {"type": "object", "properties": _ROW}},
    **dict.fromkeys(("query", "scope", "space", "search_type"), _TEXT),
    **dict.fromkeys(("total", "limit", "offset"), _NUMBER),
    "notices": {"type": "array", "items": _TEXT},
}
"""The properties of the response to a query."""


TYPES: Final = ("directive", "tool", "knowledge")

SCOPE_FORMS: Final = (
    "directive, tool or knowledge, with an optional namespace, such as tool.rye.core.*"
)

_SCOPE: Final = re.compile(
    r"(?:rye\.(?:search|fetch)\.)?(?!rye\.|search\b|fetch\b)[A-Za-z][\w-]*(?:\.|\*|$)"
)


def search(caller: CallContext, arguments: dict[str, Any]) -> Reply:
    """Returns the page of a query as JSON. Raises RequestError."""
    # Deferred, here and below: a list of tools only needs the schema.
    from symindex.workspace.answers import search_sources

    caller = in_project(caller, arguments["project_path"])
    request = strict(arguments, arguments["space"])
    return page(
        search_sources(caller.workspace, request, "local", caller.freshness),
        arguments["scope"],
        arguments["space"],
    )


def strict(arguments: Mapping[str, Any], space: str) -> "SearchRequest":
    """Converts a query of rye to a request of ours. Raises RequestError for a scope that does not
    begin with a type."""
    from msgspec import UNSET

    from symindex.protocol.search import SearchRequest

    if not _SCOPE.match(arguments["scope"]):
        raise RequestError(f"scope {shorten(arguments['scope'], 100)!r}: expected {SCOPE_FORMS}")
    return SearchRequest(
        query=arguments["query"],
        scope=arguments["scope"],
        space=UNSET if space == "all" else space,
        limit=arguments["limit"],
        offset=arguments["offset"],
        sort_by=arguments["sort_by"],
        fields=arguments["fields"],
        filters=arguments["filters"],
        fuzzy=arguments["fuzzy"] or False,
        proximity=arguments["proximity"],
        whole_words=True,
    )


def page(response: "SearchResponse", scope: str, space: str) -> Reply:
    """Returns the document's response. scope, space: as in the call."""
    from msgspec import UNSET

    from symindex.dialects.rye_page import as_rye

    data = as_rye(response)
    data.scope, data.space = scope, space
    if data.notices is not UNSET:
        data.notices = [notice.replace("start_index", "offset") for notice in data.notices]
    return as_json(data, len(data.results))


def in_project(caller: CallContext, path: str | None) -> CallContext:
    """Returns the context for one project: the root that a path names or is below. Raises
    RequestError for a path outside of all roots."""
    roots = [*map(Path, caller.workspace.source.folder_paths)]
    if not path:
        if not roots:
            raise RequestError(
                "project_path is missing, and no folder is open: send the absolute "
                "path of the project root"
            )
        return caller
    roots_text = ", ".join(map(str, roots)) or "none"
    if not os.path.isabs(path) or "\0" in path:
        raise RequestError(
            f"project_path {path!r}: not an absolute path; available roots: {roots_text}"
        )
    path_asked = Path(os.path.realpath(path))
    inside = [root for root in roots if path_asked.is_relative_to(os.path.realpath(root))]
    if not inside:
        raise RequestError(
            f"project_path {path!r}: not below a root; available roots: {roots_text}"
        )
    if not os.path.isdir(path):
        raise RequestError(f"project_path {path!r}: not a folder; available roots: {roots_text}")
    if len(roots) == 1 or caller.of_root is None:
        return caller
    return caller._replace(workspace=caller.of_root(max(inside, key=lambda root: len(root.parts))))


SEARCH: Final = Tool(
    "rye_search",
    "Find directives, tools, or knowledge entries: keywords, AND, OR, NOT, phrases, wildcards,"
    " fuzzy matching, BM25 scoring.",
    (
        QUERY.required(),
        SCOPE.required(),
        PROJECT_PATH,
        Parameter(
            name="space",
            kind="string",
            default="all",
            choices=("project", "user", "system", "all"),
            about="Spaces to search",
        ),
        *OF_QUERIES,
    ),
    PAGE,
    search,
)
