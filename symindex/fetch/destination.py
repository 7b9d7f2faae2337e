"""Where a copy of an item goes: the place of its type in another space, with its folders.

rye keeps the name of the file alone; then two items of one name would be one. So what stands
between the folder of the type and the file is kept: that is the item's id.
"""

from pathlib import Path
from typing import NamedTuple

from symindex.errors import RequestError
from symindex.extract.items.item_type import ItemType, find_folder
from symindex.extract.items.types import ItemTypes


class Destination(NamedTuple):
    """root: of the space. relative: the path below it."""

    root: Path
    relative: str


def destination_of(
    types: ItemTypes, path: str, item_type: str, space: str, project: Path, home: Path
) -> Destination:
    """Where a file goes. path: relative to the root of the space that it comes from. space:
    `project` or `user`. Raises RequestError for an item that has no place there."""
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
    """The folder of a type below the root of a project."""
    plain = [glob.removeprefix("**/").removesuffix("/**") for glob in row.folders]
    named = next((glob for glob in plain if not set("*?[{").intersection(glob)), "")
    return named.strip("/") or row.user_folder.removeprefix("~/").rstrip("/")


def _movable(types: ItemTypes) -> str:
    return ", ".join(sorted({row.type for row in types.rows if row.user_folder}))
