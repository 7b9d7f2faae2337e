"""A process that follows a tree and answers the searches of others during a measurement."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench.places import BenchError

START_SECONDS: Final = 120.0


@contextmanager
def daemon_for(root: Path, index_dir: Path) -> Iterator[None]:
    """Runs `symindex serve` for a tree, and waits until it answers. Raises BenchError if it does
    not."""
    command = [
        sys.executable,
        "-m",
        "symindex",
        "serve",
        "--root",
        str(root),
        "--index-dir",
        str(index_dir),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        if "answers for" not in line:
            raise BenchError(
                f"{' '.join(command)}: {line.strip() or 'no word why it does not answer'}"
            )
        _wait_for(index_dir)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        process.stderr.close()  # type: ignore[union-attr]


def _wait_for(index_dir: Path) -> None:
    latest = time.monotonic() + START_SECONDS
    while not any(index_dir.glob("*/daemon.socket")):
        if time.monotonic() > latest:
            raise BenchError(f"{index_dir}: no daemon listens")
        time.sleep(0.05)
    time.sleep(1.0)  # it walks the tree
