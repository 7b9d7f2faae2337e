"""What is said between a process and its workers: a 4-byte little-endian length and that many bytes of MessagePack."""

import os
import signal
import sys
from contextlib import suppress
from typing import IO, Final

import msgspec

from symindex.workers.memory_limit import limit_memory

LENGTH_BYTES: Final = 4


class Job(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is told once, when it starts. Paths are the system's bytes, which need not be text. languages: ids of
    those that are read; none: all."""

    root: bytes
    grammar_folders: list[bytes]
    max_file_bytes: int
    file_seconds: float
    languages: list[str]


def write_frame(stream: IO[bytes], payload: bytes) -> None:
    """Writes one frame and flushes."""
    stream.write(len(payload).to_bytes(LENGTH_BYTES, "little") + payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next frame's bytes, or `None` where the stream has ended, in mid-frame or not."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "little")
    payload = stream.read(length)
    return payload if len(payload) == length else None


def worker_ends() -> tuple[IO[bytes], IO[bytes]]:
    """In a worker: where its orders come from, and where its answers go to. To be called once, before anything is printed.

    Its arguments are the number of the pipe that it must not outlive, and the bytes of memory it may take (`workers/process`).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business; it closes our input
    lifeline, most_memory = map(int, sys.argv[1:3])
    _end_with(lifeline)
    limit_memory(most_memory)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up between the frames
    return sys.stdin.buffer, answers


CAN_SIGNAL_END: Final = sys.platform == "linux"
"""Whether the system ends a process when a pipe that it holds is closed. Elsewhere a worker sees the end of its orders when it
has done the file at hand, for which it has its time; on Windows a job ends it (`workers/windows_job`)."""


def _end_with(lifeline: int) -> None:
    """The system ends this process when nobody holds the other end of a pipe any more, whatever it is at.

    Not PR_SET_PDEATHSIG, which acts when the thread ends that has started this process.
    """
    if not CAN_SIGNAL_END or lifeline < 0:
        return
    import fcntl

    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)  # SIGIO: ends it
    with suppress(BlockingIOError):
        os.read(lifeline, 1)  # waits for nobody: it was closed before
        os._exit(1)


def limit_processor_time(seconds: float) -> None:
    """In a worker: the system ends it (OUT_OF_TIME) when it has computed for so long, whatever it is at. 0: no limit."""
    if OUT_OF_TIME:
        signal.signal(OUT_OF_TIME, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


OUT_OF_TIME: Final = signal.SIGPROF if hasattr(signal, "setitimer") else 0
"""The signal that ends a worker by `limit_processor_time`; 0 where the system cannot."""
