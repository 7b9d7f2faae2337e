"""Explains why a walk leaves out a path, and how to include it. Used when an answer lacks a path
that the user names."""

from pathlib import Path

from symindex.files.access.beneath import Beneath
from symindex.files.ignore.git_repository import rules_above
from symindex.files.ignore.gitignore import IgnoreRules
from symindex.files.skips import Skip, SkipReason
from symindex.files.walk import (
    DEPENDENCY_FOLDERS,
    VERSION_CONTROL,
    FileFilter,
    Folder,
    Walk,
    enter_folder,
)


def why_left_out(root: Path, path: str, file_filter: FileFilter) -> Skip | None:
    """Returns the file or folder on the way to a path that a walk leaves out, with the reason;
    `None` if the walk reads the path or nothing exists there. Lists the folders on the way.

    path: relative to the root, with forward slashes.
    """
    parts = path.rstrip("/").split("/")
    folder: Folder = ("", rules_above(root, []).under(file_filter.selection))
    with Beneath(root) as tree:
        for depth, name in enumerate(parts, start=1):
            walk, base = Walk(), folder[0]
            enter_folder(tree, *folder, walk, file_filter)
            place = f"{base}{name}"
            if skips := [
                skip for skip in walk.skips if skip.path in (base or "/", place, f"{place}/")
            ]:
                return next(
                    (skip for skip in skips if skip.reason is not SkipReason.IGNORE_LIMIT), None
                )
            if base not in walk.folders or name in VERSION_CONTROL:
                return None
            rules = walk.folders[base]
            for left_out in (place, f"{place}/"):
                if left_out in walk.ignored_paths:
                    return _ignored(left_out, rules)
            entered = [pending for pending in walk.pending if pending[0] == f"{place}/"]
            if entered:
                folder = entered[0]
                continue
            if place in walk.files.paths or not _is_there(tree, place):
                return None
            is_last = depth == len(parts)
            left_out = place if is_last and not path.endswith("/") else f"{place}/"
            if rules.is_deselected(place) or rules.is_deselected(f"{place}/"):
                return Skip(left_out, SkipReason.DESELECTED)
            if rules.is_ignored(place) or rules.is_ignored(
                f"{place}/"
            ):  # beyond the number of paths that a walk records by name
                return _ignored(left_out, rules)
            return Skip(place, SkipReason.UNSUPPORTED)
        # The folder itself is entered. Whether it can be listed shows only when it is.
        walk = Walk()
        enter_folder(tree, *folder, walk, file_filter)
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
    """States that a file or folder is not in the index, why, and how to include it."""
    return f"{skip.path} is not in the index: {reason_and_remedy(skip)}"


def reason_and_remedy(skip: Skip) -> str:
    """States why a file or folder is left out, and how to include it."""
    detail = f" ({skip.detail})" if skip.detail else ""
    remedy = _remedy(skip)
    return f"{skip.reason}{detail}{f'; {remedy}' if remedy else ''}"


def _remedy(skip: Skip) -> str:
    match skip.reason:
        case SkipReason.MINIFIED:
            return f'minified = ["{skip.path}"] in symindex.toml includes it'
        case SkipReason.TOO_LARGE:
            return "max_file_bytes in symindex.toml raises the limit"
        case SkipReason.IGNORED if not DEPENDENCY_FOLDERS.isdisjoint(skip.path.split("/")):
            return "packages are searched by space: system"
        case SkipReason.IGNORED:
            return "git add -f includes it, or a .gitignore without that rule"
        case SkipReason.HIDDEN:
            return "a .rgignore with !PATH includes it"
        case SkipReason.BAD_NAME:
            return "a name in UTF-8 includes it"
        case SkipReason.DEPENDENCIES:
            return "packages are searched by space: system"
        case _:
            return ""
