"""Decides which files of a tree to read: applies ignore rules, and skips version control folders,
installed dependencies and links.

A walk only lists and stats. Decisions that need a file's content (binary, minified, the language of
a script) are left to `extract/read`, in the worker that reads the file anyway.
"""

import os
import re
import stat
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from symindex.background import give_way
from symindex.errors import RequestError, is_unicode
from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import closing
from symindex.files.change_stamp import STAMP_FACTOR, STAMP_LIMIT
from symindex.files.file_names import made_from, suffixes
from symindex.files.ignore.git_repository import rules_above
from symindex.files.ignore.gitignore import RULE_NAMES, IgnoreRules
from symindex.files.ignore.glob_set import GlobSet
from symindex.files.ignore.globs import plain_glob
from symindex.files.ignore.nested_repository import main_of_worktree, rules_of_repository
from symindex.files.ignore.selection import EVERYTHING, Selection
from symindex.files.index_place import SETTINGS_NAME
from symindex.files.skips import Skip, SkipReason, escaped_name

VERSION_CONTROL: Final = frozenset(
    {".git", ".hg", ".svn", ".jj", ".bzr", "CVS", "_darcs", ".fslckout"}
)
DEPENDENCY_FOLDERS: Final = frozenset(
    {"node_modules", "bower_components", "__pycache__", "site-packages"}
)
DEPENDENCY_MARKS: Final = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
"""A folder that contains one of these is a virtual environment (PEP 405) or a cache
(bford.info/cachedir)."""

BARE_MARKS: Final = frozenset({"HEAD", "config", "objects", "refs"})
"""A folder that contains all of these is git's own, whatever its name."""

WATCHED_FILES: Final = 100
"""How many files `walk_tree` collects before it passes them on."""

MAX_FILE_BYTES: Final = 2_000_000
"""Default size limit of a file, in bytes."""

MOST_IGNORED: Final = 200
"""Most ignored paths to record by name, topmost first: a search that finds nothing looks into
them."""

MOST_IGNORE_BYTES: Final = 4_000_000
"""Most bytes in all ignore files of a walk together. Their parsed rules stay in memory and take
fifty times as much."""


class FoundFile(NamedTuple):
    """A file that may contain symbols.

    path: relative to the root, with forward slashes. size: in bytes. mtime_ns: as stat reports it.
    stamp: see `files/change_stamp`.
    """

    path: str
    size: int
    mtime_ns: int
    stamp: int = 0


class FoundFiles:
    """Files as columns: paths, sizes (u64), mtimes in nanoseconds (i64) and stamps (u64). So a
    large tree is a few objects instead of a hundred thousand, which are faster to make and to
    compare."""

    def __init__(
        self, blob: bytes = b"", sizes: bytes = b"", mtimes: bytes = b"", stamps: bytes = b""
    ) -> None:
        """blob: see the property. sizes, mtimes, stamps: in this machine's byte order."""
        self._blob: bytes | None = blob
        self._paths: list[str] | None = None
        self.sizes: array[int] = array("Q", sizes)
        self.mtimes: array[int] = array("q", mtimes)
        self.stamps: array[int] = array("Q", stamps)

    @property
    def paths(self) -> list[str]:
        """The paths. The caller may append to this list."""
        if self._paths is None:
            self._paths = self.blob.decode().split("\0")[:-1]
        self._blob = None
        return self._paths

    @property
    def blob(self) -> bytes:
        """The paths in UTF-8, each followed by a NUL byte."""
        if self._blob is None:
            self._blob = "\0".join([*(self._paths or ()), ""]).encode()
        return self._blob

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[FoundFile]:
        return map(FoundFile, self.paths, self.sizes, self.mtimes, self.stamps)

    def __getitem__(self, number: int) -> FoundFile:
        return FoundFile(
            self.paths[number], self.sizes[number], self.mtimes[number], self.stamps[number]
        )

    def since(self, number: int) -> list[FoundFile]:
        """Returns the files from a number on."""
        return list(
            map(
                FoundFile,
                self.paths[number:],
                self.sizes[number:],
                self.mtimes[number:],
                self.stamps[number:],
            )
        )

    def sort(self) -> None:
        paths = self.paths
        order = sorted(range(len(paths)), key=paths.__getitem__)
        self._paths = [paths[number] for number in order]
        self.sizes = array("Q", [self.sizes[number] for number in order])
        self.mtimes = array("q", [self.mtimes[number] for number in order])
        self.stamps = array("Q", [self.stamps[number] for number in order])


