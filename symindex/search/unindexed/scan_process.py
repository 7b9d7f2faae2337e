"""A process of a scout, seen from outside: orders in, answers out, and how long it has owed one.

Unlike the workers of `workers/pool` it does not get its work at the start: files to look through come while the tree is walked,
files to parse while others are looked through.
"""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from symindex.extract.records import FileSymbols
from symindex.search.unindexed.scan_job import Read, Scan, Scanned, ScoutJob
from symindex.text.decoding import decoder_of
from symindex.workers.memory_limit import worker_memory
from symindex.workers.process import Process

_Answer = TypeVar("_Answer")


class ScoutProcess(Process):
    """One worker process of a scout."""

    def __init__(self, job: ScoutJob) -> None:
        self._waits_since: float | None = None
        super().__init__("symindex.search.unindexed.scan_job", msgspec.msgpack.encode(job), worker_memory())

    def wait_ready(self) -> bool:
        """Waits until it has understood its job; `False` where it has ended instead."""
        return self._ask(bool) is not None

    def scan(self, order: Scan) -> Scanned | None:
        """The answer; `None` where the process has ended instead."""
        self.send(msgspec.msgpack.encode(order))
        return self._ask(_SCANNED.decode)

    def read(self, order: Read) -> Iterator[FileSymbols]:
        """The files as they come; fewer than asked for where the process ends."""
        self.send(msgspec.msgpack.encode(order))
        for _ in order.paths:
            result = self._ask(_FILE.decode)
            if result is None:
                return
            yield result

    def _ask(self, decode: Callable[[bytes], _Answer]) -> _Answer | None:
        self._waits_since = time.monotonic()
        frame = self.receive()
        self._waits_since = None
        return decode(frame) if frame is not None else None

    def end_if_late(self, seconds: float) -> None:
        """Ends the process if it has owed an answer for longer than that."""
        since = self._waits_since
        if since is not None and time.monotonic() - since > seconds:
            self.kill()

    def close(self, is_told: bool = True) -> None:
        """Ends it, whatever it is doing, and waits for that; for the thread that reads its answers, or when that has ended."""
        self.kill()
        super().close(is_told)


_SCANNED = decoder_of(Scanned)
_FILE = decoder_of(FileSymbols)
