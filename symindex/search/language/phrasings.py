"""Reads a question that is given in several phrasings: the query, and the query in other words."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from symindex.errors import RequestError
from symindex.search.language.query import Everything, Name, Node, Or, Query, Term, Words
from symindex.text.words import deciding, words_of


class Phrasing(NamedTuple):
    """One phrasing. number: its place among the texts of the request, from 1; the query comes first
    unless it is empty."""

    number: int
    text: str
    query: Query


class Phrasings(NamedTuple):
    """The phrasings that are searched, and notices about those that are not."""

    searched: tuple[Phrasing, ...]
    notices: tuple[str, ...]

    @property
    def text(self) -> str:
        return " | ".join(phrasing.text for phrasing in self.searched)

    @property
    def query(self) -> Query:
        """A tree that matches whatever a phrasing matches. Of plain words one is enough."""
        if len(self.searched) == 1:
            return self.searched[0].query
        return Or(tuple(_node_of(phrasing.query) for phrasing in self.searched))


def read_phrasings(
    query: str,
    others: Sequence[str],
    read: Callable[[str, list[str]], Query],
    rows_of: Callable[[Query], str],
) -> Phrasings:
    """Reads all phrasings that have a meaning. read: reads one, with a list for notices. rows_of:
    returns what rows a phrasing is about, in words. Raises RequestError if there is none.

    Empty and repeated ones are left out, and so are those with a syntax error, if another has none,
    and those about other rows than the first.
    """
    texts = [text.strip() for text in ([query] if query.strip() else []) + [*others]]
    searched: list[Phrasing] = []
    notices: list[str] = []
    refusal: RequestError | None = None
    for number, text in enumerate(texts, start=1):
        earlier = texts.index(text) + 1
        if not text:
            notices.append(f"phrasing {number} is empty")
        elif earlier < number:
            notices.append(f"phrasing {number} repeats phrasing {earlier}")
        else:
            try:
                own: list[str] = []
                tree = read(text, own)
                if searched and (rows := rows_of(tree)) != (first := rows_of(searched[0].query)):
                    raise RequestError(f"it is about {rows}, and the first about {first}")
                searched.append(Phrasing(number, text, tree))
                notices += [f"phrasing {number}: {notice}" for notice in own]
            except RequestError as error:
                refusal = refusal or error
                notices.append(f"phrasing {number} is not searched: {error}")
    if searched:
        return Phrasings(tuple(searched), tuple(notices))
    if refusal is not None:
        raise refusal
    return Phrasings((Phrasing(1, query, Everything()),), ())


def _node_of(query: Query) -> Node:
    if isinstance(query, Name):
        return Term("", query.literal)
    if isinstance(query, Words):
        words = deciding(words_of(" ".join(query.texts))) or query.texts
        return Or(tuple(Term("", word) for word in words))
    assert not isinstance(query, Everything)  # `read_phrasings` leaves out empty texts
    return query
