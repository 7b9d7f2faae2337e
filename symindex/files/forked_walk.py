"""A walk in processes of its own, for a command that has other things to do meanwhile, such as loading itself.

Most of a walk is the system's work, a call for each file, and what little is Python's holds the interpreter: so it is processes
that help, not threads. They are forked, which takes a millisecond as long as a process is small and has no threads.
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
from symindex.files.walk import Folder, FoundFiles, Walk, Wanted, enter_folder, enter_folders

TASKS: Final = 64
"""How many folders to find before the rest is shared out: enough that nobody waits long for the last one."""

MOST_WALKERS: Final = 4

MOST_GROUPS: Final = 1000
"""Their numbers are less than the smallest pipe holds."""

_NUMBER_BYTES: Final = 4


class WalkAhead:
    """The same as `walk_tree`, begun now, and had from `result`. To be closed."""

    def __init__(self, root: Path, wanted: Wanted) -> None:
        self.root = root
        self.wanted = wanted
        self._began_ns = time.time_ns()
        self._process = _Forked(lambda: _pack(_walk(root, wanted)))

    def result(self) -> Walk | None:
        """Waits for the end; `None` if it did not come to a good one. To be called once."""
        walk = _unpack(self._process.answer())
        if walk is not None:
            walk.began_ns = self._began_ns
        return walk

    def close(self) -> None:
        """Ends the processes."""
        self._process.close()


def can_fork() -> bool:
    """Whether processes can be forked, and are of use."""
    # macOS: its own libraries may not be used after a fork. One core: nothing is gained.
    return hasattr(os, "fork") and sys.platform != "darwin" and _usable_cores() > 1


def _usable_cores() -> int:
    # As of `workers/process`, which would load what a process that is about to fork does without.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Forked:
    """A process that works out some bytes. Those below it end when it is ended, since they are of its group."""

    def __init__(self, work: Callable[[], bytes], *, leads: bool = True) -> None:
        self._pipe, tell = os.pipe()
        self._leads = leads
        self.pid = os.fork()
        if self.pid == 0:
            _live(work, tell, leads)
        os.close(tell)
        if leads:
            with suppress(OSError):  # it does the same; whoever comes first
                os.setpgid(self.pid, self.pid)

    def answer(self) -> bytes:
        """What it worked out; empty where it ended before."""
        parts = []
        while part := os.read(self._pipe, 1 << 20):
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        """Ends it."""
        os.close(self._pipe)
        with suppress(OSError):
            (os.killpg if self._leads else os.kill)(self.pid, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(self.pid, 0)


def _live(work: Callable[[], bytes], tell: int, leads: bool) -> NoReturn:
    """The life of a forked process, which does nothing of what its origin wants done at its own end."""
    try:
        gc.disable()
        if leads:
            os.setpgid(0, 0)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):  # whoever reads what the origin prints must not have to wait for this process
                os.dup2(nowhere, stream)
        answer = memoryview(work())
        while answer:
            answer = answer[os.write(tell, answer) :]
    finally:
        os._exit(0)


def _walk(root: Path, wanted: Wanted) -> Walk:
    """The walk, shared between some processes."""
    walk = Walk()
    folders: list[Folder] = [("", rules_above(root, walk.skips).under(wanted.selection))]
    with Beneath(root) as tree:  # and closed before the next fork: where a folder's listing stands is shared with what is forked
        while folders and len(folders) < TASKS:
            around, folders = folders, []
            for base, rules in around:
                enter_folder(tree, base, rules, walk, wanted, folders)
    groups = [folders[first::MOST_GROUPS] for first in range(min(len(folders), MOST_GROUPS))]
    # A pipe that holds a number for each group: who reads one has those folders to walk.
    take, give = os.pipe()
    os.write(give, b"".join(number.to_bytes(_NUMBER_BYTES, "little") for number in range(len(groups))))
    os.close(give)

    def share() -> Walk:
        mine = Walk()
        with Beneath(root) as tree:
            while number := os.read(take, _NUMBER_BYTES):
                for _ in enter_folders(tree, groups[int.from_bytes(number, "little")], mine, wanted):
                    pass
        return mine

    helpers = [_Forked(lambda: _pack(share()), leads=False) for _ in range(min(_usable_cores(), MOST_WALKERS) - 1)]
    _add(walk, share())
    for helper in helpers:
        part = _unpack(helper.answer())
        helper.close()
        if part is None:
            raise EOFError
        _add(walk, part)
    walk.sort()
    return walk


def _add(walk: Walk, part: Walk) -> None:
    walk.files.paths.extend(part.files.paths)
    walk.files.sizes.extend(part.files.sizes)
    walk.files.mtimes.extend(part.files.mtimes)
    walk.files.stamps.extend(part.files.stamps)
    walk.skips.extend(part.skips)
    for extension, count in part.unsupported.items():
        walk.unsupported[extension] = walk.unsupported.get(extension, 0) + count
    walk.ignored += part.ignored
    walk.unchosen += part.unchosen


def _pack(walk: Walk) -> bytes:
    files = walk.files
    skips = [(skip.path, str(skip.reason), skip.detail) for skip in walk.skips]
    counts = (walk.unsupported, walk.ignored, walk.unchosen)
    numbers = (files.sizes.tobytes(), files.mtimes.tobytes(), files.stamps.tobytes())
    return marshal.dumps((files.blob, numbers, skips, counts))


def _unpack(packed: bytes) -> Walk | None:
    try:
        blob, numbers, skips, counts = marshal.loads(packed)
    except (EOFError, ValueError, TypeError):  # the process has ended before the end
        return None
    walk = Walk()
    walk.files = FoundFiles(blob, *numbers)
    walk.skips = [Skip(path, SkipReason(reason), detail) for path, reason, detail in skips]
    walk.unsupported, walk.ignored, walk.unchosen = counts
    return walk
