"""Limits how often a client may search, for agents that search in circles. Off by default;
environment variables turn it on.

In a window of time, the first calls get all results; after a soft cap, each query gets one result;
after a hard cap, calls are refused. A batch counts once. Each connection has its own count.
"""

import math
import os
import time
from collections import OrderedDict, deque
from collections.abc import Mapping
from typing import Final, NamedTuple

from symindex.errors import RequestError

WINDOW_MS: Final = "SEARCH_WINDOW_MS"
MAX_RESULTS_AFTER: Final = "SEARCH_MAX_RESULTS_AFTER"
BLOCK_AFTER: Final = "SEARCH_BLOCK_AFTER"

PREFIXES: Final = ("SYMINDEX_", "CONTEXT_MODE_")
"""Prefixes of the variables' names; ours take precedence over context-mode's."""

_DEFAULTS: Final[Mapping[str, int]] = {WINDOW_MS: 60_000, MAX_RESULTS_AFTER: 3, BLOCK_AFTER: 8}

MOST_CLIENTS: Final = 1_000
"""Most clients that are counted. If there are more, the least recent one is forgotten."""

TAPERED: Final = 1
"""Results per query after the soft cap."""


class Turn(NamedTuple):
    """A counted call.

    number: its number in the window, from 1. most: most results per query; `None` for no limit.
    wait: seconds until a call is answered again.
    """

    number: int
    cap: int
    seconds: float
    most: int | None
    is_refused: bool
    wait: float = 0.0

    @property
    def counter(self) -> str:
        """The counter, as answers show it."""
        return f"call #{self.number}/{self.cap} in {self.seconds:g} s"

    @property
    def advice(self) -> str:
        """What the client should do now; empty if it may go on."""
        if self.is_refused:
            return (
                f"wait {math.ceil(self.wait)} s; read the results so far, then send "
                "several queries in one call"
            )
        return (
            f"{self.most} result per query from now on; send several queries in one call"
            if self.most
            else ""
        )

    @property
    def told(self) -> str:
        """The counter and the advice, on one line."""
        return (
            f"{self.counter}{': refused' * self.is_refused}; {self.advice}"
            if self.advice
            else self.counter
        )


class Throttle:
    """Counts the calls of all clients. Raises RequestError if a variable is not a number."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self.is_on: bool = any(
            f"{prefix}{name}" in environment for name in _DEFAULTS for prefix in PREFIXES
        )
        window, self._soft, self._hard = (_read(environment, name) for name in _DEFAULTS)
        self._seconds = window / 1_000
        self._calls: OrderedDict[str, deque[float]] = OrderedDict()

    def take(self, client: str, always: bool = False) -> Turn | None:
        """Counts a call and returns its turn, or `None` if the throttle is off.

        client: identifies its connection. always: count it even if the environment does not turn
        the throttle on.
        """
        if not self.is_on and not always:
            return None
        now = time.monotonic()
        calls = self._calls.setdefault(client, deque(maxlen=self._hard + 1))
        self._calls.move_to_end(client)
        if len(self._calls) > MOST_CLIENTS:
            self._calls.popitem(last=False)
        while calls and calls[0] <= now - self._seconds:
            calls.popleft()
        calls.append(now)
        number = len(calls)
        # A refused call counts as well: the next is answered once the second of the remembered
        # calls leaves the window.
        wait = calls[1] + self._seconds - now if number > self._hard else 0.0
        return Turn(
            number,
            self._hard,
            self._seconds,
            TAPERED if number > self._soft else None,
            number > self._hard,
            wait,
        )


def _read(environment: Mapping[str, str], name: str) -> int:
    variable = next(
        (f"{prefix}{name}" for prefix in PREFIXES if environment.get(f"{prefix}{name}")), ""
    )
    if not variable:
        return _DEFAULTS[name]
    text = environment[variable]
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise RequestError(f"{variable} is {text[:40]!r}: expected an integer from 1")
    return int(text)
