"""One search over a source and the other spaces that a request names, with the notices about what
it does not find."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from symindex.files.skips import tell_unread
from symindex.index.snapshot import Snapshot
from symindex.index.update import Progress
from symindex.protocol.freshness import IMMEDIATE, Freshness
from symindex.protocol.search import (
    Noticed,
    SearchResponse,
    add_notices,
    is_guess,
)
from symindex.workspace.answer_source import AnswerSource, View
from symindex.workspace.elsewhere import (
    find_unfound,
    tell_excluded,
    tell_packages,
)
from symindex.workspace.left_out import find_excluded_name, find_unreadable
from symindex.workspace.limited import Limit, limit_of, limit_of_search

if TYPE_CHECKING:
    from symindex.recall.document_texts import KeptTexts
    from symindex.search.answer.contents import Contents
    from symindex.search.answer.plan import Plan
    from symindex.workspace.spaces.spaces import SpacePart


class Kept:
    """What searches of a source keep for later ones: the texts they have read, and the last
    snapshot they have joined, with its parts."""

    def __init__(self) -> None:
        self.texts: KeptTexts | None = None
        self.joined: tuple[list[object], Snapshot] = ([], Snapshot([], 0))


class SourceSearch:
    """Searches a source. kept: from earlier searches of it."""

    def __init__(self, source: AnswerSource, kept: Kept | None = None) -> None:
        self._source = source
        self.kept: Kept = kept or Kept()

    def search(
        self,
        plan: "Plan",
        freshness: Freshness,
        progress: Progress | None = None,
        extra: "Callable[[], tuple[SpacePart, list[str]]] | None" = None,
    ) -> SearchResponse:
        """Searches for symbols, sections and items.

        progress: called during a refresh. extra: returns one more space to search, and notices.
        Raises RequestError for a plan that has no answer.
        """
        # Deferred, because an update searches nothing.
        from symindex.search.answer.answer import answer

        is_wide = plan.needs_spaces
        parts, space_notices = (
            self._other_spaces(plan, freshness, progress) if is_wide else ([], [])
        )
        if is_wide and extra is not None:
            part, notices = extra()
            parts, space_notices = [*parts, part], [*space_notices, *notices]

        def show(view: View) -> SearchResponse | None:
            narrowed = plan.strict() if view.why_partial else plan
            contents = self._contents(parts, view) if is_wide else None
            count_uses = None if parts or view.missing else partial(self._source.count_uses, view)
            view = replace(view, snapshot=self.with_spaces(view.snapshot, parts), contents=contents)
            response = answer(view.snapshot, narrowed, contents, count_uses)
            if not response.total and not view.is_last:
                return None
            self._explain(plan, response, view, space_notices, is_typed=freshness is IMMEDIATE)
            return response

        return self._source.first_answer(plan, freshness, show, progress)

    def _explain(
        self,
        plan: "Plan",
        response: SearchResponse,
        view: View,
        notices: Sequence[str],
        *,
        is_typed: bool,
    ) -> None:
        """Adds notices to a response: those of other spaces, where else there is an exact name, why
        it is empty.

        is_typed: whether the query is still being typed; then no other file is searched for a name
        that is not finished.
        """
        notices, walked, paths = [*notices], self._source.walked, plan.paths
        if not (view.why_partial or view.missing or is_typed):
            name, may_be_in_packages = find_unfound(plan, response)
            if may_be_in_packages:
                notices += tell_packages(self._source.index_folders, name)
            skips = find_excluded_name(walked, name, paths) if name else []
            notices += [tell_excluded(name, skip) for skip in skips]
        if response.items and not view.missing:
            if all(map(is_guess, response.items)):
                from symindex.search.answer.explain_empty import (
                    explain_hidden,
                )  # deferred, because most searches find what they ask for

                notices += _of_first(plan, explain_hidden(plan, view.snapshot, view.contents))
            if unreadable := find_unreadable(walked, paths):
                notices.append(tell_unread(unreadable, "more"))
        notices += [view.why_partial, *source_notices(self._source, limit_of_search(plan))]
        if not (response.total or view.missing):
            notices += _of_first(plan, self._source.why_empty(plan, view))
        if notices := [*filter(None, notices)]:
            add_notices(response, notices)

    def _other_spaces(
        self, plan: "Plan", freshness: Freshness, progress: Progress | None
    ) -> "tuple[list[SpacePart], list[str]]":
        """Returns the other spaces that a request needs, and notices."""
        from symindex.workspace.spaces.across_spaces import (
            needed_spaces,
            parts_of,
        )  # deferred, because most searches stay in the project

        needed = needed_spaces(plan)
        return (
            parts_of(self._source.spaces, needed, freshness.packages, progress)
            if needed.spaces
            else ([], [])
        )

    def _contents(self, parts: "Sequence[SpacePart]", view: View) -> "Contents":
        """Returns the texts of sections and items of the source and of other spaces, for one
        answer."""
        from symindex.recall.document_texts import KeptTexts, TextReader, TextSource
        from symindex.search.answer.contents import (
            Contents,
        )  # deferred, because most searches are for symbols

        if self.kept.texts is None:
            self.kept.texts = KeptTexts()
        folders = self._source.folders_by_prefix
        sources = {prefix: TextSource(*folder) for prefix, folder in folders.items()}
        sources.update(
            {
                prefix: TextSource(root, part.languages)
                for part in parts
                for prefix, root in part.roots.items()
            }
        )
        limit, texts = self._source.file_limits[0], self._source.texts_of(view)
        return Contents(TextReader(sources, limit, self.kept.texts, texts))

    def with_spaces(self, project: Snapshot, parts: "Sequence[SpacePart]") -> Snapshot:
        """Joins the project's snapshot with other spaces. Returns the last result again if none of
        them has changed."""
        if not parts:
            return project
        from symindex.workspace.spaces.across_spaces import join  # deferred, as above

        key: list[object] = [project, *(part.snapshot for part in parts)]
        joined = self.kept.joined  # taken once: another thread may replace it meanwhile
        if [*map(id, joined[0])] != [*map(id, key)]:
            joined = self.kept.joined = (key, join(project, parts))
        return joined[1]


def _of_first(plan: "Plan", reasons: Sequence[str]) -> list[str]:
    """Says that the reasons are about the first phrasing, if there are several."""
    return [f"phrasing 1: {reason}" if plan.phrasings else reason for reason in reasons]


def source_notices(source: AnswerSource, limit: Limit) -> list[str]:
    """Returns what a source has to say about any answer to a request with this limit."""
    return [*source.take_notices(), *source.why_incomplete(limit)]


def add_source_notices(source: AnswerSource, response: Noticed, request: object) -> None:
    """Adds the source's notices to the response to a request."""
    if notices := source_notices(source, limit_of(request)):
        add_notices(response, notices)
