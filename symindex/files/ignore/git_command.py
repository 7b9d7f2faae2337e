"""git itself, asked for the one thing that is not in a place of its own: what `core.excludesFile` is.

The program is looked for only where the user's own search path names a whole path outside of the tree, for a tree may hold a
program of that name. It gets little time and memory, and what it says is read in part: a tree's `.git/config` can lead it to a
pipe that nobody writes to, and git reads its `commondir` whole, however large it is.
"""

import os
import signal
import stat
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import subprocess

SECONDS: float = 2.0
"""How long git is waited for; usually it takes some milliseconds."""

MOST_MEMORY: Final = 500_000_000
"""How many bytes of addresses git may have, where the system limits those of another process (Linux). It takes ten million."""

_MOST_BYTES: Final = 65_536

_NOTHING_FOUND: Final = 1
_USAGE: Final = 129
"""Exit codes of git: no such key; options that an older git does not know."""

Answer = list[tuple[str, str]]
"""Scopes and values, the last of which counts most."""

_silent: dict[Path, tuple[str, Answer]] = {}
"""Trees of which git did not say it, why, and what it said without them: it is not waited for again."""


class GitSilentError(Exception):
    """git did not answer in time, or failed. otherwise: what it says without the tree's own configuration."""

    def __init__(self, why: str, otherwise: Answer) -> None:
        super().__init__(why)
        self.otherwise = otherwise


def ask_git(root: Path, top: Path) -> Answer:
    """What `core.excludesFile` is for a folder, and who says so. top: of its repository. Raises GitSilentError."""
    if root in _silent:
        raise GitSilentError(*_silent[root])
    program = find_git(top)
    if program is None:
        return []
    answer = _asked(program, root)
    if not isinstance(answer, str):
        return answer
    otherwise = _asked(program, Path(root.anchor))
    _silent[root] = (answer, []) if isinstance(otherwise, str) else (f"{answer}: see .git", otherwise)
    raise GitSilentError(*_silent[root])


def find_git(top: Path) -> str | None:
    """The path of git by the user's search path; parts of that which are relative, empty, or below `top` do not count."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if not os.path.isabs(folder):
            continue
        program = os.path.join(folder, name)
        with suppress(OSError):
            real = Path(os.path.realpath(program))
            if stat.S_ISREG(os.stat(real).st_mode) and os.access(real, os.X_OK) and not _is_below(top, folder, real):
                return program
    return None


def _is_below(top: Path, folder: str, real: Path) -> bool:
    return top in real.parents or top in (place := Path(os.path.realpath(folder))).parents or top == place


def _asked(program: str, folder: Path) -> Answer | str:
    """git's answer in a folder, or why there is none. An older git that does not know the options says nothing."""
    import subprocess  # here, because a search that has another process walk does without

    command = [program, "-C", str(folder), "config", "--null", "--show-scope", "--path", "--get-all", "core.excludesFile"]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"},
            start_new_session=True,
        )
    except OSError:
        return []
    _limit_memory(process.pid)
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        _kill(process)

    timer = threading.Timer(SECONDS, end)
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout as stream:
            said = stream.read(_MOST_BYTES)
        if len(said) < _MOST_BYTES:
            process.wait()  # it has closed what it writes to, and ends, or the timer ends it
    finally:
        timer.cancel()
        timer.join()  # whoever forks next must have no thread
        _kill(process)
        process.wait()
    if is_late.is_set():
        return f"git did not name it within {SECONDS:g} s"
    if not said and process.returncode not in (0, _NOTHING_FOUND, _USAGE):
        return "git failed to name it"
    words = os.fsdecode(said).split("\0")
    return list(zip(words[0:-1:2], words[1::2], strict=False))


def _limit_memory(number: int) -> None:
    """Of a process that has just begun."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError):  # it has ended
            resource.prlimit(number, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends git and whatever it has started."""
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
