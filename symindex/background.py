"""Background work of a server gives way to answers: it pauses, step by step, while one is being
made.

Both want the interpreter's lock. An answer lets go of it dozens of times, in each of numpy's larger
steps, and beside a thread that walks a tree it would wait for it each time.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

LONGEST_SECONDS: Final = 0.05
"""How long one step waits: background work comes to its end also where questions never do."""

_IS_BACKGROUND: Final[ContextVar[bool]] = ContextVar("is_background", default=False)

_lock: Final = threading.Lock()
_nobody_waits: Final = threading.Event()
_nobody_waits.set()
_n_answers = 0
_n_ended = 0


@contextmanager
def answering() -> Iterator[None]:
    """An answer is made in the block, unless the block is itself background work."""
    global _n_answers, _n_ended
    if _IS_BACKGROUND.get():
        yield
        return
    with _lock:
        _n_answers += 1
        _nobody_waits.clear()
    try:
        yield
    finally:
        with _lock:
            _n_answers -= 1
            _n_ended += 1
            if not _n_answers:
                _nobody_waits.set()


def n_answered() -> int:
    """How many answers were made so far."""
    return _n_ended


@contextmanager
def in_background() -> Iterator[None]:
    """The block, in this thread, gives way."""
    token = _IS_BACKGROUND.set(True)
    try:
        yield
    finally:
        _IS_BACKGROUND.reset(token)


def give_way() -> None:
    """To be called between steps of some milliseconds at most; returns at once outside of
    background work."""
    if _IS_BACKGROUND.get():
        _nobody_waits.wait(LONGEST_SECONDS)
