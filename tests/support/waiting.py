"""Waits for events that nothing can notify a test of: the state of another process, of the disk, of
an answer."""

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from symindex.serve.mcp.answers import ToolAnswer
    from symindex.serve.mcp.handlers import ToolHandlers

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


def until_indexed(handlers: "ToolHandlers") -> None:
    """Waits until the index of each root is up to date. A failure says why one is not."""

    def status() -> "ToolAnswer":
        return handlers.answer("status", {}, threading.Event())

    n_roots = len(status().data["roots"])
    until(
        lambda: status().text.count("Up to date") >= n_roots,
        "an index",
        instead=lambda: status().text,
    )


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
