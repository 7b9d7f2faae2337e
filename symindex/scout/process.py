"""A process of a scout, seen from outside: orders in, answers out, and how long it has owed one.

Unlike the workers of `source/workers` it does not get its work at the start: files to look through come while the tree is walked,
files to parse while others are looked through.
"""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from symindex.errors import StorageError
from symindex.scout.worker import Read, Scan, Scanned, ScoutJob
from symindex.source.frames import read_frame, write_frame
from symindex.source.records import FileSymbols

_Answer = TypeVar("_Answer")


class Process:
    """One worker process. It is started with the object; its answers are read by one thread, any thread may `kill` it."""

    def __init__(self, job: ScoutJob) -> None:
        package_parent = str(Path(__file__).resolve().parent.parent.parent)
        code = (
            "import sys; sys.path.insert(0, sys.argv.pop()); "
            "from symindex.scout.worker import main; main()"
        )  # fmt: skip
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, package_parent],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0,  # Ctrl-C is for this process, which ends its workers
            )
        except OSError as error:
            raise StorageError(f"{sys.executable}: cannot start a worker process: {error.strerror}") from None
        self._waits_since: float | None = None
        self.ended = False
        self._send(msgspec.msgpack.encode(job))

    def wait_ready(self) -> bool:
        """Waits until it has understood its job; `False` where it has ended instead."""
        return self._receive(bool) is not None

    def scan(self, order: Scan) -> Scanned | None:
        """The answer; `None` where the process has ended instead."""
        self._send(msgspec.msgpack.encode(order))
        return self._receive(_SCANNED.decode)

    def read(self, order: Read) -> Iterator[FileSymbols]:
        """The files as they come; fewer than asked for where the process ends."""
        self._send(msgspec.msgpack.encode(order))
        for _ in order.paths:
            result = self._receive(_FILE.decode)
            if result is None:
                return
            yield result

    def _send(self, payload: bytes) -> None:
        assert self._process.stdin is not None
        try:
            write_frame(self._process.stdin, payload)
        except (OSError, ValueError):
            self.ended = True

    def _receive(self, decode: Callable[[bytes], _Answer]) -> _Answer | None:
        assert self._process.stdout is not None
        self._waits_since = time.monotonic()
        frame = read_frame(self._process.stdout)
        self._waits_since = None
        self.ended = self.ended or frame is None
        return decode(frame) if frame is not None else None

    def end_if_late(self, seconds: float) -> None:
        """Ends the process if it has owed an answer for longer than that."""
        since = self._waits_since
        if since is not None and time.monotonic() - since > seconds:
            self.kill()

    def last_words(self) -> str:
        """How it ended."""
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()

    def close(self) -> None:
        """Ends the process and waits for that; for the thread that reads its answers, or when that has ended."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # a broken pipe still flushes what nobody will read
                pipe.close()
        self._process.wait()


_SCANNED = msgspec.msgpack.Decoder(Scanned)
_FILE = msgspec.msgpack.Decoder(FileSymbols)
