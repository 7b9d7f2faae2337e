"""Queues requests in lanes, so that slow requests delay each other, but never a search."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import anyio

WAIT_SECONDS: Final = 10.0
"""How long a request waits for a place."""

MOST_WAITING: Final = 64
"""Most requests of a lane that wait: more would wait in vain."""


class BusyError(Exception):
    """Raised if a request has waited too long for a place.

    is_crowded: whether it did not wait, because too many others do.
    """

    def __init__(self, is_crowded: bool = False) -> None:
        super().__init__()
        self.is_crowded = is_crowded


class Lanes:
    """The lanes of one server. places: how many requests of each are answered at the same time."""

    def __init__(self, places: Mapping[str, int]) -> None:
        self._lanes = {name: anyio.CapacityLimiter(n_places) for name, n_places in places.items()}

    @asynccontextmanager
    async def place(self, lane: str) -> AsyncIterator[None]:
        """Waits for a place, and keeps it during the block. Raises BusyError."""
        limiter, borrower = self._lanes[lane], object()
        if limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise BusyError(is_crowded=True)
        with anyio.move_on_after(WAIT_SECONDS) as waiting:
            await limiter.acquire_on_behalf_of(borrower)
        if waiting.cancelled_caught:
            raise BusyError
        try:
            yield
        finally:
            limiter.release_on_behalf_of(borrower)
