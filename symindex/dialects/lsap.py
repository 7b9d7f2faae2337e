"""LSAP's Search. It is our own contract with the document's defaults: without `max_items`, all
results are returned, and the hint to the next page uses `start_index`."""

from typing import Any, Final

import msgspec

from symindex.dialects.dialect import CallContext, Dialect, Parameter, Reply, Tool

_FIELDS: Final = ("query", "kinds", "max_items", "start_index", "pagination_id")

_ITEM: Final = {
    "name": {"type": "string"},
    "kind": {"type": "string"},
    "file_path": {"type": "string"},
    "line": {"type": "integer"},
    "container": {"anyOf": [{"type": "string"}, {"type": "null"}]},
}
_RESULT: Final[dict[str, Any]] = {
    "request": {"type": "object"},
    "items": {"type": "array", "items": {"type": "object", "properties": _ITEM}},
    "start_index": {"type": "integer"},
    "max_items": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "total": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "has_more": {"type": "boolean"},
    "pagination_id": {"anyOf": [{"type": "string"}, {"type": "null"}]},
}


def search(caller: CallContext, arguments: dict[str, Any]) -> Reply:
    """Returns the page as the document's Markdown, and as its SearchResponse."""
    from symindex.protocol.search import (
        SearchRequest,
    )  # deferred, here and below: a list of tools only needs the schema
    from symindex.render.markdown import render_search
    from symindex.workspace.answers import search_plan

    plan = caller.workspace.source.plan(SearchRequest(**arguments))
    response = search_plan(caller.workspace, plan, caller.freshness)
    data = msgspec.to_builtins(response)
    data["request"] = {name: data["request"][name] for name in _FIELDS}
    return Reply(render_search(response, row_name=plan.universe.row), data, len(response.items))


DIALECT: Final = Dialect(
    "lsap",
    "LSAP",
    "`search` finds symbols of the workspace by exact, prefix or fuzzy name.",
    (
        Tool(
            "search",
            "Fast, fuzzy symbol search across the entire workspace: name, kind and location of each"
            " match.",
            (
                Parameter(
                    name="query",
                    kind="string",
                    is_required=True,
                    about="Search pattern: an exact name, a prefix, or fuzzy",
                ),
                Parameter(
                    name="kinds",
                    kind="array",
                    about='Only symbols of these kinds, such as ["class"]',
                ),
                Parameter(
                    name="max_items",
                    kind="integer",
                    least=1,
                    about="At most this many results. Default: all",
                ),
                Parameter(
                    name="start_index",
                    kind="integer",
                    default=0,
                    least=0,
                    about="How many results to skip",
                ),
                Parameter(
                    name="pagination_id",
                    kind="string",
                    about="Token of the previous page; returns the next page",
                ),
            ),
            _RESULT,
            search,
        ),
    ),
)
