"""An index made, or brought up to date, in a process of its own, with its progress told here.

What a long run takes in memory goes with that process, what it computes does not hold this one's interpreter lock, and it can be
ended at any moment. It ends by itself when this process does.
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
from symindex.workers.pool import Slot

STEP_SECONDS: Final = 0.1
"""How often progress is told."""


NICENESS: Final = 5
"""Whoever asks something meanwhile comes first, as scouts do that answer him."""


AT_ONCE: Final = 3
"""So many runs are made at a time, however many trees a client has: each takes as many workers as there are processors."""

_TURN: Final = threading.Condition()
_running: set["Building"] = set()


class _Order(msgspec.Struct, array_like=True, frozen=True):
    """Paths are the system's bytes. index_dir: as of `IndexedRoot`."""

    root: bytes
    index_dir: bytes
    rebuild: bool


class _Step(msgspec.Struct, array_like=True, frozen=True):
    """How far it is; at the end a report's notices, or what went wrong."""

    done: int = 0
    total: int = 0
    notices: list[str] | None = None
    error: str = ""


class CancelledError(Exception):
    """A run was ended by `Building.cancel`."""


class Building:
    """One run, which waits for its turn. Any thread may cancel it.

    Args:
        root: the tree.
        index_dir: the folder that holds the index's own folder.
        rebuild: whether to read every file again.
    """

    def __init__(self, root: Path, index_dir: Path, rebuild: bool = False) -> None:
        self._root = root
        self._order = _Order(os.fsencode(root), os.fsencode(index_dir), rebuild)
        self._slot = Slot(Job("symindex.session.build_process", b""), most_starts=1)  # whoever kills a run wants it to end
        self._is_cancelled = False

    def run(self, progress: Progress) -> list[str]:
        """Waits for the end, and returns what a reader must know of it (`RefreshReport.notices`).

        progress: called in this thread. Raises StorageError where the index could not be made, CancelledError where it was
        cancelled.
        """
        with _TURN:
            _TURN.wait_for(lambda: len(_running) < AT_ONCE or self._is_cancelled)
            _running.add(self)
        try:
            return self._run(progress)
        finally:
            with _TURN:
                _running.discard(self)
                _TURN.notify_all()

    def _run(self, progress: Progress) -> list[str]:
        try:
            for answer in [] if self._is_cancelled else self._slot.ask(msgspec.msgpack.encode(self._order)):
                step = decode(answer, _Step)
                if step.error:
                    raise StorageError(step.error)
                if step.notices is not None:
                    return step.notices
                progress(step.done, step.total)
        finally:
            self._slot.close()
        if self._is_cancelled:
            raise CancelledError
        words = self._slot.exit.words if self._slot.exit is not None else ""
        raise StorageError(f"{self._root}: the process that makes the index ended ({words})")

    def cancel(self) -> None:
        """Ends the run. What is stored is as it was."""
        self._is_cancelled = True
        self._slot.stop()
        with _TURN:
            _TURN.notify_all()


def prepare(setup: bytes) -> Handler:
    """The job: the order is one index to make."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    return _build


def _build(encoded: bytes, tell: Callable[[bytes], None]) -> None:
    told_at = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told_at
        if done in (1, total) or time.monotonic() > told_at + STEP_SECONDS:
            told_at = time.monotonic()
            tell(msgspec.msgpack.encode(_Step(done, total)))

    tell(msgspec.msgpack.encode(_run(decode(encoded, _Order), progress)))


def _run(order: _Order, progress: Progress) -> _Step:
    from symindex.session.indexed_root import IndexedRoot  # here, so that who only starts this process does not load it

    try:
        check_unmoved(Path(os.fsdecode(order.root)))
        with IndexedRoot(os.fsdecode(order.root), os.fsdecode(order.index_dir)) as workspace:
            return _Step(notices=workspace.refresh(progress, order.rebuild).notices)
    except BrokenPipeError:  # nobody waits for it any more
        raise
    except Exception as error:  # told in one line; the process that reads it cannot see a traceback
        return _Step(error=" ".join(str(error).split()) or type(error).__name__)
