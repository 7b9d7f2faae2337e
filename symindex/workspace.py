"""The workspace: one root folder, or several, and what can be asked of them. Every door calls only this.

A workspace is roots that answer (`session/roots`, `session/answers`): `Workspace` is one root, looked at when somebody asks, for
Python and the command line; `follow_folders` gives what a client of a server has open, followed in the background, with what it
has not saved. Whatever is asked is answered in the same way.
"""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType

from symindex.files.locations import current_folder, find_root
from symindex.index.update import Progress
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
from symindex.session.answers import Answers
from symindex.session.indexed_root import IndexedRoot
from symindex.session.roots import AS_IT_IS as AS_IT_IS
from symindex.session.roots import CURRENT as CURRENT
from symindex.session.roots import CURRENT_OR_PART as CURRENT_OR_PART
from symindex.session.roots import SOON as SOON
from symindex.session.roots import Patience as Patience

if TYPE_CHECKING:
    from symindex.session.followed_workspace import FollowedWorkspace
    from symindex.session.watched_tree import WatchedTrees


class Workspace(IndexedRoot, Answers):
    """One root folder and its index. Use `symindex.open`, or as a context manager. The arguments are those of `IndexedRoot`."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        index_dir: str | os.PathLike[str] | None = None,
        *,
        values: Mapping[str, object] | None = None,
        on_problem: Callable[[str], object] | None = None,
    ) -> None:
        IndexedRoot.__init__(self, root, index_dir, values=values, on_problem=on_problem)
        Answers.__init__(self, self)

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
        """Searches. The first search of a workspace refreshes the index; later ones take it as it is, unless `patience` says
        otherwise.

        query: a whole SearchRequest, or its query with the other fields of SearchRequest as arguments. progress: told how far a
        refresh is. Raises RequestError for what has no possible answer.
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
        """Where an identifier occurs in code, by its name. Freshness as of `search`.

        name: a whole request, or its name. seconds: after which the answer holds what was found by then, and its token goes on
        from there. progress: told how many files were looked through. Raises what `explore/references.find_references` does.
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
        """One symbol: its place, doc, code and members; where several may be meant, these. Freshness as of `search`.

        symbol: a whole SymbolRequest, or its symbol with the other fields as arguments. Raises RequestError for what is not
        there, or cannot be.
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
        """What is defined in a file, a folder, or the files that a glob matches, as a tree. Freshness as of `search`.

        path: a whole OutlineRequest, or its path with the other fields as arguments. Raises RequestError for what is not there.
        """
        if not isinstance(path, OutlineRequest):
            path = OutlineRequest(path=path, depth=depth, kinds=kinds, max_tokens=max_tokens, include=include)
        return self.outline_for(path)


def open_workspace(root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None) -> Workspace:
    """The workspace of a folder; without `root`, of the nearest folder upwards that holds `symindex.toml` or `.git`."""
    return Workspace(root if root is not None else find_root(current_folder()), index_dir)


def follow_folders(trees: "WatchedTrees | None" = None, **options: Any) -> "FollowedWorkspace":
    """A workspace for a client of a server, which has no folder yet: they come and go.

    trees: where trees are shared with other clients; options: as of `session/followed_roots.FollowedRoots`.
    """
    from symindex.session.followed_workspace import FollowedWorkspace  # here, because a command follows nothing
    from symindex.session.watched_tree import WatchedTrees

    return FollowedWorkspace(trees or WatchedTrees(), **options)
