"""Which lane each page waits in, so that slow pages delay each other, but never a search."""

from typing import Final

from symindex.serve.web.site import Visit

PLACES: Final = {"search": 3, "page": 4, "slow": 2}
"""How many requests of each lane are answered at the same time."""

_SLOW: Final = frozenset({"at", "since", "show"})
"""Parameters of pages that read many files, or run git or a parser."""

_SLOW_VIEWS: Final = frozenset({"blame", "history", "permalink", "raw"})


def lane_of(visit: Visit) -> str:
    """Returns the lane of a request."""
    is_slow = not _SLOW.isdisjoint(visit.parameters) or visit.get("view") in _SLOW_VIEWS
    if is_slow or (visit.address is not None and visit.address.commit):
        return "slow"
    if visit.path != "/search":
        return "page"
    return "slow" if "\n" in visit.get("q") or visit.get("in") == "text" else "search"
