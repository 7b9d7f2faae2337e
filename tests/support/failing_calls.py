"""Makes the n-th call of the system below the package fail, and checks what an operation leaves then.

A call counts if code of the package makes it, itself or through a library; what Python opens to
import a module does not count. After each failure nothing may be left: no open file, no process,
no unfinished file. The error is one of ours, in one line, and the next try gives the right answer.
"""

import builtins
import errno
import fcntl
import gc
import io
import mmap
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import symindex
from symindex.errors import SymindexError
from tests.support.processes import processes_below
from tests.support.warm_workers import WARM

_PACKAGE: Final = str(Path(symindex.__file__).parent) + os.sep
_MOST_FRAMES: Final = 14
"""How many callers to look at: a library is between the package and the system."""

_CALLS: Final = (
    (os, "open dup pipe replace rename link unlink fsync mkdir write scandir fork memfd_create"),
    (builtins, "open"),
    (io, "open"),
    (fcntl, "flock"),
    (sqlite3, "connect"),
    (mmap, "mmap"),
    (subprocess, "Popen"),
    (socket, "socket"),
)
"""The calls that can fail, by module."""

CODES: Final = (errno.ENOSPC, errno.EMFILE, errno.EACCES)


class Failure(NamedTuple):
    """A failed call. name: of the function. place: the line of the package that it belongs to."""

    name: str
    place: str


class Failing:
    """Counts the calls, and makes one fail. number: which, from 1 on. failed: what failed, or
    `None` if there were fewer calls."""

    def __init__(self, number: int, code: int) -> None:
        self.number, self.code = number, code
        self.n_calls = 0
        self.failed: Failure | None = None
        self._lock = threading.Lock()

    def check(self, name: str) -> None:
        """Raises OSError for the chosen call."""
        place = _caller(name)
        if not place:
            return
        with self._lock:
            self.n_calls += 1
            if self.n_calls != self.number:
                return
            self.failed = Failure(name, place)
        raise OSError(self.code, os.strerror(self.code))


def _caller(name: str) -> str:
    """Returns the line of the package that a call belongs to; empty if there is none."""
    frame = sys._getframe(3)
    if frame.f_code.co_filename == subprocess.__file__ and name == "io.open":
        return ""  # the library leaves the pipes of a process open then
    if frame.f_code.co_filename == socket.__file__:
        return ""  # likewise a connection that was accepted, and the two ends of a pair
    for _ in range(_MOST_FRAMES):
        path = frame.f_code.co_filename
        if path.startswith("<frozen importlib") or frame.f_back is None:
            return ""
        if path.startswith(_PACKAGE):
            return f"{path.removeprefix(_PACKAGE)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def _class_that_fails(original: Any, failing: Failing, name: str) -> Any:
    """Returns a subclass whose construction may fail; instances of the original are instances of
    it, too."""

    class Meta(type(original)):  # type: ignore[misc]
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, original)

        def __call__(cls, *values: Any, **named: Any) -> Any:
            failing.check(name)
            return original(*values, **named)

    return Meta(name, (original,), {})


def _function_that_fails(original: Any, failing: Failing, name: str) -> Any:
    def call(*values: Any, **named: Any) -> Any:
        failing.check(name)
        return original(*values, **named)

    return call


@contextmanager
def failing_call(number: int, code: int = errno.EMFILE) -> Iterator[Failing]:
    """Makes the n-th call in the block fail."""
    failing = Failing(number, code)
    with pytest.MonkeyPatch.context() as patched:
        for module, names in _CALLS:
            for name in names.split():
                if (original := getattr(module, name, None)) is None:
                    continue
                make = _class_that_fails if isinstance(original, type) else _function_that_fails
                patched.setattr(module, name, make(original, failing, f"{module.__name__}.{name}"))
        yield failing


class Operation(NamedTuple):
    """What to try.

    prepare: makes a new world in a folder; called before each failure. run: does the work in that
    world, and returns an answer that can be compared. notices: whether an answer says itself that
    it is incomplete. errors: that are expected.
    """

    prepare: Callable[[Path], object]
    run: Callable[[Path], object]
    is_told: Callable[[object], bool] = lambda _: False
    errors: tuple[type[Exception], ...] = (SymindexError,)


def check_failures(operation: Operation, top: Path, first: int = 1, step: int = 1) -> Counter[str]:
    """Tries an operation once for each of its calls, with each error in turn. Returns how often
    each function failed. first, step: which calls."""
    operation.prepare(top / "right")
    right = operation.run(top / "right")
    operation.run(top / "right")  # what is loaded or opened once is open now
    n_failed: Counter[str] = Counter()
    faults: list[str] = []
    number = first
    while True:
        world = top / f"world{number}"
        operation.prepare(world)
        failure, problems = _try(operation, world, number, CODES[number % len(CODES)], right)
        if failure is None:
            break
        n_failed[failure.name] += 1
        faults += [
            f"call {number}, {failure.name} at {failure.place}: {problem}" for problem in problems
        ]
        number += step
    assert not faults, "\n".join([f"{len(faults)} faults:", *faults])
    return n_failed


def _try(
    operation: Operation, world: Path, number: int, code: int, right: object
) -> tuple[Failure | None, list[str]]:
    files, processes = _open_files(), set(processes_below(os.getpid()))
    problems = []
    with failing_call(number, code) as failing:
        try:
            answer = operation.run(world)
        except operation.errors as error:
            if "\n" in str(error) or not str(error):
                problems.append(f"its message is not one line: {error}")
        except Exception as error:
            problems.append(f"{type(error).__name__}: {error}")
        else:
            if answer != right and not operation.is_told(answer):
                problems.append(f"a wrong answer: {answer}")
    if failing.failed is None:
        return None, []
    problems += _left_open(files)
    if set(processes_below(os.getpid())) - processes:
        WARM.close()
        left = processes_below(os.getpid())
        problems += [
            f"a process is left: {left[process_id]}" for process_id in left.keys() - processes
        ]
    problems += [
        f"an unfinished file is left: {path.relative_to(world)}"
        for path in world.rglob("*")
        if path.name.endswith((".new", ".unfinished", ".tmp"))
        and failing.failed.name != "os.unlink"
    ]
    try:
        again = operation.run(world)
    except Exception as error:
        problems.append(f"the next try: {type(error).__name__}: {error}")
    else:
        if again != right:
            problems.append(f"the next answer is wrong: {again}")
    return failing.failed, problems


def _left_open(files: set[str]) -> list[str]:
    """Returns a problem for each file that is open now and was not."""
    left = _open_files() - files
    if not left:
        return []
    WARM.close()  # its pipes are no leak
    left &= _open_files()
    gc.collect()
    if gone := left - _open_files():
        left -= gone  # a cycle of an error's frames kept it
    return [f"open: {file}" for file in sorted(left)]


def _open_files() -> set[str]:
    """Returns the open files of this process, with their numbers."""
    files = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            files.add(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
    return files
