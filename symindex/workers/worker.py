"""The main function of every worker process, whatever its job.

It handles what all jobs have in common: frames, the limits of memory and processor time, and the
end together with the parent process. The rest is in the module of the job (`workers/framing.Job`).
"""

import contextlib
import gc
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import IO

import msgspec

from symindex.workers.framing import (
    CAN_SIGNAL_END,
    END,
    OUT_OF_TIME,
    Handler,
    Job,
    read_frame,
    write_frame,
)
from symindex.workers.memory_limit import limit_memory, limited_beyond


def main() -> None:
    """Serves until standard input ends. Command line arguments: the number of the pipe that this
    process must not outlive, its memory limit in bytes, and the module of the job, which is loaded
    before the job arrives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which closes our input
    if OUT_OF_TIME:
        signal.signal(OUT_OF_TIME, signal.SIG_DFL)
    lifeline, most_memory = map(int, sys.argv[1:3])
    _end_with(lifeline)
    limit_memory(most_memory)
    answers: IO[bytes] = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not end up between the frames
    with contextlib.suppress(BrokenPipeError):  # the parent has ended
        orders = _frames(sys.stdin.buffer)
        module = importlib.import_module(sys.argv[3])
        if load := getattr(module, "load", None):
            load()
        if (first := next(orders, None)) is None:
            return
        job = msgspec.msgpack.decode(first, type=Job)
        handle: Handler = module.prepare(job.setup)
        gc.freeze()
        write_frame(answers, END)
        _serve(job, handle, orders, answers)


def _serve(job: Job, handle: Handler, orders: Iterator[bytes], answers: IO[bytes]) -> None:

    def send(answer: bytes) -> None:
        write_frame(answers, answer)
        _limit_processor_time(job.processor_seconds)  # for the next answer

    for order in orders:
        if order:
            with (
                limited_beyond(job.answer_memory) if job.answer_memory else contextlib.nullcontext()
            ):
                _limit_processor_time(job.processor_seconds)
                handle(order, send)
                _limit_processor_time(0)
        write_frame(answers, END)
        if (
            not gc.isenabled()
        ):  # a job that leaves few cycles has them collected here, while nobody waits
            gc.collect()
            gc.freeze()  # otherwise each collection would look through cached names and words


def _limit_processor_time(seconds: float) -> None:
    """Makes the system end this process (OUT_OF_TIME) after `seconds` of processor time, whatever
    it is doing. 0: no limit."""
    if OUT_OF_TIME:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _frames(stream: IO[bytes]) -> Iterator[bytes]:
    if CAN_SIGNAL_END or sys.platform == "win32":
        return iter(lambda: read_frame(stream), None)
    ahead: SimpleQueue[bytes] = SimpleQueue()

    def read_ahead() -> None:
        while (frame := read_frame(stream)) is not None:
            ahead.put(frame)
        os._exit(0)  # whatever it is doing: nobody waits for the result

    threading.Thread(target=read_ahead, daemon=True).start()
    return iter(ahead.get, None)


def _end_with(lifeline: int) -> None:
    """Makes the system end this process when the other end of a pipe is closed, whatever it is
    doing.

    PR_SET_PDEATHSIG would not do: it acts when the thread ends that started this process.
    """
    if not CAN_SIGNAL_END or lifeline < 0:
        return
    import fcntl

    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(
        lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK
    )  # SIGIO ends the process
    with contextlib.suppress(BlockingIOError):  # the pipe is still open
        os.read(lifeline, 1)
        os._exit(1)
