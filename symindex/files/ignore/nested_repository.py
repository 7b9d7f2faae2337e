"""Handles repositories below a root: where one begins, whether it is the worktree of another, and
what it tracks and ignores.

As in git, the rules around a nested repository or submodule end at its root; its own `info/exclude`
and the user's `core.excludesFile` apply. A linked worktree contains the files of its repository
once more, so it is skipped and named. Of a bare repository in the tree one worktree is read: that
of its current branch, or the first by name. Files in other folders are read through a `Beneath` of
their own, because the walk keeps the folder that it lists open.
"""

import os
import stat
from functools import partial
from itertools import islice
from typing import Final

from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import closing
from symindex.files.ignore.git_index import MOST_BYTES as MOST_INDEX
from symindex.files.ignore.git_index import Tracked
from symindex.files.ignore.gitignore import IgnoreRules
from symindex.files.skips import Skip

_NOTE_BYTES: Final = 4_096
_WORKTREES: Final = "worktrees"
_MOST_WORKTREES: Final = 1_000


def main_of_worktree(tree: Beneath, base: str) -> str | None:
    """Returns the git folder of the main repository if a folder is a linked worktree to be skipped;
    else `None`. base: the folder, which contains `.git`."""
    git_path = _named_folder(tree, base)
    if git_path is None:
        return None
    common, folder_name = os.path.split(os.path.dirname(git_path))
    is_there = os.path.isdir(git_path)
    if folder_name != _WORKTREES or (
        is_there and not os.path.lexists(os.path.join(git_path, "commondir"))
    ):
        return None
    if (
        not is_there and os.path.basename(common) == "modules"
    ):  # a submodule in a folder with that name
        return None
    return None if _read_in_its_place(tree, common) == os.path.basename(git_path) else common


def rules_of_repository(
    tree: Beneath, base: str, rules: IgnoreRules, skips: list[Skip]
) -> IgnoreRules:
    """Returns the rules at a folder that contains `.git`; those around it if it is not a
    repository. Adds what cannot be applied to `skips`."""
    folder = _git_folder(tree, base)
    if folder is None:
        return rules
    below = _below_root(tree, folder)
    nested = rules.at_repository(Tracked(partial(_read_index, tree.root, below), base), base)
    if below is None:
        return nested
    try:
        with (
            Beneath(tree.root) as git_tree,
            closing(git_tree.open_file(f"{below}/info/exclude")) as number,
        ):
            return nested.with_open(number, f"{below}/info/exclude", skips, base)
    except OSError:
        return nested


def files_of_repository(tree: Beneath, base: str) -> list[str]:
    """Returns the files that decide what `rules_of_repository` returns for a folder, whether they
    exist or not; paths relative to the root. None without `.git`, and at the root itself."""
    if not base or not os.path.lexists(os.path.join(tree.root, base, ".git")):
        return []
    folder = _git_folder(tree, base)
    below = _below_root(tree, folder) if folder is not None else None
    inside = () if below is None else ("HEAD", "index", "info/exclude")
    return [f"{base}.git", *(f"{below}/{name}" for name in inside)]


def _git_folder(tree: Beneath, base: str) -> str | None:
    """Returns the path of the git folder of a nested repository; `None` if git would not see
    one."""
    try:
        is_file = stat.S_ISREG(tree.lstat(f"{base}.git").st_mode)
    except OSError:
        return None
    folder = _named_folder(tree, base) if is_file else os.path.join(tree.root, base, ".git")
    return folder if folder is not None and os.path.lexists(os.path.join(folder, "HEAD")) else None


def _named_folder(tree: Beneath, base: str) -> str | None:
    """Returns the path that a `.git` file names, with forward slashes; `None` if `.git` is not such
    a file."""
    try:
        note = os.fsdecode(tree.read(f"{base}.git", _NOTE_BYTES)).strip()
    except OSError:
        return None
    if not note.startswith("gitdir:") or "\0" in note:
        return None
    return os.path.normpath(
        os.path.join(tree.root, base, note.removeprefix("gitdir:").strip())
    ).replace(os.sep, "/")


def _below_root(tree: Beneath, folder: str) -> str | None:
    """Returns a folder's path relative to the root; `None` for a folder outside, which is never
    read."""
    path = os.path.relpath(folder, tree.root).replace(os.sep, "/")
    return None if path == ".." or path.startswith("../") or os.path.isabs(path) else path


def _read_index(root: str, below: str | None) -> bytes:
    if below is None:
        raise FileNotFoundError(below)
    with Beneath(root) as tree:
        return tree.read(f"{below}/index", MOST_INDEX)


def _read_in_its_place(tree: Beneath, common: str) -> str:
    """Returns the name of the worktree to read if the main repository is bare and in the tree; else
    an empty string."""
    below = _below_root(tree, common)
    if below is None or os.path.basename(common) == ".git":
        return ""
    with Beneath(tree.root) as git_tree:
        try:
            with os.scandir(git_tree.folder(f"{below}/{_WORKTREES}/")) as entries:
                names = sorted(entry.name for entry in islice(entries, _MOST_WORKTREES))
            branch = git_tree.read(f"{below}/HEAD", _NOTE_BYTES)
        except OSError:
            return ""
        in_tree = [name for name in names if _is_in_tree(git_tree, f"{below}/{_WORKTREES}/{name}")]
        of_branch = (
            name
            for name in in_tree
            if _note(git_tree, f"{below}/{_WORKTREES}/{name}/HEAD") == branch
        )
        return next(of_branch, next(iter(in_tree), ""))


def _is_in_tree(tree: Beneath, folder: str) -> bool:
    """Whether the working tree of a worktree's folder is below the root."""
    place = os.fsdecode(_note(tree, f"{folder}/gitdir")).strip()
    inside = (
        _below_root(tree, os.path.normpath(os.path.join(tree.root, folder, place)))
        if place and "\0" not in place
        else None
    )
    try:
        return inside is not None and stat.S_ISREG(tree.lstat(inside).st_mode)
    except OSError:
        return False


def _note(tree: Beneath, path: str) -> bytes:
    try:
        return tree.read(path, _NOTE_BYTES)
    except OSError:
        return b""