Folder = tuple[str, IgnoreRules]
"""A folder to enter, as a key of `Walk.folders`, and the rules in force in its parent."""


class Walk:
    """The result of a walk.

    files: sorted by path. skips: the files and folders that were left out, except those counted
    below. unsupported: for each extension without a language, how many files have it. ignored,
    hidden, deselected: how many files and topmost folders are left out by git's rules, by rules for
    searchers, and by the settings. folders: those that were entered, with the rules in force in
    each. Their paths are relative to the root and end with a slash; the root's is empty. pending:
    the folders still to enter. ignored_paths: the first MOST_IGNORED paths that git's rules or
    those for searchers leave out. began_ns: when the walk began, by the clock of file times.
    """

    def __init__(self) -> None:
        self.files: FoundFiles = FoundFiles()
        self.skips: list[Skip] = []
        self.unsupported: dict[str, int] = {}
        self.ignored: int = 0
        self.hidden: int = 0
        self.deselected: int = 0
        self.ignored_paths: list[str] = []
        self.folders: dict[str, IgnoreRules] = {}
        self.pending: list[Folder] = []
        self.ignore_bytes = 0
        self.began_ns: int = time.time_ns()

    def count_ignored(self, path: str, rules: IgnoreRules) -> None:
        """Counts an ignored path under the reason for which these rules ignore it."""
        if rules.is_deselected(path):
            self.deselected += 1
            return
        if rules.is_hidden(path):
            self.hidden += 1
        else:
            self.ignored += 1
        if len(self.ignored_paths) < MOST_IGNORED:
            self.ignored_paths.append(path)

    def sort(self) -> None:
        """Sorts everything by path or extension."""
        self.files.sort()
        self.skips.sort()
        self.ignored_paths.sort()
        self.unsupported = dict(sorted(self.unsupported.items()))


class FileFilter(NamedTuple):
    """Which files a walk selects: files with these extensions or names, and files without an
    extension, whose language only the content tells.

    extensions: in lower case; a file's may be in any case. max_file_bytes: the size limit.
    selection: what the user has chosen. deselected: extensions and names of known languages that
    the user has not chosen. items: globs that select further files. excluded_names: names that are
    never selected, whatever their extension.
    """

    extensions: frozenset[str]
    names: frozenset[str]
    max_file_bytes: int
    selection: Selection = EVERYTHING
    deselected: frozenset[str] = frozenset()
    items: tuple[str, ...] = ()
    excluded_names: frozenset[str] = frozenset()

    def takes_path(self, path: str) -> bool:
        """Whether the name or the location of a file selects it. path: relative to the root."""
        return self.takes(path[path.rfind("/") + 1 :]) or self.takes_item(path)

    def takes_item(self, path: str) -> bool:
        """Whether the location selects a file that `takes` refuses, ignoring case."""
        endings = _endings(self.items)
        may_match = not endings or path[path.rfind(".") :].lower() in endings
        return bool(self.items) and may_match and _glob_set(self.items).last(path.lower()) >= 0

    def takes(self, name: str) -> bool:
        dot = name.rfind(".")
        if name in self.excluded_names:
            return False
        if (
            dot <= 0
            or name[dot:] in self.extensions
            or name[dot:].lower() in self.extensions
            or name in self.names
        ):
            return True
        target = made_from(name)
        return any(suffix.lower() in self.extensions for suffix in suffixes(name)) or (
            bool(target) and self.takes(target)
        )


@lru_cache(maxsize=16)
def _endings(globs: tuple[str, ...]) -> frozenset[str]:
    """Returns the extensions that globs match, by which most files can be ruled out; an empty set
    if some glob matches files of any extension."""
    matches = [_ENDING.search(glob) for glob in globs]
    return (
        frozenset(match[0].lower() for match in matches if match) if all(matches) else frozenset()
    )


_ENDING: Final = re.compile(r"\.[^./*?\[\]\\]*\Z")


@lru_cache(maxsize=16)
def _glob_set(globs: tuple[str, ...]) -> GlobSet:
    return GlobSet([plain_glob(glob.lower()) for glob in globs])


