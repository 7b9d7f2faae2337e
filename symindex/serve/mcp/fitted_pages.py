"""Pages that fit a budget of tokens: as many whole rows as there is room for, and the token of the
next page.

A page that turns out too long is asked for again with fewer rows, because the token of the next
page has to name its last row.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from symindex.protocol.changes import ChangedFile, ChangedResponse
from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
from symindex.protocol.grep import GrepRequest, GrepResponse
from symindex.protocol.search import SearchResponse
from symindex.protocol.search_rows import SHOWN_FLAGS, keep_declarations, row_beginnings
from symindex.render.changed import render_changed
from symindex.render.grep import render_grep
from symindex.render.hints import Hints
from symindex.render.markdown import kind_cell, render_search
from symindex.render.question import SHOWN, render_question
from symindex.render.references import render_references
from symindex.text.token_budget import MOST_TOKENS, estimate_tokens

if TYPE_CHECKING:
    from symindex.workspace.workspace import Plan

FIRST_ITEMS: Final = 15
"""Rows of a search that names no number."""

FIRST_OF_SENTENCE: Final = 5
"""Rows of a question in words that names no number: each has a line of its doc."""

ROW_TOKENS: Final = 8
"""Tokens of the shortest row of a search: no more rows are looked at than there might be room
for."""

REFERENCE_TOKENS: Final = 40
"""Tokens of a typical reference. The budget divided by this is the number of rows that are looked
at where the request names none."""

TOKEN_SPREAD: Final = 20
"""Tokens of a model by which the pagination token of one page may exceed that of another."""

_Page = TypeVar("_Page", SearchResponse, ReferencesResponse, GrepResponse)


def fit(
    ask: Callable[[int], _Page],
    write: Callable[[_Page], str],
    room: int,
    most: int,
    how_many: Callable[[_Page], int] | None = None,
) -> tuple[_Page, str]:
    """Returns a page and its text, of about `room` tokens at most, but with at least one row.

    ask: returns a page of at most that many rows. write: writes a page. most: the rows of the first
    attempt. how_many: how many rows of a page that is too long fit; by default in proportion to its
    tokens.
    """
    page: _Page = ask(most)
    text = write(page)
    n_rows, cost = _count_rows(page), estimate_tokens(text)
    if cost > room and n_rows > 1:
        n_fitting = max(n_rows * room // cost, 1) if how_many is None else how_many(page)
        again: _Page = ask(n_fitting)
        # Some notices are given only once.
        if notices := [*dict.fromkeys([*(page.notices or []), *(again.notices or [])])]:
            again.notices = notices
        return again, write(again)
    return page, text


def _count_rows(page: SearchResponse | ReferencesResponse | GrepResponse) -> int:
    if isinstance(page, SearchResponse):
        return len(page.items)
    return sum(len(file.items) for file in page.files)


def fit_search(
    plan: "Plan",
    room: int,
    search: "Callable[[Plan], SearchResponse]",
    write: Callable[[SearchResponse], str] | None = None,
) -> tuple[SearchResponse, str]:
    """Returns a page of a search and its text. It is a lean page (`search/answer/lean_pages`) if
    the request names neither a number of rows nor an order. Declarations include their flags.

    write: writes the text; by default as Markdown.

    The tokens of its pages do not depend on a page size: they belong to the request, however many
    of its rows there was room for.
    """
    is_sentence = write is None and plan.max_items is None and plan.is_sentence
    first = FIRST_OF_SENTENCE if is_sentence else FIRST_ITEMS
    first = min(first if plan.max_items is None else plan.max_items, room // ROW_TOKENS)
    include = (*SHOWN_FLAGS, *SHOWN) if is_sentence else SHOWN_FLAGS
    any_size = plan.of_any_size(first, may_be_lean=write is None, include=include)
    starts: list[int] = []  # of the first attempt
    written: SearchResponse | None = None

    def ask(n_items: int) -> SearchResponse:
        asked = any_size
        if starts:
            asked = any_size.starting_at(starts[0]).paged(most=n_items)
        page = search(asked)
        starts.append(page.start_index)
        return page

    def rendered(page: SearchResponse) -> str:
        nonlocal written
        if write is not None:
            return write(page)
        written = _with_tail_notice(page, any_size)
        if is_sentence:
            return render_question(written, "pagination_id", row_name=any_size.universe.row)
        return _rendered(written, any_size)

    response, text = fit(
        ask,
        rendered,
        room,
        first,
        (lambda page: _how_many_fit(page, any_size, room))
        if write is None and not is_sentence
        else None,
    )
    if written is not None:
        response.notices = written.notices
    keep_declarations(response.items)
    return response, text


def _with_tail_notice(response: SearchResponse, plan: "Plan") -> SearchResponse:
    """A copy of a page, with the notice of a lean one."""
    response = msgspec.structs.replace(response)
    plan.add_tail_notice(response)
    return response


def _rendered(response: SearchResponse, plan: "Plan") -> str:
    """The text of a page."""
    is_lean = plan.page.lean_rows is not None
    return render_search(response, "pagination_id", folds=is_lean, row_name=plan.universe.row)


def _how_many_fit(response: SearchResponse, plan: "Plan", room: int) -> int:
    """How many items of a page there is room for, at least one."""
    empty = msgspec.structs.replace(response, items=[], total=response.total + 1)
    left = room - estimate_tokens(_rendered(empty, plan)) - TOKEN_SPREAD
    count = 0
    for item, begins_row in zip(response.items, row_beginnings(response.items), strict=True):
        if plan.page.lean_rows is None or begins_row:
            within = f" (in `{item.container or ''}`)"
            place = f"{item.file_path}:{item.line}"
            left -= estimate_tokens(f"| `{item.name}`{within} | {kind_cell(item)} | {place} |\n")
        if left < 0:
            break
        count += 1
    return max(count, 1)


def fit_references(
    request: ReferencesRequest, room: int, find: Callable[[ReferencesRequest], ReferencesResponse]
) -> tuple[ReferencesResponse, str]:
    """Returns a page of references and its Markdown."""

    def ask(most: int) -> ReferencesResponse:
        page = find(msgspec.structs.replace(request, max_items=most))
        return msgspec.structs.replace(page, request=request)

    return fit(ask, render_references, room, _first_references(request.max_items, room))


def fit_grep(
    request: GrepRequest, room: int, find: Callable[[GrepRequest], GrepResponse], hints: Hints
) -> tuple[GrepResponse, str]:
    """Returns a page of a search for text in files, and its Markdown."""

    def ask(most: int) -> GrepResponse:
        page = find(msgspec.structs.replace(request, max_items=most))
        return msgspec.structs.replace(page, request=request)

    return fit(
        ask, lambda page: render_grep(page, hints), room, _first_references(request.max_items, room)
    )


def _first_references(max_items: int | None, room: int) -> int:
    """The rows of the first attempt."""
    return max(room // REFERENCE_TOKENS, 1) if max_items is None else max_items


def fit_changed(response: ChangedResponse, room: int, hints: Hints) -> tuple[ChangedResponse, str]:
    """Returns what has changed, with as many symbols as there is room for. The last line says how
    to get the others."""
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
"""Tokens of the shortest row of a change."""

_LAST_LINE: Final = 100
"""Tokens of the line that says how to get the others."""


def _with_symbols(response: ChangedResponse, most: int) -> ChangedResponse:
    """The response with its first `most` symbols, and the files up to the last of them."""
    files: list[ChangedFile] = []
    for file in response.files:
        if most <= 0:
            break
        files.append(msgspec.structs.replace(file, symbols=file.symbols[:most]))
        most -= len(file.symbols)
    return msgspec.structs.replace(response, files=files)
