"""The façade: all answers about one root folder or several. Doors call only this.

`Workspace` is one root for Python and the command line, checked for changes on request. `follow_folders` makes the workspace of a
server's client: folders that are followed in the background, and unsaved documents. Both give the same answers
(`workspace/roots`).
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symindex.files.locations import check_own_folders, current_folder, find_root
from symindex.files.walk import check_root
from symindex.index.update import Progress as Progress
from symindex.protocol.freshness import AS_IT_IS as AS_IT_IS
from symindex.protocol.freshness import CURRENT as CURRENT
from symindex.protocol.freshness import CURRENT_OR_PART as CURRENT_OR_PART
from symindex.protocol.freshness import SOON as SOON
from symindex.protocol.freshness import Patience as Patience
from symindex.workspace.indexed_root import IndexedRoot as IndexedRoot

if TYPE_CHECKING:  # the types of answers, for the doors
    from symindex.editor.editor_positions import Match as Match
    from symindex.editor.editor_relations import NamePlace as NamePlace
    from symindex.editor.editor_relations import Relation as Relation
    from symindex.editor.editor_relations import Relations as Relations
    from symindex.editor.editor_relations import SymbolItem as SymbolItem
    from symindex.editor.followed_workspace import FollowedWorkspace as FollowedWorkspace
    from symindex.editor.row_names import Row as Row
    from symindex.explore.listing import ListedFile as ListedFile
    from symindex.files.access.private_folder import PrivateFolder as PrivateFolder
    from symindex.index.report import RefreshReport as RefreshReport
    from symindex.packages.dependencies import Dependencies
    from symindex.packages.indexes.deps_report import DepsReport as DepsReport
    from symindex.protocol.grep import GrepRequest, GrepResponse
    from symindex.protocol.recall import TextRequest as TextRequest
    from symindex.recall.content.content import Content as Content
    from symindex.recall.notes.notes import Notes as Notes
    from symindex.workers.document_messages import Seen as Seen
    from symindex.workspace.asked_root import Asked as Asked
    from symindex.workspace.asked_root import AskedRoot as AskedRoot
    from symindex.workspace.watched_tree import Event as Event
    from symindex.workspace.watched_tree import Share as Share
    from symindex.workspace.watched_tree import WatchedTrees as WatchedTrees


class Workspace(IndexedRoot):
    """One root folder and its index. Use `symindex.open`, or as a context manager. The arguments are those of `IndexedRoot`.

    Raises RequestError, too, where the environment makes files of the tree the user's own (`files/locations.check_own_folders`).
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


def open_workspace(root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None) -> Workspace:
    """The workspace of a folder; without `root`, of the nearest folder upwards that holds `symindex.toml` or `.git`."""
    return Workspace(root if root is not None else find_root(current_folder()), index_dir)


def grep_given(data: bytes, request: "GrepRequest") -> "GrepResponse":
    """Where a text that is given, and lies in no file, holds what a request asks for. Raises RequestError."""
    from symindex.explore.grep import given_text  # here, as below

    return given_text.grep_given(data, request)


def open_dependencies(
    root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None
) -> "Dependencies":
    """What the project in a folder depends on; the arguments are those of `open_workspace`."""
    from symindex.packages.dependencies import Dependencies  # here, because a search of the project does without

    return Dependencies(_checked_root(root), index_dir)


def open_content(root: str | os.PathLike[str] | None = None) -> "Content":
    """The content that was added by hand for the project in a folder; `root` as of `open_workspace`."""
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


def read_text_request(given: bytes | Mapping[str, Any]) -> "TextRequest":
    """See `recall/chunks/read_request`."""
    from symindex.recall.chunks.read_request import read_text_request  # here, as above

    return read_text_request(given)


def is_about_text(given: Mapping[str, Any]) -> bool:
    """See `recall/chunks/read_request`."""
    from symindex.recall.chunks.read_request import is_about_text  # here, as above

    return is_about_text(given)


def ask_about(followed: IndexedRoot) -> "Asked":
    """A root that is followed, as the commands of others are answered from it."""
    from symindex.workspace.asked_root import Asked  # here, because few processes answer others

    return Asked(followed)


def make_trees(share: "Share | None" = None) -> "WatchedTrees":
    """The trees that the clients of one process share. Loads everything that following needs.

    share: called with the root of each tree that is followed; returns what is called at its end.
    """
    from symindex.editor.followed_workspace import WatchedTrees

    return WatchedTrees(share)


def follow_folders(trees: "WatchedTrees | None" = None, **options: Any) -> "FollowedWorkspace":
    """A workspace for a client of a server. It has no folder yet; folders are added and removed later.

    trees: those shared with other clients; options: as of `editor/followed_workspace.FollowedWorkspace`.
    """
    from symindex.editor.followed_workspace import FollowedWorkspace  # here, because a command follows nothing

    return FollowedWorkspace(trees or make_trees(), **options)
