"""The whole search, from a request and a snapshot to a response: filters, hits, order, page. It has
no state and reads no files."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from msgspec import UNSET

from symindex.cancellation import check_wanted
from symindex.extract.languages.registry import Languages
from symindex.files.skips import SkipReason, tell_unread
from symindex.index.broken_files import tell_broken_rows
from symindex.index.columns.arrays import I64
from symindex.index.columns.rows import Rows
from symindex.index.snapshot import Part, Snapshot, Space
from symindex.protocol.kinds import SymbolKind, words_of_flags
from symindex.protocol.search import LABEL_IN_PATH, Range, SearchItem, SearchRequest, SearchResponse
from symindex.requests import check_request
from symindex.search.answer.execute import select
from symindex.search.answer.filters import Filter, shown_path_filter
from symindex.search.answer.items import facts_of
from symindex.search.answer.nearest import nearest_names
from symindex.search.answer.page import Position, find_start, fingerprint, make_token, token_of
from symindex.search.answer.sort import ordered
from symindex.search.answer.universe import Universe, check_item_types, named_types, universe_of
from symindex.search.language.query import Name, Query, Words
from symindex.search.language.read_query import read_query
from symindex.search.names.data_rows import code_first, original_points, score_of
from symindex.search.names.hits import Selection
from symindex.search.names.rank import Ranking
from symindex.search.names.shadows import shadows_of
from symindex.search.names.weakness import tell_guesses
from symindex.search.options.dates import tell_undated
from symindex.search.options.narrow import narrowings
from symindex.search.options.read import read_options

if TYPE_CHECKING:
    from symindex.search.answer.contents import Contents

_AddSnippet = Callable[[SearchItem, Part, int], None]

_SYMBOLS: Final = frozenset(map(str, SymbolKind)) - {SymbolKind.SECTION, SymbolKind.ITEM}
"""The kinds of what is looked for by its name; sections and items are looked for by their texts as
well."""

_ITEMS_AT_ONCE = 1_000
"""Items that are made at a time: with more, whole tables of strings would be decoded and kept."""


class Found(NamedTuple):
    """What a request finds. snapshot: the rows that it is about. meaning: `page.fingerprint`.
    position, end: the page, as offsets in the hits. ranking: the hits up to `end`."""

    snapshot: Snapshot
    query: Query
    meaning: bytes
    selection: Selection
    position: Position
    end: int
    ranking: Ranking


class PageRule(NamedTuple):
    """What a door wishes of a page beyond the request. include: more fields of the items. most: how
    many items it holds at most. length: how many of so many first items it is to hold, at least one
    if there are any."""

    include: Sequence[str] = ()
    most: int | None = None
    length: Callable[[Sequence[SearchItem]], int] = len


def find(
    snapshot: Snapshot,
    request: SearchRequest,
    languages: Languages,
    for_editor: bool = False,
    most_items: int | None = None,
    contents: "Contents | None" = None,
) -> Found:
    """The hits of a request's page in order. Raises RequestError for what has no possible answer.

    most_items: where the request names none, or more. for_editor: leaves out misspelt names, which
    editors drop, and may count too few where the page is full. contents: the texts of sections and
    items, if their files may be read.
    """
    check_request(request)
    options = read_options(request)
    query = read_query(request, languages)
    universe = universe_of(request, query, options)
    check_item_types(snapshot, named_types(query, options))
    snapshot = universe.of(snapshot)
    if contents is not None and universe is not Universe.SYMBOLS:
        snapshot = contents.beside(snapshot)
    wanted = make_filter(request, languages, query)
    meaning = fingerprint(request, query, wanted)
    token = token_of(request, meaning)
    most = (
        request.start_index + request.max_items
        if for_editor and request.max_items is not None
        else None
    )
    # The first page has decided for all, where the request leaves it open.
    weak = (
        token.weak
        if token is not None and options.weak is None and isinstance(query, Name)
        else options.weak
    )
    selection = code_first(
        select(
            snapshot,
            query,
            wanted,
            weak,
            typos=not for_editor,
            at_least=most,
            edits=options.edits,
            is_described=universe is Universe.DOCUMENTS,
            whole=options.whole,
        )
    )
    position = (
        Position(request.start_index)
        if token is None
        else find_start(token, snapshot, selection, options)
    )
    total = selection.total
    size = min(
        total if request.max_items is None else request.max_items,
        total if most_items is None else most_items,
    )
    end = min(position.start + size, total)
    return Found(
        snapshot, query, meaning, selection, position, end, ordered(selection, end, options.sort_by)
    )


_WHOLE_PAGE: Final = PageRule()


def answer(
    snapshot: Snapshot,
    request: SearchRequest,
    languages: Languages,
    rule: PageRule = _WHOLE_PAGE,
    contents: "Contents | None" = None,
) -> SearchResponse:
    """The response to a request. contents: as of `find`. Raises RequestError for what has no
    possible answer."""
    whole = snapshot
    found = find(whole, request, languages, most_items=rule.most, contents=contents)
    snapshot, query, meaning, selection, position, end, ranking = found
    total = selection.total
    include = [*(request.include or ()), *rule.include]
    add_snippet = _snippet_adder(query, request, contents) if "snippet" in include else None
    items = [
        item
        for start in range(position.start, end, _ITEMS_AT_ONCE)
        for item in _items(
            whole, snapshot, ranking, start, min(start + _ITEMS_AT_ONCE, end), include, add_snippet
        )
    ]
    if selection.weakness is not None:
        _tell_weakness(items, selection, ranking, position.start)
    items = items[: rule.length(items)]
    end = position.start + len(items)
    has_more = end < total
    notices = []
    if position.changed:
        notices.append(
            "the index has changed since the last page; this page continues after the last item"
            " that was shown"
        )
    if total and position.start >= total:
        there_are = (
            "there is 1 result" if total == 1 else f"there are {total} results, 0 to {total - 1}"
        )
        notices.append(f"start_index {position.start} is past the end: {there_are}")
    notices.extend(selection.notices)
    is_plain = isinstance(query, Name) or not selection.notices
    if (
        is_plain
        and read_options(request).weak is not True
        and (told := tell_guesses(request.query, items))
    ):
        notices.append(told)
    notices.extend(contents.take_notices() if contents is not None else ())
    if read_options(request).need_dates:
        notices.extend(tell_undated(snapshot))
    notices.extend(_killed(whole, request))
    notices.extend(tell_broken_rows(snapshot, ranking.rows[position.start : end].tolist()))
    return SearchResponse(
        request=request,
        items=items,
        start_index=position.start,
        max_items=request.max_items,
        total=total,
        has_more=has_more,
        pagination_id=make_token(request, meaning, snapshot, ranking, end, selection.weak)
        if has_more and end
        else None,
        notices=notices or UNSET,
        suggestions=_suggested(query, selection) or UNSET,
    )


def _tell_weakness(
    items: list[SearchItem], selection: Selection, ranking: Ranking, start: int
) -> None:
    """Says of the items of a page that are guesses why they are there."""
    parts = [hits.chosen.part for hits in selection.hits]
    rows = ranking.rows[start : start + len(items)]
    points = original_points(ranking.points[start : start + len(items)])
    of_row = (
        np.searchsorted([part.base for part in parts], rows, side="right") - 1
        if len(parts) > 1
        else np.zeros_like(rows)
    )
    for number in set(of_row.tolist()):
        at = np.flatnonzero(of_row == number)
        words = (
            selection.weakness(number, rows[at] - parts[number].base, points[at])
            if selection.weakness is not None
            else []
        )
        for place, word in zip(at.tolist(), words, strict=True):
            if word and items[place].kind in _SYMBOLS:
                items[place].match = word


def _killed(snapshot: Snapshot, request: SearchRequest) -> list[str]:
    """A notice on files that may hold hits, and that the next refresh will try to read again."""
    skips = snapshot.files_left_out(SkipReason.KILLED)
    concerns = shown_path_filter(list(request.paths or ()), snapshot)
    told = tell_unread([skip for skip in skips if concerns(skip.path)], "more")
    return [f"{told}; the next refresh tries again"] if told else []


def _suggested(query: Query, selection: Selection) -> list[str]:
    """Names like one that was not found. Several words may be the words of one name."""
    name = (
        query.name
        if isinstance(query, Name)
        else "_".join(query.texts)
        if isinstance(query, Words)
        else ""
    )
    return (
        nearest_names([hits.chosen for hits in selection.hits], name)
        if name and not selection.total
        else []
    )


def make_filter(request: SearchRequest, languages: Languages, query: Query | None = None) -> Filter:
    """What the request leaves out. query: the request's, for words of it that must stand near each
    other."""
    options = read_options(request)
    near = []
    if options.between is not None and query is not None:
        from symindex.search.options.proximity import (
            near_each_other,
        )  # here, because few requests have it

        near.append(
            near_each_other(query, options.between, options.weak is not False, options.tolerance)
        )
    return Filter(
        tuple(request.kinds or ()),
        frozenset().union(*(languages.ids_of(word) for word in request.languages or ())),
        tuple(request.paths or ()),
        (*narrowings(options, languages), *near),
    )


def _snippet_adder(
    query: Query, request: SearchRequest, contents: "Contents | None"
) -> _AddSnippet:
    from symindex.search.answer.snippets import add_snippet  # here, because few requests have them
    from symindex.search.words.phrases import sought_words

    return partial(add_snippet, runs=sought_words(query, read_options(request)), contents=contents)


def _items(
    whole: Snapshot,
    snapshot: Snapshot,
    ranking: Ranking,
    start: int,
    end: int,
    include: list[str],
    add_snippet: _AddSnippet | None,
) -> list[SearchItem]:
    """The items of a page, or of a piece of it."""
    rows = ranking.rows[start:end]
    items = snapshot.read(rows, _flagged_items_of_part if "flags" in include else _items_of_part)
    _describe(whole, snapshot, items, rows)
    others = [field for field in include if field != "flags"]
    for place, item in enumerate(items) if others else ():
        check_wanted()
        part, row = snapshot.locate(int(rows[place]))
        _complete(item, part, row, int(ranking.points[start + place]), others)
        if add_snippet is not None:
            add_snippet(item, part, row)
    return items


def _describe(whole: Snapshot, snapshot: Snapshot, items: list[SearchItem], rows: I64) -> None:
    """Says of items their types and what they hide, and of what is not of the project where it
    comes from."""
    for place, item in enumerate(items):
        if item.kind == SymbolKind.ITEM or snapshot.has_spaces:
            part, row = snapshot.locate(int(rows[place]))
            if item.kind == SymbolKind.ITEM and (facts := facts_of(part.index, row)) is not None:
                item.kind = facts.type
                if whole.has_spaces:
                    shadows, shadowed_by = shadows_of(whole, (facts.type, facts.id), part.space)
                    item.shadows, item.shadowed_by = shadows or UNSET, shadowed_by or UNSET
            if part.space is not Space.PROJECT:
                item.space = part.space.word
                item.package = (
                    label[0]
                    if (label := LABEL_IN_PATH.match(item.file_path)) is not None
                    else part.prefix.rstrip("/")
                )


def _items_of_part(part: Part, rows: Rows) -> list[SearchItem]:
    return [
        SearchItem(
            name=name,
            kind=kind,
            file_path=part.prefix + path,
            line=line + 1,
            container=container or None,
        )
        for name, kind, path, line, container in zip(
            rows.names, rows.kinds, rows.paths, rows.lines, rows.containers, strict=True
        )
    ]


def _flagged_items_of_part(part: Part, rows: Rows) -> list[SearchItem]:
    items, words = (
        _items_of_part(part, rows),
        {flags: words_of_flags(flags) for flags in set(rows.flags)},
    )
    for item, flags in zip(items, rows.flags, strict=True):
        item.flags = words[flags]
    return items


def _complete(item: SearchItem, part: Part, row: int, points: int, include: list[str]) -> None:
    """Adds to an item the fields that the request includes."""
    index = part.index
    for field in include:
        match field:
            case "id":
                item.id = part.prefix + index.symbol_id(row)
            case "signature":
                item.signature = index.signature(row)
            case "doc":
                item.doc = index.doc(row)
            case "range":
                first, last = index.lines(row)
                item.range = Range(start_line=first + 1, end_line=last + 1)
            case "metadata" if (facts := facts_of(index, row)) is not None:
                item.metadata = {"id": facts.id, "type": facts.type, **facts.fields}
            case "score":
                item.score = score_of(points)
            case "language":
                item.language = index.language_of(index.file_at(row))
