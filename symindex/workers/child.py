"""A process that was started, until its end: waited for by any thread, and with what it took.

As `subprocess` does it, nobody can wait for a process and learn how much memory that process had.
"""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from enum import Enum, auto
from typing import Final, NamedTuple

CRASH_SIGNALS: Final = frozenset(
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGSYS", "SIGTRAP")
    if hasattr(signal, name)
)
"""What a process brings upon itself; other signals come from outside."""


class Cause(Enum):
    """Why a process has ended instead of answering: it took too long or too much memory, or crashed, or somebody else has killed
    it, which says nothing of what it was at."""

    OUT_OF_TIME = auto()
    OUT_OF_MEMORY = auto()
    CRASHED = auto()
    KILLED = auto()


class Exit(NamedTuple):
    """How a process has ended. words: as the system says it, as `signal 11`."""

    cause: Cause
    words: str


_TELLS_USAGE: Final = hasattr(os, "waitid") and hasattr(os, "wait4")


def _own_peak() -> int:
    """The most memory that this process had, as the system counts it."""
    if not _TELLS_USAGE:
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _as_bytes(counted: int) -> int:
    return counted * (1 if sys.platform == "darwin" else 1024)


class Child:
    """See the module. Any thread may call its methods.

    peak_bytes: the most memory that it had at a time; 0 where it has not been waited for, or the system does not tell it apart.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.peak_bytes = 0
        self.pid = process.pid
        self._inherited = _own_peak()
        self._process = process
        self._lock = threading.RLock()  # between whoever takes its end from the system and whoever sends it a signal

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._take_end() is None

    def wait(self) -> int:
        """Waits for its end; its exit code, negative for a signal."""
        if self._process.returncode is None and _TELLS_USAGE:
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        code = self._take_end()
        return code if code is not None else self._process.wait()

    def kill(self) -> None:
        """Ends it at once; may be called twice."""
        with self._lock:
            if self._take_end() is None:
                self._process.kill()

    def _take_end(self) -> int | None:
        with self._lock:
            if self._process.returncode is not None or not _TELLS_USAGE:
                return self._process.poll()
            try:
                ended, status, usage = os.wait4(self.pid, os.WNOHANG)
            except ChildProcessError:
                return self._process.poll()
            if not ended:
                return None
            # A process begins with what the one that has started it had: what is not more tells nothing of its own.
            self.peak_bytes = _as_bytes(usage.ru_maxrss) if usage.ru_maxrss > self._inherited else 0
            self._process.returncode = os.waitstatus_to_exitcode(status)
            return self._process.returncode
