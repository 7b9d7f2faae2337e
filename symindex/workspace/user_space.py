"""The person's own roots: the folders that the configuration names, and the places in the home
folder where items lie.

Of the home folder nothing is walked but those places: it may hold everything that a person has.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from symindex.configuration import read_configuration
from symindex.extract.items.types import shipped_item_types
from symindex.workspace.spaces import UserRoot

HOME_PREFIX: Final = "~/"


def open_user_roots(top: Path, open_root: Callable[..., UserRoot]) -> list[tuple[str, UserRoot]]:
    """The roots, opened, each with what its paths begin with in answers. top: the folder of all
    indexes. Raises RequestError for a configuration that cannot be read."""
    configuration = read_configuration()
    roots: list[tuple[str, UserRoot]] = []
    home = Path(os.path.expanduser("~"))
    places = (
        [place for place in home_places() if (home / place).is_dir()] if configuration.home else []
    )
    if places:
        included = {"include": [f"{place}/**" for place in places], "max_file_bytes": MAX_BYTES}
        roots.append(
            (HOME_PREFIX, open_root(home, top, values=included, on_problem=lambda _: None))
        )
    for named in configuration.user_roots:
        path = Path(named).expanduser()
        prefix = f"{named.rstrip('/')}/"
        roots.append((prefix, open_root(path, top, on_problem=lambda _: None)))
    return roots


MAX_BYTES: Final = 1_000_000
"""No item is larger."""


def home_places() -> list[str]:
    """The folders below the home folder where the table of types looks for items."""
    folders = (row.user_folder for row in shipped_item_types().rows)
    return sorted({folder.removeprefix("~/").rstrip("/") for folder in folders if folder})
