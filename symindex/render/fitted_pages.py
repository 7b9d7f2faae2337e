"""Pages that fit a budget of tokens: as many whole rows as there is room for, and the token of the next page.

A page that turns out too long is asked for again with fewer rows, since the token of the next page has to name its last row.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from symindex.protocol import ReferencesRequest, ReferencesResponse, SearchRequest, SearchResponse, check_limit
from symindex.render.markdown import render_search
from symindex.render.references import render_references
from symindex.search.page import move_token
from symindex.text.token_budget import estimate_tokens

FIRST_ITEMS: Final = 20
"""Rows of a search that names no number."""

ROW_TOKENS: Final = 8
"""What the shortest row of a search costs: no more rows are looked at than there might be room for."""

REFERENCE_TOKENS: Final = 40
"""What a reference costs, about: the rows that are looked at where no number is named."""

_Response = TypeVar("_Response", SearchResponse, ReferencesResponse)


def fit_search(
    request: SearchRequest, room: int, search: Callable[[SearchRequest], SearchResponse]
) -> tuple[SearchResponse, str]:
    """A page of a search and its Markdown, of about `room` tokens at most, but with one row at least.

    Its tokens do not depend on a page size: they belong to the request, however many of its rows there was room for.
    """
    check_limit("max_items", request.max_items)
    most = min(FIRST_ITEMS if request.max_items is None else request.max_items, room // ROW_TOKENS)
    looked_at = msgspec.structs.replace(request, max_items=most)
    any_size = msgspec.structs.replace(request, max_items=None, pagination_id=None)
    if request.pagination_id is not None:
        looked_at.pagination_id = move_token(request.pagination_id, any_size, looked_at)
    asked = looked_at
    response = _answered(request, search(asked))
    text = render_search(response)
    if estimate_tokens(text) > room and len(response.items) > 1:
        asked = msgspec.structs.replace(
            request, max_items=_how_many_fit(response, room), start_index=response.start_index, pagination_id=None
        )
        response = _with_notices_of(response, _answered(request, search(asked)))
        text = render_search(response)
    if response.pagination_id is not None:
        response.pagination_id = move_token(response.pagination_id, asked, any_size)
    return response, text


def _answered(request: SearchRequest, response: SearchResponse) -> SearchResponse:
    """A page as the answer to the request that was sent, whatever number of rows was looked at for it."""
    return msgspec.structs.replace(response, request=request, max_items=request.max_items)


def fit_references(
    request: ReferencesRequest, room: int, find: Callable[[ReferencesRequest], ReferencesResponse]
) -> tuple[ReferencesResponse, str]:
    """A page of references and its Markdown, of about `room` tokens at most, but with one reference at least."""
    most = max(room // REFERENCE_TOKENS, 1) if request.max_items is None else request.max_items
    response = _found(request, find(msgspec.structs.replace(request, max_items=most)))
    text = render_references(response)
    n_shown, cost = sum(len(file.items) for file in response.files), estimate_tokens(text)
    if cost > room and n_shown > 1:
        fewer = msgspec.structs.replace(request, max_items=max(n_shown * room // cost, 1))
        response = _with_notices_of(response, _found(request, find(fewer)))
        text = render_references(response)
    return response, text


def _found(request: ReferencesRequest, response: ReferencesResponse) -> ReferencesResponse:
    """As `_answered`."""
    return msgspec.structs.replace(response, request=request)


def _with_notices_of(first: _Response, again: _Response) -> _Response:
    """The second answer with the notices of both: some are given only once."""
    if notices := [*dict.fromkeys([*(first.notices or []), *(again.notices or [])])]:
        again.notices = notices
    return again


def _how_many_fit(response: SearchResponse, room: int) -> int:
    """How many rows of a page there is room for, at least one."""
    left, count = room - estimate_tokens(render_search(msgspec.structs.replace(response, items=[], total=response.total + 1))), 0
    for item in response.items:
        left -= estimate_tokens(f"| `{item.name}` (in `{item.container or ''}`) | {item.kind} | {item.file_path}:{item.line} |\n")
        if left < 0:
            break
        count += 1
    return max(count, 1)
