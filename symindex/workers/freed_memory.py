"""Memory that the C library has freed and keeps: given back to the system where it is glibc.

A search makes arrays as long as the list of all names and frees them at once. What they leave
behind between small objects stays with the process: 25 MB of 125, at 1,000,000 symbols. So does
what an index in the making needs for a while: as much again.
"""

import ctypes
import sys
from functools import cache
from typing import Any, Final

_ARENA_MAX: Final = -8
"""As `mallopt` numbers it."""

_ARENAS: Final = 2
"""Heaps that threads share: by default each has its own, though only one at a time runs Python."""


@cache
def _glibc() -> Any:
    """The C library of this process; `None` where it is another."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def share_heaps() -> None:
    """To be called before there are threads."""
    glibc = _glibc()
    if glibc is not None:
        glibc.mallopt(_ARENA_MAX, _ARENAS)


def give_back_memory() -> None:
    """Takes some milliseconds, for which the interpreter's lock is free."""
    glibc = _glibc()
    if glibc is not None:
        glibc.malloc_trim(0)
