"""Which files of a tree are read: ignore rules, no version-control folders, no installed
dependencies, no links.

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
"""A folder that holds one of these is a virtual environment (PEP 405) or a cache
(bford.info/cachedir)."""

BARE_MARKS: Final = frozenset({"HEAD", "config", "objects", "refs"})
"""A folder that holds all of these is git's own, whatever its name."""

WATCHED_FILES: Final = 100
"""How many files `walk_tree` collects before it passes them on."""

MAX_FILE_BYTES: Final = 2_000_000
"""Larger files are skipped by default."""

MOST_IGNORED: Final = 200
"""So many of the topmost paths that git's rules leave out are kept by name: a search that finds
nothing looks into these."""

MOST_IGNORE_BYTES: Final = 4_000_000
"""Of all ignore files of a walk together. Their parsed rules, which stay in memory, take fifty
times as much."""


class FoundFile(NamedTuple):
    """A file that may hold symbols. path: relative to the root, forward slashes. size: bytes.
    mtime_ns: as stat has it. stamp: as of `files/change_stamp`."""

    path: str
    size: int
    mtime_ns: int
    stamp: int = 0


class FoundFiles:
    """Files as columns: paths, sizes (u64), mtimes in nanoseconds (i64), stamps (u64). A large tree
    is then a few objects instead of a hundred thousand, which are made and compared faster."""

    def __init__(
        self, blob: bytes = b"", sizes: bytes = b"", mtimes: bytes = b"", stamps: bytes = b""
    ) -> None:
        """blob: as the property. The others: in this machine's byte order."""
        self._blob: bytes | None = blob
        self._paths: list[str] | None = None
        self.sizes = array("Q", sizes)
        self.mtimes = array("q", mtimes)
        self.stamps = array("Q", stamps)

    @property
    def paths(self) -> list[str]:
        """The paths. Paths may be appended to this list."""
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
        """The files from a number on."""
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
    """What a walk found.

    files: sorted by path. skips: files and folders that were left out, except those counted below.
    unsupported: how many files of each extension have no language. ignored, hidden, deselected: how
    many files and topmost folders git's rules, rules for searchers, or the settings leave out.
    folders: those that were entered, and the rules in force in each. Their paths are relative to
    the root and end with a slash; the root's own is empty. pending: folders that are still to be
    entered. ignored_paths: the first MOST_IGNORED paths that git's rules, or those for searchers,
    leave out. began_ns: when it began, by the clock that files are stamped with.
    """

    def __init__(self) -> None:
        self.files = FoundFiles()
        self.skips: list[Skip] = []
        self.unsupported: dict[str, int] = {}
        self.ignored = 0
        self.hidden = 0
        self.deselected = 0
        self.ignored_paths: list[str] = []
        self.folders: dict[str, IgnoreRules] = {}
        self.pending: list[Folder] = []
        self.ignore_bytes = 0
        self.began_ns = time.time_ns()

    def count_ignored(self, path: str, rules: IgnoreRules) -> None:
        """Counts a path that these rules ignore, by the reason."""
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


class Wanted(NamedTuple):
    """Which files are taken: those with these extensions (in lower case; other cases are as good)
    or names, and those without an extension, whose language only the content tells.

    max_file_bytes: larger files are not taken. selection: what the user has chosen. deselected:
    extensions and names of languages that exist and are not chosen. items: globs; files that match
    one are taken, too. left: names that are not taken, whatever their extension.
    """

    extensions: frozenset[str]
    names: frozenset[str]
    max_file_bytes: int
    selection: Selection = EVERYTHING
    deselected: frozenset[str] = frozenset()
    items: tuple[str, ...] = ()
    excluded_names: frozenset[str] = frozenset()

    def takes_path(self, path: str) -> bool:
        """Whether a file is taken, by its name or by where it lies. path: relative to the root."""
        return self.takes(path[path.rfind("/") + 1 :]) or self.takes_item(path)

    def takes_item(self, path: str) -> bool:
        """Whether a file that `takes` refuses is taken all the same, by where it lies, in capitals
        or small letters."""
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
        made = made_from(name)
        return any(suffix.lower() in self.extensions for suffix in suffixes(name)) or (
            bool(made) and self.takes(made)
        )


@lru_cache(maxsize=16)
def _endings(globs: tuple[str, ...]) -> frozenset[str]:
    """The extensions of what globs match: most files are told by these. None where some glob
    matches files of any."""
    found = [_ENDING.search(glob) for glob in globs]
    return frozenset(match[0].lower() for match in found if match) if all(found) else frozenset()


_ENDING: Final = re.compile(r"\.[^./*?\[\]\\]*\Z")


@lru_cache(maxsize=16)
def _glob_set(globs: tuple[str, ...]) -> GlobSet:
    return GlobSet([plain_glob(glob.lower()) for glob in globs])


def check_root(root: Path) -> Path:
    """The folder, resolved. Raises RequestError where it is missing, no folder, or not readable."""
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
    """Raises RequestError where a part of a resolved root has become a link, which would lead
    elsewhere."""
    if os.path.realpath(root) != str(root):
        raise RequestError(
            f"{root}: a part of this path is a link by now, which is not followed: name the folder"
            " anew"
        )


