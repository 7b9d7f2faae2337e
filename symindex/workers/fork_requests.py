"""Inside a template: a worker that has prepared its job, and forks other workers instead of carrying out orders.

What it has loaded and compiled by then, they have, too. A request is a message with the ends of the pipes of the new worker
(`workers/template`), and an order that the template carries out itself first, which says what to prepare and names no file. The
system tells only a parent how a process has ended. So the template writes that into a pipe, and what memory it had.
"""

import os
import select
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from symindex.workers.framing import Handler

REQUEST_BYTES: Final = 60_000
"""The longest order of a request: a message is read at once."""

END_OF_WORKER: Final = struct.Struct("<qq")
"""How a forked worker has ended, as the system tells it, and its peak memory in the system's unit."""

REFUSED: Final = b"refused"
"""The answer where no worker can be forked."""


class Ends(NamedTuple):
    """The ends of pipes that a forked worker gets, as numbers of open files; -1: none. end: the template keeps it."""

    orders: int
    answers: int
    lifeline: int
    end: int
    output: int


def has_one_thread() -> bool:
    """Whether this process may fork: what other threads hold, locks among it, a child would find held for ever."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def fork_workers(requests: int, handle: Handler) -> Ends:
    """Forks a worker for each request. Returns in these workers alone; the template ends when there will be no more requests and
    all its workers have ended."""
    import socket  # here, because whoever only asks `has_one_thread` needs none

    channel = socket.socket(fileno=requests)
    running: dict[int, tuple[int, int]] = {}  # by a file that tells the end of a worker: its pid, the pipe for it
    events = select.poll()
    events.register(channel, select.POLLIN)
    while channel.fileno() >= 0 or running:
        for ready, _ in events.poll():
            if ready in running:
                events.unregister(ready)
                _tell_end(ready, *running.pop(ready))
                continue
            order, files, _, _ = socket.recv_fds(channel, REQUEST_BYTES, len(Ends._fields))
            if not order:
                events.unregister(channel)
                channel.close()
                continue
            ends = Ends(*files, *[-1] * (len(Ends._fields) - len(files)))
            if order := order[1:]:
                with suppress(Exception):  # a worker that is given such files tells what is wrong
                    handle(order, _drop)
            if not has_one_thread():
                channel.send(REFUSED)
                _close([*files])
                continue
            pid = os.fork()
            if pid == 0:
                channel.close()
                _close([ends.end, *running, *(pipe for _, pipe in running.values())])
                return ends
            watched = os.pidfd_open(pid)
            running[watched] = pid, ends.end
            events.register(watched, select.POLLIN)
            socket.send_fds(channel, [str(pid).encode()], [watched])
            _close([number for number in files if number != ends.end])
    os._exit(0)


def _drop(_: bytes) -> None:
    """Where the answers of a template go."""


def _close(files: Sequence[int]) -> None:
    for number in files:
        with suppress(OSError):
            os.close(number)


def _tell_end(watched: int, pid: int, pipe: int) -> None:
    _, status, usage = os.wait4(pid, 0)
    with suppress(OSError):  # nobody is there to read it
        os.write(pipe, END_OF_WORKER.pack(os.waitstatus_to_exitcode(status), usage.ru_maxrss))
    _close([watched, pipe])


def take_ends(ends: Ends) -> int:
    """In a forked worker: its standard streams; the number of the file for its answers."""
    os.dup2(ends.orders, 0)
    os.close(ends.orders)
    if ends.output >= 0:
        sys.stderr.flush()
        os.dup2(ends.output, 2)
        os.close(ends.output)
    os.dup2(2, 1)  # as in every worker
    return ends.answers
