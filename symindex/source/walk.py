"""Which files of a tree are read: git's ignore rules, no version-control folders, no installed dependencies, no links.

A walk only lists and stats; what needs a look at the content (binary, minified, the language of a script) is decided by
`source/read`, in the worker that reads the file anyway.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.source.ignore import IgnoreFile, IgnoreRules, read_ignore_file, rules_above
from symindex.source.languages import Languages, file_suffix
from symindex.source.skips import Skip, SkipReason

VERSION_CONTROL: Final = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", "CVS", "_darcs", ".fslckout"})
DEPENDENCY_FOLDERS: Final = frozenset({"node_modules", "bower_components", "__pycache__", "site-packages"})
DEPENDENCY_MARKS: Final = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
"""A folder that holds one of these is a virtual environment (PEP 405) or a cache (bford.info/cachedir)."""

WATCHED_FILES: Final = 100


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may hold symbols. path: relative to the root, forward slashes. size: bytes. mtime_ns: as stat has it."""

    path: str
    size: int
    mtime_ns: int


@dataclass
class Walk:
    """What a walk found.

    files: in the order of their paths. skips: files and folders that were left out, except those of UNSUPPORTED, which
    are counted by extension in `unsupported`, and of IGNORED, of which `ignored` counts the topmost.
    """

    files: list[FoundFile] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    unsupported: dict[str, int] = field(default_factory=dict)
    ignored: int = 0


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
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RequestError(f"{root}: cannot be read: {reason}") from None


def walk_tree(
    root: Path, languages: Languages, max_file_bytes: int, watch: Callable[[list[FoundFile]], object] | None = None
) -> Walk:
    """All files below `root` (an existing folder) that may hold symbols, and what was left out.

    max_file_bytes: larger files are skipped.
    watch: called with files as they are found, some WATCHED_FILES at a time, for whoever need not wait for the rest; an exception
    that it raises ends the walk.
    """
    walk = Walk()
    n_watched = 0

    def take(entry: os.DirEntry[str], path: str) -> None:
        _take_file(entry, path, walk, languages, max_file_bytes)

    for _ in _enter_folders(root, "", rules_above(root), walk, take):
        if watch is not None and len(walk.files) >= n_watched + WATCHED_FILES:
            watch(walk.files[n_watched:])
            n_watched = len(walk.files)
    if watch is not None:
        watch(walk.files[n_watched:])
    walk.files.sort(key=lambda file: file.path)
    walk.skips.sort()
    walk.unsupported = dict(sorted(walk.unsupported.items()))
    return walk


def walk_folders(root: Path, base: str = "", rules: IgnoreRules | None = None) -> dict[str, IgnoreRules]:
    """The folders that `walk_tree` enters, as far as they can be listed, and the rules in force in each.

    Paths are relative to `root`; the root's own is empty, the others end with a slash.
    base: where to begin; rules: those in force in the folder around it.
    """
    return dict(_enter_folders(root, base, rules or rules_above(root), Walk(), None))


def is_taken(name: str, languages: Languages) -> bool:
    """Whether a file of this name may hold symbols; without an extension only its content tells."""
    return not file_suffix(name) or bool(languages.by_name(name))


_Take = Callable[[os.DirEntry[str], str], None] | None
"""What is done with a file; nothing where only folders are asked for, and then files are not looked at: that costs the most."""


def _enter_folders(root: Path, base: str, rules: IgnoreRules, walk: Walk, take: _Take) -> Iterator[tuple[str, IgnoreRules]]:
    """Goes through the tree below `base` and yields the folders that it enters."""
    folders = [(base, rules)]
    while folders:
        base, rules = folders.pop()
        entered = _scan_folder(root, base, rules, walk, take, folders)
        if entered is not None:
            yield base, entered


def _scan_folder(
    root: Path, base: str, rules: IgnoreRules, walk: Walk, take: _Take, folders: list[tuple[str, IgnoreRules]]
) -> IgnoreRules | None:
    """Sorts the entries of one folder: files to `take`, folders to go on with to `folders`, what is left out to `walk`.

    Returns the rules in force in it, `None` where it is not entered.
    """
    try:
        with os.scandir(os.path.join(root, base)) as entries:
            listed = list(entries)
    except OSError as error:
        walk.skips.append(Skip(base, SkipReason.UNREADABLE, error.strerror or str(error)))
        return None
    names = {entry.name for entry in listed}
    if base and not DEPENDENCY_MARKS.isdisjoint(names):
        walk.skips.append(Skip(base, SkipReason.DEPENDENCIES))
        return None
    if any(entry.name == ".gitignore" and entry.is_file(follow_symlinks=False) for entry in listed):  # git follows no link here
        text = read_ignore_file(root / base / ".gitignore")
        if text is not None:
            rules = rules.with_file(IgnoreFile(text, base))
    for entry in listed:
        if take is None and not entry.is_dir(follow_symlinks=False):
            continue
        path = base + entry.name
        if not (entry.name.isascii() or _is_unicode(entry.name)):
            walk.skips.append(Skip(os.fsencode(path).decode("utf-8", "replace"), SkipReason.BAD_NAME))
        elif entry.is_symlink():
            if not rules.is_ignored(path):
                walk.skips.append(Skip(path, SkipReason.SYMLINK))
        elif entry.name in VERSION_CONTROL:
            continue
        elif entry.is_dir(follow_symlinks=False):
            if rules.is_ignored(path + "/"):
                walk.ignored += 1
            elif entry.name in DEPENDENCY_FOLDERS:
                walk.skips.append(Skip(path + "/", SkipReason.DEPENDENCIES))
            else:
                folders.append((path + "/", rules))
        elif rules.is_ignored(path):
            walk.ignored += 1
        elif take is not None:
            take(entry, path)
    return rules


def _take_file(entry: os.DirEntry[str], path: str, walk: Walk, languages: Languages, max_file_bytes: int) -> None:
    name = entry.name
    extension = file_suffix(name)
    if extension and not languages.by_name(name, extension):
        extension = extension.lower()
        walk.unsupported[extension] = walk.unsupported.get(extension, 0) + 1
        return
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        walk.skips.append(Skip(path, SkipReason.UNREADABLE, error.strerror or str(error)))
        return
    if not stat.S_ISREG(status.st_mode):
        walk.skips.append(Skip(path, SkipReason.NOT_A_FILE))
    elif status.st_size > max_file_bytes:
        walk.skips.append(Skip(path, SkipReason.TOO_LARGE, f"{status.st_size:,} bytes"))
    else:
        walk.files.append(FoundFile(path, status.st_size, status.st_mtime_ns))


def _is_unicode(name: str) -> bool:
    """Whether the operating system's bytes for this name were text; what was not is kept as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
