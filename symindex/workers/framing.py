"""The frames between a process and its workers: a 4-byte little-endian length and that many bytes.

A worker receives its `Job` first, then orders. It answers the job with END, an empty frame, when it
is ready, and each order with any number of frames and END. An empty order only asks whether the
worker is alive.
"""

import signal
import sys
from collections.abc import Callable
from typing import IO, Final

import msgspec

LENGTH_BYTES: Final = 4

END: Final = b""

Handler = Callable[[bytes, Callable[[bytes], None]], None]
"""Carries out an order. Called with the order and with a function that sends one answer, which must
not be empty."""


class Job(msgspec.Struct, array_like=True, frozen=True):
    """What a worker does.

    module: its dotted name, as text, because the pool does not import jobs. It defines
    `prepare(setup)`, which returns a Handler. setup: the argument of `prepare`. processor_seconds:
    processor time for one answer; 0: no limit. most_memory: the worker's memory limit in bytes; 0:
    none. answer_memory: for a worker that stores data between orders: the limit of one answer
    beyond that data, in bytes; 0: only `most_memory` applies.
    """

    module: str
    setup: bytes
    processor_seconds: float = 0.0
    most_memory: int = 0
    answer_memory: int = 0


def write_frame(stream: IO[bytes], payload: bytes) -> None:
    stream.write(len(payload).to_bytes(LENGTH_BYTES, "little") + payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Reads the next frame; returns `None` if the stream has ended, even in the middle of a
    frame."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "little")
    payload = stream.read(length)
    return payload if len(payload) == length else None


CAN_SIGNAL_END: Final = sys.platform == "linux"
"""Whether the system ends a process when the other end of a pipe is closed. On Windows a job object
does it (`workers/process`); elsewhere a worker reads its orders ahead and ends when they do."""

OUT_OF_TIME: Final = signal.SIGPROF if hasattr(signal, "setitimer") else 0
"""The signal that ends a worker at its limit of processor time; 0 if the system has none."""
