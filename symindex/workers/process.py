"""A process that works for this one, seen from outside: frames in, frames out.

It imports nothing of the tree (`workers/isolation`), has a limit of memory where it reads what others wrote
(`workers/memory_limit`), and does not outlive this process: it holds one end of a pipe of which this process alone has the other
(`workers/framing`).
"""

import contextlib
import os
import subprocess
import sys
from typing import IO, Final

from symindex.errors import StorageError
from symindex.workers.child import CRASH_SIGNALS, Child
from symindex.workers.framing import CAN_SIGNAL_END, read_frame, write_frame
from symindex.workers.isolation import python_command
from symindex.workers.memory_limit import MemoryWatch, says_out_of_memory
from symindex.workers.windows_job import close_job, job_for


class Process:
    """Is started with the object, and told its job. Its answers are read by one thread, any thread may `kill` it.

    Args:
        module: whose `main` it runs.
        job: the first frame.
        most_memory: how many bytes it may take; 0: as many as there are.

    ended: whether it was seen to have ended. Raises StorageError where it cannot be started.
    """

    def __init__(self, module: str, job: bytes, most_memory: int = 0) -> None:
        held = self._lifeline = -1
        self._job = 0
        self._said: IO[bytes] | None = None
        try:
            if CAN_SIGNAL_END:  # the other end is closed by the system when this process ends, however it does
                held, self._lifeline = os.pipe()
            if most_memory:  # what a parser says when it finds no memory is not for the user's terminal
                self._said = _unnamed_file()
            self._process = subprocess.Popen(
                python_command(module, [str(held), str(_limit_of(most_memory))]),
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
        self._watch = MemoryWatch(self._child, most_memory) if most_memory and WATCHES_MEMORY else None
        if sys.platform == "win32":
            self._job = job_for(int(self._process._handle), most_memory)  # type: ignore[attr-defined]
        self.ended = False
        self.send(job)

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

    def end_signal(self) -> int:
        """The signal that has ended it; 0 where it ended by itself. Waits for its end."""
        return max(-self._child.wait(), 0)

    def last_words(self) -> str:
        """How it ended. Waits for its end."""
        code = self._child.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def is_out_of_memory(self, most_bytes: int) -> bool:
        """Whether it has ended because it needed more than so much memory. Waits for its end."""
        code = self._child.wait()
        if self._watch is not None and self._watch.has_ended_it:
            return True
        # Some grammars do not ask whether they got what they asked for, and crash.
        is_large = most_bytes < _LARGE * self._child.peak_bytes
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
        """Closes the pipes, upon which it ends by itself when it has nothing to do, and waits for that.

        is_told: whether a fault of ours that has ended it is shown.
        """
        if self.ended:
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
        job, self._job = self._job, 0
        close_job(job)
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


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
