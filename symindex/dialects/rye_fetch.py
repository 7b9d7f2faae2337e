"""rye's `rye_fetch`: returns an item by its id, copies it between spaces, or lists items by a
query."""

from collections.abc import Mapping
from typing import Any, Final

from symindex.dialects.dialect import CallContext, Dialect, Parameter, Reply, Tool, as_json
from symindex.dialects.rye import (
    OF_QUERIES,
    PAGE,
    PROJECT_PATH,
    QUERY,
    SCOPE,
    SEARCH,
    in_project,
    page,
    strict,
)
from symindex.errors import RequestError

SPACES: Final = ("project", "user", "system")
_OF_ID: Final = ("item_id", "item_type", "destination", "version", "verify")

_TEXTS: Final = ("status", "content", "path", "source", "copied_to", "destination_path", "error")
_ITEM: Final[dict[str, Any]] = {
    **{name: {"type": "string"} for name in _TEXTS},
    "metadata": {"type": "object"},
}


def fetch(caller: CallContext, arguments: dict[str, Any]) -> Reply:
    """Returns the item, or the page of a query. Raises RequestError."""
    caller = in_project(caller, arguments["project_path"])
    is_query = arguments["query"] is not None or arguments["scope"] is not None
    if arguments["item_id"] is not None and is_query:
        raise RequestError(
            "item_id and query exclude each other: use item_id for one item, or "
            "query and scope for a list"
        )
    if arguments["item_id"] is not None:
        return _by_id(caller, arguments)
    for name in ("query", "scope"):
        if arguments[name] is None:
            problem = f"{name} is missing" if is_query else "item_id and query are both missing"
            raise RequestError(
                f"{problem}: use item_id for one item, or query and scope for a list"
            )
    if misplaced := [name for name in _OF_ID if arguments[name] is not None]:
        raise RequestError(f"{', '.join(misplaced)}: allowed only with item_id, not with query")
    return _by_query(caller, arguments)


def _by_id(caller: CallContext, arguments: Mapping[str, Any]) -> Reply:
    from symindex.protocol.fetch import (
        FetchFailure,
    )  # deferred, here and below: a list of tools only needs the schema

    if misplaced := [
        parameter.name for parameter in OF_QUERIES if arguments[parameter.name] != parameter.default
    ]:
        raise RequestError(f"{', '.join(misplaced)}: allowed only with query, not with item_id")
    fields = {name: arguments[name] for name in (*_OF_ID, "source") if arguments[name] is not None}
    answer = caller.workspace.fetch(freshness=caller.freshness, **fields)
    return as_json(answer, 1, isinstance(answer, FetchFailure))


def _by_query(caller: CallContext, arguments: Mapping[str, Any]) -> Reply:
    from symindex.workspace.answers import search_sources

    source = arguments["source"] or "all"
    request = strict(arguments, source if source in SPACES else "all")
    response = search_sources(caller.workspace, request, source, caller.freshness)
    return page(response, arguments["scope"], source)


def _refuse(error: str, arguments: Mapping[str, Any]) -> Reply:
    """Returns the document's response for errors."""
    names = {
        name: value if isinstance(value := arguments.get(name), str) else None
        for name in ("item_type", "item_id")
    }
    return as_json({"status": "error", "error": error, **names}, 0, True)


_FETCH: Final = Tool(
    "rye_fetch",
    "Resolve an item's content by item_id, or discover items by query and scope. Not both at once.",
    (
        PROJECT_PATH,
        Parameter(
            name="item_id",
            kind="string",
            about="Relative path from .ai/<type>/ without extension, such as rye/core/bash",
        ),
        Parameter(
            name="item_type",
            kind="string",
            about="directive, tool, or knowledge. Default: detected",
        ),
        Parameter(
            name="source",
            kind="string",
            choices=(*SPACES, "local", "registry", "all"),
            about=(
                "By id: default is the first of project, user, system that has it. "
                "By query: default is all, including registries"
            ),
        ),
        Parameter(
            name="destination",
            kind="string",
            choices=("project", "user"),
            about="Copies the item to this space",
        ),
        Parameter(name="version", kind="string", about="Version to pull from a registry"),
        Parameter(
            name="verify",
            kind="string",
            choices=("off", "warn", "intact", "require"),
            is_listed=False,
            about=(
                "How to treat signatures; default: as in config.toml, else intact: "
                "changed items fail to load"
            ),
        ),
        QUERY,
        SCOPE,
        *OF_QUERIES,
    ),
    {**_ITEM, **PAGE},
    fetch,
    _refuse,
    writes=True,
)

DIALECT: Final = Dialect(
    "rye",
    "rye",
    "`rye_search` finds directives, tools and knowledge; `rye_fetch` gets one by its id, and copies"
    " it between spaces.",
    (SEARCH, _FETCH),
)
