"""The facets of a search as links: how many hits have each language, kind, folder and fact, and the
query that shows only these."""

from dataclasses import dataclass
from typing import Final

from msgspec import UNSET

from symindex.protocol.search import Facet, SearchResponse
from symindex.serve.web import addresses

_TITLES: Final = {
    "repository": "Repositories",
    "language": "Languages",
    "kind": "Kinds",
    "folder": "Folders",
    "fact": "Properties",
}

_BAR: Final = " | "
"""What follows it in a query only narrows (`search/language/narrowing`)."""


@dataclass
class FacetValue:
    """A value of a facet. term: in the query language. href: the search that has the term added to
    its query, or taken away if the query has it already."""

    value: str
    term: str
    count: int
    href: str
    is_chosen: bool


@dataclass
class ShownFacet:
    """A list of values. left_out: how many follow."""

    title: str
    values: list[FacetValue]
    left_out: int


def facets_of(query: str, response: SearchResponse) -> list[ShownFacet]:
    """Returns the facets of a response that narrow its query."""
    if response.facets is UNSET:
        return []
    shown = []
    for name, facet in response.facets.items():
        values = [_value(query, name, facet, value, count) for value, count in facet.values]
        if len(values) > 1 or any(value.is_chosen for value in values):
            shown.append(ShownFacet(_TITLES[name], values, facet.left_out))
    return shown


def _value(query: str, name: str, facet: Facet, value: str, count: int) -> FacetValue:
    term = f"{facet.field}:{value}"
    asked, _, narrowing = query.partition(_BAR)
    is_chosen = term in narrowing.split()
    left = " ".join(other for other in narrowing.split() if other != term)
    without = asked + (_BAR + left if left else "")
    label = value.removesuffix("/**") if name in ("repository", "folder") else value
    address = addresses.search_address(without if is_chosen else add_term(query, term))
    return FacetValue(label, term, count, address, is_chosen)


def add_term(query: str, term: str) -> str:
    """Returns a query that is narrowed by one more term."""
    asked, bar, narrowing = query.partition(_BAR)
    if term in narrowing.split():
        return query
    return f"{asked}{_BAR}{narrowing} {term}" if bar else f"{query}{_BAR}{term}"
