"""Answers a request for the commits that changed some lines of a file, or the file."""

from typing import Final

from symindex.errors import RequestError
from symindex.explore.git_history import Commits, commits_of, commits_of_lines
from symindex.explore.git_objects import Repository, check_revision
from symindex.explore.history.committed_file import (
    find_in_repository,
    lines_now,
    lines_then,
    not_committed,
    read_committed,
    shallow_notices,
)
from symindex.explore.text_range import parse_lines
from symindex.protocol.history import LineChange, LineHistoryRequest, LineHistoryResponse
from symindex.protocol.search import add_notices
from symindex.requests import check_limit
from symindex.resolve.tree import Tree
from symindex.text.counts import count_of

MOST_COMMITS: Final = 500
"""Most commits in one answer."""


def line_history(tree: Tree, request: LineHistoryRequest, most_bytes: int) -> LineHistoryResponse:
    """Answers a request. Raises RequestError if git, the repository, the file or the lines are
    missing."""
    check_limit("max_items", request.max_items)
    if request.max_items > MOST_COMMITS:
        raise RequestError(f"max_items is {request.max_items:,}: it must be {MOST_COMMITS} or less")
    if request.lines is None:
        return _of_file(tree, request)
    lines = parse_lines(request.lines)
    file = read_committed(tree, request.path, request.revision, most_bytes)
    window = (
        lines_then(file, lines) if request.revision else lines_now(tree, file, lines, most_bytes)
    )
    response = LineHistoryResponse(
        request=request,
        path=file.file.shown,
        commit=file.commit,
        start_line=window.first,
        end_line=window.last,
        items=[],
        has_more=False,
    )
    committed = [number for number in window.numbers if number]
    if n_new := len(window.numbers) - len(committed):
        add_notices(response, [f"{count_of(n_new, 'line is', 'lines are')} not committed yet"])
    if committed:
        span = committed[0], committed[-1]
        repository, most = file.file.repository, request.max_items + 1
        found = commits_of_lines(
            repository, file.file.path, file.commit, span, most, request.patches
        )
        _add(response, found, repository)
    return response


def _of_file(tree: Tree, request: LineHistoryRequest) -> LineHistoryResponse:
    """Answers a request for a whole file, which need not exist any more."""
    if request.revision:
        check_revision(request.revision)
    file = find_in_repository(tree, request.path)
    commit = file.repository.commit(request.revision or "HEAD")
    found = commits_of(file.repository, file.path, commit, request.max_items + 1, request.patches)
    if not found.items and not found.missing:
        raise not_committed(tree, file)
    response = LineHistoryResponse(
        request=request,
        path=file.shown,
        commit=commit,
        start_line=0,
        end_line=0,
        items=[],
        has_more=False,
    )
    _add(response, found, file.repository)
    return response


def _add(response: LineHistoryResponse, found: Commits, repository: Repository) -> None:
    """Adds commits to a response, and notices about those that git did not list."""
    most = response.request.max_items
    response.items = [
        LineChange(
            commit=commit.commit,
            author=commit.author,
            date=commit.date,
            subject=commit.subject,
            patch=commit.patch,
            is_whole=commit.is_whole,
        )
        for commit in found.items[:most]
    ]
    response.has_more = len(found.items) > most
    if response.has_more:
        return
    if found.missing:
        add_notices(response, [f"there may be older commits: {found.missing}"])
    else:
        add_notices(response, shallow_notices(repository))
