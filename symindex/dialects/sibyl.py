"""Sibyl's unified search over a graph of typed entities and over documents, and the part of
`explore` that its document uses.

Everything except documents belongs to the graph: items with a type, notes as episodes, and symbols.
Filters narrow both.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from symindex.dialects.dialect import CallContext, Dialect, Parameter, Reply, Tool, as_json
from symindex.errors import RequestError
from symindex.text.escaping import shorten

if TYPE_CHECKING:
    from symindex.protocol.recall import TextHit, TextRequest

MOST_LIMIT: Final = 50
DEFAULT_LIMIT: Final = 10

EXPLORE: Final = 'explore with mode "related" and the id of a result as entity_id'
COMMAND: Final = "`symindex symbol ID`"

LONGEST_CONTENT: Final = 20_000
"""Longest content of a result, in characters. The metadata of a longer one contain `truncated`."""

PREVIEW: Final = 500
"""Longest preview, in characters. It begins shortly before the first match."""

DOCUMENT: Final = "document"
_TYPES: Final = {"note": "episode"}

_FILTERS: Final = (
    "types",
    "language",
    "category",
    "status",
    "project",
    "assignee",
    "source",
    "source_id",
    "source_name",
    "since",
)


def search(caller: CallContext, arguments: dict[str, Any]) -> Reply:
    """Returns the document's response. Raises RequestError."""
    from symindex.protocol.recall import (
        TextRequest,
    )  # deferred, here and below: a list of tools only needs the schema

    fields: dict[str, Any] = {
        name: _words(arguments[name]) for name in ("language", "category", "status")
    }
    fields |= {
        name: arguments[name] or ""
        for name in ("project", "assignee", "source", "source_id", "source_name", "since")
    }
    fields |= {name: arguments[name] for name in _FLAGS}
    request = TextRequest(
        queries=[arguments["query"]],
        types=arguments["types"] or [],
        limit=arguments["limit"],
        offset=arguments["offset"],
        session=caller.session,
        by_entity=True,
        **fields,
    )
    return as_json(*_response(caller, request, arguments))


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _response(
    caller: CallContext, request: "TextRequest", arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], int]:
    """Returns the answer in the document's form, and the number of its results. Raises
    RequestError."""
    answer = caller.workspace.recall(request, freshness=caller.freshness)
    section = answer.sections[0]
    if section.error is not UNSET:
        raise RequestError(f"search: {section.error}")
    n_documents = section.n_documents or 0
    results = [result(hit, is_whole=request.include_content) for hit in section.items]
    data: dict[str, Any] = {
        "results": results,
        "total": section.total,
        "query": arguments["query"],
        "filters": {name: arguments[name] for name in _FILTERS if arguments.get(name)},
        "graph_count": section.total - n_documents,
        "document_count": n_documents,
        "limit": request.limit,
        "offset": request.offset,
        "has_more": section.has_more,
        "usage_hint": _hint(results, request.include_content, caller.in_shell),
    }
    if notices := [*(answer.notices or ()), *(section.notices or ())]:
        data["notices"] = notices
    return data, len(section.items)


def _hint(results: list[dict[str, Any]], is_whole: bool, in_shell: bool) -> str:
    """Returns a hint how to get full content, and more."""
    how = COMMAND if in_shell else EXPLORE
    if not results:
        return "Nothing was found; try fewer words, types or filters"
    if not is_whole:
        return f"Results show previews. To get full content, use: {how}"
    if any("truncated" in row["metadata"] for row in results):
        return (
            f"Truncated results contain {LONGEST_CONTENT:,} characters, others their "
            f"full content. To get more, use: {how}"
        )
    related = "`symindex related ID`" if in_shell else EXPLORE
    return f"Results contain their full content. To see what is related to one, use: {related}"


def result(hit: "TextHit", is_whole: bool = True, most: int = LONGEST_CONTENT) -> dict[str, Any]:
    """Converts a hit to a SearchResult. Its id is the one in its front matter, if there is one.

    is_whole: whether its content is complete, or a preview. most: longest content, in characters.
    """
    is_document = hit.result_origin == DOCUMENT and hit.is_document
    facts = {name: value for name, value in hit.metadata.items() if name != "id"}
    content = hit.content if is_whole else shorten(hit.content, PREVIEW)
    if is_whole and len(content) > most:
        content, facts["truncated"] = content[:most], True
    facts_of_place = {"line": hit.line, **({"date": hit.added} if hit.added else {})}
    shown: dict[str, Any] = {
        "id": str(hit.metadata.get("id") or hit.id),
        "type": DOCUMENT if is_document else _TYPES.get(hit.type, hit.type),
        "name": hit.title,
        "content": content,
        "score": hit.score,
        "source": hit.source,
        "result_origin": DOCUMENT if is_document else "graph",
        "metadata": {**facts_of_place, **facts, **({"stale": True} if hit.stale else {})},
    }
    if hit.url:
        shown["url"] = hit.url
    return shown


