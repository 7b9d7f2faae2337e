"""What symindex sees in one file, for authors of queries. In a process of its own, for a grammar may crash or never return."""

import os
from pathlib import Path

import msgspec

from symindex.errors import RequestError
from symindex.extract.records import Symbol
from symindex.extract.summary import dump_symbols, dump_tree
from symindex.files.skips import SkipReason, time_limit_words
from symindex.text.decoding import decode
from symindex.workers.framing import OUT_OF_TIME, limit_processor_time, read_frame, worker_ends, write_frame
from symindex.workers.memory_limit import worker_memory
from symindex.workers.process import Process


class _Job(msgspec.Struct, array_like=True, frozen=True):
    """file: the system's bytes. language: a word for it; none: by name and content. tree: whether the syntax tree is wanted, and
    anonymous: with its unnamed nodes."""

    file: bytes
    language: str | None
    file_seconds: float
    tree: bool = False
    anonymous: bool = False


class _Seen(msgspec.Struct, array_like=True, frozen=True):
    """One of the three."""

    symbols: list[Symbol] | None = None
    tree: str = ""
    error: str = ""


def see_symbols(file: Path, language_word: str | None, file_seconds: float) -> list[Symbol]:
    """The symbols of one file, read as the language named or recognised.

    file_seconds: of the processor's time, where the system counts it. Raises RequestError for what cannot be read.
    """
    return _see(_Job(os.fsencode(file), language_word, file_seconds)).symbols or []


def see_tree(file: Path, language_word: str | None, with_anonymous: bool, file_seconds: float) -> str:
    """The syntax tree of one file; otherwise as `see_symbols`."""
    return _see(_Job(os.fsencode(file), language_word, file_seconds, True, with_anonymous)).tree


def _see(job: _Job) -> _Seen:
    process = Process("symindex.workers.dump", msgspec.msgpack.encode(job), worker_memory())
    try:
        frame = process.receive()
        if frame is None:
            raise RequestError(f"{os.fsdecode(job.file)}: {_why_ended(process, job.file_seconds)}")
    finally:
        process.kill()
        process.close()
    seen = decode(frame, _Seen)
    if seen.error:
        raise RequestError(seen.error)
    return seen


def _why_ended(process: Process, file_seconds: float) -> str:
    if OUT_OF_TIME and process.end_signal() == OUT_OF_TIME:
        return f"{SkipReason.TIME_LIMIT} ({time_limit_words(file_seconds)})"
    if process.is_out_of_memory(worker_memory()):
        return f"{SkipReason.MEMORY} ({worker_memory() // 1_000_000:,} MB)"
    return f"{SkipReason.CRASHED} ({process.last_words()})"


def main() -> None:
    """Sees one file, as the first frame says."""
    orders, answers = worker_ends()
    frame = read_frame(orders)
    if frame is None:
        return
    job = msgspec.msgpack.decode(frame, type=_Job)
    limit_processor_time(job.file_seconds)
    try:
        file = Path(os.fsdecode(job.file))
        if job.tree:
            seen = _Seen(tree=dump_tree(file, job.language, job.anonymous))
        else:
            seen = _Seen(symbols=dump_symbols(file, job.language))
    except RequestError as error:
        seen = _Seen(error=str(error))
    write_frame(answers, msgspec.msgpack.encode(seen))
