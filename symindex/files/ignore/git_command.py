"""The git program, which is asked only for `core.excludesFile`.

The program is taken only from absolute folders of the user's search path outside of the tree, for a tree may hold a program of
that name. It gets little time and memory, and little of its output is read: a tree's `.git/config` can lead it to a pipe that
nobody writes to, and git reads its `commondir` whole, however large that is.
"""

import os
import signal
import stat
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
    import subprocess  # here, because a search whose walk runs in another process does without

    command = [program, "-C", str(folder), "config", "--null", "--show-scope", "--path", "--get-all", "core.excludesFile"]
    began = time.monotonic()
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
    if sys.platform == "linux":
        import resource

        with suppress(OSError):  # it has ended
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    timer = threading.Timer(SECONDS, _kill, [process])
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout as stream:
            said = stream.read(_MOST_BYTES)
        if len(said) < _MOST_BYTES:
            process.wait()  # it has closed its output, and ends, or the timer ends it
        is_late = time.monotonic() - began >= SECONDS
    finally:
        timer.cancel()
        timer.join()  # a caller that forks next must have no thread
        _kill(process)
        process.wait()
    if is_late:
        return f"git did not name it within {SECONDS:g} s"
    if not said and process.returncode not in (0, _NOTHING_FOUND, _USAGE):
        return "git failed to name it"
    words = os.fsdecode(said).split("\0")
    return list(zip(words[0:-1:2], words[1::2], strict=False))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends git and its children."""
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
