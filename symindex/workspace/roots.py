"""Roots: what answers are made from, how long an answer may wait, and the one search of all doors.

Two classes are roots: `workspace/indexed_root` is one that is refreshed on demand,
`editor/followed_workspace` is several that are watched in the background. A search chooses between
the index, a scan without an index, and waiting. An answer from a part of the tree is given only
where the patience does not reach to the first index; an empty one never while more may still be
found.
"""

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import NO_FOLDER, DamagedIndexError, RequestError, SymindexError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.skips import tell_unread
from symindex.index.snapshot import Snapshot, Space
from symindex.index.update import Progress
from symindex.protocol.explore import SymbolRequest, SymbolResponse
from symindex.protocol.freshness import AS_IT_IS, CURRENT, Patience
from symindex.protocol.search import (
    ITEM_NEEDS,
    Noticed,
    SearchRequest,
    SearchResponse,
    add_notices,
    is_guess,
)
from symindex.requests import check_request, check_types
from symindex.settings import DEFAULTS
from symindex.workspace.exact_elsewhere import (
    excluded_name,
    lacks_exact,
    last_name,
    tell_excluded,
    tell_packages,
)
from symindex.workspace.explored import Explored
from symindex.workspace.left_out import LeftOut
from symindex.workspace.text_elsewhere import count_elsewhere, is_text

if TYPE_CHECKING:
    from symindex.explore.tree import Tree
    from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse
    from symindex.protocol.recall import TextHit, TextRequest, TextResponse
    from symindex.recall.document_texts import KeptTexts
    from symindex.recall.neighbours import Related
    from symindex.recall.recall import Recall
    from symindex.search.answer.answer import PageRule
    from symindex.search.answer.contents import Contents
    from symindex.workspace.spaces import SpacePart, Spaces

_Response = TypeVar("_Response", bound=Noticed)
_T = TypeVar("_T")


MOST_RECENT: Final = 5

