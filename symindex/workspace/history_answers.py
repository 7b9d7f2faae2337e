"""The answers about the history of files in git: the part of `workspace/answers` that runs git."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from symindex.protocol.freshness import CACHED, Freshness
from symindex.protocol.search import Noticed
from symindex.requests import check_types
from symindex.workspace.answer_source import AnswerSource
from symindex.workspace.repair import with_repair
from symindex.workspace.request_fields import make_request
from symindex.workspace.source_search import add_source_notices

if TYPE_CHECKING:
    from typing import Unpack

    from symindex.protocol.changes import ChangedRequest, ChangedResponse
    from symindex.protocol.history import (
        BlameRequest,
        BlameResponse,
        FileAtRequest,
        FileAtResponse,
        HeadRequest,
        HeadResponse,
        LineHistoryRequest,
        LineHistoryResponse,
    )
    from symindex.resolve.tree import Tree
    from symindex.workspace.request_fields import (
        BlameFields,
        ChangedFields,
        FileAtFields,
        LineHistoryFields,
    )

_Response = TypeVar("_Response", bound=Noticed)


class HistoryAnswers:
    """Answers requests about history from a source. `Answers` adds all other requests."""

    def __init__(self, source: AnswerSource) -> None:
        self._source = source

    def _read_tree(
        self, read: "Callable[[Tree], _Response]", freshness: Freshness, request: object = None
    ) -> _Response:
        """Returns an answer from indexes, after those in progress are built, with notices. request:
        what the answer is about, for notices and sources that depend on it."""

        def read_current() -> _Response:
            is_current = self._source.bring_up_to_date(freshness) or self._source.is_compared
            return read(self._source.tree()._replace(is_current=is_current))

        response = with_repair(self._source, read_current)
        add_source_notices(self._source, response, request)
        return response

    def changed(
        self,
        since: "str | ChangedRequest" = "HEAD",
        *,
        seconds: float = 10.0,
        freshness: Freshness = CACHED,
        **fields: "Unpack[ChangedFields]",
    ) -> "ChangedResponse":
        """Returns the symbols that were added, changed or removed since a commit.

        since: a ChangedRequest, or its commit with the other fields as keywords. seconds: the time
        limit of one pass over the files.
        """
        from symindex.explore.changes.changed import changed
        from symindex.explore.relations.uses import Limits
        from symindex.protocol.changes import ChangedRequest

        request = make_request(ChangedRequest, since, fields)
        check_types(request)
        limits = Limits(*self._source.file_limits, seconds)
        return self._read_tree(lambda tree: changed(tree, request, limits), freshness, request)

    def blame(
        self,
        path: "str | BlameRequest",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[BlameFields]",
    ) -> "BlameResponse":
        """Returns the commits that last changed the lines of a file, at most 500 at once.

        path: a BlameRequest, or its path with the other fields as keywords. An answer that takes
        git too long is incomplete, and says so.
        """
        from symindex.explore.history.blame import blame_lines
        from symindex.protocol.history import BlameRequest

        request = make_request(BlameRequest, path, fields)
        check_types(request)
        most_bytes = self._source.file_limits[0]
        return self._read_tree(
            lambda tree: blame_lines(tree, request, most_bytes), freshness, request
        )

    def line_history(
        self,
        path: "str | LineHistoryRequest",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[LineHistoryFields]",
    ) -> "LineHistoryResponse":
        """Returns the commits that changed some lines of a file, or the whole file, newest first.

        path: a LineHistoryRequest, or its path with the other fields as keywords. An answer that
        takes git too long is incomplete, and says so.
        """
        from symindex.explore.history.line_history import line_history
        from symindex.protocol.history import LineHistoryRequest

        request = make_request(LineHistoryRequest, path, fields)
        check_types(request)
        most_bytes = self._source.file_limits[0]
        return self._read_tree(
            lambda tree: line_history(tree, request, most_bytes), freshness, request
        )

    def file_at(
        self,
        path: "str | FileAtRequest",
        *,
        freshness: Freshness = CACHED,
        **fields: "Unpack[FileAtFields]",
    ) -> "FileAtResponse":
        """Returns lines of a file as it was in a commit, at most 500 at once.

        path: a FileAtRequest, or its path with the other fields as keywords.
        """
        from symindex.explore.history.revisions import file_at
        from symindex.protocol.history import FileAtRequest

        request = make_request(FileAtRequest, path, fields)
        check_types(request)
        most_bytes = self._source.file_limits[0]
        return self._read_tree(lambda tree: file_at(tree, request, most_bytes), freshness, request)

    def head(
        self, path: "str | HeadRequest" = "", *, freshness: Freshness = CACHED
    ) -> "HeadResponse":
        """Returns the current commit of a file, a folder or each root, and whether a file differs
        from it.

        path: a HeadRequest, or its path.
        """
        from symindex.explore.history.revisions import head
        from symindex.protocol.history import HeadRequest

        request = make_request(HeadRequest, path, {})
        check_types(request)
        most_bytes = self._source.file_limits[0]
        return self._read_tree(lambda tree: head(tree, request, most_bytes), freshness, request)
