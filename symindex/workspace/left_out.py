"""What the indexes of the roots do not hold, and why: a path that was left out, a name in such
files, folders of items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from symindex.errors import RequestError
from symindex.files.skips import Skip, SkipReason, tell_skip
from symindex.files.walk import Walk, Wanted
from symindex.index.report import ITEMS_UNREAD, list_left_out
from symindex.index.snapshot import Snapshot


class Walked(Protocol):
    """A root with an index. walk: the last one, `None` where there was none yet."""

    root: Path
    wanted: Wanted
    walk: Walk | None

    @property
    def snapshot(self) -> Snapshot: ...


class LeftOut:
    """See the module. `workspace/roots.Roots` is one."""

    @property
    def walked(self) -> Sequence[tuple[str, Walked]]:
        """The roots that have an index, each behind the prefix of its paths."""
        return ()

    def excluded(self, name: str, paths: Sequence[str] = ()) -> list[Skip]:
        """A file that is not in the index and holds a name, with the reason, if there is one; by
        shown paths. paths: globs of the files that are asked about, all by default."""
        from symindex.files.left_out import (
            why_left_out,
        )  # here, because most searches find what they ask for
        from symindex.search.answer.filters import path_filter
        from symindex.search.unindexed.excluded import find_excluded

        for prefix, tree in self.walked:
            lets_through = path_filter([*paths], prefix) if paths else lambda _: True
            if left_out := list_left_out(tree.walk, tree.snapshot):
                found = find_excluded(tree.root, left_out, tree.wanted, name, lets_through)
                if found is not None:
                    if found.reason is SkipReason.IGNORED:  # or by rules for searchers
                        why = why_left_out(tree.root, found.path, tree.wanted)
                        found = found._replace(
                            reason=why.reason if why is not None else found.reason
                        )
                    return [found._replace(path=prefix + found.path)]
        return []

    def left_out(self, path: str) -> Skip | None:
        """Why a file or folder, by its shown path, is not in the index; `None` where it is, or is
        not there."""
        from symindex.files.left_out import why_left_out  # here, as above

        for prefix, tree in self.walked:
            if not path.startswith(prefix):
                continue
            below = path.removeprefix(prefix)
            if (file := tree.snapshot.find(below)) is not None:
                known = file[0].index.file(file[1])
                return Skip(path, SkipReason(known.skip), known.detail) if known.skip else None
            if (skip := why_left_out(tree.root, below, tree.wanted)) is not None:
                return skip._replace(path=prefix + skip.path)
        return None

    def check_readable(self, path: str) -> None:
        """Raises RequestError for a file or folder, by its shown path, that the system does not let
        us read."""
        from symindex.explore.missing import told_of

        if (skip := self.left_out(path)) is not None and skip.reason is SkipReason.UNREADABLE:
            raise RequestError(told_of(path, skip))

    def unreadable(self, paths: Sequence[str] = ()) -> list[Skip]:
        """The files and folders that the system does not let us read. paths: as of `excluded`."""
        found = []
        for prefix, tree in self.walked:
            skips = [
                *(tree.walk.skips if tree.walk is not None else ()),
                *tree.snapshot.files_left_out(SkipReason.UNREADABLE),
            ]
            found += [
                skip._replace(path=prefix + skip.path)
                for skip in skips
                if skip.reason is SkipReason.UNREADABLE
            ]
        if not found or not paths:
            return sorted(found)
        from symindex.search.answer.filters import path_filter

        lets_through = path_filter([*paths])
        return sorted(skip for skip in found if lets_through(skip.path))

    @property
    def unread_items(self) -> list[str]:
        """A line on the folders of items that git's rules leave out, as far as the last walks
        tell."""
        walks = [(prefix, tree.walk) for prefix, tree in self.walked if tree.walk is not None]
        paths = [
            prefix + skip.path
            for prefix, walk in walks
            for skip in walk.skips
            if skip.detail == ITEMS_UNREAD
        ]
        return (
            [tell_skip(Skip(", ".join(paths), SkipReason.IGNORED, ITEMS_UNREAD))] if paths else []
        )
