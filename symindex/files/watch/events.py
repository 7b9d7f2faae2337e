"""What the operating system says of a tree while it changes; the only module that knows watchfiles.

Where the system watches folder by folder (inotify), exactly the folders that a walk enters are watched: what happens in `.git`,
`node_modules` or an ignored folder costs no watch, wakes nobody and fills no queue. Elsewhere the whole tree is one watch, and
the same list of folders tells which events count.

Three losses are not told by watchfiles, and are met here or in `files/watch/watcher`: a folder's files that were there before its
watch are listed once the watch stands; a root that was deleted is silent for ever; a queue that overflowed is not mentioned at
all.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.gitignore import IgnoreRules
from symindex.files.walk import DEPENDENCY_FOLDERS, DEPENDENCY_MARKS, VERSION_CONTROL, Wanted, walk_folders

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

MANY_PATHS: Final = 1000
"""More changed files than this are not named one by one: looking at everything costs less than looking at each."""

QUIET_MS: Final = 50
"""Events are told when none came for this long."""

LATEST_MS: Final = 400
"""Under constant writing they are told all the same this long after the first; with the last step below half a second."""

DRAIN_MS: Final = 100
"""How long the watch that a newer one replaces is listened to for what came before the newer one stood."""

ONE_WATCH: bool = sys.platform in ("darwin", "win32")
"""Whether the system watches a whole tree at once, at a cost that does not depend on its folders."""

_ATTEMPTS: Final = 5
"""How often to list and watch folders anew while others appear."""

_MANY_FOLDERS: Final = 200

_ADDED: Final = 1
_DELETED: Final = 3
"""As watchfiles numbers its changes."""

_REMOTE_TYPES: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "drvfs", "virtiofs", "vboxsf", "prl_fs"}
    | {"ceph", "lustre", "gpfs", "beegfs", "gfs2", "ocfs2", "orangefs"}
)


class CannotWatchError(Exception):
    """Why the system cannot tell what changes in a tree, in a few words."""


class BusyTreeError(Exception):
    """Folders come and go faster than they can be listed and watched: it is to be tried again in a moment."""


class _Meaning(Enum):
    NOTHING = auto()
    FILE = auto()
    NEW_FOLDER = auto()
    EVERYTHING = auto()


class Events:
    """The changes in a tree from the moment this was made. To be closed.

    Raises CannotWatchError, BusyTreeError; and FileNotFoundError where the root is not there.
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
            except FileNotFoundError:  # some folder has gone since it was listed
                self._folders = self._list_folders()
                continue
            if ONE_WATCH:
                return
            # What was made in a folder after it was listed, and before it was watched, has raised no event.
            folders, self._folders = self._folders, self._list_folders()
            if folders.keys() == self._folders.keys():
                return
            self._notify.close()
        raise BusyTreeError

    def _list_folders(self) -> dict[str, IgnoreRules]:
        return walk_folders(self._root, self._wanted.selection)

    def close(self) -> None:
        """Ends the watching."""
        self._notify.close()

    @property
    def n_folders(self) -> int:
        """How many folders are watched."""
        return len(self._folders)

    def wait(self, is_due: Callable[[], bool]) -> frozenset[str] | None:
        """The files that may have changed, relative to the root; may be empty. `None`: look at everything, and watch anew.

        is_due: asked many times a second; once it says yes, the answer is `None`.
        Raises CannotWatchError where the system gives up.
        """
        raw, self._backlog = self._backlog, set()
        if not raw:
            # No time limit: where it is reached, watchfiles forgets what has come in that moment.
            try:
                answer = self._notify.watch(LATEST_MS, QUIET_MS, 0, _Question(is_due))
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
            if meaning is _Meaning.EVERYTHING:
                return None
            if meaning is _Meaning.FILE:
                changed.add(path)
            elif meaning is _Meaning.NEW_FOLDER:
                new.add(path + "/")
        if new:
            inside = self._enter(new)
            if inside is None:
                return None
            changed |= inside
        return frozenset(changed) if len(changed) <= MANY_PATHS else None

    def _judge(self, change: int, path: str) -> _Meaning:
        """What an event means. path: relative to the root, empty for the root itself."""
        if not path or path + "/" in self._folders:
            if change == _DELETED or not self._is_folder(path):
                return _Meaning.EVERYTHING
            return _Meaning.NEW_FOLDER if path and change == _ADDED else _Meaning.NOTHING
        at = path.rfind("/") + 1
        name = path[at:]
        rules = self._folders.get(path[:at])
        if rules is None or name in VERSION_CONTROL:
            return _Meaning.NOTHING
        if name == ".gitignore" or name in DEPENDENCY_MARKS:
            return _Meaning.EVERYTHING
        if change != _DELETED and self._is_folder(path):
            is_left_out = name in DEPENDENCY_FOLDERS or rules.is_ignored(path + "/")
            return _Meaning.NOTHING if is_left_out else _Meaning.NEW_FOLDER
        return _Meaning.FILE if self._is_wanted(path, name, rules) else _Meaning.NOTHING

    def _is_wanted(self, path: str, name: str, rules: IgnoreRules) -> bool:
        return self._wanted.takes(name) and not rules.is_ignored(path)

    def _is_folder(self, path: str) -> bool:
        """Whether a folder, and not a link to one, is there, and can be listed."""
        try:
            with Beneath(self._root) as tree, os.scandir(tree.folder(path and f"{path}/")):
                return True
        except OSError:
            return False

    def _enter(self, new: set[str]) -> set[str] | None:
        """Watches new folders and those below them, and returns the files in them; `None` where that is not worth while."""
        for _ in range(_ATTEMPTS):
            below: dict[str, IgnoreRules] = {}
            for folder in new:
                rules = self._folders.get(folder[: folder.rfind("/", 0, -1) + 1])
                if rules is not None:
                    below |= walk_folders(self._root, base=folder, rules=rules)
            if len(below) > _MANY_FOLDERS:
                return None
            if below.keys() <= self._folders.keys():
                return self._list_files(below)
            self._folders |= below
            if not ONE_WATCH:
                older = self._notify
                try:
                    self._notify = self._watch_folders()
                except (CannotWatchError, FileNotFoundError):
                    return None
                self._backlog |= _drain(older)
        return None

    def _list_files(self, folders: dict[str, IgnoreRules]) -> set[str]:
        files: set[str] = set()
        with Beneath(self._root) as tree:
            for folder, rules in folders.items():
                try:
                    with os.scandir(tree.folder(folder)) as entries:
                        names = [entry.name for entry in entries if not entry.is_dir(follow_symlinks=False)]
                except OSError:
                    continue
                files.update(folder + name for name in names if self._is_wanted(folder + name, name, rules))
        return files

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
        except Exception as error:  # whatever it is, the tree can still be swept
            raise CannotWatchError(_words(error, len(places))) from None
        if "PollWatcher" in repr(notify)[:100]:  # what it takes where the kernel has no events; our own sweep is cheaper
            notify.close()
            raise CannotWatchError("this system has no file events")
        return notify


