"""A worker that a command forks from itself while it is still loading: what both need is loaded then, and once.

It is forked before the command has threads, or anything of a tree; from there on it is a worker like the others, with the same
limits and the same end. Where that is not so, or the system forks badly, a process is started instead.
"""

import gc
import os
import sys
import traceback
from collections.abc import Callable
from typing import IO, Final, NoReturn

from symindex.workers.child import Handle
from symindex.workers.fork_requests import has_one_thread
from symindex.workers.framing import CAN_SIGNAL_END, Job
from symindex.workers.process import Process, limit_of

_FIRST_FILE: Final = 3
"""The number of the first open file behind the standard streams."""

_MOST_FILES: Final = 4_096
"""Numbers of open files that a command may have so early."""


def start_ahead(job: Job, answer_seconds: float, make_ready: Callable[[], object]) -> Process:
    """A worker for a job of which only the module and the limit of memory are known. make_ready: what it does when it is loaded,
    if it is forked. Raises StorageError."""
    # numpy maps more than a worker's own modules take, which would count against the limit.
    can_fork = CAN_SIGNAL_END and "numpy" not in sys.modules and has_one_thread()
    return _ForkedAhead(job, answer_seconds, make_ready) if can_fork else Process(job, answer_seconds)


class _Forked:
    """A forked process, as `subprocess.Popen` would have it."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._wait(os.WNOHANG)

    def wait(self) -> int:
        code = self._wait(0)
        assert code is not None
        return code

    def _wait(self, how: int) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, how)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def kill(self) -> None:
        os.kill(self.pid, 9)


class _ForkedAhead(Process):
    def __init__(self, job: Job, answer_seconds: float, make_ready: Callable[[], object]) -> None:
        self._make_ready = make_ready
        super().__init__(job, answer_seconds)

    def _launch(self, lifeline: int, output: int) -> Handle:
        orders, give = os.pipe()
        take, answers = os.pipe()
        pid = os.fork()
        if pid == 0:
            _live(self.job, self._make_ready, orders, answers, lifeline, output)
        os.close(orders)
        os.close(answers)
        return _Forked(pid, os.fdopen(give, "wb"), os.fdopen(take, "rb"))


def _live(job: Job, make_ready: Callable[[], object], orders: int, answers: int, lifeline: int, output: int) -> NoReturn:
    """The forked process, to its end: with the streams, the open files and the arguments of one that was started."""
    code = 1
    try:
        os.setpgid(0, 0)  # Ctrl-C is for the command, which ends its workers
        kept = [os.dup(number) for number in (orders, answers, lifeline)]
        if output >= 0:
            os.dup2(output, 2)
        for number, place in zip(kept, (0, 1, _FIRST_FILE), strict=True):
            os.dup2(number, place)
        os.closerange(_FIRST_FILE + 1, _MOST_FILES)
        sys.stdin = os.fdopen(0, closefd=False)  # what the command may have read ahead of its own is none of ours
        sys.argv = [sys.argv[0], str(_FIRST_FILE), str(limit_of(job.most_memory)), "-1", job.module]
        gc.enable()
        from symindex.workers.worker import main

        main(make_ready)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
