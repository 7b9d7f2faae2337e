"""Repositories below a root: where one begins, whether it is the working tree of another, and what
it tracks and ignores.

As git has it, the rules around a nested repository or submodule end at its root; its own
`info/exclude` and the user's `core.excludesFile` count. A linked worktree holds the files of its
repository once more, so it is left out and named. Of a bare repository in the tree one worktree is
read: that of its own branch, or the first by name. What lies in other folders is read beside the
walk, which has the folder open that it lists.
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
    """The git folder of the repository of which a folder below the root is a linked worktree that
    is left out; else `None`. base: the folder, which holds `.git`."""
    named = _named_folder(tree, base)
    if named is None:
        return None
    common, kept = os.path.split(os.path.dirname(named))
    is_there = os.path.isdir(named)
    if kept != _WORKTREES or (is_there and not os.path.lexists(os.path.join(named, "commondir"))):
        return None
    if (
        not is_there and os.path.basename(common) == "modules"
    ):  # a submodule that lies in a folder of that name
        return None
    return None if _read_in_its_place(tree, common) == os.path.basename(named) else common


def rules_of_repository(
    tree: Beneath, base: str, rules: IgnoreRules, skips: list[Skip]
) -> IgnoreRules:
    """The rules at a folder that holds `.git`: those around it, if that is no repository. skips:
    gets what is not applied."""
    folder = _git_folder(tree, base)
    if folder is None:
        return rules
    below = _below_root(tree, folder)
    own = rules.at_repository(Tracked(partial(_read_index, tree.root, below), base), base)
    if below is None:
        return own
    try:
        with (
            Beneath(tree.root) as other,
            closing(other.open_file(f"{below}/info/exclude")) as number,
        ):
            return own.with_open(number, f"{below}/info/exclude", skips, base)
    except OSError:
        return own


def _git_folder(tree: Beneath, base: str) -> str | None:
    """The path of the folder that git keeps for a nested repository; `None` where there is none, as
    git sees it."""
    try:
        is_file = stat.S_ISREG(tree.lstat(f"{base}.git").st_mode)
    except OSError:
        return None
    folder = _named_folder(tree, base) if is_file else os.path.join(tree.root, base, ".git")
    return folder if folder is not None and os.path.lexists(os.path.join(folder, "HEAD")) else None


def _named_folder(tree: Beneath, base: str) -> str | None:
    """The path that `.git` names where it is a file, with forward slashes; else `None`."""
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
    """A folder's path relative to the root; `None` for one outside, of which nothing is read."""
    path = os.path.relpath(folder, tree.root).replace(os.sep, "/")
    return None if path == ".." or path.startswith("../") or os.path.isabs(path) else path


def _read_index(root: str, below: str | None) -> bytes:
    if below is None:
        raise FileNotFoundError(below)
    with Beneath(root) as tree:
        return tree.read(f"{below}/index", MOST_INDEX)


def _read_in_its_place(tree: Beneath, common: str) -> str:
    """The name of the worktree that is read because its repository is bare and lies in the tree;
    empty for none."""
    below = _below_root(tree, common)
    if below is None or os.path.basename(common) == ".git":
        return ""
    with Beneath(tree.root) as other:
        try:
            with os.scandir(other.folder(f"{below}/{_WORKTREES}/")) as entries:
                names = sorted(entry.name for entry in islice(entries, _MOST_WORKTREES))
            branch = other.read(f"{below}/HEAD", _NOTE_BYTES)
        except OSError:
            return ""
        there = [name for name in names if _is_in_tree(other, f"{below}/{_WORKTREES}/{name}")]
        of_branch = (
            name for name in there if _note(other, f"{below}/{_WORKTREES}/{name}/HEAD") == branch
        )
        return next(of_branch, next(iter(there), ""))


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
