"""The facets of a search: how many hits have each language, kind, folder and fact, with the query
that shows only these."""

from dataclasses import dataclass
from typing import Any, Final

from msgspec import UNSET

from symindex.serve.web import addresses

_TITLES: Final = {
    "repository": "Repositories",
    "language": "Languages",
    "kind": "Kinds",
    "folder": "Folders",
    "is": "Facts",
}


@dataclass
class FacetValue:
    """A value of a facet. href: the search that has it added to the query, or removed if the query
    has it already."""

    value: str
    count: int
    href: str
    is_chosen: bool


@dataclass
class Facet:
    """A list of values. n_more: how many values are not shown."""

    title: str
    values: list[FacetValue]
    n_more: int


def facets_of(query: str, response: Any) -> list[Facet]:
    """Returns the facets of a response that narrow its query."""
    given = getattr(response, "facets", UNSET)
    if given is UNSET:
        return []
    facets = []
    for facet in given:
        values = [_value(query, value, count, text) for value, count, text in facet.values]
        narrows = len(values) > 1 or any(value.is_chosen for value in values)
        if values and narrows:
            facets.append(Facet(_TITLES.get(facet.name, facet.name), values, facet.n_more))
    return facets


def _value(query: str, value: str, count: int, text: str) -> FacetValue:
    words = query.split()
    is_chosen = text in words
    narrowed = " ".join(word for word in words if word != text) if is_chosen else f"{query} {text}"
    return FacetValue(value, count, addresses.search_address(narrowed), is_chosen)