def explore(caller: CallContext, arguments: dict[str, Any]) -> Reply:
    """Lists entities of some types, or shows one entity in full with what is related to it. Raises
    RequestError."""
    from symindex.protocol.recall import TextRequest

    if arguments["mode"] == "list":
        types = arguments["types"] or ["project"]
        request = TextRequest(
            queries=[""],
            types=types,
            limit=arguments["limit"],
            by_entity=True,
            include_content=True,
        )
        data, count = _response(caller, request, {"query": "", "types": types})
        return as_json({"mode": "list", "entities": data["results"], "total": data["total"]}, count)
    entity = arguments["entity_id"]
    if not entity:
        raise RequestError("explore: entity_id is missing: use the id of a search result")
    answer = caller.workspace.related(entity, freshness=caller.freshness)
    if answer is None:
        raise RequestError(
            f"explore: there is nothing with the id {entity[:100]!r}: use the id of a "
            "result of `search`"
        )
    hit, neighbours = answer
    related = [
        {"relationship": neighbour.relation, **result(neighbour.hit)}
        for neighbour in neighbours[: arguments["limit"]]
    ]
    return as_json(
        {
            "mode": "related",
            "entity": result(hit, most=len(hit.content)),
            "related": related,
            "total": len(neighbours),
        },
        len(related) + 1,
    )


_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_FLAG: Final = {"type": "boolean"}
_OBJECT: Final = {"type": "object"}
_ROW: Final = {
    "id": _TEXT,
    "type": _TEXT,
    "name": _TEXT,
    "content": _TEXT,
    "score": {"type": "number"},
    "source": _TEXT,
    "url": _TEXT,
    "result_origin": {"type": "string", "enum": ["graph", DOCUMENT]},
    "metadata": _OBJECT,
}
_ROWS: Final = {"type": "array", "items": {"type": "object", "properties": _ROW}}
_RESULT: Final[dict[str, Any]] = {
    "results": _ROWS,
    "total": _NUMBER,
    "query": _TEXT,
    "filters": _OBJECT,
    "graph_count": _NUMBER,
    "document_count": _NUMBER,
    "limit": _NUMBER,
    "offset": _NUMBER,
    "has_more": _FLAG,
    "usage_hint": _TEXT,
}

_FLAGS: Final = {
    "include_content": "Return full content rather than previews",
    "include_documents": "Search documents",
    "include_graph": "Search the graph: items, notes, symbols",
    "use_enhanced": "Also match parts of words, synonyms and corrections",
    "boost_recent": "Rank older results lower",
}


def _text(name: str, about: str) -> Parameter:
    return Parameter(name=name, kind="string", about=about)


_LIMIT: Final = Parameter(
    name="limit",
    kind="integer",
    default=DEFAULT_LIMIT,
    least=1,
    most=MOST_LIMIT,
    about="At most this many results",
)
_ENTITY_TYPES: Final = Parameter(
    name="types",
    kind="array",
    about='Only these types, such as ["task"]; document for documentation',
)

DIALECT: Final = Dialect(
    "sibyl",
    "Sibyl",
    (
        "`search` finds entities and documents by words and their synonyms; to find "
        "tasks, set types and project."
    ),
    (
        Tool(
            "search",
            "Unified search over the knowledge graph (patterns, rules, episodes, tasks, projects,"
            " symbols) and documentation.",
            (
                Parameter(
                    name="query",
                    kind="string",
                    is_required=True,
                    about="Natural language search query",
                ),
                _ENTITY_TYPES,
                _text("language", "Only this programming language"),
                _text("category", "Only this category"),
                _text(
                    "status",
                    "Only tasks of these statuses, comma-separated: backlog, todo, doing, blocked,"
                    " review, done, archived",
                ),
                _text("project", "Only entities of the project with this id"),
                _text("assignee", "Only tasks of this assignee"),
                _text("source", "Only entities of this source, or below this path"),
                _text("source_id", "Only the source with this id, label or digest"),
                _text("source_name", "Only documents of sources whose name contains this"),
                _text("since", "Only results written since then: an ISO date, or 7d, 2w"),
                _LIMIT,
                Parameter(
                    name="offset",
                    kind="integer",
                    default=0,
                    least=0,
                    about="How many results to skip",
                ),
                *(
                    Parameter(name=name, kind="boolean", default=True, about=about)
                    for name, about in _FLAGS.items()
                ),
            ),
            _RESULT,
            search,
        ),
        Tool(
            "explore",
            "Lists entities, or shows one entity with related ones.",
            (
                Parameter(
                    name="mode",
                    kind="string",
                    default="list",
                    choices=("list", "related"),
                    about="What to show",
                ),
                _ENTITY_TYPES,
                _text("entity_id", "With mode related: id of a search result"),
                _LIMIT,
            ),
            {"entities": _ROWS, "entity": _OBJECT, "related": _ROWS, "total": _NUMBER},
            explore,
        ),
    ),
)
