"""Copies an item into another space: below the root of that space, whole or not at all.

The path may come from anybody, so it is checked first (`safe_path`), and the file is written
without following links (`files/access/new_file`). A copy keeps the folders between the folder of
its type and the file, because they are the item's id: rye keeps only the name of the file, and then
two items of one name would be one.
"""

import errno
import os
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError, StorageError
from symindex.extract.items.item_type import ItemType, find_folder
from symindex.extract.items.types import ItemTypes
from symindex.fetch.safe_path import split_path
from symindex.files.access.new_file import write_new
from symindex.files.access.regular import NotRegularError

_REMEDIES: Final = {
    errno.ENOSPC: "make room on that disk, or copy it elsewhere",
    errno.EDQUOT: "make room in your quota, or copy it elsewhere",
    errno.EROFS: "that disk can only be read: copy it elsewhere",
    errno.EACCES: "get permission to write there, or copy it elsewhere",
    errno.EPERM: "get permission to write there, or copy it elsewhere",
    errno.ENOTDIR: "a part of the path is not a folder: move it away, or copy it elsewhere",
    errno.EFBIG: "the file is larger than that disk allows: copy it elsewhere",
    errno.ENAMETOOLONG: "choose a shorter place",
}


def copy_item(data: bytes, destination: Path, relative: str, force: bool = False) -> Path:
    """Writes an item below a root, and returns the path of the new file.

    destination: the root, which exists. relative: the path below it, with forward slashes. force:
    whether an existing file is replaced. Raises RequestError for a refused path or an existing
    file, and StorageError where the system refuses; in both cases nothing has been written.
    """
    parts = split_path(relative)
    if not os.path.isdir(destination):
        raise StorageError(
            f"{destination}: no such folder; make it first, or copy the item elsewhere"
        )
    try:
        return write_new(destination, parts, data, replaces=force)
    except FileExistsError as error:
        raise RequestError(
            f"{error.filename}: already exists; `symindex fetch --force` replaces it"
        ) from None
    except NotRegularError as error:
        remedy = "move it away, or copy the item elsewhere"
        message = (
            f"{error.filename}: {error.strerror}, which is neither followed nor replaced; {remedy}"
        )
        raise StorageError(message) from None
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, "see what is there, or copy it elsewhere")
        raise StorageError(
            f"{error.filename}: cannot be written: {error.strerror}; {remedy}"
        ) from None


class Destination(NamedTuple):
    """root: the folder of a space. relative: the path below it."""

    root: Path
    relative: str


def destination_of(
    types: ItemTypes, path: str, item_type: str, space: str, project: Path, home: Path
) -> Destination:
    """Returns where the copy of a file goes. path: the file, relative to the root of its own space.
    space: `project` or `user`. Raises RequestError for an item that has no folder there."""
    row = types.match(path)
    folder = path.rpartition("/")[0]
    if row is None or item_type not in (row.type, row.whole):
        raise RequestError(
            f"{path} is not a whole {item_type}: only items that are files can be copied"
        )
    place = next(filter(None, (find_folder(glob, folder) for glob in row.folders)), None)
    if place is None or not row.user_folder:
        raise RequestError(
            f"items of type {item_type} have no place of their own in another space; these have:"
            f" {_movable(types)}"
        )
    below = path[place.end :].removeprefix("/")
    if space == "user":
        return Destination(home, f"{row.user_folder.removeprefix('~/').rstrip('/')}/{below}")
    return Destination(project, f"{_project_folder(row)}/{below}")


def _project_folder(row: ItemType) -> str:
    """Returns the folder of an item type below the root of a project."""
    plain = [glob.removeprefix("**/").removesuffix("/**") for glob in row.folders]
    folder = next((glob for glob in plain if not set("*?[{").intersection(glob)), "")
    return folder.strip("/") or row.user_folder.removeprefix("~/").rstrip("/")


def _movable(types: ItemTypes) -> str:
    return ", ".join(sorted({row.type for row in types.rows if row.user_folder}))
