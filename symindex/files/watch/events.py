"""File events of the operating system for a tree; the only module that knows watchfiles.

Where the system watches folder by folder (inotify), exactly the folders that a walk enters are watched, so that `.git`,
`node_modules` and ignored folders cost no watch, wake no thread and fill no queue. Elsewhere the whole tree is one watch, and the
same list of folders decides which events count.

watchfiles does not report three losses, which are handled here or in `files/watch/watcher`: files that a folder had before its
watch are listed once the watch is active; a root that was deleted raises no more events; an overflow of the queue raises none.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, Literal

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.gitignore import IGNORE_NAME, IgnoreRules
from symindex.files.walk import DEPENDENCY_FOLDERS, DEPENDENCY_MARKS, VERSION_CONTROL, Wanted, walk_below, walk_folders

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

MANY_PATHS: Final = 1000
"""More changed files are not named one by one: looking at everything costs less than looking at each."""

QUIET_MS: Final = 50
"""Events are passed on when none came for this long."""

LATEST_MS: Final = 400
"""Under constant writing they are passed on this long after the first; with the last step that stays below half a second."""

DRAIN_MS: Final = 100
"""How long a replaced watch is still read, for events from before the new one was active."""

ONE_WATCH: bool = sys.platform in ("darwin", "win32")
"""Whether the system watches a whole tree at once, at a cost that does not depend on the number of its folders."""

_ATTEMPTS: Final = 5
"""How often folders are listed and watched anew while others appear."""

_MANY_FOLDERS: Final = 200

_ADDED: Final = 1
_DELETED: Final = 3
"""As watchfiles numbers its changes."""

_REMOTE_TYPES: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "drvfs", "virtiofs", "vboxsf", "prl_fs"}
    | {"ceph", "lustre", "gpfs", "beegfs", "gfs2", "ocfs2", "orangefs"}
)


class CannotWatchError(Exception):
    """The system cannot watch a tree; the message says briefly why."""


class BusyTreeError(Exception):
    """Folders come and go faster than they can be listed and watched: the caller may try again in a moment."""


class Events:
    """The changes in a tree since this object was made. To be closed.

    Raises CannotWatchError, BusyTreeError; and FileNotFoundError where there is no root.
    """

    def __init__(self, root: Path, wanted: Wanted) -> None:
        self._root = root
        self._wanted = wanted
        self._prefix = str(root).rstrip(os.sep) + os.sep
        self._backlog: set[tuple[int, str]] = set()
        self._folders = self._list_folders()
        for _ in range(_ATTEMPTS):
            if "" not in self._folders:
                root.stat()
                raise CannotWatchError("its root cannot be listed")
            try:
                self._notify = self._watch_folders()
            except FileNotFoundError:  # a folder was deleted after it was listed
                self._folders = self._list_folders()
                continue
            if ONE_WATCH:
                return
            # A folder that was made after its parent was listed, and before that was watched, has raised no event.
            folders, self._folders = self._folders, self._list_folders()
            if folders.keys() == self._folders.keys():
                return
            self._notify.close()
        raise BusyTreeError

    def _list_folders(self) -> dict[str, IgnoreRules]:
        return walk_folders(self._root, self._wanted.selection)

    def close(self) -> None:
        self._notify.close()

    def wait(self, is_due: Callable[[], bool]) -> frozenset[str] | None:
        """Waits for events, and returns the files that may have changed, relative to the root, if any. `None` means that
        everything must be looked at, and watched anew.

        is_due: called many times a second; once it is true, the result is `None`. Raises CannotWatchError where the system gives
        up.
        """
        raw, self._backlog = self._backlog, set()
        if not raw:
            # Without a time limit: when one is reached, watchfiles forgets the events of that moment.
            try:
                answer = self._notify.watch(LATEST_MS, QUIET_MS, 0, SimpleNamespace(is_set=is_due))
            except RuntimeError as error:
                raise CannotWatchError(_words(error)) from None
            if isinstance(answer, str):
                return None
            raw = answer
        return self._read(raw)

    def _read(self, raw: Iterable[tuple[int, str]]) -> frozenset[str] | None:
        changed: set[str] = set()
        new: set[str] = set()
        for change, place in raw:
            path = place.removeprefix(self._prefix).replace(os.sep, "/") if place.startswith(self._prefix) else ""
            meaning = self._judge(change, path)
            if meaning == "everything":
                return None
            if meaning == "file":
                changed.add(path)
            elif meaning == "new folder":
                new.add(path + "/")
        if new:
            inside = self._enter(new)
            if inside is None:
                return None
            changed |= inside
        return frozenset(changed) if len(changed) <= MANY_PATHS else None

    def _judge(self, change: int, path: str) -> Literal["nothing", "file", "new folder", "everything"]:
        """What an event means. path: relative to the root, empty for the root itself."""
        if not path or path + "/" in self._folders:
            if change == _DELETED or not self._is_folder(path):
                return "everything"
            return "new folder" if path and change == _ADDED else "nothing"
        at = path.rfind("/") + 1
        name = path[at:]
        rules = self._folders.get(path[:at])
        if rules is None or name in VERSION_CONTROL:
            return "nothing"
        if name == IGNORE_NAME or name in DEPENDENCY_MARKS:
            return "everything"
        if change != _DELETED and self._is_folder(path):
            return "nothing" if name in DEPENDENCY_FOLDERS or rules.is_ignored(path + "/") else "new folder"
        return "file" if self._wanted.takes_path(path) and not rules.is_ignored(path) else "nothing"

    def _is_folder(self, path: str) -> bool:
        """Whether there is a folder, not a link to one, that can be listed."""
        try:
            with Beneath(self._root) as tree, os.scandir(tree.folder(path and f"{path}/")):
                return True
        except OSError:
            return False

    def _enter(self, new: set[str]) -> set[str] | None:
        """Watches new folders and those below them, and returns the files in them; `None` where everything must be looked at."""
        for _ in range(_ATTEMPTS):
            around = {folder: self._folders.get(folder[: folder.rfind("/", 0, -1) + 1]) for folder in new}
            walk = walk_below(
                self._root, [(folder, rules) for folder, rules in around.items() if rules is not None], self._wanted
            )
            if len(walk.folders) > _MANY_FOLDERS or any(not skip.path.endswith("/") for skip in walk.skips):
                return None
            if walk.folders.keys() <= self._folders.keys():
                return set(walk.files.paths)
            self._folders |= walk.folders
            if not ONE_WATCH:
                older = self._notify
                try:
                    self._notify = self._watch_folders()
                except (CannotWatchError, FileNotFoundError):
                    return None
                self._backlog |= _drain(older)
        return None

    def _watch_folders(self) -> "RustNotify":
        """Raises CannotWatchError; and FileNotFoundError where a folder has gone."""
        try:
            from watchfiles._rust_notify import RustNotify  # here, because most uses of an index watch nothing
        except ImportError as error:
            raise CannotWatchError(f"watchfiles cannot be loaded: {error}") from None
        places = [str(self._root)] if ONE_WATCH else [self._prefix + folder for folder in self._folders]
        try:
            notify = RustNotify(places, False, False, 0, ONE_WATCH, False)
        except FileNotFoundError:
            raise
        except Exception as error:  # whatever it is, sweeps are still possible
            raise CannotWatchError(_words(error, len(places))) from None
        if "PollWatcher" in repr(notify)[:100]:  # its fallback where the kernel has no events; our own sweep is cheaper
            notify.close()
            raise CannotWatchError("this system has no file events")
        return notify


def _drain(notify: "RustNotify") -> set[tuple[int, str]]:
    """The remaining events of a watch, which is then closed."""
    raw: set[tuple[int, str]] = set()
    with suppress(RuntimeError):  # the newer watch will fail likewise, and reports it
        for _ in range(_ATTEMPTS):
            answer = notify.watch(DRAIN_MS, QUIET_MS, DRAIN_MS, None)
            if isinstance(answer, str):
                break
            raw |= answer
    notify.close()
    return raw


def _words(error: Exception, n_folders: int = 0) -> str:
    text = " ".join(str(error).split())
    if "watch limit" in text:
        return f"{n_folders:,} folders are more than the system's limit of watches allows (fs.inotify.max_user_watches)"
    if "os error 24" in text:
        return "the system's limit of watchers is reached (fs.inotify.max_user_instances)"
    return text.partition(" (")[0] or type(error).__name__


_MOUNT: Final = re.compile(r"^(?:\S+ ){4}(\S+) .*? - (\S+)", re.MULTILINE)
"""A line of mountinfo: the mount point, and the type of the file system."""


def remote_type(root: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """The type of the file system of `root` if other machines may change it without an event; else empty.

    mounts: the kernel's list of mounts; without one, the answer is empty.
    """
    try:
        text = mounts.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
    longest, found = "", ""
    for escaped, kind in _MOUNT.findall(text):
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), escaped)
        if len(point) >= len(longest) and root.is_relative_to(point):
            longest, found = point, kind
    is_remote = found in _REMOTE_TYPES or (found.startswith("fuse.") and found != "fuse.portal")
    return found if is_remote else ""
