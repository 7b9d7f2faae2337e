"""How much memory a process may take that reads what others wrote.

A file of a hundred kilobytes can make a parser take five gigabytes. On Linux and BSD the process
limits its own address space. On Windows this process sets the limit (`workers/process`). macOS
accepts a limit and ignores it, so there the process is looked at, and killed when it has taken too
much (`workers/process`).
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from symindex.errors import RequestError

DEFAULT_MEGABYTES: Final = 1_000
MEMORY_VARIABLE: Final = "SYMINDEX_WORKER_MEMORY"
LEAST_MEGABYTES: Final = 100
"""A process takes half of that before it reads anything."""

DOCUMENTS: Final = 4
"""The process that holds an editor's open documents may take this many times the limit, but each
parse only the limit itself."""

WATCHES_MEMORY: Final = sys.platform == "darwin"
"""Whether the system enforces no limit, so that the process's memory has to be looked at."""

LARGE_SHARE: Final = 1 / 3
"""A table that is doubled needs three times what it was. So a process with a third of its limit may
have been refused more."""

_WORDS: Final = (b"failed to allocate", b"MemoryError", b"bad_alloc")
"""The last words of a process that was refused memory: tree-sitter's, Python's, C++'s."""


def worker_memory() -> int:
    """The limit in bytes, from the user's environment or the default. Raises RequestError for a
    value that is no limit."""
    text = os.environ.get(MEMORY_VARIABLE, "")
    if not text:
        return DEFAULT_MEGABYTES * 1_000_000
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < LEAST_MEGABYTES:
        raise RequestError(
            f"{MEMORY_VARIABLE} is {text[:40]!r}: it must be megabytes, at least {LEAST_MEGABYTES}"
        )
    return int(text) * 1_000_000


def limit_memory(most_bytes: int) -> None:
    """Limits this process's address space. 0: no limit."""
    if not most_bytes:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


@contextmanager
def limited_beyond(more_bytes: int) -> Iterator[None]:
    """Limits what this process takes within to so much more than it has now, where the system tells
    how much that is."""
    try:
        import resource

        taken = _address_space("self")
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = min(
        limit for limit in (taken + more_bytes, soft, hard) if limit != resource.RLIM_INFINITY
    )
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space(process: int | str) -> int:
    """A process's address space in bytes; 0 after its end. Raises OSError where the system does not
    tell."""
    with open(f"/proc/{process}/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def is_near_limit(pid: int) -> bool:
    """Whether a process has so much of what it may take that it may be refused more; `False` where
    the system does not tell."""
    try:
        import resource

        taken = _address_space(pid)
        limit, _ = resource.prlimit(pid, resource.RLIMIT_AS)
    except (ImportError, OSError):
        return False
    return limit != resource.RLIM_INFINITY and taken > LARGE_SHARE * limit


def is_over_limit(pid: int, most_bytes: int) -> bool:
    """The same where the system enforces no limit: whether a process has taken more than it may."""
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss) > most_bytes
    except psutil.Error:  # it has ended
        return False


def says_out_of_memory(output: bytes) -> bool:
    """Whether the last output of a process tells that it was refused memory."""
    return any(words in output for words in _WORDS)
