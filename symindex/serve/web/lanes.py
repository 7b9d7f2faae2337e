"""Queues requests in lanes, so that slow pages delay each other, but never a search."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from symindex.serve.web.site import Visit

PLACES: Final = {"search": 3, "page": 4, "slow": 2}
"""How many requests of each lane are answered at the same time."""

WAIT_SECONDS: Final = 10.0
"""How long a request waits for a place."""

_SLOW: Final = frozenset({"at", "since", "show"})
"""Parameters of pages that read many files, or run git or a parser."""

_SLOW_VIEWS: Final = frozenset({"blame", "history", "permalink", "raw"})


class BusyError(Exception):
    """Raised if a request has waited too long for a place."""


class Lanes:
    """The lanes of one server."""

    def __init__(self) -> None:
        self._lanes = {name: anyio.CapacityLimiter(places) for name, places in PLACES.items()}

    @asynccontextmanager
    async def place(self, visit: Visit) -> AsyncIterator[None]:
        """Waits for a place, and keeps it during the block. Raises BusyError."""
        limiter, borrower = self._lanes[lane_of(visit)], object()
        with anyio.move_on_after(WAIT_SECONDS) as waiting:
            await limiter.acquire_on_behalf_of(borrower)
        if waiting.cancelled_caught:
            raise BusyError
        try:
            yield
        finally:
            limiter.release_on_behalf_of(borrower)


def lane_of(visit: Visit) -> str:
    """Returns the lane of a request."""
    is_slow = not _SLOW.isdisjoint(visit.parameters) or visit.get("view") in _SLOW_VIEWS
    if is_slow or (visit.address is not None and visit.address.commit):
        return "slow"
    if visit.path != "/search":
        return "page"
    return "slow" if "\n" in visit.get("q") or visit.get("in") == "text" else "search"
