"""The façade: all answers about one root folder or several. Doors call only this.

`Workspace` is one root for Python and the command line, checked for changes on request. `follow_folders` makes the workspace of a
server's client: folders that are followed in the background, and unsaved documents. Both give the same answers
(`session/roots`).
"""

import os
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType

from symindex.files.locations import current_folder, find_root
from symindex.index.update import Progress as Progress
from symindex.protocol import (
    OutlineRequest,
    OutlineResponse,
    ReferencesRequest,
    ReferencesResponse,
    SearchRequest,
    SearchResponse,
    SymbolRequest,
    SymbolResponse,
)
from symindex.session.indexed_root import IndexedRoot
from symindex.session.roots import AS_IT_IS as AS_IT_IS
from symindex.session.roots import CURRENT as CURRENT
from symindex.session.roots import CURRENT_OR_PART as CURRENT_OR_PART
from symindex.session.roots import SOON as SOON
from symindex.session.roots import Patience as Patience

if TYPE_CHECKING:  # the types of answers, for the doors
    from symindex.explore.listing import ListedFile as ListedFile
    from symindex.index.report import RefreshReport as RefreshReport
    from symindex.session.editor_positions import Match as Match
    from symindex.session.followed_workspace import FollowedWorkspace as FollowedWorkspace
    from symindex.session.row_names import Row as Row
    from symindex.session.watched_tree import Event as Event
    from symindex.session.watched_tree import WatchedTrees as WatchedTrees
    from symindex.workers.document_messages import Seen as Seen


class Workspace(IndexedRoot):
    """One root folder and its index. Use `symindex.open`, or as a context manager. The arguments are those of `IndexedRoot`."""

    def search(
        self,
        query: str | SearchRequest,
        *,
        kinds: list[str] | None = None,
        max_items: int | None = None,
        start_index: int = 0,
        pagination_id: str | None = None,
        languages: list[str] | UnsetType = UNSET,
        paths: list[str] | UnsetType = UNSET,
        fuzzy: bool | UnsetType = UNSET,
        include: list[str] | UnsetType = UNSET,
        patience: Patience = AS_IT_IS,
        progress: Progress | None = None,
    ) -> SearchResponse:
        """Searches. The first search of a workspace refreshes the index; later ones use it as it is, unless `patience` says
        otherwise.

        query: a whole SearchRequest, or its query with the other fields as arguments. progress: called during a refresh. Raises
        RequestError for a request that cannot be answered.
        """
        if not isinstance(query, SearchRequest):
            query = SearchRequest(
                query=query, kinds=kinds, max_items=max_items, start_index=start_index, pagination_id=pagination_id,
                languages=languages, paths=paths, fuzzy=fuzzy, include=include,
            )  # fmt: skip
        return self.search_for(query, patience, progress)

    def references(
        self,
        name: str | ReferencesRequest,
        seconds: float = 10.0,
        progress: Progress | None = None,
    ) -> ReferencesResponse:
        """Where an identifier occurs in code, by its name. As fresh as `search`.

        name: a whole request, or its name. seconds: after which the answer holds what was found so far, and a token to continue.
        progress: called with the number of files read. Raises what `explore/references.find_references` does.
        """
        request = ReferencesRequest(name=name) if isinstance(name, str) else name
        return self.references_for(request, seconds, looking=progress)

    def symbol(
        self,
        symbol: str | SymbolRequest,
        *,
        lines: str | None = None,
        siblings: bool = False,
        max_tokens: int | None = None,
    ) -> SymbolResponse:
        """One symbol: its place, doc, code and members; or the list of those that may be meant. As fresh as `search`.

        symbol: a whole SymbolRequest, or its symbol with the other fields as arguments. Raises RequestError for a file or line
        that does not exist, or is not a valid one.
        """
        if not isinstance(symbol, SymbolRequest):
            symbol = SymbolRequest(symbol=symbol, lines=lines, siblings=siblings, max_tokens=max_tokens)
        return self.symbol_for(symbol)

    def outline(
        self,
        path: str | OutlineRequest = "",
        *,
        depth: int | None = None,
        kinds: list[str] | None = None,
        max_tokens: int | None = None,
        include: list[str] | UnsetType = UNSET,
    ) -> OutlineResponse:
        """What is defined in a file, a folder, or the files that a glob matches, as a tree. As fresh as `search`.

        path: a whole OutlineRequest, or its path with the other fields as arguments. Raises RequestError if it does not exist.
        """
        if not isinstance(path, OutlineRequest):
            path = OutlineRequest(path=path, depth=depth, kinds=kinds, max_tokens=max_tokens, include=include)
        return self.outline_for(path)


def open_workspace(root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None) -> Workspace:
    """The workspace of a folder; without `root`, of the nearest folder upwards that holds `symindex.toml` or `.git`."""
    return Workspace(root if root is not None else find_root(current_folder()), index_dir)


def make_trees() -> "WatchedTrees":
    """The trees that the clients of one process share. Loads everything that following needs."""
    from symindex.session.followed_workspace import WatchedTrees

    return WatchedTrees()


def follow_folders(trees: "WatchedTrees | None" = None, **options: Any) -> "FollowedWorkspace":
    """A workspace for a client of a server. It has no folder yet; folders are added and removed later.

    trees: those shared with other clients; options: as of `session/followed_workspace.FollowedWorkspace`.
    """
    from symindex.session.followed_workspace import FollowedWorkspace  # here, because a command follows nothing

    return FollowedWorkspace(trees or make_trees(), **options)
