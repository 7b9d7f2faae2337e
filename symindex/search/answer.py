"""The whole search, from a request and a snapshot to a response: filters, hits, order, page; and why a response is empty. It has
no state and reads no files."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from symindex.extract.languages.registry import Languages
from symindex.files.skips import Skip, SkipReason, tell_unread
from symindex.files.walk import Walk
from symindex.index.report import why_index_empty
from symindex.index.rows import Rows
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol import Range, SearchItem, SearchRequest, SearchResponse, check_request
from symindex.search.execute import select
from symindex.search.filters import Filter, shown_path_filter
from symindex.search.hits import Selection
from symindex.search.match.lookup import names_like
from symindex.search.match.names import POINTS
from symindex.search.page import Position, find_start, make_token, token_of
from symindex.search.parse_query import lower_case_operators, parse_query
from symindex.search.query import And, Everything, Name, Query, Term, Words, map_terms
from symindex.search.rank import Ranking, rank
from symindex.text.escaping import shorten
from symindex.text.folding import fold, squash
from symindex.workers.cancellation import check_wanted

SUGGESTIONS = 3
"""How many similar names an answer without hits suggests."""

_LOOKED_AT = 50
"""How many similar names are examined; some may belong to files that are gone."""

_NEAR = 60.0
"""How similar, of 100, a name must be to be suggested."""

_ITEMS_AT_ONCE = 1_000
"""Items that are made at a time: with more, whole tables of strings would be decoded and kept."""


_MOST_EXPLAINED = 8
"""Queries of more words are not explained word by word."""

_LONGEST_PART = 60
"""The most characters of a word that are repeated."""


class Found(NamedTuple):
    """What a request finds. position, end: the page, as offsets in the hits. ranking: the hits up to `end`."""

    query: Query
    selection: Selection
    position: Position
    end: int
    ranking: Ranking


def find(snapshot: Snapshot, request: SearchRequest, languages: Languages, for_editor: bool = False) -> Found:
    """The hits of a request's page in order. Raises RequestError for what has no possible answer.

    for_editor: leaves out misspelt names, which editors drop, and may count too few where the page is full.
    """
    check_request(request)
    token = token_of(request)
    query = read_query(request, languages)
    weak = None if request.fuzzy is UNSET else request.fuzzy
    most = request.start_index + request.max_items if for_editor and request.max_items is not None else None
    weak = token.weak if token is not None else weak
    selection = select(snapshot, query, make_filter(request, languages), weak, typos=not for_editor, at_least=most)
    position = Position(request.start_index) if token is None else find_start(token, snapshot, selection)
    total = selection.total
    end = total if request.max_items is None else min(position.start + request.max_items, total)
    return Found(query, selection, position, end, rank(selection, end))


def answer(snapshot: Snapshot, request: SearchRequest, languages: Languages) -> SearchResponse:
    """The response to a request. Raises RequestError for what has no possible answer."""
    query, selection, position, end, ranking = find(snapshot, request, languages)
    total = selection.total
    has_more = end < total
    notices = []
    if position.changed:
        notices.append("the index has changed since the last page; this page continues after the last item that was shown")
    if total and position.start >= total:
        notices.append(f"start_index {position.start} is past the end: there are {total} results, 0 to {total - 1}")
    notices.extend(selection.notices)
    notices.extend(_killed(snapshot, request))
    return SearchResponse(
        request=request,
        items=[
            item
            for start in range(position.start, end, _ITEMS_AT_ONCE)
            for item in _items(snapshot, ranking, start, min(start + _ITEMS_AT_ONCE, end), request.include or [])
        ],
        start_index=position.start,
        max_items=request.max_items,
        total=total,
        has_more=has_more,
        pagination_id=make_token(request, snapshot, ranking, end, selection.weak) if has_more and end > 0 else None,
        notices=notices or UNSET,
        suggestions=(suggest(snapshot, name) if not total and (name := _name_of(query)) else []) or UNSET,
    )


def _killed(snapshot: Snapshot, request: SearchRequest) -> list[str]:
    """A notice on files that may hold hits, and that the next refresh will try to read again."""
    skips = snapshot.files_left_out(SkipReason.KILLED)
    concerns = shown_path_filter(list(request.paths or ()), snapshot)
    told = tell_unread([skip for skip in skips if concerns(skip.path)], "more")
    return [f"{told}; the next refresh tries again"] if told else []


def _name_of(query: Query) -> str:
    """The name for which to suggest others; empty if there is none. Several words may be the words of one name."""
    if isinstance(query, Name):
        return query.name
    return "_".join(query.texts) if isinstance(query, Words) else ""


def read_query(request: SearchRequest, languages: Languages) -> Query:
    """A request's query, with languages by their ids. Raises RequestError for a syntax error and an unknown language."""
    query = parse_query(request.query)
    if isinstance(query, Everything | Name | Words):
        return query

    def with_id(term: Term) -> Term:
        is_language = term.field == "lang" and not term.is_wildcard
        return Term("lang", languages.get(term.text).id) if is_language else term

    return map_terms(query, with_id)


