"""An answer in the form of Sibyl's search: one list of results with their origins and counts (`spec/sibyl-search.md`)."""

from typing import Any, Final

import msgspec

from symindex.search.prose.contract import FILTERS, TextHit, TextResponse

_ORIGINS: Final = {"document": "document", "symbol": "graph", "note": "graph", "graph": "graph"}
"""There, whatever is no document is an entity of the graph."""

_TYPES: Final = {"note": "episode"}


def as_sibyl(response: TextResponse) -> dict[str, Any]:
    """The answer to the first question. Raises nothing; the error of the question is in `error`."""
    request, section = response.request, response.sections[0]
    results = [_result(hit) for hit in section.items]
    origins = [result["result_origin"] for result in results]
    filters = {name: getattr(request, name) for name in (*FILTERS, "content_type") if getattr(request, name)}
    answer: dict[str, Any] = {
        "results": results,
        "total": section.total,
        "query": section.query,
        "filters": filters,
        "graph_count": origins.count("graph"),
        "document_count": origins.count("document"),
        "limit": request.most,
        "offset": request.offset,
        "has_more": section.has_more,
        "usage_hint": response.usage_hint or "results hold their whole content",
    }
    if section.error is not msgspec.UNSET:
        answer["error"] = section.error
    if notices := [*(response.notices or ()), *(section.notices or ())]:
        answer["notices"] = notices
    return answer


def _result(hit: TextHit) -> dict[str, Any]:
    result: dict[str, Any] = {
        "id": hit.id,
        "type": _TYPES.get(hit.type, hit.type),
        "name": hit.title,
        "content": hit.content,
        "score": hit.score,
        "source": hit.source,
        "result_origin": _ORIGINS[hit.result_origin],
        "metadata": {**hit.metadata, "line": hit.line, "origin": hit.result_origin, **({"date": hit.added} if hit.added else {})},
    }
    if hit.url:
        result["url"] = hit.url
    return result
