"""Runs commands in separate processes, with their own home and a time limit, and finds every
process that they leave behind."""

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

SYMINDEX: Final = str(Path(sys.executable).parent / "symindex")
"""The installed command: `python -m` would search the current folder for modules before any of our
code runs."""

MARK: Final = "SYMINDEX_ATTACK_RUN"
"""A variable in the environment of each process that a command starts, which identifies it."""

LEAVE_SECONDS: Final = 30.0
"""How long a process may outlive its command, in seconds: an index may be built after a search."""

MOST_MEMORY: Final = 6_000_000_000
"""Limit of address space, in bytes: a fault must not bring down the machine."""

RUNS_OUT_OF_MEMORY: Final = 1_250_000_000
"""Memory limit of each process, in bytes. A worker has 1 GB, and it counts the memory of its parent
until it has started."""


class Ran(NamedTuple):
    """How a command ended. code: negative for a signal. peak_bytes: the most memory of it or of a
    process that it started."""

    arguments: Sequence[str]
    code: int
    out: bytes
    err: bytes
    seconds: float
    is_late: bool
    peak_bytes: int

    def faults(self, codes: Sequence[int] = (0, 1, 2)) -> list[str]:
        """Returns faults that are faults for every command."""
        asked = " ".join(self.arguments)
        faults = [f"`{asked}`: no end within {self.seconds:.0f} s"] if self.is_late else []
        if not self.is_late and self.code not in codes:
            faults.append(f"`{asked}`: exit code {self.code}: {_last_line(self.err)}")
        if b"Traceback" in self.err:
            faults.append(f"`{asked}`: a traceback: {_last_line(self.err)}{_last_place(self.err)}")
        if self.peak_bytes > RUNS_OUT_OF_MEMORY:
            faults.append(f"`{asked}`: {self.peak_bytes // 1_000_000:,} MB of memory")
        return faults


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", "backslashreplace").strip().splitlines()
    return lines[-1][:300] if lines else "nothing said"


def _last_place(said: bytes) -> str:
    """Returns the last place in our code in a traceback."""
    places = re.findall(
        r'symindex[/\\](\w[^"]*)", line (\d+)', said.decode("utf-8", "backslashreplace")
    )
    return f" (symindex/{places[-1][0]}:{places[-1][1]})" if places else ""


class Attacked:
    """A home whose user runs commands. As a context, it ends the processes that they left running.

    top: an empty folder, in which `home` is made.
    """

    def __init__(self, top: Path) -> None:
        self.home = top / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.mark = uuid.uuid4().hex
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("SYMINDEX", "PYTHON", "GIT_"))
            },
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "NO_COLOR": "1",
            "TERM": "dumb",
            MARK: self.mark,
        }

    def __enter__(self) -> "Attacked":
        return self

    def __exit__(self, *_: object) -> None:
        for number in self.processes():
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)

    def start(
        self, arguments: Sequence[str], folder: Path, **streams: int
    ) -> "subprocess.Popen[bytes]":
        """Starts a command. streams: for `Popen`."""
        process = subprocess.Popen(  # type: ignore[call-overload]
            [SYMINDEX, *arguments],
            cwd=folder,
            env=self.environment,
            start_new_session=True,
            **streams,
        )
        if sys.platform == "linux":
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        return process

    def run(
        self, arguments: Sequence[str], folder: Path, seconds: float, terminal: bool = False
    ) -> Ran:
        """Runs a command to its end, or to its time limit. terminal: whether its output goes to a
        terminal."""
        begun = time.monotonic()
        late = threading.Event()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with _output(out.fileno(), terminal) as sink:
                process = self.start(
                    arguments, folder, stdin=subprocess.DEVNULL, stdout=sink, stderr=err.fileno()
                )

                def end() -> None:
                    late.set()
                    os.killpg(process.pid, signal.SIGKILL)

                timer = threading.Timer(seconds, end)
                timer.start()
                _, status, usage = os.wait4(process.pid, 0)
                timer.cancel()
                process.returncode = os.waitstatus_to_exitcode(status)
            taken = time.monotonic() - begun
            out.seek(0)
            err.seek(0)
            peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            return Ran(
                arguments, process.returncode, out.read(), err.read(), taken, late.is_set(), peak
            )

    def processes(self) -> dict[int, str]:
        """Returns the running descendants of all commands, by number, with their command lines.
        Works only on Linux."""
        commands: dict[int, str] = {}
        mark = f"{MARK}={self.mark}".encode()
        for number in (
            (int(name) for name in os.listdir("/proc") if name.isdigit())
            if os.path.isdir("/proc")
            else ()
        ):
            with contextlib.suppress(OSError):
                if mark in Path(f"/proc/{number}/environ").read_bytes().split(b"\0"):
                    command = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ")
                    if command:  # otherwise it is a zombie
                        commands[number] = command.decode("utf-8", "replace")
        return commands

    def left_behind(self, seconds: float = LEAVE_SECONDS) -> list[str]:
        """Returns the commands of processes that do not end in time."""
        end = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.02)
        return [command.split(" symindex.")[-1][:100] for command in left.values()]


@contextlib.contextmanager
def _output(target: int, terminal: bool) -> Iterator[int]:
    """Yields the output of a command: the target, or a terminal whose content is copied to it."""
    if not terminal:
        yield target
        return
    import pty

    master, slave = pty.openpty()

    def copy() -> None:
        with contextlib.suppress(OSError):  # the other end of the terminal is closed
            while data := os.read(master, 1 << 16):
                os.write(target, data)

    reader = threading.Thread(target=copy, daemon=True)
    reader.start()
    try:
        yield slave
    finally:
        os.close(slave)
        reader.join(5.0)
        os.close(master)


@contextlib.contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Raises TimeoutError if the block takes longer. Works only in the main thread."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"{what}: no end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def own_peak_bytes() -> int:
    """Returns the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )
