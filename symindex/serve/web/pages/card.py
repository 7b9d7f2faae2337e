"""The card of a name in a file: what the code binds it to, else the symbols that have the name."""

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
    """Returns what the name at a line and a column means, `?at=LINE:COLUMN`."""
    match = _PLACE.fullmatch(visit.get("at"))
    if match is None:
        raise RequestError(f"at={visit.get('at')[:50]}: expected LINE:COLUMN, such as 12:5")
    place = max(0, int(match[1]) - 1), max(0, int(match[2]) - 1)
    found = site.reader.named_in_file(repository.answer_path(address.path), place)
    if not found.name:
        raise RequestError(f"there is no name at {address.path}:{match[1]}:{match[2]}")
    here = addresses.address_of(repository.name, address.path)
    context: dict[str, Any] = {
        "title": found.name,
        "name": found.name,
        "how": found.how,
        "library": found.library,
        "line": found.line,
        "line_address": f"{here}#L{found.line}",
        "modules": [(path, site.file_address(path, 1)) for path in found.paths],
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
        "back": f"{here}#L{match[1]}",
    }
    return Page("card.html" if visit.part else "card_page.html", context)
