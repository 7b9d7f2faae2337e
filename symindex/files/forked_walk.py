"""A walk in forked processes, for a command that has something else to do meanwhile, such as loading its own modules.

Most of a walk is the system's work, a call for each file, and Python's small part holds the interpreter lock: so processes help,
and threads do not. Forking takes a millisecond as long as a process is small and has no threads.
"""

import gc
import marshal
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.git_repository import rules_above
from symindex.files.skips import Skip, SkipReason
from symindex.files.walk import FoundFiles, Walk, Wanted, enter_folder

TASKS: Final = 64
"""How many folders to find before the rest is shared out: enough that no process waits long for the last one."""

MOST_WALKERS: Final = 4

MOST_GROUPS: Final = 1000
"""Their numbers fit into the smallest pipe."""

_NUMBER_BYTES: Final = 4

_NEWER, _OLD = b"n", b"o"
"""The first byte of a result: whether there is a file of interest in it."""


def can_fork() -> bool:
    """Whether a forked walk is possible and useful."""
    # macOS: its own libraries may not be used after a fork. One core: nothing is gained.
    return hasattr(os, "fork") and sys.platform != "darwin" and usable_cores() > 1


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Forked:
    """A process that makes a walk. Where it leads a group, its own children end with it."""

    def __init__(self, work: Callable[[], Walk], since_ns: int = sys.maxsize, *, leads: bool = True) -> None:
        self._pipe, tell = os.pipe()
        self._leads = leads
        self._head = b""
        self.pid = os.fork()
        if self.pid == 0:
            _live(work, since_ns, tell, leads)
        os.close(tell)
        if leads:
            with suppress(OSError):  # the child does the same; both try, so that it is done when either goes on
                os.setpgid(self.pid, self.pid)

    def result(self) -> Walk | None:
        """Waits for the end; `None` where the process ended too early. To be called once."""
        parts = [self._head]
        while part := os.read(self._pipe, 1 << 20):
            parts.append(part)
        return _unpack(b"".join(parts))

    def close(self) -> None:
        os.close(self._pipe)
        with suppress(OSError):
            (os.killpg if self._leads else os.kill)(self.pid, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(self.pid, 0)


class ForkedWalk(_Forked):
    """The same as `walk_tree`, but for `Walk.folders`; it begins at once and `result` waits for it. To be closed.

    since_ns: of interest are files with this mtime or a later one, up to now.
    """

    def __init__(self, root: Path, wanted: Wanted, since_ns: int = sys.maxsize) -> None:
        self.root = root
        self.wanted = wanted
        super().__init__(lambda: _walk(root, wanted), since_ns)

    @property
    def has_newer(self) -> bool:
        """Whether it has ended by now and has found a file of interest. Waits for nothing."""
        if not self._head:
            os.set_blocking(self._pipe, False)
            with suppress(BlockingIOError):
                self._head = os.read(self._pipe, len(_NEWER))
            os.set_blocking(self._pipe, True)
        return self._head == _NEWER


def _live(work: Callable[[], Walk], since_ns: int, tell: int, leads: bool) -> NoReturn:
    """Runs a forked process to its end, without the exit handlers of its parent."""
    try:
        gc.disable()
        if leads:
            os.setpgid(0, 0)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):  # a reader of the parent's output must not have to wait for this process
                os.dup2(nowhere, stream)
        walk = work()
        # A file from the future, as a tree may hold, would be newer for ever.
        now = time.time_ns()
        is_newer = any(since_ns <= mtime <= now for mtime in walk.files.mtimes)
        answer = memoryview((_NEWER if is_newer else _OLD) + _pack(walk))
        while answer:
            answer = answer[os.write(tell, answer) :]
    finally:
        os._exit(0)


def _walk(root: Path, wanted: Wanted) -> Walk:
    """The walk, shared between some processes."""
    walk = Walk()
    walk.pending.append(("", rules_above(root, walk.skips).under(wanted.selection)))
    with Beneath(root) as tree:  # and closed before the next fork: forked processes share a folder's read position
        while walk.pending and len(walk.pending) < TASKS:
            around, walk.pending = walk.pending, []
            for base, rules in around:
                enter_folder(tree, base, rules, walk, wanted)
    groups = [walk.pending[first::MOST_GROUPS] for first in range(min(len(walk.pending), MOST_GROUPS))]
    # A pipe that holds a number for each group: the process that reads a number walks those folders.
    take, give = os.pipe()
    os.write(give, b"".join(number.to_bytes(_NUMBER_BYTES, "little") for number in range(len(groups))))
    os.close(give)

    def share() -> Walk:
        mine = Walk()
        with Beneath(root) as tree:
            while number := os.read(take, _NUMBER_BYTES):
                mine.pending = groups[int.from_bytes(number, "little")]
                while mine.pending:
                    enter_folder(tree, *mine.pending.pop(), mine, wanted)
        return mine

    helpers = [_Forked(share, leads=False) for _ in range(min(usable_cores(), MOST_WALKERS) - 1)]
    _add(walk, share())
    for helper in helpers:
        part = helper.result()
        helper.close()
        if part is None:
            raise EOFError
        _add(walk, part)
    walk.sort()
    return walk


def _add(walk: Walk, part: Walk) -> None:
    for column in ("paths", "sizes", "mtimes", "stamps"):
        getattr(walk.files, column).extend(getattr(part.files, column))
    walk.skips.extend(part.skips)
    for extension, count in part.unsupported.items():
        walk.unsupported[extension] = walk.unsupported.get(extension, 0) + count
    walk.ignored += part.ignored
    walk.unchosen += part.unchosen


def _pack(walk: Walk) -> bytes:
    files = walk.files
    skips = [(skip.path, str(skip.reason), skip.detail) for skip in walk.skips]
    counts = (walk.unsupported, walk.ignored, walk.unchosen, walk.began_ns)
    numbers = (files.sizes.tobytes(), files.mtimes.tobytes(), files.stamps.tobytes())
    return marshal.dumps((files.blob, numbers, skips, counts))


def _unpack(packed: bytes) -> Walk | None:
    try:
        blob, numbers, skips, counts = marshal.loads(memoryview(packed)[len(_NEWER) :])
    except (EOFError, ValueError, TypeError):  # the process ended too early
        return None
    walk = Walk()
    walk.files = FoundFiles(blob, *numbers)
    walk.skips = [Skip(path, SkipReason(reason), detail) for path, reason, detail in skips]
    walk.unsupported, walk.ignored, walk.unchosen, walk.began_ns = counts
    return walk
