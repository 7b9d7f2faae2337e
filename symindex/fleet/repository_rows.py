"""The repositories of a fleet as rows of a search: what an empty query lists."""

from collections.abc import Sequence
from typing import Final

from symindex.errors import TokenError
from symindex.fleet.stored.generation import Built, RepositoryState
from symindex.protocol.kinds import SymbolKind
from symindex.protocol.search import SearchItem, SearchResponse
from symindex.search.answer.plan import Plan
from symindex.text.counts import count_of

_SHOWN_COMMIT: Final = 10


def lists_repositories(plan: Plan) -> bool:
    """Whether a search names nothing at all."""
    asked = plan.given - {"max_items", "limit", "start_index", "offset", "include", "fields"}
    return not (plan.text.strip() or plan.phrasings or asked - {"query", "pagination_id"})


def repository_rows(plan: Plan, states: Sequence[RepositoryState]) -> SearchResponse:
    """Returns a page of the served repositories, by name. Raises TokenError for a token: these
    pages have none."""
    if plan.token is not None:
        raise TokenError("pagination_id: the list of repositories has no tokens: use start_index")
    rows = [(state, state.built) for state in states if state.built is not None]
    start = plan.start_index
    end = len(rows) if plan.max_items is None else start + plan.max_items
    return SearchResponse(
        request=plan.request,
        items=[_row(state, built, plan) for state, built in rows[start:end]],
        start_index=start,
        max_items=plan.max_items,
        total=len(rows),
        has_more=end < len(rows),
        pagination_id=None,
    )


def _row(state: RepositoryState, built: Built, plan: Plan) -> SearchItem:
    item = SearchItem(
        name=state.name, kind=SymbolKind.PACKAGE, file_path=state.name, line=1, container=None
    )
    where = " at ".join(filter(None, (state.branch, built.commit[:_SHOWN_COMMIT])))
    facts = f"{count_of(built.symbols, 'symbol')} in {count_of(built.files, 'file')}"
    every = {
        "id": state.name,
        "signature": f"{where}: {facts}" if where else facts,
        "repository": state.name,
    }
    for field in every.keys() & set(plan.include):
        setattr(item, field, every[field])
    if "repository" in plan.include:
        item.commit, item.path = built.commit, ""
    return item
