"""The card of a name in a file: which symbols it may mean, the likeliest first."""

import re
from typing import Any, Final

from symindex.errors import RequestError
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.site import Page, Repository, Site, Visit
from symindex.text.escaping import shorten

MOST_CANDIDATES: Final = 12
"""Symbols on a card; a search shows the others."""

LONGEST_DOC: Final = 400

_PLACE: Final = re.compile(r"(\d{1,9}):(\d{1,9})")


def card_page(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    """Returns the candidates for the name at a line and a column, `?at=LINE:COLUMN`."""
    match = _PLACE.fullmatch(visit.get("at"))
    if match is None:
        raise RequestError(f"at={visit.get('at')[:50]}: expected LINE:COLUMN, such as 12:5")
    place = max(0, int(match[1]) - 1), max(0, int(match[2]) - 1)
    found = site.reader.named_in_file(repository.answer_path(address.path), place)
    if not found.name:
        raise RequestError(f"there is no name at {address.path}:{match[1]}:{match[2]}")
    context: dict[str, Any] = {
        "title": found.name,
        "name": found.name,
        "candidates": [
            {
                "symbol": symbol,
                "href": site.symbol_address(symbol.id),
                "place": site.file_address(symbol.file_path, symbol.line),
                "path": symbol.file_path,
                "is_here": symbol.file_path == repository.answer_path(address.path),
                "doc": shorten(symbol.doc, LONGEST_DOC),
            }
            for symbol in found.candidates[:MOST_CANDIDATES]
        ],
        "n_more": max(0, len(found.candidates) - MOST_CANDIDATES),
        "search": addresses.search_address(found.name),
        "back": addresses.address_of(repository.name, address.path) + f"#L{match[1]}",
    }
    return Page("card.html" if visit.part else "card_page.html", context)
