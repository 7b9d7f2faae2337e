"""Commands: symindex in this process, as a process of its own, and other programs. None outlives
its test."""

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
"""What a process may take, on a busy machine; less than a test may."""


class Ran:
    """What a run gave. Run in this process, through the same `main` that a shell calls."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def run(*arguments: str) -> Ran:
    """Runs symindex in this process."""
    result = CliRunner().invoke(_Main(), [*arguments])  # type: ignore[arg-type]
    gc.enable()  # a command that answers collects nothing any more
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


class _Main:
    """Lets click's runner, which catches the streams, call the door's own `main`."""

    name = "symindex"

    def main(self, args: list[str], prog_name: str, **_: object) -> None:
        door.main(list(args))


def run_program(
    command: Sequence[str | Path], **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Runs any program to its end; its output is text. options: of subprocess.run."""
    caught = {} if {"stdout", "stderr"} & options.keys() else {"capture_output": True}
    usual = {"text": True, "check": False, "timeout": SECONDS}
    return subprocess.run([str(word) for word in command], **{**usual, **caught, **options})


def run_symindex(*arguments: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Runs symindex to its end, in a process of its own."""
    return run_program([*SYMINDEX, *arguments], **options)


def run_python(
    code: str, *arguments: str | Path, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Runs a script in a process of its own."""
    return run_program([sys.executable, "-c", code, *arguments], **options)


@contextlib.contextmanager
def started(command: Sequence[str | Path], **options: Any) -> "Iterator[subprocess.Popen[Any]]":
    """A process beside the test. At the end its streams are closed, and it is waited for; where the
    test fails, it is killed.

    options: of Popen; without others, its output is text and comes through pipes.
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
    """What stands before a command that file modes shall bind: takes the capabilities to override
    them from root, if this is."""
    capabilities = "-dac_override,-dac_read_search"
    return (
        ["setpriv", f"--bounding-set={capabilities}", f"--inh-caps={capabilities}"]
        if os.geteuid() == 0
        else []
    )


def run_unprivileged(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """symindex run as a user whom file modes bind."""
    return run_program([*unprivileged(), *SYMINDEX, *arguments])