@contextmanager
def staying(root: Path) -> Iterator[None]:
    """Surrounds an update of an index, lest a root that is moved meanwhile is taken for an empty
    one, or for a full disk.

    Raises RequestError where the root is behind a link, before or afterwards, or is no folder any
    more.
    """
    check_unmoved(root)
    try:
        yield
    finally:
        check_unmoved(root)
        check_root(root)


def walk_tree(
    root: Path, wanted: Wanted, watch: Callable[[list[FoundFile]], object] | None = None
) -> Walk:
    """All files below `root` (an existing folder) that may hold symbols, and what was left out.

    watch: called with the files while they are found, about WATCHED_FILES at a time. An exception
    that it raises ends the walk.
    """
    walk = Walk()
    n_watched = 0
    walk.pending.append(("", rules_above(root, walk.skips).under(wanted.selection)))
    with Beneath(root) as tree:
        while walk.pending:
            enter_folder(tree, *walk.pending.pop(), walk, wanted)
            if watch is not None and (
                len(walk.files) >= n_watched + WATCHED_FILES or not walk.pending
            ):
                watch(walk.files.since(n_watched))
                n_watched = len(walk.files)
    walk.sort()
    return walk


def walk_folders(root: Path, selection: Selection = EVERYTHING) -> dict[str, IgnoreRules]:
    """The folders that `walk_tree` enters, as far as they can be listed, and the rules in force in
    each, as in `Walk.folders`."""
    return walk_below(root, [("", rules_above(root, []).under(selection))], None).folders


def walk_below(root: Path, folders: list[Folder], wanted: Wanted | None) -> Walk:
    """What `walk_tree` finds in some folders and below them, in no order. wanted: as in
    `enter_folder`."""
    walk = Walk()
    walk.pending = folders
    with Beneath(root) as tree:
        while walk.pending:
            enter_folder(tree, *walk.pending.pop(), walk, wanted)
    return walk


def enter_folder(
    tree: Beneath, base: str, rules: IgnoreRules, walk: Walk, wanted: Wanted | None
) -> None:
    """Goes through one folder, and adds to `walk` its files, what is left out, and the folders to
    go on with.

    rules: those in force in its parent. wanted: `None` leaves out the files, which cost the most.
    """
    give_way()
    try:
        # Where that is a descriptor, the system need not go through the whole path of each of the
        # folder's files.
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
            if (own := listed.get(name)) is not None and own.is_file(
                follow_symlinks=False
            ):  # git follows no link here
                rules = _with_own(tree, base + name, base, rules, walk)
        sort_entries(listed, base, rules, walk, wanted)
        walk.folders[base] = rules
    except OSError as error:
        walk.skips.append(Skip(base, SkipReason.UNREADABLE, error.strerror or str(error)))


def _with_own(tree: Beneath, path: str, base: str, rules: IgnoreRules, walk: Walk) -> IgnoreRules:
    """The rules in force in a folder that has an ignore file."""
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
    wanted: Wanted | None,
) -> None:
    """Sorts what a folder holds into the walk. This runs for every file: the usual case is tested
    first, with few calls. rules: those in force in the folder; wanted: as in `enter_folder`."""
    is_ignored = rules.is_ignored if rules else None
    extensions, left, endings = (
        (wanted.extensions, wanted.excluded_names, _endings(wanted.items))
        if wanted is not None
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
        if wanted is None:
            continue
        path = base + name
        if not name.isascii() and not is_unicode(name):
            walk.skips.append(_badly_named(path))
            continue
        dot = name.rfind(".")
        is_taken = dot <= 0 or (name[dot:] in extensions and name not in left) or wanted.takes(name)
        is_taken = is_taken or (name[dot:].lower() in endings and wanted.takes_item(path))
        if name in VERSION_CONTROL and not entry.is_symlink():
            continue
        if is_ignored is not None and is_ignored(path):
            if not entry.is_symlink():
                walk.count_ignored(path, rules)
            continue
        if not is_taken and not entry.is_symlink():
            if name == SETTINGS_NAME:  # it says how the tree is read, and is no part of it
                continue
            extension = name[dot:].lower()
            if extension in wanted.deselected or name in wanted.deselected:
                walk.deselected += 1
            else:
                walk.unsupported[extension] = walk.unsupported.get(extension, 0) + 1
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            walk.skips.append(Skip(path, SkipReason.UNREADABLE, error.strerror or str(error)))
            continue
        size = status.st_size
        if stat.S_ISREG(status.st_mode) and size <= wanted.max_file_bytes:
            add_path(path)
            add_size(size)
            add_mtime(status.st_mtime_ns)
            add_stamp(
                (status.st_ctime_ns + status.st_ino * STAMP_FACTOR) & STAMP_LIMIT
            )  # `change_stamp`
        else:
            walk.skips.append(_left_out(path, status))


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
