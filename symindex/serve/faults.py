"""A fault of our own in one line: what happened and where. An environment variable shows the
traceback. Where the system gives no more memory, the line says that instead: it is no fault of
ours.

It imports almost nothing, because the fault may be a failed import.
"""

import os
import sys
from contextlib import suppress
from typing import Final

from symindex.text.escaping import show_controls, show_text

TRACEBACK: Final = "SYMINDEX_TRACEBACK"
"""The environment variable that shows the traceback."""

_MOST: Final = 500
"""Characters of what an error says."""

_NO_MEMORY: Final = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
"""What Python and the system's loader say where memory is short, in errors of other types."""


def tell_fault(error: BaseException) -> int:
    """Reports the error on standard error; returns the exit code."""
    with suppress(Exception):  # it cannot be written; the exit code still says it
        if os.environ.get(TRACEBACK):
            import traceback

            sys.stderr.write(show_text("".join(traceback.format_exception(error))))
        sys.stderr.write(
            f"symindex: {describe_fault(error)}; {TRACEBACK}=1 in the environment shows the"
            " traceback\n"
        )
        sys.stderr.flush()
    return 2  # 1, Python's own, would say that nothing was found


def describe_fault(error: BaseException) -> str:
    """What happened, and where in symindex, in one escaped line."""
    what = type(error).__name__
    with suppress(Exception):  # the text of an error may run any code
        what = f"{what}: {error}".removesuffix(": ")
    if (
        isinstance(error, MemoryError)
        or any(word in what for word in _NO_MEMORY)
        or _was_not_told(error)
    ):
        return (
            f"there is not enough memory (at {_place(error)}): let it have more, by ulimit -v or"
            " the limits of its container"
        )
    return show_controls(
        f"a fault of symindex, at {_place(error)}: {' '.join(what.split())[:_MOST]}"
    )


def _was_not_told(error: BaseException) -> bool:
    """Whether native code failed without saying why in a process whose memory is limited: most of
    it does so where an allocation has failed."""
    if not isinstance(error, SystemError) or "without exception set" not in str(error):
        return False
    with suppress(ImportError):
        import resource

        return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    return False


def _place(error: BaseException) -> str:
    """The innermost line of symindex, or of other code if there is none."""
    place, step = "", error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__"))
        if module.partition(".")[0] == "symindex" or not place.startswith("symindex"):
            place = f"{module}:{step.tb_lineno}"
        step = step.tb_next
    return place or "a place that is not known"
