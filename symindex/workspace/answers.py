"""The answers to all requests, made from one source: a root, or the folders of a client.

Every front end calls these methods. All have one shape: a request of `protocol`, or the request's
first field with the others as keywords (`workspace/request_fields`); then, by keyword, how long the
answer may take. What a method needs is imported when it is first called, because most processes
answer one kind of request.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec
from msgspec import UNSET

from symindex.errors import SymindexError
from symindex.index.update import Progress
from symindex.protocol.explore import (
    OutlineRequest,
    ReferencesRequest,
    SymbolRequest,
    SymbolResponse,
)
from symindex.protocol.freshness import CACHED, Freshness
from symindex.protocol.search import (
    ITEM_NEEDS,
    Noticed,
    SearchRequest,
    SearchResponse,
    add_notices,
)
from symindex.requests import check_request, check_types
from symindex.workspace.answer_source import AnswerSource, OneMoment
from symindex.workspace.elsewhere import (
    count_elsewhere,
    is_text,
    last_name,
    symbol_anywhere,
    tell_excluded,
)
from symindex.workspace.history_answers import HistoryAnswers
from symindex.workspace.left_out import find_excluded_name, unread_items
from symindex.workspace.repair import with_repair
from symindex.workspace.request_fields import make_request
from symindex.workspace.source_search import Kept, SourceSearch

if TYPE_CHECKING:
    from typing import Unpack

    from symindex.protocol.explore import OutlineResponse, ReferencesResponse
    from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse
    from symindex.protocol.grep import GrepRequest, GrepResponse
    from symindex.protocol.hierarchy import HierarchyRequest, HierarchyResponse
    from symindex.protocol.overview import FolderRequest, FolderResponse, MapRequest, MapResponse
    from symindex.protocol.recall import Related, TextHit, TextRequest, TextResponse
    from symindex.protocol.trace import TraceRequest, TraceResponse
    from symindex.protocol.unused import UnusedRequest, UnusedResponse
    from symindex.resolve.tree import Tree
    from symindex.search.answer.plan import Plan
    from symindex.workspace.request_fields import (
        FetchFields,
        GrepFields,
        HierarchyFields,
        MapFields,
        OutlineFields,
        ReferencesFields,
        SearchFields,
        SymbolFields,
        TextFields,
        TraceFields,
    )
    from symindex.workspace.spaces.spaces import SpacePart

_Response = TypeVar("_Response", bound=Noticed)


class Answers(HistoryAnswers):
    """Answers requests from a source.

    `freshness` says how fresh an answer must be, and so how long it may wait. By default, the index
    is used as it was last loaded or refreshed; a missing one is built. All methods raise
    RequestError for a request that has no answer, and NotWantedError once the answer is cancelled
    (`cancellation`).
    """

    def __init__(self, source: AnswerSource, kept: Kept | None = None) -> None:
        super().__init__(source)
        self._searcher = SourceSearch(source, kept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes what is open, such as files and connections."""

    @property
    def source(self) -> AnswerSource:
        """The source of the answers, for the front ends of this package. It is not part of the
        public API."""
        return self._source

    def search(
        self,
        query: str | SearchRequest,
        *,
        freshness: Freshness = CACHED,
        progress: Progress | None = None,
        **fields: "Unpack[SearchFields]",
    ) -> SearchResponse:
        """Searches for symbols, sections and items by name and by words.

        query: a SearchRequest, or its query with the other fields as keywords. progress: called
        during a refresh. A question whose words no symbol has is also answered from text.
        """
        request = make_request(SearchRequest, query, fields)
        return search_plan(self, self._source.plan(request), freshness, progress)

    def _search_plan(
        self,
        plan: "Plan",
        freshness: Freshness,
        progress: Progress | None,
        extra: "Callable[[], tuple[SpacePart, list[str]]] | None",
    ) -> SearchResponse:
        response = self._searcher.search(plan, freshness, progress, extra)
        _continue_in_text(self, plan, response, freshness)
        return response

    def _folder(self, request: "FolderRequest", freshness: Freshness) -> "FolderResponse":
        from symindex.explore.overview.folder import list_folder

        check_types(request)
        return self._read_tree(lambda tree: list_folder(tree, request), freshness, request)

    def fetch(
        self,
        item_id: "str | FetchRequest | None" = None,
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[FetchFields]",
    ) -> "FetchResponse | FetchFailure | SearchResponse":
        """Returns an item by its id, with its content and the proof of its origin; or, for a query
        and a scope, a list of items.

        item_id: a FetchRequest, or its id, if it has one, with the other fields as keywords. A
        missing item is an answer, not an error.
        """
        from symindex.fetch.read_request import as_search, check_fetch_request
        from symindex.protocol.fetch import FetchRequest

        request = make_request(FetchRequest, item_id, fields)
        check_fetch_request(request)
        if request.item_id is None:
            return search_sources(self, as_search(request), request.source or "all", freshness)
        from symindex.workspace.spaces.across_spaces import fetch_item

        return fetch_item(self._source, self._searcher.with_spaces, request, freshness)

    def recall(
        self,
        queries: "str | Sequence[str] | TextRequest",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[TextFields]",
    ) -> "TextResponse":
        """Answers questions in words from names, documents, docs, added content and notes.

        queries: one question or several, with the other fields of a TextRequest as keywords; or a
        TextRequest.
        """
        from symindex.protocol.recall import TextRequest
        from symindex.recall.recall import recall

        if not isinstance(queries, TextRequest):
            queries = [queries] if isinstance(queries, str) else [*queries]
        request = make_request(TextRequest, queries, fields)
        source = _RecallSource(self, self._source)
        return with_repair(self._source, lambda: recall(source, request, freshness))

    def related(
        self, hit_id: str, *, freshness: Freshness = CACHED
    ) -> "tuple[TextHit, list[Related]] | None":
        """Returns the hit of an id with the hits related to it; `None` for an unknown id."""
        from symindex.recall.recall import related

        source = _RecallSource(self, self._source)
        return with_repair(self._source, lambda: related(source, hit_id, freshness))

    def symbol(
        self,
        symbol: str | SymbolRequest,
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[SymbolFields]",
    ) -> SymbolResponse:
        """Returns one symbol with its place, doc, code and members; or a list if several may be
        meant.

        symbol: a SymbolRequest, or its symbol with the other fields as keywords.
        """
        from symindex.explore.symbol import OUT_OF_DATE

        request = make_request(SymbolRequest, symbol, fields)
        check_types(request)

        def show(tree: "Tree") -> SymbolResponse:
            return symbol_anywhere(self._source, tree, request, freshness.packages)

        response = self._read_tree(show, freshness, request)
        if any(notice.endswith(OUT_OF_DATE) for notice in response.notices or ()):
            self._source.catch_up()
            response = self._read_tree(show, freshness, request)
        if not response.total and (name := last_name(request.symbol)):
            skips = find_excluded_name(self._source.walked, name)
            add_notices(response, [tell_excluded(name, skip) for skip in skips])
        if response.symbol is not None:
            self._source.recent.appendleft(response.symbol.file_path)
        return response

    def outline(
        self,
        path: str | list[str] | OutlineRequest = "",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[OutlineFields]",
    ) -> "OutlineResponse":
        """Returns the definitions of a file, a folder, or the files that a glob matches, as a tree.

        path: an OutlineRequest, or its path or paths with the other fields as keywords.
        """
        from symindex.explore.outline import outline

        request = make_request(OutlineRequest, path, fields)
        check_types(request)
        return self._read_tree(lambda tree: outline(tree, request), freshness, request)

    def references(
        self,
        name: str | ReferencesRequest,
        *,
        seconds: float = 10.0,
        progress: Progress | None = None,
        freshness: Freshness = CACHED,
        **fields: "Unpack[ReferencesFields]",
    ) -> "ReferencesResponse":
        """Returns the occurrences of an identifier in code.

        name: a ReferencesRequest, or its name with the other fields as keywords. seconds: the time
        limit; an answer cut short by it has a token to continue. progress: called with the number
        of files read.
        """
        from symindex.explore.references.references import find_references

        request = make_request(ReferencesRequest, name, fields)
        check_request(request)
        limits = self._source.file_limits
        return self._read_tree(
            lambda tree: find_references(
                tree, request, *limits, seconds=seconds, progress=progress
            ),
            freshness,
            request,
        )

    def grep(
        self,
        pattern: "str | GrepRequest",
        *,
        seconds: float = 10.0,
        progress: Progress | None = None,
        freshness: Freshness = CACHED,
        **fields: "Unpack[GrepFields]",
    ) -> "GrepResponse":
        """Returns the occurrences of a text or a regular expression in files, by symbol.

        pattern: a GrepRequest, or its pattern with the other fields as keywords. seconds, progress:
        as for `references`.
        """
        from symindex.explore.grep.search import grep
        from symindex.protocol.grep import GrepRequest

        request = make_request(GrepRequest, pattern, fields)
        limits = self._source.file_limits
        return self._read_tree(
            lambda tree: grep(tree, request, *limits, seconds=seconds, progress=progress),
            freshness,
            request,
        )

    def trace(
        self,
        text: "str | TraceRequest",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[TraceFields]",
    ) -> "TraceResponse":
        """Returns the frames of a pasted stack trace or of a compiler's messages that are in the
        workspace.

        text: a TraceRequest, or its text with the other fields as keywords. Raises RequestError for
        a text without frames.
        """
        from symindex.explore.trace.trace import trace
        from symindex.protocol.trace import TraceRequest

        request = make_request(TraceRequest, text, fields)
        check_types(request)
        most_bytes = self._source.file_limits[0]
        return self._read_tree(
            lambda tree: trace(tree, request.text, most_bytes, request.folder), freshness, request
        )

    def map(
        self,
        path: "str | list[str] | MapRequest" = "",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[MapFields]",
    ) -> "MapResponse":
        """Returns the most important symbols of a folder, as many as the token limit allows.

        path: a MapRequest, or its path or paths with the other fields as keywords.
        """
        from symindex.explore.overview.map import make_map
        from symindex.protocol.overview import MapRequest

        request = make_request(MapRequest, path, fields)
        check_types(request)
        return self._read_tree(lambda tree: make_map(tree, request), freshness, request)

    def hierarchy(
        self,
        symbol: "str | HierarchyRequest",
        *,
        seconds: float = 10.0,
        freshness: Freshness = CACHED,
        **fields: "Unpack[HierarchyFields]",
    ) -> "HierarchyResponse":
        """Returns the symbols related to one, as a tree: subtypes, supertypes, callers, callees or
        tests.

        symbol: a HierarchyRequest, or its symbol with the other fields as keywords. seconds: the
        time limit of one pass over the files.
        """
        from symindex.explore.relations.hierarchy import hierarchy
        from symindex.explore.relations.uses import Limits
        from symindex.protocol.hierarchy import HierarchyRequest

        request = make_request(HierarchyRequest, symbol, fields)
        check_types(request)
        limits = Limits(*self._source.file_limits, seconds)
        return self._read_tree(lambda tree: hierarchy(tree, request, limits), freshness, request)

    def _unused(
        self, request: "UnusedRequest", seconds: float, freshness: Freshness
    ) -> "UnusedResponse":
        from symindex.explore.unused.unused import find_unused

        check_types(request)
        most_bytes = self._source.file_limits[0]
        return self._read_tree(
            lambda tree: find_unused(tree, request, most_bytes, seconds), freshness, request
        )


