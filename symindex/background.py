"""Background work of a server yields to answers: it pauses between steps while an answer is made.

Both need the interpreter's lock. An answer releases the lock dozens of times, in each of numpy's
larger steps, and would wait to get it back each time if another thread were walking a tree.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

LONGEST_SECONDS: Final = 0.05
"""Longest pause between two steps, in seconds, so that background work finishes even if requests
never stop."""

_IS_BACKGROUND: Final[ContextVar[bool]] = ContextVar("is_background", default=False)

_lock: Final = threading.Lock()
_nobody_waits: Final = threading.Event()
_nobody_waits.set()
_n_answers = 0
_n_ended = 0


@contextmanager
def answering() -> Iterator[None]:
    """Pauses background work while the block makes an answer. Does nothing if the block is itself
    background work."""
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
    """Returns the number of answers that were made so far."""
    return _n_ended


@contextmanager
def in_background() -> Iterator[None]:
    """Marks the block, in this thread, as background work, which pauses for answers."""
    token = _IS_BACKGROUND.set(True)
    try:
        yield
    finally:
        _IS_BACKGROUND.reset(token)


def give_way() -> None:
    """Pauses background work while an answer is made; returns at once in other threads. Call it
    between steps of a few milliseconds."""
    if _IS_BACKGROUND.get():
        _nobody_waits.wait(LONGEST_SECONDS)
