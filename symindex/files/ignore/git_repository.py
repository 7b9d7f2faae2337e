"""Where git keeps what it knows of a tree: its own folder, and the ignore files of the repository and the user.

All of that can stand above the root, and some of it is named by files: `.git` as a file in worktrees and submodules, `commondir`,
`core.excludesFile`. A tree that was copied or unpacked can hold such files, too. So a place outside of the tree counts only if it
refers back to the tree (a worktree's folder names the tree, a submodule's lies in the folder of the repository around it), and a
file that the tree's own configuration names counts only below the tree.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from symindex.files.access.beneath import Beneath, read_beneath
from symindex.files.access.owners import may_decide, speaks_for
from symindex.files.access.regular import closing, open_regular
from symindex.files.ignore.git_command import ask_git
from symindex.files.ignore.gitignore import IGNORE_NAME, IgnoreRules
from symindex.files.locations import find_upwards
from symindex.files.skips import Skip, SkipReason

_LONGEST_NOTE: Final = 4_096
"""Bytes of the small files that hold a path."""


class _Place(NamedTuple):
    """An ignore file that counts before a root's own. top: the folder below which no link is followed; `None` for the user's own
    file, which may be a link. below: the way from the folder that the patterns refer to down to the root."""

    top: Path | None
    path: str
    below: tuple[str, ...]

    @property
    def whole(self) -> Path:
        return self.top / self.path if self.top is not None else Path(self.path)


def rules_above(root: Path, skips: list[Skip]) -> IgnoreRules:
    """The rules in force at `root` before its own ignore file: global excludes, `.git/info/exclude`, and the ignore files of the
    folders from the repository's top down to the root's parent. What is not applied of them is added to `skips`."""
    rules = IgnoreRules()
    for place in _places_above(root, skips):
        shown = os.fsencode(place.whole).decode("utf-8", "replace")
        try:
            with closing(_open(place, root)) as number:
                rules = rules.with_open(number, shown, skips, prefix="".join(part + "/" for part in place.below))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            skips.append(Skip(shown, SkipReason.IGNORE_LIMIT, error.strerror or str(error)))
    return rules


def _open(place: _Place, root: Path) -> int:
    if place.top is None:
        return open_regular(place.path, follow=True)
    with Beneath(place.top) as tree:
        number = tree.open_file(place.path)
    if not may_decide(os.fstat(number), root):
        os.close(number)
        raise OSError(0, "belongs to another user")
    return number


def files_above(root: Path) -> list[Path]:
    """The files that `rules_above` reads, whether they exist or not."""
    return [place.whole for place in _places_above(root, [])]


def git_state(root: Path) -> list[Path]:
    """The files that git writes after it has changed many others: by a checkout, a merge, a reset."""
    top = find_upwards(root, ".git")
    folder = _git_folder(top) or top / ".git"
    return [folder / "HEAD", folder / "index"]


def _places_above(root: Path, skips: list[Skip]) -> Iterator[_Place]:
    """The ignore files that count before a root's own, farthest first."""
    top = find_upwards(root, ".git")
    parts = root.relative_to(top).parts
    yield _global_excludes(root, top, parts, skips)
    folder = _git_folder(top)
    if folder is not None:
        yield _Place(_common_folder(folder), "info/exclude", parts)
    for depth in range(len(parts)):
        yield _Place(top, "/".join((*parts[:depth], IGNORE_NAME)), parts[depth:])


def _git_folder(top: Path) -> Path | None:
    """The folder that git keeps for a tree; `None` where there is none that refers back to the tree."""
    marker = top / ".git"
    try:
        mode = os.lstat(marker).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        return marker
    named = _note(top, ".git")
    if not named.startswith("gitdir:"):
        return None
    folder = _resolved(top, named.removeprefix("gitdir:").strip())
    if folder is None:
        return None
    # A worktree's folder names the tree's file, and a submodule's lies in the folder of the repository around it.
    back = _resolved(folder, _note(folder, "gitdir"))
    if back is not None and back == _resolved(top, ".git"):
        return folder
    around = next((above for above in top.parents if speaks_for(above / ".git", top)), None)
    outer = _git_folder(around) if around is not None else None
    outer = _resolved(outer, "modules") if outer is not None else None
    return folder if outer is not None and outer in folder.parents else None


def _common_folder(folder: Path) -> Path:
    """The folder that a repository's worktrees share, which holds its `info`, and the folder of each of them."""
    named = _note(folder, "commondir")
    common = _resolved(folder, named) if named else None
    return common if common is not None and folder.parent == common / "worktrees" else folder


def _note(folder: Path, name: str) -> str:
    """The text of a small file; empty where there is none."""
    with suppress(OSError):
        return os.fsdecode(read_beneath(folder, name, _LONGEST_NOTE)).strip()
    return ""


def _resolved(folder: Path, path: str) -> Path | None:
    """A path that is relative to a folder, with links resolved; `None` where it is none."""
    with suppress(OSError, RuntimeError, ValueError):
        return (folder / path).resolve() if path else None
    return None


def _global_excludes(root: Path, top: Path, parts: tuple[str, ...], skips: list[Skip]) -> _Place:
    """The place of git's `core.excludesFile`: from git where it is installed, else the default."""
    answer, why = ask_git(root, top)
    if why:
        skips.append(Skip("core.excludesFile", SkipReason.IGNORE_LIMIT, why))
    for scope, value in reversed(answer):
        if scope not in ("local", "worktree"):
            if os.path.isabs(value):
                return _Place(None, value, parts)
            continue
        # The tree's own configuration may only name a file of the tree.
        whole = Path(os.path.normpath(os.path.join(top, value)))
        if value and top in whole.parents:
            return _Place(top, whole.relative_to(top).as_posix(), parts)
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return _Place(None, os.path.join(config, "git", "ignore"), parts)