def check_root(root: Path) -> Path:
    """Resolves the path of a root. Raises RequestError if it is missing, not a folder, or not
    readable."""
    try:
        resolved = root.expanduser().resolve(strict=True)
        with os.scandir(resolved):
            return resolved
    except FileNotFoundError:
        raise RequestError(f"{root}: no such folder; name one that exists") from None
    except NotADirectoryError:
        raise RequestError(f"{root}: a file, not a folder; name the folder to search in") from None
    except ValueError:
        raise RequestError(f"{str(root)!r} is not a path: name a folder") from None
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RequestError(f"{root}: cannot be read: {reason}") from None


def check_unmoved(root: Path) -> None:
    """Raises RequestError if a component of a resolved root has become a link, which would lead
    elsewhere."""
    if os.path.realpath(root) != str(root):
        raise RequestError(
            f"{root}: a part of this path has become a link, which is not followed: name the folder"
            " again"
        )


@contextmanager
def staying(root: Path) -> Iterator[None]:
    """Wraps an update of an index, so that a root that is moved meanwhile is not mistaken for an
    empty one, or for a full disk.

    Raises RequestError if the root, before or after the update, is behind a link or no longer a
    folder.
    """
    check_unmoved(root)
    try:
        yield
    finally:
        check_unmoved(root)
        check_root(root)


def walk_tree(
    root: Path, file_filter: FileFilter, watch: Callable[[list[FoundFile]], object] | None = None
) -> Walk:
    """Finds all files below `root`, an existing folder, that may contain symbols, and records what
    it leaves out.

    watch: called with the files while they are found, about WATCHED_FILES at a time. An exception
    that it raises ends the walk.
    """
    walk = Walk()
    n_watched = 0
    walk.pending.append(("", rules_above(root, walk.skips).under(file_filter.selection)))
    with Beneath(root) as tree:
        while walk.pending:
            enter_folder(tree, *walk.pending.pop(), walk, file_filter)
            if watch is not None and (
                len(walk.files) >= n_watched + WATCHED_FILES or not walk.pending
            ):
                watch(walk.files.since(n_watched))
                n_watched = len(walk.files)
    walk.sort()
    return walk


def walk_folders(root: Path, selection: Selection = EVERYTHING) -> dict[str, IgnoreRules]:
    """Returns the folders that `walk_tree` enters and can list, with the rules in force in each, as
    in `Walk.folders`."""
    return walk_below(root, [("", rules_above(root, []).under(selection))], None).folders


def walk_below(root: Path, folders: list[Folder], file_filter: FileFilter | None) -> Walk:
    """Walks some folders and everything below them; the result is unsorted. file_filter: as in
    `enter_folder`."""
    walk = Walk()
    walk.pending = folders
    with Beneath(root) as tree:
        while walk.pending:
            enter_folder(tree, *walk.pending.pop(), walk, file_filter)
    return walk


def enter_folder(
    tree: Beneath, base: str, rules: IgnoreRules, walk: Walk, file_filter: FileFilter | None
) -> None:
    """Lists one folder. Adds its files, what it leaves out, and the folders still to enter to
    `walk`.

    rules: those in force in the parent. file_filter: `None` skips the files, which cost the most.
    """
    give_way()
    try:
        # A descriptor spares the system from resolving the whole path for each of the folder's
        # files.
        with os.scandir(tree.folder(base)) as entries:
            listed = {entry.name: entry for entry in entries}
        if base and not DEPENDENCY_MARKS.isdisjoint(listed):
            if not rules.is_tracked(base):
                walk.skips.append(Skip(base, SkipReason.DEPENDENCIES))
                return
            rules = rules.shut()
        if base and listed.keys() >= BARE_MARKS:
            walk.skips.append(Skip(base, SkipReason.REPOSITORY))
            return
        if base and ".git" in listed:
            if (main := main_of_worktree(tree, base)) is not None:
                walk.skips.append(Skip(base, SkipReason.WORKTREE, main))
                return
            rules = rules_of_repository(tree, base, rules, walk.skips)
        for name in RULE_NAMES:
            if (rule_file := listed.get(name)) is not None and rule_file.is_file(
                follow_symlinks=False
            ):  # git does not follow a link here
                rules = _with_own(tree, base + name, base, rules, walk)
        sort_entries(listed, base, rules, walk, file_filter)
        walk.folders[base] = rules
    except OSError as error:
        walk.skips.append(Skip(base, SkipReason.UNREADABLE, error.strerror or str(error)))


