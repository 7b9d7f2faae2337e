"""The façade: all answers about one root folder or several. Doors call only this.

`Workspace` is one root for Python and the command line, checked for changes on request. The
workspace of a server's client, with folders that are followed in the background and unsaved
documents, is `editor/followed_workspace`. Both give the same answers (`workspace/roots`).
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from symindex.files.locations import check_own_folders, current_folder, find_root
from symindex.files.walk import check_root
from symindex.index.update import Progress as Progress
from symindex.workspace.indexed_root import IndexedRoot as IndexedRoot

if TYPE_CHECKING:  # the types of answers, for the doors
    from symindex.explore.listing import ListedFile as ListedFile
    from symindex.files.access.private_folder import PrivateFolder as PrivateFolder
    from symindex.index.report import RefreshReport as RefreshReport
    from symindex.packages.dependencies import Dependencies
    from symindex.packages.indexes.deps_report import DepsReport as DepsReport
    from symindex.protocol.grep import GrepRequest, GrepResponse
    from symindex.recall.content.content import Content as Content
    from symindex.recall.notes.notes import Notes as Notes
    from symindex.workers.document_messages import Seen as Seen


class Workspace(IndexedRoot):
    """One root folder and its index. Use `symindex.open`, or as a context manager. The arguments
    are those of `IndexedRoot`.

    Raises RequestError, too, where the environment makes files of the tree the user's own
    (`files/locations.check_own_folders`).
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        index_dir: str | os.PathLike[str] | None = None,
        *,
        values: Mapping[str, object] | None = None,
        on_problem: Callable[[str], object] | None = None,
    ) -> None:
        if os.fspath(root):  # else the next line says what is wrong
            check_own_folders(check_root(Path(root)))
        super().__init__(root, index_dir, values=values, on_problem=on_problem)


def open_workspace(
    root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None
) -> Workspace:
    """The workspace of a folder; without `root`, of the nearest folder upwards that holds
    `symindex.toml` or `.git`."""
    return Workspace(root if root is not None else find_root(current_folder()), index_dir)


def grep_given(data: bytes, request: "GrepRequest") -> "GrepResponse":
    """Where a text that is given, and lies in no file, holds what a request asks for. Raises
    RequestError."""
    from symindex.explore.grep import given_text  # here, as below

    return given_text.grep_given(data, request)


def open_dependencies(
    root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None
) -> "Dependencies":
    """What the project in a folder depends on; the arguments are those of `open_workspace`."""
    from symindex.packages.dependencies import (
        Dependencies,
    )  # here, because a search of the project does without

    return Dependencies(_checked_root(root), index_dir)


def open_content(root: str | os.PathLike[str] | None = None) -> "Content":
    """The content that was added by hand for the project in a folder; `root` as of
    `open_workspace`."""
    from symindex.recall.content.content import Content, content_folder  # here, as above

    folder = _checked_root(root)
    return Content(content_folder(folder), folder)


def open_notes(root: str | os.PathLike[str] | None = None) -> "Notes":
    """The user's notes, seen from the project in a folder; `root` as of `open_workspace`."""
    from symindex.recall.notes.notes import Notes  # here, as above

    return Notes(_checked_root(root))


def _checked_root(root: str | os.PathLike[str] | None) -> Path:
    folder = Path(root).resolve() if root is not None else find_root(current_folder())
    check_own_folders(folder)
    return folder