def make_filter(request: SearchRequest, languages: Languages) -> Filter:
    return Filter(
        tuple(request.kinds or ()),
        frozenset(languages.get(word).id for word in request.languages or ()),
        tuple(request.paths or ()),
    )


def _items(snapshot: Snapshot, ranking: Ranking, start: int, end: int, include: list[str]) -> list[SearchItem]:
    """The items of a page, or of a piece of it."""
    rows = ranking.rows[start:end]
    items = snapshot.read(rows, _items_of_part)
    for place, item in enumerate(items) if include else ():
        check_wanted()
        part, row = snapshot.locate(int(rows[place]))
        _complete(item, part, row, int(ranking.points[start + place]), include)
    return items


def _items_of_part(part: Part, rows: Rows) -> list[SearchItem]:
    return [
        SearchItem(name=name, kind=kind, file_path=part.prefix + path, line=line + 1, container=container or None)
        for name, kind, path, line, container in zip(rows.names, rows.kinds, rows.paths, rows.lines, rows.containers, strict=True)
    ]


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
            case "score":
                item.score = points / POINTS
            case "language":
                item.language = index.language_of(index.file_at(row))


def suggest(snapshot: Snapshot, name: str) -> list[str]:
    """The names most similar to one that was not found, best first."""
    from rapidfuzz import fuzz, process  # here, because most searches find something and its import takes 15 ms

    near: list[tuple[float, str, str, str]] = []
    for part in snapshot.parts:
        index = part.index
        numbers = names_like(index, name)
        folded = [fold(text) for text in index.names.take(numbers)]
        for _, score, at in process.extract(fold(name), folded, scorer=fuzz.ratio, limit=_LOOKED_AT, score_cutoff=_NEAR):
            rows = index.rows_of_names(numbers[at : at + 1])
            if part.live is None or part.live[index.file_of(rows)].any():
                found = index.names[int(numbers[at])]
                near.append((-score, squash(fold(found)), fold(found), found))
    return list(dict.fromkeys(found for *_, found in sorted(near)))[:SUGGESTIONS]


def why_empty(request: SearchRequest, snapshot: Snapshot, walk: Walk | None, languages: Languages, unread: Sequence[Skip]) -> str:
    """The explanation in one line; empty if there is none. walk: the last walk of the tree. unread: files whose code is missing
    from the index."""
    if snapshot.n_symbols == 0:
        return why_index_empty(walk, snapshot)
    if request.kinds or request.languages or request.paths:
        bare = msgspec.structs.replace(
            request, kinds=None, languages=UNSET, paths=UNSET, pagination_id=None, max_items=1, start_index=0
        )
        without = answer(snapshot, bare, languages).total
        if without:
            return f"without the filters on kind, language and path there are {without}"
    meant = lower_case_operators(request.query)
    operators = f"operators are upper case: {meant}" if meant else ""
    said = (_words_alone(request, snapshot, languages), tell_unread(unread, "it"))
    return "; ".join(filter(None, (operators, *said)))


def _words_alone(request: SearchRequest, snapshot: Snapshot, languages: Languages) -> str:
    """How many symbols each part of an `AND` finds alone; empty for other queries."""
    query = read_query(request, languages)
    if not isinstance(query, And) or len(query.parts) > _MOST_EXPLAINED:
        return ""
    wanted = make_filter(request, languages)
    totals = {str(part): select(snapshot, part, wanted, None).total for part in query.parts}
    told = ", ".join(f"{shorten(part, _LONGEST_PART)} {total:,}" for part, total in totals.items())
    return f"all parts of the query must match; each alone finds: {told}"
