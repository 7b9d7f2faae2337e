"""Reports an internal error in one line: what happened and where. An environment variable adds the
traceback. If memory ran out, the line says that instead, since it is not our fault.

Imports almost nothing, because the error may be a failed import.
"""

import os
import sys
from contextlib import suppress
from typing import Final

from symindex.text.escaping import shorten, show_controls, show_text

TRACEBACK: Final = "SYMINDEX_TRACEBACK"
"""The environment variable that adds the traceback."""

_MOST: Final = 500
"""Longest part of an error's text that is shown, in characters."""

_NO_MEMORY: Final = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
"""Texts by which Python and the system's loader report a lack of memory in other types of
errors."""


def tell_fault(error: BaseException) -> int:
    """Reports an error on standard error; returns the exit code."""
    with suppress(Exception):  # if it cannot be written, the exit code still reports it
        if os.environ.get(TRACEBACK):
            import traceback

            sys.stderr.write(show_text("".join(traceback.format_exception(error))))
        sys.stderr.write(
            f"symindex: {describe_fault(error)}; {TRACEBACK}=1 in the environment "
            "shows a traceback\n"
        )
        sys.stderr.flush()
    return 2  # 1, Python's own code, would mean that nothing was found


def describe_fault(error: BaseException) -> str:
    """Describes an error, and its place in symindex, in one escaped line."""
    text = type(error).__name__
    with suppress(Exception):  # the text of an error may run any code
        text = f"{text}: {error}".removesuffix(": ")
    if (
        isinstance(error, MemoryError)
        or any(word in text for word in _NO_MEMORY)
        or _was_not_told(error)
    ):
        return (
            f"not enough memory (at {_place(error)}): raise the limit, with ulimit -v "
            "or in the container's settings"
        )
    return show_controls(
        f"internal error at {_place(error)}: {shorten(' '.join(text.split()), _MOST)}"
    )


def _was_not_told(error: BaseException) -> bool:
    """Whether native code failed without a reason in a process with limited memory: most of it does
    so when an allocation fails."""
    if not isinstance(error, SystemError) or "without exception set" not in str(error):
        return False
    with suppress(ImportError):
        import resource

        return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    return False


def _place(error: BaseException) -> str:
    """Returns the innermost line of symindex, or of other code if there is none."""
    place, step = "", error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__"))
        if module.partition(".")[0] == "symindex" or not place.startswith("symindex"):
            place = f"{module}:{step.tb_lineno}"
        step = step.tb_next
    return place or "an unknown place"
