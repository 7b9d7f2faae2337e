"""Where the root of a workspace, its settings and its index are."""

import hashlib
import os
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.access.owners import find_upwards

SETTINGS_NAME: Final = "symindex.toml"

INDEX_DIR_VARIABLE: Final = "SYMINDEX_INDEX_DIR"
"""Names the folder for all indexes of a user, in place of the cache directory."""

_LONGEST_NAME: Final = 60
"""How many characters of a root's name go into the name of its index: a folder's name has room for 255 bytes."""


def current_folder() -> Path:
    """The current folder of this process. Raises RequestError where it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        told = "the current folder was deleted: go to one that exists, or name folders by their whole paths"
        raise RequestError(told) from None


def find_root(start: Path) -> Path:
    """The nearest folder upwards that holds `symindex.toml` or `.git`, else `start` itself. Files of other users in a folder
    above decide nothing (`files/access/owners`)."""
    return find_upwards(start.resolve(), SETTINGS_NAME, ".git")


def index_folder(root: Path, index_dir: str | os.PathLike[str] | None, variant: str = "") -> Path:
    """The folder of the index of `root`: below `index_dir`, else below the folder that the environment names, else in the cache.

    Only the user decides where we write: the tree's `symindex.toml` was written by whoever made the tree.
    The folder's name holds a digest of the root's path, so one `index_dir` can serve many workspaces.
    variant: distinguishes several indexes of one root. Raises RequestError for what is no path.
    """
    digest = hashlib.blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    name = "-".join(filter(None, (root.name[:_LONGEST_NAME] or "root", digest, variant)))
    return _indexes_folder(index_dir) / name


PACKAGES: Final = "packages"
"""The name of the folder of all indexes of packages, beside those of roots."""


def packages_folder(index_dir: str | os.PathLike[str] | None) -> Path:
    """The folder of the indexes of packages, which all roots share: beside those of the roots. Raises as `index_folder`."""
    return _indexes_folder(index_dir) / PACKAGES


def _indexes_folder(index_dir: str | os.PathLike[str] | None) -> Path:
    if index_dir is not None:
        folder = expand_folder(index_dir)
        return Path(os.path.abspath(folder if folder.is_absolute() else current_folder() / folder))
    if set_dir := os.environ.get(INDEX_DIR_VARIABLE, ""):
        folder = expand_folder(set_dir)
        if not folder.is_absolute():  # it would be another place in each current folder
            raise RequestError(f"{INDEX_DIR_VARIABLE} is {set_dir!r}: it must be a whole path")
        return Path(os.path.abspath(folder))
    from platformdirs import user_cache_path  # here, because it takes as long as opening an index

    return user_cache_path("symindex")


DATA_DIR_VARIABLE: Final = "SYMINDEX_DATA_DIR"
"""Names the folder for what the user has written and added, in place of the system's data folder."""


def data_folder() -> Path:
    """The folder for what the user has written and added. Raises RequestError for what is no whole path."""
    if variable := os.environ.get(DATA_DIR_VARIABLE, ""):
        if not os.path.isabs(variable):
            raise RequestError(f"{DATA_DIR_VARIABLE} is {variable!r}: it must be a whole path")
        return Path(variable)
    from platformdirs import user_data_path  # here, because few requests need it

    return user_data_path("symindex")


def expand_folder(folder: str | os.PathLike[str]) -> Path:
    """A path that the user gave for an index, with `~` expanded. Raises RequestError for what is no path."""
    text = os.fspath(folder)
    if not text or "\0" in text:
        raise RequestError(f"index_dir {text!r} is not a path: name a folder for the index")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise RequestError(f"index_dir {text!r}: {str(error).rstrip('.')}; name a folder for the index") from None