def search_plan(
    answers: Answers,
    plan: "Plan",
    freshness: Freshness = CACHED,
    progress: Progress | None = None,
    extra: "Callable[[], tuple[SpacePart, list[str]]] | None" = None,
) -> SearchResponse:
    """Searches as `Answers.search` does, for a request that was read already (`AnswerSource.plan`).
    extra: as for `SourceSearch.search`."""
    return answers._search_plan(plan, freshness, progress, extra)


def folder_of(
    answers: Answers, request: "FolderRequest", freshness: Freshness = CACHED
) -> "FolderResponse":
    """Returns the files and folders in a folder, with how many files and symbols they contain."""
    return answers._folder(request, freshness)


def unused_in(
    answers: Answers,
    request: "UnusedRequest",
    *,
    seconds: float = 30.0,
    freshness: Freshness = CACHED,
) -> "UnusedResponse":
    """Returns the symbols that nothing uses, for the front ends of this package. seconds: the time
    limit of the pass over all files."""
    return answers._unused(request, seconds, freshness)


def search_sources(
    answers: Answers, request: SearchRequest, source: str, freshness: Freshness
) -> SearchResponse:
    """Searches for items in the project, in registries, or in both. source: one of
    `protocol/fetch.QUERY_SOURCES`."""
    from symindex.configuration import read_configuration

    registries = None
    if source in ("registry", "all") and (source == "registry" or read_configuration().registries):
        from symindex.workspace.spaces.registry_search import registry_part, search_registries

        if source == "registry":
            elsewhere = msgspec.structs.replace(request, space=UNSET)
            return search_registries(answers.source.plan(elsewhere, include=ITEM_NEEDS))
        registries = partial(registry_part, answers.source.languages)
    plan = answers.source.plan(request, include=ITEM_NEEDS)
    return search_plan(answers, plan, freshness, extra=registries)


