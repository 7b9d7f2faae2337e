"""Translates file events: which files of a tree may have changed.

On a system that watches folder by folder (inotify), exactly the folders that a walk enters are
watched, so that `.git`, `node_modules` and ignored folders cost no watches, wake no thread and fill
no queue. On other systems one watch covers the whole tree, and the same list of folders decides
which events count.

Events can be lost in two ways. Files that a folder contained before its watch are listed once the
watch is active (here); a root that was deleted raises no more events (`files/watch/watcher`).
"""

import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.gitignore import RULE_NAMES, IgnoreRules
from symindex.files.walk import (
    DEPENDENCY_FOLDERS,
    DEPENDENCY_MARKS,
    VERSION_CONTROL,
    FileFilter,
    walk_below,
    walk_folders,
)
from symindex.files.watch.change import ADDED, DELETED, CannotWatchError, Change, EventSource
from symindex.files.watch.inotify import Inotify
from symindex.files.watch.whole_tree import WholeTree

MANY_PATHS: Final = 1000
"""Most changed files to report one by one. Beyond that, looking at everything costs less."""

ONE_WATCH: bool = not sys.platform.startswith("linux")
"""Whether the system watches a whole tree at once, at a cost that does not depend on the number of
its folders."""

_ATTEMPTS: Final = 5
"""How many times to list and watch folders again while others appear."""

_MANY_FOLDERS: Final = 200

_REMOTE_TYPES: Final = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "ncpfs",
        "afs",
        "9p",
        "drvfs",
        "virtiofs",
        "vboxsf",
        "prl_fs",
    }
    | {"ceph", "lustre", "gpfs", "beegfs", "gfs2", "ocfs2", "orangefs"}
)


class BusyTreeError(Exception):
    """Folders come and go faster than they can be listed and watched. The caller may try again in a
    moment."""


class Events:
    """The changes in a tree since this object was made. Close it after use.

    Raises CannotWatchError, BusyTreeError, and FileNotFoundError if the root does not exist.
    """

    def __init__(self, root: Path, file_filter: FileFilter) -> None:
        self._root = root
        self._file_filter = file_filter
        self._prefix = str(root).rstrip(os.sep) + os.sep
        self._folders = self._list_folders()
        if "" not in self._folders:
            root.stat()
            raise CannotWatchError("its root cannot be listed")
        self._source: EventSource = WholeTree(root) if ONE_WATCH else self._watch_folders()

    def _list_folders(self) -> dict[str, IgnoreRules]:
        return walk_folders(self._root, self._file_filter.selection)

    def _watch_folders(self) -> Inotify:
        source = Inotify()
        try:
            watched: set[str] = set()
            for _ in range(_ATTEMPTS):
                watched |= self._watch(source, self._folders.keys() - watched)
                # A folder that was made after its parent was listed, but before the parent was
                # watched, has raised no event.
                self._folders = self._list_folders()
                if self._folders.keys() <= watched:
                    return source
            raise BusyTreeError
        except BaseException:
            source.close()
            raise

    def _watch(self, source: Inotify, folders: Iterable[str]) -> set[str]:
        """Watches folders, outer ones first; returns those that still exist."""
        watched = set()
        for folder in sorted(folders):
            with suppress(FileNotFoundError):
                source.watch((self._prefix + folder).rstrip(os.sep) or os.sep)
                watched.add(folder)
        return watched

    def close(self) -> None:
        self._source.close()

    @property
    def is_prompt(self) -> bool:
        """See `watch/change.EventSource`."""
        return self._source.is_prompt

    def wake(self) -> None:
        """Makes `wait` return soon. Any thread may call it."""
        self._source.wake()

    def wait(self, is_due: Callable[[], bool]) -> frozenset[str] | None:
        """Waits for events and returns the files that may have changed, relative to the root.
        `None` means that everything must be checked, and watched again.

        is_due: called now and then; once it is true, the result is `None`. Raises CannotWatchError
        if the system gives up.
        """
        changes = self._source.wait(is_due)
        return self._read(changes) if changes is not None else None

    def _read(self, changes: Iterable[Change]) -> frozenset[str] | None:
        changed: set[str] = set()
        new: set[str] = set()
        for change, place in changes:
            path = (
                place.removeprefix(self._prefix).replace(os.sep, "/")
                if place.startswith(self._prefix)
                else ""
            )
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

    def _judge(
        self, change: int, path: str
    ) -> Literal["nothing", "file", "new folder", "everything"]:
        """Classifies an event. path: relative to the root, empty for the root itself."""
        if not path or path + "/" in self._folders:
            if change == DELETED or not self._is_folder(path):
                return "everything"
            return "new folder" if path and change == ADDED else "nothing"
        name_start = path.rfind("/") + 1
        name = path[name_start:]
        rules = self._folders.get(path[:name_start])
        if rules is None or name in VERSION_CONTROL:
            return "nothing"
        if name in RULE_NAMES or name in DEPENDENCY_MARKS:
            return "everything"
        if change != DELETED and self._is_folder(path):
            return (
                "nothing"
                if name in DEPENDENCY_FOLDERS or rules.is_ignored(path + "/")
                else "new folder"
            )
        return (
            "file"
            if self._file_filter.takes_path(path) and not rules.is_ignored(path)
            else "nothing"
        )

    def _is_folder(self, path: str) -> bool:
        """Whether the path is a folder that can be listed, and not a link to one."""
        try:
            with Beneath(self._root) as tree, os.scandir(tree.folder(path and f"{path}/")):
                return True
        except OSError:
            return False

    def _enter(self, new: set[str]) -> set[str] | None:
        """Watches new folders and those below them, and returns the files in them; `None` if
        everything must be checked."""
        for _ in range(_ATTEMPTS):
            around = {
                folder: self._folders.get(folder[: folder.rfind("/", 0, -1) + 1]) for folder in new
            }
            walk = walk_below(
                self._root,
                [(folder, rules) for folder, rules in around.items() if rules is not None],
                self._file_filter,
            )
            if len(walk.folders) > _MANY_FOLDERS or any(
                not skip.path.endswith("/") for skip in walk.skips
            ):
                return None
            if walk.folders.keys() <= self._folders.keys():
                return set(walk.files.paths)
            added = walk.folders.keys() - self._folders.keys()
            self._folders |= walk.folders
            if isinstance(self._source, Inotify):
                try:
                    if self._watch(self._source, added) < added:
                        return None
                except CannotWatchError:
                    return None
        return None


_MOUNT: Final = re.compile(r"^(?:\S+ ){4}(\S+) .*? - (\S+)", re.MULTILINE)
"""A line of mountinfo: the mount point and the type of the file system."""


def remote_type(root: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Returns the type of `root`'s file system if other machines may change it without an event;
    else an empty string.

    mounts: the kernel's list of mounts. Without one, the result is empty.
    """
    try:
        text = mounts.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
    longest, file_system = "", ""
    for escaped, kind in _MOUNT.findall(text):
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), escaped)
        if len(point) >= len(longest) and root.is_relative_to(point):
            longest, file_system = point, kind
    is_remote = file_system in _REMOTE_TYPES or (
        file_system.startswith("fuse.") and file_system != "fuse.portal"
    )
    return file_system if is_remote else ""
