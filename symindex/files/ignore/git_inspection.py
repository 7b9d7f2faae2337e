"""Checks git's folder before git reads it: no link leads out of it, no alternates name other
objects, and no pipe or device makes git wait.

git follows links, alternates and includes wherever they lead. So everything that it reads to find a
commit or a file is inspected first: objects, references, configuration. The change times of the
folders and of the few files that matter are recorded; the caller compares them after git has
answered (`files/ignore/git_reader`), and so notices a folder that was replaced meanwhile, even if
it was put back.
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
"""Most files in git's folder. git itself packs loose objects from 6,700 on; listing half a million
takes half a second."""

DEEPEST: Final = 40
"""Deepest nesting of folders. Names of branches have one to five parts."""

MOST_INCLUDED: Final = 20
"""Most files that the configuration may include, directly or indirectly."""

Stamp = tuple[int, int, int, int]
"""Device, inode, ctime in nanoseconds, and size in bytes."""

Stamps = dict[str, Stamp | None]
"""Stamps by absolute path; `None` for a file that does not exist."""

_FOLDERS: Final = ("objects", "refs", "reftable", "logs")
"""The folders that git reads to find a commit or a file."""

_FILES: Final = (
    *("HEAD", "packed-refs", "shallow", "commondir", "gitdir", "info/attributes"),
    *CONFIGS,
)
"""The files that git reads for the same purpose, or to compare two versions of a file."""

_ALTERNATES: Final = ("objects/info/alternates", "objects/info/http-alternates")


def inspect_git(git: GitFolder, program: str) -> Stamps:
    """Inspects everything that git reads in a repository and returns the stamps.

    program: the path of git. Raises ForeignGitError for anything that leads elsewhere or would
    hang, and OSError if the folder cannot be inspected.
    """
    stamps: Stamps = {str(git.top / ".git"): stamp_of(git.top / ".git")}
    room = MOST_ENTRIES
    for folder in {git.folder, git.common}:
        with Beneath(folder) as tree:
            stamps[str(folder)] = _stamp(os.lstat(folder))
            for name in _FILES:
                stamps[str(folder / name)] = _check_file(folder, name)
            for name in _FOLDERS:
                if stat.S_ISDIR(_mode(folder, name)):
                    room = _check_below(tree, folder, f"{name}/", room, stamps)
    for name in _ALTERNATES:
        path = git.common / name
        stamps[str(path)] = stamp_of(path)
        if (stamps[str(path)] or (0,))[-1]:
            raise ForeignGitError(
                f"{path}: names objects of another repository, which are not read; to copy them"
                " here: git repack -a -d, and delete that file"
            )
    check_config(git, program)
    return stamps


def stamp_of(path: str | Path) -> Stamp | None:
    """Returns the stamp of a file, folder or link; `None` if it does not exist."""
    try:
        return _stamp(os.lstat(path))
    except OSError:
        return None


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_dev, status.st_ino, status.st_ctime_ns, status.st_size


def _mode(folder: Path, name: str) -> int:
    """Returns the mode of an entry of git's folder; 0 if it does not exist. Raises ForeignGitError
    for a link."""
    try:
        mode = os.lstat(folder / name).st_mode
    except OSError:
        return 0
    if stat.S_ISLNK(mode):
        raise _link(folder / name)
    return mode


def _link(path: Path) -> ForeignGitError:
    return ForeignGitError(
        f"{path}: is a symbolic link, which git would follow: replace it with its target, or clone"
        " again"
    )


def _check_file(folder: Path, name: str) -> Stamp | None:
    path = folder / name
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if stat.S_ISLNK(status.st_mode):
        # Old versions of git make HEAD a link to the branch.
        if not (
            name == "HEAD"
            and os.readlink(path).startswith("refs/")
            and ".." not in os.readlink(path)
        ):
            raise _link(path)
    elif not stat.S_ISREG(status.st_mode):
        raise ForeignGitError(f"{path}: is not a regular file, as git expects: clone it again")
    return _stamp(status)


def _check_below(tree: Beneath, folder: Path, base: str, room: int, stamps: Stamps) -> int:
    """Inspects a folder and everything below it; returns how many more entries are allowed."""
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
                        f"{folder / base / entry.name}: is not a regular file, as git expects:"
                        " clone it again"
                    )
                if room < 0:
                    raise ForeignGitError(
                        f"{folder}: holds more than {MOST_ENTRIES:,} files: git gc packs them"
                    )
        if inner and base.count("/") > DEEPEST:
            raise ForeignGitError(
                f"{folder / base}: more than {DEEPEST} nested folders: clone it again"
            )
        pending += inner
    return room


def check_config(git: GitFolder, program: str) -> None:
    """Inspects the configuration and the files that it includes. Raises ForeignGitError if git
    could not read it quickly."""
    n_allowed = MOST_INCLUDED
    pending = [
        path for folder in (git.common, git.folder) for path in (folder / name for name in CONFIGS)
    ]
    looked_at: set[Path] = set()
    while pending:
        path = pending.pop()
        if path in looked_at:
            continue
        looked_at.add(path)
        n_allowed -= path.name not in CONFIGS or path.parent not in (git.folder, git.common)
        if n_allowed < 0:
            raise ForeignGitError(
                f"{path}: more than {MOST_INCLUDED} configuration files include one another: see"
                " include.path"
            )
        try:
            config = read_regular(
                path, MOST_CONFIG, follow=path.parent not in (git.folder, git.common)
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
    """Yields the files that a configuration file includes, whatever the condition."""
    if b"include" not in config.lower():
        return
    values = read_config(program, config)
    if values is None:
        raise ForeignGitError(f"{path}: git cannot read this configuration")
    for key, value in values:
        if key.startswith(("include.", "includeif.")) and key.endswith(".path") and value:
            value = os.path.expanduser(value)
            yield path.parent / value
