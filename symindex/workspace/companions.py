"""What belongs to a root in addition to its index, opened on first use: other spaces, notes and
content, and the list of all its files.

The user's own roots are the folders that the configuration names and the places in the home folder
that contain items. Nothing else in the home folder is walked: it may contain everything that a
person has.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from symindex.configuration import read_configuration
from symindex.extract.items.types import shipped_item_types
from symindex.extract.languages.registry import Languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.walk import FileFilter

if TYPE_CHECKING:
    from symindex.files.skips import Skip
    from symindex.files.text_files import TextFiles
    from symindex.recall.recall import Recall
    from symindex.workspace.spaces.spaces import Spaces, UserRoot

HOME_PREFIX: Final = "~/"

MAX_ITEM_BYTES: Final = 1_000_000
"""Size of the largest file that is read in the home folder."""


class CompanionRoot(Protocol):
    """The parts of an `IndexedRoot` that its companions need. place: the folder of its index."""

    root: Path
    place: PrivateFolder
    wanted: FileFilter

    @property
    def languages(self) -> Languages: ...


class Companions:
    """Opens each companion of a root once. open_root: opens one of the user's own roots."""

    def __init__(self, indexed: CompanionRoot, open_root: "Callable[..., UserRoot]") -> None:
        self._indexed, self._open_root = indexed, open_root
        self._spaces: Spaces | None = None
        self._recall: Recall | None = None
        self._text_files: TextFiles | None = None

    def close(self) -> None:
        if self._recall is not None:
            self._recall.close()

    @property
    def spaces(self) -> "Spaces":
        """The user's own roots and the packages that the project depends on."""
        if self._spaces is None:
            # Deferred, because most searches are about the project alone.
            from symindex.workspace.spaces.spaces import Spaces

            root, place = self._indexed.root, self._indexed.place
            user_roots = open_user_roots(place.path.parent, self._open_root)
            self._spaces = Spaces(root, place, user_roots)
        return self._spaces

    @property
    def recall(self) -> "Recall":
        """The notes, added content and text of the root."""
        if self._recall is None:
            from symindex.recall.recall import (
                Recall,
            )  # deferred, because most searches are for names

            indexed = self._indexed
            self._recall = Recall(indexed.root, indexed.place.path, indexed.languages)
        self._recall.languages = self._indexed.languages
        return self._recall

    def text_files(self) -> list[str]:
        """Lists all files that the rules allow, regardless of their content."""
        from symindex.files.text_files import TextFiles  # deferred, because most requests search

        if self._text_files is None or self._text_files.file_filter != self._indexed.wanted:
            self._text_files = TextFiles(self._indexed.root, self._indexed.wanted)
        return self._text_files.paths()

    def unlisted(self, prefix: str = "") -> "list[Skip]":
        """Returns the folders that the last call of `text_files` could not read, by shown paths."""
        skips = self._text_files.unlisted() if self._text_files is not None else []
        return [skip._replace(path=prefix + skip.path) for skip in skips]

    def repair(self) -> bool:
        """Drops the damaged indexes of packages, after a reading error. Returns whether there were
        any."""
        return self._spaces is not None and self._spaces.repair()


def open_user_roots(
    top: Path, open_root: "Callable[..., UserRoot]"
) -> "list[tuple[str, UserRoot]]":
    """Opens the user's own roots, each with the prefix of its paths in answers. top: the folder of
    all indexes. Raises RequestError for a configuration that cannot be read."""
    configuration = read_configuration()
    roots: list[tuple[str, UserRoot]] = []
    home = Path(os.path.expanduser("~"))
    places = (
        [place for place in home_places() if (home / place).is_dir()] if configuration.home else []
    )
    if places:
        values = {"include": [f"{place}/**" for place in places], "max_file_bytes": MAX_ITEM_BYTES}
        roots.append((HOME_PREFIX, open_root(home, top, values=values, on_problem=lambda _: None)))
    for folder in configuration.user_roots:
        path = Path(folder).expanduser()
        roots.append((f"{folder.rstrip('/')}/", open_root(path, top, on_problem=lambda _: None)))
    return roots


def home_places() -> list[str]:
    """Lists the folders, relative to the home folder, where the table of types looks for items."""
    folders = (row.user_folder for row in shipped_item_types().rows)
    return sorted({folder.removeprefix("~/").rstrip("/") for folder in folders if folder})
