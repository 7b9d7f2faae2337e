"""The user's choice of files in a tree, by globs of what to read and what to leave out. It takes
precedence over git's rules.

Globs are spelled as in a request's `paths`: without an inner slash they match a name at any depth,
and a folder's name matches all files below it. No `.gitignore` brings back what they leave out, and
they do not bring in what git ignores.
"""

import re
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from symindex.files.ignore.glob_set import GlobSet
from symindex.files.ignore.globs import plain_glob


class Selection(NamedTuple):
    """include: only files that match one of these globs; empty means all. exclude: no file or
    folder that matches one of these. Globs that cannot be read match nothing."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


EVERYTHING: Final = Selection()


class Chooser:
    """Applies a selection during a walk, path by path from the top: nothing below a folder that is
    left out is asked about."""

    def __init__(self, selection: Selection) -> None:
        self._excludes = GlobSet([_whole_folder(glob) for glob in selection.exclude]).last
        self._has_includes = bool(selection.include)
        self._includes = GlobSet([plain_glob(glob) for glob in selection.include]).last
        self._includes_folder = lru_cache(maxsize=4_096)(self._find_included)
        heads = [_head(glob) for glob in selection.include]
        self._heads = heads if all(heads) else []

    def decide(self, path: str) -> bool | None:
        """Whether `path` (relative to the root; a folder ends with a slash) is left out; `None`
        leaves it to git's rules.

        A folder is left out, too, where no file below it can match `include`.
        """
        if path.endswith("/"):
            is_out = bool(self._heads) and not any(
                path.startswith(head) or head.startswith(path) for head in self._heads
            )
        else:
            is_out = self._has_includes and not (
                self._includes_folder(path[: path.rfind("/") + 1]) or self._includes(path) >= 0
            )
        return True if is_out or self._excludes(path) >= 0 else None

    def _find_included(self, folder: str) -> bool:
        """Whether a folder, or one around it, matches `include`, and so all files below it."""
        return any(
            self._includes(folder[: at + 1]) >= 0
            for at, letter in enumerate(folder)
            if letter == "/"
        )


@lru_cache(maxsize=16)
def chooser_of(selection: Selection) -> Chooser | None:
    """The chooser of a selection; `None` where that leaves nothing out."""
    return Chooser(selection) if selection.include or selection.exclude else None


def _whole_folder(glob: str) -> str:
    """A glob for everything in a folder as one for the folder, which then need not be entered:
    `a/**` as `/a/`."""
    plain = plain_glob(glob)
    folder = plain.removeprefix("/").removesuffix("/**")
    return (
        f"/{folder}/" if plain.endswith("/**") and folder and not folder.endswith("**") else plain
    )


def _head(glob: str) -> str:
    """The folders at the beginning of a glob that are named in full, each with a slash: all matches
    are below these."""
    plain = plain_glob(glob)
    if "/" not in plain.rstrip("/"):
        return ""
    parts = takewhile(lambda part: not _SPECIAL.search(part), plain.strip("/").split("/"))
    return "".join(f"{part}/" for part in parts)


_SPECIAL: Final = re.compile(r"[*?\[]")
