"""An index made, or brought up to date, in a process of its own, with its progress told here.

What a long run takes in memory goes with that process, what it computes does not hold this one's interpreter lock, and it can be
ended at any moment. It ends by itself when this process does.
"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import StorageError
from symindex.files.walk import check_unmoved
from symindex.index.update import Progress
from symindex.text.decoding import decode
from symindex.workers.framing import read_frame, worker_ends, write_frame
from symindex.workers.process import Process

STEP_SECONDS: Final = 0.1
"""How often progress is told."""


NICENESS: Final = 5
"""Whoever asks something meanwhile comes first, as scouts do that answer him."""


AT_ONCE: Final = 3
"""So many runs are made at a time, however many trees a client has: each takes as many workers as there are processors."""

_TURN: Final = threading.Condition()
_running: set["Building"] = set()


class _Job(msgspec.Struct, array_like=True, frozen=True):
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
        self._job = _Job(os.fsencode(root), os.fsencode(index_dir), rebuild)
        self._process: Process | None = None
        self._lock = threading.Lock()
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
        with self._lock:
            if self._is_cancelled:
                raise CancelledError
            process = self._process = Process("symindex.session.build_process", msgspec.msgpack.encode(self._job))
        try:
            while (frame := process.receive()) is not None:
                step = decode(frame, _Step)
                if step.error:
                    raise StorageError(step.error)
                if step.notices is not None:
                    return step.notices
                progress(step.done, step.total)
            if self._is_cancelled:
                raise CancelledError
            raise StorageError(f"{os.fsdecode(self._job.root)}: the process that makes the index ended ({process.last_words()})")
        finally:
            process.kill()
            process.close()

    def cancel(self) -> None:
        """Ends the run. What is stored is as it was."""
        with self._lock:
            self._is_cancelled = True
            if self._process is not None:
                self._process.kill()
        with _TURN:
            _TURN.notify_all()


def main() -> None:
    """Makes the index that the first frame names."""
    orders, answers = worker_ends()
    first = read_frame(orders)
    if first is None:
        return
    job = msgspec.msgpack.decode(first, type=_Job)

    def end_with_parent() -> None:
        orders.read()
        os._exit(1)  # whatever is being done: nobody waits for it, and what is stored stays as it was

    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)

    def tell(step: _Step) -> None:
        write_frame(answers, msgspec.msgpack.encode(step))

    told_at = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told_at
        if done in (1, total) or time.monotonic() > told_at + STEP_SECONDS:
            told_at = time.monotonic()
            tell(_Step(done, total))

    tell(_run(job, progress))


def _run(job: _Job, progress: Progress) -> _Step:
    from symindex.session.indexed_root import IndexedRoot  # here, so that who only starts this process does not load it

    try:
        check_unmoved(Path(os.fsdecode(job.root)))
        with IndexedRoot(os.fsdecode(job.root), os.fsdecode(job.index_dir)) as workspace:
            return _Step(notices=workspace.refresh(progress, job.rebuild).notices)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as error:  # told in one line; the process that reads it cannot see a traceback
        return _Step(error=" ".join(str(error).split()) or type(error).__name__)


if __name__ == "__main__":
    main()
