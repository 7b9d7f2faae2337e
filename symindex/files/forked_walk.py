"""Walks a tree in forked processes, for a command that has other work to do meanwhile, such as
loading its own modules.

Most of a walk is the system's work, one call per file, and Python's small part needs the
interpreter lock: so processes help, and threads do not. Forking takes a millisecond as long as the
process is small and has no threads.
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
from symindex.files.walk import MOST_IGNORED, FileFilter, FoundFiles, Walk, enter_folder

TASKS: Final = 64
"""How many folders to find before the rest is shared out: enough that no process waits long for the
last one."""

MOST_WALKERS: Final = 4

MOST_GROUPS: Final = 1000
"""Most groups of folders: their numbers fit into the smallest pipe."""

_NUMBER_BYTES: Final = 4


def can_fork() -> bool:
    """Whether a forked walk is possible and useful."""
    # On macOS the system's own libraries may not be used after a fork. With one core nothing is
    # gained.
    return hasattr(os, "fork") and sys.platform != "darwin" and usable_cores() > 1


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Forked:
    """A forked process that walks. If it leads a process group, its own children end with it."""

    def __init__(self, work: Callable[[], Walk], *, leads: bool = True) -> None:
        self._pipe, tell = os.pipe()
        self._leads = leads
        try:
            self.pid: int = os.fork()
        except OSError:
            os.close(self._pipe)
            os.close(tell)
            raise
        if self.pid == 0:
            _live(work, tell, leads)
        os.close(tell)
        if leads:
            with suppress(
                OSError
            ):  # The child does the same. Both try, so that it is done whichever continues first.
                os.setpgid(self.pid, self.pid)

    def result(self) -> Walk | None:
        """Waits for the process and returns its walk; `None` if it ended too early. Call it
        once."""
        parts = []
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
    """A walk like that of `walk_tree`, except for `Walk.folders`. It begins at once, and `result`
    waits for it. Close it after use.

    since_ns: report the first file that was modified at or after this time, and not in the future.
    """

    def __init__(self, root: Path, file_filter: FileFilter, since_ns: int = sys.maxsize) -> None:
        self.root = root
        self.file_filter = file_filter
        self._news, tell = os.pipe()
        os.set_blocking(self._news, False)
        self._has_newer = False
        try:
            super().__init__(lambda: _walk(root, file_filter, since_ns, tell))
        except OSError:
            os.close(self._news)
            raise
        finally:
            os.close(tell)

    @property
    def has_newer(self) -> bool:
        """Whether the walk has met a file modified since `since_ns`. Returns at once."""
        if not self._has_newer:
            with suppress(BlockingIOError):
                self._has_newer = bool(os.read(self._news, 1))
        return self._has_newer

    def close(self) -> None:
        os.close(self._news)
        super().close()


class _Watch:
    """Reports once that a walk has met a file newer than a given time. A file dated in the future
    would be newer for ever, so it does not count."""

    def __init__(self, walk: Walk, since_ns: int, tell: int) -> None:
        self._walk, self._since_ns, self._tell = walk, since_ns, tell
        self._n_seen = 0

    def look(self) -> None:
        """Checks the files found since the last call."""
        files = self._walk.files
        first, self._n_seen = self._n_seen, len(files.mtimes)
        if self._tell < 0:
            return
        for number in range(first, self._n_seen):
            if self._since_ns <= files.mtimes[number] <= time.time_ns():
                os.write(self._tell, b"!")
                self._tell = -1
                return


def _live(work: Callable[[], Walk], tell: int, leads: bool) -> NoReturn:
    """Runs a forked process to its end, without the exit handlers of its parent."""
    try:
        gc.disable()
        if leads:
            os.setpgid(0, 0)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (
                0,
                1,
                2,
            ):  # A reader of the parent's output must not have to wait for this process.
                os.dup2(nowhere, stream)
        answer = memoryview(_pack(work()))
        while answer:
            answer = answer[os.write(tell, answer) :]
    finally:
        os._exit(0)


def _walk(root: Path, file_filter: FileFilter, since_ns: int, tell: int) -> Walk:
    """Walks the tree, shared among several processes.

    tell: a pipe that receives a byte when there is a file modified since `since_ns`.
    """
    walk = Walk()
    watch = _Watch(walk, since_ns, tell)
    walk.pending.append(("", rules_above(root, walk.skips).under(file_filter.selection)))
    with Beneath(
        root
    ) as tree:  # Closed before the next fork: forked processes share the read position of a folder.
        while walk.pending and len(walk.pending) < TASKS:
            around, walk.pending = walk.pending, []
            for base, rules in around:
                enter_folder(tree, base, rules, walk, file_filter)
                watch.look()
    groups = [
        walk.pending[first::MOST_GROUPS] for first in range(min(len(walk.pending), MOST_GROUPS))
    ]
    # This pipe contains one number per group. The process that reads a number walks those folders.
    take, give = os.pipe()
    os.write(
        give, b"".join(number.to_bytes(_NUMBER_BYTES, "little") for number in range(len(groups)))
    )
    os.close(give)

    def share() -> Walk:
        mine = Walk()
        watch = _Watch(mine, since_ns, tell)
        with Beneath(root) as tree:
            while number := os.read(take, _NUMBER_BYTES):
                mine.pending = groups[int.from_bytes(number, "little")]
                while mine.pending:
                    enter_folder(tree, *mine.pending.pop(), mine, file_filter)
                    watch.look()
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
    walk.hidden += part.hidden
    walk.deselected += part.deselected
    walk.ignored_paths = [*walk.ignored_paths, *part.ignored_paths][:MOST_IGNORED]


def _pack(walk: Walk) -> bytes:
    files = walk.files
    skips = [(skip.path, str(skip.reason), skip.detail) for skip in walk.skips]
    counts = (
        walk.unsupported,
        walk.ignored,
        walk.hidden,
        walk.deselected,
        walk.ignored_paths,
        walk.began_ns,
    )
    numbers = (files.sizes.tobytes(), files.mtimes.tobytes(), files.stamps.tobytes())
    return marshal.dumps((files.blob, numbers, skips, counts))


def _unpack(packed: bytes) -> Walk | None:
    try:
        blob, numbers, skips, counts = marshal.loads(packed)
    except (EOFError, ValueError, TypeError):  # the process ended too early
        return None
    walk = Walk()
    walk.files = FoundFiles(blob, *numbers)
    walk.skips = [Skip(path, SkipReason(reason), detail) for path, reason, detail in skips]
    (
        walk.unsupported,
        walk.ignored,
        walk.hidden,
        walk.deselected,
        walk.ignored_paths,
        walk.began_ns,
    ) = counts
    return walk
