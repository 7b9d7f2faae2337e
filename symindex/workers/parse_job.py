"""The process that parses: reads batches of tasks from standard input, answers one result a file on standard output.

It runs apart from the caller for two reasons: the parser holds Python's interpreter lock, and a grammar that never returns can
only be ended together with its process (`workers/pool` does that).
"""

import contextlib
import gc
import os
from pathlib import Path
from typing import Final

import msgspec

from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.read import read_file
from symindex.extract.records import ReadTask, given_up
from symindex.files.access.beneath import Beneath
from symindex.files.skips import SkipReason
from symindex.workers.framing import Job, limit_processor_time, read_frame, worker_ends, write_frame


def main() -> None:
    """Serves until standard input ends."""
    with contextlib.suppress(BrokenPipeError):  # nobody waits for the answer any more
        _serve()


def _serve() -> None:
    tasks, answers = worker_ends()
    first = read_frame(tasks)
    if first is None:
        return
    job = msgspec.msgpack.decode(first, type=Job)
    tree = Beneath(os.fsdecode(job.root))
    languages = load_languages([Path(os.fsdecode(folder)) for folder in job.grammar_folders], check=False)  # the caller has
    languages = languages.choose(job.languages)
    write_frame(answers, b"")  # ready
    # What a file takes is gone when it is done; to look for cycles meanwhile takes up to half of a large file's time.
    gc.freeze()
    gc.disable()
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(list[ReadTask])
    while (frame := read_frame(tasks)) is not None:
        batch = decoder.decode(frame)
        if not batch:
            write_frame(answers, b"")  # still there
        for task in batch:
            limit_processor_time(job.file_seconds)
            answer = _answer(tree, task, languages, job.max_file_bytes, encoder)
            limit_processor_time(0)
            write_frame(answers, answer)
        tree.close()  # by the next batch its folders may be others
        gc.collect()
        gc.freeze()  # what is kept of names and words would be looked through again after every batch


def _answer(tree: Beneath, task: ReadTask, languages: Languages, max_file_bytes: int, encoder: msgspec.msgpack.Encoder) -> bytes:
    """The result for one file. What it takes more than there is of is said, and the process can go on: where the parser itself
    finds no memory, it ends the process."""
    try:
        result = read_file(tree, task, languages, max_file_bytes)
        answer = encoder.encode(result)
        if len(answer) <= LEAST_ANSWER_BYTES + ANSWER_BYTES * result.size:
            return answer
        detail = f"symbols of {len(answer):,} bytes"
    except MemoryError:
        detail = ""
    return encoder.encode(given_up(tree, task.path, SkipReason.MEMORY, detail))


LEAST_ANSWER_BYTES: Final = 1_000_000
ANSWER_BYTES: Final = 40
"""So many bytes, and so many for each byte of the file, may what is found in it take: lists of short names take some ten. All is
held by one process, which has no limit of memory."""


if __name__ == "__main__":
    main()
