"""File events on systems that watch a whole tree at once (macOS, Windows). Only this module imports
watchfiles."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from symindex.files.watch.change import LATEST_SECONDS, QUIET_SECONDS, CannotWatchError, Change

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify


class WholeTree:
    """The changes below a folder; a `watch/change.EventSource`. Raises FileNotFoundError if the
    folder is gone, CannotWatchError."""

    is_prompt = (
        False  # watchfiles looks for events every 50 ms, and the system may report them late
    )

    def __init__(self, root: Path) -> None:
        self._notify = _open(root)

    def wait(self, is_due: Callable[[], bool]) -> set[Change] | None:
        times = int(LATEST_SECONDS * 1000), int(QUIET_SECONDS * 1000)
        try:
            # No time limit: when it expires, watchfiles drops the events of that moment.
            answer = self._notify.watch(*times, 0, SimpleNamespace(is_set=is_due))
        except RuntimeError as error:
            raise CannotWatchError(_words(error)) from None
        return None if isinstance(answer, str) else answer

    def wake(self) -> None:
        """Does nothing: watchfiles cannot be woken."""

    def close(self) -> None:
        self._notify.close()


def _open(root: Path) -> "RustNotify":
    try:
        from watchfiles._rust_notify import (
            RustNotify,
        )  # imported here because most uses of an index watch nothing
    except ImportError as error:
        raise CannotWatchError(f"watchfiles cannot be loaded: {error}") from None
    try:
        notify = RustNotify([str(root)], False, False, 0, True, False)
    except FileNotFoundError:
        raise
    except Exception as error:  # whatever the error, sweeps are still possible
        raise CannotWatchError(_words(error)) from None
    if (
        "PollWatcher" in repr(notify)[:100]
    ):  # watchfiles falls back to polling where the kernel has no events; our own sweep is cheaper
        notify.close()
        raise CannotWatchError("this system has no file events")
    return notify


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text.partition(" (")[0] or type(error).__name__
