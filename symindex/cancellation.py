"""Cancels answers that nobody wants any more: the client has left, or has sent another request.

A thread cannot be stopped from outside. So long work calls `check_wanted` every few milliseconds.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from symindex.background import give_way


class NotWantedError(Exception):
    """Ends work whose result nobody waits for: it was cancelled, or its client has closed."""


_GIVEN_UP: Final[ContextVar[threading.Event | None]] = ContextVar("given_up", default=None)


@contextmanager
def wanted_until(given_up: threading.Event) -> Iterator[None]:
    """Lets the block, in this thread, end with a NotWantedError once the event is set."""
    token = _GIVEN_UP.set(given_up)
    try:
        yield
    finally:
        _GIVEN_UP.reset(token)


def check_wanted() -> None:
    """Raises NotWantedError if the event of `wanted_until` is set. Also pauses background work for
    answers."""
    give_way()
    given_up = _GIVEN_UP.get()
    if given_up is not None and given_up.is_set():
        raise NotWantedError


def wait_until(is_there: Callable[[], bool], pause: float, seconds: float = math.inf) -> None:
    """Waits until a condition is true, or `seconds` have passed. pause: seconds between two checks.
    Raises NotWantedError like `check_wanted`."""
    given_up = _GIVEN_UP.get() or threading.Event()
    until = time.monotonic() + seconds
    while not is_there() and time.monotonic() < until:
        if given_up.wait(pause):
            raise NotWantedError
