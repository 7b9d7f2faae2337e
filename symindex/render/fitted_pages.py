"""Pages that fit a budget of tokens: as many whole rows as there is room for, and the token of the
next page.

A page that turns out too long is asked for again with fewer rows, since the token of the next page
has to name its last row.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec
from msgspec import UNSET

from symindex.protocol.changes import ChangedFile, ChangedResponse
from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
from symindex.protocol.grep import GrepRequest, GrepResponse
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.render.changed import render_changed
from symindex.render.grep import render_grep
from symindex.render.hints import Hints
from symindex.render.lean_pages import lean_rule, tell_tail
from symindex.render.markdown import render_search
from symindex.render.references import render_references
from symindex.render.rows import SHOWN_FLAGS, Rows, is_declaration, kind_cell
from symindex.requests import check_limit
from symindex.search.answer.answer import PageRule
from symindex.text.token_budget import MOST_TOKENS, estimate_tokens

FIRST_ITEMS: Final = 15
"""Rows of a search that names no number."""

ROW_TOKENS: Final = 8
"""What the shortest row of a search costs: no more rows are looked at than there might be room
for."""

REFERENCE_TOKENS: Final = 40
"""What a reference costs, about: the rows that are looked at where no number is named."""

TOKEN_SPREAD: Final = 20
"""By how much the token of one page may be longer than that of another, in tokens of a model."""

_Response = TypeVar("_Response", SearchResponse, ReferencesResponse)


def fit_search(
    request: SearchRequest,
    room: int,
    search: Callable[[SearchRequest, PageRule], SearchResponse],
    write: Callable[[SearchResponse], str] | None = None,
) -> tuple[SearchResponse, str]:
    """A page of a search and its text, of about `room` tokens at most, but with one row at least.
    It is a lean one (`render/lean_pages`) if the request names no number of rows, and no other
    order.

    write: makes the text; default: Markdown.

    Its tokens do not depend on a page size: they belong to the request, however many of its rows
    there was room for. Declarations include their flags.
    """
    check_limit("max_items", request.max_items)
    is_lean = request.max_items is None and write is None and request.sort_by in (UNSET, "score")
    most = room // ROW_TOKENS
    any_size = msgspec.structs.replace(request, max_items=None)
    rule = PageRule(
        SHOWN_FLAGS, min(FIRST_ITEMS if request.max_items is None else request.max_items, most)
    )
    if is_lean:
        rule = lean_rule(request.query, min(FIRST_ITEMS, most))

    def rendered(page: SearchResponse) -> str:
        return _rendered(page, is_lean) if write is None else write(page)

    response = _answered(request, search(any_size, rule))
    text = rendered(response)
    if (cost := estimate_tokens(text)) > room and len(response.items) > 1:
        fit = (
            _how_many_fit(response, room, is_lean)
            if write is None
            else max(len(response.items) * room // cost, 1)
        )
        again = msgspec.structs.replace(
            any_size, start_index=response.start_index, pagination_id=None
        )
        fewer = rule._replace(most=fit)
        response = _with_notices_of(response, _answered(request, search(again, fewer)))
        text = rendered(response)
    if is_lean:
        tell_tail(response)
    for item in response.items:
        if not is_declaration(item):
            item.flags = UNSET
    return response, text


def _rendered(response: SearchResponse, is_lean: bool) -> str:
    """The text of a page, with the notice of a lean one."""
    response = msgspec.structs.replace(response)
    if is_lean:
        tell_tail(response)
    return render_search(response, "pagination_id", folds=is_lean)


def _answered(request: SearchRequest, response: SearchResponse) -> SearchResponse:
    """A page as the answer to the request that was sent, whatever number of rows was looked at for
    it."""
    return msgspec.structs.replace(response, request=request, max_items=request.max_items)


def fit_references(
    request: ReferencesRequest, room: int, find: Callable[[ReferencesRequest], ReferencesResponse]
) -> tuple[ReferencesResponse, str]:
    """A page of references and its Markdown, of about `room` tokens at most, but with one reference
    at least."""
    most = max(room // REFERENCE_TOKENS, 1) if request.max_items is None else request.max_items
    response = _found(request, find(msgspec.structs.replace(request, max_items=most)))
    text = render_references(response)
    n_shown, cost = sum(len(file.items) for file in response.files), estimate_tokens(text)
    if cost > room and n_shown > 1:
        fewer = msgspec.structs.replace(request, max_items=max(n_shown * room // cost, 1))
        response = _with_notices_of(response, _found(request, find(fewer)))
        text = render_references(response)
    return response, text


def fit_grep(
    request: GrepRequest, room: int, find: Callable[[GrepRequest], GrepResponse], hints: Hints
) -> tuple[GrepResponse, str]:
    """The same of a search for text in files."""
    most = max(room // REFERENCE_TOKENS, 1) if request.max_items is None else request.max_items
    response = msgspec.structs.replace(
        find(msgspec.structs.replace(request, max_items=most)), request=request
    )
    text = render_grep(response, hints)
    n_shown, cost = sum(len(file.items) for file in response.files), estimate_tokens(text)
    if cost > room and n_shown > 1:
        fewer = msgspec.structs.replace(request, max_items=max(n_shown * room // cost, 1))
        response = msgspec.structs.replace(find(fewer), request=request)
        text = render_grep(response, hints)
    return response, text


def fit_changed(response: ChangedResponse, room: int, hints: Hints) -> tuple[ChangedResponse, str]:
    """What has changed, with as many symbols as there is room for; the last line says how to get
    the others."""
    n_shown = sum(len(file.symbols) for file in response.files)
    cost = estimate_tokens(render_changed(response, hints))
    more = min(cost * max(response.total, 1) * 3 // (max(n_shown, 1) * 2) + _LAST_LINE, MOST_TOKENS)
    text = render_changed(response, hints, max_tokens=more)
    cost = estimate_tokens(text)
    while cost > room and n_shown > 1:
        n_shown = min(n_shown - 1, n_shown * room // cost)
        response = _with_symbols(response, max(n_shown, 1))
        text = render_changed(response, hints, max_tokens=more)
        cost = estimate_tokens(text)
    return response, text


CHANGE_TOKENS: Final = 6
"""What the shortest row of a change costs."""

_LAST_LINE: Final = 100
"""Tokens of the line that says how to get the others."""


def _with_symbols(response: ChangedResponse, most: int) -> ChangedResponse:
    """The answer with the first symbols, and the files up to the last of them."""
    files: list[ChangedFile] = []
    for file in response.files:
        if most <= 0:
            break
        files.append(msgspec.structs.replace(file, symbols=file.symbols[:most]))
        most -= len(file.symbols)
    return msgspec.structs.replace(response, files=files)


def _found(request: ReferencesRequest, response: ReferencesResponse) -> ReferencesResponse:
    """As `_answered`."""
    return msgspec.structs.replace(response, request=request)


def _with_notices_of(first: _Response, again: _Response) -> _Response:
    """The second answer with the notices of both: some are given only once."""
    if notices := [*dict.fromkeys([*(first.notices or []), *(again.notices or [])])]:
        again.notices = notices
    return again


def _how_many_fit(response: SearchResponse, room: int, is_lean: bool) -> int:
    """How many items of a page there is room for, at least one. is_lean: whether some share a
    row."""
    empty = msgspec.structs.replace(response, items=[], total=response.total + 1)
    left, count, rows = room - estimate_tokens(_rendered(empty, is_lean)) - TOKEN_SPREAD, 0, Rows()
    for item in response.items:
        if not is_lean or rows.row_of(item) is None:
            within = f" (in `{item.container or ''}`)"
            place = f"{item.file_path}:{item.line}"
            left -= estimate_tokens(f"| `{item.name}`{within} | {kind_cell(item)} | {place} |\n")
        if left < 0:
            break
        rows.add(item)
        count += 1
    return max(count, 1)
