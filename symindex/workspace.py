"""The workspace: one root folder, kept fresh. What Python and the command line ask, they ask of this.

It joins the pipeline: the index of the root, brought up to date, and searched. Searching never reads the tree.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

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
from symindex.search.answer import answer
from symindex.search.explain import why_empty
from symindex.session import early_walk
from symindex.session.indexed_root import IndexedRoot

if TYPE_CHECKING:
    from symindex.explore.listing import ListedFile
    from symindex.explore.tree import Tree


class Workspace(IndexedRoot):
    """One root folder and its index. Use `symindex.open`, or as a context manager."""

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
    ) -> SearchResponse:
        """Searches. The first search of a workspace refreshes the index; later ones take it as it is: call `refresh` where the
        tree may have changed.

        query: a whole SearchRequest, or its query with the other fields of SearchRequest as arguments.
        Raises RequestError for what has no possible answer.
        """
        if not isinstance(query, SearchRequest):
            query = SearchRequest(
                query=query, kinds=kinds, max_items=max_items, start_index=start_index, pagination_id=pagination_id,
                languages=languages, paths=paths, fuzzy=fuzzy, include=include,
            )  # fmt: skip
        request = query
        return self._mended(lambda: self._search(request))

    def _search(self, request: SearchRequest) -> SearchResponse:
        response = answer(self.snapshot, request, self.languages)
        self._tell_notices(response)
        if response.total == 0:
            hint = why_empty(request, self.snapshot, self._walk, self.languages, self.unread())
            if hint:
                response.notices = [*(response.notices or []), hint]
        return response

    def _tell_notices(self, response: SearchResponse | ReferencesResponse | SymbolResponse | OutlineResponse) -> None:
        if self._notices:
            response.notices = [*(response.notices or []), *self.take_notices()]

    def search_current(self, request: SearchRequest, progress: Progress | None = None) -> SearchResponse:
        """Searches the tree as it is on the disk now: refreshes the index, and says in the answer what that met.

        Where the tree is looked through in other processes, what is stored is searched meanwhile, and again if it was outdated.
        Raises what `refresh` and `search` raise.
        """
        response = None
        searched = self._upkeep.load() if early_walk.is_begun() else None
        if searched is not None:
            with suppress(Exception):  # which may be due to the index; if not, it comes again
                response = answer(searched.snapshot, request, self.languages)
        notices = self.refresh(progress).notices
        if response is None or self._upkeep.layers is not searched or response.total == 0:
            response = self.search(request)
        if notices:
            response.notices = [*(response.notices or []), *notices]
        return response

    def references(
        self, name: str | ReferencesRequest, seconds: float = 10.0, progress: Progress | None = None
    ) -> ReferencesResponse:
        """Where an identifier occurs in code, by its name; refreshes the index as `search` does.

        name: a whole request, or its name. seconds: after which the answer holds what was found by then, and its token goes on
        from there. progress: told how many files were looked through. Raises what `explore/references.find_references` does.
        """
        from symindex.explore.references import find_references  # here, because it loads the parser, which a search does without

        request = ReferencesRequest(name=name) if isinstance(name, str) else name
        limits = (self.settings.max_file_bytes, self.settings.file_seconds)
        response = self._mended(lambda: find_references(self._tree(), request, *limits, seconds=seconds, progress=progress))
        self._tell_notices(response)
        return response

    def search_early(self, request: SearchRequest) -> SearchResponse | None:
        """The answer of a scout (`symindex/scout`), where there is no index yet and building one takes long: it comes at once,
        from the files that can hold what is sought, and says what part of the tree that was. `None` where the index can be
        waited for, where only the index can answer, or where the scout found nothing.

        Raises RequestError for what has no possible answer.
        """
        if self._is_current or self._upkeep.load() is not None:
            return None
        early_walk.end_walk()  # it would take its time from the scout
        from symindex.search.unindexed.patience import answer_early, is_large  # here, because an index is mostly there

        if not is_large(self.root, self.wanted):
            return None
        return answer_early(self.root, request, self.languages, self.wanted, self.settings.file_seconds, self._rules)

    def _tree(self) -> "Tree":
        from symindex.explore.tree import Tree  # here, as below, because most commands search

        return Tree(self.snapshot, self.languages, {"": self.root}, unread=self.unread)

    def symbol(
        self, symbol: str | SymbolRequest, *, lines: str | None = None, siblings: bool = False, max_tokens: int | None = None
    ) -> SymbolResponse:
        """One symbol: its place, doc, code and members; where several may be meant, these. Freshness as of `search`.

        symbol: a whole SymbolRequest, or its symbol with the other fields as arguments. Raises RequestError for what is not
        there, or cannot be.
        """
        if not isinstance(symbol, SymbolRequest):
            symbol = SymbolRequest(symbol=symbol, lines=lines, siblings=siblings, max_tokens=max_tokens)
        from symindex.explore.symbol import symbol as show_symbol

        response = self._mended(lambda: show_symbol(self._tree(), symbol, self.settings.max_file_bytes))
        self._tell_notices(response)
        return response

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
        from symindex.explore.outline import outline as show_outline

        response = self._mended(lambda: show_outline(self._tree(), path))
        self._tell_notices(response)
        return response

    def export(self, request: SearchRequest | None = None) -> "Iterator[ListedFile]":
        """All symbols that a request's filters let through, file by file, with all that is known. Raises RequestError at once."""
        from symindex.explore.listing import list_sources  # here, because to search needs none of it

        def export() -> "Iterator[ListedFile]":
            snapshot = self.snapshot
            self._upkeep.check_all()  # what has been passed on cannot be taken back
            return list_sources(self.root, snapshot, self.languages, request or SearchRequest(query=""))

        return self._mended(export)


def open_workspace(root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None) -> Workspace:
    """The workspace of a folder; without `root`, of the nearest folder upwards that holds `symindex.toml` or `.git`."""
    return Workspace(root if root is not None else find_root(current_folder()), index_dir)
