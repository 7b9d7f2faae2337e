"""A worker seen from outside: frames in, frames out, each within a time.

The process imports nothing of the tree (`workers/isolation`), has a limit of memory where it reads what others wrote
(`workers/memory_limit`), and does not outlive this one: it holds one end of a pipe of which this process alone has the other
(`workers/worker`). Only `workers/pool` starts it.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, Final

import msgspec

from symindex.errors import StorageError
from symindex.workers.child import CRASH_SIGNALS, Cause, Child, Exit
from symindex.workers.framing import CAN_SIGNAL_END, END, OUT_OF_TIME, Job, read_frame, write_frame
from symindex.workers.isolation import python_command
from symindex.workers.memory_limit import MemoryWatch, says_out_of_memory
from symindex.workers.watchdog import WATCHDOG
from symindex.workers.windows_job import close_job, job_for

START_SECONDS: Final = 60.0
"""How long a new process may take to say that it is ready; usually 0.1 s, but machines can be busy."""

PING_SECONDS: Final = 1.0
"""How long an idle worker may take to show that it is there; usually less than a millisecond."""


class Process:
    """Is started with the object. It is talked to by one thread, any thread may `kill` it.

    answer_seconds: how long each answer may take by the clock; may be set meanwhile.
    ended: whether it was seen to have ended. Raises StorageError where it cannot be started.
    """

    def __init__(self, job: Job, answer_seconds: float) -> None:
        self.answer_seconds = answer_seconds
        self.ended = False
        self._job, self._windows_job = job, 0
        self._limit = 0.0
        self._waits_since: float | None = None
        self._late_since: float | None = None
        held = self._lifeline = -1
        self._said: IO[bytes] | None = None
        try:
            if CAN_SIGNAL_END:  # the other end is closed by the system when this process ends, however it does
                held, self._lifeline = os.pipe()
            if job.most_memory:  # what a parser says when it finds no memory is not for the user's terminal
                self._said = _unnamed_file()
            self._process = subprocess.Popen(
                python_command("symindex.workers.worker", [str(held), str(_limit_of(job.most_memory)), job.module]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                process_group=0 if os.name == "posix" else None,  # Ctrl-C is for this process, which ends its workers
                pass_fds=[held] if held >= 0 else [],
            )
        except OSError as error:
            self._let_go()
            raise StorageError(f"{sys.executable}: cannot start a worker process: {error.strerror}") from None
        finally:
            if held >= 0:
                os.close(held)
        self._child = Child(self._process)
        self._watch = MemoryWatch(self._child, job.most_memory) if job.most_memory and WATCHES_MEMORY else None
        if sys.platform == "win32":
            self._windows_job = job_for(int(self._process._handle), job.most_memory)  # type: ignore[attr-defined]

    def begin(self) -> bool:
        """Tells it its job; whether it is ready then, rather than at its end."""
        return self._is_answered(msgspec.msgpack.encode(self._job), START_SECONDS)

    def shows_itself(self) -> bool:
        """Whether an idle worker still answers: one that is being killed is alive for the system until it is gone."""
        return self._is_answered(END, PING_SECONDS)

    def _is_answered(self, frame: bytes, seconds: float) -> bool:
        with WATCHDOG.watching(self.end_if_late):
            self._limit, self._waits_since = seconds, WATCHDOG.clock()
            self.send(frame)
            answer = self.receive()
            self._waits_since = None
        return answer == END

    def answers(self, order: bytes) -> Iterator[bytes]:
        """What it answers to an order, as it comes; with `ended`, it has ended instead of going on."""
        with WATCHDOG.watching(self.end_if_late):
            self._limit, self._waits_since = 0.0, WATCHDOG.clock()
            self.send(order)
            while answer := self.receive():
                self._waits_since = None
                yield answer
                self._waits_since = WATCHDOG.clock()
            if not self.ended:
                self._waits_since = None

    def end_if_late(self, now: float) -> None:
        """Ends it where it has owed an answer for too long."""
        since = self._waits_since
        if since is not None and now - since > (self._limit or self.answer_seconds):
            self._late_since = since
            self.kill()

    def send(self, frame: bytes) -> None:
        """Tells it something; where it has ended, that is seen."""
        assert self._process.stdin is not None
        try:
            write_frame(self._process.stdin, frame)
        except (OSError, ValueError):
            self.ended = True

    def receive(self) -> bytes | None:
        """The next frame; `None` where it has ended instead."""
        assert self._process.stdout is not None
        frame = read_frame(self._process.stdout)
        self.ended = self.ended or frame is None
        return frame

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return not self.ended and self._child.is_running()

    def exit(self) -> Exit:
        """How it ended. Waits for that."""
        code = self._child.wait()
        words = f"signal {-code}" if code < 0 else f"exit code {code}"
        # It may have answered while it was found to be late: what it is asked next is not late for that.
        is_late = self._late_since is not None and self._late_since == self._waits_since
        if is_late or (OUT_OF_TIME and -code == OUT_OF_TIME):
            return Exit(Cause.OUT_OF_TIME, words)
        if self._is_out_of_memory(code):
            return Exit(Cause.OUT_OF_MEMORY, words)
        return Exit(Cause.KILLED if code < 0 and -code not in CRASH_SIGNALS else Cause.CRASHED, words)

    def _is_out_of_memory(self, code: int) -> bool:
        if self._watch is not None and self._watch.has_ended_it:
            return True
        # Some grammars do not ask whether they got what they asked for, and crash.
        most_bytes = self._job.answer_memory or self._job.most_memory
        is_large = 0 < most_bytes < _LARGE * self._child.peak_bytes
        return says_out_of_memory(self._last_output()) or (is_large and -code in CRASH_SIGNALS)

    def _last_output(self) -> bytes:
        if self._said is None:
            return b""
        self._said.seek(max(self._said.seek(0, os.SEEK_END) - _LAST_BYTES, 0))
        return self._said.read()

    def kill(self) -> None:
        """Ends it at once; may be called twice. Whoever reads its answers closes it."""
        self._child.kill()

    def close(self, is_told: bool = True) -> None:
        """Ends it, whatever it is doing, and waits for that.

        is_told: whether a fault of ours that has ended it is shown.
        """
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # a broken pipe still flushes what nobody will read
                pipe.close()
        code = self._child.wait()
        if (
            is_told and code > 0 and not says_out_of_memory(self._last_output())
        ):  # a fault of ours; whoever mends it wants to see it
            sys.stderr.write(self._last_output().decode("utf-8", "replace"))
        self._let_go()

    def _let_go(self) -> None:
        lifeline, self._lifeline = self._lifeline, -1
        if lifeline >= 0:
            os.close(lifeline)
        windows_job, self._windows_job = self._windows_job, 0
        close_job(windows_job)
        if self._said is not None:
            self._said.close()


WATCHES_MEMORY: bool = sys.platform == "darwin"
"""Whether the system sets a process no limit, so that it has to be looked at."""


def _limit_of(most_memory: int) -> int:
    """The limit that a process sets itself."""
    return 0 if WATCHES_MEMORY or sys.platform == "win32" else most_memory


def _unnamed_file() -> IO[bytes]:
    """A file in memory, where the system has such."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("symindex", os.MFD_CLOEXEC), "w+b")
    import tempfile  # here, because few systems need it

    return tempfile.TemporaryFile()


_LARGE: Final = 3
"""A table that is doubled needs three times what it was; so a process with a third of its memory may have found no more."""

_LAST_BYTES: Final = 4_000
"""Of what a process has said, so much is looked at."""
