"""What a user has chosen of a tree, over git's rules: globs of the files to read, and of what to leave out.

Globs are spelled as in a request's `paths`: without a slash inside they match a name at any depth, and a folder's name matches
all below it. What they leave out no `.gitignore` takes back, and what git ignores they do not bring in.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from symindex.source.globs import path_regex, plain_glob


class Selection(NamedTuple):
    """include: only files that match one of these globs; none: all files. exclude: no file and no folder that matches one of
    these. Globs that cannot be read match nothing."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


EVERYTHING: Final = Selection()


class Chooser:
    """A selection as it is asked during a walk, path by path from the top."""

    def __init__(self, selection: Selection) -> None:
        self._excludes = _any_of(map(_whole_folder, selection.exclude))
        self._includes = _any_of(selection.include) if selection.include else None
        heads = [_head(glob) for glob in selection.include]
        self._heads = heads if heads and all(heads) else None

    def decide(self, path: str) -> bool | None:
        """Whether `path` (relative to the root; a folder ends with a slash) is left out; `None` if that is left to git's rules.

        A folder is left out, too, where no file below it can match what is to be included.
        """
        if self._excludes.match(path):
            return True
        if path.endswith("/"):
            heads = self._heads
            return True if heads is not None and not any(path.startswith(h) or h.startswith(path) for h in heads) else None
        return True if self._includes is not None and not self._includes.match(path) else None


@lru_cache(maxsize=16)
def chooser_of(selection: Selection) -> Chooser | None:
    """Whoever decides by a selection; `None` where it leaves nothing out."""
    return Chooser(selection) if selection.include or selection.exclude else None


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    regexes = [regex for regex in map(path_regex, globs) if regex is not None]
    return re.compile("|".join(regexes) or r"(?!)", re.DOTALL)


def _whole_folder(glob: str) -> str:
    """All that is in a folder is the folder, which then need not be entered: `a/**` as `/a/`."""
    folder, end, rest = plain_glob(glob).removeprefix("/").rpartition("/**")
    return f"/{folder}/" if end and folder and not rest and not folder.endswith("**") else glob


def _head(glob: str) -> str:
    """The folders that a glob names in full, with a slash behind each: all that matches is below; empty where none is named."""
    plain = plain_glob(glob)
    if "/" not in plain.rstrip("/"):
        return ""
    parts = takewhile(lambda part: not _SPECIAL.search(part), plain.strip("/").split("/"))
    return "".join(f"{part}/" for part in parts)


_SPECIAL: Final = re.compile(r"[*?\[]")
