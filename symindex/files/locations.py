"""Where things are: the root of a workspace, its settings, its index."""

import hashlib
import os
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.access.owners import speaks_for

SETTINGS_NAME: Final = "symindex.toml"

INDEX_DIR_VARIABLE: Final = "SYMINDEX_INDEX_DIR"
"""Where all indexes of a user are kept, in place of the cache directory."""

_LONGEST_NAME: Final = 60
"""So many characters of a root's name are in that of its index: a name of a folder has room for 255 bytes."""


def current_folder() -> Path:
    """The folder this process stands in. Raises RequestError where somebody has deleted it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise RequestError(
            "the current folder was deleted: go to one that exists, or name folders by their whole paths"
        ) from None


def find_root(start: Path) -> Path:
    """The nearest folder upwards that holds `symindex.toml` or `.git`, else `start` itself. What another user has put into a
    folder above decides nothing (`files/access/owners`)."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if speaks_for(folder / SETTINGS_NAME, start) or speaks_for(folder / ".git", start):
            return folder
    return start


def index_folder(root: Path, index_dir: str | os.PathLike[str] | None, variant: str = "") -> Path:
    """Where the index of `root` is kept: as told, as the user's environment says, or a folder of its own in the user's cache.

    Only the user says where we write: what stands in the tree's `symindex.toml` was written by whoever made the tree.
    The folder's name holds a digest of the root's path, so one `index_dir` can serve many workspaces.
    variant: tells several indexes of one root. Raises RequestError for what is no path.
    """
    digest = hashlib.blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    name = "-".join(filter(None, (root.name[:_LONGEST_NAME] or "root", digest, variant)))
    if index_dir is not None:
        folder = expand_folder(index_dir)
        return Path(os.path.abspath(folder if folder.is_absolute() else current_folder() / folder)) / name
    if set_dir := os.environ.get(INDEX_DIR_VARIABLE, ""):
        folder = expand_folder(set_dir)
        if not folder.is_absolute():  # it would be another place in each folder, chosen by whoever has made that
            raise RequestError(f"{INDEX_DIR_VARIABLE} is {set_dir!r}: it must be a whole path")
        return Path(os.path.abspath(folder)) / name
    from platformdirs import user_cache_path  # here, because it takes as long as opening an index

    return user_cache_path("symindex") / name


def expand_folder(folder: str | os.PathLike[str]) -> Path:
    """The path that a user has written for an index, with the home folder for `~`. Raises RequestError for what is none."""
    text = os.fspath(folder)
    if not text or "\0" in text:
        raise RequestError(f"index_dir {text!r} is not a path: name a folder for the index")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise RequestError(f"index_dir {text!r}: {str(error).rstrip('.')}; name a folder for the index") from None
