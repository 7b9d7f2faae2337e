"""Answers a plan from a snapshot: filters, hits, order, page. This module has no state and reads no
files."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from msgspec import UNSET

from symindex.cancellation import check_wanted
from symindex.files.skips import SkipReason, tell_unread
from symindex.index.broken_files import tell_broken_rows
from symindex.index.columns.rows import RowDetails
from symindex.index.repositories import Repositories
from symindex.index.snapshot import Part, ShownRow, Snapshot, Space
from symindex.protocol.kinds import KIND_OF_CODE, SymbolKind, words_of_flags
from symindex.protocol.search import (
    LABEL_IN_PATH,
    PAGE_EXTRAS,
    Facet,
    Range,
    SearchItem,
    SearchResponse,
)
from symindex.search.answer.execute import select
from symindex.search.answer.filters import shown_path_filter
from symindex.search.answer.items import facts_of
from symindex.search.answer.lean_pages import lean_length
from symindex.search.answer.nearest import nearest_names
from symindex.search.answer.page import PageStart, find_start, fingerprint, make_token, token_of
from symindex.search.answer.plan import Plan
from symindex.search.answer.sort import ordered
from symindex.search.answer.universe import Universe, check_item_types, named_types
from symindex.search.language.query import Name, Query, Words
from symindex.search.names.centrality import CountUses
from symindex.search.names.data_rows import code_first, original_points, score_of
from symindex.search.names.hits import Selection
from symindex.search.names.rank import Ranking
from symindex.search.names.shadows import shadows_of
from symindex.search.names.weakness import guess_notice
from symindex.search.options.dates import undated_notice

if TYPE_CHECKING:
    from symindex.search.answer.contents import Contents

_AddSnippet = Callable[[SearchItem, Part, int], None]

_SYMBOLS: Final = frozenset(map(str, SymbolKind)) - {SymbolKind.SECTION, SymbolKind.ITEM}
"""The kinds that a search finds by their names; it finds sections and items by their texts as
well."""

_ITEMS_AT_ONCE = 1_000
"""Items that are made at a time: with more, whole tables of strings would be decoded and cached."""

_DETAILED_AT_ONCE = 100
"""Items whose details are read between two checks for cancellation."""


class FoundPage(NamedTuple):
    """The hits of a plan. snapshot: the rows that were searched. meaning: `page.fingerprint`.
    position, end: the page, as offsets in the hits. ranking: the hits up to `end`."""

    snapshot: Snapshot
    query: Query
    meaning: bytes
    selection: Selection
    position: PageStart
    end: int
    ranking: Ranking


def find(
    snapshot: Snapshot,
    plan: Plan,
    for_editor: bool = False,
    contents: "Contents | None" = None,
    count_uses: CountUses | None = None,
) -> FoundPage:
    """Finds the hits of a page and puts them in order. Raises RequestError for a request that has
    no possible answer.

    for_editor: leaves out misspelt names, which editors drop, and may count too few where the page
    is full. contents: the texts of sections and items, if their files may be read.
    count_uses: see `select`.
    """
    options, query, universe = plan.options, plan.query, plan.universe
    check_item_types(snapshot, named_types(query, options))
    snapshot = universe.of(snapshot)
    if contents is not None and universe is not Universe.SYMBOLS:
        snapshot = contents.with_texts(snapshot)
    meaning = fingerprint(plan)
    token = token_of(plan, meaning)
    at_least = (
        plan.start_index + plan.max_items if for_editor and plan.max_items is not None else None
    )
    # The first page decides for all others, unless the request decides itself.
    weak = (
        token.weak
        if token is not None and options.weak is None and isinstance(query, Name)
        else options.weak
    )
    select_one = partial(
        _select, snapshot, for_editor=for_editor, at_least=at_least, count_uses=count_uses
    )
    selection = _select_phrasings(plan, select_one) if plan.phrasings else select_one(plan, weak)
    position = (
        PageStart(plan.start_index)
        if token is None
        else find_start(token, snapshot, selection, options)
    )
    total = selection.total
    end = total if plan.most_items is None else min(position.start + plan.most_items, total)
    return FoundPage(
        snapshot, query, meaning, selection, position, end, ordered(selection, end, options.sort_by)
    )


def _select(
    snapshot: Snapshot,
    plan: Plan,
    weak: bool | None,
    *,
    for_editor: bool,
    at_least: int | None,
    count_uses: CountUses | None,
) -> Selection:
    """Returns the hits of a plan; see `find`. weak: see `select`."""
    options = plan.options
    selection = select(
        snapshot,
        plan.query,
        plan.filter,
        weak,
        typos=not for_editor,
        at_least=at_least if plan.narrowing is None else None,
        edits=options.edits,
        is_described=plan.universe is Universe.DOCUMENTS,
        whole=options.whole,
        count_uses=count_uses,
    )
    if plan.narrowing is not None:
        # Imported here because few requests are narrowed.
        from symindex.search.language.boolean import rows_matching

        parts = [hits.chosen.part for hits in selection.hits]
        selection = selection.within(rows_matching(parts, plan.narrowing))
    return code_first(selection)


def _select_phrasings(
    plan: Plan, select_one: Callable[[Plan, bool | None], Selection]
) -> Selection:
    # Imported here because few requests have several phrasings.
    from symindex.search.answer.fused_phrasings import FusedPhrasings

    alone = [plan.alone(phrasing) for phrasing in plan.phrasings]
    selections = [select_one(phrasing, plan.options.weak) for phrasing in alone]
    return FusedPhrasings([p.number for p in plan.phrasings], selections).selection()


def answer(
    snapshot: Snapshot,
    plan: Plan,
    contents: "Contents | None" = None,
    count_uses: CountUses | None = None,
) -> SearchResponse:
    """Answers a plan. contents, count_uses: see `find`. Raises RequestError for a request that has
    no answer."""
    all_rows = snapshot
    hits = find(all_rows, plan, contents=contents, count_uses=count_uses)
    snapshot, query, meaning, selection, position, end, ranking = hits
    total = selection.total
    include = plan.include
    add_snippet = _snippet_adder(plan, contents) if "snippet" in include else None
    items = [
        item
        for start in range(position.start, end, _ITEMS_AT_ONCE)
        for item in _items(
            all_rows,
            snapshot,
            ranking,
            start,
            min(start + _ITEMS_AT_ONCE, end),
            include,
            add_snippet,
            selection.full,
        )
    ]
    _mark(items, selection, ranking, position.start)
    if "spans" in include:
        _add_spans(items, plan)
    if "repository" in include:
        _add_repositories(items, all_rows)
    if plan.page.lean_rows is not None:
        items = items[: lean_length(items, plan.page.lean_rows, plan.query)]
    end = position.start + len(items)
    has_more = end < total
    notices = [*_notices_of_page(position, total), *plan.notices, *selection.notices]
    is_plain = isinstance(query, Name) or not selection.notices
    if is_plain and plan.options.weak is not True and (notice := guess_notice(plan.text, items)):
        notices.append(notice)
    notices.extend(contents.take_notices() if contents is not None else ())
    if plan.options.need_dates:
        notices.extend(undated_notice(snapshot))
    notices.extend(_killed(all_rows, plan))
    notices.extend(tell_broken_rows(snapshot, ranking.rows[position.start : end].tolist()))
    return SearchResponse(
        request=plan.request,
        items=items,
        start_index=position.start,
        max_items=plan.request.max_items,
        total=total,
        has_more=has_more,
        pagination_id=make_token(plan, meaning, snapshot, ranking, end, selection.weak)
        if has_more and end
        else None,
        notices=notices or UNSET,
        suggestions=_suggested(query, selection) or UNSET,
        facets=_facets(plan, selection) if "facets" in include else UNSET,
    )


def _notices_of_page(position: PageStart, total: int) -> list[str]:
    """Returns the notices about where a page starts. total: the number of hits."""
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
    return notices


def _mark(items: list[SearchItem], selection: Selection, ranking: Ranking, start: int) -> None:
    """Marks the guesses on a page with the reason why they are there, and all items with the
    phrasings that found them."""
    if selection.weakness is None and selection.found_by is None:
        return
    parts = [hits.chosen.part for hits in selection.hits]
    rows = ranking.rows[start : start + len(items)]
    points = original_points(ranking.points[start : start + len(items)])
    of_row = (
        np.searchsorted([part.base for part in parts], rows, side="right") - 1
        if len(parts) > 1
        else np.zeros_like(rows)
    )
    for number in set(of_row.tolist()):
        places = np.flatnonzero(of_row == number)
        rows_of_part = rows[places] - parts[number].base
        words = (
            selection.weakness(number, rows_of_part, points[places])
            if selection.weakness is not None
            else [""] * len(places)
        )
        for place, word in zip(places.tolist(), words, strict=True):
            if word and items[place].kind in _SYMBOLS:
                items[place].match = word
        if selection.found_by is not None:
            numbers = selection.found_by(number, rows_of_part)
            for place, phrasings in zip(places.tolist(), numbers, strict=True):
                items[place].phrasings = phrasings


def _killed(snapshot: Snapshot, plan: Plan) -> list[str]:
    """Returns a notice on files that may contain hits, and that the next refresh tries to read
    again."""
    if not (skips := snapshot.files_left_out(SkipReason.KILLED)):
        return []
    concerns = shown_path_filter([*plan.paths], snapshot)
    notice = tell_unread([skip for skip in skips if concerns(skip.path)], "more")
    return [f"{notice}; the next refresh tries again"] if notice else []


def _suggested(query: Query, selection: Selection) -> list[str]:
    """Returns names similar to one that was not found. Several words may be the words of one
    name."""
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


def _facets(plan: Plan, selection: Selection) -> dict[str, Facet]:
    # Imported here because few requests include facets.
    from symindex.search.answer.facets import facets_of

    return facets_of(selection.hits, plan.languages)


def _add_spans(items: list[SearchItem], plan: Plan) -> None:
    # Imported here because few requests include spans.
    from symindex.search.answer.spans import add_spans

    add_spans(items, plan)


def _add_repositories(items: list[SearchItem], snapshot: Snapshot) -> None:
    """Adds to items their repositories, if the snapshot has a table of them."""
    table = snapshot.repositories or Repositories()
    for item in items:
        if (repository := table.of(item.file_path)) is not None:
            item.repository, item.commit = repository.name, repository.commit
            item.path = item.file_path.removeprefix(repository.prefix)


def _snippet_adder(plan: Plan, contents: "Contents | None") -> _AddSnippet:
    # Imported here because few requests include snippets.
    from symindex.search.answer.contents import add_snippet
    from symindex.search.words.phrases import searched_words

    return partial(add_snippet, runs=searched_words(plan.query, plan.options), contents=contents)


def _items(
    all_rows: Snapshot,
    snapshot: Snapshot,
    ranking: Ranking,
    start: int,
    end: int,
    include: list[str],
    add_snippet: _AddSnippet | None,
    full: int,
) -> list[SearchItem]:
    """Returns the items of a page, or of a part of it. full: see `Selection`."""
    rows = snapshot.shown(ranking.rows[start:end])
    items = [
        SearchItem(
            name=name,
            kind=KIND_OF_CODE[traits & 255],
            file_path=part.prefix + path,
            line=line + 1,
            container=container or None,
        )
        for part, _, name, container, traits, _, path, _, line in rows
    ]
    if "flags" in include:
        words = {flags: words_of_flags(flags) for flags in {row.traits >> 8 for row in rows}}
        for item, row in zip(items, rows, strict=True):
            item.flags = words[row.traits >> 8]
    for item, row in zip(items, rows, strict=True):
        if item.kind == SymbolKind.ITEM or snapshot.has_spaces:
            _describe(all_rows, item, row)
    plain_fields = [field for field in include if field not in ("flags", *PAGE_EXTRAS)]
    for first in range(start, end, _DETAILED_AT_ONCE) if plain_fields else ():
        check_wanted()
        several = slice(first - start, first - start + _DETAILED_AT_ONCE)
        details = snapshot.details(ranking.rows[start:end][several], plain_fields)
        points = ranking.points[start:end][several].tolist()
        for item, row, of_row, its_points in zip(
            items[several], rows[several], details, points, strict=True
        ):
            _complete(item, row, of_row, round(score_of(its_points, full), 8), plain_fields)
            if add_snippet is not None:
                add_snippet(item, row.part, row.number)
    return items


def _describe(all_rows: Snapshot, item: SearchItem, row: ShownRow) -> None:
    """Adds to an item its type and what it hides, and to a row outside of the project its
    origin."""
    part = row.part
    facts = facts_of(part.index, row.number) if item.kind == SymbolKind.ITEM else None
    if facts is not None:
        item.kind = facts.type
        if all_rows.has_spaces:
            shadows, shadowed_by = shadows_of(all_rows, (facts.type, facts.id), part.space)
            item.shadows, item.shadowed_by = shadows or UNSET, shadowed_by or UNSET
    if part.space is not Space.PROJECT:
        item.space = part.space.word
        item.package = (
            label[0]
            if (label := LABEL_IN_PATH.match(item.file_path)) is not None
            else part.prefix.rstrip("/")
        )


def _complete(
    item: SearchItem, row: ShownRow, details: RowDetails, score: float, include: list[str]
) -> None:
    """Adds to an item the fields that the request includes."""
    part = row.part
    for field in include:
        match field:
            case "id":
                item.id = part.prefix + details.symbol_id
            case "signature":
                item.signature = details.signature
            case "doc":
                item.doc = details.doc
            case "range":
                first, last = details.lines
                item.range = Range(start_line=first + 1, end_line=last + 1)
            case "metadata" if (described := facts_of(part.index, row.number)) is not None:
                item.metadata = {
                    "id": described.id,
                    "type": described.type,
                    **described.fields,
                }
            case "score":
                item.score = score
            case "language":
                item.language = row.language
