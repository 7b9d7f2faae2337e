"""Why a walk leaves out one path, and what would take it in: asked where an answer lacks what the
user names."""

from pathlib import Path

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.git_repository import rules_above
from symindex.files.ignore.gitignore import IgnoreRules
from symindex.files.skips import Skip, SkipReason
from symindex.files.walk import (
    DEPENDENCY_FOLDERS,
    VERSION_CONTROL,
    Folder,
    Walk,
    Wanted,
    enter_folder,
)


def why_left_out(root: Path, path: str, wanted: Wanted) -> Skip | None:
    """The file or folder on the way to a path that a walk leaves out, and the reason; `None` where
    it takes the path, or nothing is there. Lists the folders on the way. path: relative to the
    root, with forward slashes."""
    parts = path.rstrip("/").split("/")
    folder: Folder = ("", rules_above(root, []).under(wanted.selection))
    with Beneath(root) as tree:
        for depth, name in enumerate(parts, start=1):
            walk, base = Walk(), folder[0]
            enter_folder(tree, *folder, walk, wanted)
            here = f"{base}{name}"
            if found := [
                skip for skip in walk.skips if skip.path in (base or "/", here, f"{here}/")
            ]:
                return next(
                    (skip for skip in found if skip.reason is not SkipReason.IGNORE_LIMIT), None
                )
            if base not in walk.folders or name in VERSION_CONTROL:
                return None
            rules = walk.folders[base]
            for left in (here, f"{here}/"):
                if left in walk.ignored_paths:
                    return _ignored(left, rules)
            entered = [each for each in walk.pending if each[0] == f"{here}/"]
            if entered:
                folder = entered[0]
                continue
            if here in walk.files.paths or not _is_there(tree, here):
                return None
            is_last = depth == len(parts)
            left = here if is_last and not path.endswith("/") else f"{here}/"
            if rules.is_deselected(here) or rules.is_deselected(f"{here}/"):
                return Skip(left, SkipReason.DESELECTED)
            if rules.is_ignored(here) or rules.is_ignored(
                f"{here}/"
            ):  # more than a walk keeps by name
                return _ignored(left, rules)
            return Skip(here, SkipReason.UNSUPPORTED)
        # of a folder that is entered: whether it can be listed, and what it holds, which its own
        # look tells
        walk = Walk()
        enter_folder(tree, *folder, walk, wanted)
        mine = (
            skip
            for skip in walk.skips
            if skip.path == folder[0] and skip.reason is not SkipReason.IGNORE_LIMIT
        )
        return next(mine, None)


def _ignored(path: str, rules: IgnoreRules) -> Skip:
    return Skip(path, SkipReason.HIDDEN if rules.is_hidden(path) else SkipReason.IGNORED)


def _is_there(tree: Beneath, path: str) -> bool:
    try:
        tree.lstat(path)
    except OSError:
        return False
    return True


def tell_left_out(skip: Skip) -> str:
    """That a file or folder is not in the index, why, and what takes it in."""
    return f"{skip.path} is not in the index: {reason_and_remedy(skip)}"


def reason_and_remedy(skip: Skip) -> str:
    """Why a file or folder is left out, and what takes it in."""
    detail = f" ({skip.detail})" if skip.detail else ""
    remedy = _remedy(skip)
    return f"{skip.reason}{detail}{f'; {remedy}' if remedy else ''}"


def _remedy(skip: Skip) -> str:
    match skip.reason:
        case SkipReason.MINIFIED:
            return f'minified = ["{skip.path}"] in symindex.toml takes it in'
        case SkipReason.TOO_LARGE:
            return "max_file_bytes in symindex.toml raises the limit"
        case SkipReason.IGNORED if not DEPENDENCY_FOLDERS.isdisjoint(skip.path.split("/")):
            return "packages are searched by space: system"
        case SkipReason.IGNORED:
            return "git add -f takes it in, or a .gitignore without that rule"
        case SkipReason.HIDDEN:
            return "a .rgignore with !PATH takes it in"
        case SkipReason.BAD_NAME:
            return "a name in UTF-8 takes it in"
        case SkipReason.DEPENDENCIES:
            return "packages are searched by space: system"
        case _:
            return ""
