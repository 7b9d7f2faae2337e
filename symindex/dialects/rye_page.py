"""A page of a search as rye_search answers it: another form of the same rows.

Items have their own ids, categories and types. Of a symbol the category is its container, or the
folder of its file, and the type its kind.
"""

from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.kinds import SymbolKind
from symindex.protocol.search import ITEM_NEEDS, SearchItem, SearchRequest, SearchResponse
from symindex.text.escaping import escape_json

RYE_NEEDS: Final = ITEM_NEEDS

DEFAULT_LIMIT: Final = 10
"""Of results, where the request names no number."""

PREVIEW: Final = 200
"""Characters of a preview."""


def prepare_rye(request: SearchRequest) -> None:
    """Lets a request ask for what the form needs, and for as many results as rye_search gives."""
    request.include = [*RYE_NEEDS]
    if request.max_items is None and request.limit is UNSET and request.pagination_id is None:
        request.max_items = DEFAULT_LIMIT


class RyeResult(msgspec.Struct, kw_only=True):
    """A row. description: the first line of the doc. preview: of a section or an item, its text
    where the words stand; of a symbol, the signature and the doc; shortened. shadows, shadowed_by:
    as in SearchItem."""

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
    """The page. limit: `None` for all. search_type: how was searched; there is one way. notices,
    suggestions: as in SearchResponse; absent where there are none."""

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
    """The page of a request that included RYE_NEEDS."""
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
    """The page as JSON."""
    return escape_json(msgspec.json.encode(as_rye(response))).decode()


def _scope(given: str | list[str] | UnsetType) -> str | list[str]:
    if not given:
        return "symbol"
    return given[0] if isinstance(given, list) and len(given) == 1 else given


def _result(item: SearchItem) -> RyeResult:
    signature, doc = item.signature or "", item.doc or ""
    known = item.metadata or {}
    snippet = (item.snippet or "") if known or item.kind == SymbolKind.SECTION else ""
    said = " ".join(snippet.split()) or " ".join(filter(None, (signature, *doc.split())))
    return RyeResult(
        id=str(known.get("id") or item.id or ""),
        name=item.name,
        description=doc.strip().partition("\n")[0].strip(),
        category=item.container or ("" if known else item.file_path.rpartition("/")[0]),
        score=round(item.score or 0.0, 4),
        type=item.kind,
        source=item.space or "project",
        preview=said if len(said) <= PREVIEW else said[: PREVIEW - 1] + "…",
        shadows=item.shadows,
        shadowed_by=item.shadowed_by,
    )
