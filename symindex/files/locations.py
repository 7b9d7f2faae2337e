"""Locates the root of a workspace, its settings and its index."""

import os
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.index_place import INDEX_DIR_VARIABLE, MARKS, index_name, nearest_above
from symindex.files.user_folders import cache_folder, config_folder, own_data_folder


def current_folder() -> Path:
    """Returns the current folder of this process. Raises RequestError if it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        message = (
            "the current folder was deleted: go to one that exists, or name folders by their whole"
            " paths"
        )
        raise RequestError(message) from None


def find_upwards(start: Path, *names: str) -> Path:
    """Returns the nearest folder at or above `start` that contains a trusted file with one of these
    names; else `start`."""
    return Path(nearest_above(str(start), names))


def find_root(start: Path) -> Path:
    """Returns the nearest folder at or above `start` that contains `symindex.toml` or `.git`, else
    `start`. Files of other users in a folder above have no effect (`files/access/owners`)."""
    return find_upwards(start.resolve(), *MARKS)


def index_folder(root: Path, index_dir: str | os.PathLike[str] | None, variant: str = "") -> Path:
    """Returns the index folder of `root`: below `index_dir`, else below the folder that the
    environment names, else in the cache.

    Only the user decides where we write; a tree's `symindex.toml` may be a stranger's. variant: as
    in `index_name`. Raises RequestError for an invalid path.
    """
    return _indexes_folder(index_dir) / index_name(str(root), variant)


PACKAGES: Final = "packages"
"""Name of the folder that contains all indexes of packages, next to the indexes of roots."""

_REMOTE: Final = "remote"
"""Name of the folder for what is kept of services elsewhere, next to the indexes of roots."""


def packages_folder(index_dir: str | os.PathLike[str] | None) -> Path:
    """Returns the folder for the indexes of packages, which all roots share. Raises like
    `index_folder`."""
    return _indexes_folder(index_dir) / PACKAGES


def remote_folder() -> Path:
    """Returns the folder for what is kept for answers that another process makes. Raises like
    `index_folder`."""
    return _indexes_folder(None) / _REMOTE


def _indexes_folder(index_dir: str | os.PathLike[str] | None) -> Path:
    if index_dir is not None:
        folder = expand_folder(index_dir)
        return Path(os.path.abspath(folder if folder.is_absolute() else current_folder() / folder))
    if set_dir := os.environ.get(INDEX_DIR_VARIABLE, ""):
        folder = expand_folder(set_dir)
        if not folder.is_absolute():  # it would be a different place in each current folder
            raise RequestError(f"{INDEX_DIR_VARIABLE} is {set_dir!r}: it must be an absolute path")
        return Path(os.path.abspath(folder))
    return Path(cache_folder())


DATA_DIR_VARIABLE: Final = "SYMINDEX_DATA_DIR"
"""Environment variable that names the folder for what the user has written and added, instead of
the system's data folder."""


def data_folder() -> Path:
    """Returns the folder for what the user has written and added. Raises RequestError for a path
    that is not absolute."""
    if variable := os.environ.get(DATA_DIR_VARIABLE, ""):
        if not os.path.isabs(variable):
            raise RequestError(f"{DATA_DIR_VARIABLE} is {variable!r}: it must be an absolute path")
        return Path(variable)
    return Path(own_data_folder())


def expand_folder(folder: str | os.PathLike[str]) -> Path:
    """Expands `~` in a path that the user gave for an index. Raises RequestError for an invalid
    path."""
    text = os.fspath(folder)
    if not text or "\0" in text:
        raise RequestError(f"index_dir {text!r} is not a path: name a folder for the index")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise RequestError(
            f"index_dir {text!r}: {str(error).rstrip('.')}; name a folder for the index"
        ) from None


_OWN_FOLDERS: Final = (
    ("HOME", lambda: os.path.expanduser("~")),
    ("XDG_CONFIG_HOME", lambda: os.path.dirname(config_folder())),
    ("XDG_DATA_HOME", lambda: os.path.dirname(own_data_folder())),
    (DATA_DIR_VARIABLE, data_folder),
    ("XDG_CACHE_HOME", lambda: os.path.dirname(cache_folder())),
)
"""The folders whose files count as the user's own, each with the environment variable that names
it."""


def check_own_folders(root: Path) -> None:
    """Raises RequestError if an environment variable makes files of a tree count as the user's own:
    its configuration, the keys that it trusts, its notes and indexes.

    root: without links; the repository around it counts as well.

    The home folder in the system's list of users, and its default subfolders, are always allowed.
    """
    home, top = _system_home(), find_root(root)
    if home is not None and (top == home or top in home.parents):
        return
    for variable, place in _OWN_FOLDERS:
        value = os.environ.get(variable, "")
        is_unused = variable == "XDG_CACHE_HOME" and INDEX_DIR_VARIABLE in os.environ
        if not value or is_unused or (variable == "HOME" and home == Path(os.path.realpath(value))):
            continue
        folder = Path(os.path.realpath(place()))
        if folder == top or top in folder.parents:
            raise RequestError(
                f"{variable} is {value!r}, which is in the tree {top}: files of the tree would"
                " count as your own; set it to a folder outside the tree"
            )


def _system_home() -> Path | None:
    """Returns the user's home folder according to the system, whatever the environment says; `None`
    if there is none."""
    try:
        import pwd
    except ImportError:  # Windows: the environment does not name a home folder
        return Path.home().resolve()
    try:
        return Path(os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir))
    except (KeyError, OSError):
        return None
