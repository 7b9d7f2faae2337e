"""Explains what the indexes of some roots lack: excluded paths, names in excluded files, unreadable
files, folders of items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from symindex.errors import RequestError
from symindex.files.skips import Skip, SkipReason, tell_skip
from symindex.files.walk import FileFilter, Walk
from symindex.index.report import ITEMS_UNREAD, list_left_out
from symindex.index.snapshot import Snapshot


class WalkedRoot(Protocol):
    """A root with an index. walk: the latest one, `None` before the first."""

    root: Path
    wanted: FileFilter
    walk: Walk | None

    @property
    def snapshot(self) -> Snapshot: ...


Roots = Sequence[tuple[str, WalkedRoot]]
"""Roots that have an index, each with the prefix of its paths in answers."""


def find_excluded_name(roots: Roots, name: str, paths: Sequence[str] = ()) -> list[Skip]:
    """Finds a file that contains a name and is not in the index; returns it, by its shown path,
    with the reason, or an empty list. paths: globs of the files to look in; default: all."""
    # deferred, as below, because most searches find what they ask for
    from symindex.files.left_out import why_left_out as why_below
    from symindex.search.answer.filters import path_filter
    from symindex.search.unindexed.excluded import find_excluded

    for prefix, indexed in roots:
        lets_through = path_filter([*paths], prefix) if paths else lambda _: True
        if excluded := list_left_out(indexed.walk, indexed.snapshot):
            skip = find_excluded(indexed.root, excluded, indexed.wanted, name, lets_through)
            if skip is not None:
                if skip.reason is SkipReason.IGNORED:  # or by rules for searchers
                    why = why_below(indexed.root, skip.path, indexed.wanted)
                    skip = skip._replace(reason=why.reason if why is not None else skip.reason)
                return [skip._replace(path=prefix + skip.path)]
    return []


def why_left_out(roots: Roots, path: str) -> Skip | None:
    """Explains why a file or folder, by its shown path, is not in the index; `None` if it is, or
    does not exist."""
    from symindex.files.left_out import why_left_out as why_below

    for prefix, indexed in roots:
        if not path.startswith(prefix):
            continue
        inside = path.removeprefix(prefix)
        if (file := indexed.snapshot.find(inside)) is not None:
            facts = file[0].index.file(file[1])
            return Skip(path, SkipReason(facts.skip), facts.detail) if facts.skip else None
        if (skip := why_below(indexed.root, inside, indexed.wanted)) is not None:
            return skip._replace(path=prefix + skip.path)
    return None


def check_readable(roots: Roots, path: str) -> None:
    """Raises RequestError for a file or folder, by its shown path, that the system does not let us
    read."""
    from symindex.explore.missing import told_of

    if (skip := why_left_out(roots, path)) is not None and skip.reason is SkipReason.UNREADABLE:
        raise RequestError(told_of(path, skip))


def find_unreadable(roots: Roots, paths: Sequence[str] = ()) -> list[Skip]:
    """Lists the files and folders that the system does not let us read. paths: globs of the files
    to list; default: all."""
    unreadable = []
    for prefix, indexed in roots:
        skips = [
            *(indexed.walk.skips if indexed.walk is not None else ()),
            *indexed.snapshot.files_left_out(SkipReason.UNREADABLE),
        ]
        unreadable += [
            skip._replace(path=prefix + skip.path)
            for skip in skips
            if skip.reason is SkipReason.UNREADABLE
        ]
    if not unreadable or not paths:
        return sorted(unreadable)
    from symindex.search.answer.filters import path_filter

    lets_through = path_filter([*paths])
    return sorted(skip for skip in unreadable if lets_through(skip.path))


def unread_items(roots: Roots) -> list[str]:
    """Returns a line about the folders of items that git's rules exclude, according to the latest
    walks; or an empty list."""
    walks = [(prefix, indexed.walk) for prefix, indexed in roots if indexed.walk is not None]
    paths = [
        prefix + skip.path
        for prefix, walk in walks
        for skip in walk.skips
        if skip.detail == ITEMS_UNREAD
    ]
    return [tell_skip(Skip(", ".join(paths), SkipReason.IGNORED, ITEMS_UNREAD))] if paths else []
