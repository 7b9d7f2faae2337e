"""How often a client may search: off unless the environment says so, for agents that search in circles.

In a window of time, the first calls get what they ask for; behind a soft cap each query gets one result; behind a hard cap calls
are refused. A batch counts once. Each client session has its own count.
"""

import os
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from symindex.errors import RequestError

WINDOW_MS: Final = "SYMINDEX_SEARCH_WINDOW_MS"
MAX_RESULTS_AFTER: Final = "SYMINDEX_SEARCH_MAX_RESULTS_AFTER"
BLOCK_AFTER: Final = "SYMINDEX_SEARCH_BLOCK_AFTER"

_DEFAULTS: Final[Mapping[str, int]] = {WINDOW_MS: 60_000, MAX_RESULTS_AFTER: 3, BLOCK_AFTER: 8}

TAPERED: Final = 1
"""Results of a query behind the soft cap."""


class Turn(NamedTuple):
    """A call. number: in the window, from 1. most: results of each query, `None` for as many as it asks for."""

    number: int
    cap: int
    seconds: float
    most: int | None
    is_refused: bool

    @property
    def told(self) -> str:
        """The counter, as an answer has it."""
        told = f"search call {self.number}/{self.cap} within {self.seconds:g} s"
        if self.is_refused:
            return f"{told}: refused; read what was found, or ask several queries in one call when the time is over"
        return f"{told}: {self.most} result a query from here on; put several queries into one call" if self.most else told


class Throttle:
    """The counts of all sessions. Raises RequestError for a value in the environment that is no number."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self.is_on = any(name in environment for name in _DEFAULTS)
        window, self._soft, self._hard = (_read(environment, name) for name in _DEFAULTS)
        self._seconds = window / 1_000
        self._calls: WeakKeyDictionary[Any, deque[float]] = WeakKeyDictionary()

    def take(self, session: Any, always: bool = False) -> Turn | None:
        """The turn of a call; `None` where the throttle is off. always: counts also where the environment does not ask for it."""
        if not self.is_on and not always:
            return None
        now = time.monotonic()
        calls = self._calls.setdefault(session, deque(maxlen=self._hard + 1))
        while calls and calls[0] <= now - self._seconds:
            calls.popleft()
        calls.append(now)
        number = len(calls)
        return Turn(number, self._hard, self._seconds, TAPERED if number > self._soft else None, number > self._hard)


def _read(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name, "")
    if not text:
        return _DEFAULTS[name]
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise RequestError(f"{name} is {text[:40]!r}: expected a whole number from 1")
    return int(text)