_READING_ERRORS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    DamagedIndexError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What reading a damaged index may lead to, should a check be missing. Errors of a request and
cancellation are not among them."""


@dataclass(frozen=True)
class View:
    """What is known at one moment.

    missing: roots without an index. is_last: whether waiting longer would not find more.
    why_a_part: the notice for an answer from a part of one root; fuzzy matches are left out of it.
    contents: the texts of sections and items, for the answer that is being made.
    """

    snapshot: Snapshot
    missing: Sequence[object] = ()
    is_last: bool = False
    why_a_part: str = ""
    contents: "Contents | None" = None


class Roots(Explored, LeftOut):
    """See the module. Methods that wait raise NotWantedError where the answer is not wanted any
    more (`cancellation`); those that answer raise RequestError for a request that has no answer."""

    settings = DEFAULTS

    @cached_property
    def recent(self) -> deque[str]:
        """The paths of the symbols that were shown last: what is asked next is mostly near."""
        return deque(maxlen=MOST_RECENT)

    _kept_texts: "KeptTexts | None" = None
    _last_joined: tuple[list[object], Snapshot] = ([], Snapshot([], 0))

    @property
    def opened(self) -> "Sequence[Roots]":
        """The single roots that could be opened so far, each with its settings."""
        return [self]

    @property
    def _file_limits(self) -> tuple[int, float]:
        """The most bytes and seconds that a file may take in any of the roots: what was indexed is
        also shown."""
        every = [root.settings for root in self.opened] or [DEFAULTS]
        return max(each.max_file_bytes for each in every), max(each.file_seconds for each in every)

    @property
    def folder_paths(self) -> Sequence[Path]:
        """The folders of the roots, also of those that are not opened yet."""
        return [root for root, _ in self.folders_by_prefix.values()]

    @property
    def spaces(self) -> "Sequence[Spaces]":
        """The spaces beside the roots, which are opened when they are first used."""
        return ()

    @property
    def index_folders(self) -> "Sequence[PrivateFolder]":
        """The folders of the indexes of the roots whose packages may be told of."""
        return ()

    @abstractmethod
    def unindexed_views(self, request: SearchRequest, patience: Patience) -> Iterator[View]:
        """What a scan finds where there is no index; nothing where there is one, or it will be
        waited for. Each view is based on more than the one before. Followed roots first wait for
        changes, up to `patience.changes`."""

    def on_unindexed_answer(self) -> None:
        """Called when one of these views was the answer: roots that do not follow their tree start
        to build the index."""

    def stored_view(self) -> View | None:
        """The stored index, where the check for changes is running elsewhere meanwhile."""
        return None

    @abstractmethod
    def bring_up_to_date(self, patience: Patience, progress: Progress | None) -> None:
        """Builds an index where there is none, and waits for it and for changes, up to the
        patience."""

    @abstractmethod
    def view(self) -> View:
        """What is known now."""

    def on_written(self, path: Path) -> None:
        """Called when a file was written for a client, whose next question is perhaps about it."""

    def catch_up(self) -> None:
        """Called where a file is not as it was indexed: takes what has changed into the index, for
        a moment at most."""
        self.bring_up_to_date(CURRENT, None)

    def wait_for_changes(self) -> None:
        """Waits once more after an empty result, where changes may still come in."""

    @abstractmethod
    def tree(self) -> "Tree":
        """What is known now, as `explore` reads it."""

    @abstractmethod
    def take_notices(self) -> list[str]:
        """The notices that no answer has had yet; each is given once."""

    def why_incomplete(self) -> list[str]:
        """The notices that every answer gets as long as it may lack something."""
        return []

    @abstractmethod
    def why_empty(self, request: SearchRequest, view: View) -> list[str]:
        """The explanation of an empty result, in short lines."""

    @abstractmethod
    def mend(self, error: Exception) -> bool:
        """Called when reading an index has raised an error. Whether the index was at fault; then it
        is being rebuilt."""

    @property
    @abstractmethod
    def times_mistrusted(self) -> int:
        """How often an index was found damaged."""

    def mended(self, read: Callable[[], _T]) -> _T:
        """What `read` returns. It is called again where an error has shown, here or meanwhile in
        another thread, that an index was damaged; other errors are raised."""
        before = self.times_mistrusted
        try:
            return read()
        except _READING_ERRORS as error:
            if not self.mend(error) and self.times_mistrusted == before:
                raise
        return read()

    def find(
        self,
        request: SearchRequest,
        patience: Patience,
        show: Callable[[View], _T | None],
        progress: Progress | None = None,
    ) -> _T:
        """What `show` makes of the first view that holds something.

        show: returns `None` for an empty result, unless the view is the last. progress: called
        while the index is refreshed.
        """

        def find() -> _T:
            for part in self.unindexed_views(request, patience):
                found = show(part)
                if found is not None:
                    self.on_unindexed_answer()
                    return found
            stored, found = self.stored_view(), None
            if stored is not None:
                with suppress(Exception):  # which may be due to the index; if not, it comes again
                    found = show(stored)
            self.bring_up_to_date(patience, progress)
            view = replace(self.view(), missing=())
            if patience.changes:  # they were waited for
                view = replace(view, is_last=True)
            if found is None or stored is None or stored.snapshot is not view.snapshot:
                found = show(view)
            if found is None:
                self.wait_for_changes()
                found = show(replace(self.view(), missing=(), is_last=True))
            assert found is not None
            return found

        return self.mended(find)

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
        fuzzy: bool | dict[str, Any] | UnsetType = UNSET,
        include: list[str] | UnsetType = UNSET,
        limit: int | UnsetType | None = UNSET,
        offset: int | UnsetType = UNSET,
        fields: dict[str, str] | UnsetType = UNSET,
        filters: dict[str, Any] | UnsetType = UNSET,
        proximity: dict[str, Any] | UnsetType = UNSET,
        sort_by: str | UnsetType = UNSET,
        scope: str | list[str] | UnsetType = UNSET,
        space: str | UnsetType = UNSET,
        type: str | list[str] | UnsetType = UNSET,
        whole_words: bool | UnsetType = UNSET,
        patience: Patience = AS_IT_IS,
        progress: Progress | None = None,
        rule: "PageRule | None" = None,
        goes_on: bool = True,
        more: "Callable[[], tuple[SpacePart, list[str]]] | None" = None,
    ) -> SearchResponse:
        """Searches. The first search of a workspace refreshes the index; later ones use it as it
        is, unless `patience` says otherwise.

        query: a whole SearchRequest, or its query with the other fields as arguments. progress:
        called during a refresh. rule: what a door wishes of the page. goes_on: whether a question
        whose words no symbol holds is answered from text, too. more: makes one more space, which is
        searched with the others, and notices. Raises RequestError for a request that cannot be
        answered.
        """
        from symindex.search.answer.answer import (
            PageRule,
            answer,
        )  # here, because an update searches nothing
        from symindex.search.answer.universe import needs_spaces
        from symindex.search.options.read import read_options, with_own_names

        request = (
            query
            if isinstance(query, SearchRequest)
            else SearchRequest(
                query=query,
                kinds=kinds,
                max_items=max_items,
                start_index=start_index,
                pagination_id=pagination_id,
                languages=languages,
                paths=paths,
                fuzzy=fuzzy,
                include=include,
                limit=limit,
                offset=offset,
                fields=fields,
                filters=filters,
                proximity=proximity,
                sort_by=sort_by,
                scope=scope,
                space=space,
                type=type,
                whole_words=whole_words,
            )
        )
        request = with_own_names(request)
        read_options(
            request
            # what is wrong with them is told before anything is searched, and before types in
            # general
        )
        check_request(request)

        is_wide = needs_spaces(request, self.languages)
        parts, told = self._other_spaces(request, patience, progress) if is_wide else ([], [])
        if is_wide and more is not None:
            part, notices = more()
            parts, told = [*parts, part], [*told, *notices]

        def show(view: View) -> SearchResponse | None:
            narrowed = msgspec.structs.replace(request, fuzzy=False) if view.why_a_part else request
            contents = self._contents(parts) if is_wide else None
            view = replace(
                view, snapshot=self._with_spaces(view.snapshot, parts), contents=contents
            )
            response = answer(view.snapshot, narrowed, self.languages, rule or PageRule(), contents)
            add_notices(response, told)
            return (
                self._explained(request, response, view) if response.total or view.is_last else None
            )

        response = self.find(request, patience, show, progress)
        if goes_on:
            self._go_on(request, response, patience)
        return response

    def _go_on(self, request: SearchRequest, response: SearchResponse, patience: Patience) -> None:
        """What no name holds may stand in texts: adds what these hold of a question, and on how
        many lines a text stands."""
        from symindex.search.words.questions import is_question

        if is_question(request, response):
            from symindex.recall.recall import (
                go_on_to_text,
            )  # here, because most searches find names

            go_on_to_text(self, request, response, patience)
        if is_text(request, response):
            with suppress(SymindexError):  # a root without an index says so itself
                response.elsewhere = (
                    count_elsewhere(self.tree(), request, self._file_limits[0]) or UNSET
                )

    def _explained(
        self, request: SearchRequest, response: SearchResponse, view: View
    ) -> SearchResponse:
        """A response with what is to be said of it: why it is empty, or where else there is an
        exact name."""
        if not (view.why_a_part or view.missing) and lacks_exact(request, response):
            add_notices(response, tell_packages(self.index_folders, request.query.strip()))
        if not (view.why_a_part or view.missing) and (name := excluded_name(request, response)):
            add_notices(
                response,
                [tell_excluded(name, skip) for skip in self.excluded(name, request.paths or ())],
            )
        response.request = request
        if response.items and not view.missing and all(map(is_guess, response.items)):
            from symindex.search.answer.explain_empty import (
                explain_hidden,
            )  # here, because most searches find what they ask for

            add_notices(
                response, explain_hidden(request, view.snapshot, self.languages, view.contents)
            )
        if (
            response.items
            and not view.missing
            and (unread := tell_unread(self.unreadable(request.paths or ()), "more"))
        ):
            add_notices(response, [unread])
        why = [] if response.total or view.missing else self.why_empty(request, view)
        return self._noted(response, view.why_a_part, why)

    def _other_spaces(
        self, request: SearchRequest, patience: Patience, progress: Progress | None
    ) -> "tuple[list[SpacePart], list[str]]":
        """The spaces beside the roots that a request needs, and notices."""
        from symindex.workspace.across_spaces import (
            needed_spaces,
            parts_of,
        )  # here, because most searches stay in the project

        needed = needed_spaces(request, self.languages)
        return (
            parts_of(self.spaces, needed, patience.packages, progress)
            if needed.spaces
            else ([], [])
        )

    def _contents(self, parts: "Sequence[SpacePart]") -> "Contents":
        """The texts of the sections and items of the roots and of other spaces, for one answer."""
        from symindex.recall.document_texts import KeptTexts, Source, TextReader
        from symindex.search.answer.contents import (
            Contents,
        )  # here, because most searches are for symbols

        if self._kept_texts is None:
            self._kept_texts = KeptTexts()
        sources = {prefix: Source(*folder) for prefix, folder in self.folders_by_prefix.items()}
        sources.update(
            {
                prefix: Source(root, part.languages)
                for part in parts
                for prefix, root in part.roots.items()
            }
        )
        return Contents(TextReader(sources, self._file_limits[0], self._kept_texts))

    def _with_spaces(self, project: Snapshot, parts: "Sequence[SpacePart]") -> Snapshot:
        """The project's snapshot with the others behind it, the same as long as all of these
        are."""
        if not parts:
            return project
        from symindex.workspace.across_spaces import join  # here, as above

        key: list[object] = [project, *(part.snapshot for part in parts)]
        if [*map(id, self._last_joined[0])] != [*map(id, key)]:
            self._last_joined = (key, join(project, parts))
        return self._last_joined[1]

    def _noted(
        self, response: _Response, why_a_part: str = "", why: Iterable[str] = ()
    ) -> _Response:
        add_notices(
            response,
            [*filter(None, [why_a_part, *self.take_notices(), *self.why_incomplete(), *why])],
        )
        return response

    def search_sources(
        self, request: SearchRequest, source: str, *, patience: Patience = AS_IT_IS
    ) -> SearchResponse:
        """The items that a query finds where `source` says (`protocol/fetch.QUERY_SOURCES`). Raises
        RequestError."""
        from symindex.configuration import read_configuration
        from symindex.search.answer.answer import PageRule

        more = None
        if source in ("registry", "all") and (
            source == "registry" or read_configuration().registries
        ):
            from symindex.workspace.registry_search import (
                registry_part,
                search_registries,
            )  # here, because few are asked

            if source == "registry":
                return search_registries(request, self.languages)
            more = partial(registry_part, self.languages)
        return self.search(request, patience=patience, rule=PageRule(ITEM_NEEDS), more=more)

    def fetch(
        self, request: "FetchRequest | None" = None, *, patience: Patience = AS_IT_IS, **given: Any
    ) -> "FetchResponse | FetchFailure | SearchResponse":
        """An item by its id, with its content and what vouches for it; or by a query and a scope, a
        list as of a search.

        request: a whole FetchRequest, or its fields as arguments. Raises RequestError for a request
        that cannot be meant; that an item is not there is an answer.
        """
        from symindex.fetch.read_request import (
            as_search,
            check_fetch_request,
            read_fetch_request,
        )  # here, as above

        asked = request if request is not None else read_fetch_request(given)
        check_fetch_request(asked)
        if asked.item_id is None:
            return self.search_sources(as_search(asked), asked.source or "all", patience=patience)
        from symindex.fetch.by_id import FetchContext, fetch_by_id
        from symindex.workspace.across_spaces import NeededSpaces, parts_of

        # Also of an item of the project: what it hides is said. Only what may be in the system
        # space waits for it.
        is_wide = asked.source is None
        needed = NeededSpaces(
            frozenset((Space.USER, Space.SYSTEM)),
            builds=asked.source == Space.SYSTEM.word,
            hopes=is_wide,
        )

        self.bring_up_to_date(patience, None)

        def fetch() -> "FetchResponse | FetchFailure":
            parts, notices = parts_of(self.spaces, needed, patience.packages, None)
            tree = self.tree()
            roots = {
                **tree.roots,
                **{prefix: root for part in parts for prefix, root in part.roots.items()},
            }
            snapshot = self._with_spaces(tree.snapshot, parts)
            project = next(iter(tree.roots.values()), None)
            if project is None and asked.source != Space.REGISTRY.word:
                raise RequestError(f"fetch: {NO_FOLDER}")
            place = FetchContext(
                snapshot,
                roots,
                project,
                self.languages.item_types,
                notices,
                tree.unread(),
                self.unread_items,
                tree.left_out,
            )
            return fetch_by_id(place, asked)

        answer = self.mended(fetch)
        if to := getattr(answer, "destination_path", None):
            self.on_written(Path(to))
        return answer

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        """What each root knows beside its symbols, the snapshot to bring it up to date by, and what
        stands before its paths."""
        yield from ()

    def recall(
        self,
        queries: "str | Sequence[str] | TextRequest",
        *,
        patience: Patience = AS_IT_IS,
        **given: Any,
    ) -> "TextResponse":
        """Searches names, documents, docs, added content and notes with questions in words.

        queries: one or several, with the other fields of a TextRequest as arguments; or a whole
        one. Raises RequestError.
        """
        from symindex.protocol.recall import (
            TextRequest,
        )  # here, because most searches are for names
        from symindex.recall.recall import recall

        if isinstance(queries, str):
            queries = [queries]
        asked = (
            queries
            if isinstance(queries, TextRequest)
            else TextRequest(queries=[*queries], **given)
        )
        return self.mended(lambda: recall(self, asked, patience))

    def related(
        self, found: str, *, patience: Patience = AS_IT_IS
    ) -> "tuple[TextHit, list[Related]] | None":
        """What stands beside one hit, with the hit itself; `None` where there is none. found: the
        id of a hit. Raises RequestError."""
        from symindex.recall.recall import related  # here, as above

        self.bring_up_to_date(patience, None)
        return self.mended(lambda: related(self, found, patience))

    def _read_tree(self, read: "Callable[[Tree], _Response]", patience: Patience) -> _Response:
        """An answer from indexes; those that are being built are waited for."""

        def read_current() -> _Response:
            self.bring_up_to_date(patience, None)
            return read(self.tree())

        return self._noted(self.mended(read_current))

    def symbol(
        self,
        symbol: str | SymbolRequest,
        *,
        lines: str | None = None,
        siblings: bool = False,
        max_tokens: int | None = None,
        path: str | list[str] | UnsetType = UNSET,
        history: bool = False,
        code: bool = True,
        patience: Patience = AS_IT_IS,
    ) -> SymbolResponse:
        """One symbol: its place, doc, code and members; or the list of those that may be meant. As
        fresh as `search`.

        symbol: a whole SymbolRequest, or its symbol with the other fields as arguments. Raises
        RequestError for a file or line that does not exist, or is not a valid one.
        """
        from symindex.explore.symbol import (
            OUT_OF_DATE,
        )  # here, as below, because most commands search
        from symindex.explore.symbol import symbol as show_symbol
        from symindex.recall.recalled_text import as_symbol, hit_of

        if not isinstance(symbol, SymbolRequest):
            symbol = SymbolRequest(
                symbol=symbol,
                lines=lines,
                siblings=siblings,
                max_tokens=max_tokens,
                path=path,
                history=history,
                code=code,
            )
        check_types(symbol)

        def show(tree: "Tree") -> SymbolResponse:
            refused: RequestError | None = None
            response = SymbolResponse(request=symbol, symbol=None, others=[], total=0)
            try:
                response = show_symbol(tree, symbol, self._file_limits[0])
            except RequestError as error:
                refused = error
            if not response.total and self.spaces:
                from symindex.workspace.library_symbols import (
                    find_symbol,
                )  # here, because most symbols are found

                elsewhere = find_symbol(
                    self.spaces, symbol, self._file_limits[0], patience.packages
                )
                if elsewhere is not None and (elsewhere.total or refused is None):
                    elsewhere.suggestions = elsewhere.suggestions or response.suggestions
                    return elsewhere
            if not response.total and (text := hit_of(self, symbol.symbol)) is not None:
                return as_symbol(text, symbol)
            if refused is not None:
                raise refused
            return response

        response = self._read_tree(show, patience)
        if any(notice.endswith(OUT_OF_DATE) for notice in response.notices or ()):
            self.catch_up()
            response = self._read_tree(show, patience)
        if not response.total and (name := last_name(symbol.symbol)):
            add_notices(response, [tell_excluded(name, skip) for skip in self.excluded(name)])
        if response.symbol is not None:
            self.recent.appendleft(response.symbol.file_path)
        return response
