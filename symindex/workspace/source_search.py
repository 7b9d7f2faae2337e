"""One search over a source and the other spaces that a request names, with the notices about what
it does not find."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symindex.files.skips import tell_unread
from symindex.index.snapshot import Snapshot
from symindex.index.update import Progress
from symindex.protocol.freshness import Freshness
from symindex.protocol.search import (
    Noticed,
    SearchResponse,
    add_notices,
    is_guess,
)
from symindex.workspace.answer_source import AnswerSource, View
from symindex.workspace.elsewhere import (
    excluded_name,
    lacks_exact,
    tell_excluded,
    tell_packages,
)
from symindex.workspace.left_out import find_excluded_name, find_unreadable

if TYPE_CHECKING:
    from symindex.recall.document_texts import KeptTexts
    from symindex.search.answer.contents import Contents
    from symindex.search.answer.plan import Plan
    from symindex.workspace.spaces.spaces import SpacePart


class SourceSearch:
    """Searches a source. Keeps the texts it has read and the last snapshot it has joined."""

    def __init__(self, source: AnswerSource) -> None:
        self._source = source
        self.kept_texts: KeptTexts | None = None
        self._last_joined: tuple[list[object], Snapshot] = ([], Snapshot([], 0))

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
            contents = self._contents(parts) if is_wide else None
            view = replace(view, snapshot=self.with_spaces(view.snapshot, parts), contents=contents)
            response = answer(view.snapshot, narrowed, contents)
            add_notices(response, space_notices)
            return self._explained(plan, response, view) if response.total or view.is_last else None

        return self._source.first_answer(plan, freshness, show, progress)

    def _explained(self, plan: "Plan", response: SearchResponse, view: View) -> SearchResponse:
        """Adds notices to a response: why it is empty, or where else there is an exact name."""
        walked, paths = self._source.walked, plan.paths
        if not (view.why_partial or view.missing) and lacks_exact(plan, response):
            folders = self._source.index_folders
            add_notices(response, tell_packages(folders, plan.text.strip()))
        if not (view.why_partial or view.missing) and (name := excluded_name(plan, response)):
            skips = find_excluded_name(walked, name, paths)
            add_notices(response, [tell_excluded(name, skip) for skip in skips])
        if response.items and not view.missing:
            if all(map(is_guess, response.items)):
                from symindex.search.answer.explain_empty import (
                    explain_hidden,
                )  # deferred, because most searches find what they ask for

                add_notices(response, explain_hidden(plan, view.snapshot, view.contents))
            if unread := tell_unread(find_unreadable(walked, paths), "more"):
                add_notices(response, [unread])
        why_empty = [] if response.total or view.missing else self._source.why_empty(plan, view)
        add_source_notices(self._source, response, view.why_partial, why_empty)
        return response

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

    def _contents(self, parts: "Sequence[SpacePart]") -> "Contents":
        """Returns the texts of sections and items of the source and of other spaces, for one
        answer."""
        from symindex.recall.document_texts import KeptTexts, TextReader, TextSource
        from symindex.search.answer.contents import (
            Contents,
        )  # deferred, because most searches are for symbols

        if self.kept_texts is None:
            self.kept_texts = KeptTexts()
        folders = self._source.folders_by_prefix
        sources = {prefix: TextSource(*folder) for prefix, folder in folders.items()}
        sources.update(
            {
                prefix: TextSource(root, part.languages)
                for part in parts
                for prefix, root in part.roots.items()
            }
        )
        return Contents(TextReader(sources, self._source.file_limits[0], self.kept_texts))

    def with_spaces(self, project: Snapshot, parts: "Sequence[SpacePart]") -> Snapshot:
        """Joins the project's snapshot with other spaces. Returns the last result again if none of
        them has changed."""
        if not parts:
            return project
        from symindex.workspace.spaces.across_spaces import join  # deferred, as above

        key: list[object] = [project, *(part.snapshot for part in parts)]
        if [*map(id, self._last_joined[0])] != [*map(id, key)]:
            self._last_joined = (key, join(project, parts))
        return self._last_joined[1]


def add_source_notices(
    source: AnswerSource, response: Noticed, first: str = "", last: Iterable[str] = ()
) -> None:
    """Adds the source's notices to a response, between a first one, if any, and the last ones."""
    notices = [first, *source.take_notices(), *source.why_incomplete(), *last]
    add_notices(response, [*filter(None, notices)])
