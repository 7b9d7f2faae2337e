"""Finds the git folder that belongs to a tree.

`.git` can be a file that names a folder anywhere, and that folder's `commondir` can name another
one. A tree that was copied or unpacked may contain such files, which would reveal the content of
another repository of the user. So a folder outside the tree counts only if it refers back to the
tree, in a file that only git or the user has written: the folder of a worktree names the tree's
`.git` (`gitdir`) and is where its repository keeps its worktrees; the folder of a submodule names
the tree as its `core.worktree`. `git init --separate-git-dir` writes no such reference;
`git config core.worktree` adds one.
"""

import os
import stat
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import shown
from symindex.files.access.beneath import read_beneath
from symindex.files.ignore.git_command import find_git, read_config

LONGEST_NOTE: Final = 4_096
"""Size limit of the small files that contain a path, in bytes: the longest path that Linux
allows."""

MOST_CONFIG: Final = 1_000_000
"""Size limit of one git configuration file, in bytes. A typical one has 300."""


CONFIGS: Final = ("config", "config.worktree")
"""The configuration of a repository, then that of one of its worktrees, which takes precedence."""


class GitFolder(NamedTuple):
    """A tree and its git folders, as absolute paths without links.

    top: the top folder of the tree. folder: the git folder of this tree alone. common: the folder
    that all worktrees of the repository share, with the objects; without further worktrees it is
    `folder`.
    """

    top: Path
    folder: Path
    common: Path


class ForeignGitError(Exception):
    """A `.git` that must not be read. The message says why, and what would be right."""

    def __init__(self, message: str) -> None:
        super().__init__(shown(message))


def git_folder(top: Path) -> GitFolder | None:
    """Returns the git folder of a tree; `None` if it has no `.git`.

    top: without links. Raises ForeignGitError if `.git` belongs elsewhere or is invalid.
    """
    marker = top / ".git"
    try:
        mode = os.lstat(marker).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        if os.path.lexists(marker / "commondir"):
            raise ForeignGitError(
                f"{marker / 'commondir'}: only the folder of a worktree has one; see git worktree"
            )
        return GitFolder(top, marker, marker)
    if not stat.S_ISREG(mode):
        kind = "is a symbolic link" if stat.S_ISLNK(mode) else "is neither a folder nor a file"
        raise ForeignGitError(
            f"{marker}: {kind}: a repository elsewhere counts if git worktree add has made this"
            " tree of it"
        )
    reference = note(top, ".git")
    folder = (
        resolved(top, reference.removeprefix("gitdir:").strip())
        if reference.startswith("gitdir:")
        else None
    )
    if folder is None or not folder.is_dir():
        raise ForeignGitError(
            f"{marker}: does not name a folder: expected a line such as gitdir: FOLDER"
        )
    return GitFolder(top, folder, _common(marker, folder))


def _common(marker: Path, folder: Path) -> Path:
    """Returns the common folder of a folder that `.git` names, if it refers back to the tree."""
    top = marker.parent
    is_inside = top in folder.parents
    if os.path.lexists(folder / "commondir"):
        common = resolved(folder, note(folder, "commondir"))
        back = resolved(folder, note(folder, "gitdir"))
        is_worktree = (
            common is not None and folder.parent == common / "worktrees" and back == marker
        )
        if common is None or not is_worktree or (is_inside and top not in common.parents):
            raise ForeignGitError(
                f"{marker}: leads to {folder}, the folder of another worktree; git worktree repair"
                " repairs a moved one"
            )
        return common
    if not is_inside and resolved(folder, _named_tree(folder, top)) != top:
        raise ForeignGitError(
            f"{marker}: leads to {folder}, whose core.worktree does not name this tree: git sets it"
            " for a submodule, and you can set it for what git init --separate-git-dir has made"
        )
    return folder


def _named_tree(folder: Path, top: Path) -> str:
    """Returns `core.worktree` of a git folder; empty if unset."""
    worktree = ""
    for name in CONFIGS:
        with suppress(OSError):
            worktree = (
                _worktree_of(read_beneath(folder, name, MOST_CONFIG), find_git(top)) or worktree
            )
    return worktree


@lru_cache(maxsize=32)
def _worktree_of(config: bytes, program: str | None) -> str:
    values = (
        read_config(program, config)
        if program is not None and b"worktree" in config.lower()
        else None
    )
    return dict(values or []).get("core.worktree", "")


def note(folder: Path, name: str) -> str:
    """Reads a small file; empty if there is none."""
    with suppress(OSError):
        return os.fsdecode(read_beneath(folder, name, LONGEST_NOTE)).strip()
    return ""


def resolved(folder: Path, path: str) -> Path | None:
    """Resolves a path relative to a folder, with its links; `None` if it is invalid."""
    with suppress(OSError, RuntimeError, ValueError):
        return (folder / path).resolve() if path else None
    return None
