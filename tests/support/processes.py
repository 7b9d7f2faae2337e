"""Processes as `/proc` shows them, and the signals that a test process starts with."""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.waiting import SECONDS, until

needs_proc: Final = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"
)


def reset_signals() -> None:
    """Makes signals end this process and its children again.

    A shell that is not interactive starts background jobs with SIGINT ignored, and `nohup` ignores
    SIGHUP; children inherit both. Tests that send such a signal would then wait forever.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(
                number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
            )
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, ())


def processes_below(process_id: int) -> dict[int, str]:
    """Returns all descendants of a process: their commands, by number."""
    parents: dict[int, int] = {}
    for number in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        status = _status(number)
        if status is not None:
            parents[number] = int(status[1])
    commands: dict[int, str] = {}
    for number in parents:
        ancestor = number
        while ancestor in parents and ancestor != process_id:
            ancestor = parents[ancestor]
        if ancestor == process_id and number != process_id:
            with contextlib.suppress(OSError):
                commands[number] = (
                    Path(f"/proc/{number}/cmdline")
                    .read_bytes()
                    .replace(b"\0", b" ")
                    .decode("utf-8", "replace")
                )
    return commands


def processes_named(process_id: int, word: str) -> list[int]:
    """Returns the descendants whose command contains a word."""
    return [number for number, command in processes_below(process_id).items() if word in command]


def is_running(process_id: int) -> bool:
    """Whether a process has not ended."""
    return _status(process_id) is not None


def wait_for_ends(process_ids: Iterable[int], seconds: float = SECONDS) -> None:
    """Waits until none of these processes is running."""
    numbers = [*process_ids]
    until(lambda: not any(map(is_running, numbers)), f"the end of {numbers}", seconds)


def _status(process_id: int) -> list[str] | None:
    """Returns the fields of /proc/ID/stat after the name (the state, the parent, ...), or `None`
    for a process that has ended."""
    try:
        status = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return status if status[0] != "Z" else None


@contextlib.contextmanager
def stopped(process_id: int) -> Iterator[None]:
    """Stops a process for the duration of the block."""
    os.kill(process_id, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGCONT)
