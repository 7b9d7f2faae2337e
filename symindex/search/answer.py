"""A request against an index to a response: filters, hits, order, page. The whole search, without state and without a disk."""

import numpy as np
from msgspec import UNSET
from rapidfuzz import fuzz, process

from symindex.errors import one_of
from symindex.index.columns import Index
from symindex.index.fold import fold
from symindex.protocol import KIND_OF_CODE, Range, SearchItem, SearchRequest, SearchResponse, check_request
from symindex.search.filters import Mask, kind_mask, language_mask, path_mask
from symindex.search.page import Position, check_token, find_start, make_token, read_token
from symindex.search.query import Everything, Name, Term, map_terms, parse_query
from symindex.search.rank import Ranking, rank
from symindex.search.select import select
from symindex.source.languages import Languages

SUGGESTIONS = 3
"""How many near names an answer without hits offers."""

_NEAR = 60.0
"""How alike, of 100, a name must be to be offered."""


def answer(index: Index, request: SearchRequest, languages: Languages) -> SearchResponse:
    """The response to a request. Raises RequestError for what has no possible answer."""
    check_request(request)
    token = None
    if request.pagination_id is not None:
        token = read_token(request.pagination_id)
        check_token(request, token)
    query = parse_query(request.query)
    if not isinstance(query, Everything | Name):
        query = map_terms(query, lambda term: _name_language(term, languages))
    allowed = _filter(index, request, languages)
    weak = None if request.fuzzy is UNSET else request.fuzzy
    selection = select(index, query, allowed, token.weak if token is not None else weak)
    ranking = rank(index, selection)
    position = find_start(token, index, ranking) if token is not None else Position(request.start_index)
    total = len(ranking)
    end = total if request.max_items is None else min(position.start + request.max_items, total)
    has_more = end < total
    notices = []
    if position.changed:
        notices.append("the index has changed since the last page; this page continues after the last item that was shown")
    if total and position.start >= total:
        notices.append(f"start_index {position.start} is past the end: there are {total} results, 0 to {total - 1}")
    return SearchResponse(
        request=request,
        items=[_item(index, ranking, place, request.include or []) for place in range(position.start, end)],
        start_index=position.start,
        max_items=request.max_items,
        total=total,
        has_more=has_more,
        pagination_id=make_token(request, index, ranking, end, selection.weak) if has_more and end > 0 else None,
        notices=notices or UNSET,
        suggestions=(_suggest(index, query.name) if not total and isinstance(query, Name) else []) or UNSET,
    )


def _name_language(term: Term, languages: Languages) -> Term:
    """`lang:py` with the language's id. Raises RequestError for an unknown one."""
    return Term(term.field, languages.get(term.text).id) if term.field == "lang" else term


def _filter(index: Index, request: SearchRequest, languages: Languages) -> Mask | None:
    masks = []
    if request.kinds:
        masks.append(kind_mask(index, request.kinds))
    if request.languages:
        masks.append(language_mask(index, {languages.get(word).id for word in request.languages}))
    if request.paths:
        masks.append(path_mask(index, request.paths))
    return np.logical_and.reduce(masks) if masks else None


def _item(index: Index, ranking: Ranking, place: int, include: list[str]) -> SearchItem:
    row = int(ranking.rows[place])
    file = int(index.u32("file")[row])
    item = SearchItem(
        name=index.names[index.u32("name")[row]],
        kind=KIND_OF_CODE[int(index.u8("kind")[row])],
        file_path=index.paths[file],
        line=int(index.u32("name_row")[row]) + 1,
        container=index.containers[index.u32("container")[row]] or None,
    )
    for field in include:
        if field == "id":
            item.id = index.symbol_id(row)
        elif field == "signature":
            item.signature = index.signatures[index.u32("signature")[row]]
        elif field == "doc":
            item.doc = index.docs[index.u32("doc")[row]]
        elif field == "range":
            item.range = Range(start_line=int(index.u32("start_row")[row]) + 1, end_line=int(index.u32("end_row")[row]) + 1)
        elif field == "score":
            item.score = round(float(ranking.scores[place]), 4)
        elif field == "language":
            item.language = index.columns.language_ids[index.u8("file_language")[file]]
        else:
            raise one_of("include field", field, SearchItem.__struct_fields__)
    return item


def _suggest(index: Index, name: str) -> list[str]:
    """Names most like the one that was not found, nearest first."""
    near = process.extract(fold(name), index.folded.all, scorer=fuzz.ratio, limit=SUGGESTIONS * 4, score_cutoff=_NEAR)
    names = [index.names[place] for _, _, place in near]
    return list(dict.fromkeys(names))[:SUGGESTIONS]
