"""Limits the memory of a process that reads files of others.

A file of a hundred kilobytes can make a parser use five gigabytes. On Linux and BSD the process
limits its own address space. On Windows this process sets the limit (`workers/process`). macOS
accepts a limit and ignores it, so there the process is watched, and killed when it uses too much.
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
"""Smallest limit, in megabytes: a process uses half of it before it reads anything."""

DOCUMENTS: Final = 4
"""How many times the limit the process that stores an editor's open documents may use. Each parse
may only use the limit itself."""

WATCHES_MEMORY: Final = sys.platform == "darwin"
"""Whether the system enforces no limit, so that the process's memory has to be watched."""

LARGE_SHARE: Final = 1 / 3
"""Share of the limit from which a process may have been refused memory: doubling a table needs
three times its size."""

_WORDS: Final = (b"failed to allocate", b"MemoryError", b"bad_alloc")
"""The last words of a process that was refused memory: tree-sitter's, Python's, C++'s."""


def worker_memory() -> int:
    """Returns the limit in bytes, from the user's environment or the default. Raises RequestError
    for an invalid value."""
    text = os.environ.get(MEMORY_VARIABLE, "")
    if not text:
        return DEFAULT_MEGABYTES * 1_000_000
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < LEAST_MEGABYTES:
        raise RequestError(
            f"{MEMORY_VARIABLE} is {text[:40]!r}: it must be megabytes, at least {LEAST_MEGABYTES}"
        )
    return int(text) * 1_000_000


def limit_memory(most_bytes: int) -> None:
    """Limits the address space of this process. 0: no limit."""
    if not most_bytes:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


@contextmanager
def limited_beyond(more_bytes: int) -> Iterator[None]:
    """Limits the memory of the block to `more_bytes` beyond what this process has now, where the
    system tells how much that is."""
    try:
        import resource

        used = _address_space("self")
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = min(
        limit for limit in (used + more_bytes, soft, hard) if limit != resource.RLIM_INFINITY
    )
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space(process: int | str) -> int:
    """Returns the address space of a process in bytes; 0 after its end. Raises OSError if the
    system does not tell."""
    with open(f"/proc/{process}/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def is_near_limit(pid: int) -> bool:
    """Whether a process has used so much of its limit that it may be refused more; `False` if the
    system does not tell."""
    try:
        import resource

        used = _address_space(pid)
        limit, _ = resource.prlimit(pid, resource.RLIMIT_AS)
    except (ImportError, OSError):
        return False
    return limit != resource.RLIM_INFINITY and used > LARGE_SHARE * limit


def is_over_limit(pid: int, most_bytes: int) -> bool:
    """Whether a process has used more than `most_bytes`. For systems that enforce no limit."""
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss) > most_bytes
    except psutil.Error:  # it has ended
        return False


def says_out_of_memory(output: bytes) -> bool:
    """Whether the last output of a process says that it was refused memory."""
    return any(words in output for words in _WORDS)
