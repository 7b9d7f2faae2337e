"""The git program: where it is, and how it is run.

A walk asks it for `core.excludesFile`, `explore/git_objects` for what a repository holds. It is taken only from absolute folders
of the user's search path outside of the tree, for a tree may hold a program of that name. It gets little time and memory, and
little of its output is read: a tree's `.git/config` can lead it to a pipe that nobody writes to, and git reads its `commondir`
whole, however large that is.
"""

import os
import signal
import stat
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import subprocess

SECONDS: float = 2.0
"""How long to wait for git, which usually takes some milliseconds."""

MOST_MEMORY: Final = 500_000_000
"""Bytes of address space for git, where the system can limit another process (Linux). It takes ten million."""

_MOST_BYTES: Final = 65_536

_NOTHING_FOUND: Final = 1
_USAGE: Final = 129
"""Exit codes of git: no such key; options that an older git does not know."""

Answer = list[tuple[str, str]]
"""Scopes and values, the last of which counts most."""


class GitAnswer(NamedTuple):
    """What git wrote to its output, its exit code, and whether it was ended because its time was over."""

    said: bytes
    code: int
    is_late: bool


_ALONE: Final = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # an older git fetches what is missing all the same, but by no way that there is
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}
"""The environment of a git that is to answer from one repository as it is."""

ALONE_SETTINGS: Final = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.sshCommand=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "log.showSignature=false"),  # it runs a program that the tree names
    *("-c", "safe.bareRepository=explicit"),
)
"""Options of a git that reads a repository of strangers: it runs nothing that the repository names."""

_silent: dict[Path, tuple[Answer, str]] = {}
"""What `ask_git` returns for trees where git failed, so that nobody waits again."""


def ask_git(root: Path, top: Path) -> tuple[Answer, str]:
    """The values of `core.excludesFile` for a folder, and their scopes. top: of its repository.

    Where git fails or does not answer in time, its answer without the tree's own configuration, and a reason in place of "".
    """
    program = find_git(top)
    if program is None:
        return [], ""
    if root not in _silent:
        answer = _ask(program, root)
        if not isinstance(answer, str):
            return answer, ""
        otherwise = _ask(program, Path(root.anchor))
        _silent[root] = ([], answer) if isinstance(otherwise, str) else (otherwise, f"{answer}: see .git")
    return _silent[root]


def find_git(top: Path) -> str | None:
    """The path of git by the user's search path, without the parts of it that are relative, empty, or below `top`."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        program = os.path.join(folder, name)
        with suppress(OSError):
            real, place = Path(os.path.realpath(program)), Path(os.path.realpath(folder))
            is_below = top == place or top in place.parents or top in real.parents
            if not is_below and stat.S_ISREG(os.stat(real).st_mode) and os.access(real, os.X_OK):
                return program
    return None


def _ask(program: str, folder: Path) -> Answer | str:
    """git's answer in a folder, or why it gave none. An older git that does not know the options gives an empty answer."""
    words = ["-C", str(folder), "config", "--null", "--show-scope", "--path", "--get-all", "core.excludesFile"]
    answer = run_git(program, words, _MOST_BYTES, SECONDS)
    if answer is None:
        return []
    if answer.is_late:
        return f"git did not name it within {SECONDS:g} s"
    if not answer.said and answer.code not in (0, _NOTHING_FOUND, _USAGE):
        return "git failed to name it"
    found = os.fsdecode(answer.said).split("\0")
    return list(zip(found[0:-1:2], found[1::2], strict=False))


def run_git(program: str, words: list[str], most_bytes: int, seconds: float, alone_in: Path | None = None) -> GitAnswer | None:
    """Runs git, and reads at most so many bytes of what it says. `None` where it cannot be started.

    alone_in: the top of the one repository that git may find, whatever the environment says, and without anything fetched,
    replaced or grafted in it.
    """
    import subprocess  # here, because a search whose walk runs in another process does without

    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    if alone_in is not None:
        environment = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
        environment |= {**_ALONE, "GIT_CEILING_DIRECTORIES": str(alone_in.parent)}
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            [program, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except OSError:
        return None
    if sys.platform == "linux":
        import resource

        with suppress(OSError):  # it has ended
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    timer = threading.Timer(seconds, _kill, [process])
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout as stream:
            said = stream.read(most_bytes)
        if len(said) < most_bytes:
            process.wait()  # it has closed its output, and ends, or the timer ends it
        is_late = time.monotonic() - began >= seconds
    finally:
        timer.cancel()
        timer.join()  # a caller that forks next must have no thread
        _kill(process)
        process.wait()
    return GitAnswer(said, process.returncode, is_late)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends git and its children."""
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
