"""Checks git's folder before git reads it: no link leads out of it, no alternates name other
objects, and no pipe or device makes git wait.

git follows links, alternates and includes wherever they lead. So before it is asked, everything
that it reads to find a commit or a file is looked at: objects, references, configuration. The
folders and the few files that decide are remembered with their change times; who asks git compares
them afterwards (`files/ignore/git_reader`), and so notices a folder that was exchanged meanwhile,
even if it was put back.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import read_regular
from symindex.files.ignore.git_command import read_config
from symindex.files.ignore.git_folder import CONFIGS, MOST_CONFIG, ForeignGitError, GitFolder

MOST_ENTRIES: Final = 500_000
"""The limit of files in git's folder. git itself packs loose objects from 6,700 on; half a million
take half a second to list."""

DEEPEST: Final = 40
"""The deepest nesting of folders. Names of branches have one to five parts."""

MOST_INCLUDED: Final = 20
"""The limit of files that the configuration includes, directly or not."""

Stamp = tuple[int, int, int, int]
"""Device, inode, ctime in nanoseconds, and size in bytes."""

Stamps = dict[str, Stamp | None]
"""Stamps by absolute path; `None` where there is no file."""

_FOLDERS: Final = ("objects", "refs", "reftable", "logs")
"""The folders that git reads to find a commit or a file."""

_FILES: Final = ("HEAD", "packed-refs", "shallow", "commondir", "gitdir", *CONFIGS)
"""The files that git reads then."""

_ALTERNATES: Final = ("objects/info/alternates", "objects/info/http-alternates")


def inspect_git(found: GitFolder, program: str) -> Stamps:
    """Looks at all that git reads of a repository. program: git. Raises ForeignGitError for what
    leads elsewhere or would hang, and OSError where it cannot be looked at."""
    stamps: Stamps = {str(found.top / ".git"): stamp_of(found.top / ".git")}
    room = MOST_ENTRIES
    for folder in {found.folder, found.common}:
        with Beneath(folder) as tree:
            stamps[str(folder)] = _stamp(os.lstat(folder))
            for name in _FILES:
                stamps[str(folder / name)] = _check_file(folder, name)
            for name in _FOLDERS:
                if stat.S_ISDIR(_mode(folder, name)):
                    room = _check_below(tree, folder, f"{name}/", room, stamps)
    for name in _ALTERNATES:
        path = found.common / name
        stamps[str(path)] = stamp_of(path)
        if (stamps[str(path)] or (0,))[-1]:
            raise ForeignGitError(
                f"{path}: names objects of another repository, which are not read; to have them all"
                " here: git repack -a -d, and delete that file"
            )
    check_config(found, program)
    return stamps


def stamp_of(path: str | Path) -> Stamp | None:
    """The stamp of a file, a folder or a link; `None` where there is none."""
    try:
        return _stamp(os.lstat(path))
    except OSError:
        return None


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_dev, status.st_ino, status.st_ctime_ns, status.st_size


def _mode(folder: Path, name: str) -> int:
    """The mode of something in git's folder; 0 where it is not there. Raises ForeignGitError for a
    link."""
    try:
        mode = os.lstat(folder / name).st_mode
    except OSError:
        return 0
    if stat.S_ISLNK(mode):
        raise _link(folder / name)
    return mode


def _link(path: Path) -> ForeignGitError:
    return ForeignGitError(
        f"{path}: is a symbolic link, which git would follow: put there what it leads to, or clone"
        " anew"
    )


def _check_file(folder: Path, name: str) -> Stamp | None:
    path = folder / name
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if stat.S_ISLNK(status.st_mode):
        # An old git makes HEAD a link to the branch.
        if not (
            name == "HEAD"
            and os.readlink(path).startswith("refs/")
            and ".." not in os.readlink(path)
        ):
            raise _link(path)
    elif not stat.S_ISREG(status.st_mode):
        raise ForeignGitError(f"{path}: is not a regular file, as git expects it: clone anew")
    return _stamp(status)


def _check_below(tree: Beneath, folder: Path, base: str, room: int, stamps: Stamps) -> int:
    """Looks at a folder and all below it; returns how many entries may still come."""
    pending = [base]
    while pending:
        base = pending.pop()
        number = tree.folder(base)
        stamps[str(folder / base)] = _stamp(os.stat(number))
        inner = []
        with os.scandir(number) as entries:
            for entry in entries:
                room -= 1
                if entry.is_dir(follow_symlinks=False):
                    inner.append(f"{base}{entry.name}/")
                elif entry.is_symlink():
                    raise _link(folder / base / entry.name)
                elif not entry.is_file(follow_symlinks=False):
                    raise ForeignGitError(
                        f"{folder / base / entry.name}: is not a regular file, as git expects it:"
                        " clone anew"
                    )
                if room < 0:
                    raise ForeignGitError(
                        f"{folder}: holds more than {MOST_ENTRIES:,} files: git gc packs them"
                    )
        if inner and base.count("/") > DEEPEST:
            raise ForeignGitError(
                f"{folder / base}: more than {DEEPEST} folders in one another: clone anew"
            )
        pending += inner
    return room


def check_config(found: GitFolder, program: str) -> None:
    """Looks at the configuration, with the files that it includes. Raises ForeignGitError for one
    that git cannot read soon."""
    left = MOST_INCLUDED
    pending = [
        path
        for folder in (found.common, found.folder)
        for path in (folder / name for name in CONFIGS)
    ]
    looked_at: set[Path] = set()
    while pending:
        path = pending.pop()
        if path in looked_at:
            continue
        looked_at.add(path)
        left -= path.name not in CONFIGS or path.parent not in (found.folder, found.common)
        if left < 0:
            raise ForeignGitError(
                f"{path}: more than {MOST_INCLUDED} configuration files include one another: see"
                " include.path"
            )
        try:
            config = read_regular(
                path, MOST_CONFIG, follow=path.parent not in (found.folder, found.common)
            )
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise ForeignGitError(
                f"{path}: {error.strerror or error}, and part of git's configuration: see"
                " include.path"
            ) from None
        pending += _included(path, config, program)


def _included(path: Path, config: bytes, program: str) -> Iterator[Path]:
    """The files that a configuration file names to be read with it, on whatever condition."""
    if b"include" not in config.lower():
        return
    values = read_config(program, config)
    if values is None:
        raise ForeignGitError(f"{path}: git cannot read this configuration")
    for key, value in values:
        if key.startswith(("include.", "includeif.")) and key.endswith(".path") and value:
            value = os.path.expanduser(value)
            yield path.parent / value
