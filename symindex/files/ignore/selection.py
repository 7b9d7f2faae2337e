"""What a user has chosen of a tree, over git's rules: globs of the files to read, and of what to leave out.

Globs are spelled as in a request's `paths`: without a slash inside they match a name at any depth, and a folder's name matches
all below it. What they leave out no `.gitignore` takes back, and what git ignores they do not bring in.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from symindex.files.ignore.glob_set import GlobSet
from symindex.files.ignore.globs import plain_glob


class Selection(NamedTuple):
    """include: only files that match one of these globs; none: all files. exclude: no file and no folder that matches one of
    these. Globs that cannot be read match nothing."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


EVERYTHING: Final = Selection()


class Chooser:
    """A selection as it is asked during a walk, path by path from the top: what is below a folder that is left out is not asked
    for."""

    def __init__(self, selection: Selection) -> None:
        self._excludes = GlobSet([_whole_folder(glob) for glob in selection.exclude]).last
        self._includes = GlobSet([plain_glob(glob) for glob in selection.include]).last if selection.include else None
        # The folders that are included with all that is below, as far as they were asked for.
        self._included: dict[str, bool] = {"": False}
        heads = [_head(glob) for glob in selection.include]
        self._heads = heads if heads and all(heads) else None

    def decide(self, path: str) -> bool | None:
        """Whether `path` (relative to the root; a folder ends with a slash) is left out; `None` if that is left to git's rules.

        A folder is left out, too, where no file below it can match what is to be included.
        """
        if self._excludes(path) >= 0:
            return True
        if path.endswith("/"):
            heads = self._heads
            return True if heads is not None and not any(path.startswith(h) or h.startswith(path) for h in heads) else None
        return True if self._includes is not None and not self._is_included(path, self._includes) else None

    def _is_included(self, path: str, last: Callable[[str], int]) -> bool:
        folder = path[: path.rfind("/") + 1]
        known = self._included.get(folder)
        if known is None:
            ends = [at + 1 for at, letter in enumerate(folder) if letter == "/"]
            known = any(last(folder[:end]) >= 0 for end in ends)
            if len(self._included) >= _REMEMBERED:
                self._included = {"": False}
            self._included[folder] = known
        return known or last(path) >= 0


_REMEMBERED: Final = 4_096


@lru_cache(maxsize=16)
def chooser_of(selection: Selection) -> Chooser | None:
    """Whoever decides by a selection; `None` where it leaves nothing out."""
    return Chooser(selection) if selection.include or selection.exclude else None


def _whole_folder(glob: str) -> str:
    """All that is in a folder is the folder, which then need not be entered: `a/**` as `/a/`."""
    folder, end, rest = plain_glob(glob).removeprefix("/").rpartition("/**")
    return f"/{folder}/" if end and folder and not rest and not folder.endswith("**") else plain_glob(glob)


def _head(glob: str) -> str:
    """The folders that a glob names in full, with a slash behind each: all that matches is below; empty where none is named."""
    plain = plain_glob(glob)
    if "/" not in plain.rstrip("/"):
        return ""
    parts = takewhile(lambda part: not _SPECIAL.search(part), plain.strip("/").split("/"))
    return "".join(f"{part}/" for part in parts)


_SPECIAL: Final = re.compile(r"[*?\[]")
