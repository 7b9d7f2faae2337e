"""Runs commands and measures them: wall and processor seconds with all children, or the peak memory
of all processes.

Memory is the sum of the processes' proportional set sizes (PSS: a page that three processes share
counts a third for each), read from /proc every 20 ms. Reading it disturbs the run, so a run
measures either time or memory.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from tests.bench.places import BenchError

SAMPLE_SECONDS: Final = 0.02


@dataclass(frozen=True)
class Run:
    """What one run of a command took. peak_bytes: 0 if the run was timed."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int = 0


def run_command(
    command: Sequence[str | Path],
    output: Path | None = None,
    folder: Path | None = None,
    codes: Sequence[int] = (0,),
    weigh: bool = False,
) -> Run:
    """Runs a command to its end. output: the file for its standard output. codes: the exit codes
    that are not failures.

    Raises BenchError if it fails.
    """
    # Standard error goes to a file, because a command with many warnings would fill a pipe.
    with open(output or os.devnull, "wb") as stdout, tempfile.TemporaryFile() as stderr:
        run, code = _run([str(part) for part in command], stdout, stderr, folder, weigh)
        stderr.seek(0)
        errors = stderr.read().decode(errors="replace").strip()
    if code not in codes:
        raise BenchError(
            f"{command[0]}: exit code {code}: {errors.splitlines()[-1] if errors else 'no word why'}"
        )
    return run


def _run(
    command: Sequence[str], stdout: IO[bytes], stderr: IO[bytes], folder: Path | None, weigh: bool
) -> tuple[Run, int]:
    """Runs a command; returns its measurements and exit code. Raises BenchError if there is no such
    command."""
    started = time.perf_counter()
    try:
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr, cwd=folder)
    except FileNotFoundError:
        raise BenchError(f"{command[0]}: not here; install it") from None
    peak = 0
    while weigh:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            break
        peak = max(peak, memory_bytes(process.pid))
        time.sleep(SAMPLE_SECONDS)
    else:
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(wall, usage.ru_utime + usage.ru_stime, peak), process.returncode


def memory_bytes(pid: int) -> int:
    """Returns the current memory of a process and its descendants."""
    return sum(map(_pss, _tree(pid)))


def processor_seconds(pid: int) -> float:
    """Returns the processor time so far of a process and its descendants."""
    ticks = 0
    for member in _tree(pid):
        with suppress(OSError), open(f"/proc/{member}/stat") as file:  # it may have ended
            # The command's name, in parentheses, may contain blanks; after it comes the third
            # field.
            fields = file.read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _tree(pid: int) -> list[int]:
    """Returns a process and its descendants."""
    pids = [pid]
    for parent in pids:
        try:
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children") as file:
                    pids.extend(map(int, file.read().split()))
        except OSError:
            continue
    return pids


def _pss(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return next(
                (int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:")), 0
            )
    except OSError:  # it has ended
        return 0


def resident_bytes() -> int:
    """Returns the current memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def end_commands(mentioned: str) -> None:
    """Kills the processes whose command contains a text, such as one that outlives the command that
    started it."""
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and mentioned.encode() in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)