class _Question:
    """A function in the form of the event that watchfiles asks for."""

    def __init__(self, is_due: Callable[[], bool]) -> None:
        self.is_set = is_due


def _drain(notify: "RustNotify") -> set[tuple[int, str]]:
    """What a watch has still to say; it is closed after."""
    raw: set[tuple[int, str]] = set()
    try:
        for _ in range(_ATTEMPTS):
            answer = notify.watch(DRAIN_MS, QUIET_MS, DRAIN_MS, None)
            if isinstance(answer, str):
                break
            raw |= answer
    except RuntimeError:
        pass  # the newer watch meets the same, and says so
    notify.close()
    return raw


def _words(error: Exception, n_folders: int = 0) -> str:
    text = " ".join(str(error).split())
    if "watch limit" in text:
        return f"{n_folders:,} folders are more than the system's limit of watches allows (fs.inotify.max_user_watches)"
    if "os error 24" in text:
        return "the system's limit of watchers is reached (fs.inotify.max_user_instances)"
    return text.partition(" (")[0] or type(error).__name__


def remote_type(root: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """The type of the file system of `root` where other machines may change it without an event; empty elsewhere.

    mounts: the kernel's list of what is mounted where; where there is none, nothing is known.
    """
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    longest, found = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        if len(point) >= len(longest) and root.is_relative_to(point):
            longest, found = point, after.split(" ")[0]
    is_remote = found in _REMOTE_TYPES or (found.startswith("fuse.") and found != "fuse.portal")
    return found if is_remote else ""
