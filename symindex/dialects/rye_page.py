"""Converts a page of search results to the form of rye_search.

Items have their own ids, categories and types. The category of a symbol is its container or the
folder of its file, and its type is its kind.
"""

from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.kinds import SymbolKind
from symindex.protocol.search import ITEM_NEEDS, SearchItem, SearchRequest, SearchResponse
from symindex.text.escaping import escape_json

RYE_NEEDS: Final = ITEM_NEEDS

DEFAULT_LIMIT: Final = 10
"""Results of a page if the request sets no number."""

PREVIEW: Final = 200
"""Longest preview, in characters."""


def prepare_rye(request: SearchRequest) -> None:
    """Changes a request so that it includes the fields that this form needs, and has rye_search's
    default number of results."""
    request.include = [*RYE_NEEDS]
    if request.max_items is None and request.limit is UNSET and request.pagination_id is None:
        request.max_items = DEFAULT_LIMIT


class RyeResult(msgspec.Struct, kw_only=True):
    """A row.

    description: the first line of the doc. preview: for a section or an item, its text around the
    match; for a symbol, its signature and doc; shortened. shadows, shadowed_by: as in SearchItem.
    """

    id: str
    name: str
    description: str
    category: str
    score: float
    type: str
    source: str
    preview: str
    shadows: list[dict[str, str]] | UnsetType = UNSET
    shadowed_by: str | UnsetType = UNSET


class RyeResponse(msgspec.Struct, kw_only=True):
    """A page.

    limit: `None` for all results. search_type: the kind of search; there is only one. notices,
    suggestions: as in SearchResponse, or absent.
    """

    results: list[RyeResult]
    total: int
    query: str
    scope: str | list[str]
    space: str
    limit: int | None
    offset: int
    search_type: str = "keyword"
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET


def as_rye(response: SearchResponse) -> RyeResponse:
    """Converts a response. Its request must have included RYE_NEEDS."""
    request = response.request
    return RyeResponse(
        results=[_result(item) for item in response.items],
        total=response.total,
        query=request.query,
        scope=_scope(request.scope),
        space=request.space or "all",
        limit=response.max_items,
        offset=response.start_index,
        notices=response.notices,
        suggestions=response.suggestions,
    )


def render_rye(response: SearchResponse) -> str:
    """Returns the page as JSON."""
    return escape_json(msgspec.json.encode(as_rye(response))).decode()


def _scope(scope: str | list[str] | UnsetType) -> str | list[str]:
    if not scope:
        return "symbol"
    return scope[0] if isinstance(scope, list) and len(scope) == 1 else scope


def _result(item: SearchItem) -> RyeResult:
    signature, doc = item.signature or "", item.doc or ""
    metadata = item.metadata or {}
    snippet = (item.snippet or "") if metadata or item.kind == SymbolKind.SECTION else ""
    text = " ".join(snippet.split()) or " ".join(filter(None, (signature, *doc.split())))
    return RyeResult(
        id=str(metadata.get("id") or item.id or ""),
        name=item.name,
        description=doc.strip().partition("\n")[0].strip(),
        category=item.container or ("" if metadata else item.file_path.rpartition("/")[0]),
        score=round(item.score or 0.0, 4),
        type=item.kind,
        source=item.space or "project",
        preview=text if len(text) <= PREVIEW else text[: PREVIEW - 1] + "…",
        shadows=item.shadows,
        shadowed_by=item.shadowed_by,
    )
