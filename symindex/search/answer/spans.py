"""Marks in the names of items what a query matched (`search/match/spans`)."""

from collections.abc import Iterable, Iterator, Sequence

from symindex.protocol.search import SearchItem
from symindex.search.answer.plan import Plan
from symindex.search.language.pasted_names import readings_of
from symindex.search.language.query import Everything, Name, Node, Not, Query, Term, Words
from symindex.search.match.spans import Span, match_spans
from symindex.search.names.weakness import LETTERS, TYPO


def add_spans(items: Iterable[SearchItem], plan: Plan) -> None:
    """Adds its spans to each item."""
    queries = [phrasing.query for phrasing in plan.phrasings] or [plan.query]
    searched = [texts for query in queries for texts in _searched(query)]
    of_fields = [text for node in plan.options.fields for text in _named(node)]
    searched += [of_fields] if of_fields else []
    for item in items:
        item.spans = _first_spans(searched, item)


def _first_spans(searched: Sequence[Sequence[str]], item: SearchItem) -> list[Span]:
    """Returns the spans of the first query that the name matches. An item that is there for its
    other texts is no guess by its name."""
    weak = item.match in (TYPO, LETTERS)
    every = (match_spans(texts, item.name, weak) for texts in searched)
    return next(filter(None, every), [])


def _searched(query: Query) -> Iterator[Sequence[str]]:
    """Yields the texts that a query looks for in names, for each of its readings."""
    if isinstance(query, Name):
        texts = [query.literal, *(reading.query.name for reading in readings_of(query))]
        yield from ((text,) for text in dict.fromkeys(texts) if text)
    elif isinstance(query, Words):
        yield query.texts
    elif not isinstance(query, Everything) and (texts := [*_named(query)]):
        yield texts


def _named(node: Node) -> Iterator[str]:
    """Yields the texts of a tree that a name may contain."""
    if isinstance(node, Term):
        if node.field in ("", "name"):
            yield node.text
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from _named(part)
