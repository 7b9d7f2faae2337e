"""Runs symindex in this process and in others, and other programs. No process outlives its test."""

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from symindex.serve.cli import main as door

SYMINDEX: Final = [sys.executable, "-m", "symindex"]

SECONDS: Final = 60.0
"""Time limit of a process, in seconds, on a busy machine; shorter than the limit of a test."""


class Ran:
    """The exit code and the output of a run in this process."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def run(*arguments: str, given: bytes | None = None) -> Ran:
    """Runs symindex in this process, through the `main` that a shell calls. given: its standard
    input."""
    result = CliRunner().invoke(_Main(), [*arguments], input=given)  # type: ignore[arg-type]
    gc.enable()  # a command turns garbage collection off when it answers
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


class _Main:
    """Lets click's runner, which captures the streams, call symindex's own `main`."""

    name = "symindex"

    def main(self, args: list[str], prog_name: str, **_: object) -> None:
        door.main(list(args))


def run_program(
    command: Sequence[str | Path], **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Runs a program to its end, with its output as text. options: for `subprocess.run`."""
    caught = {} if {"stdout", "stderr"} & options.keys() else {"capture_output": True}
    usual = {"text": True, "check": False, "timeout": SECONDS}
    return subprocess.run([str(word) for word in command], **{**usual, **caught, **options})


def run_symindex(*arguments: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Runs symindex to its end in a separate process."""
    return run_program([*SYMINDEX, *arguments], **options)


def run_python(
    code: str, *arguments: str | Path, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Runs a script in a separate process."""
    return run_program([sys.executable, "-c", code, *arguments], **options)


@contextlib.contextmanager
def started(command: Sequence[str | Path], **options: Any) -> "Iterator[subprocess.Popen[Any]]":
    """Starts a process. At the end of the block, closes its streams and waits for it; kills it if
    the test fails.

    options: for `Popen`; by default, the streams are text in pipes.
    """
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([str(word) for word in command], **{**usual, **options})
    try:
        yield process
        _close(process)
        process.wait(SECONDS)
    finally:
        process.kill()
        process.wait()
        _close(process)


def _close(process: "subprocess.Popen[Any]") -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def unprivileged() -> list[str]:
    """Returns a command prefix that makes file modes effective: for root, it drops the capabilities
    that override them."""
    capabilities = "-dac_override,-dac_read_search"
    return (
        ["setpriv", f"--bounding-set={capabilities}", f"--inh-caps={capabilities}"]
        if os.geteuid() == 0
        else []
    )


def run_unprivileged(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """Runs symindex as a user for whom file modes are effective."""
    return run_program([*unprivileged(), *SYMINDEX, *arguments])
