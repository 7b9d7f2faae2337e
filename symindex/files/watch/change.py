"""The events that sources of file events report: which path has changed, and how."""

from collections.abc import Callable
from typing import Final, Protocol

ADDED: Final = 1
MODIFIED: Final = 2
DELETED: Final = 3
"""The kinds of changes, numbered as in watchfiles."""

Change = tuple[int, str]
"""The kind of change, and an absolute path."""


class CannotWatchError(Exception):
    """The system cannot watch a tree; the message says briefly why."""


class EventSource(Protocol):
    """A source of file events. One thread waits; any thread may `wake` it.

    is_prompt: whether the next `wait` after a `wake` returns everything that had happened before.
    """

    is_prompt: bool

    def wait(self, is_due: Callable[[], bool]) -> set[Change] | None:
        """Waits for changes, then for a quiet moment, and returns the changes since the last call;
        the set may be empty after a `wake`. Returns `None` if some may have been lost, and once
        `is_due` is true, which is called now and then. Raises CannotWatchError if the system gives
        up."""

    def wake(self) -> None:
        """Makes `wait` return soon."""

    def close(self) -> None: ...


QUIET_SECONDS: Final = 0.05
"""Events are passed on when none has come for this many seconds."""

LATEST_SECONDS: Final = 0.4
"""Under constant writing, events are passed on this many seconds after the first. With the next
step this stays below half a second."""

DUE_SECONDS: Final = 0.5
"""How often to call `is_due` while nothing happens, in seconds."""
