"""A template seen from outside: a worker from which others are forked, so that what they all need is prepared once.

It is a worker like the others: a clean process with the limits of its job, which ends with this one. Its own program is
`workers/fork_requests`. This process itself never forks workers: it may have threads, and what it holds is none of theirs. Where
anything is in the way (the system, threads in the template, its end), workers are started one by one.
"""

import errno
import math
import os
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import IO, Final

from symindex.errors import StorageError
from symindex.workers.child import Handle
from symindex.workers.fork_requests import END_OF_WORKER, REFUSED
from symindex.workers.framing import END, Job
from symindex.workers.process import START_SECONDS, Process

PREPARE_SECONDS: Final = 10.0
"""How long a template may take to prepare what a worker needs: the dearest query takes 0.4 s, but machines can be busy."""


def can_fork_workers() -> bool:
    """Whether this system can. Not macOS, whose own libraries may not be used after a fork."""
    if sys.platform != "linux" or not hasattr(signal, "pidfd_send_signal"):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


class Template:
    """Started for the first worker. Any thread may use it.

    job: of the workers. prepared: the orders that were carried out in it; each worker knows what was prepared when it was forked.
    is_usable: whether workers may still be forked.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.prepared: frozenset[bytes] = frozenset()
        self.is_usable = can_fork_workers()
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._channel: socket.socket | None = None
        self._has_begun = False

    def fork(self, answer_seconds: float, order: bytes) -> "ForkedProcess | None":
        """A worker for which an order was carried out before; `None` where it has to be started instead."""
        with self._lock:
            if not self.is_usable:
                return None
            try:
                channel = self._channel or self._start()
                worker = ForkedProcess(self.job, answer_seconds, channel, b"" if order in self.prepared else order)
            except (OSError, StorageError):
                self.stop()
                return None
            self.prepared |= {order}
            return worker

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(PREPARE_SECONDS)
        self._channel = ours
        with theirs:
            process = self._process = Process(self.job, math.inf, requests=theirs.fileno())
        if not self.is_usable:  # too late for `stop` to see it
            process.kill()
        if not process.begin():
            raise StorageError("a worker process ended before it was ready")
        self._has_begun = True
        return ours

    def stop(self) -> None:
        """No more workers from now on, also for those who wait for one. It goes on to tell how its workers end."""
        self.is_usable = False
        process, channel = self._process, self._channel
        if channel is not None:
            with suppress(OSError):
                channel.shutdown(socket.SHUT_RDWR)
        if process is not None and not self._has_begun:
            process.kill()

    def close(self) -> None:
        """Ends it and waits for that. Its workers have to be closed before."""
        self.stop()
        with self._lock:
            if self._process is not None:
                self._process.close()
            if self._channel is not None:
                self._channel.close()


class Forked:
    """A process that a template has forked, as `subprocess.Popen` would have it.

    peak_bytes: the most memory that it had, known after its end.
    """

    def __init__(self, pid: int, watched: int, end: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self.returncode: int | None = None
        self.peak_bytes = 0
        self._watched, self._end = watched, end
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        return self._read(0)

    def wait(self) -> int:
        code = self._read(None)
        assert code is not None
        return code

    def kill(self) -> None:
        if self.returncode is None:
            with suppress(OSError):  # it has ended
                signal.pidfd_send_signal(self._watched, signal.SIGKILL)

    def _read(self, milliseconds: int | None) -> int | None:
        """How it has ended, where that is known within a time."""
        if self.returncode is not None or not _is_ready(self._end, milliseconds):
            return self.returncode
        with self._lock:
            if self.returncode is None:
                told = os.read(self._end, END_OF_WORKER.size)
                if len(told) == END_OF_WORKER.size:
                    code, peak = END_OF_WORKER.unpack(told)
                    self.peak_bytes = peak * 1024
                else:  # the template has ended, and with it the knowledge: whoever ends that ends its workers
                    self.kill()
                    _is_ready(self._watched, None)
                    code = -signal.SIGKILL
                self.returncode = code
        return self.returncode

    def release(self) -> None:
        """After its end."""
        for number in (self._watched, self._end):
            os.close(number)


def _is_ready(number: int, milliseconds: int | None) -> bool:
    """Whether there is something to read, or an end, within a time."""
    events = select.poll()
    events.register(number, select.POLLIN)
    return bool(events.poll(milliseconds))


class ForkedProcess(Process):
    """A worker that a template has forked. Raises StorageError where that cannot. It does not stay behind its template."""

    may_stay = False

    def __init__(self, job: Job, answer_seconds: float, channel: socket.socket, order: bytes) -> None:
        self._channel, self._order = channel, order
        self._forked: Forked | None = None
        super().__init__(job, answer_seconds)

    def _launch(self, lifeline: int, output: int) -> Handle:
        orders, give = os.pipe()
        take, answers = os.pipe()
        end, tell = os.pipe()
        stdin, stdout = os.fdopen(give, "wb"), os.fdopen(take, "rb")
        theirs = [orders, answers, lifeline, tell, *([output] if output >= 0 else [])]
        try:
            socket.send_fds(self._channel, [b"\0" + self._order], theirs)
            said, watched, _, _ = socket.recv_fds(self._channel, 100, 1)
        except OSError:
            said, watched = b"", []
        finally:
            for number in (orders, answers, tell):
                os.close(number)
        if not watched or said in (b"", REFUSED):
            stdin.close()
            stdout.close()
            os.close(end)
            raise OSError(errno.ECHILD, "a template could not fork it")
        self._forked = forked = Forked(int(said), watched[0], end, stdin, stdout)
        return forked

    def begin(self) -> bool:
        """It was forked with its job; an empty order shows that it is there."""
        return self._is_answered(END, START_SECONDS)

    def wait(self) -> int:
        code = self._process.wait()
        self._reap()
        return code

    def _reap(self) -> int | None:
        code = self._process.poll()
        if self._forked is not None:
            self.peak_bytes = self._forked.peak_bytes
        return code

    def _release(self) -> None:
        super()._release()
        if self._forked is not None:
            self._forked.release()
