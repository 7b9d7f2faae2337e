"""Builds or updates an index in a separate process, which reports its progress.

The memory of a long build goes with that process, its work does not hold the interpreter lock of
this one, and it can be ended at any moment. It ends by itself when this process does.

A process goes on with the next tree while trees are waiting, with the same worker: starting both
takes a second, indexing a small tree a twentieth of that.
"""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import StorageError
from symindex.files.walk import check_unmoved
from symindex.index.update import Progress
from symindex.text.decoding import decode
from symindex.workers.framing import Handler, Job
from symindex.workers.pool import Slot, SpareWorker

STEP_SECONDS: Final = 0.1
"""Pause between two progress reports."""

NICENESS: Final = 5
"""Priority of a build, below that of requests and their scans."""

AT_ONCE: Final = 3
"""Number of builds that run at the same time, however many trees a client has: each has as many
workers as there are processors."""


class _Turns:
    """Hands out turns to build, and keeps processes that have finished a build while others are
    waiting."""

    def __init__(self) -> None:
        self._free = threading.Semaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._n_waiting = 0
        self._idle: list[Slot] = []

    def wait(self, is_cancelled: Callable[[], bool]) -> Slot | None:
        """Waits for a turn. Returns the slot of a process to build in, which must be given back;
        `None` if the build was cancelled first."""
        with self._lock:
            self._n_waiting += 1
        try:
            while not self._free.acquire(timeout=STEP_SECONDS):
                if is_cancelled():
                    return None
            with self._lock:
                # A killed process is not restarted.
                return (
                    self._idle.pop()
                    if self._idle
                    else Slot(Job("symindex.workspace.build_process", b""), most_starts=1)
                )
        finally:
            with self._lock:
                self._n_waiting -= 1
            self._end_unneeded()

    def give_back(self, slot: Slot, is_usable: bool) -> None:
        """Ends a turn. Keeps the process for the next build if one is waiting and the process is
        usable."""
        with self._lock:
            is_kept = is_usable and self._n_waiting > 0
            if is_kept:
                self._idle.append(slot)
        if not is_kept:
            slot.close()
        self._free.release()
        self._end_unneeded()

    def _end_unneeded(self) -> None:
        with self._lock:
            unneeded, self._idle = ([], self._idle) if self._n_waiting else (self._idle, [])
        for slot in unneeded:
            slot.close()


_TURNS: Final = _Turns()
"""The turns of all trees of this process."""


class _BuildOrder(msgspec.Struct, array_like=True, frozen=True):
    """An index to build. root, index_dir: as for `IndexedRoot`, in the system's bytes."""

    root: bytes
    index_dir: bytes
    rebuild: bool


class _Step(msgspec.Struct, array_like=True, frozen=True):
    """The progress of a build; the last step has the notices of the report, or an error."""

    done: int = 0
    total: int = 0
    notices: list[str] | None = None
    error: str = ""


class CancelledError(Exception):
    """Raised when a build was ended by `Building.cancel`."""


class Building:
    """One build. Any thread may cancel it.

    index_dir: the folder above the index's own folder. rebuild: reads every file.
    """

    def __init__(self, root: Path, index_dir: Path, rebuild: bool = False) -> None:
        self._root = root
        self._order = _BuildOrder(os.fsencode(root), os.fsencode(index_dir), rebuild)
        self._lock = threading.Lock()
        self._slot: Slot | None = None
        self._is_cancelled = False

    def run(self, progress: Progress) -> list[str]:
        """Builds the index when its turn comes; returns the notices of the refresh.

        progress: called in this thread. Raises StorageError if the index could not be built,
        CancelledError after `cancel`.
        """
        slot, last = _TURNS.wait(lambda: self._is_cancelled), _Step()
        if slot is None:
            raise CancelledError
        try:
            with self._lock:
                self._slot = slot
            for answer in (
                [] if self._is_cancelled else slot.ask(msgspec.msgpack.encode(self._order))
            ):
                last = decode(answer, _Step)
                if last.notices is None and not last.error:
                    progress(last.done, last.total)
        finally:
            with self._lock:  # from here on the process may build something else
                self._slot = None
            _TURNS.give_back(slot, not self._is_cancelled and slot.exit is None)
        if self._is_cancelled:
            raise CancelledError
        if slot.exit is not None:
            raise StorageError(
                f"{self._root}: the process that makes the index ended ({slot.exit.words})"
            )
        if last.error:
            raise StorageError(last.error)
        return last.notices or []

    def cancel(self) -> None:
        """Ends the build. The stored index stays as it was."""
        self._is_cancelled = True
        with self._lock:
            if self._slot is not None:
                self._slot.stop()


def prepare(setup: bytes) -> Handler:
    """Prepares the job, whose orders are indexes to build."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    return _build


_PARSER: Final = SpareWorker()
"""Reads one tree after the other."""


def _build(encoded: bytes, send: Callable[[bytes], None]) -> None:
    from symindex.workspace.indexed_root import (
        IndexedRoot,  # deferred, because the process that starts this one does not need it
    )

    order, sent_at = decode(encoded, _BuildOrder), 0.0

    def progress(done: int, total: int) -> None:
        nonlocal sent_at
        if done in (1, total) or time.monotonic() > sent_at + STEP_SECONDS:
            sent_at = time.monotonic()
            send(msgspec.msgpack.encode(_Step(done, total)))

    try:
        check_unmoved(Path(os.fsdecode(order.root)))
        with (
            IndexedRoot(os.fsdecode(order.root), os.fsdecode(order.index_dir)) as workspace,
            workspace.borrowing(_PARSER),
        ):
            last = _Step(notices=workspace.refresh(progress, order.rebuild).notices)
    except BrokenPipeError:  # the other process has ended
        raise
    except Exception as error:  # as one line, because a traceback could not be shown
        last = _Step(error=" ".join(str(error).split()) or type(error).__name__)
    send(msgspec.msgpack.encode(last))
