"""What the sources of file events tell: which path has changed, and how."""

from collections.abc import Callable
from typing import Final, Protocol

ADDED: Final = 1
MODIFIED: Final = 2
DELETED: Final = 3
"""As watchfiles numbers its changes."""

Change = tuple[int, str]
"""What has happened, and where: a whole path."""


class CannotWatchError(Exception):
    """The system cannot watch a tree; the message says briefly why."""


class Source(Protocol):
    """Where file events come from. One thread waits; any thread may `wake` it.

    is_prompt: whether everything that had happened before a `wake` is in what `wait` returns next.
    """

    is_prompt: bool

    def wait(self, is_due: Callable[[], bool]) -> set[Change] | None:
        """The changes since the last call; waits for some, and then for a quiet moment. Perhaps
        empty where it was woken. `None` where some may have been lost, and once `is_due` is true,
        which is called now and then. Raises CannotWatchError where the system gives up."""

    def wake(self) -> None:
        """Lets `wait` return soon."""

    def close(self) -> None: ...


QUIET_SECONDS: Final = 0.05
"""Events are passed on when none came for this long."""

LATEST_SECONDS: Final = 0.4
"""Under constant writing they are passed on this long after the first; with the last step that
stays below half a second."""

DUE_SECONDS: Final = 0.5
"""How often `is_due` is asked where nothing happens."""
