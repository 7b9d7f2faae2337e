"""Whether the answer that is being worked on is still wanted: whoever asked may have left, or asked something else.

A thread cannot be stopped from outside. So what takes long looks here now and then, some milliseconds apart.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


class NotWantedError(Exception):
    """Ends work whose result nobody waits for. Raised only where `wanted_until` is in force."""


_GIVEN_UP: Final[ContextVar[threading.Event | None]] = ContextVar("given_up", default=None)


@contextmanager
def wanted_until(given_up: threading.Event) -> Iterator[None]:
    """What is done within, in this thread, may end with a NotWantedError once the event is set."""
    token = _GIVEN_UP.set(given_up)
    try:
        yield
    finally:
        _GIVEN_UP.reset(token)


def check_wanted() -> None:
    """Raises NotWantedError where nobody waits any more."""
    given_up = _GIVEN_UP.get()
    if given_up is not None and given_up.is_set():
        raise NotWantedError


def wait_until(is_there: Callable[[], bool], pause: float, seconds: float = math.inf) -> None:
    """Waits until something is there, looking again after each pause, or for so many seconds. Raises NotWantedError where nobody
    waits any more."""
    given_up = _GIVEN_UP.get() or threading.Event()
    until = time.monotonic() + seconds
    while not is_there() and time.monotonic() < until:
        if given_up.wait(pause):
            raise NotWantedError
