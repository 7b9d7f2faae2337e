"""A process that works for this one, seen from outside: frames in, frames out."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from symindex.errors import StorageError
from symindex.source.frames import read_frame, write_frame


class Process:
    """Is started with the object, and told its job. Its answers are read by one thread, any thread may `kill` it.

    Args:
        module: whose `main` it runs.
        job: the first frame.

    ended: whether it was seen to have ended. Raises StorageError where it cannot be started.
    """

    def __init__(self, module: str, job: bytes) -> None:
        package_parent = str(Path(__file__).resolve().parent.parent.parent)
        code = f"import sys; sys.path.insert(0, sys.argv.pop()); from {module} import main; main()"
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, package_parent],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0,  # Ctrl-C is for this process, which ends its workers
            )
        except OSError as error:
            raise StorageError(f"{sys.executable}: cannot start a worker process: {error.strerror}") from None
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
        return not self.ended and self._process.poll() is None

    def last_words(self) -> str:
        """How it ended."""
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def kill(self) -> None:
        """Ends it at once; may be called twice. Whoever reads its answers closes it."""
        self._process.kill()

    def close(self) -> None:
        """Closes the pipes, upon which it ends by itself when it has nothing to do, and waits for that."""
        if self.ended:
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # a broken pipe still flushes what nobody will read
                pipe.close()
        self._process.wait()


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
