"""Hides from symindex everything that only POSIX has, so that the interpreter resembles one on
Windows.

The modules of symindex get stand-ins for their imports: `os` without `fork` and `geteuid`, folders
that cannot be opened, no `fcntl`, `sys.platform` of Windows. Python's own library and other
packages keep the real ones. `make_interpreter` makes an interpreter that does this before anything
else runs, also in each process that symindex starts: these use `sys.executable`, and no option
stops them from reading the `.pth` files next to it.

This module imports nothing of symindex, because that import would come too early.
"""

import builtins
import ctypes
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

MODULES: Final = frozenset(
    {
        "crypt",
        "curses",
        "fcntl",
        "grp",
        "posix",
        "pty",
        "pwd",
        "readline",
        "resource",
        "spwd",
        "syslog",
        "termios",
        "tty",
    }
)
"""Modules that Windows does not have."""

_OS: Final = frozenset(
    {"DirEntry", "F_OK", "O_APPEND", "O_CREAT", "O_EXCL", "O_RDONLY", "O_RDWR", "O_TRUNC", "O_WRONLY", "P_NOWAIT",
     "P_WAIT", "R_OK", "TMP_MAX", "W_OK", "X_OK", "abort", "access", "chdir", "chmod", "close", "closerange", "cpu_count",
     "device_encoding", "dup", "dup2", "environ", "error", "execv", "execve", "fsdecode", "fsencode", "fspath", "fstat",
     "fsync", "ftruncate", "get_inheritable", "get_terminal_size", "getcwd", "getcwdb", "getlogin", "getpid", "getppid",
     "isatty", "kill", "link", "listdir", "lseek", "lstat", "mkdir", "open", "pipe", "putenv", "read", "readlink",
     "remove", "rename", "replace", "rmdir", "scandir", "set_inheritable", "stat", "stat_result", "statvfs_result",
     "strerror", "symlink", "system", "terminal_size", "times", "times_result", "truncate", "umask", "uname_result",
     "unlink", "unsetenv", "urandom", "utime", "waitpid", "waitstatus_to_exitcode", "write"}
)  # fmt: skip
"""The names of `posix` here that `nt` also has in Python 3.11."""

_SIGNALS: Final = frozenset({"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM"})

_SIGNAL_FUNCTIONS: Final = frozenset(
    {"alarm", "getitimer", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "siginterrupt", "sigpending", "sigtimedwait",
     "sigwait", "sigwaitinfo", "ITIMER_PROF", "ITIMER_REAL", "ITIMER_VIRTUAL"}
)  # fmt: skip


class StandIn(ModuleType):
    """A module without some of its names, and with replacements for others."""

    def __init__(self, real: ModuleType, gone: Iterable[str] = (), **instead: Any) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update(_real=real, _gone=frozenset(gone), **instead)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_gone"]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self.__dict__["_real"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_real"], name, value)


def _without_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that accepts paths, but not open folders."""

    def call(*arguments: Any, **options: Any) -> Any:
        for name in ("dir_fd", "src_dir_fd", "dst_dir_fd"):
            if options.pop(name, None) is not None:
                raise NotImplementedError(
                    f"{function.__name__}: {name} unavailable on this platform"
                )
        if (
            function in (os.scandir, os.listdir, os.chdir)
            and arguments
            and isinstance(arguments[0], int)
        ):
            raise TypeError(
                f"{function.__name__}: path should be string, bytes, os.PathLike or None, not int"
            )
        if function is os.open and os.path.isdir(arguments[0]):
            raise PermissionError(13, "Permission denied", arguments[0])
        return function(*arguments, **options)

    return call


class _Popen(subprocess.Popen):  # type: ignore[type-arg]
    """A process with the handle that it has on Windows."""

    @property
    def _handle(self) -> int:
        return self.pid


class _Kernel:
    """Functions of Windows: each returns 1, which means success or a handle."""

    def __getattr__(self, name: str) -> Callable[..., int]:
        def call(*_: Any) -> int:
            return 1

        setattr(self, name, call)
        return call


def _stand_ins() -> dict[str, ModuleType]:
    names = ("open", "stat", "lstat", "mkdir", "rename", "replace", "unlink", "remove", "rmdir", "readlink", "symlink", "link",
             "utime", "access", "chmod", "scandir", "listdir", "chdir")  # fmt: skip
    paths = {name: _without_numbers(getattr(os, name)) for name in names}
    sets = {
        "supports_dir_fd": set(),
        "supports_fd": {paths["stat"]},
        "supports_follow_symlinks": {paths["stat"]},
    }
    signals = {
        name for name in dir(signal) if name.startswith("SIG") and name[3].isalpha()
    } - _SIGNALS
    only_here = {name for name in dir(sys.modules["posix"]) if not name.startswith("_")} - _OS | {
        "environb",
        "getenvb",
        "fwalk",
    }
    unix = {
        name
        for name in dir(socket)
        if name.startswith(("AF_UNIX", "SO_PEER", "SCM_", "SO_REUSEPORT"))
    }
    return {
        "os": StandIn(os, only_here, **paths, **sets),
        "sys": StandIn(sys, platform="win32"),
        "signal": StandIn(signal, signals | _SIGNAL_FUNCTIONS),
        "socket": StandIn(socket, unix | {"send_fds", "recv_fds"}),
        "select": StandIn(select, {"poll", "epoll", "kqueue"}),
        "time": StandIn(
            time,
            {
                name
                for name in dir(time)
                if name.startswith(("CLOCK_", "clock_", "pthread_", "tzset"))
            },
        ),
        "subprocess": StandIn(subprocess, Popen=_Popen),
        "ctypes": StandIn(ctypes, WinDLL=lambda _: _Kernel()),
    }


def take_away() -> None:
    """Hides POSIX in this process from now on."""
    load, stand_ins = builtins.__import__, _stand_ins()

    def import_as_there(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        is_ours = (
            level == 0
            and str((globals or {}).get("__package__") or "").partition(".")[0] == "symindex"
        )
        top = name.partition(".")[0]
        if is_ours and top in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        module = load(name, globals, locals, fromlist, level)
        return stand_ins.get(name if fromlist else top, module) if is_ours else module

    builtins.__import__ = import_as_there


def make_interpreter(folder: Path) -> Path:
    """Makes an interpreter without POSIX that has the libraries of this one; returns its
    program."""
    venv.create(folder, with_pip=False, symlinks=True)
    libraries = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    here = Path(__file__).parents[2]
    start = f"import {__name__} as without_posix; without_posix.take_away()"
    (libraries / "without_posix.pth").write_text(
        f"{sysconfig.get_path('purelib')}\n{here}\n{start}\n"
    )
    return folder / "bin" / "python"


def main() -> None:
    """Prints what symindex sees in this process, for a test of the processes that it starts."""
    from symindex.files.access import beneath
    from symindex.workers import framing

    assert stat.S_ISDIR(os.stat("/").st_mode)  # other modules still have the real one
    print(framing.CAN_SIGNAL_END, framing.OUT_OF_TIME, beneath.BY_NUMBER, hasattr(os, "fork"))
