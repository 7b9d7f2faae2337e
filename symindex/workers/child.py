"""A child process that any thread may wait for or end, with its exit status and its peak memory.

`subprocess` alone does not let a caller wait for a process and learn how much memory it had.
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
"""The signals of a process's own faults; others come from outside."""


class Cause(Enum):
    """Why a process has ended instead of answering. KILLED: by somebody else, whatever the process
    was doing."""

    OUT_OF_TIME = auto()
    OUT_OF_MEMORY = auto()
    CRASHED = auto()
    KILLED = auto()


class Exit(NamedTuple):
    """How a process has ended. words: the system's description, such as `signal 11`."""

    cause: Cause
    words: str


_TELLS_USAGE: Final = hasattr(os, "waitid") and hasattr(os, "wait4")


def _own_peak() -> int:
    """Returns the peak memory of this process, in the system's unit."""
    if not _TELLS_USAGE:
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Child:
    """A running child process.

    peak_bytes: its peak memory, known after its end; 0 if the system does not report it separately.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.peak_bytes: int = 0
        self._inherited = _own_peak()
        self._process = process
        self._lock = (
            threading.RLock()
        )  # prevents a signal to a pid that was just reaped and may belong to another process

    def is_running(self) -> bool:
        return self._reap() is None

    def wait(self) -> int:
        """Waits for the end of the process; returns its exit code, negative for a signal."""
        if self._process.returncode is None and _TELLS_USAGE:
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        code = self._reap()
        return code if code is not None else self._process.wait()

    def kill(self) -> None:
        """Kills the process. May be called twice."""
        with self._lock:
            if self._reap() is None:
                self._process.kill()

    def _reap(self) -> int | None:
        """Returns the exit code; `None` while the process runs."""
        with self._lock:
            if self._process.returncode is not None or not _TELLS_USAGE:
                return self._process.poll()
            try:
                ended, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            except ChildProcessError:
                return self._process.poll()
            if not ended:
                return None
            # The system's count begins with the peak of the process that started this one, so a
            # value up to that says nothing.
            if usage.ru_maxrss > self._inherited:
                self.peak_bytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            return self._process.returncode
