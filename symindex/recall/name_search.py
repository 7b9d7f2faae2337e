"""Turns a question into a search for names, and the rows of that search into hits."""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.kinds import parse_kind
from symindex.protocol.recall import TextHit, TextRequest
from symindex.protocol.search import SearchItem, SearchRequest, is_guess
from symindex.recall.chunks.collection import iso
from symindex.recall.chunks.question import read_question
from symindex.recall.chunks.symbol_lookup import NameHit
from symindex.text.escaping import shorten
from symindex.text.since import read_since
from symindex.text.snippets import ROOM

SHOWN: Final = ("id", "signature", "doc", "score", "language")
"""The optional fields of a row that become part of a hit."""

MOST_FILTERED: Final = 500
"""Symbols that are fetched where a filter applies to their paths, or only whole words count."""


def as_search(
    query: str, request: TextRequest, most: int, phrasings: Sequence[str] = ()
) -> SearchRequest | None:
    """Returns the search for symbols that a request implies; `None` if its filters exclude all of
    them. Where only text is requested, their docs must contain a word of the question."""
    kinds, other_types = [], []
    for word in request.types:
        try:
            kinds.append(str(parse_kind(word)))
        except RequestError:
            other_types.append(word.casefold())
    filters_metadata = (
        request.status
        or request.category
        or request.assignee
        or request.project
        or request.source_id
    )
    if request.by_entity and not request.include_graph:
        return None
    if (
        filters_metadata
        or request.content_type == "prose"
        or (request.types and not kinds and "symbol" not in other_types)
    ):
        return None
    filters = {"date_from": iso(read_since(request.since))} if request.since else UNSET
    is_filtered = (
        request.source or request.source_name or request.by_entity or not request.use_enhanced
    )
    return SearchRequest(
        query=query,
        max_items=MOST_FILTERED if is_filtered else most,
        kinds=kinds if "symbol" not in other_types else None,
        filters=filters,
        languages=request.language or UNSET,
        include=[*SHOWN],
        fields={"doc": _any_word((query, *phrasings))} if request.within == "text" else UNSET,
        fuzzy=UNSET if request.use_enhanced else False,
        phrasings=[*phrasings] or UNSET,
    )


def _any_word(texts: Sequence[str]) -> str:
    """Returns the query for any of the words of some questions."""
    words = dict.fromkeys(word for text in texts for word in read_question(text).words)
    return " OR ".join(words)


def name_hit(item: SearchItem) -> NameHit:
    """Converts a hit of the search for names."""
    signature, doc = item.signature or "", item.doc or ""
    qualified = f"{item.container}.{item.name}" if item.container else item.name
    hit = TextHit(
        id=str(item.id),
        type=item.kind,
        title=qualified,
        source=item.file_path,
        line=item.line,
        content="\n".join(filter(None, (signature, shorten(doc, ROOM)))),
        score=float(item.score or 0),
        content_type="code",
        added="",
        result_origin="symbol",
        metadata={
            **({"language": item.language} if item.language else {}),
            **({"match": item.match} if is_guess(item) else {}),
        },
    )
    texts = item.name, item.container or "", item.file_path, signature, doc
    return NameHit(("symbol", f"{item.file_path}#{qualified}"), hit, hit.score >= 1.0, texts)
