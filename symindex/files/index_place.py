"""Locates a root and its index, in plain strings, for the client of a daemon: this module imports
almost nothing, not even typing."""

import os

from symindex.files.access.owners import speaks_for

try:
    from _blake2 import blake2b  # hashlib loads OpenSSL, which takes a fifth of the client's time
except ImportError:
    from hashlib import blake2b

SETTINGS_NAME = "symindex.toml"

MARKS = (SETTINGS_NAME, ".git")
"""The files that mark the root of a workspace."""

INDEX_DIR_VARIABLE = "SYMINDEX_INDEX_DIR"
"""Environment variable that names the folder for all indexes of a user, instead of the cache
directory."""

_LONGEST_NAME = 60
"""How many characters of a root's name go into the name of its index: a folder's name can have 255
bytes."""


def nearest_above(start: str, names: tuple[str, ...]) -> str:
    """Returns the nearest folder at or above `start` that contains a trusted file with one of these
    names; else `start`.

    start: absolute and without links.
    """
    folder, above = start, os.path.dirname(start)
    while True:
        if any(speaks_for(os.path.join(folder, name), start) for name in names):
            return folder
        if above == folder:
            return start
        folder, above = above, os.path.dirname(above)


def index_name(root: str, variant: str = "") -> str:
    """Returns the name of a root's index folder. It contains a digest of the root's path, so that
    one folder can contain the indexes of many roots.

    variant: distinguishes several indexes of one root.
    """
    digest = blake2b(root.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    return "-".join(
        filter(None, (os.path.basename(root)[:_LONGEST_NAME] or "root", digest, variant))
    )
