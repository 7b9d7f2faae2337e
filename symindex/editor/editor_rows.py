"""The rows of an editor's symbol picker, for a query that is still being typed."""

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from symindex.background import answering, give_way, in_background
from symindex.cancellation import NotWantedError, check_wanted
from symindex.editor.editor_positions import MatchedRows, place_rows, without_typedefs
from symindex.editor.heading_rows import STRONG_POINTS, first_weaker, with_headings
from symindex.editor.merged_view import FoldersView
from symindex.editor.row_names import MORE_ROWS, Row, may_be_dropped, name_rows, places_to_show
from symindex.errors import RequestError, UnfinishedQueryError
from symindex.protocol.freshness import IMMEDIATE
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import find
from symindex.search.answer.diversify import SHORT_QUERY, SPREAD_OVER, diversify
from symindex.search.answer.plan import Plan, make_plan
from symindex.search.language.half_typed import finish_query
from symindex.text.editing.edit_buffer import Encoding
from symindex.workers.freed_memory import give_back_memory
from symindex.workspace.answer_source import View

if TYPE_CHECKING:
    from symindex.editor.folders_source import FoldersSource

_WARM_QUERIES: Final = ("getNa", "e", "se", "get", "get_name", "a.name", "zqxj", "")
"""Queries that fill the caches: those that users type first, then the empty query, which ranks all
symbols."""

_WARM_ROWS: Final = 256


class EditorRows:
    """Finds symbols and rows. encoding: the unit of columns, as the client counts them."""

    def __init__(self, source: "FoldersSource", encoding: Encoding) -> None:
        self._source, self._encoding = source, encoding

    def symbols(self, request: SearchRequest) -> MatchedRows:
        """Finds the best matches of a request, at most `max_items`: without typos, and diverse for
        a short query. Raises RequestError for a request that has no answer."""

        plan = make_plan(request, self._source.languages)

        def show(view: View) -> MatchedRows | None:
            assert isinstance(view, FoldersView)
            with answering():
                result = self._matches(view, plan)
            return result if result.matches or view.is_last else None

        return self._source.first_answer(plan, IMMEDIATE, show)

    def _matches(self, view: FoldersView, plan: Plan, n_shown: int | None = None) -> MatchedRows:
        """Finds the matches of `symbols` in one view. n_shown: the number of matches that an editor
        will show; default: all."""
        limit, n_letters = plan.max_items, len(plan.text.strip())
        if limit is not None and n_letters <= SHORT_QUERY:
            plan = plan.sized(limit * SPREAD_OVER)
        count_uses = None if view.missing else partial(self._source.count_uses, view)
        hits = find(view.snapshot, plan, for_editor=True, count_uses=count_uses)
        rows = hits.ranking.rows[hits.position.start : hits.end]
        if limit is not None and len(rows) > limit:
            rows = diversify(hits.snapshot, rows, n_letters, limit)
        points = hits.ranking.points
        if n_shown is not None:
            chosen = places_to_show(hits.snapshot, hits.query, rows, n_shown)
            rows, points = rows[chosen], points[chosen]
        check_wanted()
        matches = place_rows(view, hits.snapshot, rows, self._encoding)
        n_strong = int((points >= STRONG_POINTS).sum()) if hits.selection.weak else len(matches)
        scattered = {match.name for match in matches[n_strong:]}
        return MatchedRows(hits.query, without_typedefs(matches), not view.missing, scattered)

    def find(self, request: SearchRequest) -> tuple[list[Row], bool]:
        """Finds the matches of `symbols`, named so that an editor keeps them, with headings of
        documents among them; and whether every folder has an index. An unfinished query gives the
        rows of its finished part."""
        try:
            return self._find(request)
        except RequestError as error:
            finished = finish_query(request.query, self._source.languages.by_id)
            if finished:
                return self._find(msgspec.structs.replace(request, query=finished))
            if isinstance(error, UnfinishedQueryError):
                return [], True
            raise

    def _find(self, request: SearchRequest) -> tuple[list[Row], bool]:
        plan = wide = make_plan(request, self._source.languages)
        limit = plan.max_items
        if limit is not None and may_be_dropped(plan.text):
            wide = plan.sized(limit * MORE_ROWS)

        def show(view: View) -> tuple[list[Row], bool] | None:
            assert isinstance(view, FoldersView)
            with answering():
                result = self._matches(view, wide, limit)
                code = name_rows(result.query, result.matches, limit)
                position = first_weaker(result.query, code, result.scattered)
                rows = with_headings(view, plan, code, position, self._encoding)
            # Before there is an index, the few headings known say nothing about the code.
            has_answer = code if view.missing else rows
            return (rows, result.complete) if has_answer or view.is_last else None

        return self._source.first_answer(plan, IMMEDIATE, show)

    def warm_up(self) -> None:
        """Fills the caches of the indexes before the user types, as long as every folder has an
        index: without one, a search would scan the folder."""
        with suppress(NotWantedError), in_background():
            for query in _WARM_QUERIES:
                give_way()
                if self._source.view().missing:
                    return
                self.find(SearchRequest(query=query, max_items=_WARM_ROWS))
        give_back_memory()
