"""Where the root of a workspace, its settings and its index are."""

import os
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.index_place import INDEX_DIR_VARIABLE, MARKS, index_name, nearest_above
from symindex.files.user_folders import cache_folder, config_folder, own_data_folder


def current_folder() -> Path:
    """The current folder of this process. Raises RequestError where it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        told = (
            "the current folder was deleted: go to one that exists, or name folders by their whole"
            " paths"
        )
        raise RequestError(told) from None


def find_upwards(start: Path, *names: str) -> Path:
    """The nearest folder upwards that holds a file of one of these names, which may decide about
    `start`; else `start` itself."""
    return Path(nearest_above(str(start), names))


def find_root(start: Path) -> Path:
    """The nearest folder upwards that holds `symindex.toml` or `.git`, else `start` itself. Files
    of other users in a folder above decide nothing (`files/access/owners`)."""
    return find_upwards(start.resolve(), *MARKS)


def index_folder(root: Path, index_dir: str | os.PathLike[str] | None, variant: str = "") -> Path:
    """The folder of the index of `root`: below `index_dir`, else below the folder that the
    environment names, else in the cache.

    Only the user decides where we write: the tree's `symindex.toml` was written by whoever made the
    tree. variant: as of `index_name`. Raises RequestError for what is no path.
    """
    return _indexes_folder(index_dir) / index_name(str(root), variant)


PACKAGES: Final = "packages"
"""The name of the folder of all indexes of packages, beside those of roots."""


def packages_folder(index_dir: str | os.PathLike[str] | None) -> Path:
    """The folder of the indexes of packages, which all roots share: beside those of the roots.
    Raises as `index_folder`."""
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
    return Path(cache_folder())


DATA_DIR_VARIABLE: Final = "SYMINDEX_DATA_DIR"
"""Names the folder for what the user has written and added, in place of the system's data
folder."""


def data_folder() -> Path:
    """The folder for what the user has written and added. Raises RequestError for what is no whole
    path."""
    if variable := os.environ.get(DATA_DIR_VARIABLE, ""):
        if not os.path.isabs(variable):
            raise RequestError(f"{DATA_DIR_VARIABLE} is {variable!r}: it must be a whole path")
        return Path(variable)
    return Path(own_data_folder())


def expand_folder(folder: str | os.PathLike[str]) -> Path:
    """A path that the user gave for an index, with `~` expanded. Raises RequestError for what is no
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
"""The folders whose files count as the user's own, and the variables that name them."""


def check_own_folders(root: Path) -> None:
    """Raises RequestError where a variable of the environment makes files of a tree the user's own:
    its configuration, the keys that it trusts, its notes and indexes. root: without links; the
    repository around it counts, too.

    The home folder that the system has for the user, and what lies there by default, are the user's
    own wherever the tree begins.
    """
    home, top = _system_home(), find_root(root)
    if home is not None and (top == home or top in home.parents):
        return
    for variable, place in _OWN_FOLDERS:
        named = os.environ.get(variable, "")
        is_unused = variable == "XDG_CACHE_HOME" and INDEX_DIR_VARIABLE in os.environ
        if not named or is_unused or (variable == "HOME" and home == Path(os.path.realpath(named))):
            continue
        folder = Path(os.path.realpath(place()))
        if folder == top or top in folder.parents:
            raise RequestError(
                f"{variable} is {named!r}, which lies in the tree {top}: files of the tree would"
                " count as your own; set it to a folder outside of the tree"
            )


def _system_home() -> Path | None:
    """The home folder that the system has for the user, whatever the environment says; `None` where
    it has none."""
    try:
        import pwd
    except ImportError:  # on Windows the environment names no home folder
        return Path.home().resolve()
    try:
        return Path(os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir))
    except (KeyError, OSError):
        return None
