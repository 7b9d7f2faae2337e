"""Finds the git program and runs it.

A walk asks git for `core.excludesFile` (`git_repository`); `git_reader` asks what a repository
contains. git is taken only from absolute folders of the user's search path outside the tree,
because a tree may contain a program with that name. It gets little time and memory, and only a
bounded part of its output is read: a tree's `.git/config` can lead it to a pipe that nobody writes
to, and git reads the whole `commondir`, however large.
"""

import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from symindex.files.access.regular import read_up_to

if TYPE_CHECKING:
    import subprocess

SECONDS: float = 2.0
"""How long to wait for git, in seconds. It usually takes some milliseconds."""

MOST_MEMORY: Final = 500_000_000
"""Address space for git, in bytes, where the system can limit another process (Linux). git needs
ten million."""


LOOK_SECONDS: Final = 0.2
"""How often to ask whether git has done too much."""


class GitAnswer(NamedTuple):
    """said: the output. code: the exit code. is_late: whether git was ended because its time was
    up. is_stopped: whether it was ended because it did too much."""

    said: bytes
    code: int
    is_late: bool
    is_stopped: bool = False


_ALONE: Final = {
    "GIT_NO_LAZY_FETCH": "1",
    # an older git would fetch missing objects, but no protocol is allowed
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}
"""Environment variables for a git that must answer from one repository as it is."""

ALONE_SETTINGS: Final = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.sshCommand=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "log.showSignature=false"),  # it runs a program that the tree names
    *("-c", "log.mailmap=false"),  # this and the next four read files that the tree names
    *("-c", "mailmap.file=/dev/null"),
    *("-c", "mailmap.blob="),
    *("-c", "diff.orderFile=/dev/null"),
    *("-c", "core.attributesFile=/dev/null"),
    *("-c", "i18n.logOutputEncoding=UTF-8"),
    *("-c", "safe.bareRepository=explicit"),
    # git maps packs in pieces of this size, so that packs larger than MOST_MEMORY can be read
    *("-c", "core.packedGitWindowSize=16m"),
    *("-c", "core.packedGitLimit=128m"),
)
"""Options for reading a stranger's repository: git then runs nothing that the repository names."""


def find_git(top: Path) -> str | None:
    """Finds git on the user's search path, ignoring entries that are relative, empty, or below
    `top`."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        program = os.path.join(folder, name)
        with suppress(OSError):
            real, place = Path(os.path.realpath(program)), Path(os.path.realpath(folder))
            is_below = top == place or top in place.parents or top in real.parents
            if not is_below and stat.S_ISREG(os.stat(real).st_mode) and os.access(real, os.X_OK):
                return program
    return None


def read_config(program: str, config: bytes) -> list[tuple[str, str]] | None:
    """Reads the keys and values of a git configuration file, in order; `None` if git cannot read
    it. Does not follow includes."""
    words = [
        "-C",
        os.path.abspath(os.sep),
        "config",
        "--file",
        "-",
        "--no-includes",
        "--null",
        "--list",
    ]
    answer = run_git(program, words, 2 * len(config) + 1, SECONDS, {}, config)
    if answer is None or answer.is_late or answer.code:
        return None
    pairs = (entry.partition("\n") for entry in os.fsdecode(answer.said).split("\0") if entry)
    return [(key, value) for key, _, value in pairs]


def run_git(
    program: str,
    words: list[str],
    most_bytes: int,
    seconds: float,
    alone: Mapping[str, str] | None = None,
    standard_input: bytes = b"",
    *,
    with_faults: bool = False,
    is_too_much: Callable[[], bool] | None = None,
    most_memory: int = MOST_MEMORY,
) -> GitAnswer | None:
    """Runs git and reads at most `most_bytes` of its output; `None` if it cannot be started.

    alone: variables for a git that reads one repository as it is, independent of the environment
    and the user's configuration, without fetched, replaced or grafted objects. with_faults: whether
    the output includes what git says about faults. is_too_much: asked every `LOOK_SECONDS`, by
    another thread; git is ended when it returns true. most_memory: address space for git, in bytes.
    """
    # imported here because a search whose walk runs in another process does not need it
    import subprocess

    began = time.monotonic()
    try:
        process = subprocess.Popen(
            [program, *words],
            stdin=subprocess.PIPE if standard_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if with_faults else subprocess.DEVNULL,
            env=_environment(alone),
            start_new_session=True,
        )
    except OSError:
        return None
    _limit_memory(process, most_memory)
    timer = threading.Timer(seconds, _kill, [process])
    timer.daemon = True
    watch = _Watch(process, is_too_much) if is_too_much is not None else None
    feeder = (
        threading.Thread(target=_feed, args=[process, standard_input], daemon=True)
        if standard_input
        else None
    )
    try:
        timer.start()
        if watch is not None:
            watch.start()
        if feeder is not None:
            feeder.start()
        assert process.stdout is not None
        with process.stdout as stream:
            output = read_up_to(stream.fileno(), most_bytes)
        if len(output) < most_bytes:
            process.wait()  # it has closed its output, so it ends, or the timer ends it
        is_late = time.monotonic() - began >= seconds
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()  # a caller that forks next must have no threads
        if watch is not None:
            watch.end()
        _kill(process)
        process.wait()
        if feeder is not None and feeder.ident is not None:
            feeder.join()
    return GitAnswer(
        output, process.returncode, is_late, watch is not None and watch.has_stopped_it
    )


def _environment(alone: Mapping[str, str] | None) -> dict[str, str]:
    if alone is None:
        return {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    others = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**others, **_ALONE, **alone}


def _limit_memory(process: "subprocess.Popen[bytes]", most_bytes: int) -> None:
    if sys.platform == "linux":
        import resource

        with suppress(OSError):  # it has ended
            resource.prlimit(process.pid, resource.RLIMIT_AS, (most_bytes, most_bytes))


class _Watch(threading.Thread):
    """Ends a process once a condition is true."""

    def __init__(self, process: "subprocess.Popen[bytes]", is_true: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        self.has_stopped_it = False
        self._process = process
        self._is_true = is_true
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            if self._is_true():
                self.has_stopped_it = True
                _kill(self._process)
                return

    def end(self) -> None:
        self._ended.set()
        if self.ident is not None:
            self.join()


def _feed(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    """Writes all of git's input and closes it. git may end earlier."""
    assert process.stdin is not None
    with suppress(OSError), process.stdin as stream:
        stream.write(data)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kills git and its children."""
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
