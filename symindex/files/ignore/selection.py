"""The user's selection of files, by globs of what to read and what to leave out. It takes
precedence over git's rules.

Globs are spelled as in a request's `paths`: without an inner slash they match a name at any depth,
and a folder's name matches all files below it. No `.gitignore` brings back what the selection
excludes, and the selection does not bring in what git ignores.
"""

import re
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from symindex.files.ignore.glob_set import GlobSet
from symindex.files.ignore.globs import plain_glob


class Selection(NamedTuple):
    """include: read only files that match one of these globs; if empty, all. exclude: skip files
    and folders that match one of these. An invalid glob matches nothing."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


EVERYTHING: Final = Selection()


class Chooser:
    """Applies a selection during a walk, path by path from the top. Paths below an excluded folder
    are not checked."""

    def __init__(self, selection: Selection) -> None:
        self._excludes = GlobSet([_whole_folder(glob) for glob in selection.exclude]).last
        self._has_includes = bool(selection.include)
        self._includes = GlobSet([plain_glob(glob) for glob in selection.include]).last
        self._includes_folder = lru_cache(maxsize=4_096)(self._find_included)
        heads = [_head(glob) for glob in selection.include]
        self._heads = heads if all(heads) else []

    def decide(self, path: str) -> bool | None:
        """Whether `path` (relative to the root; a folder's ends with a slash) is excluded; `None`
        leaves the decision to git's rules.

        A folder is also excluded if no file below it can match `include`.
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
        """Whether a folder or one above it matches `include`, so that all files below it do."""
        return any(
            self._includes(folder[: offset + 1]) >= 0
            for offset, letter in enumerate(folder)
            if letter == "/"
        )


@lru_cache(maxsize=16)
def chooser_of(selection: Selection) -> Chooser | None:
    """Returns the chooser of a selection; `None` if that excludes nothing."""
    return Chooser(selection) if selection.include or selection.exclude else None


def _whole_folder(glob: str) -> str:
    """Turns a glob for everything in a folder into one for the folder itself, which then need not
    be entered: `a/**` becomes `/a/`."""
    plain = plain_glob(glob)
    folder = plain.removeprefix("/").removesuffix("/**")
    return (
        f"/{folder}/" if plain.endswith("/**") and folder and not folder.endswith("**") else plain
    )


def _head(glob: str) -> str:
    """Returns the leading folders of a glob that contain no wildcards, each with a slash: all
    matches are below them."""
    plain = plain_glob(glob)
    if "/" not in plain.rstrip("/"):
        return ""
    parts = takewhile(lambda part: not _SPECIAL.search(part), plain.strip("/").split("/"))
    return "".join(f"{part}/" for part in parts)


_SPECIAL: Final = re.compile(r"[*?\[]")
