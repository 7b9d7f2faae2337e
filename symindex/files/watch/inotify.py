"""File events on Linux, folder by folder: inotify(7), called through ctypes.

watchfiles, which other systems use, looks for events every 50 ms. Here a thread sleeps until an
event arrives, or until another thread wants to know what has happened so far.
"""

import ctypes
import errno
import math
import os
import select
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from symindex.files.watch.change import (
    ADDED,
    DELETED,
    DUE_SECONDS,
    LATEST_SECONDS,
    MODIFIED,
    QUIET_SECONDS,
    CannotWatchError,
    Change,
)

_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_DO_NOT_FOLLOW, _ONLY_FOLDERS = 0x2000000, 0x1000000

_WANTED: Final = (
    _MODIFY
    | _ATTRIB
    | _MOVED_FROM
    | _MOVED_TO
    | _CREATE
    | _DELETE
    | _DELETE_SELF
    | _MOVE_SELF
    | _DO_NOT_FOLLOW
    | _ONLY_FOLDERS
)
_ADDING: Final = _CREATE | _MOVED_TO
_DELETING: Final = _MOVED_FROM | _DELETE | _DELETE_SELF | _MOVE_SELF | _UNMOUNT

_EVENT: Final = struct.Struct("iIII")
"""The header of an event: the number of its watch, the kind, the cookie of a renaming, and the
length of the name that follows, in bytes."""

_READ_BYTES: Final = 1 << 16

_REASONS: Final = {
    errno.ENOSPC: (
        "{n:,} folders are more than the system's limit of watches allows"
        " (fs.inotify.max_user_watches)"
    ),
    errno.EMFILE: "the system's limit of watchers is reached (fs.inotify.max_user_instances)",
    errno.ENOSYS: "this system has no file events",
}


class Inotify:
    """The changes in folders that are added with `watch`; a `watch/change.EventSource`. Raises
    CannotWatchError."""

    is_prompt = True  # the kernel queues an event before the call that caused it returns

    def __init__(self) -> None:
        self._system = ctypes.CDLL(None, use_errno=True)
        self._folders: dict[int, str] = {}
        self._lock = threading.Lock()
        self._is_open = True
        try:
            self._handle = self._call(self._system.inotify_init1, os.O_CLOEXEC | os.O_NONBLOCK)
        except (OSError, AttributeError) as error:  # AttributeError: a C library without inotify
            raise _cannot_watch(error, 0) from None
        try:
            self._woken, self._waking = os.pipe()
        except OSError as error:
            os.close(self._handle)
            raise _cannot_watch(error, 0) from None
        self._poll = select.poll()
        for end in (self._woken, self._waking):
            os.set_blocking(end, False)
        for handle in (self._handle, self._woken):
            self._poll.register(handle, select.POLLIN)

    def _call(self, function: "ctypes._NamedFuncPointer", *arguments: object) -> int:
        answer = int(function(*arguments))
        if answer < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return answer

    def watch(self, folder: str) -> None:
        """Watches another folder. Raises FileNotFoundError if it is gone, CannotWatchError."""
        try:
            number = self._call(
                self._system.inotify_add_watch, self._handle, os.fsencode(folder), _WANTED
            )
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder) from None
        except OSError as error:
            raise _cannot_watch(error, len(self._folders) + 1) from None
        self._folders[number] = folder

    def wait(self, is_due: Callable[[], bool]) -> set[Change] | None:
        changes: set[Change] = set()
        first, seconds = math.inf, DUE_SECONDS
        while not is_due():
            events = self._poll.poll(seconds * 1000)
            is_woken = self._forget_waking()
            fresh = self._read()
            if fresh is None:
                return None
            now = time.monotonic()
            is_quiet = bool(changes) and (not events or not fresh or now >= first + LATEST_SECONDS)
            changes |= fresh
            if is_woken or is_quiet:
                return changes
            if changes:
                first, seconds = min(first, now), QUIET_SECONDS
        return None

    def _forget_waking(self) -> bool:
        """Empties the pipe that wakes the thread; returns whether the thread was woken."""
        try:
            return bool(os.read(self._woken, _READ_BYTES))
        except BlockingIOError:
            return False

    def _read(self) -> set[Change] | None:
        """Returns all changes so far; `None` if some were lost."""
        changes: set[Change] = set()
        while True:
            try:
                data = os.read(self._handle, _READ_BYTES)
            except BlockingIOError:
                return changes
            offset = 0
            while offset < len(data):
                number, kind, _, n_bytes = _EVENT.unpack_from(data, offset)
                offset += _EVENT.size + n_bytes
                if kind & _OVERFLOW:
                    return None
                folder = self._folders.get(number)
                if folder is None:
                    continue
                if kind & _IGNORED:  # the folder is gone, and its number may be reused
                    del self._folders[number]
                    continue
                name = data[offset - n_bytes : offset].rstrip(b"\0")
                change = DELETED if kind & _DELETING else ADDED if kind & _ADDING else MODIFIED
                changes.add((change, os.path.join(folder, os.fsdecode(name)) if name else folder))

    def wake(self) -> None:
        """Makes the current or the next `wait` return."""
        # The number of a closed pipe may belong to another file by now. A full pipe wakes as well;
        # whatever else fails, `wait` looks by itself after a while, and `Watcher.stop` goes on.
        with self._lock, suppress(OSError):
            if self._is_open:
                os.write(self._waking, b"\0")

    def close(self) -> None:
        with self._lock:
            if self._is_open:
                self._is_open = False
                for handle in (self._handle, self._woken, self._waking):
                    os.close(handle)


def _cannot_watch(error: OSError | AttributeError, n_folders: int) -> CannotWatchError:
    if not isinstance(error, OSError):
        return CannotWatchError(_REASONS[errno.ENOSYS])
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    return CannotWatchError(reason.format(n=n_folders))
