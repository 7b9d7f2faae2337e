"""The process that parses: reads batches of tasks from standard input, answers one result a file on standard output.

It runs apart from the caller for two reasons: the parser holds Python's interpreter lock, and a grammar that never returns can
only be ended together with its process (`source/workers` does that).
"""

import contextlib
import gc
import os
import signal
import sys
from pathlib import Path

import msgspec

from symindex.source.frames import Job, read_frame, write_frame
from symindex.source.languages import load_languages
from symindex.source.read import read_file
from symindex.source.records import ReadTask


def main() -> None:
    """Serves until standard input ends."""
    with contextlib.suppress(BrokenPipeError):  # nobody waits for the answer any more
        _serve()


def _serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business; it closes our input
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up between the frames
    tasks = sys.stdin.buffer
    first = read_frame(tasks)
    if first is None:
        return
    job = msgspec.msgpack.decode(first, type=Job)
    root = os.fsdecode(job.root)
    languages = load_languages([Path(os.fsdecode(folder)) for folder in job.grammar_folders], check=False)  # the caller has
    write_frame(answers, b"")  # ready
    # What a file takes is gone when it is done; to look for cycles meanwhile takes up to half of a large file's time.
    gc.freeze()
    gc.disable()
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(list[ReadTask])
    while (frame := read_frame(tasks)) is not None:
        for task in decoder.decode(frame):
            _limit_processor_time(2 * job.file_seconds + 1)
            write_frame(answers, encoder.encode(read_file(root, task, languages, job.max_file_bytes)))
            _limit_processor_time(0)
        gc.collect()
        gc.freeze()  # what is kept of names and words would be looked through again after every batch


def _limit_processor_time(seconds: float) -> None:
    """The caller keeps the time limit; if it was killed, the system ends a worker whose grammar never returns. 0: no limit."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    main()
