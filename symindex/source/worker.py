"""The process that parses: reads batches of tasks from standard input, answers one result a file on standard output.

It runs apart from the caller for two reasons: the parser holds Python's interpreter lock, and a grammar that never returns can
only be ended together with its process (`source/workers` does that).

A frame is a 4-byte little-endian length and that many bytes of MessagePack.
"""

import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec

from symindex.source.languages import load_languages
from symindex.source.read import ReadTask, read_file

LENGTH_BYTES = 4


class Job(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is told once, when it starts."""

    root: str
    grammar_folders: list[str]
    max_file_bytes: int


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Writes one frame and flushes."""
    stream.write(len(payload).to_bytes(LENGTH_BYTES, "little") + payload)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame's bytes, or `None` where the stream has ended, in mid-frame or not."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "little")
    payload = stream.read(length)
    return payload if len(payload) == length else None


def main() -> None:
    """Serves until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business; it closes our input
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up between the frames
    tasks = sys.stdin.buffer
    first = read_frame(tasks)
    if first is None:
        return
    job = msgspec.msgpack.decode(first, type=Job)
    languages = load_languages([Path(folder) for folder in job.grammar_folders])
    write_frame(answers, b"")  # ready
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(list[ReadTask])
    while (frame := read_frame(tasks)) is not None:
        for task in decoder.decode(frame):
            result = read_file(job.root, task, languages, job.max_file_bytes)
            try:
                write_frame(answers, encoder.encode(result))
            except BrokenPipeError:
                return


if __name__ == "__main__":
    main()
