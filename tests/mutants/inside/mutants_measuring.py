"""Measures which lines of a package a process reaches, whatever way the process ends.

A file of paths loads it in each Python process of a copy, also in isolated ones. The processes that
tests start get the test file as their context; `mutants_recorded` sets the contexts in the process
of the tests.
"""

import atexit
import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

import coverage

FOLDER: Final = os.environ["MUTANTS_RECORD"]
SAVE: Final = getattr(signal, "SIGUSR2", None)
"""Makes a process save what it has measured, because it will be killed."""

MOST_SECONDS: Final = 0.5
"""How long a process that is killed may take to save."""

_IS_CHILD: Final = "MUTANTS_TEST_FILE" in os.environ
_measured: coverage.Coverage | None = None


def start() -> None:
    """Measures this process until it ends."""
    global _measured
    # The quick core cannot change its context, which only the process of the tests does.
    is_quick = _IS_CHILD and sys.version_info >= (3, 12)
    os.environ["COVERAGE_CORE"] = "sysmon" if is_quick else "ctrace"
    _measured = coverage.Coverage(
        data_file=os.path.join(FOLDER, "lines"),
        data_suffix=True,
        config_file=False,
        # Not `source`: each process would also look for files that it has not run.
        include=[os.path.join(os.environ["MUTANTS_SOURCE"], "*")],
        context=os.environ.get("MUTANTS_TEST_FILE"),
        messages=False,
    )
    _measured.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured"])
    _measured.start()
    atexit.register(save)
    _save_before_exit()
    if SAVE is not None and _IS_CHILD:
        signal.signal(SAVE, lambda *_: save())
        Path(_mark(os.getpid())).touch()
    _save_before_kill()


def _mark(process_id: int) -> str:
    """Returns the path of a file that exists while a process has not saved."""
    return os.path.join(FOLDER, f"unsaved-{process_id}")


def save() -> None:
    """Saves what was measured, and measures no more. May be called again."""
    global _measured
    measured, _measured = _measured, None
    if measured is not None:
        # Nothing of this may change how the process ends.
        with contextlib.suppress(Exception):
            measured.stop()
            measured.save()
    with contextlib.suppress(OSError):
        os.unlink(_mark(os.getpid()))


def _save_before_exit() -> None:
    leave = os._exit

    def saved(code: int) -> None:
        save()
        leave(code)

    os._exit = saved  # type: ignore[assignment]


def _save_before_kill() -> None:
    kill = os.kill

    def softly(process_id: int, number: int) -> None:
        mark = _mark(process_id)
        if number == getattr(signal, "SIGKILL", None) and os.path.exists(mark):
            kill(process_id, SAVE)  # type: ignore[arg-type]
            last = time.monotonic() + MOST_SECONDS
            while os.path.exists(mark) and time.monotonic() < last:
                time.sleep(0.005)
        kill(process_id, number)

    os.kill = softly


def switch(context: str) -> None:
    """Gives what follows another context."""
    if _measured is not None:
        _measured.switch_context(context)
