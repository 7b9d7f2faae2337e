"""What is said between a process and its workers: a 4-byte little-endian length and that many bytes.

A worker is told its `Job` first, then orders. It answers each with any number of frames and an empty one, END, which also says
that it is ready for its first order. An empty order asks for nothing but that: whether it is there.
"""

import signal
import sys
from collections.abc import Callable
from typing import IO, Final

import msgspec

LENGTH_BYTES: Final = 4

END: Final = b""

Handler = Callable[[bytes, Callable[[bytes], None]], None]
"""What a job does with an order: it is given that, and what to tell its answers to, none of them empty."""


class Job(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is started for.

    module: dotted, as text, for a pool knows nothing of what its workers do. It offers `prepare(setup)`, which returns a Handler.
    setup: what that is told.
    processor_seconds: so long may a worker compute for one answer; 0: no limit.
    most_memory: so many bytes may it take; 0: as many as there are.
    answer_memory: where a worker keeps what it was given, an answer may take so much beyond that; 0: up to `most_memory`.
    """

    module: str
    setup: bytes
    processor_seconds: float = 0.0
    most_memory: int = 0
    answer_memory: int = 0


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


CAN_SIGNAL_END: Final = sys.platform == "linux"
"""Whether the system ends a process when a pipe that it holds is closed. Elsewhere a worker reads its orders ahead, and ends
where they do; on Windows a job ends it (`workers/windows_job`)."""

OUT_OF_TIME: Final = signal.SIGPROF if hasattr(signal, "setitimer") else 0
"""The signal by which the system ends a worker that has computed for too long; 0 where the system cannot."""
