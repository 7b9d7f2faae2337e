"""Returns memory to the system that the C library keeps after it was freed (glibc only).

A search makes arrays as long as the list of all names and frees them at once. Their memory, between
small objects, stays with the process: 25 MB of 125, at 1,000,000 symbols. So does memory that
building an index needs for a while, about as much again.
"""

import ctypes
import sys
from functools import cache
from typing import Any, Final

_ARENA_MAX: Final = -8
"""The number of the option in `mallopt`."""

_ARENAS: Final = 2
"""How many heaps the threads share. By default each thread has its own, although only one at a time
runs Python."""


@cache
def _glibc() -> Any:
    """Returns the C library of this process; `None` if it is not glibc."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def share_heaps() -> None:
    """Limits the number of heaps. Call it before there are threads."""
    glibc = _glibc()
    if glibc is not None:
        glibc.mallopt(_ARENA_MAX, _ARENAS)


def give_back_memory() -> None:
    """Returns free memory to the system. Takes some milliseconds and releases the interpreter
    lock."""
    glibc = _glibc()
    if glibc is not None:
        glibc.malloc_trim(0)
