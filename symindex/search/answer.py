"""A request against an index to a response: filters, hits, order, page. The whole search, without state and without a disk."""

from typing import NamedTuple

from msgspec import UNSET

from symindex.errors import one_of
from symindex.extract.languages.registry import Languages
from symindex.files.skips import SkipReason, tell_unread
from symindex.index.rows import Rows
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol import Range, SearchItem, SearchRequest, SearchResponse, check_request
from symindex.search.execute import Selection, select
from symindex.search.filters import Filter, path_filter
from symindex.search.match.lookup import names_like
from symindex.search.match.names import POINTS
from symindex.search.page import Position, check_token, find_start, make_token, read_token
from symindex.search.query import And, Everything, Name, Query, Term, map_terms, parse_query
from symindex.search.rank import Ranking, rank
from symindex.text.folding import fold, squash
from symindex.workers.cancellation import check_wanted

SUGGESTIONS = 3
"""How many near names an answer without hits offers."""

_LOOKED_AT = 50
"""How many near names are looked at; some may be gone since."""

_NEAR = 60.0
"""How alike, of 100, a name must be to be offered."""


_ITEMS_AT_ONCE = 1_000
"""So many items are made at a time: for more, tables of strings would be kept decoded."""


class Found(NamedTuple):
    """What a request finds. query: as it was read. start, end: the page, as numbers of hits. ranking: up to its end."""

    query: Query
    selection: Selection
    position: Position
    end: int
    ranking: Ranking


def find(snapshot: Snapshot, request: SearchRequest, languages: Languages, for_editor: bool = False) -> Found:
    """The hits of a request's page in order. Raises RequestError for what has no possible answer.

    for_editor: without misspelt names, which editors drop, and without counting what nobody will see.
    """
    check_request(request)
    token = None
    if request.pagination_id is not None:
        token = read_token(request.pagination_id)
        check_token(request, token)
    query = _read_query(request, languages)
    weak = None if request.fuzzy is UNSET else request.fuzzy
    most = request.start_index + request.max_items if for_editor and request.max_items is not None else None
    weak = token.weak if token is not None else weak
    selection = select(snapshot, query, _filter(request, languages), weak, typos=not for_editor, at_least=most)
    position = Position(request.start_index)
    if token is not None:
        position = find_start(token, snapshot, selection)
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
    """What is said of files that will be there at the next refresh, and may hold hits."""
    skips = snapshot.files_left_out(SkipReason.KILLED)
    concerns = path_filter(list(request.paths or ())) if skips else None
    told = tell_unread([skip for skip in skips if concerns is None or concerns(skip.path)], "more")
    return [f"{told}; the next refresh tries again"] if told else []


def _name_of(query: Query) -> str:
    """The name that may have been meant; empty where none can be told. Several words may be the words of one."""
    if isinstance(query, Name):
        return query.name
    if isinstance(query, And) and all(isinstance(part, Term) and not part.field and not part.is_wildcard for part in query.parts):
        return "_".join(str(part).strip('"') for part in query.parts)
    return ""


def totals_of_parts(snapshot: Snapshot, request: SearchRequest, languages: Languages, most: int) -> dict[str, int]:
    """How many symbols each part of a query finds alone, where all of them must match; empty for others, and for more parts than
    `most`. Raises as `find`."""
    query = _read_query(request, languages)
    if not isinstance(query, And) or len(query.parts) > most:
        return {}
    wanted = _filter(request, languages)
    return {str(part): select(snapshot, part, wanted, None).total for part in query.parts}


def _read_query(request: SearchRequest, languages: Languages) -> Query:
    """A request's query with languages by their ids. Raises RequestError for a syntax error and an unknown language."""
    query = parse_query(request.query)
    if isinstance(query, Everything | Name):
        return query
    return map_terms(query, lambda term: _name_language(term, languages))


def _name_language(term: Term, languages: Languages) -> Term:
    """`lang:py` with the language's id. Raises RequestError for an unknown one."""
    return Term(term.field, languages.get(term.text).id) if term.field == "lang" else term


def _filter(request: SearchRequest, languages: Languages) -> Filter:
    return Filter(
        tuple(request.kinds or ()),
        frozenset(languages.get(word).id for word in request.languages or ()),
        tuple(request.paths or ()),
    )


def _items(snapshot: Snapshot, ranking: Ranking, start: int, end: int, include: list[str]) -> list[SearchItem]:
    """The items of a page, those of each part of the snapshot at once."""
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
    """Adds to an item what the request includes."""
    index = part.index
    for field in include:
        if field == "id":
            item.id = part.prefix + index.symbol_id(row)
        elif field == "signature":
            item.signature = index.signature(row)
        elif field == "doc":
            item.doc = index.doc(row)
        elif field == "range":
            first, last = index.lines(row)
            item.range = Range(start_line=first + 1, end_line=last + 1)
        elif field == "score":
            item.score = points / POINTS
        elif field == "language":
            item.language = index.language_of(index.file_at(row))
        else:
            raise one_of("include field", field, SearchItem.__struct_fields__)


def suggest(snapshot: Snapshot, name: str) -> list[str]:
    """Names most like the one that was not found, nearest first."""
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
