"""Waiting for what nothing can notify a test of: the state of another process, of the disk, of an
answer."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

SECONDS: Final = 60.0
"""How long anything may take, on a busy machine; a test that waits so long fails."""


def until(
    is_so: Callable[[], object],
    what: str = "what was waited for",
    seconds: float = SECONDS,
    instead: Callable[[], object] = lambda: "nothing else",
) -> None:
    """Looks again and again, less and less often, until something is so. instead: what is there
    instead."""
    end, pause = time.monotonic() + seconds, 0.005
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {seconds:g} s, but {instead()}"
        time.sleep(pause)
        pause = min(1.3 * pause, 0.1)


def delete_in_use(folder: Path) -> None:
    """Deletes a folder that another process writes to: a file that it adds meanwhile is an error of
    one attempt only."""

    def is_deleted() -> bool:
        try:
            shutil.rmtree(folder)
        except OSError:
            return False
        return True

    until(is_deleted, f"{folder} to be deleted")
