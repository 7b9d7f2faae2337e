"""What is said between a pool and its workers: a 4-byte little-endian length and that many bytes of MessagePack."""

from typing import IO, Final

import msgspec

LENGTH_BYTES: Final = 4


class Job(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is told once, when it starts. Paths are the system's bytes, which need not be text."""

    root: bytes
    grammar_folders: list[bytes]
    max_file_bytes: int
    file_seconds: float


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
