"""A worker seen from outside: frames in, frames out, within limits of time and memory.

The process imports nothing of the tree (`workers/isolation`) and does not outlive this one: it has
one end of a pipe, and only this process the other (`workers/worker`). Only `workers/pool` starts
it.
"""

import contextlib
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, Final

import msgspec

from symindex.errors import StorageError
from symindex.files.access.regular import open_number
from symindex.workers.child import CRASH_SIGNALS, Cause, Child, Exit
from symindex.workers.framing import CAN_SIGNAL_END, END, OUT_OF_TIME, Job, read_frame, write_frame
from symindex.workers.isolation import python_command
from symindex.workers.memory_limit import (
    LARGE_SHARE,
    WATCHES_MEMORY,
    is_near_limit,
    is_over_limit,
    says_out_of_memory,
)
from symindex.workers.watchdog import WATCHDOG

START_SECONDS: Final = 60.0
"""How many seconds a new process may take to get ready; usually 0.1, but machines can be busy."""

PING_SECONDS: Final = 1.0
"""How many seconds an idle worker may take to respond; usually less than a millisecond."""

_LAST_BYTES: Final = 4_000
"""How many bytes of a process's last output to read."""


class Process(Child):
    """A running worker. The constructor starts it, and raises StorageError if that fails. One
    thread talks to it and must `close` it; any thread may `kill` it.

    answer_seconds: how long each answer may take by the clock; may change while one is waited for.
    ended: whether the process was seen to have ended.
    """

    def __init__(self, job: Job, answer_seconds: float) -> None:
        self.answer_seconds = answer_seconds
        self.ended: bool = False
        self.job: Job = job
        self._windows_job = 0
        self._limit = 0.0
        self._waits_since: float | None = None
        self._late_since: float | None = None
        self._is_near_limit = self._is_over_limit = False
        worker_end = self._lifeline = -1
        self._output: IO[bytes] | None = None
        try:
            if CAN_SIGNAL_END:  # the system closes our end when this process ends, however it ends
                worker_end, self._lifeline = os.pipe()
            if (
                job.most_memory
            ):  # the output of a parser without memory does not belong on the user's terminal
                self._output = _unnamed_file()
            process = self._launch(
                worker_end, self._output.fileno() if self._output is not None else -1
            )
        except OSError as error:
            self._release()
            raise StorageError(
                f"{sys.executable}: cannot start a worker process: {error.strerror}"
            ) from None
        finally:
            if worker_end >= 0:
                os.close(worker_end)
        super().__init__(process)
        if sys.platform == "win32":
            self._windows_job = _job_for(int(self._process._handle), job.most_memory)  # type: ignore[attr-defined]

    def _launch(self, lifeline: int, output: int) -> "subprocess.Popen[bytes]":
        """Starts the process. lifeline, output: numbers of open files to pass on; -1: none. Raises
        OSError."""
        arguments = [str(lifeline), str(limit_of(self.job.most_memory)), self.job.module]
        return subprocess.Popen(
            python_command("symindex.workers.worker", arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output if output >= 0 else None,
            process_group=0
            if os.name == "posix"
            else None,  # Ctrl-C is for this process, which ends its workers
            pass_fds=[lifeline] if lifeline >= 0 else [],
        )

    def takes(self, job: Job) -> bool:
        """Gives the worker another job before it has begun. Returns whether it was started for such
        a job."""
        is_alike = (self.job.module, self.job.most_memory) == (job.module, job.most_memory)
        if is_alike:
            self.job = job
        return is_alike

    def begin(self) -> bool:
        """Sends the job. Returns whether the worker is ready then, rather than dead."""
        return self._is_answered(msgspec.msgpack.encode(self.job), START_SECONDS)

    def responds(self) -> bool:
        """Whether an idle worker still answers: for the system, one that is being killed is alive
        until it is gone."""
        return self._is_answered(END, PING_SECONDS)

    def _is_answered(self, frame: bytes, seconds: float) -> bool:
        with WATCHDOG.watching(self.check_limits):
            self._begin_wait(seconds)
            self.send(frame)
            answer = self.receive()
            self._waits_since = None
        return answer == END

    def answers(self, order: bytes) -> Iterator[bytes]:
        """Sends an order and yields its answers as they come. If the worker ends before the last
        one, `ended` becomes true."""
        with WATCHDOG.watching(self.check_limits):
            self._begin_wait(0.0)
            self.send(order)
            while answer := self.receive():
                self._waits_since = None
                yield answer
                self._begin_wait(0.0)
            if not self.ended:
                self._waits_since = None

    def _begin_wait(self, seconds: float) -> None:
        """Starts the clock for one answer. seconds: how long it may take; 0: `answer_seconds`."""
        self._is_near_limit = False
        self._limit, self._waits_since = seconds, WATCHDOG.clock()

    def check_limits(self, now: float) -> None:
        """Kills the worker if an answer is overdue, or if it has used too much memory."""
        since = self._waits_since
        if since is not None and now - since > (self._limit or self.answer_seconds):
            self._late_since = since
            self.kill()
        most_memory = self.job.most_memory
        if most_memory and WATCHES_MEMORY and is_over_limit(self._process.pid, most_memory):
            self._is_over_limit = True
            self.kill()
        self._is_near_limit = self._is_near_limit or (
            most_memory > 0 and is_near_limit(self._process.pid)
        )

    def send(self, frame: bytes) -> None:
        assert self._process.stdin is not None
        try:
            write_frame(self._process.stdin, frame)
        except (OSError, ValueError):
            self.ended = True

    def receive(self) -> bytes | None:
        """Reads the next frame; returns `None` if the worker has ended instead."""
        assert self._process.stdout is not None
        frame = read_frame(self._process.stdout)
        self.ended = self.ended or frame is None
        return frame

    @property
    def is_alive(self) -> bool:
        return not self.ended and self.is_running()

    def exit(self) -> Exit:
        """Waits for the end and returns how the worker ended."""
        code = self.wait()
        words = f"signal {-code}" if code < 0 else f"exit code {code}"
        # It may have answered just when it was found to be late; then the next answer is not late.
        is_late = self._late_since is not None and self._late_since == self._waits_since
        if is_late or (OUT_OF_TIME and -code == OUT_OF_TIME):
            return Exit(Cause.OUT_OF_TIME, words)
        if self._is_out_of_memory(code):
            return Exit(Cause.OUT_OF_MEMORY, words)
        return Exit(
            Cause.KILLED if code < 0 and -code not in CRASH_SIGNALS else Cause.CRASHED, words
        )

    def _is_out_of_memory(self, code: int) -> bool:
        """Whether the process ended for lack of memory. Many parsers do not check whether they got
        the memory that they asked for, and crash. So a crash near the limit counts.

        Two measures tell: the peak that the system reports at the end, which is unknown if this
        process itself had more, and the last check of the watchdog.
        """
        if self._is_over_limit or says_out_of_memory(self._last_output()):
            return True
        most_bytes = self.job.answer_memory or self.job.most_memory
        is_large = self._is_near_limit or 0 < LARGE_SHARE * most_bytes < self.peak_bytes
        return is_large and -code in CRASH_SIGNALS

    def _last_output(self) -> bytes:
        if self._output is None:
            return b""
        self._output.seek(max(self._output.seek(0, os.SEEK_END) - _LAST_BYTES, 0))
        return self._output.read()

    def close(self, shows_fault: bool = True) -> None:
        """Ends the worker, whatever it is doing, and waits for its end. shows_fault: whether to
        print the traceback of a bug in our code."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # a broken pipe still flushes what nobody will read
                pipe.close()
        code = self.wait()
        if shows_fault and code > 0 and not says_out_of_memory(self._last_output()):
            sys.stderr.write(self._last_output().decode("utf-8", "replace"))
        self._release()

    def _release(self) -> None:
        lifeline, self._lifeline = self._lifeline, -1
        if lifeline >= 0:
            os.close(lifeline)
        windows_job, self._windows_job = self._windows_job, 0
        _close_job(windows_job)
        if self._output is not None:
            self._output.close()


def limit_of(most_memory: int) -> int:
    """Returns the limit that a process sets for itself."""
    return 0 if WATCHES_MEMORY or sys.platform == "win32" else most_memory


def _unnamed_file() -> IO[bytes]:
    """Opens a nameless file, in memory if the system supports that."""
    if hasattr(os, "memfd_create"):
        return open_number(os.memfd_create("symindex", os.MFD_CLOEXEC), "w+b")
    import tempfile  # imported here because few systems need it

    return tempfile.TemporaryFile()


# A job object of Windows: a process in a job ends with this process, and gets no more memory than
# the job allows. The structures and numbers are those of winnt.h, in Microsoft's documentation of
# SetInformationJobObject.

_KILL_ON_CLOSE: Final = 0x2000
_PROCESS_MEMORY: Final = 0x100
_EXTENDED_LIMITS: Final = 9


def _job_for(process_handle: int, most_memory: int) -> int:
    """Puts a process into a job of its own; returns the job's handle. Closing the handle, or the
    end of this process, ends the other. Returns 0 if the system has no jobs or refuses; the process
    then has no limit. most_memory: in bytes; 0: no limit."""
    if sys.platform != "win32" or sys.maxsize < 2**32:
        return 0
    import ctypes

    flags = _KILL_ON_CLOSE | (_PROCESS_MEMORY if most_memory else 0)
    limits = pack_limits(flags, most_memory)
    kernel = ctypes.WinDLL("kernel32")
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = kernel.CreateJobObjectW(None, None) or 0
    is_set = kernel.SetInformationJobObject(
        ctypes.c_void_p(job), _EXTENDED_LIMITS, limits, len(limits)
    )
    kernel.AssignProcessToJobObject(
        ctypes.c_void_p(job if is_set else 0), ctypes.c_void_p(process_handle)
    )
    return int(job)


def _close_job(job: int) -> None:
    """Closes the handle of a job, which ends its process."""
    if sys.platform == "win32" and job:
        import ctypes

        ctypes.WinDLL("kernel32").CloseHandle(ctypes.c_void_p(job))


def pack_limits(flags: int, most_memory: int) -> bytes:
    """Packs a JOBOBJECT_EXTENDED_LIMIT_INFORMATION for pointers of eight bytes: two times, flags,
    two sizes, a count, a mask, two classes; six counters; four sizes, the first of which is a
    process's memory."""
    return struct.pack(
        "<qqI4xQQI4xQII6Q4Q", *[0] * 2, flags, *[0] * 6, *[0] * 6, most_memory, *[0] * 3
    )
