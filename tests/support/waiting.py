"""Waits for events that nothing can notify a test of: the state of another process, of the disk, of
an answer."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

SECONDS: Final = 60.0
"""Time limit, in seconds, on a busy machine; a test that waits longer fails."""


def until(
    is_so: Callable[[], object],
    what: str = "what was waited for",
    seconds: float = SECONDS,
    instead: Callable[[], object] = lambda: "nothing else",
) -> None:
    """Checks a condition repeatedly, at growing intervals, until it is true. instead: describes the
    actual state for the failure message."""
    end, pause = time.monotonic() + seconds, 0.005
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {seconds:g} s, but {instead()}"
        time.sleep(pause)
        pause = min(1.3 * pause, 0.1)


def delete_in_use(folder: Path) -> None:
    """Deletes a folder that another process writes to. A file that it adds meanwhile fails only one
    attempt."""

    def is_deleted() -> bool:
        try:
            shutil.rmtree(folder)
        except OSError:
            return False
        return True

    until(is_deleted, f"{folder} to be deleted")
