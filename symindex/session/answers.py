"""Answers from roots: one search for all doors, which decides by itself between the index, a scan without one, and waiting.

A part of the tree will do only where the patience of whoever asks does not reach to the first index. An empty answer is never
given while more is to be expected.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import msgspec

from symindex.index.update import Progress, mended
from symindex.protocol import (
    OutlineRequest,
    OutlineResponse,
    ReferencesRequest,
    ReferencesResponse,
    SearchRequest,
    SearchResponse,
    SymbolRequest,
    SymbolResponse,
    add_notices,
)
from symindex.search.answer import answer
from symindex.session.roots import AS_IT_IS, Patience, Roots, View

if TYPE_CHECKING:
    from symindex.explore.tree import Tree


_Response = TypeVar("_Response", SearchResponse, SymbolResponse, OutlineResponse, ReferencesResponse)
_T = TypeVar("_T")


class Answers:
    """What can be asked of some roots. Raises RequestError for what has no answer, NotWantedError where it was given up."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots

    def find(
        self, request: SearchRequest, patience: Patience, show: Callable[[View], _T | None], progress: Progress | None = None
    ) -> _T:
        """What `show` makes of the first view that holds something.

        show: gives `None` for nothing, unless that is the last word of the view. progress: told how far a refresh is.
        """
        roots = self._roots

        def find() -> _T:
            for part in roots.unindexed_views(request, patience):
                found = show(part)
                if found is not None:
                    roots.answered_early()
                    return found
            stored, found = roots.stored_view(), None
            if stored is not None:
                with suppress(Exception):  # which may be due to the index; if not, it comes again
                    found = show(stored)
            roots.bring_up_to_date(patience, progress)
            view = replace(roots.view(), missing=())
            if patience.changes:  # they were waited for
                view = replace(view, is_last=True)
            if found is None or stored is None or stored.snapshot is not view.snapshot:
                found = show(view)
            if found is None:
                roots.wait_for_changes()
                found = show(replace(roots.view(), missing=(), is_last=True))
            assert found is not None
            return found

        return self._mended(find)

    def _mended(self, read: Callable[[], _T]) -> _T:
        return mended(read, self._roots.mend, lambda: self._roots.times_mistrusted)

    def search_for(self, request: SearchRequest, patience: Patience, progress: Progress | None = None) -> SearchResponse:
        """A search by the contract of all doors."""

        def show(view: View) -> SearchResponse | None:
            asked = msgspec.structs.replace(request, fuzzy=False) if view.why_a_part else request
            response = answer(view.snapshot, asked, self._roots.languages)
            if not response.total and not view.is_last:
                return None
            response.request = request
            hint = "" if response.total or view.missing else self._roots.why_empty(request, view)
            return self._noted(response, view.why_a_part, hint=hint)

        return self.find(request, patience, show, progress)

    def _noted(self, response: _Response, *more: str, hint: str = "") -> _Response:
        """An answer with what must be said of it."""
        notices = [*filter(None, [*more, *self._roots.take_notices(), *self._roots.whys_a_part(), hint])]
        add_notices(response, notices)
        return response

    def look(self, show: "Callable[[Tree], _Response]", patience: Patience) -> _Response:
        """What a reader is shown of the trees, from their indexes; those that are being made are waited for."""

        def look() -> _Response:
            self._roots.bring_up_to_date(patience, None)
            return show(self._roots.tree())

        return self._noted(self._mended(look))

    def symbol_for(self, request: SymbolRequest, patience: Patience = AS_IT_IS) -> SymbolResponse:
        """One symbol: its place, doc, code and members; where several may be meant, these."""
        from symindex.explore.symbol import symbol  # here, as below, because most commands search

        return self.look(lambda tree: symbol(tree, request, self._roots.limits.max_file_bytes), patience)

    def outline_for(self, request: OutlineRequest, patience: Patience = AS_IT_IS) -> OutlineResponse:
        """What is defined in a file, a folder, or the files that a glob matches, as a tree."""
        from symindex.explore.outline import outline

        return self.look(lambda tree: outline(tree, request), patience)

    def references_for(
        self,
        request: ReferencesRequest,
        seconds: float,
        patience: Patience = AS_IT_IS,
        looking: Progress | None = None,
    ) -> ReferencesResponse:
        """Where an identifier occurs in code. seconds: then the answer holds what was found. looking: told how many files are
        done."""
        from symindex.explore.references import find_references

        limits = self._roots.limits
        return self.look(lambda tree: find_references(tree, request, *limits, seconds=seconds, progress=looking), patience)