def _with_own(tree: Beneath, path: str, base: str, rules: IgnoreRules, walk: Walk) -> IgnoreRules:
    """Returns the rules in force in a folder that contains an ignore file."""
    try:
        with closing(tree.open_file(path)) as number:
            walk.ignore_bytes += os.fstat(number).st_size
            if walk.ignore_bytes <= MOST_IGNORE_BYTES:
                return rules.with_open(number, path, walk.skips, base)
        detail = f"the ignore files of a walk may have {MOST_IGNORE_BYTES:,} bytes together"
        walk.skips.append(Skip(path, SkipReason.IGNORE_LIMIT, detail))
    except OSError:
        pass  # the file itself is reported as one that cannot be read
    return rules


def sort_entries(
    listed: dict[str, os.DirEntry[str]],
    base: str,
    rules: IgnoreRules,
    walk: Walk,
    file_filter: FileFilter | None,
) -> None:
    """Adds the entries of a folder to the walk. This runs for every file, so the usual case is
    tested first and with few calls.

    rules: those in force in the folder. file_filter: as in `enter_folder`.
    """
    is_ignored = rules.is_ignored if rules else None
    extensions, excluded_names, endings = (
        (file_filter.extensions, file_filter.excluded_names, _endings(file_filter.items))
        if file_filter is not None
        else ((), (), ())
    )
    add_path, add_size, add_mtime = (
        walk.files.paths.append,
        walk.files.sizes.append,
        walk.files.mtimes.append,
    )
    add_stamp = walk.files.stamps.append
    for name, entry in listed.items():
        if entry.is_dir(follow_symlinks=False):
            _sort_folder(name, base, rules, walk)
            continue
        if file_filter is None:
            continue
        path = base + name
        if not name.isascii() and not is_unicode(name):
            walk.skips.append(_badly_named(path))
            continue
        dot = name.rfind(".")
        is_taken = (
            dot <= 0
            or (name[dot:] in extensions and name not in excluded_names)
            or file_filter.takes(name)
        )
        is_taken = is_taken or (name[dot:].lower() in endings and file_filter.takes_item(path))
        if name in VERSION_CONTROL and not entry.is_symlink():
            continue
        if is_ignored is not None and is_ignored(path):
            if not entry.is_symlink():
                walk.count_ignored(path, rules)
            continue
        if not is_taken and not entry.is_symlink():
            _count_rejected(name, name[dot:].lower(), file_filter, walk)
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            walk.skips.append(Skip(path, SkipReason.UNREADABLE, error.strerror or str(error)))
            continue
        size = status.st_size
        if stat.S_ISREG(status.st_mode) and size <= file_filter.max_file_bytes:
            add_path(path)
            add_size(size)
            add_mtime(status.st_mtime_ns)
            add_stamp(
                (status.st_ctime_ns + status.st_ino * STAMP_FACTOR) & STAMP_LIMIT
            )  # inlined `change_stamp`
        else:
            walk.skips.append(_left_out(path, status))


def _count_rejected(name: str, extension: str, file_filter: FileFilter, walk: Walk) -> None:
    if name == SETTINGS_NAME:  # it says how to read the tree and is not part of it
        return
    if extension in file_filter.deselected or name in file_filter.deselected:
        walk.deselected += 1
    else:
        walk.unsupported[extension] = walk.unsupported.get(extension, 0) + 1


def _sort_folder(name: str, base: str, rules: IgnoreRules, walk: Walk) -> None:
    path = f"{base}{name}/"
    if not is_unicode(name):
        walk.skips.append(_badly_named(path[:-1]))
    elif name in VERSION_CONTROL:
        return
    elif rules and rules.is_ignored(path):
        walk.count_ignored(path, rules)
    elif (rules and rules.is_for_git_alone(path)) or (
        name in DEPENDENCY_FOLDERS and rules.is_tracked(path)
    ):
        walk.pending.append((path, rules.shut()))
    elif name in DEPENDENCY_FOLDERS:
        walk.skips.append(Skip(path, SkipReason.DEPENDENCIES))
    else:
        walk.pending.append((path, rules))


def _left_out(path: str, status: os.stat_result) -> Skip:
    if stat.S_ISLNK(status.st_mode):
        return Skip(path, SkipReason.SYMLINK)
    if not stat.S_ISREG(status.st_mode):
        return Skip(path, SkipReason.NOT_A_FILE)
    return Skip(path, SkipReason.TOO_LARGE, f"{status.st_size:,} bytes")


def _badly_named(path: str) -> Skip:
    return Skip(escaped_name(path), SkipReason.BAD_NAME)