def _continue_in_text(
    answers: Answers, plan: "Plan", response: SearchResponse, freshness: Freshness
) -> None:
    """Adds what texts contain of a question, and the number of lines that contain a text, where no
    name does."""
    from symindex.search.words.questions import is_question

    source = answers.source
    if is_question(plan, response):
        from symindex.recall.recall import go_on_to_text

        texts = [phrasing.text for phrasing in plan.phrasings] or [plan.text]
        go_on_to_text(_RecallSource(answers, source), texts, response, freshness)
    if is_text(plan, response):
        with suppress(SymindexError):  # a root without an index says so itself
            count = count_elsewhere(source.tree(), plan.text, source.file_limits[0])
            response.elsewhere = count or UNSET


class _RecallSource:
    """The roots in the form that `recall` reads them."""

    def __init__(self, answers: Answers, source: AnswerSource) -> None:
        self._answers, self._source = answers, source
        self.plan, self.recalled, self.languages = source.plan, source.recalled, source.languages
        self._at_one_moment: Answers | None = None

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> None:
        self._source.bring_up_to_date(freshness, progress)
        self._at_one_moment = None

    @property
    def lookups(self) -> Answers:
        """The answers at the moment after `bring_up_to_date`."""
        if self._at_one_moment is None:
            view = self._source.view()
            if view.missing or not view.is_last:  # each lookup waits as long as it may
                return self._answers
            moment, kept = OneMoment(self._source, view), self._answers._searcher.kept
            self._at_one_moment = Answers(moment, kept)
        return self._at_one_moment

    def search_names(self, plan: "Plan", freshness: Freshness) -> SearchResponse:
        """Searches names only: a question is not answered from text again."""
        return self.lookups._searcher.search(plan, freshness)

    def take_notices(self) -> list[str]:
        """See `recall.SearchedRoots`."""
        return self._source.take_notices()

    @property
    def unread_items(self) -> list[str]:
        """See `left_out`."""
        return unread_items(self._source.walked)
