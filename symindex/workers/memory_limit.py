"""How much memory a process may take that reads what others wrote.

A file of a hundred kilobytes can have a parser take five gigabytes. Where the system counts a process's address space, the
process sets its own limit (Linux, BSD); on Windows this process sets one from outside (`workers/windows_job`); on macOS, which
counts it and does not act, it is looked at, and the process ended. What a parser does without memory is the same everywhere: it
says so and aborts, and only its process is lost.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from symindex.errors import RequestError
from symindex.workers.child import Child

DEFAULT_MEGABYTES: Final = 1_000
MEMORY_VARIABLE: Final = "SYMINDEX_WORKER_MEMORY"
LEAST_MEGABYTES: Final = 100
"""A process takes half of that before it reads anything."""

DOCUMENTS: Final = 4
"""So many times that may the process take that holds what an editor has open, and no more beyond it to parse one document."""

LOOK_SECONDS: Final = 0.05
"""How often a process's memory is looked at, where it has to be: a parser takes some 30 MB in that time."""

_WORDS: Final = (b"failed to allocate", b"MemoryError", b"bad_alloc")
"""What is said by whoever gets no memory: tree-sitter, Python, C++."""


def worker_memory() -> int:
    """The limit in bytes, as the user's environment has it. Raises RequestError for a value that is none."""
    text = os.environ.get(MEMORY_VARIABLE, "")
    if not text:
        return DEFAULT_MEGABYTES * 1_000_000
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < LEAST_MEGABYTES:
        raise RequestError(f"{MEMORY_VARIABLE} is {text[:40]!r}: it must be megabytes, at least {LEAST_MEGABYTES}")
    return int(text) * 1_000_000


def limit_memory(most_bytes: int) -> None:
    """In a worker: the system gives it no more than that. 0: no limit."""
    if not most_bytes:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


@contextmanager
def limited_beyond(more_bytes: int) -> Iterator[None]:
    """In a worker that keeps what its client has given it: what is done here takes no more than so much beyond that, where the
    system tells what there is."""
    try:
        with open("/proc/self/statm", encoding="ascii") as sizes:
            taken = int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = min(limit for limit in (taken + more_bytes, soft, hard) if limit != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def says_out_of_memory(output: bytes) -> bool:
    """Whether what a process has said last tells that it got no memory."""
    return any(words in output for words in _WORDS)


class MemoryWatch:
    """Looks at a process's memory until it ends, and ends it where it has too much.

    has_ended_it: whether it did.
    """

    def __init__(self, child: Child, most_bytes: int) -> None:
        self.has_ended_it = False
        self._child, self._most_bytes = child, most_bytes
        threading.Thread(target=self._look, name="symindex-memory", daemon=True).start()

    def _look(self) -> None:
        import psutil

        try:
            seen = psutil.Process(self._child.pid)
            while self._child.is_running():
                if seen.memory_info().rss > self._most_bytes:
                    self.has_ended_it = True
                    self._child.kill()
                    return
                _PAUSE.wait(LOOK_SECONDS)
        except psutil.Error:  # it has ended
            return


_PAUSE: Final = threading.Event()
"""Never set."""
